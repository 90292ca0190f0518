(** The graph of beliefs, and the weights of its nodes (traces/SPEC.md, sections 2 to 4).

    A weight is written c (p, q), with integers p, q without a common divisor, and a rational c > 0. The weights that are
    worked out are not proved right: that they satisfy the equation of the flow is checked at every node. Vectors are as
    the certificate writes them, so the weight of a node is that of the specification over its masses. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers Trees Entries Document Checker Claims.
Import ListNotations.
Open Scope Z_scope.

Record node := { node_a : list (nat * Z); node_b : list (nat * Z); node_next : option (list (nat * nat)) }.

(** * Weights *)

Definition weights := list (ratio * number).

(** x/y in lowest terms *)
Definition reduced (x : number) : number :=
  let g := Z.gcd (fst x) (snd x) in if 0 <? g then (fst x / g, snd x / g) else x.

(** (x, y) / d as a multiple of a pair without a common divisor *)
Definition weight (x y d : Z) : ratio * number :=
  let g := Z.gcd x y in if 0 <? g then ((x / g, y / g), reduced (g, d)) else ((x, y), (1, d)).

(** c (p, q) times (g, h) *)
Definition scaled (g h : number) (w : ratio * number) : ratio * number :=
  let '((p, q), c) := w in
  let '(k, f) := weight (fst g * p * snd h) (fst h * q * snd g) (snd g * snd h) in
  (k, reduced (fst c * fst f, snd c * snd f)).

Definition of_pair (w : number * number) : ratio * number :=
  let (x, y) := w in weight (fst x * snd y) (fst y * snd x) (snd x * snd y).

Definition opposite (w : ratio * number) : ratio * number := (fst w, (- fst (snd w), snd (snd w))).

Definition common (l : weights) : Z := fold_left (fun m w => Z.lcm m (snd (snd w))) l 1.

(** The weights by their ratios, times a common denominator. *)
Definition by_ratio (m : Z) (l : weights) : list (ratio * Z) :=
  collect compare_ratio (map (fun w => (fst w, fst (snd w) * (m / snd (snd w)))) l).

(** Two lists of weights have the same sums, ratio by ratio. *)
Definition same_weights (a b : weights) : bool :=
  let l := a ++ map opposite b in
  forallb (fun w => 0 <? snd (snd w)) l && forallb (fun e => snd e =? 0) (by_ratio (common l) l).

Definition merged_weights (l : weights) : weights :=
  let m := common l in map (fun e => (fst e, reduced (snd e, m))) (by_ratio m l).

(** * The graph *)

Section Graph.
  Variables (z : zchain) (future : nat -> Z * list (nat * Z)) (nodes : nat -> node) (count : nat).

  (** The image of a vector under rows over denominators, times a number. *)
  Definition image (over : nat -> Z) (row : nat -> list (nat * Z)) (a : list (nat * Z)) : Z * list (nat * Z) :=
    let d := fold_left (fun m e => Z.lcm m (over (fst e))) a 1 in
    (d, collect Nat.compare (flat_map (fun e =>
          map (fun f => (fst f, snd e * (d / over (fst e)) * snd f)) (row (fst e))) a)).

  (** The step of a vector: all labels together. *)
  Definition stepped (a : list (nat * Z)) : Z * list (nat * Z) := image (zover z) (zrow z) a.

  Fixpoint distinct (l : list nat) : bool :=
    match l with [] => true | x :: rest => negb (existsb (Nat.eqb x) rest) && distinct rest end.

  Definition not_zero (l : list (nat * Z)) : list (nat * Z) := filter (fun e => negb (snd e =? 0)) l.

  Definition of_label (l : nat) (v : list (nat * Z)) : list (nat * Z) :=
    filter (fun e => (zlabel z (fst e) =? l)%nat) v.

  (** The part of a step for a label, in coordinates. *)
  Definition piece (v : Z * list (nat * Z)) (l : nat) : Z * list (nat * Z) :=
    let (m, found) := image (fun j => fst (future j)) (fun j => snd (future j)) (of_label l (snd v)) in
    (fst v * m, not_zero found).

  Definition labels_of (v : Z * list (nat * Z)) : list nat :=
    map fst (values (group_of (zlabel z) (map fst (snd v)))).

  (** g, if a vector over d is g times another one. *)
  Definition multiple (d : Z) (a b : list (nat * Z)) : option number :=
    match a, b with
    | [], [] => Some (0, 1)
    | (_, x) :: _, (_, y) :: _ =>
        if (0 <? x * y) && same_entries a y b x then Some (reduced (x * Z.sgn y, d * Z.abs y)) else None
    | _, _ => None
    end.

  (** An edge with its scales. *)
  Record zedge := { e_label : nat; e_to : nat; e_g : number; e_h : number }.

  Definition edge_of (a b : Z * list (nat * Z)) (next : nat * nat) : option zedge :=
    let (l, k) := next in
    let (pa, pb) := (piece a l, piece b l) in
    match multiple (fst pa) (snd pa) (collect Nat.compare (node_a (nodes k))),
          multiple (fst pb) (snd pb) (collect Nat.compare (node_b (nodes k))) with
    | Some g, Some h =>
        if (0 <? fst g) || (0 <? fst h) then Some {| e_label := l; e_to := k; e_g := g; e_h := h |} else None
    | _, _ => None
    end.

  Definition edges_of (u : nat) (next : list (nat * nat)) : option (list zedge) :=
    let (a, b) := (stepped (node_a (nodes u)), stepped (node_b (nodes u))) in
    let covered v := forallb (fun l => existsb (Nat.eqb l) (map fst next) ||
                                       match snd (piece v l) with [] => true | _ => false end) (labels_of v) in
    if distinct (map fst next) && (covered a && covered b) && forallb (fun e => (snd e <? count)%nat) next
    then all_some (map (edge_of a b) next) else None.

  (** `future`, for a state with an entry: mass 1, and the same steps. *)
  Definition check_future (is_coordinate : nat -> bool) (j : nat) (x : Z * list (nat * Z)) : bool :=
    let (one, other) := (stepped [(j, 1)], stepped (snd x)) in
    (0 <? fst x) && (total (snd x) =? fst x) && all_once (map fst (snd x)) &&
    forallb (fun e => in_chain z (fst e) && is_coordinate (fst e)) (snd x) &&
    forallb (fun l => let (a, b) := (piece one l, piece other l) in
                      same_entries (snd a) (fst b * fst x) (snd b) (fst a)) (labels_of one ++ labels_of other).

  (** `node` *)
  Definition check_node (is_coordinate : nat -> bool) (u : nat) : bool :=
    let (a, b) := (node_a (nodes u), node_b (nodes u)) in
    forallb (fun e => in_chain z (fst e) && negb (snd e =? 0) && is_coordinate (fst e)) (a ++ b) && all_once (map fst a) && all_once (map fst b) &&
    match a with [] => true | _ => 0 <? total a end && match b with [] => true | _ => 0 <? total b end &&
    match node_next (nodes u), a, b with
    | None, [], [] => false
    | Some _, [], _ => false
    | Some _, _, [] => false
    | _, _, _ => true
    end.

  (** A leaf is closed: one vector is empty, or they are multiples of each other. *)
  Definition closed (u : nat) : bool :=
    let (a, b) := (collect Nat.compare (node_a (nodes u)), collect Nat.compare (node_b (nodes u))) in
    match node_next (nodes u), a, b with
    | Some _, _, _ => false
    | None, [], _ => true
    | None, _, [] => true
    | None, _, _ => same_entries a (total (node_b (nodes u))) b (total (node_a (nodes u)))
    end.

  Variable out : nat -> option (list zedge).   (* None for a leaf *)

  Definition held (t : tree weights) (v : nat) : weights := match find v t with Some l => l | None => [] end.

  Definition put (t : tree weights) (e : nat * (ratio * number)) : tree weights :=
    add (fst e) (snd e :: held t (fst e)) t.

  (** What flows out of a node with some weights. *)
  Definition flowing (u : nat) (m : weights) : list (nat * (ratio * number)) :=
    match out u with
    | None => []
    | Some es => flat_map (fun e => map (fun w => (e_to e, scaled (e_g e) (e_h e) w)) m) es
    end.

  (** The weights of all nodes: those listed, and the others in the order of their numbers. *)
  Definition weigh (visits : tree weights) : tree weights :=
    let start := put empty (O, ((1, 1), (1, 1))) in
    let listed := fold_left (fun t u => match find u visits with
        | Some m => fold_left put (flowing u m) t
        | None => t
        end) (seq 0 count) start in
    snd (fold_left (fun s u => let (inflow, found) := (s : tree weights * tree weights) in
        match find u visits with
        | Some m => (inflow, add u m found)
        | None => let m := merged_weights (held inflow u) in
                  (fold_left put (flowing u m) inflow, add u m found)
        end) (seq 0 count) (listed, empty)).

  (** The equation of the flow, at every node. *)
  Definition check_flow (m : nat -> weights) : bool :=
    let inflow := fold_left put ((O, ((1, 1), (1, 1))) :: flat_map (fun u => flowing u (m u)) (seq 0 count)) empty in
    forallb (fun v => forallb (fun w => (0 <? fst (snd w)) && (0 <? snd (snd w)) && (0 <=? fst (fst w)) && (0 <=? snd (fst w))) (m v) &&
                      same_weights (held inflow v) (m v)) (seq 0 count).

  (** ** What the nodes are worth *)

  (** Entries of two vectors at the same places. *)
  Fixpoint aligned (a : list (nat * Z)) : list (nat * Z) -> list (nat * ratio) :=
    match a with
    | [] => map (fun e => (fst e, (0, snd e)))
    | (i, x) :: a' =>
        (fix aligned_a b :=
           match b with
           | [] => map (fun e => (fst e, (snd e, 0))) a
           | (j, y) :: b' =>
               match Nat.compare i j with
               | Eq => (i, (x, y)) :: aligned a' b'
               | Lt => (i, (x, 0)) :: aligned a' b
               | Gt => (j, (0, y)) :: aligned_a b'
               end
           end)
    end.

  (** As multiples of the weight: nothing that follows tells more than the masses, the coordinate is revealed, or all is. *)
  Definition masses (u : nat) : ratio := (total (node_a (nodes u)), total (node_b (nodes u))).

  Definition most (u : nat) : list ratio :=
    let (a, b) := (collect Nat.compare (node_a (nodes u)), collect Nat.compare (node_b (nodes u))) in
    if closed u then [masses u]
    else if forallb (fun e => 0 <=? snd e) (a ++ b) then map snd (aligned a b)
    else [(fst (masses u), 0)].

  (** What the types are worth: integers r over a denominator, for each type. *)
  Definition least (types : option (Z * list (nat -> Z))) (u : nat) : Z * list ratio :=
    match types with
    | Some (m, rs) =>
        if closed u then (1, [masses u])
        else let times r l := fold_left (fun n e => n + snd e * r (fst e)) l 0 in
             (m, map (fun r => (times r (node_a (nodes u)), times r (node_b (nodes u)))) rs)
    | None => (1, [masses u])
    end.

  (** The atoms of a node: its weights times what it is worth. *)
  Definition node_atoms (held worth : Z * list ratio) : Z * list ratio :=
    (fst held * fst worth,
     flat_map (fun s => map (fun w => (fst w * fst s, snd w * snd s)) (snd held)) (snd worth)).

  (** Weights as integers over one denominator. *)
  Definition held_at (l : weights) : Z * list ratio :=
    let m := common l in
    (m, map (fun w => let k := fst (snd w) * (m / snd (snd w)) in (k * fst (fst w), k * snd (fst w))) l).

  Definition leaf_atoms (worth : nat -> Z * list ratio) (m : nat -> weights) (v : nat) : list (Z * list ratio) :=
    match out v, m v with
    | None, _ :: _ => [node_atoms (held_at (m v)) (worth v)]
    | _, _ => []
    end.
End Graph.
