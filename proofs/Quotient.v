(** Smaller chains and finer labels: what happens to pre-fixed points, and to the distance.

    - merging the classes of a bisimulation makes distances smaller, if anything, and keeps the measures of words;
    - a clock, numbers of steps that are left, may be part of the label. *)

From Coq Require Import Reals List Lra Lia.
From Proofs Require Import Spec Sums Tables Words.
Import ListNotations.
Open Scope R_scope.

(** * Bisimulations *)

Section Bisimulation.
  Variables (q : quantity) (c : chain) (alpha : R) (h : nat -> nat).
  Hypothesis chain_valid : valid c.
  Hypothesis alpha_one : 1 <= alpha.
  Hypothesis classes : bisimulation c h.

  Notation merged := (quotient c h).
  Notation state := (is_state c).

  Lemma merged_state : forall k, is_state merged k <-> state k /\ h k = k.
  Proof. intros k. unfold is_state. simpl. rewrite filter_In, PeanoNat.Nat.eqb_eq. tauto. Qed.

  Lemma class_state : forall s, state s -> is_state merged (h s).
  Proof. intros s is_s. apply merged_state. destruct (classes s is_s) as (? & ? & _). auto. Qed.

  (** A sum over classes is one over states. *)
  Lemma merged_sum : forall s f,
    sum (states merged) (fun k => f k * step merged s k) = sum (states c) (fun i => f (h i) * step c s i).
  Proof.
    intros s f. simpl.
    rewrite (sum_ext _ _ _ (fun k => sum (states c) (fun i => if Nat.eqb (h i) k then f k * step c s i else 0))).
    2:{ intros k _. rewrite <- sum_scale. apply sum_ext. intros i _. destruct (Nat.eqb (h i) k); lra. }
    rewrite sum_swap. apply sum_ext. intros i is_i.
    rewrite (sum_delta _ (h i) (fun k => f k * step c s i)); auto.
    - apply NoDup_filter. apply chain_valid.
    - apply class_state. auto.
  Qed.

  Lemma merged_valid : valid merged.
  Proof.
    split.
    - apply NoDup_filter. apply chain_valid.
    - intros s k is_s is_k. apply merged_state in is_s. simpl. apply sum_pos. intros i I.
      destruct (Nat.eqb (h i) k); [|lra]. apply (step_pos c); tauto.
    - intros s is_s. apply merged_state in is_s.
      transitivity (sum (states merged) (fun k => 1 * step merged s k)); [apply sum_ext; intros; lra|].
      rewrite (merged_sum s (fun _ => 1)).
      transitivity (sum (states c) (step c s)); [apply sum_ext; intros; lra | apply (step_sum c chain_valid); tauto].
  Qed.

  (** A function on classes gains the same on states. *)
  Lemma merged_gain : forall f s t, state s -> state t ->
    gain merged alpha f (h s) (h t) = gain c alpha (fun i => f (h i)) s t.
  Proof.
    intros f s t is_s is_t. rewrite !gain_split.
    assert (E : forall s, state s -> sum (states merged) (fun k => f k * step merged (h s) k)
                                     = sum (states c) (fun i => f (h i) * step c s i)).
    { intros x is_x. rewrite <- merged_sum. apply sum_ext. intros k _. f_equal. apply (classes x is_x). }
    rewrite !E; auto.
  Qed.

  (** The least value of a table between the states of two classes. *)
  Definition pairs_of (k l : nat) : list (nat * nat) :=
    filter (fun p => Nat.eqb (h (fst p)) k && Nat.eqb (h (snd p)) l)%bool (list_prod (states c) (states c)).

  Lemma pairs_of_spec : forall k l s t, In (s, t) (pairs_of k l) <-> state s /\ state t /\ h s = k /\ h t = l.
  Proof.
    intros. unfold pairs_of. rewrite filter_In, in_prod_iff. simpl.
    rewrite Bool.andb_true_iff, !PeanoNat.Nat.eqb_eq. unfold is_state. tauto.
  Qed.

  Definition least_between (v : table) : table := fun k l =>
    fold_right (fun p m => Rmin (v (fst p) (snd p)) m) 1 (pairs_of k l).

  Lemma fold_min_le : forall (v : table) l p, In p l ->
    fold_right (fun p m => Rmin (v (fst p) (snd p)) m) 1 l <= v (fst p) (snd p).
  Proof.
    induction l as [|a l IH]; simpl; intros p I; [tauto|]. destruct I as [-> | I]; [apply Rmin_l|].
    eapply Rle_trans; [apply Rmin_r | auto].
  Qed.

  Lemma fold_min_ge : forall (v : table) l b, b <= 1 -> (forall p, In p l -> b <= v (fst p) (snd p)) ->
    b <= fold_right (fun p m => Rmin (v (fst p) (snd p)) m) 1 l.
  Proof. induction l as [|a l IH]; simpl; intros b B H; auto. apply Rmin_glb; auto. Qed.

  Lemma least_between_le : forall v s t, state s -> state t -> least_between v (h s) (h t) <= v s t.
  Proof. intros v s t is_s is_t. apply (fold_min_le v _ (s, t)). apply pairs_of_spec. auto. Qed.

  Lemma merged_prefixed : forall v, prefixed q c alpha v -> prefixed q merged alpha (least_between v).
  Proof.
    intros v V. split.
    - intros k l is_k is_l. split.
      + apply fold_min_ge; [lra|]. intros (s, t) I. apply pairs_of_spec in I. apply V; tauto.
      + apply merged_state in is_k, is_l. eapply Rle_trans; [apply (fold_min_le v _ (k, l))|].
        * apply pairs_of_spec. tauto.
        * apply V; tauto.
    - intros k l is_k is_l N. apply merged_state in is_k, is_l. apply Rle_antisym.
      + eapply Rle_trans; [apply (fold_min_le v _ (k, l))|]; [apply pairs_of_spec; tauto | apply V; tauto].
      + apply fold_min_ge; [lra|]. intros (s, t) I. apply pairs_of_spec in I. destruct I as (is_s & is_t & <- & <-).
        rewrite (prefixed_labels V); simpl; auto; [lra|].
        destruct (classes s is_s) as (_ & _ & A & _). destruct (classes t is_t) as (_ & _ & B & _). simpl in N. congruence.
    - intros k l x y f is_k is_l same I F. apply fold_min_ge.
      { destruct (turns_states q merged k l x y) as (is_x & is_y & _); auto.
        apply (gain_le_1 merged); auto; [apply merged_valid | apply F]. }
      intros (s, t) J. apply pairs_of_spec in J. destruct J as (is_s & is_t & <- & <-). simpl.
      assert (exists x' y', x = h x' /\ y = h y' /\ state x' /\ state y' /\ In (x', y') (turns q s t))
        as (x' & y' & -> & -> & is_x & is_y & J).
      { destruct q; simpl in *.
        - destruct I as [I | [I | []]]; inversion I; subst; [exists s, t | exists t, s]; auto 10.
        - destruct I as [I | []]; inversion I; subst. exists s, t. auto 10. }
      rewrite merged_gain by auto. apply (prefixed_gain V s t x' y'); auto.
      { destruct (classes s is_s) as (_ & _ & A & _). destruct (classes t is_t) as (_ & _ & B & _).
        simpl in same. congruence. }
      destruct F as [F D]. split.
      + intros i is_i. apply F. apply class_state. auto.
      + intros i j is_i is_j. eapply Rle_trans; [apply D; apply class_state; auto | apply least_between_le; auto].
  Qed.

  (** What is below all pre-fixed points of the quotient is below those of the chain. *)
  Lemma below_merged : forall s t b, state s -> state t ->
    (forall w, prefixed q merged alpha w -> b <= w (h s) (h t)) -> forall v, prefixed q c alpha v -> b <= v s t.
  Proof.
    intros s t b is_s is_t H v V.
    eapply Rle_trans; [apply H; apply merged_prefixed; apply V | apply least_between_le; auto].
  Qed.

  Theorem quotient_distance : forall d e s t, is_distance q merged alpha d -> is_distance q c alpha e ->
    state s -> state t -> d (h s) (h t) <= e s t.
  Proof.
    intros d e s t D E is_s is_t.
    eapply Rle_trans; [|apply (least_between_le e); auto].
    apply (distance_least q merged alpha merged_valid alpha_one d); auto using class_state.
    apply merged_prefixed. apply distance_prefixed; auto.
  Qed.

  (** ** Words *)

  Lemma merged_after : forall m s E, state s -> after merged m (h s) E = after c m s E.
  Proof.
    induction m; intros s E is_s; simpl; auto.
    transitivity (sum (states merged) (fun k => after merged m k (fun u => E (label c k :: u)) * step merged s k)).
    { apply sum_ext. intros k _. rewrite Rmult_comm. f_equal. apply (classes s is_s). }
    rewrite (merged_sum s (fun k => after merged m k (fun u => E (label c k :: u)))).
    apply sum_ext. intros i is_i. rewrite Rmult_comm. f_equal.
    rewrite IHm by auto. destruct (classes i is_i) as (_ & _ & -> & _). auto.
  Qed.

  Lemma merged_measure : forall m s E, state s -> measure merged m (h s) E = measure c m s E.
  Proof.
    intros m s E is_s. unfold measure. rewrite merged_after by auto. simpl.
    destruct (classes s is_s) as (_ & _ & -> & _). auto.
  Qed.

  Theorem quotient_lv : forall s t x, state s -> state t -> is_lv merged alpha (h s) (h t) x -> is_lv c alpha s t x.
  Proof.
    intros s t x is_s is_t [U L]. split.
    - intros y (m & E & ->). apply U. exists m, E. rewrite !merged_measure; auto.
    - intros b B. apply L. intros y (m & E & ->). apply B. exists m, E. rewrite !merged_measure; auto.
  Qed.
End Bisimulation.

(** * Clocks *)

Section Clock.
  Variables (q : quantity) (c : chain) (alpha : R) (left : nat -> nat) (fine : nat -> nat).
  Hypothesis chain_valid : valid c.
  Hypothesis alpha_one : 1 <= alpha.

  (** [left] counts the steps to a label of the clock; the new labels tell the old ones and it. *)
  Definition timed : chain := {| states := states c; label := fine; step := step c |}.

  Hypothesis counts : forall s, is_state c s ->
    (forall t, is_state c t -> label c s = label c t -> left s = 0%nat -> left t = 0%nat) /\
    (left s = 0%nat \/ forall i, is_state c i -> step c s i <> 0 -> S (left i) = left s).
  Hypothesis fine_labels : forall s t, is_state c s -> is_state c t ->
    (fine s = fine t <-> label c s = label c t /\ left s = left t).

  Notation state := (is_state c).

  Lemma timed_valid : valid timed.
  Proof. split; apply chain_valid. Qed.

  (** A function with the values 0 and 1 is feasible where it tells states apart only if v does. *)
  Definition indicator (g : nat -> bool) (i : nat) : R := if g i then 1 else 0.

  Lemma indicator_feasible : forall v g, prefixed q c alpha v ->
    (forall i j, state i -> state j -> g i = true -> g j = false -> v i j = 1) -> feasible c alpha v (indicator g).
  Proof.
    intros v g V H. unfold indicator. split.
    - intros i _. destruct (g i); lra.
    - intros i j is_i is_j. pose proof (prefixed_01 V i j is_i is_j).
      destruct (g i) eqn:I, (g j) eqn:J; try lra. rewrite H; auto. lra.
  Qed.

  Lemma mean_indicator : forall g s b, state s -> (forall i, state i -> step c s i <> 0 -> g i = b) ->
    sum (states c) (fun i => indicator g i * step c s i) = if b then 1 else 0.
  Proof.
    intros g s b is_s H.
    transitivity (sum (states c) (fun i => (if b then 1 else 0) * step c s i)).
    - apply sum_ext. intros i is_i. destruct (Req_dec (step c s i) 0) as [-> | P]; [lra|].
      unfold indicator. rewrite (H i is_i P). auto.
    - rewrite sum_scale, (step_sum c chain_valid s is_s). lra.
  Qed.

  (** States with different numbers are told apart for certain. *)
  Lemma told_apart : forall v, prefixed q c alpha v -> forall n s t, state s -> state t ->
    (left s <= n \/ left t <= n)%nat -> left s <> left t -> v s t = 1.
  Proof.
    intros v V. induction n; intros s t is_s is_t one differ;
      (destruct (PeanoNat.Nat.eq_dec (label c s) (label c t)) as [same|]; [|apply (prefixed_labels V); auto]);
      destruct (counts s is_s) as [zero_s one_s]; destruct (counts t is_t) as [zero_t one_t];
      pose proof (zero_s t is_t same) as zs; pose proof (zero_t s is_s (eq_sym same)) as zt.
    - exfalso. lia.
    - destruct one_s as [|one_s]; [exfalso; lia|]. destruct one_t as [|one_t]; [exfalso; lia|].
      apply Rle_antisym; [apply (prefixed_01 V); auto|].
      assert (G : exists g : nat -> bool, (forall i j, g i = true -> g j = false -> left i <> left j /\ (left i <= n \/ left j <= n)%nat)
        /\ (forall i, S (left i) = left s -> g i = true) /\ (forall i, S (left i) = left t -> g i = false)).
      { destruct (PeanoNat.Nat.le_gt_cases (left s) (S n)).
        - exists (fun i => Nat.eqb (left i) (pred (left s))). repeat split; intros;
            rewrite ?PeanoNat.Nat.eqb_eq, ?PeanoNat.Nat.eqb_neq in *; lia.
        - exists (fun i => negb (Nat.eqb (left i) (pred (left t)))). repeat split; intros;
            rewrite ?Bool.negb_true_iff, ?Bool.negb_false_iff, ?PeanoNat.Nat.eqb_eq, ?PeanoNat.Nat.eqb_neq in *; lia. }
      destruct G as (g & apart & gs & gt).
      replace 1 with (gain c alpha (indicator g) s t).
      + apply (prefixed_gain V s t s t); auto; [apply turns_self|]. apply indicator_feasible; auto.
        intros i j is_i is_j I J. destruct (apart i j I J). apply IHn; auto.
      + rewrite gain_split, (mean_indicator g s true), (mean_indicator g t false); auto. lra.
  Qed.

  (** A pre-fixed point stays one, since it is 1 where the new labels differ. *)
  Lemma timed_prefixed : forall v, prefixed q c alpha v -> prefixed q timed alpha v.
  Proof.
    intros v V. split.
    - apply V.
    - intros s t is_s is_t N. simpl in *.
      destruct (PeanoNat.Nat.eq_dec (label c s) (label c t)); [|apply (prefixed_labels V); auto].
      apply (told_apart v V (left s)); auto. intros E. apply N. apply fine_labels; auto.
    - intros s t x y f is_s is_t same I F. apply (prefixed_gain V s t x y); auto.
      simpl in same. apply fine_labels in same; tauto.
  Qed.

  (** And one with the new labels is one with the old, which ask for less. *)
  Lemma untimed_prefixed : forall v, prefixed q timed alpha v -> prefixed q c alpha v.
  Proof.
    intros v V. split.
    - apply (prefixed_01 V).
    - intros s t is_s is_t N. apply (prefixed_labels V); auto. simpl. intros E. apply fine_labels in E; tauto.
    - intros s t x y f is_s is_t same I F. destruct (PeanoNat.Nat.eq_dec (fine s) (fine t)).
      + apply (prefixed_gain V s t x y); auto.
      + rewrite (prefixed_labels V) by auto. destruct (turns_states q c s t x y) as (is_x & is_y & _); auto.
        apply gain_le_1; auto. apply F.
  Qed.

  (** The clock changes no distance. *)
  Theorem timed_distance : forall d e s t, is_distance q c alpha d -> is_distance q timed alpha e ->
    state s -> state t -> d s t = e s t.
  Proof.
    intros d e s t D E is_s is_t. apply Rle_antisym.
    - apply (distance_least q c alpha chain_valid alpha_one d e); auto.
      apply untimed_prefixed. apply distance_prefixed; auto.
    - apply (distance_least q timed alpha timed_valid alpha_one e d); auto.
      apply timed_prefixed. apply distance_prefixed; auto.
  Qed.
End Clock.
