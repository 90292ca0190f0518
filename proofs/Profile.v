(** The checker of privacy profiles, where the graph of beliefs is finite and its leaves are closed: the certificate
    then claims the whole privacy-loss distribution (traces/SPEC.md, without types and grid).

    The plain form, with names replaced as in Document.v:

        model:   as there
        pair:    s, t
        futures: [state, over, [k, n, ...], ...], the future of a state as that of others, numerators over a denominator
        nodes:   [node, ...], each [state, n, ...] for a, the same for b, and 0 for a leaf or 1 and [label, node, ...]
        visits:  [node, [x, y, ...], ...], two numbers for each x and y
        atoms:   [p, q, ...], likewise

    A weight is written c (p, q), with integers p, q without a common divisor, and a rational c > 0. The weights that are
    worked out are not proved right: that they satisfy the equation of the flow is checked at every node. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers Trees Entries Document Checker.
Import ListNotations.
Open Scope Z_scope.

Record node := { node_a : list (nat * Z); node_b : list (nat * Z); node_next : option (list (nat * nat)) }.

Record profile := {
  p_size : nat; p_labels : list nat; p_rows : list (Z * list (nat * Z));
  p_s : nat; p_t : nat; p_futures : list (nat * (Z * list (nat * Z))); p_nodes : list node;
  p_visits : list (nat * list (number * number));
  p_atoms : list (number * number) }.

(** * Reading *)

Definition read_node (n count : nat) : reader node :=
  a <- list_of (pair_of (below n) integer); b <- list_of (pair_of (below n) integer);
  inner <- below 2;
  match inner with
  | O => give {| node_a := a; node_b := b; node_next := None |}
  | _ => next <- list_of (pair_of (below n) (below count));
         give {| node_a := a; node_b := b; node_next := Some next |}
  end.

Definition read_profile : reader profile :=
  n <- natural; rows <- times n (read_row n) [];
  s <- below n; t <- below n;
  futures <- list_of (pair_of (below n) (pair_of positive_integer (list_of (pair_of (below n) integer))));
  count <- natural; nodes <- times count (read_node n count) [];
  visits <- list_of (pair_of (below count) (list_of (pair_of rational rational)));
  atoms <- list_of (pair_of rational rational);
  give {| p_size := n; p_labels := map fst rows; p_rows := map snd rows; p_s := s; p_t := t;
          p_futures := futures; p_nodes := nodes;
          p_visits := visits; p_atoms := atoms |}.

Definition profile_of (text : list Z) : option profile :=
  match read_profile text with Some (d, []) => Some d | _ => None end.

(** * Weights *)

Definition ratio := (Z * Z)%type.
Definition weights := list (ratio * number).

Definition compare_ratio (x y : ratio) : comparison :=
  match Z.compare (fst x) (fst y) with Eq => Z.compare (snd x) (snd y) | o => o end.

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

  (** A leaf is closed: its vectors are multiples of one that is not negative. *)
  Definition closed (u : nat) : bool :=
    let (a, b) := (collect Nat.compare (node_a (nodes u)), collect Nat.compare (node_b (nodes u))) in
    forallb (fun e => 0 <=? snd e) (a ++ b) &&
    match a, b with
    | [], _ => true
    | _, [] => true
    | (_, x) :: _, (_, y) :: _ => (0 <? x * y) && same_entries a y b x
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
    forallb (fun v => forallb (fun w => (0 <? fst (snd w)) && (0 <? snd (snd w))) (m v) && same_weights (held inflow v) (m v))
      (seq 0 count).

  (** The atoms of a leaf: its weights times its masses. *)
  Definition leaf_atoms (m : nat -> weights) (v : nat) : weights :=
    match out v with
    | Some _ => []
    | None => map (scaled (total (node_a (nodes v)), 1) (total (node_b (nodes v)), 1)) (m v)
    end.
End Graph.

(** * The whole check *)

(** A weight of the certificate is that of a node of mass 1 on both sides; here nodes have the masses that they have. *)
Definition of_mass_one (u : node) (w : ratio * number) : ratio * number :=
  scaled (1, total (node_a u)) (1, total (node_b u)) w.

(** `root`: node 0 has the vectors of s and t. *)
Definition node_zero (future : nat -> Z * list (nat * Z)) (nodes : list node) (s t : nat) : bool :=
  match nodes with
  | [] => false
  | u :: _ =>
      same_entries (collect Nat.compare (node_a u)) (fst (future s)) (collect Nat.compare (snd (future s))) 1 &&
      same_entries (collect Nat.compare (node_b u)) (fst (future t)) (collect Nat.compare (snd (future t))) 1
  end.

Definition check_visits (d : profile) (out : nat -> option (list zedge)) : bool :=
  all_once (map fst (p_visits d)) &&
  forallb (fun v => match out (fst v) with Some _ => true | None => false end &&
                    forallb (fun w => (0 <? fst (fst w)) && (0 <? fst (snd w))) (snd v) &&
                    (length (merged_weights (map of_pair (snd v))) =? length (snd v))%nat) (p_visits d).

(** `order`: with it the weights that are worked out are all there are. *)
Definition check_order (d : profile) (count : nat) (out : nat -> option (list zedge)) : bool :=
  let listed := spread count (map (fun v => (fst v, tt)) (p_visits d)) in
  let is_listed u := match listed u with Some _ => true | None => false end in
  forallb (fun u => match out u with
                    | Some es => forallb (fun e => is_listed (e_to e) || (u <? e_to e)%nat || is_listed u) es
                    | None => true
                    end) (seq 0 count).

(** The model, as the document of a certificate of distances with nothing else in it. *)
Definition p_model (d : profile) : document :=
  {| quantity_of := ld; alpha_above := 1; alpha_below := 1; words := 0; size := p_size d; labels := p_labels d;
     rows := p_rows d; partition := []; clock := []; steps_left := []; merged := []; claims := [];
     named_states := []; upper := []; lower := [] |}.

Definition p_chain (d : profile) : zchain := chain_of (p_model d).

Definition p_node (d : profile) : nat -> node :=
  array (p_nodes d) {| node_a := []; node_b := []; node_next := None |}.

Definition entry_of (d : profile) : nat -> option (Z * list (nat * Z)) := spread (p_size d) (p_futures d).

Definition no_entry (entry : nat -> option (Z * list (nat * Z))) (j : nat) : bool :=
  match entry j with Some _ => false | None => true end.

(** B_j, a vector over a denominator *)
Definition future_of (entry : nat -> option (Z * list (nat * Z))) (j : nat) : Z * list (nat * Z) :=
  match entry j with Some x => x | None => (1, [(j, 1)]) end.

(** The edges of a node: None for a leaf, and Some None where there are none that fit. *)
Definition found_edges (d : profile) (future : nat -> Z * list (nat * Z)) (u : nat) : option (option (list zedge)) :=
  match node_next (p_node d u) with
  | None => None
  | Some next => Some (edges_of (p_chain d) future (p_node d) (length (p_nodes d)) u next)
  end.

Definition outgoing (found : nat -> option (option (list zedge))) (u : nat) : option (list zedge) :=
  match found u with Some (Some es) => Some es | _ => None end.

Definition check_graph (d : profile) (is_coordinate : nat -> bool) (future : nat -> Z * list (nat * Z)) (found : nat -> option (option (list zedge))) (out : nat -> option (list zedge)) : bool :=
  let count := length (p_nodes d) in
  let nodes := p_node d in
  let visits := fold_left (fun t v => add (fst v) (map (fun w => of_mass_one (nodes (fst v)) (of_pair w)) (snd v)) t)
                  (p_visits d) empty in
  let weighed := weigh count out visits in
  let m := held weighed in
  node_zero future (p_nodes d) (p_s d) (p_t d) &&
  forallb (fun u => check_node (p_chain d) nodes is_coordinate u && match found u with Some None => false | _ => true end) (seq 0 count) &&
  check_visits d out && check_order d count out &&
  check_flow count out m &&
  forallb (fun v => match out v, m v with None, _ :: _ => closed nodes v | _, _ => true end) (seq 0 count) &&
  same_weights (flat_map (leaf_atoms nodes out m) (seq 0 count)) (map of_pair (p_atoms d)).

Definition check_profile (d : profile) : bool :=
  let z := p_chain d in
  let count := length (p_nodes d) in
  check_rows (p_model d) && in_chain z (p_s d) && in_chain z (p_t d) &&
  forallb (fun a => (0 <=? fst (fst a)) && (0 <=? fst (snd a)) && ((0 <? fst (fst a)) || (0 <? fst (snd a))) &&
                    (0 <? snd (fst a)) && (0 <? snd (snd a))) (p_atoms d) &&
  let entry := entry_of d in
  let future := memo1 (p_size d) (future_of entry) in
  all_once (map fst (p_futures d)) &&
  forallb (fun e => check_future z future (no_entry entry) (fst e) (snd e)) (p_futures d) &&
  if (zlabel z (p_s d) =? zlabel z (p_t d))%nat then
    let found := memo1 count (found_edges d future) in
    check_graph d (no_entry entry) future found (memo1 count (outgoing found))
  else (count =? 0)%nat && same_weights [((1, 0), (1, 1)); ((0, 1), (1, 1))] (map of_pair (p_atoms d)).
