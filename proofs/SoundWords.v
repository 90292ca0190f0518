(** Words: what the program computes are the gains of events, so they are below every pre-fixed point. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Containers Trees Entries Document Checker Meaning Numbers SoundUpper.
Import ListNotations.
Open Scope R_scope.

Definition ind (E : Z -> bool) (u : Z) : R := if E u then 1 else 0.

(** A word as a number with the labels for digits. Nothing depends on whether different words have different numbers. *)
Fixpoint code_of (digits : Z) (u : list nat) : Z :=
  match u with
  | [] => 0
  | c :: rest => (Z.of_nat c * digits ^ Z.of_nat (length rest) + code_of digits rest)%Z
  end.

Section Words.
  Variables (q : quantity) (p r digits : Z) (z : zchain) (most : nat).
  Hypothesis z_ok : well_formed z.
  Hypothesis r_pos : (0 < r)%Z.
  Hypothesis alpha_1 : (r <= p)%Z.

  Notation alpha := (IZR p / IZR r).
  Notation c := (meaning z).
  Notation word_layers := (layers z digits 1 (fun _ => empty_word) most).

  (** The probability of the words whose numbers are in E. *)
  Definition prob (m i : nat) (E : Z -> bool) : R := after c m i (fun u => E (code_of digits u)).

  Definition dist_ok (m i : nat) (d : distribution) : Prop :=
    (0 < snd d)%Z /\ forall E, dot (fst d) (ind E) = IZR (snd d) * prob m i E.

  Lemma empty_ok : forall i, dist_ok 0 i empty_word.
  Proof.
    intros i. split; [simpl; lia|]. intros E. unfold prob. simpl. rewrite dot_cons, dot_nil. unfold ind.
    destruct (E 0%Z); lra.
  Qed.

  Lemma lcm_all : forall A (f : A -> Z) l n, (0 < n)%Z -> (forall x, In x l -> (0 < f x)%Z) ->
    let m := fold_left (fun k x => Z.lcm k (f x)) l n in
    (0 < m)%Z /\ (n | m)%Z /\ forall x, In x l -> (f x | m)%Z.
  Proof.
    intros A f. induction l as [|a l IH]; intros n N H; simpl.
    - split; auto. split; [apply Z.divide_refl | tauto].
    - destruct (lcm_parts n (f a)) as (P & _); auto; [apply H; simpl; auto|].
      destruct (IH (Z.lcm n (f a)) P) as (Q & D & R); [intros; apply H; simpl; auto|].
      split; auto. split; [eapply Z.divide_trans; [apply Z.divide_lcm_l | eauto]|].
      intros x [<- | I]; auto. eapply Z.divide_trans; [apply Z.divide_lcm_r | eauto].
  Qed.

  Lemma divided : forall d m, (0 < d)%Z -> (d | m)%Z -> (m / d * d = m)%Z.
  Proof. intros d m D H. rewrite Z.mul_comm. symmetry. apply Z_div_exact_full_2; [lia|]. apply Z.mod_divide; auto. lia. Qed.

  Lemma longer_ok : forall m below, (forall i, dist_ok m i (below i)) ->
    forall i, dist_ok (S m) i (longer z (digits ^ Z.of_nat m) below i).
  Proof.
    intros m below B i. unfold longer.
    set (parts := map (fun e => (e, below (fst e))) (zrow z i)).
    set (common := fold_left (fun l part => Z.lcm l (snd (snd part))) parts 1%Z).
    destruct (lcm_all _ (fun part : (nat * Z) * distribution => snd (snd part)) parts 1) as (P & _ & D); try lia.
    { intros x I. apply in_map_iff in I. destruct I as (e & <- & _). apply B. }
    change (fold_left _ parts 1%Z) with common in P, D. unfold dist_ok. cbn [fst snd]. split; [apply Z.mul_pos_pos; auto; apply z_ok|].
    intros E. rewrite (dot_merge_all z_compare_eq), sum_map.
    transitivity (sum parts (fun part => IZR common * (IZR (snd (fst part)) *
      after c m (fst (fst part)) (fun u => E (code_of digits (zlabel z (fst (fst part)) :: u)))))).
    { apply sum_ext. intros [[k x] [l n]] I. rewrite dot_map.
      pose proof (D _ I) as Dn. cbn [fst snd] in Dn.
      apply in_map_iff in I. destruct I as (e & Ee & _). injection Ee as -> Eb. cbn [fst] in Eb.
      destruct (B k) as [Pn Hn]. rewrite Eb in Pn, Hn. cbn [fst snd] in Pn, Hn.
      transitivity (IZR (x * (common / n)) * dot l (ind (fun u => E (Z.of_nat (zlabel z k) * digits ^ Z.of_nat m + u)%Z)));
        [reflexivity|].
      rewrite Hn, mult_IZR. cbn [fst snd]. unfold prob.
      rewrite (after_ext c m k (fun u => E (Z.of_nat (zlabel z k) * digits ^ Z.of_nat m + code_of digits u)%Z)
                 (fun u => E (code_of digits (zlabel z k :: u)))).
      - rewrite <- (divided n common) at 2 by auto. rewrite mult_IZR. ring.
      - intros u U. simpl. rewrite U. reflexivity. }
    unfold parts. rewrite sum_map. cbn [fst].
    unfold prob. cbn [after]. rewrite mult_IZR.
    rewrite (sum_ext _ (states c) _ (fun k => after c m k (fun u => E (code_of digits (label c k :: u))) * step c i k))
      by (intros; ring).
    change (states c) with (zstates z). rewrite mean_dot by auto.
    rewrite sum_scale. unfold dot. change (label c) with (zlabel z). pose proof (over_R z i z_ok). field. lra.
  Qed.

  Lemma layers_ok : forall k m current place, place = (digits ^ Z.of_nat m)%Z -> (forall i, dist_ok m i (current i)) ->
    forall n i, (n <= k)%nat -> dist_ok (m + n) i (nth n (layers z digits place current k) (fun _ => ([], 1%Z)) i).
  Proof.
    induction k; intros m current place -> C n i N; simpl.
    - replace n with 0%nat by lia. rewrite PeanoNat.Nat.add_0_r. auto.
    - destruct n; [rewrite PeanoNat.Nat.add_0_r; auto|].
      replace (m + S n)%nat with (S m + n)%nat by lia. apply IHk; [|intros; apply longer_ok; auto|lia].
      rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. reflexivity.
  Qed.

  Lemma layer_ok : forall m i, (m <= most)%nat -> dist_ok m i (layer word_layers m i).
  Proof. intros m i M. apply (layers_ok most 0 (fun _ => empty_word) 1); auto. apply empty_ok. Qed.

  (** ** Gains *)

  Lemma excess_ok : forall m i j, (m <= most)%nat ->
    (0 < snd (excess p r word_layers m i j))%Z /\
    forall E, dot (fst (excess p r word_layers m i j)) (ind E)
              = IZR (snd (excess p r word_layers m i j)) * (prob m i E - alpha * prob m j E).
  Proof.
    intros m i j M. destruct (layer_ok m i M) as [A HA]. destruct (layer_ok m j M) as [B HB]. unfold excess.
    destruct (layer word_layers m i) as [x a]. destruct (layer word_layers m j) as [y b]. cbn [fst snd] in *.
    destruct (lcm_parts a b A B) as (L & EA & EB). split; [apply Z.mul_pos_pos; auto|].
    intros E. rewrite (dot_merge z_compare_eq).
    rewrite (dot_map _ _ x (fun u => u)), (dot_map _ _ y (fun u => u)).
    change (fun i0 => ind E i0) with (ind E). rewrite HA, HB, opp_IZR, !mult_IZR.
    rewrite <- EA at 3. rewrite mult_IZR. pose proof (IZR_pos r r_pos) as R.
    assert (X : IZR (Z.lcm a b / a) * IZR a = IZR (Z.lcm a b / b) * IZR b) by (rewrite <- !mult_IZR; f_equal; lia).
    replace (IZR r * (IZR (Z.lcm a b / a) * IZR a) * (prob m i E - IZR p / IZR r * prob m j E))
      with (IZR r * (IZR (Z.lcm a b / a) * IZR a) * prob m i E - IZR p * (IZR (Z.lcm a b / a) * IZR a) * prob m j E)
      by (field; lra).
    rewrite X at 2. ring.
  Qed.

  Lemma gain_event : forall m i j, (m <= most)%nat ->
    positive_below (word_gain p r word_layers m i j) /\ (0 <= fst (word_gain p r word_layers m i j))%Z /\
    exists E, value (word_gain p r word_layers m i j) = 0 \/
              value (word_gain p r word_layers m i j) = prob m i E - alpha * prob m j E.
  Proof.
    intros m i j M. destruct (excess_ok m i j M) as [P H]. unfold word_gain.
    destruct (excess p r word_layers m i j) as [l n]. cbn [fst snd] in *.
    destruct (increasing l) eqn:I.
    - split; auto. split.
      { clear. cbn [fst]. induction l as [|e l IH]; [simpl; lia|].
        change (positive_sum (e :: l)) with (Z.max 0 (snd e) + positive_sum l)%Z. lia. }
      exists (positive_at l). right. unfold value. cbn [fst snd]. rewrite (positive_sum_dot l I).
      change (fun k => if positive_at l k then 1 else 0) with (ind (positive_at l)). rewrite H.
      pose proof (IZR_pos n P). pose proof (IZR_pos r r_pos). field. lra.
    - unfold positive_below. simpl. split; [lia|]. split; [lia|]. exists (fun _ => true). left. apply value_zero.
  Qed.

  Lemma favour_complete : forall m i j E, (m <= most)%nat -> 0 < prob m i E - alpha * prob m j E ->
    favour p r word_layers i j m = true.
  Proof.
    intros m i j E M G. unfold favour. destruct (excess_ok m i j M) as [P H]. specialize (H E).
    destruct (existsb _ _) eqn:X; auto. exfalso.
    assert (L : dot (fst (excess p r word_layers m i j)) (ind E) <= 0); [|rewrite H in L].
    { apply Ropp_le_cancel. rewrite Ropp_0. unfold dot.
      replace (- sum _ _) with (sum (fst (excess p r word_layers m i j)) (fun e => - IZR (snd e) * ind E (fst e))).
      2:{ rewrite <- (Rmult_1_l (sum _ (fun e => IZR (snd e) * _))), <- Ropp_mult_distr_l_reverse, <- sum_scale.
          apply sum_ext. intros. ring. }
      apply sum_pos. intros e I. apply Rmult_le_pos; [|unfold ind; destruct (E _); lra].
      rewrite <- opp_IZR. apply IZR_le. destruct (Z.ltb_spec 0 (snd e)); [|lia]. exfalso.
      rewrite <- Bool.not_true_iff_false in X. apply X. apply existsb_exists. exists e. split; auto.
      apply Z.ltb_lt. auto. }
    apply IZR_pos in P. assert (0 < IZR (snd (excess p r word_layers m i j)) * (prob m i E - alpha * prob m j E)); [|lra].
    apply Rmult_lt_0_compat; auto.
  Qed.

  Lemma favour_nothing : forall i j, favour p r word_layers i j 0 = false.
  Proof.
    intros i j. unfold favour, excess, layer.
    replace (nth 0 word_layers (fun _ => ([], 1%Z))) with (fun _ : nat => empty_word) by (destruct most; reflexivity).
    unfold empty_word. cbn [fst snd map]. change (Z.lcm 1 1) with 1%Z. change (1 / 1)%Z with 1%Z.
    unfold merge. simpl Z.compare. cbn [existsb snd]. apply orb_false_intro; auto. apply Z.ltb_ge. lia.
  Qed.

  (** ** The shortest words that tell two states apart *)

  Lemma find_first : forall (f : nat -> bool) n from k, List.find f (seq from n) = Some k ->
    (from <= k < from + n)%nat.
  Proof.
    intros f n from k H. apply find_some in H. destruct H as [H _]. apply in_seq in H. auto.
  Qed.

  Lemma find_least : forall (f : nat -> bool) n from k, f k = true -> (from <= k < from + n)%nat ->
    exists l, List.find f (seq from n) = Some l /\ (l <= k)%nat.
  Proof.
    intros f. induction n; intros from k F K; [lia|]. simpl. destruct (f from) eqn:E; [exists from; split; auto; lia|].
    apply (IHn (S from) k F). destruct (PeanoNat.Nat.eq_dec from k); [congruence | lia].
  Qed.

  (** Where an event of the next m labels, given in full, tells more than 0. *)
  Lemma told : forall m n i j E, (m <= n)%nat -> (n <= most)%nat -> 0 < prob m i E - alpha * prob m j E ->
    exists l, shortest q p r word_layers n i j = Some l /\ (l <= m)%nat.
  Proof.
    intros m n i j E M N G. apply find_least.
    - unfold tell. rewrite (favour_complete m i j E); auto. lia.
    - destruct m; [|lia]. pose proof (favour_complete 0 i j E (PeanoNat.Nat.le_0_l _) G) as F.
      rewrite favour_nothing in F. discriminate.
  Qed.

  (** ** The base table is below every pre-fixed point *)

  Lemma alpha_1R : 1 <= alpha.
  Proof.
    replace 1 with (1 / 1) by lra. apply div_le; try lra; [apply IZR_pos; auto|]. apply IZR_le in alpha_1. lra.
  Qed.

  Lemma prob_below : forall v, prefixed q c alpha v -> forall m s t x y E, In s (zstates z) -> In t (zstates z) ->
    zlabel z s = zlabel z t -> In (x, y) (turns q s t) -> prob m x E - alpha * prob m y E <= v s t.
  Proof.
    intros v V m s t x y E S T L I.
    apply (words_below c alpha (meaning_valid z z_ok) alpha_1R q v V m s t x y); auto.
  Qed.

  Lemma word_gain_below : forall v, prefixed q c alpha v -> forall s t x y, In s (zstates z) -> In t (zstates z) ->
    zlabel z s = zlabel z t -> In (x, y) (turns q s t) -> value (word_gain p r word_layers most x y) <= v s t.
  Proof.
    intros v V s t x y S T L I. destruct (gain_event most x y) as (_ & _ & E & H); auto.
    destruct H as [-> | ->]; [apply V; auto | apply (prob_below v V); auto].
  Qed.

  Lemma larger_or : forall x y, larger x y = x \/ larger x y = y.
  Proof. intros. unfold larger. destruct (less x y); auto. Qed.

  Lemma base_below : forall v, prefixed q c alpha v -> forall s t, In s (zstates z) -> In t (zstates z) ->
    zlabel z s = zlabel z t -> value (base q p r word_layers most s t) <= v s t.
  Proof.
    intros v V s t is_s is_t L. unfold base.
    assert (Z : value (0, 1)%Z <= v s t) by (rewrite value_zero; apply V; auto).
    assert (G : forall x y, In (x, y) (turns q s t) -> value (word_gain p r word_layers most x y) <= v s t)
      by (intros; apply (word_gain_below v V s t); auto).
    destruct most as [|k]; auto. revert G. generalize (layers z digits 1 (fun _ => empty_word) (S k)). intros wl G.
    clear V. destruct q; simpl turns in G.
    - destruct (larger_or (word_gain p r wl (S k) s t) (word_gain p r wl (S k) t s)) as [-> | ->]; apply G; simpl; auto.
    - apply G. simpl. auto.
  Qed.

  Lemma base_ok : forall s t, positive_below (base q p r word_layers most s t) /\
    (0 <= fst (base q p r word_layers most s t))%Z.
  Proof.
    intros s t. unfold base.
    assert (G : forall x y, positive_below (word_gain p r word_layers most x y) /\
                            (0 <= fst (word_gain p r word_layers most x y))%Z)
      by (intros; destruct (gain_event most x y) as (? & ? & _); auto).
    destruct most as [|k]; [unfold positive_below; simpl; lia|]. revert G.
    generalize (layers z digits 1 (fun _ => empty_word) (S k)). intros wl G.
    destruct q; auto.
    destruct (larger_or (word_gain p r wl (S k) s t) (word_gain p r wl (S k) t s)) as [-> | ->]; auto.
  Qed.
End Words.
