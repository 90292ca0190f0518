(** Pairs of integers as the real numbers that they stand for. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Entries Document Checker Meaning.
Import ListNotations.
Open Scope R_scope.

Definition value (x : number) : R := IZR (fst x) / IZR (snd x).
Definition positive_below (x : number) : Prop := (0 < snd x)%Z.

Lemma value_zero : value (0%Z, 1%Z) = 0.
Proof. unfold value. simpl. lra. Qed.

Lemma value_one : value (1%Z, 1%Z) = 1.
Proof. unfold value. simpl. lra. Qed.

Lemma IZR_pos : forall x, (0 < x)%Z -> 0 < IZR x.
Proof. intros. apply (IZR_lt 0). auto. Qed.

(** a/b <= c/d where a d <= c b *)
Lemma div_le : forall a b c d, 0 < b -> 0 < d -> a * d <= c * b -> a / b <= c / d.
Proof.
  intros a b c d B D H. apply (Rmult_le_reg_r (b * d)); [apply Rmult_lt_0_compat; auto|].
  unfold Rdiv. replace (a * / b * (b * d)) with (a * d) by (field; lra).
  replace (c * / d * (b * d)) with (c * b) by (field; lra). auto.
Qed.

Lemma at_most_value : forall x y, positive_below x -> positive_below y -> at_most x y = true -> value x <= value y.
Proof.
  intros x y X Y H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H.
  apply div_le; auto using IZR_pos.
Qed.

Lemma value_nonneg : forall x, positive_below x -> (0 <= fst x)%Z -> 0 <= value x.
Proof.
  intros x X H. apply IZR_le in H. apply IZR_pos in X. unfold value, Rdiv.
  apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto.
Qed.

Lemma value_positive : forall x, positive_below x -> (0 < fst x)%Z -> 0 < value x.
Proof.
  intros x X H. apply IZR_pos in X, H. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. auto.
Qed.

Lemma lcm_parts : forall b d, (0 < b)%Z -> (0 < d)%Z ->
  (0 < Z.lcm b d /\ Z.lcm b d / b * b = Z.lcm b d /\ Z.lcm b d / d * d = Z.lcm b d)%Z.
Proof.
  intros b d B D. assert (N : Z.lcm b d <> 0%Z) by (intros E; apply Z.lcm_eq_0 in E; lia).
  pose proof (Z.lcm_nonneg b d). split; [lia|].
  split; rewrite Z.mul_comm; symmetry; apply Z_div_exact_full_2; try lia;
    apply Z.mod_divide; try lia; [apply Z.divide_lcm_l | apply Z.divide_lcm_r].
Qed.

(** n/d where l = (l/d) d *)
Lemma value_scaled : forall n d l, (0 < d)%Z -> (0 < l)%Z -> (l / d * d = l)%Z ->
  IZR (l / d) / IZR l * n = n / IZR d.
Proof.
  intros n d l D L E. rewrite <- E at 2. rewrite mult_IZR.
  assert (0 < l / d)%Z by nia. apply IZR_pos in D, H. field. lra.
Qed.

Lemma plus_value : forall x y, positive_below x -> positive_below y ->
  positive_below (plus x y) /\ value (plus x y) = value x + value y.
Proof.
  intros [a b] [c d] B D. unfold plus, positive_below, value in *. simpl in *.
  destruct (Z.eqb_spec b d) as [<- | N]; simpl.
  - split; auto. rewrite plus_IZR. unfold Rdiv. ring.
  - destruct (lcm_parts b d B D) as (L & E & F). split; auto.
    rewrite plus_IZR, !mult_IZR.
    rewrite <- (value_scaled (IZR a) b (Z.lcm b d)), <- (value_scaled (IZR c) d (Z.lcm b d)) by auto.
    unfold Rdiv. ring.
Qed.
