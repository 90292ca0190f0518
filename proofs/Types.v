(** What is seen in the long run: sets that are not left, with stationary vectors, and words whose frequencies tell sets
    of different types apart (traces/SPEC.md, section 5).

    That every state reaches a set, and in a set every state the first one, is shown by ranks: how many steps it takes
    to the first state of a set. They are worked out here and checked, not proved. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers Trees Entries Document Checker Claims Beliefs.
Import ListNotations.
Open Scope Z_scope.

Record types := {
  t_count : nat;
  t_sets : list (nat * (Z * list (nat * Z)));   (* of a type, a denominator, and states with numerators *)
  t_words : list (list nat);
  t_reach : list (Z * list (nat * Z)) }.   (* for each type *)

Section Types.
  Variables (z : zchain) (t : types).

  Notation size := (zsize z).

  (** A set is known by its first state. *)
  Definition members (s : nat * (Z * list (nat * Z))) : list (nat * Z) := snd (snd s).
  Definition root (s : nat * (Z * list (nat * Z))) : nat := match members s with [] => 0 | e :: _ => fst e end.
  Definition over (s : nat * (Z * list (nat * Z))) : Z := fst (snd s).

  Variables (root_at type_at : nat -> option nat) (rank : nat -> nat).

  Definition in_set (s : nat * (Z * list (nat * Z))) (i : nat) : bool :=
    match root_at i with Some k => (k =? root s)%nat | None => false end.

  Definition of_type (s : nat * (Z * list (nat * Z))) (i : nat) : bool :=
    match type_at i with Some k => (k =? fst s)%nat | None => false end.

  Fixpoint rising_keys (l : list (nat * Z)) : bool :=
    match l with
    | x :: ((y :: _) as rest) => (fst x <? fst y)%nat && rising_keys rest
    | _ => true
    end.

  (** `type-class`: no row leaves the set, and pi is positive, sums to 1 and is stationary. *)
  Definition check_set (s : nat * (Z * list (nat * Z))) : bool :=
    (fst s <? t_count t)%nat && negb (match members s with [] => true | _ => false end) &&
    forallb (fun e => (0 <? snd e) && in_chain z (fst e) && in_set s (fst e) && of_type s (fst e) &&
                      forallb (fun f => (snd f =? 0) || in_set s (fst f)) (zrow z (fst e))) (members s) &&
    rising_keys (collect Nat.compare (members s)) && (0 <? over s) && (total (members s) =? over s) &&
    let (d, l) := stepped z (members s) in
    same_entries (collect Nat.compare (members s)) d (collect Nat.compare (not_zero l)) 1.

  (** Every state reaches the first state of a set. *)
  Definition check_rank (i : nat) : bool :=
    match root_at i with
    | Some k => (k =? i)%nat
    | None => false
    end || existsb (fun e => (0 <? snd e) && (rank (fst e) <? rank i)%nat) (zrow z i).

  (** pi(w), where the labels from a state, its own first, begin with w. *)
  Fixpoint frequency (d : Z) (v : list (nat * Z)) (w : list nat) : number :=
    match w with
    | [] => (total v, d)
    | l :: rest => let (m, u) := stepped z (of_label z l v) in frequency (d * m) u rest
    end.

  Definition frequencies (s : nat * (Z * list (nat * Z))) : list number :=
    map (fun w => reduced (frequency (over s) (members s) w)) (t_words t).

  Fixpoint differ (a b : list number) : bool :=
    match a, b with
    | x :: a', y :: b' => negb (fst x * snd y =? fst y * snd x) || differ a' b'
    | _, _ => false
    end.

  (** `type-words` *)
  Fixpoint check_words (l : list (nat * list number)) : bool :=
    match l with
    | [] => true
    | (k, a) :: rest => forallb (fun e => (fst e =? k)%nat || differ a (snd e)) rest && check_words rest
    end.

  (** `type-reach` *)
  Definition check_reach (k : nat) (m : Z) (r : nat -> Z) (i : nat) : bool :=
    match type_at i with Some j => r i =? (if (j =? k)%nat then m else 0) | None => true end &&
    (fold_left (fun n e => n + snd e * r (fst e)) (zrow z i) 0 =? zover z i * r i).
End Types.

(** ** Ranks *)

Definition steps_before (z : zchain) : tree (list nat) :=
  fold_left (fun m i => fold_left (fun m e => if 0 <? snd e then
      Trees.add (fst e) (i :: match find (fst e) m with Some l => l | None => [] end) m else m) (zrow z i) m)
    (zstates z) empty.

Fixpoint spread_ranks (before : tree (list nat)) (fuel : nat) (rank : nat) (reached : list nat) (ranks : tree nat) : tree nat :=
  match fuel, reached with
  | O, _ => ranks
  | _, [] => ranks
  | S f, _ =>
      let '(later, found) := fold_left (fun s i => match find i before with
          | Some l => fold_left (fun (s : list nat * tree nat) j => let (later, found) := s in
                        if mem j found then s else (j :: later, Trees.add j rank found)) l s
          | None => s
          end) reached ([], ranks) in
      spread_ranks before f (S rank) later found
  end.

Definition ranks_of (z : zchain) (roots : list nat) : nat -> nat :=
  let found := spread_ranks (steps_before z) (zsize z) 1 roots (fold_left (fun m i => Trees.add i 0%nat m) roots empty) in
  fun i => match find i found with Some k => k | None => 0%nat end.

(** * The r of the types, over one denominator *)

Definition reach_of (z : zchain) (t : types) : Z * list (nat -> Z) :=
  let m := fold_left (fun m r => Z.lcm m (fst r)) (t_reach t) 1 in
  (m, map (fun r => let at_ := spread (zsize z) (snd r) in
                    memo1 (zsize z) (fun i => match at_ i with Some x => x * (m / fst r) | None => 0 end)) (t_reach t)).

Definition check_types (z : zchain) (t : types) : bool :=
  let sets := t_sets t in
  let root_at := spread (zsize z) (flat_map (fun s => map (fun e => (fst e, root s)) (members s)) sets) in
  let type_at := spread (zsize z) (flat_map (fun s => map (fun e => (fst e, fst s)) (members s)) sets) in
  let rank := memo1 (zsize z) (ranks_of z (map root sets)) in
  let (m, rs) := reach_of z t in
  distinct (map root sets) && forallb (check_set z t root_at type_at) sets &&
  forallb (check_rank z root_at rank) (zstates z) &&
  check_words (map (fun s => (fst s, frequencies z t s)) sets) &&
  (length (t_reach t) =? t_count t)%nat && forallb (fun r => 0 <? fst r) (t_reach t) &&
  forallb (fun e => forallb (check_reach z type_at (fst e) m (snd e)) (zstates z)) (combine (seq 0 (t_count t)) rs).
