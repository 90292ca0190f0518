(** Weights on a grid: cells at the powers of a number, and rounding in a known direction (traces/SPEC.md, section 6).

    All cells of a node are one long integer for X and one for Y, in which a cell has [width] bits. Moving along a piece
    is then one product, and rounding one sum, one mask and one shift. No cell may run over into the next: so with X and
    Y there is a bound of the sum of their cells, and where it is too large for a cell the document is refused. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers Trees Entries Document Checker Claims Beliefs.
Import ListNotations.
Open Scope Z_scope.

Record grid := { g_ratio : number; g_bits : Z; g_rounds : nat; g_low : Z; g_high : Z }.

Definition grid_ok (g : grid) : bool :=
  (0 <? snd (g_ratio g)) && (snd (g_ratio g) <? fst (g_ratio g)) && (1 <=? g_bits g) && (g_low g <=? 0) && (0 <=? g_high g).

(** * Cells *)

(** The cells from [low] on, in two integers, and what the cells of each add up to at most. *)
Record content := { c_low : Z; c_cells : nat; c_x : Z; c_y : Z; c_sum_x : Z; c_sum_y : Z }.

Section Cells.
  Variables (bits width : Z) (nearly : nat -> Z).

  Definition unit : Z := Z.shiftl 1 bits.
  Definition base : Z := Z.shiftl 1 width.

  Definition up_cells (n : nat) (x : Z) : Z := Z.shiftl x (Z.of_nat n * width).

  (** The lowest n cells, and the others. *)
  Definition cut (n : nat) (x : Z) : Z * Z :=
    let rest := Z.shiftr x (Z.of_nat n * width) in (x - up_cells n rest, rest).

  (** 2^k cells, all of them 2^bits - 1. *)
  Fixpoint filled (k : nat) : Z :=
    match k with O => unit - 1 | S j => let x := filled j in x + up_cells (Nat.pow 2 j) x end.

  Definition join (a b : content) : content :=
    let low := Z.min (c_low a) (c_low b) in
    let (i, j) := (Z.to_nat (c_low a - low), Z.to_nat (c_low b - low)) in
    {| c_low := low; c_cells := Nat.max (i + c_cells a) (j + c_cells b);
       c_x := up_cells i (c_x a) + up_cells j (c_x b); c_y := up_cells i (c_y a) + up_cells j (c_y b);
       c_sum_x := c_sum_x a + c_sum_x b; c_sum_y := c_sum_y a + c_sum_y b |}.

  (** No cell is as large as a whole one less 2^bits. *)
  Definition fits_in (c : content) : bool := (c_sum_x c + unit <? base) && (c_sum_y c + unit <? base).

  (** A number of doublings that gives so many cells. *)
  Definition doublings (n : nat) : nat := Z.to_nat (Z.log2_up (Z.of_nat n)).

  Definition enough (k n : nat) : bool := (n <=? Nat.pow 2 k)%nat.

  (** All cells divided by 2^bits. *)
  Definition divided_down (full x : Z) : Z := Z.shiftr (x - Z.land x full) bits.
  Definition divided_up (full x : Z) : Z := divided_down full (x + full).

  Variable up : bool.   (* the pessimistic pass *)

  Definition rounded (c : content) : option content :=
    let k := doublings (c_cells c) in
    let full := nearly k in
    if fits_in c && enough k (c_cells c) then
      let more := Z.of_nat (c_cells c) * (unit - 1) in
      Some {| c_low := c_low c; c_cells := c_cells c;
              c_x := if up then divided_up full (c_x c) else divided_down full (c_x c);
              c_y := if up then divided_down full (c_y c) else divided_up full (c_y c);
              c_sum_x := Z.shiftr (c_sum_x c + more) bits; c_sum_y := Z.shiftr (c_sum_y c + more) bits |}
    else None.

  (** ** Cells beyond the grid *)

  (** The sum of the cells, as base is 1 modulo base - 1. *)
  Definition sum_of_cells (x : Z) : Z := x - (base - 1) * (x / (base - 1)).

  Definition one_cell (k x y : Z) : content :=
    {| c_low := k; c_cells := 1; c_x := x; c_y := y; c_sum_x := x; c_sum_y := y |}.

  (** What is on the grid, and the X of what is not; or all of it, moved to where the grid ends. *)
  Definition within (low high : Z) (c : content) : option (content * Z) :=
    let cells := Z.of_nat (c_cells c) in
    let k := Z.to_nat (Z.min cells (low - c_low c)) in
    let n := (Z.to_nat (Z.min cells (high + 1 - c_low c)) - k)%nat in
    if (k =? 0)%nat && (n =? c_cells c)%nat then Some (c, 0)
    else if fits_in c && (k + n <=? c_cells c)%nat then
      let (x0, x) := cut k (c_x c) in
      let (y0, y) := cut k (c_y c) in
      let (x1, x2) := cut n x in
      let (y1, y2) := cut n y in
      let (sx0, sx2) := (sum_of_cells x0, sum_of_cells x2) in
      let (sy0, sy2) := (sum_of_cells y0, sum_of_cells y2) in
      let inside := {| c_low := c_low c + Z.of_nat k; c_cells := n; c_x := x1; c_y := y1;
                       c_sum_x := c_sum_x c - sx0 - sx2; c_sum_y := c_sum_y c - sy0 - sy2 |} in
      Some (if up then (inside, sx0 + sx2)
            else (join inside (join (one_cell low sx0 sy0) (one_cell high sx2 sy2)), 0))
    else None.

  (** The cells one by one, 2^k of them. *)
  Fixpoint split (k : nat) (x : Z) : list Z :=
    match k with
    | O => [x]
    | S j => let (l, h) := cut (Nat.pow 2 j) x in split j l ++ split j h
    end.

  Definition cells_of (c : content) : option (list ratio) :=
    let k := doublings (c_cells c) in
    if fits_in c && enough k (c_cells c) then Some (combine (split k (c_x c)) (split k (c_y c))) else None.
End Cells.

(** * Pieces of edges *)

Record piece := { p_to : nat; p_up : Z; p_g : Z; p_h : Z }.

Definition power (r : number) (k : Z) : number :=
  if 0 <=? k then (Z.pow (fst r) k, Z.pow (snd r) k) else (Z.pow (snd r) (- k), Z.pow (fst r) (- k)).

(** The largest k >= 0 with r^k <= x, for x >= 1: the number of its digits, and these. *)
Fixpoint digits_of (fuel : nat) (r x : number) (k : Z) : nat :=
  match fuel with O => 0 | S f => if at_most (power r k) x then S (digits_of f r x (2 * k)) else 0 end.

Fixpoint largest_power (digits : nat) (r x : number) (k : Z) : Z :=
  match digits with
  | O => k
  | S j => let more := k + Z.shiftl 1 (Z.of_nat j) in largest_power j r x (if at_most (power r more) x then more else k)
  end.

Definition power_below (r x : number) : Z :=
  let least y := largest_power (digits_of 64 r y 1) r y 0 in
  if snd x <=? fst x then least x
  else let k := least (snd x, fst x) in
       if at_most (snd x, fst x) (power r k) then - k else - k - 1.

Section Pieces.
  Variables (bits : Z) (r : number) (up : bool).

  Definition floor_of (n d : Z) : Z := Z.shiftl n bits / d.
  Definition ceiling_of (n d : Z) : Z := - ((- Z.shiftl n bits) / d).
  Definition for_x (n d : Z) : Z := if up then ceiling_of n d else floor_of n d.
  Definition for_y (n d : Z) : Z := if up then floor_of n d else ceiling_of n d.

  Definition whole (to : nat) (k : Z) (g h : number) : piece :=
    {| p_to := to; p_up := k; p_g := for_x (fst g) (snd g); p_h := for_y (fst h) (snd h) |}.

  (** Two pieces of the ratios r^k and r^(k+1), or one, if that is its own ratio. *)
  Definition two_pieces (to : nat) (k : Z) (g h : number) : option (list piece) :=
    let (n, d) := power r k in
    let more := fst g * snd h * d - fst h * snd g * n in
    let below := snd g * snd h * n * (fst r - snd r) in
    let rest := fst h * snd g * n * (fst r - snd r) - more * snd r in
    if (0 <=? more) && (0 <=? rest) then
      let one := {| p_to := to; p_up := k; p_g := for_x (rest * n) (below * d); p_h := for_y rest below |} in
      Some (if more =? 0 then [one]
            else [one; {| p_to := to; p_up := k + 1; p_g := for_x (more * n * fst r) (below * d);
                          p_h := for_y (more * snd r) below |}])
    else None.

  (** The cell whose ratio is nearer. *)
  Definition nearest (k : Z) (g h : number) : Z :=
    let (n, d) := power r (2 * k + 1) in
    let x := fst g * snd h in
    let y := fst h * snd g in
    if y * y * n <? x * x * d then k + 1 else k.

  Definition pieces_of (to : nat) (g h : number) : option (list piece) :=
    if (0 <? fst g) && (0 <? fst h) then
      let k := power_below r (fst g * snd h, fst h * snd g) in
      if up then two_pieces to k g h else Some [whole to (nearest k g h) g h]
    else Some [whole to 0 g h].
End Pieces.

(** * Rounds *)

Section Rounds.
  Variables (g : grid) (width : Z) (nearly : nat -> Z) (up : bool).
  Variable pieces : nat -> option (list piece).   (* None for a leaf *)

  Notation bits := (g_bits g).

  Definition moved (c : content) (p : piece) : content :=
    {| c_low := c_low c + p_up p; c_cells := c_cells c; c_x := c_x c * p_g p; c_y := c_y c * p_h p;
       c_sum_x := c_sum_x c * p_g p; c_sum_y := c_sum_y c * p_h p |}.

  Definition deliver (t : tree (nat * content)) (e : nat * content) : tree (nat * content) :=
    let (v, c) := e in
    Trees.add v (v, match find v t with Some (_, d) => join width d c | None => c end) t.

  Definition sent (e : nat * content) : list (nat * content) :=
    match pieces (fst e) with
    | Some ps => map (fun p => (p_to p, moved (snd e) p)) ps
    | None => []
    end.

  (** What inner nodes have, what leaves have, and the X that has ended at inner nodes. *)
  Record state := { moving : list (nat * content); arrived : tree (nat * content); ended : list (nat * Z) }.

  Definition is_nothing (c : content) : bool := (c_x c =? 0) && (c_y c =? 0).

  Definition settle (s : option state) (e : nat * content) : option state :=
    match s, rounded bits width nearly up (snd e) with
    | Some s, Some c =>
        match pieces (fst e) with
        | None => Some {| moving := moving s; arrived := deliver (arrived s) (fst e, c); ended := ended s |}
        | Some _ =>
            match within bits width up (g_low g) (g_high g) c with
            | Some (inside, x) =>
                Some {| moving := if is_nothing inside then moving s else (fst e, inside) :: moving s;
                        arrived := arrived s;
                        ended := if x =? 0 then ended s else (fst e, x) :: ended s |}
            | None => None
            end
        end
    | _, _ => None
    end.

  Definition round (s : state) : option state :=
    let delivered := fold_left deliver (flat_map sent (moving s)) empty in
    fold_left settle (values delivered) (Some {| moving := []; arrived := arrived s; ended := ended s |}).

  Fixpoint rounds (n : nat) (s : state) : option state :=
    match n, moving s with
    | O, _ => Some s
    | _, [] => Some s
    | S k, _ => match round s with Some t => rounds k t | None => None end
    end.

  Definition start : state :=
    let one := one_cell 0 (unit bits) (unit bits) in
    match pieces 0%nat with
    | None => {| moving := []; arrived := deliver empty (0%nat, one); ended := [] |}
    | Some _ => {| moving := [(0%nat, one)]; arrived := empty; ended := [] |}
    end.

  Fixpoint all_cells (l : list (nat * content)) : option (list (nat * list ratio)) :=
    match l with
    | [] => Some []
    | (v, c) :: rest =>
        match cells_of bits width c, all_cells rest with
        | Some cells, Some others => Some ((v, cells) :: others)
        | _, _ => None
        end
    end.

  (** In the end: the cells of the nodes, in units of 2^-bits. *)
  Definition run : option (list (nat * list ratio)) :=
    match rounds (g_rounds g) start with
    | Some s =>
        match all_cells (moving s ++ values (arrived s)) with
        | Some cells => Some (map (fun e => (fst e, [(snd e, 0)])) (ended s) ++ cells)
        | None => None
        end
    | None => None
    end.
End Rounds.

(** * The lists of a grid *)

Section Graph.
  Variables (nodes : nat -> node) (count : nat) (out : nat -> option (list zedge)) (g : grid).

  Definition or_one (x : Z) : Z := if x =? 0 then 1 else x.

  Definition mass_a (u : nat) : Z := or_one (total (node_a (nodes u))).
  Definition mass_b (u : nat) : Z := or_one (total (node_b (nodes u))).

  (** The scales of an edge between vectors of mass 1. *)
  Definition edge_pieces (up : bool) (u : nat) (e : zedge) : option (list piece) :=
    pieces_of (g_bits g) (g_ratio g) up (e_to e)
      (fst (e_g e) * mass_a (e_to e), snd (e_g e) * mass_a u) (fst (e_h e) * mass_b (e_to e), snd (e_h e) * mass_b u).

  Definition node_pieces (up : bool) (u : nat) : option (option (list piece)) :=
    match out u with
    | None => Some None
    | Some es => match all_some (map (edge_pieces up u) es) with Some l => Some (Some (concat l)) | None => None end
    end.

  (** The weights of a node with the vectors that are written. *)
  Definition in_masses (v : nat) (cells : list ratio) : Z * list ratio :=
    let (a, b) := (mass_a v, mass_b v) in
    (unit (g_bits g) * a * b, map (fun w => (fst w * b, snd w * a)) (filter (fun w => negb (is_zero w)) cells)).

  Definition grid_atoms (up : bool) (worth : nat -> Z * list ratio) : option atoms :=
    let found := memo1 count (node_pieces up) in
    if forallb (fun u => match found u with Some _ => true | None => false end) (seq 0 count) then
      let pieces u := match found u with Some ps => ps | None => None end in
      let width := 2 * g_bits g + 40 in
      let nearly := memo1 64 (filled (g_bits g) width) in
      match run g width nearly up pieces with
      | Some l => Some (map (fun e => node_atoms (in_masses (fst e) (snd e)) (worth (fst e))) l)
      | None => None
      end
    else None.
End Graph.
