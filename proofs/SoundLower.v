(** Lower bounds: what stages enter is below every pre-fixed point. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Lower Containers Trees Entries Document Checker Meaning Numbers
  SoundUpper SoundWords.
Import ListNotations.
Open Scope R_scope.

Lemma find_group : forall label l s, In s l ->
  exists g, find (label s) (group_of label l) = Some g /\ fst g = label s /\ In s (snd g).
Proof.
  intros label l s I. unfold group_of.
  assert (H : forall m, (forall k g, find k m = Some g -> fst g = k) -> In s l \/ In s (group m (label s)) ->
    exists g, find (label s) (fold_left (fun m s => Trees.add (label s) (label s, s :: group m (label s)) m) l m) = Some g /\
              fst g = label s /\ In s (snd g)).
  { clear I. induction l as [|a l IH]; intros m K I; simpl.
    - destruct I as [[] | I]. unfold group in I. destruct (find (label s) m) as [g|] eqn:E; [eauto | destruct I].
    - apply IH.
      + intros k g. rewrite find_add. destruct (Nat.eqb_spec k (label a)) as [-> |]; auto.
        intros E. inversion E. auto.
      + destruct I as [[-> | I] | I]; auto; right.
        * unfold group at 1. rewrite find_add, Nat.eqb_refl. simpl. auto.
        * unfold group at 1. rewrite find_add. destruct (Nat.eqb_spec (label s) (label a)) as [E |]; auto.
          simpl. right. rewrite <- E. auto. }
  apply (H empty); auto. intros k g. rewrite find_empty. discriminate.
Qed.

Lemma weighted_dot : forall f l, IZR (weighted f l) = dot l (fun i => IZR (f i)).
Proof.
  intros f l. unfold weighted.
  assert (H : forall n, IZR (fold_left (fun n e => n + snd e * f (fst e))%Z l n) = IZR n + dot l (fun i => IZR (f i))).
  { induction l as [|[k x] l IH]; intros n; simpl; [rewrite dot_nil; lra|].
    rewrite IH, dot_cons, plus_IZR, mult_IZR. simpl. lra. }
  rewrite H. simpl. lra.
Qed.

Lemma all_some_spec : forall A (l : list (option A)) xs, all_some l = Some xs ->
  (forall x, In x xs -> In (Some x) l) /\ (forall o, In o l -> exists x, o = Some x /\ In x xs).
Proof.
  induction l as [|[a|] l IH]; simpl; intros xs H; [inversion H; subst; simpl; tauto| |discriminate].
  destruct (all_some l) as [ys|] eqn:E; [|discriminate]. inversion H; subst. destruct (IH ys eq_refl) as [P Q].
  split; [intros x [-> | I]; auto|]. intros o [<- | I]; [exists a; simpl; auto|].
  destruct (Q o I) as (x & -> & J). exists x. simpl. auto.
Qed.

Section Lower.
  Variables (q : quantity) (p r digits : Z) (z : zchain) (clock words : nat) (v : Spec.table).
  Hypothesis z_ok : well_formed z.
  Hypothesis r_pos : (0 < r)%Z.
  Hypothesis alpha_1 : (r <= p)%Z.

  Notation alpha := (IZR p / IZR r).
  Notation c := (meaning z).
  Notation state s := (In s (zstates z)).
  Notation word_layers := (layers z digits 1 (fun _ => empty_word) words).
  Notation groups := (group_of (zlabel z) (zstates z)).
  Notation base_table := (memo2 (zsize z) (base q p r word_layers words)).
  Notation known := (known q z base_table).
  Notation evaluate := (evaluate z clock).

  Hypothesis v_prefixed : prefixed q c alpha v.

  (** A table of numbers for different states of one label, as a table for all states. *)
  Definition table_of (d : nat -> nat -> number) : Spec.table := fun i j =>
    if Nat.eqb (zlabel z i) (zlabel z j) then if Nat.eqb i j then 0 else value (d i j) else 1.

  Definition numbers_ok (d : nat -> nat -> number) : Prop := forall i j, positive_below (d i j) /\ (0 <= fst (d i j))%Z.

  Lemma table_below : forall d, (forall i j, state i -> state j -> zlabel z i = zlabel z j -> i <> j -> value (d i j) <= v i j) ->
    forall i j, state i -> state j -> table_of d i j <= v i j.
  Proof.
    intros d H i j I J. unfold table_of.
    destruct (Nat.eqb_spec (zlabel z i) (zlabel z j)); [|rewrite (prefixed_labels v_prefixed); auto; lra].
    destruct (Nat.eqb_spec i j); auto. apply v_prefixed; auto.
  Qed.

  (** ** Functions *)

  Definition real (f : evaluated) (i : nat) : R := IZR (value_at f i) / IZR (f_over (raw f)).

  Lemma range_over : forall f, in_range f = true -> (0 < f_over f)%Z.
  Proof. intros f H. unfold in_range in H. rewrite !andb_true_iff, Z.ltb_lt in H. tauto. Qed.

  Lemma range_value : forall f i, in_range f = true -> (0 <= value_at (evaluate f) i <= f_over f)%Z.
  Proof.
    intros f i H. pose proof (range_over f H) as P. unfold in_range in H. rewrite !andb_true_iff, !forallb_forall in H.
    destruct H as [[_ N] R]. simpl. destruct (spread _ _ i) as [x|] eqn:E.
    - apply spread_in in E. specialize (N _ E). rewrite andb_true_iff, !Z.leb_le in N. auto.
    - unfold rest_of. pose proof (find_fold Z _ (fun e => fine clock (fst (fst e)) (snd (fst e))) snd (zlabel z i) (f_rest f) empty) as F.
      destruct F as [(b & I & _ & ->) | [_ ->]]; [|simpl; lia].
      specialize (R _ I). rewrite andb_true_iff, !Z.leb_le in R. auto.
  Qed.

  Lemma real_01 : forall f i, in_range f = true -> 0 <= real (evaluate f) i <= 1.
  Proof.
    intros f i H. pose proof (range_over f H) as P. apply IZR_pos in P.
    destruct (range_value f i H) as [A B]. apply IZR_le in A, B. unfold real. simpl raw. split.
    - apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto.
    - apply (Rmult_le_reg_r (IZR (f_over f))); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  Lemma allowed_real : forall d f i j, in_range f = true -> numbers_ok d ->
    allowed d (r * f_over f) (r * value_at (evaluate f) i) (p * value_at (evaluate f) j) i j = true ->
    real (evaluate f) i - alpha * real (evaluate f) j <= value (d i j).
  Proof.
    intros d f i j H D A. pose proof (range_over f H) as P. apply IZR_pos in P. pose proof (IZR_pos r r_pos) as R.
    destruct (D i j) as [DP DN]. unfold real. simpl raw. set (x := value_at _ i) in *. set (y := value_at _ j) in *.
    replace (IZR x / IZR (f_over f) - alpha * (IZR y / IZR (f_over f)))
      with ((IZR r * IZR x - IZR p * IZR y) / (IZR r * IZR (f_over f))) by (field; lra).
    assert (Q : 0 < IZR r * IZR (f_over f)) by (apply Rmult_lt_0_compat; auto).
    unfold allowed in A. apply orb_prop in A. destruct A as [A | A].
    - apply Z.leb_le, IZR_le in A. rewrite !mult_IZR in A. apply Rle_trans with 0; [|apply value_nonneg; auto].
      unfold Rdiv. apply (Rmult_le_reg_r (IZR r * IZR (f_over f))); auto. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - destruct (d i j) as [a b]. unfold positive_below in DP. simpl in DP. apply IZR_pos in DP.
      apply Z.leb_le, IZR_le in A. rewrite !mult_IZR, minus_IZR, !mult_IZR in A. unfold value. simpl.
      apply div_le; auto; lra.
  Qed.

  Lemma fits_feasible : forall d f, in_range f = true -> numbers_ok d -> fits p r z groups d (evaluate f) = true ->
    feasible c alpha (table_of d) (real (evaluate f)).
  Proof.
    intros d f H D F. pose proof (alpha_1R p r r_pos alpha_1) as A. split; [intros; apply real_01; auto|].
    intros i j I J. pose proof (real_01 f i H). pose proof (real_01 f j H).
    assert (0 <= alpha * real (evaluate f) j) by (apply Rmult_le_pos; lra).
    unfold table_of. destruct (Nat.eqb_spec (zlabel z i) (zlabel z j)) as [E |]; [|lra].
    assert (1 * real (evaluate f) j <= alpha * real (evaluate f) j) by (apply Rmult_le_compat_r; lra).
    destruct (Nat.eqb_spec i j) as [<- | N]; [lra|].
    unfold fits in F. rewrite forallb_forall in F.
    assert (G : forall a b, state b -> zlabel z a = zlabel z b -> In a (map fst (f_named f)) ->
      allowed d (r * f_over f) (r * value_at (evaluate f) a) (p * value_at (evaluate f) b) a b = true /\
      allowed d (r * f_over f) (r * value_at (evaluate f) b) (p * value_at (evaluate f) a) b a = true).
    { intros a b SB L IN. destruct (find_group (zlabel z) _ a IN) as (g & FG & K & MG).
      specialize (F g (find_values _ _ _ _ FG)). rewrite forallb_forall in F. specialize (F a MG).
      cbn beta iota zeta in F. rewrite forallb_forall in F. apply andb_prop.
      apply (F (b, ((r * value_at (evaluate f) b)%Z, (p * value_at (evaluate f) b)%Z))).
      apply in_map_iff. exists b. split; auto. rewrite K, L. unfold group.
      destruct (find_group (zlabel z) (zstates z) b SB) as (g' & -> & _ & MG'). auto. }
    assert (W : forall a, spread (zsize z) (f_named f) a <> None -> In a (map fst (f_named f))).
    { intros a S. destruct (spread (zsize z) (f_named f) a) as [x|] eqn:X; [|tauto].
      apply spread_in in X. apply (in_map fst) in X. auto. }
    destruct (spread (zsize z) (f_named f) i) as [x|] eqn:SI.
    - apply allowed_real; auto. apply (G i j); auto. apply W. congruence.
    - destruct (spread (zsize z) (f_named f) j) as [y|] eqn:SJ.
      + apply allowed_real; auto. apply (G j i); auto. apply W. congruence.
      + assert (X : real (evaluate f) i = real (evaluate f) j).
        { unfold real. simpl. rewrite SI, SJ, E. auto. }
        destruct (D i j) as [DP DN]. pose proof (value_nonneg _ DP DN). lra.
  Qed.

  Lemma objective_gain : forall f s t, (0 < f_over f)%Z ->
    positive_below (objective p r z (evaluate f) s t) /\
    value (objective p r z (evaluate f) s t) = IZR (f_over f) * gain c alpha (real (evaluate f)) s t.
  Proof.
    intros f s t M. pose proof (over_pos z z_ok s) as S. pose proof (over_pos z z_ok t) as T.
    unfold objective, positive_below, value. cbn [fst snd]. split; [repeat apply Z.mul_pos_pos; auto|].
    rewrite gain_split. change (states c) with (zstates z). rewrite !mean_dot by auto.
    assert (H : forall s, IZR (row_sum (evaluate f) s) = IZR (f_over f) * dot (zrow z s) (real (evaluate f))).
    { intros x. change (row_sum (evaluate f) x) with (weighted (value_at (evaluate f)) (zrow z x)).
      rewrite weighted_dot, <- dot_scale. apply dot_ext. intros e _. unfold real. simpl raw.
      apply IZR_pos in M. field. lra. }
    rewrite minus_IZR, !mult_IZR, !H. apply IZR_pos in S, T. pose proof (IZR_pos r r_pos). field. lra.
  Qed.

  (** ** What is known *)

  Definition entered_ok (entered : tree number) : Prop := forall k x, find k entered = Some x ->
    positive_below x /\ (0 <= fst x)%Z /\
    forall i j, state i -> state j -> zlabel z i = zlabel z j -> key q z i j = k -> value x <= v i j.

  Lemma known_numbers : forall entered, (forall k x, find k entered = Some x -> positive_below x /\ (0 <= fst x)%Z) ->
    numbers_ok (known entered).
  Proof.
    intros entered H i j. unfold Checker.known. destruct (find (key q z i j) entered) as [x|] eqn:E; [eauto|].
    apply (base_ok q p r digits z words z_ok r_pos).
  Qed.

  Lemma known_below : forall entered, entered_ok entered -> forall i j, state i -> state j -> zlabel z i = zlabel z j ->
    value (known entered i j) <= v i j.
  Proof.
    intros entered H i j I J L. unfold Checker.known. destruct (find (key q z i j) entered) as [x|] eqn:E.
    - apply (H _ _ E); auto.
    - apply base_below; auto.
  Qed.

  Section Stage.
    Variables (fs gs : list function) (entered : tree number).
    Hypothesis entered_fine : entered_ok entered.
    Hypothesis functions_fine : forall f, In f fs -> check_function z f = true.

    Notation new := (new_pairs q z entered fs).
    Notation entered' := (enter q z new entered).

    Hypothesis objectives_fine : forall f, In f fs -> check_objectives p r z (evaluate f) = true.

    (** A leader is an entry of a function. *)
    Definition from_function (l : leader) : Prop :=
      exists f x, In f fs /\ In ((leader_s l, leader_t l), x) (f_pairs f) /\ leader_value l = (x, f_over f).

    Lemma leaders_from : forall l, In l new -> from_function l.
    Proof.
      intros l I. apply filter_In in I. destruct I as [I _]. revert l I. unfold leaders.
      assert (H : forall part m, (forall f, In f part -> In f fs) -> (forall l, In l (values m) -> from_function l) ->
        forall l, In l (values (fold_left (lead q z) part m)) -> from_function l).
      { induction part as [|f part IH]; intros m S M; simpl; auto. apply IH; [intros; apply S; simpl; auto|].
        assert (F : In f fs) by (apply S; simpl; auto). clear IH S part.
        assert (P : forall e, In e (f_pairs f) -> In e (f_pairs f)) by auto. unfold lead.
        revert m M P. generalize (f_pairs f) at 1 3. induction l as [|[[s t] x] l IH]; intros m M P; simpl; auto.
        apply IH; [|intros; apply P; simpl; auto].
        set (new_leader := {| leader_value := (x, f_over f); leader_s := s; leader_t := t |}).
        assert (A : forall l, In l (values (Trees.add (key q z s t) new_leader m)) -> from_function l).
        { intros l' I. apply values_add in I. destruct I as [-> | I]; auto.
          exists f, x. split; auto. split; auto. apply P. simpl. auto. }
        destruct (find (key q z s t) m) as [first|]; auto. destruct (less _ _); auto. }
      apply (H fs empty); auto. intros l [].
    Qed.

    Lemma leader_pair : forall l, In l new ->
      state (leader_s l) /\ state (leader_t l) /\ zlabel z (leader_s l) = zlabel z (leader_t l) /\ leader_s l <> leader_t l.
    Proof.
      intros l I. destruct (leaders_from l I) as (f & x & F & E & _).
      pose proof (functions_fine f F) as C. unfold check_function in C. rewrite !andb_true_iff, !forallb_forall in C.
      destruct C as [_ C]. specialize (C _ E). apply is_pair_spec in C. auto.
    Qed.

    Lemma leader_function : forall l, In l new -> exists f, In f fs /\ in_range f = true /\
      positive_below (leader_value l) /\ (0 <= fst (leader_value l))%Z /\
      value (leader_value l) <= gain c alpha (real (evaluate f)) (leader_s l) (leader_t l).
    Proof.
      intros l I. destruct (leaders_from l I) as (f & x & F & E & V). exists f. split; auto.
      pose proof (functions_fine f F) as C. unfold check_function in C. rewrite !andb_true_iff in C.
      destruct C as [[C _] _]. split; auto. pose proof (range_over f C) as M.
      pose proof (objectives_fine f F) as O. unfold check_objectives in O. rewrite forallb_forall in O.
      specialize (O _ E). cbn beta iota in O. rewrite !andb_true_iff, !Z.leb_le in O. destruct O as [[O1 _] O2].
      rewrite V. split; [exact M|]. split; [exact O1|].
      destruct (objective_gain f (leader_s l) (leader_t l) M) as [OP OV].
      apply at_most_value in O2; auto; [|unfold positive_below; simpl; lia]. rewrite OV in O2.
      unfold value in *. simpl fst in *. simpl snd in *. apply IZR_pos in M.
      apply (Rmult_le_reg_l (IZR (f_over f))); auto.
      replace (IZR (f_over f) * (IZR x / IZR (f_over f))) with (IZR x / 1) by (field; lra). auto.
    Qed.

    (** What a pair has after the stage. *)
    Lemma find_entered : forall k,
      (exists l, In l new /\ key q z (leader_s l) (leader_t l) = k /\ find k entered' = Some (leader_value l)) \/
      ((forall l, In l new -> key q z (leader_s l) (leader_t l) <> k) /\ find k entered' = find k entered).
    Proof.
      intros k. exact (find_fold number _ (fun l => key q z (leader_s l) (leader_t l)) leader_value k new entered).
    Qed.

    Lemma entered_numbers : forall k x, find k entered' = Some x -> positive_below x /\ (0 <= fst x)%Z.
    Proof.
      intros k x E. destruct (find_entered k) as [(l & I & _ & F) | [_ F]]; rewrite F in E.
      - inversion E; subst. destruct (leader_function l I) as (f & _ & _ & P & N & _). auto.
      - destruct (entered_fine k x E) as (P & N & _). auto.
    Qed.

    Lemma entered_stage :
      (forall l i j, In l new -> state i -> state j -> zlabel z i = zlabel z j ->
         key q z (leader_s l) (leader_t l) = key q z i j -> find (key q z i j) entered' = Some (leader_value l) ->
         value (leader_value l) <= v i j) ->
      entered_ok entered'.
    Proof.
      intros H k x E. destruct (entered_numbers k x E) as [P N]. split; auto. split; auto.
      intros i j I J L K. destruct (find_entered k) as [(l & M & KL & F) | [_ F]].
      - subst k. rewrite F in E. inversion E; subst. apply H; auto.
      - rewrite F in E. apply (entered_fine k x E); auto.
    Qed.

    (** Directions in which a leader is one for a pair. *)
    Lemma leader_turns : forall l i j, In l new -> state i -> state j ->
      key q z (leader_s l) (leader_t l) = key q z i j -> In (leader_s l, leader_t l) (turns q i j).
    Proof.
      intros l i j I SI SJ K. destruct (leader_pair l I) as (S & T & _). apply (key_turns q z); auto.
    Qed.

    Theorem plain_stage : (forall f, In f fs -> fits p r z groups (known entered) (evaluate f) = true) -> entered_ok entered'.
    Proof.
      intros F. apply entered_stage. intros l i j I SI SJ L K _.
      destruct (leader_function l I) as (f & IF & R & _ & _ & G). eapply Rle_trans; [apply G|].
      apply (plain q c alpha v v_prefixed (table_of (known entered))); auto.
      - apply table_below. intros. apply known_below; auto.
      - apply fits_feasible; auto. apply known_numbers. intros k x E. destruct (entered_fine k x E) as (? & ? & _). auto.
      - apply leader_turns; auto.
    Qed.

    (** *** Circular stages *)

    Notation alpha_1R' := (alpha_1R p r r_pos alpha_1).

    Section Circular.
      Hypothesis fits_L : forall f, In f fs -> fits p r z groups (known entered') (evaluate f) = true.
      Hypothesis consistent : forall l, In l new ->
        at_most (known entered' (leader_s l) (leader_t l)) (leader_value l) = true.
      Hypothesis ranges : forall g, In g gs -> in_range g = true.
      Hypothesis escapes : check_escapes q p r z word_layers groups base_table words (map evaluate gs) entered new = true.

      Lemma shortest_sym : forall n i j k l, In (i, j) (turns q k l) ->
        shortest q p r word_layers n i j = shortest q p r word_layers n k l.
      Proof.
        intros n i j k l I. unfold shortest. f_equal.
        enough (H : forall m, tell q p r word_layers i j m = tell q p r word_layers k l m).
        { apply FunctionalExtensionality.functional_extensionality. exact H. }
        intros m. unfold tell, symmetric. destruct q; simpl in I.
        - destruct I as [I | [I | []]]; inversion I; subst; auto. simpl. apply orb_comm.
        - destruct I as [I | []]; inversion I; subst; auto.
      Qed.

      Lemma listings_from : forall k x, find k (listings z (map evaluate gs)) = Some x -> In (snd x) (map evaluate gs).
      Proof.
        unfold listings.
        assert (H : forall part n m, (forall g, In g part -> In g (map evaluate gs)) ->
          (forall k x, find k m = Some x -> In (snd x) (map evaluate gs)) ->
          forall k x, find k (snd (fold_left (fun a g => let '(k, m) := a in
             (S k, fold_left (fun m e => let c := code z (fst (fst e)) (snd (fst e)) in
                                if mem c m then m else Trees.add c (k, g) m) (f_pairs (raw g)) m)) part (n, m))) = Some x ->
          In (snd x) (map evaluate gs)).
        { induction part as [|g part IH]; intros n m P M; simpl; auto. apply IH; [intros; apply P; simpl; auto|].
          assert (G : In g (map evaluate gs)) by (apply P; simpl; auto). clear IH P part. revert m M.
          induction (f_pairs (raw g)) as [|e l IH]; intros m M; simpl; auto. apply IH.
          destruct (mem _ m); auto. intros k x. rewrite find_add. destruct (k =? _)%nat; [|apply M].
          intros E. inversion E; subst. auto. }
        apply H; auto. intros k x E. discriminate.
      Qed.

      Lemma longest_word_ge : forall l e k, In e l -> ranked_escape e = inr k -> (k <= longest_word l)%nat.
      Proof.
        intros l e k I E. unfold longest_word.
        set (f := fun m e => match ranked_escape e with inr k => Nat.max m k | inl _ => m end).
        assert (M : forall part m, (m <= fold_left f part m)%nat).
        { induction part as [|a part IH]; intros m; simpl; auto. specialize (IH (f m a)).
          assert (m <= f m a)%nat by (unfold f; destruct (ranked_escape a); lia). lia. }
        generalize 0%nat. induction l as [|a l IH]; intros m; [destruct I|]. simpl. destruct I as [-> | I]; [|apply IH; auto].
        specialize (M l (f m e)). assert (k <= f m e)%nat by (unfold f; rewrite E; lia). lia.
      Qed.

      (** What the check of the escapes finds: a list of the new pairs with their ranks and reasons. *)
      Definition reason_ok (rank : tree Z) (told : list (nat * Z)) (n : nat) (e : ranked) : Prop :=
        In (ranked_leader e) new /\ (0 < ranked_rank e)%Z /\
        match ranked_escape e with
        | inl g => exists f, g = evaluate f /\ In f gs /\ ranked_rank e = f_rank f /\
            (0 < fst (objective p r z g (leader_s (ranked_leader e)) (leader_t (ranked_leader e))))%Z /\
            fits p r z groups (reached q z base_table entered rank (f_rank f)) g = true
        | inr k => (0 < k <= words)%nat /\ (k <= n)%nat /\
            (0 < fst (word_gain p r word_layers k (leader_s (ranked_leader e)) (leader_t (ranked_leader e))))%Z /\
            forall m x, In (m, x) told -> (m < k)%nat -> (x < ranked_rank e)%Z
        end.

      Lemma escapes_found : exists l n, (n <= words)%nat /\
        (forall a, In a new -> exists e, In e l /\ ranked_leader e = a) /\
        (forall e, In e l -> reason_ok (rank_table q z l) (told_apart_by q p r word_layers n l) n e).
      Proof.
        unfold check_escapes in escapes.
        destruct (all_some _) as [found|] eqn:AS; [|discriminate].
        apply all_some_spec in AS. destruct AS as [A1 A2].
        set (l := rank_all q p r word_layers found) in *. set (n := longest_word l) in *.
        cbn zeta in escapes. apply andb_prop in escapes. destruct escapes as [G C]. rewrite forallb_forall in G, C.
        assert (RA : forall e, In e l -> In (ranked_leader e, ranked_escape e) found /\
          match ranked_escape e with inl g => ranked_rank e = f_rank (raw g) | inr _ => True end).
        { intros e I. unfold l, rank_all in I. apply in_map_iff in I. destruct I as ((a & b) & <- & I). simpl.
          split; auto. destruct b; auto. }
        assert (FA : forall a b, In (a, b) found -> In a new /\
          match b with inl g => In g (map evaluate gs) | inr k => (0 < k <= words)%nat end).
        { intros a b I. apply A1, in_map_iff in I. destruct I as (a' & E & I). unfold escape_or_length in E.
          destruct (listing_of q z _ a') eqn:LE; [|inversion E; subst; split; auto|discriminate].
          - destruct (shortest q p r word_layers words (leader_s a') (leader_t a')) as [k|] eqn:SH; [|discriminate].
            inversion E; subst. split; auto. apply find_first in SH. lia.
          - unfold listing_of in LE. destruct (find (code z (leader_s a) (leader_t a)) _) as [[k g']|] eqn:F1.
            + apply listings_from in F1. simpl in F1.
              destruct (if symmetric q then _ else _) as [[k' g'']|]; [destruct (k <=? k')%nat|]; inversion LE; subst; auto.
            + destruct (if symmetric q then _ else _) as [[k' g'']|]; discriminate. }
        exists l, n. split; [|split].
        - unfold n, longest_word. assert (H : forall part m, (forall e, In e part -> In e l) -> (m <= words)%nat ->
            (fold_left (fun m e => match ranked_escape e with inr k => Nat.max m k | inl _ => m end) part m <= words)%nat).
          { induction part as [|e part IH]; intros m P M; simpl; auto. apply IH; [intros; apply P; simpl; auto|].
            destruct (RA e) as [I _]; [apply P; simpl; auto|]. apply FA in I. destruct I as [_ I].
            destruct (ranked_escape e); auto. lia. }
          apply H; auto. lia.
        - intros a I. destruct (A2 (escape_or_length q p r z word_layers words (listings z (map evaluate gs)) a)) as ((a' & b) & E & J).
          + apply in_map. auto.
          + assert (a' = a) as ->.
            { unfold escape_or_length in E. destruct (listing_of _ _ _ _); [destruct (shortest _ _ _ _ _ _ _)| |];
                inversion E; auto. }
            eexists. split; [apply (in_map _ _ _ J) | reflexivity].
        - intros e I. destruct (RA e I) as [J K]. specialize (C e I). destruct (FA _ _ J) as [N M].
          unfold check_ranked in C. apply andb_prop in C. destruct C as [C1 C2]. apply Z.ltb_lt in C1.
          split; auto. split; auto. destruct (ranked_escape e) as [g | k] eqn:X.
          + apply in_map_iff in M. destruct M as (f & <- & M). exists f. simpl raw in K. apply Z.ltb_lt in C2.
            repeat split; auto. specialize (G _ (in_map evaluate _ _ M)). apply andb_prop in G. apply G.
          + apply andb_prop in C2. destruct C2 as [C2 C3]. apply Z.ltb_lt in C2. split; [auto|]. split; [|split; auto].
            * apply (longest_word_ge l e k I X).
            * unfold memo1, all_smaller in C3. rewrite forallb_forall in C3. intros m x T L. specialize (C3 _ T).
              apply orb_prop in C3. simpl in C3. destruct C3 as [C3 | C3]; [apply PeanoNat.Nat.leb_le in C3; lia | apply Z.ltb_lt; auto].
      Qed.

      (** An escape needs room at new pairs of smaller rank, and where K > 0. *)
      Lemma escape_room_g : forall g (ranks : tree Z) pairs rank s t, In g gs ->
        fits p r z groups (reached q z base_table entered ranks (f_rank g)) (evaluate g) = true ->
        (forall i j, rank i j = match find (key q z i j) ranks with Some k => Z.to_nat k | None => 0%nat end) ->
        (forall i j k, state i -> state j -> find (key q z i j) ranks = Some k -> In (i, j) pairs) ->
        (forall i j, In (i, j) pairs -> exists k, find (key q z i j) ranks = Some k) ->
        (0 < f_rank g)%Z -> rank s t = Z.to_nat (f_rank g) ->
        forall i j, state i -> state j -> zlabel z i = zlabel z j ->
          0 < real (evaluate g) i - alpha * real (evaluate g) j ->
          (In (i, j) pairs /\ (rank i j < rank s t)%nat) \/ (~ In (i, j) pairs /\ 0 < v i j).
      Proof.
        intros g ranks pairs rank s t G F R NP RP P RG i j SI SJ L H.
        destruct (fits_feasible (reached q z base_table entered ranks (f_rank g)) g) as [_ D]; auto.
        { intros a b. unfold reached. destruct (match find _ ranks with Some _ => _ | None => _ end);
            unfold positive_below; simpl; lia. }
        specialize (D i j SI SJ). unfold table_of in D. rewrite L, Nat.eqb_refl in D.
        destruct (Nat.eqb_spec i j) as [|N]; [lra|]. unfold reached in D.
        destruct (find (key q z i j) ranks) as [k|] eqn:E.
        - left. split; [apply (NP i j k); auto|]. rewrite RG, R, E. destruct (Z.ltb_spec k (f_rank g)); [lia|].
          rewrite value_zero in D. lra.
        - right. split; [intros I; destruct (RP i j I) as (k & K); congruence|].
          destruct (Z.ltb_spec 0 (fst (known entered i j))) as [K | K]; [|rewrite value_zero in D; lra].
          eapply Rlt_le_trans; [apply value_positive; [|apply K] | apply known_below; auto].
          apply known_numbers. intros k x X. destruct (entered_fine k x X) as (? & ? & _). auto.
      Qed.

      Theorem circular_stage : entered_ok entered'.
      Proof.
        destruct escapes_found as (l & n & N & cover & reasons_l).
        set (ranks := rank_table q z l) in *. set (told_l := told_apart_by q p r word_layers n l) in *.
        set (pairs := flat_map (fun a => turns q (leader_s a) (leader_t a)) new).
        set (rank := fun i j => match find (key q z i j) ranks with Some k => Z.to_nat k | None => 0%nat end).
        assert (PS : forall i j, In (i, j) pairs -> exists a, In a new /\ In (leader_s a, leader_t a) (turns q i j) /\
          state i /\ state j /\ zlabel z i = zlabel z j /\ i <> j /\ key q z (leader_s a) (leader_t a) = key q z i j).
        { intros i j I. apply in_flat_map in I. destruct I as (a & A & I). exists a. split; auto.
          destruct (leader_pair a A) as (S & T & L & D). pose proof (turns_sym q _ _ _ _ I) as J.
          split; auto. split; [|split; [|split; [|split]]];
            try (clear - I S T L D; destruct q; simpl in I; intuition congruence).
          apply key_self. auto. }
        assert (SP : forall i j a, In a new -> state i -> state j -> key q z (leader_s a) (leader_t a) = key q z i j ->
          In (i, j) pairs).
        { intros i j a A I J K. apply in_flat_map. exists a. split; auto. apply turns_sym. apply leader_turns; auto. }
        (* the record of a pair, which its rank is from *)
        assert (RP : forall i j, In (i, j) pairs -> exists e, In e l /\ find (key q z i j) ranks = Some (ranked_rank e) /\
          key q z (leader_s (ranked_leader e)) (leader_t (ranked_leader e)) = key q z i j).
        { intros i j I. destruct (PS i j I) as (a & A & _ & _ & _ & _ & _ & K).
          pose proof (find_fold Z _ (fun e => key q z (leader_s (ranked_leader e)) (leader_t (ranked_leader e)))
                        ranked_rank (key q z i j) l empty) as F.
          change (fold_left _ l empty) with ranks in F. destruct F as [(e & E & KE & F) | [F _]]; [eauto|].
          exfalso. destruct (cover a A) as (e & E & <-). apply (F e E). auto. }
        assert (NP : forall i j k, state i -> state j -> find (key q z i j) ranks = Some k -> In (i, j) pairs).
        { intros i j k I J E.
          pose proof (find_fold Z _ (fun e => key q z (leader_s (ranked_leader e)) (leader_t (ranked_leader e)))
                        ranked_rank (key q z i j) l empty) as F.
          change (fold_left _ l empty) with ranks in F. destruct F as [(e & IE & KE & _) | [_ F]].
          - apply (SP i j (ranked_leader e)); auto. apply (reasons_l e IE).
          - rewrite F in E. discriminate. }
        assert (L : forall s t, In (s, t) pairs -> table_of (known entered') s t <= v s t).
        { apply (circular q c alpha v alpha_1R' v_prefixed pairs (table_of (known entered')) rank).
          - intros i j I. destruct (PS i j I) as (_ & _ & _ & SI & SJ & LIJ & D & _).
            split; auto. split; auto. split; auto.
            destruct (RP i j I) as (e & E & RE & KE). destruct (reasons_l e E) as (A & P & R).
            set (a := ranked_leader e) in *. pose proof (leader_turns a i j A SI SJ KE) as TA.
            destruct (leader_function a A) as (f & F & FR & VP & VN & FG).
            assert (LG : table_of (known entered') i j <= gain c alpha (real (evaluate f)) (leader_s a) (leader_t a)).
            { unfold table_of. rewrite LIJ, Nat.eqb_refl, (proj2 (Nat.eqb_neq i j) D).
              eapply Rle_trans; [|apply FG]. pose proof (consistent a A) as C.
              destruct (find_entered (key q z i j)) as [(b & _ & _ & X) | [no _]]; [|exfalso; apply (no a A); auto].
              unfold Checker.known in *. rewrite KE, X in C. rewrite X. apply at_most_value in C; auto.
              apply (entered_numbers _ _ X). }
            assert (LF : feasible c alpha (table_of (known entered')) (real (evaluate f)))
              by (apply fits_feasible; auto; apply known_numbers; apply entered_numbers).
            assert (RANK : rank i j = Z.to_nat (ranked_rank e)) by (unfold rank; rewrite RE; auto).
            destruct (ranked_escape e) as [g | k].
            + destruct R as (f0 & -> & IG & KR & OG & FT).
              exists (leader_s a), (leader_t a), (real (evaluate f)), (real (evaluate f0)). constructor; auto.
              * intros k _. apply real_01. auto.
              * pose proof (range_over f0 (ranges f0 IG)) as M.
                destruct (objective_gain f0 (leader_s a) (leader_t a) M) as [OP OV].
                pose proof (value_positive _ OP OG) as VG. rewrite OV in VG. apply IZR_pos in M.
                apply (Rmult_lt_reg_l (IZR (f_over f0))); auto. lra.
              * apply (escape_room_g f0 ranks pairs rank i j IG FT); auto; [| lia | rewrite RANK, KR; auto].
                intros x y I'. destruct (RP x y I') as (e' & _ & F' & _). eauto.
            + destruct R as (K & KN & WG & SM). destruct k as [|m]; [lia|].
              destruct (gain_event p r digits z words z_ok r_pos (S m) (leader_s a) (leader_t a)) as (WP & _ & E0 & WV); [lia|].
              pose proof (value_positive _ WP WG) as VG. destruct WV as [WV | WV]; [lra|]. rewrite WV in VG.
              exists (leader_s a), (leader_t a), (real (evaluate f)), (event c m (fun u => E0 (code_of digits u))).
              constructor; auto.
              * intros k SK. apply event_01; auto. apply meaning_valid. auto.
              * rewrite event_gain. exact VG.
              * intros x y SX SY LXY G.
                set (E1 := fun u => E0 (Z.of_nat (zlabel z x) * digits ^ Z.of_nat m + u)%Z).
                assert (EX : forall w, zlabel z w = zlabel z x ->
                  event c m (fun u => E0 (code_of digits u)) w = prob digits z m w E1).
                { intros w LW. unfold event, prob. apply after_ext. intros u U. simpl. rewrite LW, U. reflexivity. }
                rewrite !EX in G by auto.
                destruct (in_dec (fun a b : nat * nat => ltac:(decide equality; apply Nat.eq_dec)) (x, y) pairs) as [IN | OUT].
                -- left. split; auto. destruct (RP x y IN) as (e' & E' & RE' & KE').
                   destruct (reasons_l e' E') as (A' & _ & _).
                   destruct (told q p r digits z words z_ok r_pos alpha_1 m n x y E1) as (l' & SH & LE); auto; [lia|].
                   pose proof (leader_turns _ x y A' SX SY KE') as T'.
                   rewrite <- (shortest_sym n _ _ x y T') in SH.
                   assert (TL : In (l', ranked_rank e') told_l).
                   { apply in_flat_map. exists e'. split; auto. rewrite SH. simpl. auto. }
                   assert (LT : (ranked_rank e' < ranked_rank e)%Z) by (apply (SM l'); auto; lia).
                   rewrite RANK. unfold rank. rewrite RE'. lia.
                -- right. split; auto. eapply Rlt_le_trans; [apply G|].
                   apply (prob_below q p r digits z z_ok r_pos alpha_1 v v_prefixed m x y x y); auto. apply turns_self.
          - intros i j I J OUT. revert i j I J OUT. intros i j SI SJ OUT.
            unfold table_of. destruct (Nat.eqb_spec (zlabel z i) (zlabel z j)) as [LIJ|];
              [|rewrite (prefixed_labels v_prefixed); auto; lra].
            destruct (Nat.eqb_spec i j) as [|D]; [apply v_prefixed; auto|].
            unfold Checker.known. destruct (find_entered (key q z i j)) as [(a & A & KA & _) | [_ ->]].
            + exfalso. apply OUT. apply (SP i j a); auto.
            + apply (known_below entered entered_fine i j); auto. }
        apply entered_stage. intros a i j A SI SJ LIJ K X. pose proof (SP i j a A SI SJ K) as IN.
        specialize (L i j IN). destruct (PS i j IN) as (_ & _ & _ & _ & _ & _ & D & _).
        unfold table_of in L. rewrite LIJ, Nat.eqb_refl, (proj2 (Nat.eqb_neq i j) D) in L.
        unfold Checker.known in L. rewrite X in L. auto.
      Qed.
    End Circular.
  End Stage.
End Lower.
