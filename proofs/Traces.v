(** What an observer of labels can learn, by the graph of beliefs.

    The worth of two vectors a, b is the supremum of what events tell between them. A next label splits it into the
    worths of the parts, and it is homogeneous. So if nodes have weights that satisfy the equation of the flow, the
    worth at node 0 is the sum of the worths at the leaves, whatever cycles there are. Nothing else is asked of the
    weights: that all mass reaches the leaves follows from the equation, since a finite solution has no room for any
    that does not. *)

From Coq Require Import Reals List Bool Lra Lia.
From Coq Require ClassicalDedekindReals.
From Proofs Require Import Spec Sums Tables Words.
Import ListNotations.
Open Scope R_scope.

Section Worth.
  Variables (c : chain) (alpha : R).
  Hypothesis chain_valid : valid c.
  Hypothesis alpha_pos : 0 <= alpha.

  Notation state := (is_state c).
  Definition vector := nat -> R.

  Definition mass (a : vector) : R := sum (states c) a.
  Definition seen (a : vector) (m : nat) (E : list nat -> bool) : R := sum (states c) (fun i => a i * after c m i E).
  Definition tells (a b : vector) (m : nat) (E : list nat -> bool) : R := seen a m E - alpha * seen b m E.

  Lemma tells_sum : forall a b m E, tells a b m E = sum (states c) (fun i => (a i - alpha * b i) * after c m i E).
  Proof. intros. unfold tells, seen. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros. ring. Qed.

  Lemma tells_bound : forall a b m E, tells a b m E <= sum (states c) (fun i => Rmax 0 (a i - alpha * b i)).
  Proof.
    intros. rewrite tells_sum. apply sum_le. intros i I. pose proof (after_01 c chain_valid m i E I).
    apply Rle_trans with (Rmax 0 (a i - alpha * b i) * after c m i E).
    - apply Rmult_le_compat_r; [lra | apply Rmax_r].
    - rewrite Rmult_comm. apply mult_01; [auto | apply Rmax_l].
  Qed.

  Definition told (a b : vector) (y : R) : Prop := exists m E, y = tells a b m E.

  Lemma worth_exists : forall a b, { x | is_lub (told a b) x }.
  Proof.
    intros a b. apply completeness.
    - exists (sum (states c) (fun i => Rmax 0 (a i - alpha * b i))). intros y (m & E & ->). apply tells_bound.
    - exists (tells a b 0 (fun _ => true)). exists 0%nat, (fun _ => true). auto.
  Qed.

  Definition worth (a b : vector) : R := proj1_sig (worth_exists a b).

  Lemma worth_lub : forall a b, is_lub (told a b) (worth a b).
  Proof. intros. unfold worth. destruct (worth_exists a b). auto. Qed.

  Lemma tells_worth : forall a b m E, tells a b m E <= worth a b.
  Proof. intros. apply (worth_lub a b). exists m, E. auto. Qed.

  Lemma worth_least : forall a b k, (forall m E, tells a b m E <= k) -> worth a b <= k.
  Proof. intros a b k H. apply (worth_lub a b). intros y (m & E & ->). auto. Qed.

  (** ** Events of longer words *)

  Lemma after_const : forall k i b, state i -> after c k i (fun _ => b) = if b then 1 else 0.
  Proof.
    induction k; intros i b I; simpl; auto.
    rewrite (sum_ext _ _ _ (fun j => (if b then 1 else 0) * step c i j)).
    - rewrite sum_scale, (step_sum c chain_valid i I). lra.
    - intros j J. rewrite IHk; auto. ring.
  Qed.

  Lemma after_pad : forall k m i E, state i -> after c (m + k) i (fun u => E (firstn m u)) = after c m i E.
  Proof.
    intros k. induction m; intros i E I.
    - simpl. apply after_const. auto.
    - simpl. apply sum_ext. intros j J. f_equal. apply (IHm j (fun u => E (label c j :: u))). auto.
  Qed.

  Lemma tells_pad : forall k a b m E, tells a b (m + k) (fun u => E (firstn m u)) = tells a b m E.
  Proof. intros. rewrite !tells_sum. apply sum_ext. intros i I. rewrite after_pad; auto. Qed.

  (** ** Simple worths *)

  Lemma worth_nonneg : forall a b, 0 <= worth a b.
  Proof.
    intros. eapply Rle_trans; [|apply (tells_worth a b 0 (fun _ => false))].
    rewrite tells_sum. simpl. rewrite sum_zero; [lra | intros; lra].
  Qed.

  Lemma worth_mass : forall a b, mass a - alpha * mass b <= worth a b.
  Proof.
    intros. eapply Rle_trans; [|apply (tells_worth a b 0 (fun _ => true))].
    unfold tells, seen, mass. simpl. rewrite !sum_scale_r. lra.
  Qed.

  Lemma worth_ext : forall a b a' b', (forall i, state i -> a i = a' i) -> (forall i, state i -> b i = b' i) ->
    worth a b = worth a' b'.
  Proof.
    intros a b a' b' A B.
    assert (E : forall m F, tells a b m F = tells a' b' m F)
      by (intros; rewrite !tells_sum; apply sum_ext; intros i I; rewrite A, B; auto).
    apply Rle_antisym; apply worth_least; intros m F; [rewrite E | rewrite <- E]; apply tells_worth.
  Qed.

  Lemma worth_scale : forall k a b, 0 < k -> worth (fun i => k * a i) (fun i => k * b i) = k * worth a b.
  Proof.
    intros k a b K.
    assert (E : forall m F, tells (fun i => k * a i) (fun i => k * b i) m F = k * tells a b m F)
      by (intros; rewrite !tells_sum, <- sum_scale; apply sum_ext; intros; ring).
    apply Rle_antisym.
    - apply worth_least. intros m F. rewrite E. apply Rmult_le_compat_l; [lra | apply tells_worth].
    - apply (Rmult_le_reg_l (/ k)); [apply Rinv_0_lt_compat; auto|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
      apply worth_least. intros m F. apply (Rmult_le_reg_l k); auto. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      rewrite <- E. apply tells_worth.
  Qed.

  Lemma worth_mono : forall a b a' b', (forall m E, tells a b m E <= tells a' b' m E) -> worth a b <= worth a' b'.
  Proof. intros a b a' b' H. apply worth_least. intros m E. eapply Rle_trans; [apply H | apply tells_worth]. Qed.

  Lemma seen_scale : forall k a m E, seen (fun i => k * a i) m E = k * seen a m E.
  Proof. intros. unfold seen. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.

  Lemma seen_ext : forall v w m E, (forall i, state i -> v i = w i) -> seen v m E = seen w m E.
  Proof. intros v w m E H. apply sum_ext. intros i I. rewrite H; auto. Qed.

  Lemma worth_plus : forall a b a' b',
    worth (fun i => a i + a' i) (fun i => b i + b' i) <= worth a b + worth a' b'.
  Proof.
    intros. apply worth_least. intros m E.
    replace (tells _ _ m E) with (tells a b m E + tells a' b' m E).
    - apply Rplus_le_compat; apply tells_worth.
    - rewrite !tells_sum, <- sum_plus. apply sum_ext. intros. ring.
  Qed.

  (** ** Beliefs: vectors that measure every event at 0 or more, whatever the signs of their entries *)

  Definition possible (a : vector) : Prop := forall m E, 0 <= seen a m E.

  Lemma after_complement : forall m i E, state i -> after c m i E + after c m i (fun u => negb (E u)) = 1.
  Proof.
    induction m; intros i E I; simpl; [destruct (E []); simpl; lra|].
    rewrite <- sum_plus, <- (step_sum c chain_valid i I). apply sum_ext. intros j J.
    rewrite <- Rmult_plus_distr_l, IHm; auto. ring.
  Qed.

  Lemma seen_complement : forall a m E, seen a m E + seen a m (fun u => negb (E u)) = mass a.
  Proof.
    intros. unfold seen, mass. rewrite <- sum_plus. apply sum_ext. intros i I.
    rewrite <- Rmult_plus_distr_l, after_complement; auto. ring.
  Qed.

  Lemma seen_mass : forall a m E, possible a -> seen a m E <= mass a.
  Proof. intros a m E P. rewrite <- (seen_complement a m E). specialize (P m (fun u => negb (E u))). lra. Qed.

  Lemma mass_seen : forall a, mass a = seen a 0 (fun _ => true).
  Proof. intros. unfold mass, seen. simpl. apply sum_ext. intros. ring. Qed.

  Lemma possible_mass : forall a, possible a -> 0 <= mass a.
  Proof. intros a P. rewrite mass_seen. apply P. Qed.

  Lemma possible_scale : forall k a, 0 <= k -> possible a -> possible (fun i => k * a i).
  Proof. intros k a K P m E. rewrite seen_scale. apply Rmult_le_pos; auto. Qed.

  Lemma possible_ext : forall a b, (forall i, state i -> a i = b i) -> possible a -> possible b.
  Proof. intros a b H P m E. rewrite <- (seen_ext a b); auto. Qed.

  (** The worth grows with the first vector and falls with the second. *)
  Lemma worth_less : forall a b x y x' y', possible a -> possible b -> x <= x' -> y' <= y ->
    worth (fun i => x * a i) (fun i => y * b i) <= worth (fun i => x' * a i) (fun i => y' * b i).
  Proof.
    intros a b x y x' y' A B X Y. apply worth_mono. intros m E. unfold tells. rewrite !seen_scale.
    specialize (A m E). specialize (B m E).
    assert (x * seen a m E <= x' * seen a m E) by (apply Rmult_le_compat_r; auto).
    assert (alpha * (y' * seen b m E) <= alpha * (y * seen b m E)).
    { apply Rmult_le_compat_l; auto. apply Rmult_le_compat_r; auto. }
    lra.
  Qed.

  Lemma worth_at_most_mass : forall a b, possible a -> possible b -> worth a b <= mass a.
  Proof.
    intros a b A B. apply worth_least. intros m E. unfold tells. pose proof (seen_mass a m E A).
    assert (0 <= alpha * seen b m E) by (apply Rmult_le_pos; auto; apply B). lra.
  Qed.

  (** Where a and b are multiples of one vector, nothing that follows tells more than the masses. *)
  Lemma worth_closed : forall a b e p q, (forall i, state i -> a i = p * e i) -> (forall i, state i -> b i = q * e i) ->
    possible e -> worth a b = Rmax 0 (mass a - alpha * mass b).
  Proof.
    intros a b e p q A B P. apply Rle_antisym; [|apply Rmax_lub; [apply worth_nonneg | apply worth_mass]].
    apply worth_least. intros m F.
    assert (T : forall n E, tells a b n E = (p - alpha * q) * seen e n E).
    { intros n E. unfold tells. rewrite (seen_ext a (fun i => p * e i)), (seen_ext b (fun i => q * e i)), !seen_scale by auto.
      ring. }
    assert (M : mass a - alpha * mass b = (p - alpha * q) * mass e) by (rewrite !mass_seen; apply T).
    rewrite T, M. pose proof (P m F). pose proof (seen_mass e m F P).
    destruct (Rle_lt_dec (p - alpha * q) 0).
    - eapply Rle_trans; [|apply Rmax_l]. rewrite <- (Rmult_0_l (seen e m F)). apply Rmult_le_compat_r; lra.
    - eapply Rle_trans; [|apply Rmax_r]. apply Rmult_le_compat_l; lra.
  Qed.

  (** To reveal the state tells at least as much. *)
  Lemma worth_open : forall a b, worth a b <= sum (states c) (fun i => Rmax 0 (a i - alpha * b i)).
  Proof. intros. apply worth_least. intros. apply tells_bound. Qed.

  (** So does any list of entries that add up to the two vectors. *)
  Lemma worth_revealed : forall (l : list (nat * (R * R))) a b, (forall e, In e l -> state (fst e)) ->
    (forall i, state i -> a i = sum l (fun e => if Nat.eqb (fst e) i then fst (snd e) else 0)) ->
    (forall i, state i -> b i = sum l (fun e => if Nat.eqb (fst e) i then snd (snd e) else 0)) ->
    worth a b <= sum l (fun e => Rmax 0 (fst (snd e) - alpha * snd (snd e))).
  Proof.
    intros l a b S A B. eapply Rle_trans; [apply worth_open|].
    apply Rle_trans with (sum (states c) (fun i => sum l (fun e =>
      if Nat.eqb (fst e) i then Rmax 0 (fst (snd e) - alpha * snd (snd e)) else 0))).
    - apply sum_le. intros i I. rewrite A, B by auto. rewrite <- sum_scale, <- sum_minus.
      apply Rmax_lub; [|apply sum_le]; [apply sum_pos|]; intros e _;
        destruct (Nat.eqb (fst e) i); try lra; [apply Rmax_l | apply Rmax_r].
    - rewrite sum_swap. right. apply sum_ext. intros e I. apply sum_delta; [apply chain_valid | apply S; auto].
  Qed.

  Definition unit (s : nat) : vector := fun i => if Nat.eqb s i then 1 else 0.

  Lemma tells_unit : forall s t m E, state s -> state t ->
    tells (unit s) (unit t) m E = after c m s E - alpha * after c m t E.
  Proof.
    intros s t m E S T. unfold tells, seen, unit.
    assert (H : forall x, state x -> sum (states c) (fun i => (if Nat.eqb x i then 1 else 0) * after c m i E) = after c m x E).
    { intros x X. rewrite <- (sum_delta (states c) x (fun i => after c m i E)); [|apply chain_valid|auto].
      apply sum_ext. intros i _. destruct (Nat.eqb x i); lra. }
    rewrite !H; auto.
  Qed.

  (** The worth of two states is lv_alpha. *)
  Lemma worth_lv : forall s t, state s -> state t -> label c s = label c t -> is_lv c alpha s t (worth (unit s) (unit t)).
  Proof.
    intros s t S T L. split.
    - intros y (m & E & ->). unfold measure. rewrite <- L, <- tells_unit by auto. apply tells_worth.
    - intros k K. apply worth_least. intros m E. rewrite tells_unit by auto. apply K.
      exists m, (fun u => E (tl u)). unfold measure. simpl. auto.
  Qed.

  (** ** One step *)

  Definition part (a : vector) (l : nat) : vector := fun j =>
    if Nat.eqb (label c j) l then sum (states c) (fun i => a i * step c i j) else 0.

  Definition all_labels : list nat := nodup PeanoNat.Nat.eq_dec (map (label c) (states c)).

  Lemma seen_step : forall x m E, seen x (S m) E = sum all_labels (fun l => seen (part x l) m (fun u => E (l :: u))).
  Proof.
      intros x m E. unfold seen. rewrite sum_swap. simpl.
      transitivity (sum (states c) (fun i => sum (states c) (fun j =>
                      x i * step c i j * after c m j (fun u => E (label c j :: u))))).
      { apply sum_ext. intros i _. rewrite <- sum_scale. apply sum_ext. intros. ring. }
      rewrite sum_swap. apply sum_ext. intros j J. rewrite sum_scale_r.
      rewrite <- (sum_delta all_labels (label c j)
                    (fun l => sum (states c) (fun i => x i * step c i j) * after c m j (fun u => E (l :: u)))).
      - apply sum_ext. intros l _. unfold part. destruct (Nat.eqb (label c j) l); ring.
      - apply NoDup_nodup.
      - apply nodup_In. apply in_map. auto.
  Qed.

  Lemma tells_step : forall a b m E,
    tells a b (S m) E = sum all_labels (fun l => tells (part a l) (part b l) m (fun u => E (l :: u))).
  Proof. intros a b m E. unfold tells. rewrite !seen_step, <- sum_scale, <- sum_minus. auto. Qed.

  (** A sum of suprema is the supremum of sums, as each label has an event of its own. *)
  Lemma sum_of_worths : forall ls (A B : nat -> vector) k, NoDup ls ->
    (forall choice : nat -> nat * (list nat -> bool),
       sum ls (fun l => tells (A l) (B l) (fst (choice l)) (snd (choice l))) <= k) ->
    sum ls (fun l => worth (A l) (B l)) <= k.
  Proof.
    induction ls as [|l ls IH]; intros A B k N H; simpl.
    - apply (H (fun _ => (0%nat, fun _ => true))).
    - inversion N; subst. apply Rplus_le_reg_l with (- worth (A l) (B l)). rewrite <- Rplus_assoc, Rplus_opp_l, Rplus_0_l.
      apply IH; auto. intros choice.
      assert (W : worth (A l) (B l) <= k - sum ls (fun l => tells (A l) (B l) (fst (choice l)) (snd (choice l)))); [|lra].
      apply worth_least. intros m E. specialize (H (fun x => if Nat.eqb x l then (m, E) else choice x)). simpl in H.
      rewrite PeanoNat.Nat.eqb_refl in H. simpl in H.
      rewrite (sum_ext _ ls _ (fun l => tells (A l) (B l) (fst (choice l)) (snd (choice l)))) in H; [lra|].
      intros x I. destruct (PeanoNat.Nat.eqb_spec x l); [subst; tauto | auto].
  Qed.

  Lemma longest_choice : forall ls (f : nat -> nat), exists m, forall l, In l ls -> (f l <= m)%nat.
  Proof.
    induction ls as [|a ls IH]; intros f; [exists 0%nat; simpl; tauto|]. destruct (IH f) as (m & H).
    exists (Nat.max (f a) m). intros l [<- | I]; [lia|]. specialize (H l I). lia.
  Qed.

  Theorem worth_step : forall a b, worth a b = sum all_labels (fun l => worth (part a l) (part b l)).
  Proof.
    intros a b. apply Rle_antisym.
    - apply worth_least. intros m E. rewrite <- (tells_pad 1), PeanoNat.Nat.add_1_r, tells_step.
      apply sum_le. intros. apply tells_worth.
    - apply sum_of_worths; [apply NoDup_nodup|]. intros choice.
      destruct (longest_choice all_labels (fun l => fst (choice l))) as (m & M).
      eapply Rle_trans; [|apply (tells_worth a b (S m)
        (fun u => match u with [] => false | l :: r => snd (choice l) (firstn (fst (choice l)) r) end))].
      rewrite tells_step. right. apply sum_ext. intros l I.
      replace m with (fst (choice l) + (m - fst (choice l)))%nat by (specialize (M l I); lia). rewrite tells_pad. auto.
  Qed.

  (** What a label leaves of a belief is one. *)
  Lemma possible_part : forall a l, possible a -> possible (part a l).
  Proof.
    intros a l P m E. destruct (in_dec PeanoNat.Nat.eq_dec l all_labels) as [I | N].
    - specialize (P (S m) (fun u => match u with k :: r => Nat.eqb l k && E r | [] => false end)).
      rewrite seen_step in P.
      rewrite (sum_ext _ _ _ (fun k => if Nat.eqb l k then seen (part a k) m E else 0)) in P.
      + rewrite (sum_delta all_labels l (fun k => seen (part a k) m E)) in P; auto. apply NoDup_nodup.
      + intros k _. unfold seen. destruct (Nat.eqb l k); simpl; auto.
        apply sum_zero. intros i J. rewrite (after_const m i false J). ring.
    - right. symmetry. apply sum_zero. intros i J. unfold part.
      destruct (PeanoNat.Nat.eqb_spec (label c i) l); [|ring]. exfalso. apply N. subst. apply nodup_In. apply in_map. auto.
  Qed.

  Lemma mass_step : forall a, mass a = sum all_labels (fun l => mass (part a l)).
  Proof.
    intros a. transitivity (seen a 1 (fun _ => true)).
    - unfold mass, seen. apply sum_ext. intros i I. rewrite (after_const 1 i true I). ring.
    - rewrite seen_step. apply sum_ext. intros. symmetry. apply mass_seen.
  Qed.

  Lemma worth_zero : forall a b, (forall i, state i -> a i = 0) -> (forall i, state i -> b i = 0) -> worth a b = 0.
  Proof.
    intros a b A B. apply Rle_antisym; [|apply worth_nonneg]. eapply Rle_trans; [apply worth_open|].
    right. apply sum_zero. intros i I. rewrite A, B by auto. rewrite Rmult_0_r, Rminus_0_r. apply Rmax_left. lra.
  Qed.

  (** ** Coordinates *)

  (** The future of a state j is that of a combination C j of states, which has the mass 1 and the same steps. *)
  Variable C : nat -> vector.

  Definition projected (v : vector) : vector := fun i => sum (states c) (fun j => v j * C j i).

  Definition futures_hold : Prop := forall j, state j ->
    mass (C j) = 1 /\ forall l i, state i -> projected (part (unit j) l) i = projected (part (C j) l) i.

  Hypothesis futures : futures_hold.

  Lemma seen_projected : forall v m E, seen (projected v) m E = sum (states c) (fun j => v j * seen (C j) m E).
  Proof.
    intros v m E. unfold seen, projected.
    rewrite (sum_ext _ _ _ (fun i => sum (states c) (fun j => v j * C j i * after c m i E)))
      by (intros; rewrite sum_scale_r; auto).
    rewrite sum_swap. apply sum_ext. intros j _. rewrite <- sum_scale. apply sum_ext. intros. ring.
  Qed.

  Lemma seen_unit : forall j m E, state j -> seen (unit j) m E = after c m j E.
  Proof.
    intros j m E J. unfold seen, unit.
    rewrite <- (sum_delta (states c) j (fun i => after c m i E)); [|apply chain_valid|auto].
    apply sum_ext. intros i _. destruct (Nat.eqb j i); lra.
  Qed.

  Lemma seen_future : forall m j E, state j -> seen (C j) m E = after c m j E.
  Proof.
    induction m; intros j E J.
    - unfold seen. simpl. rewrite (sum_scale_r _ (states c) (if E [] then 1 else 0) (C j)).
      destruct (futures j J) as [M _]. unfold mass in M. rewrite M. lra.
    - assert (P : forall v F, seen (projected v) m F = seen v m F).
      { intros v F. rewrite seen_projected. apply sum_ext. intros i I. rewrite IHm; auto. }
      rewrite <- seen_unit by auto. rewrite !seen_step. apply sum_ext. intros l _.
      rewrite <- (P (part (C j) l)), <- (P (part (unit j) l)). apply seen_ext. intros i I.
      destruct (futures j J) as [_ H]. symmetry. auto.
  Qed.

  Lemma projected_seen : forall v m E, seen (projected v) m E = seen v m E.
  Proof. intros. rewrite seen_projected. apply sum_ext. intros i I. rewrite seen_future; auto. Qed.

  Lemma projected_worth : forall a b, worth (projected a) (projected b) = worth a b.
  Proof.
    intros a b. assert (T : forall m F, tells (projected a) (projected b) m F = tells a b m F)
      by (intros; unfold tells; rewrite !projected_seen; auto).
    apply Rle_antisym; apply worth_mono; intros m F; rewrite T; lra.
  Qed.

  Lemma projected_mass : forall v, mass (projected v) = mass v.
  Proof. intros. rewrite !mass_seen. apply projected_seen. Qed.

  Lemma projected_possible : forall v, possible v -> possible (projected v).
  Proof. intros v P m E. rewrite projected_seen. auto. Qed.

  Lemma projected_scale : forall k v i, projected (fun j => k * v j) i = k * projected v i.
  Proof. intros. unfold projected. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.

  Lemma projected_ext : forall v w i, (forall j, state j -> v j = w j) -> projected v i = projected w i.
  Proof. intros v w i H. apply sum_ext. intros j J. rewrite H; auto. Qed.

  (** ** The graph *)

  (** Sums over two lists that hold all keys where f is not 0. *)
  Lemma sum_support : forall (ls ks : list nat) f, NoDup ls -> NoDup ks ->
    (forall l, In l ls -> ~ In l ks -> f l = 0) -> (forall l, In l ks -> ~ In l ls -> f l = 0) -> sum ls f = sum ks f.
  Proof.
    intros ls ks f L K HL HK.
    transitivity (sum ls (fun l => sum ks (fun k => if Nat.eqb l k then f k else 0))).
    - apply sum_ext. intros l I. destruct (in_dec PeanoNat.Nat.eq_dec l ks) as [J | J]; [rewrite sum_delta; auto|].
      rewrite HL by auto. symmetry. apply sum_zero. intros k IK. destruct (PeanoNat.Nat.eqb_spec l k); [subst; tauto | auto].
    - rewrite sum_swap. apply sum_ext. intros k I.
      rewrite (sum_ext _ ls _ (fun l => if Nat.eqb k l then f l else 0)).
      + destruct (in_dec PeanoNat.Nat.eq_dec k ls) as [J | J]; [rewrite sum_delta; auto|].
        rewrite HK by auto. apply sum_zero. intros l IL. destruct (PeanoNat.Nat.eqb_spec k l); [subst; tauto | auto].
      + intros l _. destruct (PeanoNat.Nat.eqb_spec l k), (PeanoNat.Nat.eqb_spec k l); subst; auto; congruence.
  Qed.

  (** Nodes have two vectors; an edge is a label, a node and the scales (g, h). *)
  Record edge := { edge_label : nat; edge_to : nat; edge_g : R; edge_h : R }.

  Section Graph.
    Variables (nodes : list nat) (A B : nat -> vector) (out : nat -> option (list edge)) (M : nat -> list (R * R)).

    (** The edges of an inner node are its steps, in coordinates. *)
    Definition steps (u : nat) (es : list edge) : Prop :=
      NoDup (map edge_label es) /\
      (forall e i, In e es -> state i -> projected (part (A u) (edge_label e)) i = edge_g e * A (edge_to e) i /\
                                         projected (part (B u) (edge_label e)) i = edge_h e * B (edge_to e) i) /\
      (forall l i, ~ In l (map edge_label es) -> state i ->
         projected (part (A u) l) i = 0 /\ projected (part (B u) l) i = 0).

    Hypothesis inner : forall u es, In u nodes -> out u = Some es -> steps u es.

    Definition homogeneous (f : nat -> R -> R -> R) : Prop := forall v k x y, 0 < k -> f v (k * x) (k * y) = k * f v x y.

    (** What stands at the nodes is what flows there: 1 into node 0, and along the edges what stands at inner nodes. *)
    Definition flow : Prop := forall f, homogeneous f ->
      sum nodes (fun v => sum (M v) (fun w => f v (fst w) (snd w))) =
      f 0%nat 1 1 + sum nodes (fun u => match out u with
        | None => 0
        | Some es => sum (M u) (fun w => sum es (fun e => f (edge_to e) (edge_g e * fst w) (edge_h e * snd w)))
        end).

    Definition node_worth (v : nat) (x y : R) : R := worth (fun i => x * A v i) (fun i => y * B v i).

    Lemma part_scale : forall k a l i, part (fun j => k * a j) l i = k * part a l i.
    Proof.
      intros k a l i. unfold part. destruct (Nat.eqb (label c i) l); [|lra]. rewrite <- sum_scale.
      apply sum_ext. intros. ring.
    Qed.

    Lemma node_step : forall u es x y, steps u es ->
      node_worth u x y = sum es (fun e => node_worth (edge_to e) (edge_g e * x) (edge_h e * y)).
    Proof.
      intros u es x y (N & S & Z). unfold node_worth at 1. rewrite worth_step.
      set (f := fun l => worth (part (fun i => x * A u i) l) (part (fun i => y * B u i) l)).
      assert (P : forall k a l i, projected (part (fun j => k * a j) l) i = k * projected (part a l) i).
      { intros k a l i. rewrite <- projected_scale. apply projected_ext. intros. apply part_scale. }
      assert (F : forall l, ~ In l (map edge_label es) -> f l = 0).
      { intros l I. unfold f. rewrite <- projected_worth.
        apply worth_zero; intros i J; rewrite P; destruct (Z l i I J) as [ZA ZB]; rewrite ?ZA, ?ZB; ring. }
      rewrite (sum_support all_labels (map edge_label es) f); auto; [|apply NoDup_nodup|].
      - rewrite sum_map. apply sum_ext. intros e I. unfold f. rewrite <- projected_worth.
        apply worth_ext; intros i J; rewrite P;
          destruct (S e i I J) as [SA SB]; rewrite ?SA, ?SB; ring.
      - intros l _ J. apply worth_zero; intros i I; rewrite part_scale; unfold part;
          destruct (PeanoNat.Nat.eqb_spec (label c i) l); try ring; subst;
          exfalso; apply J; apply nodup_In; apply in_map; auto.
    Qed.

    (** Where a node has beliefs, so have those that its edges lead to. *)
    Definition sound (v : nat) : Prop := possible (A v) /\ possible (B v).

    (** A node is reached with a positive scale, or its vector is 0. *)
    Definition scale_ok (a : vector) (g : R) : Prop := 0 < g \/ g = 0 /\ forall i, state i -> a i = 0.

    Definition scales_ok (es : list edge) : Prop :=
      forall e, In e es -> scale_ok (A (edge_to e)) (edge_g e) /\ scale_ok (B (edge_to e)) (edge_h e).

    Lemma possible_after : forall a l a' g, possible a -> scale_ok a' g ->
      (forall i, state i -> projected (part a l) i = g * a' i) -> possible a'.
    Proof.
      intros a l a' g P [G | [_ Z]] H.
      - apply (possible_ext (fun i => / g * projected (part a l) i)).
        + intros i I. rewrite H by auto. field. lra.
        + apply possible_scale; [left; apply Rinv_0_lt_compat; auto|]. apply projected_possible, possible_part. auto.
      - intros m E. right. symmetry. apply sum_zero. intros i I. rewrite Z by auto. ring.
    Qed.

    Lemma sound_next : forall u es e, steps u es -> scales_ok es -> sound u -> In e es -> sound (edge_to e).
    Proof.
      intros u es e (_ & S & _) K [SA SB] I. destruct (K e I) as [KA KB].
      split; [apply (possible_after (A u) (edge_label e) _ (edge_g e)) | apply (possible_after (B u) (edge_label e) _ (edge_h e))];
        auto; intros i J; apply (S e i I J).
    Qed.

    Lemma mass_of_scaled : forall k a, mass (fun i => k * a i) = k * mass a.
    Proof. intros. unfold mass. apply sum_scale. Qed.

    Lemma masses_kept : forall u es, steps u es ->
      mass (A u) = sum es (fun e => edge_g e * mass (A (edge_to e))) /\
      mass (B u) = sum es (fun e => edge_h e * mass (B (edge_to e))).
    Proof.
      intros u es (N & S & Z).
      assert (H : forall (X : nat -> vector) (g : edge -> R),
        (forall e i, In e es -> state i -> projected (part (X u) (edge_label e)) i = g e * X (edge_to e) i) ->
        (forall l i, ~ In l (map edge_label es) -> state i -> projected (part (X u) l) i = 0) ->
        mass (X u) = sum es (fun e => g e * mass (X (edge_to e)))).
      { intros X g HS HZ. rewrite mass_step.
        rewrite (sum_ext _ _ _ (fun l => mass (projected (part (X u) l)))) by (intros; rewrite projected_mass; auto).
        rewrite (sum_support all_labels (map edge_label es)); auto; [| apply NoDup_nodup | |].
        - rewrite sum_map. apply sum_ext. intros e I. rewrite <- mass_of_scaled. apply sum_ext. intros i J. auto.
        - intros l _ I. apply sum_zero. intros i J. auto.
        - intros l _ I. rewrite projected_mass. apply sum_zero. intros i J. unfold part.
          destruct (PeanoNat.Nat.eqb_spec (label c i) l); auto. exfalso. apply I. subst. apply nodup_In, in_map. auto. }
      split; apply H; intros; first [apply S | apply Z]; auto.
    Qed.

    (** The worth at node 0 is that of the leaves. *)
    Theorem leaves_worth : flow ->
      node_worth 0 1 1 = sum nodes (fun v => match out v with
        | None => sum (M v) (fun w => node_worth v (fst w) (snd w))
        | Some _ => 0
        end).
    Proof.
      intros F. assert (H : homogeneous node_worth).
      { intros v k x y K. unfold node_worth. rewrite <- worth_scale by auto. apply worth_ext; intros; ring. }
      specialize (F node_worth H).
      assert (E : forall u, In u nodes -> sum (M u) (fun w => node_worth u (fst w) (snd w)) =
        (match out u with None => sum (M u) (fun w => node_worth u (fst w) (snd w)) | Some _ => 0 end) +
        (match out u with
         | None => 0
         | Some es => sum (M u) (fun w => sum es (fun e => node_worth (edge_to e) (edge_g e * fst w) (edge_h e * snd w)))
         end)).
      { intros u I. destruct (out u) as [es|] eqn:O; [|lra]. rewrite Rplus_0_l. apply sum_ext. intros w _.
        apply node_step. apply inner; auto. }
      rewrite (sum_ext _ _ _ _ E), sum_plus in F. lra.
    Qed.

    (** Nodes to which no path leads may have weights, but no leaf among them: what flows out of these nodes is all that
        flows in, and some of it would be lost. So leaves hold beliefs, or nothing. *)
    Section Reached.
      Hypothesis flows : flow.
      Hypothesis root : sound 0.
      Hypothesis scales : forall u es, In u nodes -> out u = Some es -> scales_ok es.
      Hypothesis weights_pos : forall v w, In v nodes -> In w (M v) -> 0 <= fst w /\ 0 <= snd w.
      Hypothesis masses : forall v, In v nodes ->
        (0 < mass (A v) \/ forall i, state i -> A v i = 0) /\ (0 < mass (B v) \/ forall i, state i -> B v i = 0).
      Hypothesis edges_in : forall u es e, In u nodes -> out u = Some es -> In e es -> In (edge_to e) nodes.

      Lemma scale_pos : forall a g, scale_ok a g -> 0 <= g.
      Proof. intros a g [H | [H _]]; lra. Qed.

      Lemma mass_of_zero : forall a, (forall i, state i -> a i = 0) -> mass a = 0.
      Proof. intros. apply sum_zero. auto. Qed.

      (** X is A or B, and x the side of the weights that belongs to it. *)
      Lemma lost : forall (X : nat -> vector) (g : edge -> R) (side : R -> R -> R),
        (forall v, In v nodes -> 0 <= mass (X v)) ->
        (forall u es, In u nodes -> out u = Some es -> mass (X u) = sum es (fun e => g e * mass (X (edge_to e)))) ->
        (forall u es e, In u nodes -> out u = Some es -> In e es -> 0 <= g e) ->
        (forall v w, In v nodes -> In w (M v) -> 0 <= side (fst w) (snd w)) ->
        (forall k x y, side (k * x) (k * y) = k * side x y) ->
        (forall e x y, side (edge_g e * x) (edge_h e * y) = g e * side x y) ->
        forall v w, In v nodes -> out v = None -> In w (M v) -> ~ sound v -> side (fst w) (snd w) * mass (X v) = 0.
      Proof.
        intros X g side MX KX GX SP SH SE v w V O W NS.
        pose (f := fun v x y => if ClassicalDedekindReals.sig_not_dec (sound v) then 0 else side x y * mass (X v)).
        assert (F : homogeneous f).
        { intros u k x y _. unfold f. destruct (ClassicalDedekindReals.sig_not_dec (sound u)); [lra|]. rewrite SH. ring. }
        assert (FP : forall u z, In u nodes -> In z (M u) -> 0 <= f u (fst z) (snd z)).
        { intros u z U Z. unfold f. destruct (ClassicalDedekindReals.sig_not_dec (sound u)); [lra|]. apply Rmult_le_pos; eauto. }
        assert (R0 : forall x y, f 0%nat x y = 0) by (intros; unfold f; destruct (ClassicalDedekindReals.sig_not_dec (sound 0)); tauto).
        assert (L : forall u, In u nodes ->
          match out u with
          | None => 0
          | Some es => sum (M u) (fun w => sum es (fun e => f (edge_to e) (edge_g e * fst w) (edge_h e * snd w)))
          end <= sum (M u) (fun w => f u (fst w) (snd w)) -
                 match out u with None => sum (M u) (fun w => f u (fst w) (snd w)) | Some _ => 0 end).
        { intros u U. destruct (out u) as [es|] eqn:E; [|lra]. rewrite Rminus_0_r. apply sum_le. intros z Z. unfold f at 2.
          destruct (ClassicalDedekindReals.sig_not_dec (sound u)) as [NN | N].
          - right. apply sum_zero. intros e I. unfold f. destruct (ClassicalDedekindReals.sig_not_dec (sound (edge_to e))) as [|N]; auto.
            exfalso. apply NN. intros S. apply N. apply (sound_next u es); eauto.
          - rewrite (KX u es U E), <- sum_scale. apply sum_le. intros e I. unfold f.
            assert (0 <= side (fst z) (snd z) * (g e * mass (X (edge_to e)))).
            { apply Rmult_le_pos; [eauto|]. apply Rmult_le_pos; eauto. }
            destruct (ClassicalDedekindReals.sig_not_dec (sound (edge_to e))); [lra|]. rewrite SE. lra. }
        assert (T : sum nodes (fun u => match out u with None => sum (M u) (fun w => f u (fst w) (snd w)) | Some _ => 0 end) <= 0).
        { pose proof (flows f F) as FL. rewrite R0, Rplus_0_l in FL.
          pose proof (sum_le _ nodes _ _ L) as SL. rewrite sum_minus in SL. lra. }
        assert (Q : f v (fst w) (snd w) <= 0).
        { eapply Rle_trans; [|apply T]. apply Rle_trans with (sum (M v) (fun w => f v (fst w) (snd w))).
          - apply (sum_member _ (M v) (fun w => f v (fst w) (snd w)) w); auto.
          - pose proof (sum_member _ nodes (fun u => match out u with None => sum (M u) (fun w => f u (fst w) (snd w)) | Some _ => 0 end) v) as SM.
            cbv beta in SM. rewrite O in SM. apply SM; auto. intros u U. destruct (out u); [lra|]. apply sum_pos. auto. }
        unfold f in Q. destruct (ClassicalDedekindReals.sig_not_dec (sound v)) as [NN | _]; [tauto|].
        assert (0 <= side (fst w) (snd w) * mass (X v)) by (apply Rmult_le_pos; eauto). lra.
      Qed.

      Theorem leaf_reached : forall v w, In v nodes -> out v = None -> In w (M v) -> ~ sound v ->
        forall i, state i -> fst w * A v i = 0 /\ snd w * B v i = 0.
      Proof.
        intros v w V O W NS i I.
        assert (P : forall a, 0 < mass a \/ (forall i, state i -> a i = 0) -> 0 <= mass a).
        { intros a [H | H]; [lra|]. rewrite mass_of_zero; auto. lra. }
        assert (K : forall a x, 0 < mass a \/ (forall i, state i -> a i = 0) -> x * mass a = 0 -> x * a i = 0).
        { intros a x [H | H] E; [|rewrite H; auto; ring]. apply Rmult_integral in E. destruct E as [-> | E]; [ring | lra]. }
        split; [apply K; [apply (masses v V)|] | apply K; [apply (masses v V)|]].
        - apply (lost A edge_g (fun x _ => x)); auto; try (intros; ring).
          + intros u U. apply P, (masses u U).
          + intros u es U E. apply masses_kept; auto.
          + intros u es e U E J. apply (scale_pos (A (edge_to e))). apply (scales u es U E e J).
          + intros u z U Z. apply (weights_pos u z U Z).
        - apply (lost B edge_h (fun _ y => y)); auto; try (intros; ring).
          + intros u U. apply P, (masses u U).
          + intros u es U E. apply masses_kept; auto.
          + intros u es e U E J. apply (scale_pos (B (edge_to e))). apply (scales u es U E e J).
          + intros u z U Z. apply (weights_pos u z U Z).
      Qed.
    End Reached.
  End Graph.
End Worth.
