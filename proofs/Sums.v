(** Finite sums, and two facts about finitely many real numbers. *)

From Coq Require Import Reals List Lra Lia.
From Proofs Require Import Spec.
Import ListNotations.
Open Scope R_scope.

Lemma sum_ext : forall A (l : list A) f g, (forall x, In x l -> f x = g x) -> sum l f = sum l g.
Proof. induction l; simpl; intros; auto. rewrite H, (IHl f g); auto. Qed.

Lemma sum_le : forall A (l : list A) f g, (forall x, In x l -> f x <= g x) -> sum l f <= sum l g.
Proof.
  induction l; simpl; intros f g H; [lra|].
  apply Rplus_le_compat; [apply H | apply IHl; intros; apply H]; auto.
Qed.

Lemma sum_plus : forall A (l : list A) f g, sum l (fun x => f x + g x) = sum l f + sum l g.
Proof. induction l; simpl; intros; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_minus : forall A (l : list A) f g, sum l (fun x => f x - g x) = sum l f - sum l g.
Proof. induction l; simpl; intros; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_scale : forall A (l : list A) k f, sum l (fun x => k * f x) = k * sum l f.
Proof. induction l; simpl; intros; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_scale_r : forall A (l : list A) k f, sum l (fun x => f x * k) = sum l f * k.
Proof. induction l; simpl; intros; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_zero : forall A (l : list A) f, (forall x, In x l -> f x = 0) -> sum l f = 0.
Proof. induction l; simpl; intros; [lra|]. rewrite H, IHl; auto. lra. Qed.

Lemma sum_pos : forall A (l : list A) f, (forall x, In x l -> 0 <= f x) -> 0 <= sum l f.
Proof. induction l; simpl; intros; [lra|]. apply Rplus_le_le_0_compat; auto. Qed.

Lemma sum_member : forall A (l : list A) f x, (forall y, In y l -> 0 <= f y) -> In x l -> f x <= sum l f.
Proof.
  induction l as [|a l IH]; simpl; intros f x P I; [tauto|].
  assert (0 <= f a) by auto. assert (0 <= sum l f) by (apply sum_pos; auto).
  destruct I as [<- | I]; [lra|]. pose proof (IH f x (fun y J => P y (or_intror J)) I). lra.
Qed.

Lemma sum_app : forall A (l m : list A) f, sum (l ++ m) f = sum l f + sum m f.
Proof. induction l; simpl; intros; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_map : forall A B (g : A -> B) l f, sum (map g l) f = sum l (fun x => f (g x)).
Proof. induction l; simpl; intros; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_flat_map : forall A B (g : A -> list B) l f,
  sum (flat_map g l) f = sum l (fun x => sum (g x) f).
Proof. induction l; simpl; intros; [lra|]. rewrite sum_app, IHl. lra. Qed.

Lemma sum_swap : forall A B (l : list A) (m : list B) f,
  sum l (fun x => sum m (fun y => f x y)) = sum m (fun y => sum l (fun x => f x y)).
Proof.
  induction l; simpl; intros.
  - symmetry. apply sum_zero. auto.
  - rewrite IHl, <- sum_plus. apply sum_ext. auto.
Qed.

(** A sum with one term that is not 0. *)
Lemma sum_delta : forall (l : list nat) k f, NoDup l -> In k l ->
  sum l (fun i => if Nat.eqb k i then f i else 0) = f k.
Proof.
  induction l; simpl; intros k f N I; [tauto|].
  inversion N; subst. destruct I as [-> | I].
  - rewrite PeanoNat.Nat.eqb_refl, (sum_zero _ l); [lra|].
    intros x Hx. destruct (Nat.eqb k x) eqn:E; auto. apply PeanoNat.Nat.eqb_eq in E. subst. tauto.
  - rewrite IHl by auto. destruct (Nat.eqb k a) eqn:E; [|lra].
    apply PeanoNat.Nat.eqb_eq in E. subst. tauto.
Qed.

Lemma sum_filter : forall A (l : list A) p f,
  sum (filter p l) f = sum l (fun x => if p x then f x else 0).
Proof. induction l; simpl; intros; [lra|]. destruct (p a); simpl; rewrite IHl; lra. Qed.

(** A positive number below all positive values of g. *)
Lemma small : forall A (l : list A) (g : A -> R),
  exists theta, 0 < theta <= 1 /\ forall x, In x l -> 0 < g x -> theta <= g x.
Proof.
  induction l; intros g.
  - exists 1. split; [lra|]. simpl. tauto.
  - destruct (IHl g) as (th & H1 & H2). destruct (Rlt_le_dec 0 (g a)).
    + exists (Rmin th (g a)). split.
      * split; [apply Rmin_glb_lt; lra|]. apply Rle_trans with th; [apply Rmin_l|lra].
      * intros x [->|I] P; [apply Rmin_r|]. apply Rle_trans with th; [apply Rmin_l|auto].
    + exists th. split; auto. intros x [->|I] P; [lra|auto].
Qed.

(** An element of a list where g is largest. *)
Lemma largest : forall A (l : list A) (g : A -> R), l <> [] ->
  exists x, In x l /\ forall y, In y l -> g y <= g x.
Proof.
  induction l as [|a l IH]; intros g N; [tauto|].
  destruct l as [|b l].
  - exists a. simpl. split; auto. intros y [->|[]]. lra.
  - destruct (IH g) as (x & I & M); [discriminate|]. destruct (Rle_lt_dec (g a) (g x)).
    + exists x. split; [right; auto|]. intros y [->|J]; auto.
    + exists a. split; [left; auto|]. intros y [->|J]; [lra|]. apply Rle_trans with (g x); [auto|lra].
Qed.

Lemma mult_01 : forall x y, 0 <= x <= 1 -> 0 <= y -> 0 <= x * y <= y.
Proof. intros. split; [apply Rmult_le_pos; lra|]. replace y with (1 * y) at 2 by lra. apply Rmult_le_compat_r; lra. Qed.
