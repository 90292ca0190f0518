(** Upper records: the table that they make is a pre-fixed point, by weak duality. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Containers Trees Entries Document Checker Meaning Numbers.
Import ListNotations.
Open Scope R_scope.

Section Keys.
  Variables (q : quantity) (z : zchain).

  Lemma turns_of_turns : forall s t, turns_of q s t = turns q s t.
  Proof. destruct q; reflexivity. Qed.

  Lemma turns_trans : forall a b s t x y, In (x, y) (turns q s t) -> In (s, t) (turns q a b) -> In (x, y) (turns q a b).
  Proof. destruct q; simpl; intuition congruence. Qed.

  Lemma place_inj : forall n i j k l, (j < n)%nat -> (l < n)%nat -> (i * n + j = k * n + l)%nat -> i = k /\ j = l.
  Proof.
    intros n i j k l J L E. assert (i = k); [|subst; lia].
    transitivity ((i * n + j) / n)%nat; [apply (PeanoNat.Nat.div_unique _ _ _ j); lia|].
    rewrite E. symmetry. apply (PeanoNat.Nat.div_unique _ _ _ l); lia.
  Qed.

  Lemma key_turns : forall i j k l, In i (zstates z) -> In j (zstates z) -> In k (zstates z) -> In l (zstates z) ->
    key q z i j = key q z k l -> In (i, j) (turns q k l).
  Proof.
    intros i j k l I J K L E. apply state_below in I, J, K, L. unfold key in E.
    destruct q; simpl in *.
    - destruct (j <? i)%nat, (l <? k)%nat; apply place_inj in E; auto; destruct E; subst; auto.
    - apply place_inj in E; auto. destruct E. subst. auto.
  Qed.

  Lemma key_self : forall s t x y, In (x, y) (turns q s t) -> key q z x y = key q z s t.
  Proof.
    intros s t x y I. unfold key. destruct q; simpl in *.
    - destruct I as [I | [I | []]]; inversion I; subst; auto.
      destruct (PeanoNat.Nat.ltb_spec y x), (PeanoNat.Nat.ltb_spec x y); auto; try lia.
      replace y with x by lia. auto.
    - destruct I as [I | []]; inversion I; subst; auto.
  Qed.

  Lemma is_pair_spec : forall s t, is_pair z s t = true ->
    In s (zstates z) /\ In t (zstates z) /\ zlabel z s = zlabel z t /\ s <> t.
  Proof.
    intros s t H. unfold is_pair in H.
    rewrite !andb_true_iff, !in_chain_spec, negb_true_iff, PeanoNat.Nat.eqb_eq, PeanoNat.Nat.eqb_neq in H. tauto.
  Qed.
End Keys.

Section Upper.
  Variables (q : quantity) (p r : Z) (z : zchain) (records : list upper_record).
  Hypothesis z_ok : well_formed z.
  Hypothesis r_pos : (0 < r)%Z.
  Hypothesis alpha_1 : (r <= p)%Z.

  Notation alpha := (IZR p / IZR r).
  Notation values := (upper_values q z records).
  Notation table := (upper_table q z values).
  Hypothesis checked : check_upper q p r z records values = true.

  Lemma alpha_one : 1 <= alpha.
  Proof.
    apply IZR_pos in r_pos. replace 1 with (1 / 1) by lra. apply div_le; try lra.
    apply IZR_le in alpha_1. lra.
  Qed.

  Lemma record_checked : forall u, In u records -> check_upper_record q p r z values u = true.
  Proof. intros u I. apply andb_prop in checked. destruct checked as [_ H]. rewrite forallb_forall in H. auto. Qed.

  Lemma table_entry : forall s t, s <> t -> zlabel z s = zlabel z t ->
    table s t = (1, 1)%Z \/
    exists u, In u records /\ key q z (upper_s u) (upper_t u) = key q z s t /\ table s t = (upper_value u, upper_over u).
  Proof.
    intros s t N E. unfold upper_table. rewrite E, PeanoNat.Nat.eqb_refl. simpl.
    rewrite (proj2 (PeanoNat.Nat.eqb_neq s t)) by auto.
    pose proof (find_fold number _ (fun u => key q z (upper_s u) (upper_t u)) (fun u => (upper_value u, upper_over u))
                (key q z s t) records empty) as H.
    change (fold_left _ records empty) with values in H.
    destruct H as [(u & I & K & ->) | [_ ->]]; eauto.
  Qed.

  Lemma table_ok : forall s t, positive_below (table s t) /\ (0 <= fst (table s t))%Z.
  Proof.
    intros s t. destruct (PeanoNat.Nat.eq_dec (zlabel z s) (zlabel z t)) as [E | E].
    - destruct (PeanoNat.Nat.eq_dec s t) as [<- | N].
      + unfold upper_table. rewrite !PeanoNat.Nat.eqb_refl. simpl. unfold positive_below. simpl. lia.
      + destruct (table_entry s t N E) as [-> | (u & I & _ & ->)]; unfold positive_below; simpl; [lia|].
        pose proof (record_checked u I) as C. unfold check_upper_record in C.
        rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in C. tauto.
    - unfold upper_table. rewrite (proj2 (PeanoNat.Nat.eqb_neq _ _)) by auto. unfold positive_below. simpl. lia.
  Qed.

  (** ** Couplings *)

  Definition w_sum (c : coupling) (g : nat -> nat -> R) : R := dot (coupling_w c) (fun k => g (fst k) (snd k)).

  Lemma dot_left : forall (w : list ((nat * nat) * Z)) k f,
    dot (map (fun e => (fst (fst e), k * snd e)%Z) w) f = IZR k * dot w (fun i => f (fst i)).
  Proof. intros. apply (dot_map _ _ w fst k f). Qed.

  Lemma dot_right : forall (w : list ((nat * nat) * Z)) k f,
    dot (map (fun e => (snd (fst e), k * snd e)%Z) w) f = IZR k * dot w (fun i => f (snd i)).
  Proof. intros. apply (dot_map _ _ w snd k f). Qed.

  Lemma dot_id : forall (l : list (nat * Z)) k f, dot (map (fun e => (fst e, k * snd e)%Z) l) f = IZR k * dot l f.
  Proof. intros. apply (dot_map _ _ l (fun i => i) k f). Qed.

  Lemma coupling_states : forall m c s t, check_coupling p r z m c s t = true ->
    (forall e, In e (coupling_w c) -> In (fst (fst e)) (zstates z) /\ In (snd (fst e)) (zstates z) /\ (0 <= snd e)%Z) /\
    (forall e, In e (coupling_b c) -> In (fst e) (zstates z) /\ (0 <= snd e)%Z).
  Proof.
    intros m c s t H. unfold check_coupling in H. rewrite !andb_true_iff in H. destruct H as [[W B] _].
    unfold w_states in W. unfold b_states in B. rewrite forallb_forall in W, B. split; intros e I.
    - specialize (W e I). rewrite !andb_true_iff, !in_chain_spec, Z.leb_le in W. tauto.
    - specialize (B e I). rewrite !andb_true_iff, !in_chain_spec, Z.leb_le in B. tauto.
  Qed.

  (** Multiply the inequalities of `upper-coupling` by f and sum. *)
  Lemma weak_duality : forall m c s t f, (0 < m)%Z -> check_coupling p r z m c s t = true ->
    In s (zstates z) -> In t (zstates z) -> (forall i, In i (zstates z) -> 0 <= f i <= 1) ->
    IZR m * gain (meaning z) alpha f s t <= w_sum c (fun i j => f i - alpha * f j) + dot (coupling_b c) f.
  Proof.
    intros m c s t f M H S T F. destruct (coupling_states m c s t H) as [CW CB].
    unfold check_coupling in H. rewrite !andb_true_iff in H. destruct H as [_ H].
    assert (D : 0 <= dot (slack p r z m c s t) f).
    { rewrite <- (dot_collect nat_compare_eq).
      assert (K : Forall (fun e => In (fst e) (zstates z)) (collect Nat.compare (slack p r z m c s t))).
      { apply collect_forall; [apply nat_compare_eq | auto |]. apply Forall_forall. intros e I.
        unfold slack in I. rewrite !in_app_iff, !in_map_iff in I.
        destruct I as [(x & <- & I) | [(x & <- & I) | [(x & <- & I) | [(x & <- & I) | (x & <- & I)]]]]; simpl;
          try (apply CW in I; tauto); try (apply CB in I; tauto); eapply row_states; eauto. }
      rewrite Forall_forall in K. rewrite forallb_forall in H. apply dot_nonneg.
      - intros e I. apply Z.leb_le. auto.
      - intros e I. apply F. auto. }
    unfold slack in D. rewrite !dot_app, dot_left, dot_right, !dot_id in D.
    rewrite !opp_IZR, !mult_IZR in D.
    rewrite gain_split. change (states (meaning z)) with (zstates z). rewrite !mean_dot by auto.
    unfold w_sum. rewrite (dot_ext _ (coupling_w c) _ (fun i => 1 * f (fst i) + (- alpha) * f (snd i))) by (intros; lra).
    assert (E : forall k l, dot (coupling_w c) (fun i => k * f (fst i) + l * f (snd i))
                = k * dot (coupling_w c) (fun i => f (fst i)) + l * dot (coupling_w c) (fun i => f (snd i))).
    { intros k l. rewrite <- !dot_scale. unfold dot. rewrite <- sum_plus. apply sum_ext. intros. lra. }
    rewrite E.
    set (a := IZR (zover z s)) in *. set (b := IZR (zover z t)) in *. set (W1 := dot (coupling_w c) _) in *.
    set (W2 := dot (coupling_w c) (fun i => f (snd i))) in *. set (B := dot (coupling_b c) f) in *.
    set (X := dot (zrow z s) f) in *. set (Y := dot (zrow z t) f) in *.
    assert (PA : 0 < a) by (apply over_R; auto). assert (PB : 0 < b) by (apply over_R; auto).
    pose proof (IZR_pos r r_pos) as PR.
    apply (Rmult_le_reg_l (IZR r * a * b)); [apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; auto|].
    replace (IZR r * a * b * (IZR m * (X / a - alpha * (Y / b)))) with (IZR r * IZR m * b * X - IZR p * IZR m * a * Y)
      by (field; lra).
    replace (IZR r * a * b * (1 * W1 + - alpha * W2 + B)) with (IZR r * a * b * W1 - IZR p * a * b * W2 + IZR r * a * b * B)
      by (field; lra).
    lra.
  Qed.

  (** ** Costs *)

  Lemma cost_value : forall m c s t, check_coupling p r z m c s t = true ->
    positive_below (cost q z values c) /\
    value (cost q z values c) = w_sum c (fun i j => value (table i j)) + dot (coupling_b c) (fun _ => 1).
  Proof.
    intros m c s t H. unfold cost.
    set (terms := collect _ _).
    assert (P : Forall (fun e => 0 < fst e)%Z terms).
    { apply collect_forall; [apply z_compare_eq | auto |]. apply Forall_forall. intros e I.
      apply in_map_iff in I. destruct I as (k & <- & I). destruct (table_ok (fst (fst k)) (snd (fst k))) as [B _].
      destruct (upper_table q z values (fst (fst k)) (snd (fst k))). exact B. }
    assert (G : forall l x, Forall (fun e => 0 < fst e)%Z l -> positive_below x ->
      positive_below (fold_left (fun sum e => plus sum (snd e, fst e)) l x) /\
      value (fold_left (fun sum e => plus sum (snd e, fst e)) l x) = value x + dot l (fun k => / IZR k)).
    { induction l as [|[k n] l IH]; intros x L X; simpl; [rewrite dot_nil; split; auto; lra|].
      inversion L; subst. destruct (plus_value x (n, k)) as [A E]; auto.
      destruct (IH (plus x (n, k))) as [B F]; auto. split; auto. rewrite F, E, dot_cons.
      unfold value at 2. simpl. unfold Rdiv. lra. }
    destruct (G terms (fold_left (fun n e => n + snd e)%Z (coupling_b c) 0%Z, 1%Z)) as [A E]; auto.
    { unfold positive_below. simpl. lia. }
    split; auto. rewrite E, Rplus_comm. f_equal.
    - unfold terms. rewrite (dot_collect z_compare_eq). unfold w_sum, dot. rewrite sum_map. apply sum_ext.
      intros k I. unfold value. destruct (upper_table q z values (fst (fst k)) (snd (fst k))) as [x y]. simpl.
      rewrite mult_IZR. unfold Rdiv. ring.
    - rewrite <- total_dot. unfold value, total. simpl. unfold Rdiv. lra.
  Qed.

  (** The table, capped at 1. *)
  Definition bound : Spec.table := fun s t => Rmin 1 (value (table s t)).

  Lemma record_gain : forall u x y f, In u records -> In (x, y) (turns q (upper_s u) (upper_t u)) ->
    feasible (meaning z) alpha bound f -> gain (meaning z) alpha f x y <= value (upper_value u, upper_over u).
  Proof.
    intros u x y f U I [F D]. pose proof (record_checked u U) as C. unfold check_upper_record in C.
    rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le, PeanoNat.Nat.eqb_eq, turns_of_turns, forallb_forall in C.
    destruct C as [[[[M _] P] L] C]. apply is_pair_spec in P. destruct P as (S & T & E & _).
    assert (J : exists c, In ((x, y), c) (combine (turns q (upper_s u) (upper_t u)) (upper_couplings u))).
    { revert I L. generalize (turns q (upper_s u) (upper_t u)) (upper_couplings u).
      induction l as [|a l IH]; intros [|c m] I L; simpl in *; try tauto; try discriminate.
      destruct I as [-> | I]; [eauto|]. destruct (IH m I) as (c' & J); [lia | eauto]. }
    destruct J as (c & J). specialize (C _ J). cbn beta iota in C. apply andb_prop in C. destruct C as [C1 C2].
    assert (In x (zstates z) /\ In y (zstates z)) as [X Y].
    { destruct q; simpl in I; intuition congruence. }
    destruct (coupling_states _ _ _ _ C1) as [CW CB].
    pose proof (weak_duality _ _ _ _ f M C1 X Y F) as WD.
    destruct (cost_value _ _ _ _ C1) as [PB CV].
    apply at_most_value in C2; auto; [|unfold positive_below; simpl; lia].
    rewrite CV in C2. replace (value (upper_value u, 1%Z)) with (IZR (upper_value u)) in C2 by (unfold value; simpl; lra).
    assert (W : w_sum c (fun i j => f i - alpha * f j) <= w_sum c (fun i j => value (table i j))).
    { apply sum_le. intros e I'. destruct (CW e I') as (A & B & N). apply Rmult_le_compat_l; [apply IZR_le; auto|].
      eapply Rle_trans; [apply D; auto | apply Rmin_r]. }
    assert (B : dot (coupling_b c) f <= dot (coupling_b c) (fun _ => 1)).
    { apply sum_le. intros e I'. destruct (CB e I') as (A & N). apply Rmult_le_compat_l; [apply IZR_le; auto | apply F; auto]. }
    unfold value. simpl. pose proof (IZR_pos _ M). apply (Rmult_le_reg_l (IZR (upper_over u))); auto.
    replace (IZR (upper_over u) * (IZR (upper_value u) / IZR (upper_over u))) with (IZR (upper_value u)) by (field; lra).
    lra.
  Qed.

  Theorem bound_prefixed : prefixed q (meaning z) alpha bound.
  Proof.
    pose proof alpha_one as A. pose proof (meaning_valid z z_ok) as V. unfold bound. split.
    - intros s t _ _. split; [apply Rmin_glb; [lra | apply value_nonneg; apply table_ok] | apply Rmin_l].
    - intros s t _ _ N. simpl in N. unfold upper_table. rewrite (proj2 (PeanoNat.Nat.eqb_neq _ _)) by auto. simpl.
      rewrite value_one. apply Rmin_left. lra.
    - intros s t x y f S T E I F. simpl in E.
      destruct (turns_states q (meaning z) s t x y) as (X & Y & _); auto.
      apply Rmin_glb; [apply gain_le_1; auto; apply F|].
      destruct (PeanoNat.Nat.eq_dec s t) as [<- | N].
      + assert (x = s /\ y = s) as [-> ->] by (destruct q; simpl in I; intuition congruence).
        eapply Rle_trans; [apply gain_diagonal; auto; apply F | apply value_nonneg; apply table_ok].
      + destruct (table_entry s t N E) as [-> | (u & U & K & ->)].
        * rewrite value_one. apply gain_le_1; auto. apply F.
        * apply (record_gain u); auto. apply (turns_trans q _ _ s t); auto.
          pose proof (record_checked u U) as C. unfold check_upper_record in C. rewrite !andb_true_iff in C.
          destruct C as [[[_ P] _] _]. apply is_pair_spec in P.
          apply (key_turns q z); try tauto; auto.
  Qed.
End Upper.
