(** Curves of lists of atoms, and when one lies below another.

    Atoms (p, q) stand for the curve A(alpha) = Sum max(0, p - alpha q), which is convex, falls, and is linear between
    the ratios p/q. So what is convex and falls is below A, from the first of some places on, as soon as it is at these
    places, if the ratios are among them. *)

From Coq Require Import Reals List Lra Lia.
From Proofs Require Import Spec Sums.
Import ListNotations.
Open Scope R_scope.

Definition loss (alpha x y : R) : R := Rmax 0 (x - alpha * y).

Lemma loss_homogeneous : forall alpha k x y, 0 < k -> loss alpha (k * x) (k * y) = k * loss alpha x y.
Proof. intros. unfold loss. rewrite <- RmaxRmult by lra. f_equal; ring. Qed.

Lemma loss_pos : forall alpha x y, 0 <= loss alpha x y.
Proof. intros. apply Rmax_l. Qed.

Lemma loss_at_least : forall alpha x y, x - alpha * y <= loss alpha x y.
Proof. intros. apply Rmax_r. Qed.

Lemma loss_at_most : forall alpha x y z, 0 <= z -> x - alpha * y <= z -> loss alpha x y <= z.
Proof. intros. apply Rmax_lub; auto. Qed.

Lemma loss_plus : forall alpha x y x' y', loss alpha (x + x') (y + y') <= loss alpha x y + loss alpha x' y'.
Proof.
  intros. pose proof (loss_pos alpha x y). pose proof (loss_pos alpha x' y').
  pose proof (loss_at_least alpha x y). pose proof (loss_at_least alpha x' y'). apply loss_at_most; lra.
Qed.

Lemma loss_of_certain : forall alpha x y, alpha * y <= x -> loss alpha x y = x - alpha * y.
Proof. intros. apply Rmax_right. lra. Qed.

Lemma loss_of_none : forall alpha x y, x <= alpha * y -> loss alpha x y = 0.
Proof. intros. apply Rmax_left. lra. Qed.

(** ** Curves *)

Definition convex (F : R -> R) : Prop :=
  forall a b k, 0 <= a -> 0 <= b -> 0 <= k <= 1 -> F ((1 - k) * a + k * b) <= (1 - k) * F a + k * F b.

Definition falling (F : R -> R) : Prop := forall a b, 0 <= a -> a <= b -> F b <= F a.

Lemma loss_convex : forall x y, convex (fun alpha => loss alpha x y).
Proof.
  intros x y a b k A B K. pose proof (loss_pos a x y) as P. pose proof (loss_pos b x y) as Q.
  pose proof (loss_at_least a x y) as S. pose proof (loss_at_least b x y) as T. apply loss_at_most.
  - apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
  - replace (x - ((1 - k) * a + k * b) * y) with ((1 - k) * (x - a * y) + k * (x - b * y)) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma loss_falling : forall x y, 0 <= y -> falling (fun alpha => loss alpha x y).
Proof.
  intros x y Y a b A B. apply loss_at_most; [apply loss_pos|].
  apply Rle_trans with (x - a * y); [|apply loss_at_least].
  apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_r; auto.
Qed.

Definition nonnegative (a : R * R) : Prop := 0 <= fst a /\ 0 <= snd a.

Lemma curve_convex : forall l, convex (curve l).
Proof.
  intros l a b k A B K. unfold curve. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros x _.
  apply (loss_convex (fst x) (snd x)); auto.
Qed.

Lemma curve_falling : forall l, (forall a, In a l -> nonnegative a) -> falling (curve l).
Proof. intros l N a b A B. apply sum_le. intros x I. apply (loss_falling (fst x) (snd x)); auto. apply N. auto. Qed.

(** The ratio of an atom is at most t, infinite, or one of the places. *)
Definition corner (t : R) (places : list R) (a : R * R) : Prop :=
  fst a <= t * snd a \/ snd a = 0 \/ exists r, In r places /\ fst a = r * snd a.

(** The last place up to x, and the first one after it. *)
Lemma last_place : forall places t x, t <= x ->
  exists l, In l (t :: places) /\ l <= x /\ forall r, In r places -> r <= x -> r <= l.
Proof.
  induction places as [|p places IH]; intros t x T; [exists t; simpl; tauto|].
  destruct (IH t x T) as (l & I & L & M). destruct (Rle_lt_dec p x) as [P | P]; [destruct (Rle_lt_dec p l) as [Q | Q]|].
  - exists l. split; [destruct I; simpl; auto|]. split; auto. intros r [<- | J]; auto.
  - exists p. split; [simpl; auto|]. split; auto. intros r [<- | J] R; [lra|]. specialize (M r J R). lra.
  - exists l. split; [destruct I; simpl; auto|]. split; auto. intros r [<- | J] R; [lra | auto].
Qed.

Lemma next_place : forall places x,
  (exists h, In h places /\ x < h /\ forall r, In r places -> x < r -> h <= r) \/ (forall r, In r places -> r <= x).
Proof.
  induction places as [|p places IH]; intros x; [right; simpl; tauto|].
  destruct (Rle_lt_dec p x) as [P | P], (IH x) as [(h & I & H & M) | N].
  - left. exists h. split; [simpl; auto|]. split; auto. intros r [<- | J] R; [lra | auto].
  - right. intros r [<- | J]; auto.
  - left. destruct (Rle_lt_dec p h) as [Q | Q].
    + exists p. split; [simpl; auto|]. split; auto. intros r [<- | J] R; [lra|]. specialize (M r J R). lra.
    + exists h. split; [simpl; auto|]. split; auto. intros r [<- | J] R; [lra | auto].
  - left. exists p. split; [simpl; auto|]. split; auto. intros r [<- | J] R; [lra|]. specialize (N r J). lra.
Qed.

Section Below.
  Variables (F : R -> R) (l : list (R * R)) (t : R) (places : list R).
  Hypothesis F_convex : convex F.
  Hypothesis F_falling : falling F.
  Hypothesis from_zero : 0 <= t.
  Hypothesis l_pos : forall a, In a l -> nonnegative a.
  Hypothesis corners : forall a, In a l -> corner t places a.
  Hypothesis after_t : forall r, In r places -> t <= r.
  Hypothesis below_at : forall r, In r (t :: places) -> F r <= curve l r.

  (** Beyond the last place the curve is constant. *)
  Lemma loss_constant : forall a k x, In a l -> t <= k -> k <= x -> (forall r, In r places -> r <= k) ->
    loss x (fst a) (snd a) = loss k (fst a) (snd a).
  Proof.
    intros [p q] k x I T K M. destruct (l_pos _ I) as [P Q]. simpl in *.
    assert (D : forall r, r <= k -> p = r * q \/ p <= r * q -> loss x p q = loss k p q).
    { intros r R E. rewrite !loss_of_none; auto.
      - apply Rle_trans with (r * q); [lra | apply Rmult_le_compat_r; auto].
      - apply Rle_trans with (r * q); [lra | apply Rmult_le_compat_r; lra]. }
    destruct (corners _ I) as [C | [C | (r & J & C)]]; simpl in C.
    - apply (D t); auto.
    - subst q. unfold loss. rewrite !Rmult_0_r. auto.
    - apply (D r); auto.
  Qed.

  (** Between two places next to each other it is linear. *)
  Lemma loss_linear : forall a u v k, In a l -> t <= u -> u < v -> 0 <= k <= 1 ->
    (forall r, In r places -> r <= u \/ v <= r) ->
    loss ((1 - k) * u + k * v) (fst a) (snd a) = (1 - k) * loss u (fst a) (snd a) + k * loss v (fst a) (snd a).
  Proof.
    intros [p q] u v k I T U K M. destruct (l_pos _ I) as [P Q]. simpl in *.
    set (x := (1 - k) * u + k * v).
    assert (X : u <= x <= v).
    { unfold x. assert (0 <= k * (v - u)) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - k) * (v - u)) by (apply Rmult_le_pos; lra). lra. }
    assert (LO : forall r, r <= u -> p <= r * q -> loss x p q = (1 - k) * loss u p q + k * loss v p q).
    { intros r R E. rewrite !loss_of_none; [lra | | |];
        (apply Rle_trans with (r * q); [lra | apply Rmult_le_compat_r; lra]). }
    assert (HI : forall r, v <= r -> r * q <= p -> loss x p q = (1 - k) * loss u p q + k * loss v p q).
    { intros r R E. rewrite !loss_of_certain; [unfold x; ring | | |];
        (apply Rle_trans with (r * q); [apply Rmult_le_compat_r; lra | lra]). }
    destruct (corners _ I) as [C | [C | (r & J & C)]]; simpl in C.
    - apply (LO t); auto.
    - subst q. apply (HI v); lra.
    - destruct (M r J); [apply (LO r) | apply (HI r)]; auto; lra.
  Qed.

  Theorem below_curve : forall x, t <= x -> F x <= curve l x.
  Proof.
    intros x X. destruct (last_place places t x X) as (u & U & UX & UM).
    assert (TU : t <= u) by (destruct U as [<- | J]; [lra | auto]).
    destruct (next_place places x) as [(v & V & XV & VM) | N].
    - set (k := (x - u) / (v - u)).
      assert (K : 0 <= k <= 1).
      { unfold k. split.
        - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
        - apply (Rmult_le_reg_r (v - u)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      assert (E : x = (1 - k) * u + k * v) by (unfold k; field; lra).
      rewrite E. eapply Rle_trans; [apply F_convex; auto; lra|].
      assert (C : curve l ((1 - k) * u + k * v) = (1 - k) * curve l u + k * curve l v).
      { unfold curve. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros a I.
        apply (loss_linear a u v k); auto; try lra.
        intros r R. destruct (Rle_lt_dec r x); auto. }
      rewrite C. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply below_at; simpl; auto.
    - assert (C : curve l x = curve l u).
      { apply sum_ext. intros a I. apply loss_constant; auto. }
      rewrite C. apply Rle_trans with (F u); [apply F_falling; lra | auto].
  Qed.
End Below.
