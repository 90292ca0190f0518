(** The claim of a profile: a curve is compared with a curve that has been proved (traces/SPEC.md, section 7).

    A list of atoms is made one of integers over one number, the unit, and sorted by its ratios. Then its curve at
    rising places comes by passing over the list once. That the lists are sorted and that the places rise is looked at,
    not proved. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Entries Document Checker.
Import ListNotations.
Open Scope Z_scope.

Definition ratio := (Z * Z)%type.

Definition compare_ratio (x y : ratio) : comparison :=
  match Z.compare (fst x) (fst y) with Eq => Z.compare (snd x) (snd y) | o => o end.

(** By the ratios, of which that of (p, 0) is the largest. *)
Definition compare_slope (x y : ratio) : comparison :=
  match Z.compare (fst x * snd y) (fst y * snd x) with Eq => compare_ratio x y | o => o end.

(** Atoms (p/d, q/d), in groups with one d. *)
Definition atoms := list (Z * list ratio).

Definition atom_of (x : number * number) : Z * list ratio :=
  let '((p, c), (q, d)) := x in
  let m := Z.lcm c d in (m, [(p * (m / c), q * (m / d))]).

(** Atoms (n p, n q), over a unit. *)
Definition slopes := list (ratio * Z).

Definition is_zero (a : ratio) : bool := (fst a =? 0) && (snd a =? 0).

Definition over_unit (u : Z) (g : Z * list ratio) : slopes :=
  let k := u / fst g in
  flat_map (fun a => if is_zero a then [] else [((k * fst a, k * snd a), 1)]) (snd g).

Definition unit_of (l : atoms) : Z := fold_left (fun m g => Z.lcm m (fst g)) l 1.

Definition sorted (l : atoms) : Z * slopes :=
  let u := unit_of l in (u, collect compare_slope (flat_map (over_unit u) l)).

Definition at_most_slope (x y : ratio) : bool := fst x * snd y <=? fst y * snd x.

Fixpoint rising (l : list ratio) : bool :=
  match l with
  | x :: ((y :: _) as rest) => at_most_slope x y && rising rest
  | _ => true
  end.

Definition is_atom (a : ratio * Z) : bool :=
  (0 <=? fst (fst a)) && (0 <=? snd (fst a)) && negb (is_zero (fst a)) && (0 <? snd a).

Definition in_order (l : slopes) : bool := forallb is_atom l && rising (map fst l).

Definition sum_p (l : slopes) : Z := fold_right (fun a n => snd a * fst (fst a) + n) 0 l.
Definition sum_q (l : slopes) : Z := fold_right (fun a n => snd a * snd (fst a) + n) 0 l.

(** What is left of a list beyond a place, and its sums. *)
Fixpoint beyond (place : ratio) (l : slopes) (p q : Z) : slopes * (Z * Z) :=
  match l with
  | [] => ([], (p, q))
  | (x, n) :: rest =>
      if at_most_slope x place then beyond place rest (p - n * fst x) (q - n * snd x) else (l, (p, q))
  end.

(** The curve of a list at rising places P/Q, times Q. *)
Fixpoint along (places : list ratio) (l : slopes) (p q : Z) : list Z :=
  match places with
  | [] => []
  | x :: others =>
      let '(rest, (p', q')) := beyond x l p q in (snd x * p' - fst x * q') :: along others rest p' q'
  end.

Definition curve_at (places : list ratio) (l : slopes) : list Z := along places l (sum_p l) (sum_q l).

(** x k <= y m, one by one *)
Fixpoint all_at_most (k m : Z) (a b : list Z) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => (x * k <=? y * m) && all_at_most k m a' b'
  | _, _ => false
  end.

Definition finite (x : ratio) : bool := 0 <? snd x.

Definition places_ok (places : list ratio) : bool := forallb finite places && rising places.

(** `optimistic`: below the first ratio of the list that is claimed, its curve is 1 - alpha; from there on it is compared. *)
Definition check_optimistic (claimed proved : Z * slopes) : bool :=
  let (u, a) := claimed in
  let (v, o) := proved in
  match a with
  | [] => false
  | (first, _) :: _ =>
      let places := first :: filter (fun x => finite x && negb (at_most_slope x first)) (map fst o) in
      places_ok places && all_at_most v u (curve_at places a) (curve_at places o)
  end.

(** `pessimistic`: min(1, P) <= A at the ratios of A. *)
Definition check_pessimistic (claimed proved : Z * slopes) : bool :=
  let (u, a) := claimed in
  let (v, o) := proved in
  let places := filter finite (map fst a) in
  let highest := map (fun xy => Z.min (snd (fst xy) * v) (snd xy)) (combine places (curve_at places o)) in
  places_ok places && all_at_most u v highest (curve_at places a).

(** A list that may be claimed: p, q >= 0, none of them (0, 0), each with the sum 1. *)
Definition may_be_claimed (l : list (number * number)) : bool :=
  forallb (fun a => (0 <=? fst (fst a)) && (0 <=? fst (snd a)) && ((0 <? fst (fst a)) || (0 <? fst (snd a))) &&
                    (0 <? snd (fst a)) && (0 <? snd (snd a))) l &&
  let (u, a) := sorted (map atom_of l) in (sum_p a =? u) && (sum_q a =? u).

(** optimistic <= proved below, and proved above <= pessimistic *)
Definition check_claim_of (optimistic pessimistic : list (number * number)) (low high : atoms) : bool :=
  may_be_claimed optimistic && may_be_claimed pessimistic &&
  let o := sorted low in
  let p := sorted high in
  let a := sorted (map atom_of optimistic) in
  let b := sorted (map atom_of pessimistic) in
  forallb in_order [snd o; snd p; snd a; snd b] && check_optimistic a o && check_pessimistic b p.
