(** Tables that the extracted program keeps in arrays.

    Here they are plain functions, so that there is nothing to prove about them. The extraction replaces [memo1] and
    [memo2] by the same functions with a memory, and [array] and [spread] by arrays (see Extract.v and
    containers.ml); that these compute the same values is trusted. *)

From Coq Require Import List.
Import ListNotations.

(** The function with what it has given for numbers (pairs of numbers) below n remembered. *)
Definition memo1 {A : Type} (n : nat) (f : nat -> A) : nat -> A := f.
Definition memo2 {A : Type} (n : nat) (f : nat -> nat -> A) : nat -> nat -> A := f.

(** The elements of a list by their places, and a default beyond its end. *)
Definition array {A : Type} (l : list A) (default : A) : nat -> A := fun i => nth i l default.

(** What a list has for a number below n, where it stands there first. *)
Fixpoint spread {A : Type} (n : nat) (l : list (nat * A)) : nat -> option A :=
  match l with
  | [] => fun _ => None
  | (k, x) :: rest => fun i => if Nat.eqb k i then Some x else spread n rest i
  end.
