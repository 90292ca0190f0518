(** Words: no event of the next m labels tells two states apart by more than their distance.

    From this also lv <= ld and tv <= bd. *)

From Coq Require Import Reals List Lra Lia.
From Proofs Require Import Spec Sums Tables.
Import ListNotations.
Open Scope R_scope.

Section Words.
  Variables (c : chain) (alpha : R).
  Hypothesis chain_valid : valid c.
  Hypothesis alpha_one : 1 <= alpha.

  Notation state := (is_state c).

  Lemma after_01 : forall m s E, state s -> 0 <= after c m s E <= 1.
  Proof.
    induction m; simpl; intros s E S; [destruct (E []); lra|].
    rewrite (sum_ext _ _ _ (fun i => after c m i (fun u => E (label c i :: u)) * step c s i)).
    - apply mean_01; auto.
    - intros. ring.
  Qed.

  Lemma after_ext : forall m s E F, (forall u, length u = m -> E u = F u) -> after c m s E = after c m s F.
  Proof.
    induction m; simpl; intros s E F H; [rewrite H; auto|].
    apply sum_ext. intros i _. f_equal. apply IHm. intros u U. apply H. simpl. auto.
  Qed.

  (** Whoever accepts the words in E has this function after one step. *)
  Definition event (m : nat) (E : list nat -> bool) (i : nat) : R := after c m i (fun u => E (label c i :: u)).

  Lemma event_gain : forall m E s t,
    gain c alpha (event m E) s t = after c (S m) s E - alpha * after c (S m) t E.
  Proof.
    intros. rewrite gain_split. simpl. f_equal; [|f_equal]; apply sum_ext; intros; unfold event; ring.
  Qed.

  Lemma event_01 : forall m E i, state i -> 0 <= event m E i <= 1.
  Proof. intros. apply after_01. auto. Qed.

  Lemma words_below : forall q v, prefixed q c alpha v ->
    forall m s t x y E, state s -> state t -> label c s = label c t -> In (x, y) (turns q s t) ->
    after c m x E - alpha * after c m y E <= v s t.
  Proof.
    intros q v V. induction m; intros s t x y E is_s is_t same I.
    - pose proof (prefixed_01 V s t is_s is_t). simpl. destruct (E []); lra.
    - rewrite <- event_gain. apply (prefixed_gain V s t x y); auto. split; [intros; apply event_01; auto|].
      intros i j is_i is_j. pose proof (event_01 m E i is_i). pose proof (event_01 m E j is_j).
      destruct (PeanoNat.Nat.eq_dec (label c i) (label c j)) as [e | n].
      + unfold event. rewrite <- e. apply (IHm i j i j); auto. apply turns_self.
      + rewrite (prefixed_labels V) by auto.
        assert (0 <= alpha * event m E j) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** ** lv and tv *)

  Lemma measure_01 : forall m s E, state s -> 0 <= measure c m s E <= 1.
  Proof. intros. apply after_01. auto. Qed.

  Lemma measure_below : forall q v, prefixed q c alpha v -> forall m s t x y E,
    state s -> state t -> In (x, y) (turns q s t) -> measure c m x E - alpha * measure c m y E <= v s t.
  Proof.
    intros q v V m s t x y E is_s is_t I. destruct (PeanoNat.Nat.eq_dec (label c s) (label c t)) as [e | n].
    - destruct (turns_states q c s t x y) as (is_x & is_y & e'); auto. unfold measure. rewrite <- e'.
      apply (words_below q v V); auto.
    - rewrite (prefixed_labels V) by auto.
      assert (state x /\ state y) as [is_x is_y] by (destruct q; simpl in I; intuition congruence).
      pose proof (measure_01 m x E is_x). pose proof (measure_01 m y E is_y).
      assert (0 <= alpha * measure c m y E) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Theorem lv_le_ld : forall d s t x, is_distance ld c alpha d -> is_lv c alpha s t x -> state s -> state t ->
    x <= d s t.
  Proof.
    intros d s t x D [_ X] is_s is_t. apply X. intros y (m & E & ->).
    apply (measure_below ld); auto; [apply distance_prefixed; auto | simpl; auto].
  Qed.

  Theorem tv_le_bd : forall d s t x, is_distance bd c alpha d -> is_tv c alpha s t x -> state s -> state t ->
    x <= d s t.
  Proof.
    intros d s t x D (y & z & [_ Y] & [_ Z] & ->) is_s is_t.
    apply Rmax_lub; [apply Y | apply Z]; intros w (m & E & ->);
      (apply (measure_below bd); auto; [apply distance_prefixed; auto | simpl; auto]).
  Qed.
End Words.
