(** Pre-fixed points, and the existence of the distances.

    A table is a pre-fixed point if no feasible function gains more than it says. The least one is the infimum of all
    of them, and it is the least fixed point. All bounds are proved about pre-fixed points: one of them bounds the
    distance from above, and what is below all of them bounds it from below. *)

From Coq Require Import Reals List Lra Lia.
From Proofs Require Import Spec Sums.
Import ListNotations.
Open Scope R_scope.

(** The directions in which a pair is looked at. *)
Definition turns (q : quantity) (s t : nat) : list (nat * nat) :=
  match q with
  | ld => [(s, t)]
  | bd => [(s, t); (t, s)]
  end.

Lemma turns_self : forall q s t, In (s, t) (turns q s t).
Proof. destruct q; simpl; auto. Qed.

Section Tables.
  Variables (q : quantity) (c : chain) (alpha : R).
  Hypothesis chain_valid : valid c.
  Hypothesis alpha_one : 1 <= alpha.

  Notation state := (is_state c).
  Notation feasible := (feasible c alpha).
  Notation gain := (gain c alpha).

  Record prefixed (v : table) : Prop := {
    prefixed_01 : forall s t, state s -> state t -> 0 <= v s t <= 1;
    prefixed_labels : forall s t, state s -> state t -> label c s <> label c t -> v s t = 1;
    prefixed_gain : forall s t x y f, state s -> state t -> label c s = label c t -> In (x, y) (turns q s t) ->
      feasible v f -> gain f x y <= v s t }.

  Lemma turns_states : forall s t x y, state s -> state t -> label c s = label c t -> In (x, y) (turns q s t) ->
    state x /\ state y /\ label c x = label c y.
  Proof. destruct q; simpl; intuition congruence. Qed.

  Lemma turns_sym : forall s t x y, In (x, y) (turns q s t) -> In (s, t) (turns q x y).
  Proof. destruct q; simpl; intuition congruence. Qed.

  (** ** Gains *)

  Lemma gain_split : forall f s t,
    gain f s t = sum (states c) (fun i => f i * step c s i) - alpha * sum (states c) (fun i => f i * step c t i).
  Proof.
    intros. unfold Spec.gain. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros. lra.
  Qed.

  Lemma mean_01 : forall f s, state s -> (forall i, state i -> 0 <= f i <= 1) ->
    0 <= sum (states c) (fun i => f i * step c s i) <= 1.
  Proof.
    intros f s S F. split.
    - apply sum_pos. intros i I. apply Rmult_le_pos; [apply F | apply (step_pos c)]; auto.
    - rewrite <- (step_sum c chain_valid s S). apply sum_le. intros i I.
      apply mult_01; [apply F | apply (step_pos c)]; auto.
  Qed.

  Lemma gain_le_1 : forall f s t, state s -> state t -> (forall i, state i -> 0 <= f i <= 1) -> gain f s t <= 1.
  Proof.
    intros f s t S T F. rewrite gain_split.
    pose proof (mean_01 f s S F). pose proof (mean_01 f t T F).
    assert (0 <= alpha * sum (states c) (fun i => f i * step c t i)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma gain_diagonal : forall f s, state s -> (forall i, state i -> 0 <= f i <= 1) -> gain f s s <= 0.
  Proof.
    intros f s S F. rewrite gain_split. pose proof (mean_01 f s S F).
    set (x := sum _ _) in *. assert (1 * x <= alpha * x) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma gain_zero : forall s t, gain (fun _ => 0) s t = 0.
  Proof. intros. apply sum_zero. intros. lra. Qed.

  Lemma gain_plus : forall f g a b s t, gain (fun i => a * f i + b * g i) s t = a * gain f s t + b * gain g s t.
  Proof.
    intros. unfold Spec.gain. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros. ring.
  Qed.

  Lemma feasible_mono : forall d e f, (forall i j, state i -> state j -> d i j <= e i j) -> feasible d f -> feasible e f.
  Proof. intros d e f L [F D]. split; auto. intros i j I J. apply Rle_trans with (d i j); auto. Qed.

  Lemma feasible_zero : forall d, (forall i j, state i -> state j -> 0 <= d i j) -> feasible d (fun _ => 0).
  Proof. intros d P. split; intros; [lra|]. rewrite Rmult_0_r, Rminus_0_r. auto. Qed.

  (** ** The lift exists *)

  Lemma lift_exists : forall d s t, state s -> state t -> (forall i j, state i -> state j -> 0 <= d i j) ->
    { x | is_lift c alpha d s t x }.
  Proof.
    intros d s t S T P. apply completeness.
    - exists 1. intros y (f & [F _] & ->). apply gain_le_1; auto.
    - exists 0. exists (fun _ => 0). split; [apply feasible_zero; auto|]. symmetry. apply gain_zero.
  Qed.

  (** ** Fixed points are pre-fixed points *)

  Lemma fixed_prefixed : forall d, fixed_point q c alpha d -> prefixed d.
  Proof.
    intros d X. split.
    - intros s t S T. apply (X s t); auto.
    - intros s t S T N. destruct (X s t S T) as [_ [H _]]. auto.
    - intros s t x y f S T E I F. destruct (X s t S T) as [_ [_ H]]. specialize (H E).
      assert (G : forall x y z, is_lift c alpha d x y z -> gain f x y <= z) by (intros ? ? ? [U _]; apply U; eauto).
      clear E. destruct q; simpl in I.
      + destruct H as (y' & z & L & L' & ->).
        pose proof (Rmax_l y' z). pose proof (Rmax_r y' z). apply G in L, L'.
        destruct I as [I | [I | []]]; inversion I; subst; lra.
      + destruct I as [I | []]; inversion I; subst. auto.
  Qed.

  Lemma ones_prefixed : prefixed (fun _ _ => 1).
  Proof.
    split; intros; auto; try lra.
    destruct (turns_states s t x y) as (? & ? & _); auto. apply gain_le_1; auto. apply H3.
  Qed.

  (** ** The least pre-fixed point *)

  Definition below_all (s t : nat) (x : R) : Prop := forall v, prefixed v -> x <= v s t.

  Lemma infimum_exists : forall s t, state s -> state t -> { x | is_lub (below_all s t) x }.
  Proof.
    intros s t S T. apply completeness.
    - exists 1. intros x B. apply (B _ ones_prefixed).
    - exists 0. intros v V. apply (prefixed_01 v V); auto.
  Qed.

  Definition least : table := fun s t =>
    match in_dec PeanoNat.Nat.eq_dec s (states c), in_dec PeanoNat.Nat.eq_dec t (states c) with
    | left is_s, left is_t => proj1_sig (infimum_exists s t is_s is_t)
    | _, _ => 0
    end.

  Lemma least_lub : forall s t, state s -> state t -> is_lub (below_all s t) (least s t).
  Proof.
    intros s t S T. unfold least.
    destruct (in_dec _ s _); [|tauto]. destruct (in_dec _ t _); [|tauto].
    destruct (infimum_exists s t i i0). auto.
  Qed.

  Lemma least_le : forall v s t, prefixed v -> state s -> state t -> least s t <= v s t.
  Proof. intros v s t V S T. apply (least_lub s t S T). intros x B. auto. Qed.

  Lemma least_greatest : forall s t x, state s -> state t -> below_all s t x -> x <= least s t.
  Proof. intros s t x S T B. apply (least_lub s t S T). auto. Qed.

  Lemma least_prefixed : prefixed least.
  Proof.
    split.
    - intros s t S T. split.
      + apply least_greatest; auto. intros v V. apply (prefixed_01 v V); auto.
      + apply (least_le _ s t ones_prefixed); auto.
    - intros s t S T N. apply Rle_antisym.
      + apply (least_le _ s t ones_prefixed); auto.
      + apply least_greatest; auto. intros v V. rewrite (prefixed_labels v V); auto. lra.
    - intros s t x y f S T E I F. apply least_greatest; auto. intros v V.
      apply (prefixed_gain v V s t x y); auto.
      apply feasible_mono with least; auto. intros. apply least_le; auto.
  Qed.

  (** Gamma of the least pre-fixed point, which is it again. *)
  Lemma gamma_gain : forall d s t x y f z, label c s = label c t -> is_gamma q c alpha d s t z ->
    In (x, y) (turns q s t) -> feasible d f -> gain f x y <= z.
  Proof.
    intros d s t x y f z E [_ G] I F. specialize (G E). clear E.
    assert (H : forall a b k, is_lift c alpha d a b k -> gain f a b <= k) by (intros ? ? ? [U _]; apply U; eauto).
    destruct q; simpl in *.
    - destruct G as (y' & z' & L & L' & ->). pose proof (Rmax_l y' z'). pose proof (Rmax_r y' z'). apply H in L, L'.
      destruct I as [I | [I | []]]; inversion I; subst; lra.
    - destruct I as [I | []]; inversion I; subst; auto.
  Qed.

  Lemma gamma_least : forall d s t z b, label c s = label c t -> is_gamma q c alpha d s t z ->
    (forall x y f, In (x, y) (turns q s t) -> feasible d f -> gain f x y <= b) -> z <= b.
  Proof.
    intros d s t z b E [_ G] H. specialize (G E). clear E.
    assert (L : forall x y k, In (x, y) (turns q s t) -> is_lift c alpha d x y k -> k <= b).
    { intros x y k I [_ U]. apply U. intros w (f & F & ->). eauto. }
    destruct q; simpl in *.
    - destruct G as (y & z' & A & B & ->). apply Rmax_lub; [apply (L s t) | apply (L t s)]; auto.
    - apply (L s t); auto.
  Qed.

  Lemma gamma_01 : forall d s t z, state s -> state t -> (forall i j, state i -> state j -> 0 <= d i j) ->
    is_gamma q c alpha d s t z -> 0 <= z <= 1.
  Proof.
    intros d s t z S T P G. destruct (PeanoNat.Nat.eq_dec (label c s) (label c t)) as [E | N].
    - split.
      + rewrite <- (gain_zero s t). apply (gamma_gain d s t s t); auto; [apply turns_self | apply feasible_zero; auto].
      + eapply gamma_least; eauto. intros x y f I [F _].
        destruct (turns_states s t x y) as (? & ? & _); auto. apply gain_le_1; auto.
    - destruct G as [G _]. rewrite G; auto; lra.
  Qed.

  Lemma least_fixed : fixed_point q c alpha least.
  Proof.
    pose proof least_prefixed as L.
    assert (P : forall i j, state i -> state j -> 0 <= least i j) by (intros; apply (prefixed_01 _ L); auto).
    (* a table of Gamma(least) *)
    assert (C : forall s t, { x | state s -> state t -> is_gamma q c alpha least s t x }).
    { intros s t. destruct (in_dec PeanoNat.Nat.eq_dec s (states c)) as [S|S]; [|exists 0; tauto].
      destruct (in_dec PeanoNat.Nat.eq_dec t (states c)) as [T|T]; [|exists 0; tauto].
      destruct (PeanoNat.Nat.eq_dec (label c s) (label c t)).
      - destruct (lift_exists least s t S T P) as (y & Y). destruct (lift_exists least t s T S P) as (z & Z).
        exists (match q with bd => Rmax y z | ld => y end). intros _ _. unfold is_gamma.
        destruct q; split; intros; try tauto; eauto.
      - exists 1. intros _ _. split; tauto. }
    pose (e := fun s t => proj1_sig (C s t)).
    assert (G : forall s t, state s -> state t -> is_gamma q c alpha least s t (e s t)).
    { intros s t S T. unfold e. destruct (C s t). auto. }
    assert (D : forall s t, state s -> state t -> e s t <= least s t).
    { intros s t S T. destruct (PeanoNat.Nat.eq_dec (label c s) (label c t)) as [E | N].
      - apply (gamma_least least s t); auto. intros x y f I F. apply (prefixed_gain _ L s t x y); auto.
      - destruct (G s t S T) as [H _]. rewrite H by auto. rewrite (prefixed_labels _ L); auto; lra. }
    assert (V : prefixed e).
    { split.
      - intros s t S T. apply (gamma_01 least s t); auto.
      - intros s t S T N. destruct (G s t S T). auto.
      - intros s t x y f S T E I F. apply (gamma_gain least s t x y f); auto.
        apply (feasible_mono e least); auto. }
    intros s t S T. split; [apply (prefixed_01 _ L); auto|].
    replace (least s t) with (e s t); auto.
    apply Rle_antisym; auto. apply least_le; auto.
  Qed.

  (** The distance exists. *)
  Theorem distance_exists : exists d, is_distance q c alpha d.
  Proof.
    exists least. split; [apply least_fixed|]. intros e F s t S T. apply least_le; auto. apply fixed_prefixed. auto.
  Qed.

  (** It is below every pre-fixed point, and is one. *)
  Lemma distance_prefixed : forall d, is_distance q c alpha d -> prefixed d.
  Proof. intros d [F _]. apply fixed_prefixed. auto. Qed.

  Lemma distance_least : forall d v s t, is_distance q c alpha d -> prefixed v -> state s -> state t -> d s t <= v s t.
  Proof.
    intros d v s t [_ L] V S T. apply Rle_trans with (least s t); [apply L | apply least_le]; auto. apply least_fixed.
  Qed.

  Lemma distance_unique : forall d e s t, is_distance q c alpha d -> is_distance q c alpha e -> state s -> state t ->
    d s t = e s t.
  Proof. intros d e s t [A B] [C D] S T. apply Rle_antisym; auto. Qed.
End Tables.

Arguments prefixed_01 {q c alpha v}.
Arguments prefixed_labels {q c alpha v}.
Arguments prefixed_gain {q c alpha v}.

(** ld <= bd: a pre-fixed point for bd is one for ld. *)
Lemma prefixed_bd_ld : forall c alpha v, prefixed bd c alpha v -> prefixed ld c alpha v.
Proof.
  intros c alpha v V. split; try apply V.
  intros s t x y f S T E I F. apply (prefixed_gain V s t x y); auto. simpl in *. tauto.
Qed.

Theorem ld_le_bd : forall c alpha d e, valid c -> 1 <= alpha ->
  is_distance ld c alpha d -> is_distance bd c alpha e ->
  forall s t, is_state c s -> is_state c t -> d s t <= e s t.
Proof.
  intros c alpha d e V A D E s t S T.
  apply (distance_least ld c alpha V A d e); auto.
  apply prefixed_bd_ld. apply distance_prefixed; auto.
Qed.
