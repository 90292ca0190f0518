
val negb : bool -> bool

type ('a, 'b) sum =
| Inl of 'a
| Inr of 'b

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> int

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val sub : int -> int -> int

type n =
| N0
| Npos of Integers.t



module Nat :
 sig
  val even : int -> bool

  val pow : int -> int -> int
 end

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg
 end

module Coq_Pos :
 sig
  val succ : Integers.t -> Integers.t

  val add : Integers.t -> Integers.t -> Integers.t

  val add_carry : Integers.t -> Integers.t -> Integers.t

  val pred_double : Integers.t -> Integers.t

  val pred_N : Integers.t -> n

  type mask = Pos.mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : Integers.t -> mask

  val sub_mask : Integers.t -> Integers.t -> mask

  val sub_mask_carry : Integers.t -> Integers.t -> mask

  val sub : Integers.t -> Integers.t -> Integers.t

  val mul : Integers.t -> Integers.t -> Integers.t

  val iter : ('a1 -> 'a1) -> 'a1 -> Integers.t -> 'a1

  val div2 : Integers.t -> Integers.t

  val div2_up : Integers.t -> Integers.t

  val size_nat : Integers.t -> int

  val size : Integers.t -> Integers.t

  val compare_cont : comparison -> Integers.t -> Integers.t -> comparison

  val compare : Integers.t -> Integers.t -> comparison

  val eqb : Integers.t -> Integers.t -> bool

  val gcdn : int -> Integers.t -> Integers.t -> Integers.t

  val gcd : Integers.t -> Integers.t -> Integers.t

  val coq_Nsucc_double : n -> n

  val coq_Ndouble : n -> n

  val coq_lor : Integers.t -> Integers.t -> Integers.t

  val coq_land : Integers.t -> Integers.t -> n

  val ldiff : Integers.t -> Integers.t -> n

  val iter_op : ('a1 -> 'a1 -> 'a1) -> Integers.t -> 'a1 -> 'a1

  val to_nat : Integers.t -> int

  val of_succ_nat : int -> Integers.t
 end

module N :
 sig
  val succ_pos : n -> Integers.t

  val coq_lor : n -> n -> n

  val ldiff : n -> n -> n
 end

module Z :
 sig
  val double : Integers.t -> Integers.t

  val succ_double : Integers.t -> Integers.t

  val pred_double : Integers.t -> Integers.t

  val pos_sub : Integers.t -> Integers.t -> Integers.t

  val succ : Integers.t -> Integers.t

  val pred : Integers.t -> Integers.t

  val pow_pos : Integers.t -> Integers.t -> Integers.t

  val of_N : n -> Integers.t

  val pos_div_eucl : Integers.t -> Integers.t -> Integers.t * Integers.t

  val div_eucl : Integers.t -> Integers.t -> Integers.t * Integers.t

  val div2 : Integers.t -> Integers.t

  val log2 : Integers.t -> Integers.t
 end

val nth : int -> 'a1 list -> 'a1 -> 'a1

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val concat : 'a1 list list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val find : ('a1 -> bool) -> 'a1 list -> 'a1 option

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

val seq : int -> int -> int list

type quantity =
| Bd
| Ld

type claim = { claim_s : int; claim_t : int;
               claim_lower : (Integers.t * Integers.t);
               claim_upper : (Integers.t * Integers.t) }

type coupling = { coupling_w : ((int * int) * Integers.t) list;
                  coupling_b : (int * Integers.t) list }

type upper_record = { upper_s : int; upper_t : int; upper_over : Integers.t;
                      upper_value : Integers.t;
                      upper_couplings : coupling list }

type function0 = { f_rank : Integers.t; f_over : Integers.t;
                   f_named : (int * Integers.t) list;
                   f_rest : ((int * int) * Integers.t) list;
                   f_pairs : ((int * int) * Integers.t) list }

type stage = { stage_functions : function0 list;
               stage_escapes : function0 list }

type document = { quantity_of : quantity; alpha_above : Integers.t;
                  alpha_below : Integers.t; words : int; size0 : int;
                  labels : int list;
                  rows : (Integers.t * (int * Integers.t) list) list;
                  partition : int list list; clock : int list;
                  steps_left : int list; merged : int list list;
                  claims : claim list; named_states : int list;
                  upper : upper_record list; lower : stage list }

type 'a reader = Integers.t list -> ('a * Integers.t list) option

val give : 'a1 -> 'a1 reader

val refuse : 'a1 reader

val bind : 'a1 reader -> ('a1 -> 'a2 reader) -> 'a2 reader

val integer : Integers.t reader

val below : int -> int reader

val natural : int reader

val positive_integer : Integers.t reader

val times : int -> 'a1 reader -> 'a1 list -> 'a1 list reader

val list_of : 'a1 reader -> 'a1 list reader

val pair_of : 'a1 reader -> 'a2 reader -> ('a1 * 'a2) reader

val rational : (Integers.t * Integers.t) reader

val read_quantity : quantity reader

val state_at : (int -> int) -> int -> int reader

val read_row : int -> (int * (Integers.t * (int * Integers.t) list)) reader

val read_classes : int -> int list list reader

val read_claim : int -> claim reader

val read_vector : (int -> int) -> int -> (int * Integers.t) list reader

val read_pairs : (int -> int) -> int -> ((int * int) * Integers.t) list reader

val read_coupling : (int -> int) -> int -> coupling reader

val read_upper : (int -> int) -> int -> int -> upper_record reader

val read_function : int -> (int -> int) -> int -> function0 reader

val read_stage : int -> (int -> int) -> int -> stage reader

val read_document : document reader

val document_of : Integers.t list -> document option

type 'a tree =
| Leaf
| Node of 'a tree * 'a option * 'a tree

val empty : 'a1 tree

val find0 : int -> 'a1 tree -> 'a1 option

val parts : 'a1 tree -> ('a1 tree * 'a1 option) * 'a1 tree

val insert : int -> int -> 'a1 -> 'a1 tree -> 'a1 tree

val add0 : int -> 'a1 -> 'a1 tree -> 'a1 tree

val mem : int -> 'a1 tree -> bool

val values_onto : 'a1 tree -> 'a1 list -> 'a1 list

val values : 'a1 tree -> 'a1 list

val merge :
  ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list -> ('a1 * Integers.t)
  list -> ('a1 * Integers.t) list

val push :
  ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list -> ('a1 * Integers.t)
  list option list -> ('a1 * Integers.t) list option list

val unstack :
  ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list -> ('a1 * Integers.t)
  list option list -> ('a1 * Integers.t) list

val merge_all :
  ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list list ->
  ('a1 * Integers.t) list

val collect :
  ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list -> ('a1 * Integers.t)
  list

val increasing : (Integers.t * Integers.t) list -> bool

val positive_sum : (Integers.t * Integers.t) list -> Integers.t

val all_once : int list -> bool

type number = Integers.t * Integers.t

val less : number -> number -> bool

val at_most : number -> number -> bool

type zchain = { zsize : int; zmember : (int -> bool); zlabel : (int -> int);
                zrow : (int -> (int * Integers.t) list);
                zover : (int -> Integers.t) }

val zstates : zchain -> int list

val in_chain : zchain -> int -> bool

val chain_of : document -> zchain

val total : (int * Integers.t) list -> Integers.t

val check_rows : document -> bool

val representative : int -> int list list -> int -> int

val lumped : zchain -> (int -> int) -> int -> (int * Integers.t) list

val same_entries :
  (int * Integers.t) list -> Integers.t -> (int * Integers.t) list ->
  Integers.t -> bool

val check_class : zchain -> (int -> int) -> int list -> bool

val check_classes : zchain -> (int -> int) -> int list list -> bool

val zquotient : zchain -> (int -> int) -> zchain

val has_label : zchain -> int -> bool

val check_clock : zchain -> int list -> (int -> int) -> int -> bool

val fine : int -> int -> int -> int

val ztimed : zchain -> (int -> int) -> int -> zchain

val group : (int * int list) tree -> int -> int list

val group_of : (int -> int) -> int list -> (int * int list) tree

val symmetric : quantity -> bool

val turns_of : quantity -> int -> int -> (int * int) list

val key : quantity -> zchain -> int -> int -> int

val is_pair : zchain -> int -> int -> bool

val upper_table : quantity -> zchain -> number tree -> int -> int -> number

val upper_values : quantity -> zchain -> upper_record list -> number tree

val w_states : zchain -> ((int * int) * Integers.t) list -> bool

val b_states : zchain -> (int * Integers.t) list -> bool

val slack :
  Integers.t -> Integers.t -> zchain -> Integers.t -> coupling -> int -> int
  -> (int * Integers.t) list

val check_coupling :
  Integers.t -> Integers.t -> zchain -> Integers.t -> coupling -> int -> int
  -> bool

val plus : number -> number -> number

val cost : quantity -> zchain -> number tree -> coupling -> number

val check_upper_record :
  quantity -> Integers.t -> Integers.t -> zchain -> number tree ->
  upper_record -> bool

val check_upper :
  quantity -> Integers.t -> Integers.t -> zchain -> upper_record list ->
  number tree -> bool

type distribution = (Integers.t * Integers.t) list * Integers.t

val empty_word : distribution

val longer :
  zchain -> Integers.t -> (int -> distribution) -> int -> distribution

val layers :
  zchain -> Integers.t -> Integers.t -> (int -> distribution) -> int -> (int
  -> distribution) list

val layer : (int -> distribution) list -> int -> int -> distribution

val excess :
  Integers.t -> Integers.t -> (int -> distribution) list -> int -> int -> int
  -> distribution

val word_gain :
  Integers.t -> Integers.t -> (int -> distribution) list -> int -> int -> int
  -> number

val larger : number -> number -> number

val base :
  quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
  -> int -> int -> number

val favour :
  Integers.t -> Integers.t -> (int -> distribution) list -> int -> int -> int
  -> bool

val tell :
  quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
  -> int -> int -> bool

val shortest :
  quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
  -> int -> int -> int option

type evaluated = { raw : function0; value_at : (int -> Integers.t);
                   row_sum : (int -> Integers.t) }

val rest_of : int -> ((int * int) * Integers.t) list -> Integers.t tree

val weighted : (int -> Integers.t) -> (int * Integers.t) list -> Integers.t

val evaluate : zchain -> int -> function0 -> evaluated

val in_range : function0 -> bool

val allowed :
  (int -> int -> number) -> Integers.t -> Integers.t -> Integers.t -> int ->
  int -> bool

val fits :
  Integers.t -> Integers.t -> zchain -> (int * int list) tree -> (int -> int
  -> number) -> evaluated -> bool

val objective :
  Integers.t -> Integers.t -> zchain -> evaluated -> int -> int -> number

val check_function : zchain -> function0 -> bool

val check_rest : (int * int list) tree -> int -> function0 -> bool

val check_objectives : Integers.t -> Integers.t -> zchain -> evaluated -> bool

val known :
  quantity -> zchain -> (int -> int -> number) -> number tree -> int -> int
  -> number

type leader = { leader_value : number; leader_s : int; leader_t : int }

val lead : quantity -> zchain -> leader tree -> function0 -> leader tree

val leaders : quantity -> zchain -> function0 list -> leader tree

val new_pairs :
  quantity -> zchain -> number tree -> function0 list -> leader list

val enter : quantity -> zchain -> leader list -> number tree -> number tree

val code : zchain -> int -> int -> int

val listings : zchain -> evaluated list -> (int * evaluated) tree

type listing =
| Unlisted
| Listed of evaluated
| Turned

val listing_of :
  quantity -> zchain -> (int * evaluated) tree -> leader -> listing

val ranks_by_length :
  (int -> bool) -> (int -> Integers.t) -> Integers.t -> int -> int ->
  Integers.t list

val maximum : Integers.t list -> Integers.t

type ranked = { ranked_leader : leader; ranked_rank : Integers.t;
                ranked_escape : (evaluated, int) sum }

val escape_or_length :
  quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
  list -> int -> (int * evaluated) tree -> leader -> (leader * (evaluated,
  int) sum) option

val all_some : 'a1 option list -> 'a1 list option

val rank_all :
  quantity -> Integers.t -> Integers.t -> (int -> distribution) list ->
  (leader * (evaluated, int) sum) list -> ranked list

val rank_table : quantity -> zchain -> ranked list -> Integers.t tree

val reached :
  quantity -> zchain -> (int -> int -> number) -> number tree -> Integers.t
  tree -> Integers.t -> int -> int -> number

val check_ranked :
  Integers.t -> Integers.t -> zchain -> (int -> distribution) list -> (int ->
  Integers.t -> bool) -> ranked -> bool

val all_smaller : (int * Integers.t) list -> int -> Integers.t -> bool

val told_apart_by :
  quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
  -> ranked list -> (int * Integers.t) list

val longest_word : ranked list -> int

val check_escapes :
  quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
  list -> (int * int list) tree -> (int -> int -> number) -> int -> evaluated
  list -> number tree -> leader list -> bool

val check_stage :
  quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
  list -> (int * int list) tree -> (int -> int -> number) -> int -> int ->
  number tree -> stage -> number tree option

val check_stages :
  quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
  list -> (int * int list) tree -> (int -> int -> number) -> int -> int ->
  number tree -> stage list -> number tree option

val zero : number

val one : number

val check_claim :
  (int -> int -> number) -> (int -> int -> number) -> zchain -> (int -> int)
  -> claim -> bool

val check : document -> bool

type ratio = Integers.t * Integers.t

val compare_ratio : ratio -> ratio -> comparison

val compare_slope : ratio -> ratio -> comparison

type atoms = (Integers.t * ratio list) list

val atom_of : (number * number) -> Integers.t * ratio list

type slopes = (ratio * Integers.t) list

val is_zero : ratio -> bool

val over_unit : Integers.t -> (Integers.t * ratio list) -> slopes

val unit_of : atoms -> Integers.t

val sorted : atoms -> Integers.t * slopes

val at_most_slope : ratio -> ratio -> bool

val rising : ratio list -> bool

val is_atom : (ratio * Integers.t) -> bool

val in_order : slopes -> bool

val sum_p : slopes -> Integers.t

val sum_q : slopes -> Integers.t

val beyond :
  ratio -> slopes -> Integers.t -> Integers.t ->
  slopes * (Integers.t * Integers.t)

val along :
  ratio list -> slopes -> Integers.t -> Integers.t -> Integers.t list

val curve_at : ratio list -> slopes -> Integers.t list

val all_at_most :
  Integers.t -> Integers.t -> Integers.t list -> Integers.t list -> bool

val finite : ratio -> bool

val places_ok : ratio list -> bool

val check_optimistic : (Integers.t * slopes) -> (Integers.t * slopes) -> bool

val check_pessimistic : (Integers.t * slopes) -> (Integers.t * slopes) -> bool

val may_be_claimed : (number * number) list -> bool

val check_claim_of :
  (number * number) list -> (number * number) list -> atoms -> atoms -> bool

type node = { node_a : (int * Integers.t) list;
              node_b : (int * Integers.t) list;
              node_next : (int * int) list option }

type weights = (ratio * number) list

val reduced : number -> number

val weight : Integers.t -> Integers.t -> Integers.t -> ratio * number

val scaled : number -> number -> (ratio * number) -> ratio * number

val of_pair : (number * number) -> ratio * number

val opposite : (ratio * number) -> ratio * number

val common : weights -> Integers.t

val by_ratio : Integers.t -> weights -> (ratio * Integers.t) list

val same_weights : weights -> weights -> bool

val merged_weights : weights -> weights

val image :
  (int -> Integers.t) -> (int -> (int * Integers.t) list) ->
  (int * Integers.t) list -> Integers.t * (int * Integers.t) list

val stepped :
  zchain -> (int * Integers.t) list -> Integers.t * (int * Integers.t) list

val distinct : int list -> bool

val not_zero : (int * Integers.t) list -> (int * Integers.t) list

val of_label :
  zchain -> int -> (int * Integers.t) list -> (int * Integers.t) list

val piece :
  zchain -> (int -> Integers.t * (int * Integers.t) list) ->
  (Integers.t * (int * Integers.t) list) -> int ->
  Integers.t * (int * Integers.t) list

val labels_of : zchain -> (Integers.t * (int * Integers.t) list) -> int list

val multiple :
  Integers.t -> (int * Integers.t) list -> (int * Integers.t) list -> number
  option

type zedge = { e_label : int; e_to : int; e_g : number; e_h : number }

val edge_of :
  zchain -> (int -> Integers.t * (int * Integers.t) list) -> (int -> node) ->
  (Integers.t * (int * Integers.t) list) -> (Integers.t * (int * Integers.t)
  list) -> (int * int) -> zedge option

val edges_of :
  zchain -> (int -> Integers.t * (int * Integers.t) list) -> (int -> node) ->
  int -> int -> (int * int) list -> zedge list option

val check_future :
  zchain -> (int -> Integers.t * (int * Integers.t) list) -> (int -> bool) ->
  int -> (Integers.t * (int * Integers.t) list) -> bool

val check_node : zchain -> (int -> node) -> (int -> bool) -> int -> bool

val closed : (int -> node) -> int -> bool

val held : weights tree -> int -> weights

val put : weights tree -> (int * (ratio * number)) -> weights tree

val flowing :
  (int -> zedge list option) -> int -> weights -> (int * (ratio * number))
  list

val weigh : int -> (int -> zedge list option) -> weights tree -> weights tree

val check_flow : int -> (int -> zedge list option) -> (int -> weights) -> bool

val aligned :
  (int * Integers.t) list -> (int * Integers.t) list -> (int * ratio) list

val masses : (int -> node) -> int -> ratio

val most : (int -> node) -> int -> ratio list

val least :
  (int -> node) -> (Integers.t * (int -> Integers.t) list) option -> int ->
  Integers.t * ratio list

val node_atoms :
  (Integers.t * ratio list) -> (Integers.t * ratio list) ->
  Integers.t * ratio list

val held_at : weights -> Integers.t * ratio list

val leaf_atoms :
  (int -> zedge list option) -> (int -> Integers.t * ratio list) -> (int ->
  weights) -> int -> (Integers.t * ratio list) list

type grid = { g_ratio : number; g_bits : Integers.t; g_rounds : int;
              g_low : Integers.t; g_high : Integers.t }

val grid_ok : grid -> bool

type content = { c_low : Integers.t; c_cells : int; c_x : Integers.t;
                 c_y : Integers.t; c_sum_x : Integers.t; c_sum_y : Integers.t }

val unit1 : Integers.t -> Integers.t

val base0 : Integers.t -> Integers.t

val up_cells : Integers.t -> int -> Integers.t -> Integers.t

val cut : Integers.t -> int -> Integers.t -> Integers.t * Integers.t

val filled : Integers.t -> Integers.t -> int -> Integers.t

val join : Integers.t -> content -> content -> content

val fits_in : Integers.t -> Integers.t -> content -> bool

val doublings : int -> int

val enough : int -> int -> bool

val divided_down : Integers.t -> Integers.t -> Integers.t -> Integers.t

val divided_up : Integers.t -> Integers.t -> Integers.t -> Integers.t

val rounded :
  Integers.t -> Integers.t -> (int -> Integers.t) -> bool -> content ->
  content option

val sum_of_cells : Integers.t -> Integers.t -> Integers.t

val one_cell : Integers.t -> Integers.t -> Integers.t -> content

val within :
  Integers.t -> Integers.t -> bool -> Integers.t -> Integers.t -> content ->
  (content * Integers.t) option

val split : Integers.t -> int -> Integers.t -> Integers.t list

val cells_of : Integers.t -> Integers.t -> content -> ratio list option

type piece0 = { p_to : int; p_up : Integers.t; p_g : Integers.t;
                p_h : Integers.t }

val power : number -> Integers.t -> number

val digits_of : int -> number -> number -> Integers.t -> int

val largest_power : int -> number -> number -> Integers.t -> Integers.t

val power_below : number -> number -> Integers.t

val floor_of : Integers.t -> Integers.t -> Integers.t -> Integers.t

val ceiling_of : Integers.t -> Integers.t -> Integers.t -> Integers.t

val for_x : Integers.t -> bool -> Integers.t -> Integers.t -> Integers.t

val for_y : Integers.t -> bool -> Integers.t -> Integers.t -> Integers.t

val whole :
  Integers.t -> bool -> int -> Integers.t -> number -> number -> piece0

val two_pieces :
  Integers.t -> number -> bool -> int -> Integers.t -> number -> number ->
  piece0 list option

val nearest : number -> Integers.t -> number -> number -> Integers.t

val pieces_of :
  Integers.t -> number -> bool -> int -> number -> number -> piece0 list
  option

val moved : content -> piece0 -> content

val deliver :
  Integers.t -> (int * content) tree -> (int * content) -> (int * content)
  tree

val sent :
  (int -> piece0 list option) -> (int * content) -> (int * content) list

type state = { moving : (int * content) list; arrived : (int * content) tree;
               ended : (int * Integers.t) list }

val is_nothing : content -> bool

val settle :
  grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
  option) -> state option -> (int * content) -> state option

val round :
  grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
  option) -> state -> state option

val rounds :
  grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
  option) -> int -> state -> state option

val start : grid -> Integers.t -> (int -> piece0 list option) -> state

val all_cells :
  grid -> Integers.t -> (int * content) list -> (int * ratio list) list option

val run :
  grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
  option) -> (int * ratio list) list option

val or_one : Integers.t -> Integers.t

val mass_a : (int -> node) -> int -> Integers.t

val mass_b : (int -> node) -> int -> Integers.t

val edge_pieces :
  (int -> node) -> grid -> bool -> int -> zedge -> piece0 list option

val node_pieces :
  (int -> node) -> (int -> zedge list option) -> grid -> bool -> int ->
  piece0 list option option

val in_masses :
  (int -> node) -> grid -> int -> ratio list -> Integers.t * ratio list

val grid_atoms :
  (int -> node) -> int -> (int -> zedge list option) -> grid -> bool -> (int
  -> Integers.t * ratio list) -> atoms option

type types = { t_count : int;
               t_sets : (int * (Integers.t * (int * Integers.t) list)) list;
               t_words : int list list;
               t_reach : (Integers.t * (int * Integers.t) list) list }

val members :
  (int * (Integers.t * (int * Integers.t) list)) -> (int * Integers.t) list

val root : (int * (Integers.t * (int * Integers.t) list)) -> int

val over : (int * (Integers.t * (int * Integers.t) list)) -> Integers.t

val in_set :
  (int -> int option) -> (int * (Integers.t * (int * Integers.t) list)) ->
  int -> bool

val of_type :
  (int -> int option) -> (int * (Integers.t * (int * Integers.t) list)) ->
  int -> bool

val rising_keys : (int * Integers.t) list -> bool

val check_set :
  zchain -> types -> (int -> int option) -> (int -> int option) ->
  (int * (Integers.t * (int * Integers.t) list)) -> bool

val check_rank : zchain -> (int -> int option) -> (int -> int) -> int -> bool

val frequency :
  zchain -> Integers.t -> (int * Integers.t) list -> int list -> number

val frequencies :
  zchain -> types -> (int * (Integers.t * (int * Integers.t) list)) -> number
  list

val differ : number list -> number list -> bool

val check_words : (int * number list) list -> bool

val check_reach :
  zchain -> (int -> int option) -> int -> Integers.t -> (int -> Integers.t)
  -> int -> bool

val steps_before : zchain -> int list tree

val spread_ranks :
  int list tree -> int -> int -> int list -> int tree -> int tree

val ranks_of : zchain -> int list -> int -> int

val reach_of : zchain -> types -> Integers.t * (int -> Integers.t) list

val check_types : zchain -> types -> bool

type profile = { p_size : int; p_labels : int list;
                 p_rows : (Integers.t * (int * Integers.t) list) list;
                 p_s : int; p_t : int;
                 p_futures : (int * (Integers.t * (int * Integers.t) list))
                             list; p_nodes : node list;
                 p_visits : (int * (number * number) list) list;
                 p_types : types option; p_grid : grid option;
                 p_optimistic : (number * number) list;
                 p_above : (number * number) list option }

val p_pessimistic : profile -> (number * number) list

val read_node : int -> int -> node reader

val option_of : 'a1 reader -> 'a1 option reader

val read_shares : int -> (Integers.t * (int * Integers.t) list) reader

val read_types : int -> types reader

val read_grid : grid reader

val read_atoms : (number * number) list reader

val read_profile : profile reader

val profile_of : Integers.t list -> profile option

val of_mass_one : node -> (ratio * number) -> ratio * number

val node_zero :
  (int -> Integers.t * (int * Integers.t) list) -> node list -> int -> int ->
  bool

val check_visits : profile -> (int -> zedge list option) -> bool

val check_order : profile -> int -> (int -> zedge list option) -> bool

val p_model : profile -> document

val p_chain : profile -> zchain

val p_node : profile -> int -> node

val entry_of : profile -> int -> (Integers.t * (int * Integers.t) list) option

val no_entry :
  (int -> (Integers.t * (int * Integers.t) list) option) -> int -> bool

val future_of :
  (int -> (Integers.t * (int * Integers.t) list) option) -> int ->
  Integers.t * (int * Integers.t) list

val found_edges :
  profile -> (int -> Integers.t * (int * Integers.t) list) -> int -> zedge
  list option option

val outgoing : (int -> zedge list option option) -> int -> zedge list option

val weighed_lists :
  profile -> (int -> zedge list option) -> (int -> Integers.t * ratio list)
  -> (int -> Integers.t * ratio list) -> (atoms * atoms) option

val grid_lists :
  profile -> grid -> (int -> zedge list option) -> (int -> Integers.t * ratio
  list) -> (int -> Integers.t * ratio list) -> (atoms * atoms) option

val check_graph :
  profile -> (int -> bool) -> (int -> Integers.t * (int * Integers.t) list)
  -> (int -> zedge list option option) -> (int -> zedge list option) ->
  (Integers.t * (int -> Integers.t) list) option -> bool

val check_profile : profile -> bool

type answer =
| Distances of document
| Profiled of profile
| Rejected

val decide : Integers.t list -> answer
