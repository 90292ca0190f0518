(** The checker of privacy profiles: the document, and what is checked of it (traces/SPEC.md).

    The plain form, with names replaced as in Document.v:

        model:   as there
        pair:    s, t
        futures: [state, over, [k, n, ...], ...], the future of a state as that of others, numerators over a denominator
        nodes:   [node, ...], each [state, n, ...] for a, the same for b, and 0 for a leaf or 1 and [label, node, ...]
        visits:  [node, [x, y, ...], ...], two numbers for each x and y
        types:   0, or 1, the number of types, [set, ...], each the number of its type, over, [state, n, ...],
                 [[label, ...], ...] for the words, and [over, [state, n, ...], ...]
        grid:    0, or 1, ratio, bits, rounds, low, high
        claim:   0 and one list of atoms, or 1 and two lists, [p, q, ...] with two numbers each

    A label that the model does not have is the number of states. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers Trees Entries Document Checker Claims Beliefs Grid Types.
Import ListNotations.
Open Scope Z_scope.

Record profile := {
  p_size : nat; p_labels : list nat; p_rows : list (Z * list (nat * Z));
  p_s : nat; p_t : nat; p_futures : list (nat * (Z * list (nat * Z))); p_nodes : list node;
  p_visits : list (nat * list (number * number));
  p_types : option types;
  p_grid : option grid;
  p_optimistic : list (number * number);
  p_above : option (list (number * number)) }.   (* None: one list is claimed, as the whole distribution *)

Definition p_pessimistic (d : profile) : list (number * number) :=
  match p_above d with None => p_optimistic d | Some l => l end.

(** * Reading *)

Definition read_node (n count : nat) : reader node :=
  a <- list_of (pair_of (below n) integer); b <- list_of (pair_of (below n) integer);
  inner <- below 2;
  match inner with
  | O => give {| node_a := a; node_b := b; node_next := None |}
  | _ => next <- list_of (pair_of (below n) (below count));
         give {| node_a := a; node_b := b; node_next := Some next |}
  end.

(** What may be missing. *)
Definition option_of {A} (r : reader A) : reader (option A) :=
  there <- below 2; match there with O => give None | _ => x <- r; give (Some x) end.

Definition read_shares (n : nat) : reader (Z * list (nat * Z)) :=
  pair_of positive_integer (list_of (pair_of (below n) integer)).

Definition read_types (n : nat) : reader types :=
  count <- natural; sets <- list_of (pair_of (below count) (read_shares n));
  words <- list_of (list_of (below (S n))); reach <- list_of (read_shares n);
  give {| t_count := count; t_sets := sets; t_words := words; t_reach := reach |}.

Definition read_grid : reader grid :=
  ratio <- rational; bits <- below 4097; rounds <- natural; low <- integer; high <- integer;
  give {| g_ratio := ratio; g_bits := Z.of_nat bits; g_rounds := rounds; g_low := low; g_high := high |}.

Definition read_atoms : reader (list (number * number)) := list_of (pair_of rational rational).

Definition read_profile : reader profile :=
  n <- natural; rows <- times n (read_row n) [];
  s <- below n; t <- below n;
  futures <- list_of (pair_of (below n) (read_shares n));
  count <- natural; nodes <- times count (read_node n count) [];
  visits <- list_of (pair_of (below count) read_atoms);
  types <- option_of (read_types n); grid <- option_of read_grid;
  bounds <- below 2; optimistic <- read_atoms;
  above <- match bounds with O => give None | _ => l <- read_atoms; give (Some l) end;
  give {| p_size := n; p_labels := map fst rows; p_rows := map snd rows; p_s := s; p_t := t;
          p_futures := futures; p_nodes := nodes; p_visits := visits; p_types := types; p_grid := grid;
          p_optimistic := optimistic; p_above := above |}.

Definition profile_of (text : list Z) : option profile :=
  match read_profile text with Some (d, []) => Some d | _ => None end.

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

(** The two lists that the weights of the nodes prove. *)
Definition weighed_lists (d : profile) (out : nat -> option (list zedge)) (low high : nat -> Z * list ratio) : option (atoms * atoms) :=
  let count := length (p_nodes d) in
  let visits := fold_left (fun t v => add (fst v) (map (fun w => of_mass_one (p_node d (fst v)) (of_pair w)) (snd v)) t)
                  (p_visits d) empty in
  let m := held (weigh count out visits) in
  if check_visits d out && check_order d count out && check_flow count out m then
    Some (flat_map (leaf_atoms out low m) (seq 0 count), flat_map (leaf_atoms out high m) (seq 0 count))
  else None.

Definition grid_lists (d : profile) (g : grid) (out : nat -> option (list zedge)) (low high : nat -> Z * list ratio) : option (atoms * atoms) :=
  let count := length (p_nodes d) in
  if grid_ok g then
    match grid_atoms (p_node d) count out g false low, grid_atoms (p_node d) count out g true high with
    | Some a, Some b => Some (a, b)
    | _, _ => None
    end
  else None.

Definition check_graph (d : profile) (is_coordinate : nat -> bool) (future : nat -> Z * list (nat * Z))
  (found : nat -> option (option (list zedge))) (out : nat -> option (list zedge)) (reach : option (Z * list (nat -> Z))) : bool :=
  let count := length (p_nodes d) in
  let nodes := p_node d in
  node_zero future (p_nodes d) (p_s d) (p_t d) &&
  forallb (fun u => check_node (p_chain d) nodes is_coordinate u && match found u with Some None => false | _ => true end) (seq 0 count) &&
  match match p_grid d with
        | None => weighed_lists d out (least nodes reach) (fun u => (1, most nodes u))
        | Some g => grid_lists d g out (least nodes reach) (fun u => (1, most nodes u))
        end with
  | Some (low, high) => check_claim_of (p_optimistic d) (p_pessimistic d) low high
  | None => false
  end.

Definition check_profile (d : profile) : bool :=
  let z := p_chain d in
  let count := length (p_nodes d) in
  check_rows (p_model d) && in_chain z (p_s d) && in_chain z (p_t d) &&
  let entry := entry_of d in
  let future := memo1 (p_size d) (future_of entry) in
  all_once (map fst (p_futures d)) &&
  forallb (fun e => check_future z future (no_entry entry) (fst e) (snd e)) (p_futures d) &&
  match p_types d with Some t => check_types z t | None => true end &&
  let reach := match p_types d with Some t => Some (reach_of z t) | None => None end in
  if (zlabel z (p_s d) =? zlabel z (p_t d))%nat then
    let found := memo1 count (found_edges d future) in
    check_graph d (no_entry entry) future found (memo1 count (outgoing found)) reach
  else
    let apart := [(1, [(1, 0); (0, 1)])] in
    (count =? 0)%nat && check_claim_of (p_optimistic d) (p_pessimistic d) apart apart.
