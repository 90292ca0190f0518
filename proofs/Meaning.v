(** What a chain of the program means, and that its quotients and clocks are those of the specification. *)

From Coq Require Import Reals List Bool ZArith Lra Lia FunctionalExtensionality.
From Proofs Require Import Spec Sums Tables Quotient Containers Trees Entries Document Checker.
Import ListNotations.
Open Scope R_scope.

Definition at_key (i k : nat) : R := if Nat.eqb k i then 1 else 0.

Definition meaning (z : zchain) : chain :=
  {| states := zstates z; label := zlabel z;
     step s i := dot (zrow z s) (at_key i) / IZR (zover z s) |}.

Record well_formed (z : zchain) : Prop := {
  over_pos : forall s, (0 < zover z s)%Z;
  row_pos : forall s e, In e (zrow z s) -> (0 <= snd e)%Z;
  row_states : forall s e, In e (zrow z s) -> In (fst e) (zstates z);
  row_total : forall s, In s (zstates z) -> dot (zrow z s) (fun _ => 1) = IZR (zover z s) }.

Lemma in_chain_spec : forall z s, in_chain z s = true <-> In s (zstates z).
Proof.
  intros z s. unfold in_chain, zstates. rewrite andb_true_iff, filter_In, in_seq, PeanoNat.Nat.ltb_lt. intuition lia.
Qed.

Lemma state_below : forall z s, In s (zstates z) -> (s < zsize z)%nat.
Proof. intros z s H. apply filter_In in H. destruct H as [H _]. apply in_seq in H. lia. Qed.

Lemma zstates_nodup : forall z, NoDup (zstates z).
Proof. intros. apply NoDup_filter. apply seq_NoDup. Qed.

(** A mean over the states is one over the entries of a row. *)
Lemma mean_dot : forall z, well_formed z -> forall s f,
  sum (zstates z) (fun i => f i * step (meaning z) s i) = dot (zrow z s) f / IZR (zover z s).
Proof.
  intros z W s f. simpl.
  transitivity (sum (zstates z) (fun i => sum (zrow z s) (fun e => IZR (snd e) * (if Nat.eqb (fst e) i then f i else 0)))
                * / IZR (zover z s)).
  - rewrite <- sum_scale_r. apply sum_ext. intros i _. unfold dot, Rdiv. rewrite <- Rmult_assoc. f_equal.
    rewrite <- sum_scale. apply sum_ext. intros e _. unfold at_key. destruct (Nat.eqb (fst e) i); ring.
  - rewrite sum_swap. unfold Rdiv. f_equal. apply sum_ext. intros e I.
    rewrite sum_scale. f_equal. apply sum_delta; [apply zstates_nodup | eapply row_states; eauto].
Qed.

Lemma over_R : forall z s, well_formed z -> 0 < IZR (zover z s).
Proof. intros z s W. apply (IZR_lt 0). apply W. Qed.

Lemma meaning_valid : forall z, well_formed z -> valid (meaning z).
Proof.
  intros z W. split.
  - apply zstates_nodup.
  - intros s i _ _. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, over_R; auto].
    apply dot_nonneg; [apply row_pos; auto|]. intros e _. unfold at_key. destruct (Nat.eqb (fst e) i); lra.
  - intros s I. simpl.
    transitivity (sum (zstates z) (fun i => 1 * step (meaning z) s i)); [apply sum_ext; intros; simpl; lra|].
    rewrite mean_dot by auto. rewrite (row_total z W s I). unfold Rdiv. apply Rinv_r.
    pose proof (over_R z s W). lra.
Qed.

(** ** Entries that are collected *)

Section Forall.
  Variables (K : Type) (compare : K -> K -> comparison) (P : K * Z -> Prop).
  Hypothesis compare_eq : forall x y, compare x y = Eq -> x = y.
  Hypothesis P_add : forall k x y, P (k, x) -> P (k, y) -> P (k, (x + y)%Z).

  Lemma merge_forall : forall a b, Forall P a -> Forall P b -> Forall P (merge compare a b).
  Proof.
    induction a as [|[i x] a IHa]; intros b A B; auto.
    inversion A; subst. induction b as [|[j y] b IHb]; auto.
    inversion B; subst. simpl. destruct (compare i j) eqn:E.
    - apply compare_eq in E. subst. constructor; auto.
    - constructor; auto.
    - constructor; auto.
  Qed.

  Definition forall_stack (st : list (option (list (K * Z)))) : Prop :=
    Forall (fun o => match o with Some l => Forall P l | None => True end) st.

  Lemma push_forall : forall st l, Forall P l -> forall_stack st -> forall_stack (push K compare l st).
  Proof.
    unfold forall_stack. induction st as [|[m|] st IH]; intros l L S; simpl; inversion S; subst; repeat constructor; auto.
    apply IH; auto. apply merge_forall; auto.
  Qed.

  Lemma unstack_forall : forall st l, Forall P l -> forall_stack st -> Forall P (unstack K compare l st).
  Proof.
    unfold forall_stack. induction st as [|[m|] st IH]; intros l L S; simpl; inversion S; subst; auto.
    apply IH; auto. apply merge_forall; auto.
  Qed.

  Lemma merge_all_forall : forall ls, Forall (Forall P) ls -> Forall P (merge_all compare ls).
  Proof.
    intros ls H. apply unstack_forall; auto.
    assert (G : forall st, forall_stack st -> forall_stack (fold_left (fun st l => push K compare l st) ls st)).
    { induction ls; simpl; intros st S; auto. inversion H; subst. apply IHls; auto. apply push_forall; auto. }
    apply G. constructor.
  Qed.

  Lemma collect_forall : forall l, Forall P l -> Forall P (collect compare l).
  Proof.
    intros l H. apply merge_all_forall. apply Forall_map. eapply Forall_impl; [|apply H]. intros. constructor; auto.
  Qed.
End Forall.

Lemma nat_compare_eq : forall x y, Nat.compare x y = Eq -> x = y.
Proof. intros. apply PeanoNat.Nat.compare_eq_iff. auto. Qed.

Lemma z_compare_eq : forall x y, Z.compare x y = Eq -> x = y.
Proof. intros. apply Z.compare_eq_iff. auto. Qed.

(** ** Quotients *)

Lemma dot_lumped : forall z h s f, dot (lumped z h s) f = dot (zrow z s) (fun i => f (h i)).
Proof.
  intros. unfold lumped. rewrite (dot_collect nat_compare_eq).
  rewrite (dot_map nat nat (zrow z s) h 1). lra.
Qed.

Lemma meaning_quotient : forall z h, well_formed z -> meaning (zquotient z h) = quotient (meaning z) h.
Proof.
  intros z h W. unfold meaning at 1, quotient. f_equal.
  - simpl. unfold zstates. simpl. induction (seq 0 (zsize z)) as [|s l IH]; simpl; auto.
    destruct (zmember z s); simpl; [destruct (Nat.eqb (h s) s); simpl; rewrite IH; auto | auto].
  - extensionality s. extensionality k. change (states (meaning z)) with (zstates z). cbn [zrow zquotient].
    unfold memo1. rewrite dot_lumped. change (zover (zquotient z h) s) with (zover z s).
    rewrite <- mean_dot by auto. apply sum_ext. intros i _. unfold at_key. destruct (Nat.eqb (h i) k); lra.
Qed.

Lemma spread_in : forall A n (l : list (nat * A)) i x, spread n l i = Some x -> In (i, x) l.
Proof.
  induction l as [|[k y] l IH]; simpl; intros i x H; [discriminate|].
  destruct (PeanoNat.Nat.eqb_spec k i); [left; congruence | right; auto].
Qed.

Lemma representative_spec : forall n classes s,
  representative n classes s = s \/
  exists k rest, In (k :: rest) classes /\ In s (k :: rest) /\ representative n classes s = k.
Proof.
  intros n classes s. unfold representative.
  destruct (spread _ _ s) as [k|] eqn:E; [|auto]. right.
  apply spread_in, in_flat_map in E. destruct E as (l & I & J). destruct l as [|k' rest]; [destruct J|].
  apply in_map_iff in J. destruct J as (s' & J & J'). inversion J; subst. eauto.
Qed.

Lemma same_entries_dot : forall a k b m f, same_entries a k b m = true -> IZR k * dot a f = IZR m * dot b f.
Proof.
  induction a as [|[i x] a IH]; intros k [|[j y] b] m f H; simpl in H; try discriminate.
  - rewrite !dot_nil. lra.
  - apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
    apply PeanoNat.Nat.eqb_eq in H1. apply Z.eqb_eq in H2. subst j.
    rewrite !dot_cons, !Rmult_plus_distr_l, (IH _ _ _ _ H3). f_equal.
    rewrite <- !Rmult_assoc, <- !mult_IZR. f_equal. f_equal. lia.
Qed.

Lemma check_classes_sound : forall z n classes, well_formed z ->
  check_classes z (representative n classes) classes = true -> bisimulation (meaning z) (representative n classes).
Proof.
  intros z n classes W H s is_s. set (h := representative n classes) in *.
  apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H.
  assert (C : forall k rest s, In (k :: rest) classes -> In s (k :: rest) ->
    In s (zstates z) /\ h s = k /\ zlabel z s = zlabel z k /\
    same_entries (lumped z h k) (zover z s) (lumped z h s) (zover z k) = true).
  { intros k rest t I J. specialize (H _ I). cbn [check_class] in H. rewrite forallb_forall in H.
    specialize (H t J). rewrite !andb_true_iff, !PeanoNat.Nat.eqb_eq, in_chain_spec in H. tauto. }
  destruct (representative_spec n classes s) as [E | (k & rest & I & J & E)]; fold h in E.
  - rewrite !E. auto.
  - destruct (C k rest s I J) as (_ & _ & L & X). destruct (C k rest k I) as (K & HK & _); [left; auto|].
    rewrite E. repeat split; auto. intros c. rewrite <- meaning_quotient by auto. simpl. unfold memo1.
    apply (same_entries_dot _ _ _ _ (at_key c)) in X.
    pose proof (over_R z s W). pose proof (over_R z k W).
    apply (Rmult_eq_reg_r (IZR (zover z k) * IZR (zover z s))); [|apply Rgt_not_eq, Rmult_lt_0_compat; auto].
    unfold Rdiv. field_simplify; lra.
Qed.

Lemma quotient_well_formed : forall z h, well_formed z -> bisimulation (meaning z) h -> well_formed (zquotient z h).
Proof.
  intros z h W B.
  assert (E : forall s e, In e (lumped z h s) -> (0 <= snd e)%Z /\ In (fst e) (zstates (zquotient z h))).
  { intros s. rewrite <- Forall_forall.
    assert (G : Forall (fun e => (0 <= snd e)%Z /\ In (fst e) (zstates (zquotient z h))) (lumped z h s)); [|auto].
    apply collect_forall; [apply nat_compare_eq | simpl; intuition lia |].
    apply Forall_forall. intros e I. apply in_map_iff in I. destruct I as ((k & x) & <- & I). cbn [fst snd].
    pose proof (row_pos z W s _ I) as P. pose proof (row_states z W s _ I) as K. cbn [fst snd] in P, K. split; [lia|].
    apply in_chain_spec. unfold in_chain. simpl.
    destruct (B k K) as (S & F & _). apply in_chain_spec in S. unfold in_chain in S.
    apply andb_prop in S. destruct S as [S1 S2]. rewrite S1, S2, F, PeanoNat.Nat.eqb_refl. auto. }
  split; simpl.
  - apply W.
  - intros s e I. apply (E s e I).
  - intros s e I. apply (E s e I).
  - intros s I. unfold memo1. rewrite dot_lumped. apply (row_total z W).
    apply in_chain_spec in I. apply in_chain_spec. unfold in_chain in *. simpl in I. rewrite !andb_true_iff in *. tauto.
Qed.

(** ** The clock *)

Lemma meaning_timed : forall z left most,
  meaning (ztimed z left most) = timed (meaning z) (fun s => fine most (zlabel z s) (left s)).
Proof. reflexivity. Qed.

Lemma timed_well_formed : forall z left most, well_formed z -> well_formed (ztimed z left most).
Proof. intros z left most W. split; apply W. Qed.

Lemma fine_eq : forall most l n l' n', (n < most)%nat -> (n' < most)%nat ->
  (fine most l n = fine most l' n' <-> l = l' /\ n = n').
Proof.
  intros most l n l' n' N N'. unfold fine. split; [|intros [-> ->]; auto].
  intros E. assert (L : l = l').
  { transitivity ((l * most + n) / most)%nat; [apply (PeanoNat.Nat.div_unique _ _ _ n); lia|].
    rewrite E. symmetry. apply (PeanoNat.Nat.div_unique _ _ _ n'); lia. }
  subst. lia.
Qed.

Lemma check_clock_sound : forall z ends left most, well_formed z -> check_clock z ends left most = true ->
  (forall s, is_state (meaning z) s ->
    (forall t, is_state (meaning z) t -> zlabel z s = zlabel z t -> left s = 0%nat -> left t = 0%nat) /\
    (left s = 0%nat \/ forall i, is_state (meaning z) i -> step (meaning z) s i <> 0 -> S (left i) = left s)) /\
  (forall s, is_state (meaning z) s -> (left s < most)%nat).
Proof.
  intros z ends left most W H. apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H.
  split; [|intros s I; specialize (H s I); apply andb_prop in H; apply PeanoNat.Nat.ltb_lt; tauto].
  intros s I. pose proof (H s I) as Hs. apply andb_prop in Hs. destruct Hs as [_ Hs]. split.
  - intros t J E Z. pose proof (H t J) as Ht. apply andb_prop in Ht. destruct Ht as [_ Ht].
    rewrite <- E in Ht. destruct (existsb _ ends); [apply PeanoNat.Nat.eqb_eq; auto|].
    apply andb_prop in Hs. destruct Hs as [Hs _]. apply PeanoNat.Nat.ltb_lt in Hs. lia.
  - destruct (existsb _ ends); [left; apply PeanoNat.Nat.eqb_eq; auto|]. right.
    apply andb_prop in Hs. destruct Hs as [_ Hs]. rewrite forallb_forall in Hs.
    intros i _ P. destruct (PeanoNat.Nat.eq_dec (S (left i)) (left s)) as [|N]; auto. exfalso. apply P. simpl.
    assert (E : dot (zrow z s) (at_key i) = 0); [|rewrite E; unfold Rdiv; lra].
    apply sum_zero. intros e J. specialize (Hs e J). unfold at_key.
    destruct (PeanoNat.Nat.eqb_spec (fst e) i); [|lra]. subst i.
    apply orb_prop in Hs. destruct Hs as [Hs | Hs].
    + apply Z.eqb_eq in Hs. rewrite Hs. lra.
    + apply PeanoNat.Nat.eqb_eq in Hs. tauto.
Qed.

(** ** The model of a document *)

Lemma total_dot : forall l, IZR (total l) = dot l (fun _ => 1).
Proof.
  intros l. unfold total. assert (H : forall n, IZR (fold_left (fun n e => n + snd e)%Z l n) = IZR n + dot l (fun _ => 1)).
  { induction l as [|[k x] l IH]; intros n; simpl; [rewrite dot_nil; lra|].
    rewrite IH, dot_cons, plus_IZR. lra. }
  rewrite H. lra.
Qed.

Lemma chain_of_well_formed : forall d, check_rows d = true -> well_formed (chain_of d).
Proof.
  intros d H. apply andb_prop in H. destruct H as [N H]. apply PeanoNat.Nat.eqb_eq in N. rewrite forallb_forall in H.
  assert (R : forall s, (s < size d)%nat -> In (zover (chain_of d) s, zrow (chain_of d) s) (rows d)).
  { intros s L. simpl. unfold array.
    replace (_, _) with (nth s (rows d) (1%Z, [])); [apply nth_In; lia|].
    pose proof (map_nth fst (rows d) (1%Z, []) s) as A. pose proof (map_nth snd (rows d) (1%Z, []) s) as B.
    cbn [fst snd] in A, B. rewrite A, B. apply surjective_pairing. }
  assert (O : forall s, ~ (s < size d)%nat -> zover (chain_of d) s = 1%Z /\ zrow (chain_of d) s = []).
  { intros s L. simpl. unfold array. rewrite !nth_overflow; auto; rewrite map_length; lia. }
  assert (F : forall s, (0 < zover (chain_of d) s)%Z /\
    forall e, In e (zrow (chain_of d) s) -> (fst e < size d)%nat /\ (0 <= snd e)%Z).
  { intros s. destruct (Compare_dec.lt_dec s (size d)) as [L | L].
    - specialize (H _ (R s L)). simpl fst in H. simpl snd in H. rewrite !andb_true_iff, Z.ltb_lt, forallb_forall in H.
      destruct H as [[H1 _] H2]. split; auto. intros e I. specialize (H2 e I).
      rewrite andb_true_iff, PeanoNat.Nat.ltb_lt, Z.leb_le in H2. auto.
    - destruct (O s L) as [-> ->]. split; [lia | simpl; tauto]. }
  split.
  - apply F.
  - intros s e I. apply (proj2 (F s) e I).
  - intros s e I. apply in_chain_spec. unfold in_chain. simpl. rewrite andb_true_r. apply PeanoNat.Nat.ltb_lt.
    apply (proj2 (F s) e I).
  - intros s I. apply state_below in I. simpl in I. specialize (H _ (R s I)). simpl fst in H. simpl snd in H.
    rewrite !andb_true_iff, Z.eqb_eq in H. rewrite <- total_dot. f_equal. tauto.
Qed.
