(** Finite maps of numbers: trees whose branches are the digits of the keys, the last one first. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.

Inductive tree (A : Type) : Type :=
  | Leaf : tree A
  | Node : tree A -> option A -> tree A -> tree A.
Arguments Leaf {A}.
Arguments Node {A}.

Definition empty {A} : tree A := Leaf.

Fixpoint find {A} (k : nat) (t : tree A) : option A :=
  match t with
  | Leaf => None
  | Node l x r =>
      if Nat.eqb k 0 then x else if Nat.odd k then find (Nat.div2 k) r else find (Nat.div2 k) l
  end.

Definition parts {A} (t : tree A) : tree A * option A * tree A :=
  match t with Leaf => (Leaf, None, Leaf) | Node l x r => (l, x, r) end.

(** The key has at most as many digits as its value. *)
Fixpoint insert {A} (digits k : nat) (x : A) (t : tree A) : tree A :=
  let '(l, y, r) := parts t in
  match digits with
  | O => Node l (Some x) r
  | S d =>
      if Nat.eqb k 0 then Node l (Some x) r
      else if Nat.odd k then Node l y (insert d (Nat.div2 k) x r) else Node (insert d (Nat.div2 k) x l) y r
  end.

Definition add {A} (k : nat) (x : A) (t : tree A) : tree A := insert k k x t.

Definition mem {A} (k : nat) (t : tree A) : bool := match find k t with Some _ => true | None => false end.

(** All values, whatever their keys. *)
Fixpoint values_onto {A} (t : tree A) (found : list A) : list A :=
  match t with
  | Leaf => found
  | Node l x r =>
      let right := values_onto r found in
      values_onto l (match x with Some y => y :: right | None => right end)
  end.

Definition values {A} (t : tree A) : list A := values_onto t [].

Lemma digits_eq : forall k, k = 2 * Nat.div2 k + (if Nat.odd k then 1 else 0).
Proof. intros k. rewrite (Nat.div2_odd k) at 1. destruct (Nat.odd k); reflexivity. Qed.

Lemma find_parts : forall A k (t : tree A), find k t = find k (let '(l, x, r) := parts t in Node l x r).
Proof. intros A k [|l x r]; simpl; auto. destruct (k =? 0), (Nat.odd k); auto. Qed.

Lemma find_insert : forall A d k (x : A) t j, k <= d ->
  find j (insert d k x t) = if Nat.eqb j k then Some x else find j t.
Proof.
  induction d; intros k x t j H; rewrite (find_parts _ j t); simpl insert;
    destruct (parts t) as [[l y] r]; simpl.
  - replace k with 0 by lia. destruct (Nat.eqb_spec j 0); auto.
  - destruct (Nat.eqb_spec k 0) as [-> | K]; simpl; [destruct (Nat.eqb_spec j 0); auto|].
    pose proof (digits_eq k). pose proof (digits_eq j).
    destruct (Nat.odd k) eqn:OK; simpl; destruct (Nat.eqb_spec j 0) as [-> | J];
      try (destruct (Nat.eqb_spec 0 k); [lia | auto]); destruct (Nat.odd j) eqn:OJ; auto;
      try (rewrite IHd by lia; destruct (Nat.eqb_spec (Nat.div2 j) (Nat.div2 k)), (Nat.eqb_spec j k); auto; lia);
      destruct (Nat.eqb_spec j k); auto; subst; congruence.
Qed.

Lemma find_add : forall A k (x : A) t j, find j (add k x t) = if Nat.eqb j k then Some x else find j t.
Proof. intros. apply find_insert. auto. Qed.

Lemma find_empty : forall A k, find k (@empty A) = None.
Proof. reflexivity. Qed.

(** x stands in the tree. *)
Fixpoint holds {A} (x : A) (t : tree A) : Prop :=
  match t with
  | Leaf => False
  | Node l y r => holds x l \/ y = Some x \/ holds x r
  end.

Lemma values_onto_holds : forall A (t : tree A) found x, In x (values_onto t found) <-> holds x t \/ In x found.
Proof.
  induction t as [|l IHl o r IHr]; intros found x; simpl; [tauto|].
  rewrite IHl. destruct o; simpl; rewrite IHr; intuition congruence.
Qed.

Lemma find_holds : forall A (t : tree A) k x, find k t = Some x -> holds x t.
Proof.
  induction t as [|l IHl o r IHr]; simpl; intros k x; [discriminate|].
  destruct (k =? 0); auto. destruct (Nat.odd k); eauto.
Qed.

Lemma insert_holds : forall A d k (x y : A) t, holds y (insert d k x t) -> y = x \/ holds y t.
Proof.
  assert (P : forall A (y : A) t l z r, parts t = (l, z, r) -> (holds y l \/ z = Some y \/ holds y r) <-> holds y t).
  { intros A y [|l z r] l' z' r' E; inversion E; subst; simpl; intuition congruence. }
  induction d; intros k x y t; simpl; destruct (parts t) as [[l z] r] eqn:E; rewrite <- (P _ y t _ _ _ E).
  - simpl. intuition congruence.
  - destruct (k =? 0); [simpl; intuition congruence|].
    destruct (Nat.odd k); simpl; intros [H | [H | H]]; auto; apply IHd in H; tauto.
Qed.

Lemma find_values : forall A (t : tree A) k x, find k t = Some x -> In x (values t).
Proof. intros. apply values_onto_holds. left. eapply find_holds; eauto. Qed.

Lemma values_add : forall A k (x y : A) t, In y (values (add k x t)) -> y = x \/ In y (values t).
Proof.
  intros A k x y t H. apply values_onto_holds in H. destruct H as [H | []].
  apply insert_holds in H. destruct H; auto. right. apply values_onto_holds. auto.
Qed.

(** What a key has after values were added one after the other. *)
Lemma find_fold : forall A B (f : B -> nat) (g : B -> A) k l t,
  (exists b, In b l /\ f b = k /\ find k (fold_left (fun m b => add (f b) (g b) m) l t) = Some (g b)) \/
  ((forall b, In b l -> f b <> k) /\ find k (fold_left (fun m b => add (f b) (g b) m) l t) = find k t).
Proof.
  intros A B f g k. induction l as [|a l IH]; intros t; simpl; [right; tauto|].
  destruct (IH (add (f a) (g a) t)) as [(b & I & E & F) | [N F]]; [left; eauto|].
  rewrite find_add in F. destruct (Nat.eqb_spec k (f a)) as [-> | K].
  - left. exists a. auto.
  - right. split; auto. intros b [<- | I]; auto.
Qed.

(** A value takes the place of that of its key, if there is one. *)
Definition list_of_option {A} (o : option A) : list A := match o with Some x => [x] | None => [] end.

Lemma values_parts : forall A (t : tree A), values t = let '(l, x, r) := parts t in values l ++ list_of_option x ++ values r.
Proof.
  assert (O : forall A (t : tree A) found, values_onto t found = values_onto t [] ++ found).
  { induction t as [|l IHl o r IHr]; intros found; simpl; auto.
    rewrite IHl, (IHl (match o with Some y => _ | None => _ end)), <- app_assoc. f_equal.
    destruct o; simpl; rewrite (IHr found); auto. }
  intros A [|l x r]; simpl; auto. unfold values. simpl. rewrite O. f_equal. destruct x; simpl; auto.
Qed.

Lemma values_insert : forall A d k (x : A) t, k <= d -> exists a b,
  values t = a ++ list_of_option (find k t) ++ b /\ values (insert d k x t) = a ++ [x] ++ b.
Proof.
  induction d; intros k x t K; rewrite (find_parts _ k t), (values_parts _ t); simpl insert;
    destruct (parts t) as [[l y] r]; simpl find.
  - replace (k =? 0) with true by (symmetry; apply Nat.eqb_eq; lia).
    exists (values l), (values r). split; auto. rewrite values_parts. reflexivity.
  - pose proof (digits_eq k). destruct (Nat.eqb_spec k 0) as [-> | N].
    + exists (values l), (values r). split; auto. rewrite values_parts. reflexivity.
    + destruct (Nat.odd k) eqn:O.
      * destruct (IHd (Nat.div2 k) x r) as (a & b & E & F); [lia|].
        exists (values l ++ list_of_option y ++ a), b. split; [rewrite E, <- !app_assoc; auto|].
        rewrite (values_parts _ (Node l y (insert d (Nat.div2 k) x r))). simpl. rewrite F, <- !app_assoc. auto.
      * destruct (IHd (Nat.div2 k) x l) as (a & b & E & F); [lia|].
        exists a, (b ++ list_of_option y ++ values r). split; [rewrite E, <- !app_assoc; auto|].
        rewrite (values_parts _ (Node (insert d (Nat.div2 k) x l) y r)). simpl. rewrite F, <- !app_assoc. auto.
Qed.

Lemma values_add_split : forall A k (x : A) t, exists a b,
  values t = a ++ list_of_option (find k t) ++ b /\ values (add k x t) = a ++ [x] ++ b.
Proof. intros. apply values_insert. auto. Qed.
