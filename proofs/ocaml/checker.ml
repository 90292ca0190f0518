
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type ('a, 'b) sum =
| Inl of 'a
| Inr of 'b

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> int **)

let rec length = function
| [] -> 0
| _ :: l' -> Stdlib.succ (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

module Nat =
 struct
  (** val even : int -> bool **)

  let rec even n =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> true)
      (fun n0 ->
      (fun zero next n -> if n = 0 then zero () else next (n - 1))
        (fun _ -> false)
        (fun n' -> even n')
        n0)
      n
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : Integers.t -> Integers.t **)

  let rec succ x =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p -> (fun x -> Integers.shift_left x 1) (succ p))
      (fun p -> (fun x -> Integers.succ (Integers.shift_left x 1))
      p)
      (fun _ -> (fun x -> Integers.shift_left x 1) Integers.one)
      x

  (** val add : Integers.t -> Integers.t -> Integers.t **)

  let rec add x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> (fun x -> Integers.shift_left x 1)
        (add_carry p q))
        (fun q -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (add p q))
        (fun _ -> (fun x -> Integers.shift_left x 1) (succ p))
        y)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (add p q))
        (fun q -> (fun x -> Integers.shift_left x 1) (add p q))
        (fun _ -> (fun x -> Integers.succ (Integers.shift_left x 1)) p)
        y)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> (fun x -> Integers.shift_left x 1) (succ q))
        (fun q -> (fun x -> Integers.succ (Integers.shift_left x 1))
        q)
        (fun _ -> (fun x -> Integers.shift_left x 1) Integers.one)
        y)
      x

  (** val add_carry : Integers.t -> Integers.t -> Integers.t **)

  and add_carry x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (add_carry p q))
        (fun q -> (fun x -> Integers.shift_left x 1)
        (add_carry p q))
        (fun _ -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (succ p))
        y)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> (fun x -> Integers.shift_left x 1)
        (add_carry p q))
        (fun q -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (add p q))
        (fun _ -> (fun x -> Integers.shift_left x 1) (succ p))
        y)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (succ q))
        (fun q -> (fun x -> Integers.shift_left x 1) (succ q))
        (fun _ -> (fun x -> Integers.succ (Integers.shift_left x 1))
        Integers.one)
        y)
      x

  (** val pred_double : Integers.t -> Integers.t **)

  let rec pred_double x =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p -> (fun x -> Integers.succ (Integers.shift_left x 1))
      ((fun x -> Integers.shift_left x 1) p))
      (fun p -> (fun x -> Integers.succ (Integers.shift_left x 1))
      (pred_double p))
      (fun _ -> Integers.one)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Integers.one
  | IsPos p -> IsPos ((fun x -> Integers.succ (Integers.shift_left x 1)) p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos ((fun x -> Integers.shift_left x 1) p)
  | x0 -> x0

  (** val double_pred_mask : Integers.t -> mask **)

  let double_pred_mask x =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p -> IsPos ((fun x -> Integers.shift_left x 1)
      ((fun x -> Integers.shift_left x 1) p)))
      (fun p -> IsPos ((fun x -> Integers.shift_left x 1)
      (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Integers.t -> Integers.t -> mask **)

  let rec sub_mask x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> double_mask (sub_mask p q))
        (fun q -> succ_double_mask (sub_mask p q))
        (fun _ -> IsPos ((fun x -> Integers.shift_left x 1) p))
        y)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Integers.t -> Integers.t -> mask **)

  and sub_mask_carry x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> double_mask (sub_mask_carry p q))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val sub : Integers.t -> Integers.t -> Integers.t **)

  let sub x y =
    match sub_mask x y with
    | IsPos z0 -> z0
    | _ -> Integers.one

  (** val mul : Integers.t -> Integers.t -> Integers.t **)

  let rec mul x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      add y ((fun x -> Integers.shift_left x 1) (mul p y)))
      (fun p -> (fun x -> Integers.shift_left x 1) (mul p y))
      (fun _ -> y)
      x

  (** val size_nat : Integers.t -> int **)

  let rec size_nat p =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 -> Stdlib.succ (size_nat p0))
      (fun p0 -> Stdlib.succ (size_nat p0))
      (fun _ -> Stdlib.succ 0)
      p

  (** val compare_cont :
      comparison -> Integers.t -> Integers.t -> comparison **)

  let rec compare_cont r x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> compare_cont r p q)
        (fun q -> compare_cont Gt p q)
        (fun _ -> Gt)
        y)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> compare_cont Lt p q)
        (fun q -> compare_cont r p q)
        (fun _ -> Gt)
        y)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun _ -> r)
        y)
      x

  (** val compare : Integers.t -> Integers.t -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : Integers.t -> Integers.t -> bool **)

  let rec eqb p q =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        (fun _ -> false)
        q)
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> false)
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        q)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> false)
        (fun _ -> false)
        (fun _ -> true)
        q)
      p

  (** val gcdn : int -> Integers.t -> Integers.t -> Integers.t **)

  let rec gcdn n a b =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> Integers.one)
      (fun n0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun a' ->
        (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
          (fun b' ->
          match compare a' b' with
          | Eq -> a
          | Lt -> gcdn n0 (sub b' a') a
          | Gt -> gcdn n0 (sub a' b') b)
          (fun b0 -> gcdn n0 a b0)
          (fun _ -> Integers.one)
          b)
        (fun a0 ->
        (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
          (fun _ -> gcdn n0 a0 b)
          (fun b0 -> (fun x -> Integers.shift_left x 1)
          (gcdn n0 a0 b0))
          (fun _ -> Integers.one)
          b)
        (fun _ -> Integers.one)
        a)
      n

  (** val gcd : Integers.t -> Integers.t -> Integers.t **)

  let gcd a b =
    gcdn ((fun (x : int) y -> x + y) (size_nat a) (size_nat b)) a b

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> Integers.t -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 -> op a (iter_op op p0 (op a a)))
      (fun p0 -> iter_op op p0 (op a a))
      (fun _ -> a)
      p

  (** val to_nat : Integers.t -> int **)

  let to_nat x =
    iter_op (fun (x : int) y -> x + y) x (Stdlib.succ 0)

  (** val of_succ_nat : int -> Integers.t **)

  let rec of_succ_nat n =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> Integers.one)
      (fun x -> succ (of_succ_nat x))
      n
 end

module Z =
 struct
  (** val double : Integers.t -> Integers.t **)

  let double x =
    (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
      (fun _ -> Integers.zero)
      (fun p -> (fun p -> p) ((fun x -> Integers.shift_left x 1) p))
      (fun p -> Integers.neg ((fun x -> Integers.shift_left x 1) p))
      x

  (** val succ_double : Integers.t -> Integers.t **)

  let succ_double x =
    (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
      (fun _ -> (fun p -> p) Integers.one)
      (fun p -> (fun p -> p)
      ((fun x -> Integers.succ (Integers.shift_left x 1)) p))
      (fun p -> Integers.neg (Coq_Pos.pred_double p))
      x

  (** val pred_double : Integers.t -> Integers.t **)

  let pred_double x =
    (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
      (fun _ -> Integers.neg Integers.one)
      (fun p -> (fun p -> p) (Coq_Pos.pred_double p))
      (fun p -> Integers.neg
      ((fun x -> Integers.succ (Integers.shift_left x 1)) p))
      x

  (** val pos_sub : Integers.t -> Integers.t -> Integers.t **)

  let rec pos_sub x y =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> double (pos_sub p q))
        (fun q -> succ_double (pos_sub p q))
        (fun _ -> (fun p -> p) ((fun x -> Integers.shift_left x 1) p))
        y)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> pred_double (pos_sub p q))
        (fun q -> double (pos_sub p q))
        (fun _ -> (fun p -> p) (Coq_Pos.pred_double p))
        y)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q -> Integers.neg ((fun x -> Integers.shift_left x 1)
        q))
        (fun q -> Integers.neg (Coq_Pos.pred_double q))
        (fun _ -> Integers.zero)
        y)
      x

  (** val pos_div_eucl :
      Integers.t -> Integers.t -> Integers.t * Integers.t **)

  let rec pos_div_eucl a b =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' =
        Integers.add
          (Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
            Integers.one)) r) ((fun p -> p) Integers.one)
      in
      if Integers.lt r' b
      then ((Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
              Integers.one)) q), r')
      else ((Integers.add
              (Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
                Integers.one)) q) ((fun p -> p) Integers.one)),
             (Integers.sub r' b)))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' =
        Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
          Integers.one)) r
      in
      if Integers.lt r' b
      then ((Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
              Integers.one)) q), r')
      else ((Integers.add
              (Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
                Integers.one)) q) ((fun p -> p) Integers.one)),
             (Integers.sub r' b)))
      (fun _ ->
      if Integers.leq ((fun p -> p) ((fun x -> Integers.shift_left x 1)
           Integers.one)) b
      then (Integers.zero, ((fun p -> p) Integers.one))
      else (((fun p -> p) Integers.one), Integers.zero))
      a

  (** val div_eucl : Integers.t -> Integers.t -> Integers.t * Integers.t **)

  let div_eucl a b =
    (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
      (fun _ -> (Integers.zero, Integers.zero))
      (fun a' ->
      (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
        (fun _ -> (Integers.zero, a))
        (fun _ -> pos_div_eucl a' b)
        (fun b' ->
        let (q, r) = pos_div_eucl a' ((fun p -> p) b') in
        ((fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
           (fun _ -> ((Integers.neg q), Integers.zero))
           (fun _ ->
           ((Integers.neg (Integers.add q ((fun p -> p) Integers.one))),
           (Integers.add b r)))
           (fun _ ->
           ((Integers.neg (Integers.add q ((fun p -> p) Integers.one))),
           (Integers.add b r)))
           r))
        b)
      (fun a' ->
      (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
        (fun _ -> (Integers.zero, a))
        (fun _ ->
        let (q, r) = pos_div_eucl a' b in
        ((fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
           (fun _ -> ((Integers.neg q), Integers.zero))
           (fun _ ->
           ((Integers.neg (Integers.add q ((fun p -> p) Integers.one))),
           (Integers.sub b r)))
           (fun _ ->
           ((Integers.neg (Integers.add q ((fun p -> p) Integers.one))),
           (Integers.sub b r)))
           r))
        (fun b' ->
        let (q, r) = pos_div_eucl a' ((fun p -> p) b') in
        (q, (Integers.neg r)))
        b)
      a
 end

(** val nth : int -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n l default =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> match l with
              | [] -> default
              | x :: _ -> x)
    (fun m -> match l with
              | [] -> default
              | _ :: t -> nth m t default)
    n

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl -> if f x then Some x else find f tl

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl tl'))

(** val seq : int -> int -> int list **)

let rec seq start len =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> [])
    (fun len0 -> start :: (seq (Stdlib.succ start) len0))
    len

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
                  alpha_below : Integers.t; words : int; size : int;
                  labels : int list;
                  rows : (Integers.t * (int * Integers.t) list) list;
                  partition : int list list; clock : int list;
                  steps_left : int list; merged : int list list;
                  claims : claim list; named_states : int list;
                  upper : upper_record list; lower : stage list }

type 'a reader = Integers.t list -> ('a * Integers.t list) option

(** val give : 'a1 -> 'a1 reader **)

let give x text =
  Some (x, text)

(** val refuse : 'a1 reader **)

let refuse _ =
  None

(** val bind : 'a1 reader -> ('a1 -> 'a2 reader) -> 'a2 reader **)

let bind r f text =
  match r text with
  | Some p -> let (x, rest) = p in f x rest
  | None -> None

(** val integer : Integers.t reader **)

let integer = function
| [] -> None
| x :: rest -> Some (x, rest)

(** val below : int -> int reader **)

let below n =
  bind integer (fun x ->
    if (&&) (Integers.leq Integers.zero x) (Integers.lt x (Integers.of_int n))
    then give
           ((fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z) x)
    else refuse)

(** val natural : int reader **)

let natural =
  bind integer (fun x ->
    if (&&) (Integers.leq Integers.zero x)
         (Integers.lt x ((fun p -> p) ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           Integers.one))))))))))))))))))))))))))))))))))))))))))
    then give
           ((fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z) x)
    else refuse)

(** val positive_integer : Integers.t reader **)

let positive_integer =
  bind integer (fun x ->
    if Integers.lt Integers.zero x then give x else refuse)

(** val times : int -> 'a1 reader -> 'a1 list -> 'a1 list reader **)

let rec times n r found =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> give (rev_append found []))
    (fun k -> bind r (fun x -> times k r (x :: found)))
    n

(** val list_of : 'a1 reader -> 'a1 list reader **)

let list_of r =
  bind natural (fun n -> times n r [])

(** val pair_of : 'a1 reader -> 'a2 reader -> ('a1 * 'a2) reader **)

let pair_of r k =
  bind r (fun x -> bind k (fun y -> give (x, y)))

(** val rational : (Integers.t * Integers.t) reader **)

let rational =
  pair_of integer positive_integer

(** val read_quantity : quantity reader **)

let read_quantity =
  bind integer (fun x ->
    if Integers.equal x Integers.zero
    then give Bd
    else if Integers.equal x ((fun p -> p) Integers.one)
         then give Ld
         else refuse)

(** val state_at : (int -> int) -> int -> int reader **)

let state_at place places =
  bind (below places) (fun i -> give (place i))

(** val read_row :
    int -> (int * (Integers.t * (int * Integers.t) list)) reader **)

let read_row n =
  pair_of (below n)
    (pair_of positive_integer (list_of (pair_of (below n) integer)))

(** val read_classes : int -> int list list reader **)

let read_classes n =
  list_of (list_of (below n))

(** val read_claim : int -> claim reader **)

let read_claim n =
  bind (below n) (fun s ->
    bind (below n) (fun t ->
      bind rational (fun x ->
        bind rational (fun y ->
          give { claim_s = s; claim_t = t; claim_lower = x; claim_upper = y }))))

(** val read_vector :
    (int -> int) -> int -> (int * Integers.t) list reader **)

let read_vector place places =
  list_of (pair_of (state_at place places) integer)

(** val read_pairs :
    (int -> int) -> int -> ((int * int) * Integers.t) list reader **)

let read_pairs place places =
  list_of
    (pair_of (pair_of (state_at place places) (state_at place places))
      integer)

(** val read_coupling : (int -> int) -> int -> coupling reader **)

let read_coupling place places =
  bind (read_pairs place places) (fun w ->
    bind (read_vector place places) (fun b ->
      give { coupling_w = w; coupling_b = b }))

(** val read_upper : (int -> int) -> int -> int -> upper_record reader **)

let read_upper place places turns =
  bind (state_at place places) (fun s ->
    bind (state_at place places) (fun t ->
      bind positive_integer (fun m ->
        bind integer (fun u ->
          bind (times turns (read_coupling place places) [])
            (fun couplings ->
            give { upper_s = s; upper_t = t; upper_over = m; upper_value = u;
              upper_couplings = couplings })))))

(** val read_function : int -> (int -> int) -> int -> function0 reader **)

let read_function n place places =
  bind integer (fun rank ->
    bind positive_integer (fun m ->
      bind (read_vector place places) (fun f ->
        bind
          (list_of
            (pair_of (pair_of (below n) (below (Stdlib.succ n))) integer))
          (fun rest ->
          bind (read_pairs place places) (fun pairs ->
            give { f_rank = rank; f_over = m; f_named = f; f_rest = rest;
              f_pairs = pairs })))))

(** val read_stage : int -> (int -> int) -> int -> stage reader **)

let read_stage n place places =
  bind (list_of (read_function n place places)) (fun functions ->
    bind (list_of (read_function n place places)) (fun escapes ->
      give { stage_functions = functions; stage_escapes = escapes }))

(** val read_document : document reader **)

let read_document =
  bind read_quantity (fun q ->
    bind positive_integer (fun above ->
      bind positive_integer (fun over ->
        bind
          (below (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
            (Stdlib.succ
            0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
          (fun m ->
          bind natural (fun n ->
            bind (times n (read_row n) []) (fun rows0 ->
              bind (read_classes n) (fun partition0 ->
                bind (list_of (below n)) (fun clock0 ->
                  bind
                    (match clock0 with
                     | [] -> give []
                     | _ :: _ -> times n (below (Stdlib.succ n)) [])
                    (fun left ->
                    bind (read_classes n) (fun merged0 ->
                      bind (list_of (read_claim n)) (fun claims0 ->
                        bind (list_of (below n)) (fun states ->
                          let place = Arrays.array states 0 in
                          let places = length states in
                          bind
                            (list_of
                              (read_upper place places
                                (match q with
                                 | Bd -> Stdlib.succ (Stdlib.succ 0)
                                 | Ld -> Stdlib.succ 0))) (fun upper0 ->
                            bind (list_of (read_stage n place places))
                              (fun lower0 ->
                              give { quantity_of = q; alpha_above = above;
                                alpha_below = over; words = m; size = n;
                                labels = (map fst rows0); rows =
                                (map snd rows0); partition = partition0;
                                clock = clock0; steps_left = left; merged =
                                merged0; claims = claims0; named_states =
                                states; upper = upper0; lower = lower0 }))))))))))))))

(** val document_of : Integers.t list -> document option **)

let document_of text =
  match read_document text with
  | Some p -> let (d, l) = p in (match l with
                                 | [] -> Some d
                                 | _ :: _ -> None)
  | None -> None

type 'a tree =
| Leaf
| Node of 'a tree * 'a option * 'a tree

(** val empty : 'a1 tree **)

let empty =
  Leaf

(** val find0 : int -> 'a1 tree -> 'a1 option **)

let rec find0 k = function
| Leaf -> None
| Node (l, x, r) ->
  if (fun (x : int) y -> x = y) k 0
  then x
  else if (fun x -> x land 1 = 1) k
       then find0 ((fun x -> x lsr 1) k) r
       else find0 ((fun x -> x lsr 1) k) l

(** val parts : 'a1 tree -> ('a1 tree * 'a1 option) * 'a1 tree **)

let parts = function
| Leaf -> ((Leaf, None), Leaf)
| Node (l, x, r) -> ((l, x), r)

(** val insert : int -> int -> 'a1 -> 'a1 tree -> 'a1 tree **)

let rec insert digits k x t =
  let (p, r) = parts t in
  let (l, y) = p in
  ((fun zero next n -> if n = 0 then zero () else next (n - 1))
     (fun _ -> Node (l, (Some x), r))
     (fun d ->
     if (fun (x : int) y -> x = y) k 0
     then Node (l, (Some x), r)
     else if (fun x -> x land 1 = 1) k
          then Node (l, y, (insert d ((fun x -> x lsr 1) k) x r))
          else Node ((insert d ((fun x -> x lsr 1) k) x l), y, r))
     digits)

(** val add0 : int -> 'a1 -> 'a1 tree -> 'a1 tree **)

let add0 k x t =
  insert k k x t

(** val mem : int -> 'a1 tree -> bool **)

let mem k t =
  match find0 k t with
  | Some _ -> true
  | None -> false

(** val values_onto : 'a1 tree -> 'a1 list -> 'a1 list **)

let rec values_onto t found =
  match t with
  | Leaf -> found
  | Node (l, x, r) ->
    let right = values_onto r found in
    values_onto l (match x with
                   | Some y -> y :: right
                   | None -> right)

(** val values : 'a1 tree -> 'a1 list **)

let values t =
  values_onto t []

(** val merge :
    ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list ->
    ('a1 * Integers.t) list -> ('a1 * Integers.t) list **)

let rec merge compare0 a = match a with
| [] -> (fun b -> b)
| p :: a' ->
  let (i, x) = p in
  let rec merge_a b = match b with
  | [] -> a
  | p0 :: b' ->
    let (j, y) = p0 in
    (match compare0 i j with
     | Eq -> (i, (Integers.add x y)) :: (merge compare0 a' b')
     | Lt -> (i, x) :: (merge compare0 a' b)
     | Gt -> (j, y) :: (merge_a b'))
  in merge_a

(** val push :
    ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list ->
    ('a1 * Integers.t) list option list -> ('a1 * Integers.t) list option list **)

let rec push compare0 l = function
| [] -> (Some l) :: []
| o :: rest ->
  (match o with
   | Some m -> None :: (push compare0 (merge compare0 m l) rest)
   | None -> (Some l) :: rest)

(** val unstack :
    ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list ->
    ('a1 * Integers.t) list option list -> ('a1 * Integers.t) list **)

let rec unstack compare0 l = function
| [] -> l
| o :: rest ->
  (match o with
   | Some m -> unstack compare0 (merge compare0 m l) rest
   | None -> unstack compare0 l rest)

(** val merge_all :
    ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list list ->
    ('a1 * Integers.t) list **)

let merge_all compare0 ls =
  unstack compare0 [] (fold_left (fun stack l -> push compare0 l stack) ls [])

(** val collect :
    ('a1 -> 'a1 -> comparison) -> ('a1 * Integers.t) list ->
    ('a1 * Integers.t) list **)

let collect compare0 l =
  merge_all compare0 (map (fun e -> e :: []) l)

(** val increasing : (Integers.t * Integers.t) list -> bool **)

let rec increasing = function
| [] -> true
| p :: rest ->
  let (i, _) = p in
  (match rest with
   | [] -> true
   | p0 :: _ -> let (j, _) = p0 in (&&) (Integers.lt i j) (increasing rest))

(** val positive_sum : (Integers.t * Integers.t) list -> Integers.t **)

let positive_sum l =
  fold_right (fun e n -> Integers.add (Integers.max Integers.zero (snd e)) n)
    Integers.zero l

(** val all_once : int list -> bool **)

let all_once l =
  forallb (fun e -> Integers.equal (snd e) ((fun p -> p) Integers.one))
    (collect
      (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
      (map (fun i -> (i, ((fun p -> p) Integers.one))) l))

type number = Integers.t * Integers.t

(** val less : number -> number -> bool **)

let less x y =
  Integers.lt (Integers.mul (fst x) (snd y)) (Integers.mul (fst y) (snd x))

(** val at_most : number -> number -> bool **)

let at_most x y =
  Integers.leq (Integers.mul (fst x) (snd y)) (Integers.mul (fst y) (snd x))

type zchain = { zsize : int; zmember : (int -> bool); zlabel : (int -> int);
                zrow : (int -> (int * Integers.t) list);
                zover : (int -> Integers.t) }

(** val zstates : zchain -> int list **)

let zstates z0 =
  filter z0.zmember (seq 0 z0.zsize)

(** val in_chain : zchain -> int -> bool **)

let in_chain z0 s =
  (&&) ((fun (x : int) y -> x < y) s z0.zsize) (z0.zmember s)

(** val chain_of : document -> zchain **)

let chain_of d =
  { zsize = d.size; zmember = (fun _ -> true); zlabel =
    (Arrays.array d.labels 0); zrow = (Arrays.array (map snd d.rows) []);
    zover = (Arrays.array (map fst d.rows) ((fun p -> p) Integers.one)) }

(** val total : (int * Integers.t) list -> Integers.t **)

let total l =
  fold_left (fun n e -> Integers.add n (snd e)) l Integers.zero

(** val check_rows : document -> bool **)

let check_rows d =
  (&&) ((fun (x : int) y -> x = y) (length d.rows) d.size)
    (forallb (fun r ->
      (&&)
        ((&&) (Integers.lt Integers.zero (fst r))
          (Integers.equal (total (snd r)) (fst r)))
        (forallb (fun e ->
          (&&) ((fun (x : int) y -> x < y) (fst e) d.size)
            (Integers.leq Integers.zero (snd e))) (snd r))) d.rows)

(** val representative : int -> int list list -> int -> int **)

let representative n classes =
  let first =
    Arrays.spread n
      (flat_map (fun l ->
        match l with
        | [] -> []
        | k :: _ -> map (fun s -> (s, k)) l) classes)
  in
  (fun s -> match first s with
            | Some k -> k
            | None -> s)

(** val lumped : zchain -> (int -> int) -> int -> (int * Integers.t) list **)

let lumped z0 h s =
  collect (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
    (map (fun e -> ((h (fst e)),
      (Integers.mul ((fun p -> p) Integers.one) (snd e)))) (z0.zrow s))

(** val same_entries :
    (int * Integers.t) list -> Integers.t -> (int * Integers.t) list ->
    Integers.t -> bool **)

let rec same_entries a k b m =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | p :: a' ->
    let (i, x) = p in
    (match b with
     | [] -> false
     | p0 :: b' ->
       let (j, y) = p0 in
       (&&)
         ((&&) ((fun (x : int) y -> x = y) i j)
           (Integers.equal (Integers.mul x k) (Integers.mul y m)))
         (same_entries a' k b' m))

(** val check_class : zchain -> (int -> int) -> int list -> bool **)

let check_class z0 h l = match l with
| [] -> false
| k :: _ ->
  let row = lumped z0 h k in
  forallb (fun s ->
    (&&)
      ((&&) ((&&) (in_chain z0 s) ((fun (x : int) y -> x = y) (h s) k))
        ((fun (x : int) y -> x = y) (z0.zlabel s) (z0.zlabel k)))
      (same_entries row (z0.zover s) (lumped z0 h s) (z0.zover k))) l

(** val check_classes : zchain -> (int -> int) -> int list list -> bool **)

let check_classes z0 h classes =
  (&&) (all_once (concat classes)) (forallb (check_class z0 h) classes)

(** val zquotient : zchain -> (int -> int) -> zchain **)

let zquotient z0 h =
  { zsize = z0.zsize; zmember = (fun s ->
    (&&) (z0.zmember s) ((fun (x : int) y -> x = y) (h s) s)); zlabel =
    z0.zlabel; zrow = (Arrays.memo1 z0.zsize (lumped z0 h)); zover =
    z0.zover }

(** val has_label : zchain -> int -> bool **)

let has_label z0 l =
  existsb (fun s -> (fun (x : int) y -> x = y) (z0.zlabel s) l) (zstates z0)

(** val check_clock : zchain -> int list -> (int -> int) -> int -> bool **)

let check_clock z0 ends left most =
  (&&) (forallb (has_label z0) ends)
    (forallb (fun s ->
      (&&) ((fun (x : int) y -> x < y) (left s) most)
        (if existsb ((fun (x : int) y -> x = y) (z0.zlabel s)) ends
         then (fun (x : int) y -> x = y) (left s) 0
         else (&&) ((fun (x : int) y -> x < y) 0 (left s))
                (forallb (fun e ->
                  (||) (Integers.equal (snd e) Integers.zero)
                    ((fun (x : int) y -> x = y) (Stdlib.succ (left (fst e)))
                      (left s))) (z0.zrow s)))) (zstates z0))

(** val fine : int -> int -> int -> int **)

let fine most l n =
  (fun (x : int) y -> x + y) ((fun (x : int) y -> x * y) l most) n

(** val ztimed : zchain -> (int -> int) -> int -> zchain **)

let ztimed z0 left most =
  { zsize = z0.zsize; zmember = z0.zmember; zlabel =
    (Arrays.memo1 z0.zsize (fun s -> fine most (z0.zlabel s) (left s)));
    zrow = z0.zrow; zover = z0.zover }

(** val group : (int * int list) tree -> int -> int list **)

let group groups l =
  match find0 l groups with
  | Some g -> snd g
  | None -> []

(** val group_of : (int -> int) -> int list -> (int * int list) tree **)

let group_of label l =
  fold_left (fun m s ->
    add0 (label s) ((label s), (s :: (group m (label s)))) m) l empty

(** val symmetric : quantity -> bool **)

let symmetric = function
| Bd -> true
| Ld -> false

(** val turns_of : quantity -> int -> int -> (int * int) list **)

let turns_of q s t =
  match q with
  | Bd -> (s, t) :: ((t, s) :: [])
  | Ld -> (s, t) :: []

(** val key : quantity -> zchain -> int -> int -> int **)

let key q z0 i j =
  if (&&) (symmetric q) ((fun (x : int) y -> x < y) j i)
  then (fun (x : int) y -> x + y) ((fun (x : int) y -> x * y) j z0.zsize) i
  else (fun (x : int) y -> x + y) ((fun (x : int) y -> x * y) i z0.zsize) j

(** val is_pair : zchain -> int -> int -> bool **)

let is_pair z0 s t =
  (&&)
    ((&&) ((&&) (in_chain z0 s) (in_chain z0 t))
      ((fun (x : int) y -> x = y) (z0.zlabel s) (z0.zlabel t)))
    (negb ((fun (x : int) y -> x = y) s t))

(** val upper_table :
    quantity -> zchain -> number tree -> int -> int -> number **)

let upper_table q z0 values0 i j =
  if negb ((fun (x : int) y -> x = y) (z0.zlabel i) (z0.zlabel j))
  then (((fun p -> p) Integers.one), ((fun p -> p) Integers.one))
  else if (fun (x : int) y -> x = y) i j
       then (Integers.zero, ((fun p -> p) Integers.one))
       else (match find0 (key q z0 i j) values0 with
             | Some u -> u
             | None ->
               (((fun p -> p) Integers.one), ((fun p -> p) Integers.one)))

(** val upper_values :
    quantity -> zchain -> upper_record list -> number tree **)

let upper_values q z0 records =
  fold_left (fun m u ->
    add0 (key q z0 u.upper_s u.upper_t) (u.upper_value, u.upper_over) m)
    records empty

(** val w_states : zchain -> ((int * int) * Integers.t) list -> bool **)

let w_states z0 w =
  forallb (fun e ->
    (&&) ((&&) (in_chain z0 (fst (fst e))) (in_chain z0 (snd (fst e))))
      (Integers.leq Integers.zero (snd e))) w

(** val b_states : zchain -> (int * Integers.t) list -> bool **)

let b_states z0 b =
  forallb (fun e ->
    (&&) (in_chain z0 (fst e)) (Integers.leq Integers.zero (snd e))) b

(** val slack :
    Integers.t -> Integers.t -> zchain -> Integers.t -> coupling -> int ->
    int -> (int * Integers.t) list **)

let slack p r z0 m c s t =
  let a = z0.zover s in
  let b = z0.zover t in
  app
    (map (fun e -> ((fst (fst e)),
      (Integers.mul (Integers.mul (Integers.mul r a) b) (snd e))))
      c.coupling_w)
    (app
      (map (fun e -> ((snd (fst e)),
        (Integers.mul (Integers.neg (Integers.mul (Integers.mul p a) b))
          (snd e)))) c.coupling_w)
      (app
        (map (fun e -> ((fst e),
          (Integers.mul (Integers.mul (Integers.mul r a) b) (snd e))))
          c.coupling_b)
        (app
          (map (fun e -> ((fst e),
            (Integers.mul (Integers.neg (Integers.mul (Integers.mul r m) b))
              (snd e)))) (z0.zrow s))
          (map (fun e -> ((fst e),
            (Integers.mul (Integers.mul (Integers.mul p m) a) (snd e))))
            (z0.zrow t)))))

(** val check_coupling :
    Integers.t -> Integers.t -> zchain -> Integers.t -> coupling -> int ->
    int -> bool **)

let check_coupling p r z0 m c s t =
  (&&) ((&&) (w_states z0 c.coupling_w) (b_states z0 c.coupling_b))
    (forallb (fun e -> Integers.leq Integers.zero (snd e))
      (collect
        (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
        (slack p r z0 m c s t)))

(** val plus : number -> number -> number **)

let plus x y =
  if Integers.equal (snd x) (snd y)
  then ((Integers.add (fst x) (fst y)), (snd x))
  else let l =
         (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
           (snd x) (snd y)
       in
       ((Integers.add
          (Integers.mul (fst x)
            ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
              l (snd x)))
          (Integers.mul (fst y)
            ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
              l (snd y)))), l)

(** val cost : quantity -> zchain -> number tree -> coupling -> number **)

let cost q z0 values0 c =
  fold_left (fun sum0 e -> plus sum0 ((snd e), (fst e)))
    (collect
      (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
      (map (fun e ->
        let (x, y) = upper_table q z0 values0 (fst (fst e)) (snd (fst e)) in
        (y, (Integers.mul x (snd e)))) c.coupling_w))
    ((fold_left (fun n e -> Integers.add n (snd e)) c.coupling_b
       Integers.zero), ((fun p -> p) Integers.one))

(** val check_upper_record :
    quantity -> Integers.t -> Integers.t -> zchain -> number tree ->
    upper_record -> bool **)

let check_upper_record q p r z0 values0 u =
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integers.lt Integers.zero u.upper_over)
          (Integers.leq Integers.zero u.upper_value))
        (is_pair z0 u.upper_s u.upper_t))
      ((fun (x : int) y -> x = y) (length u.upper_couplings)
        (length (turns_of q u.upper_s u.upper_t))))
    (forallb (fun e ->
      let (y, c) = e in
      let (s, t) = y in
      (&&) (check_coupling p r z0 u.upper_over c s t)
        (at_most (cost q z0 values0 c) (u.upper_value, ((fun p -> p)
          Integers.one))))
      (combine (turns_of q u.upper_s u.upper_t) u.upper_couplings))

(** val check_upper :
    quantity -> Integers.t -> Integers.t -> zchain -> upper_record list ->
    number tree -> bool **)

let check_upper q p r z0 records values0 =
  (&&) (all_once (map (fun u -> key q z0 u.upper_s u.upper_t) records))
    (forallb (check_upper_record q p r z0 values0) records)

type distribution = (Integers.t * Integers.t) list * Integers.t

(** val empty_word : distribution **)

let empty_word =
  (((Integers.zero, ((fun p -> p) Integers.one)) :: []), ((fun p -> p)
    Integers.one))

(** val longer :
    zchain -> Integers.t -> (int -> distribution) -> int -> distribution **)

let longer z0 place below0 i =
  let parts0 = map (fun e -> (e, (below0 (fst e)))) (z0.zrow i) in
  let common0 =
    fold_left (fun l part ->
      (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
        l (snd (snd part))) parts0 ((fun p -> p) Integers.one)
  in
  ((merge_all
     (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
     (map (fun part ->
       let (y, y0) = part in
       let (k, x) = y in
       let (l, m) = y0 in
       map (fun e ->
         ((Integers.add (Integers.mul (Integers.of_int (z0.zlabel k)) place)
            (fst e)),
         (Integers.mul
           (Integers.mul x
             ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
               common0 m)) (snd e)))) l) parts0)),
  (Integers.mul (z0.zover i) common0))

(** val layers :
    zchain -> Integers.t -> Integers.t -> (int -> distribution) -> int ->
    (int -> distribution) list **)

let rec layers z0 digits place current m =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> current :: [])
    (fun k ->
    current :: (layers z0 digits (Integers.mul digits place)
                 (Arrays.memo1 z0.zsize (longer z0 place current)) k))
    m

(** val layer : (int -> distribution) list -> int -> int -> distribution **)

let layer word_layers m =
  nth m word_layers (fun _ -> ([], ((fun p -> p) Integers.one)))

(** val excess :
    Integers.t -> Integers.t -> (int -> distribution) list -> int -> int ->
    int -> distribution **)

let excess p r word_layers m i j =
  let d = layer word_layers m i in
  let d0 = layer word_layers m j in
  let (x, a) = d in
  let (y, b) = d0 in
  let l =
    (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
      a b
  in
  ((merge
     (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
     (map (fun e -> ((fst e),
       (Integers.mul
         (Integers.mul r
           ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
             l a)) (snd e)))) x)
     (map (fun e -> ((fst e),
       (Integers.mul
         (Integers.neg
           (Integers.mul p
             ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
               l b))) (snd e)))) y)), (Integers.mul r l))

(** val word_gain :
    Integers.t -> Integers.t -> (int -> distribution) list -> int -> int ->
    int -> number **)

let word_gain p r word_layers m i j =
  let (l, n) = excess p r word_layers m i j in
  if increasing l
  then ((positive_sum l), n)
  else (Integers.zero, ((fun p -> p) Integers.one))

(** val larger : number -> number -> number **)

let larger x y =
  if less x y then y else x

(** val base :
    quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
    -> int -> int -> number **)

let base q p r word_layers m i j =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> (Integers.zero, ((fun p -> p) Integers.one)))
    (fun _ ->
    match q with
    | Bd ->
      larger (word_gain p r word_layers m i j)
        (word_gain p r word_layers m j i)
    | Ld -> word_gain p r word_layers m i j)
    m

(** val favour :
    Integers.t -> Integers.t -> (int -> distribution) list -> int -> int ->
    int -> bool **)

let favour p r word_layers i j m =
  existsb (fun e -> Integers.lt Integers.zero (snd e))
    (fst (excess p r word_layers m i j))

(** val tell :
    quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
    -> int -> int -> bool **)

let tell q p r word_layers i j m =
  (||) (favour p r word_layers i j m)
    ((&&) (symmetric q) (favour p r word_layers j i m))

(** val shortest :
    quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
    -> int -> int -> int option **)

let shortest q p r word_layers most i j =
  find (tell q p r word_layers i j) (seq (Stdlib.succ 0) most)

type evaluated = { raw : function0; value_at : (int -> Integers.t);
                   row_sum : (int -> Integers.t) }

(** val rest_of :
    int -> ((int * int) * Integers.t) list -> Integers.t tree **)

let rest_of most l =
  fold_left (fun m e ->
    add0 (fine most (fst (fst e)) (snd (fst e))) (snd e) m) l empty

(** val weighted :
    (int -> Integers.t) -> (int * Integers.t) list -> Integers.t **)

let weighted f l =
  fold_left (fun n e -> Integers.add n (Integers.mul (snd e) (f (fst e)))) l
    Integers.zero

(** val evaluate : zchain -> int -> function0 -> evaluated **)

let evaluate z0 most f =
  let named = Arrays.spread z0.zsize f.f_named in
  let rest = rest_of most f.f_rest in
  let value = fun i ->
    match named i with
    | Some x -> x
    | None ->
      (match find0 (z0.zlabel i) rest with
       | Some x -> x
       | None -> Integers.zero)
  in
  { raw = f; value_at = value; row_sum =
  (Arrays.memo1 z0.zsize (fun s -> weighted value (z0.zrow s))) }

(** val in_range : function0 -> bool **)

let in_range f =
  (&&)
    ((&&) (Integers.lt Integers.zero f.f_over)
      (forallb (fun e ->
        (&&) (Integers.leq Integers.zero (snd e))
          (Integers.leq (snd e) f.f_over)) f.f_named))
    (forallb (fun e ->
      (&&) (Integers.leq Integers.zero (snd e))
        (Integers.leq (snd e) f.f_over)) f.f_rest)

(** val allowed :
    (int -> int -> number) -> Integers.t -> Integers.t -> Integers.t -> int
    -> int -> bool **)

let allowed d unit1 a b i j =
  (||) (Integers.leq a b)
    (let (x, y) = d i j in
     Integers.leq (Integers.mul (Integers.sub a b) y) (Integers.mul x unit1))

(** val fits :
    Integers.t -> Integers.t -> zchain -> (int * int list) tree -> (int ->
    int -> number) -> evaluated -> bool **)

let fits p r z0 groups d f =
  let unit1 = Integers.mul r f.raw.f_over in
  let entry = fun i ->
    let x = f.value_at i in (i, ((Integers.mul r x), (Integers.mul p x)))
  in
  forallb (fun named ->
    let others = map entry (group groups (fst named)) in
    forallb (fun i ->
      let (i0, p0) = entry i in
      let (ri, pi) = p0 in
      forallb (fun o ->
        let (j, y) = o in
        let (rj, pj) = y in
        (&&) (allowed d unit1 ri pj i0 j) (allowed d unit1 rj pi j i0)) others)
      (snd named)) (values (group_of z0.zlabel (map fst f.raw.f_named)))

(** val objective :
    Integers.t -> Integers.t -> zchain -> evaluated -> int -> int -> number **)

let objective p r z0 f s t =
  ((Integers.sub (Integers.mul (Integers.mul r (z0.zover t)) (f.row_sum s))
     (Integers.mul (Integers.mul p (z0.zover s)) (f.row_sum t))),
    (Integers.mul (Integers.mul r (z0.zover t)) (z0.zover s)))

(** val check_function : zchain -> function0 -> bool **)

let check_function z0 f =
  (&&) ((&&) (in_range f) (forallb (fun e -> in_chain z0 (fst e)) f.f_named))
    (forallb (fun e -> is_pair z0 (fst (fst e)) (snd (fst e))) f.f_pairs)

(** val check_rest : (int * int list) tree -> int -> function0 -> bool **)

let check_rest groups most f =
  forallb (fun e ->
    (&&) ((fun (x : int) y -> x < y) (snd (fst e)) most)
      (mem (fine most (fst (fst e)) (snd (fst e))) groups)) f.f_rest

(** val check_objectives :
    Integers.t -> Integers.t -> zchain -> evaluated -> bool **)

let check_objectives p r z0 f =
  forallb (fun e ->
    let (y, v) = e in
    let (s, t) = y in
    (&&) ((&&) (Integers.leq Integers.zero v) (Integers.leq v f.raw.f_over))
      (at_most (v, ((fun p -> p) Integers.one)) (objective p r z0 f s t)))
    f.raw.f_pairs

(** val known :
    quantity -> zchain -> (int -> int -> number) -> number tree -> int -> int
    -> number **)

let known q z0 base_table entered i j =
  match find0 (key q z0 i j) entered with
  | Some x -> x
  | None -> base_table i j

type leader = { leader_value : number; leader_s : int; leader_t : int }

(** val lead :
    quantity -> zchain -> leader tree -> function0 -> leader tree **)

let lead q z0 m f =
  fold_left (fun m0 e ->
    let (y, v) = e in
    let (s, t) = y in
    let l = { leader_value = (v, f.f_over); leader_s = s; leader_t = t } in
    (match find0 (key q z0 s t) m0 with
     | Some first ->
       if less first.leader_value l.leader_value
       then add0 (key q z0 s t) l m0
       else m0
     | None -> add0 (key q z0 s t) l m0)) f.f_pairs m

(** val leaders : quantity -> zchain -> function0 list -> leader tree **)

let leaders q z0 fs =
  fold_left (lead q z0) fs empty

(** val new_pairs :
    quantity -> zchain -> number tree -> function0 list -> leader list **)

let new_pairs q z0 entered fs =
  filter (fun l ->
    match find0 (key q z0 l.leader_s l.leader_t) entered with
    | Some old -> less old l.leader_value
    | None -> true) (values (leaders q z0 fs))

(** val enter :
    quantity -> zchain -> leader list -> number tree -> number tree **)

let enter q z0 new0 entered =
  fold_left (fun m l ->
    add0 (key q z0 l.leader_s l.leader_t) l.leader_value m) new0 entered

(** val code : zchain -> int -> int -> int **)

let code z0 i j =
  (fun (x : int) y -> x + y) ((fun (x : int) y -> x * y) i z0.zsize) j

(** val listings : zchain -> evaluated list -> (int * evaluated) tree **)

let listings z0 gs =
  snd
    (fold_left (fun a g ->
      let (k, m) = a in
      ((Stdlib.succ k),
      (fold_left (fun m0 e ->
        let c = code z0 (fst (fst e)) (snd (fst e)) in
        if mem c m0 then m0 else add0 c (k, g) m0) g.raw.f_pairs m))) gs (0,
      empty))

type listing =
| Unlisted
| Listed of evaluated
| Turned

(** val listing_of :
    quantity -> zchain -> (int * evaluated) tree -> leader -> listing **)

let listing_of q z0 m l =
  let s = l.leader_s in
  let t = l.leader_t in
  (match find0 (code z0 s t) m with
   | Some p0 ->
     let (k, g) = p0 in
     (match if symmetric q then find0 (code z0 t s) m else None with
      | Some p1 ->
        let (k', _) = p1 in
        if (fun (x : int) y -> x <= y) k k' then Listed g else Turned
      | None -> Listed g)
   | None ->
     (match if symmetric q then find0 (code z0 t s) m else None with
      | Some _ -> Turned
      | None -> Unlisted))

(** val ranks_by_length :
    (int -> bool) -> (int -> Integers.t) -> Integers.t -> int -> int ->
    Integers.t list **)

let rec ranks_by_length wanted highest after m k =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> [])
    (fun k' ->
    (Integers.add after ((fun p -> p) Integers.one)) :: (ranks_by_length
                                                          wanted highest
                                                          (Integers.max
                                                            (if wanted m
                                                             then Integers.add
                                                                    after
                                                                    ((fun p -> p)
                                                                    Integers.one)
                                                             else after)
                                                            (highest m))
                                                          (Stdlib.succ m) k'))
    k

(** val maximum : Integers.t list -> Integers.t **)

let maximum l =
  fold_left Integers.max l Integers.zero

type ranked = { ranked_leader : leader; ranked_rank : Integers.t;
                ranked_escape : (evaluated, int) sum }

(** val escape_or_length :
    quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
    list -> int -> (int * evaluated) tree -> leader -> (leader * (evaluated,
    int) sum) option **)

let escape_or_length q p r z0 word_layers most m l =
  match listing_of q z0 m l with
  | Unlisted ->
    (match shortest q p r word_layers most l.leader_s l.leader_t with
     | Some k -> Some (l, (Inr k))
     | None -> None)
  | Listed g -> Some (l, (Inl g))
  | Turned -> None

(** val all_some : 'a1 option list -> 'a1 list option **)

let rec all_some = function
| [] -> Some []
| o :: rest ->
  (match o with
   | Some x ->
     (match all_some rest with
      | Some xs -> Some (x :: xs)
      | None -> None)
   | None -> None)

(** val rank_all :
    quantity -> Integers.t -> Integers.t -> (int -> distribution) list ->
    (leader * (evaluated, int) sum) list -> ranked list **)

let rank_all q p r word_layers found =
  let lengths =
    flat_map (fun e -> match snd e with
                       | Inl _ -> []
                       | Inr k -> k :: []) found
  in
  let longest =
    fold_left (fun (x : int) y -> if x < y then y else x) lengths 0
  in
  let told =
    flat_map (fun e ->
      match snd e with
      | Inl g ->
        (match shortest q p r word_layers longest (fst e).leader_s
                 (fst e).leader_t with
         | Some k -> (k, g.raw.f_rank) :: []
         | None -> [])
      | Inr _ -> []) found
  in
  let by_length =
    Arrays.array
      (Integers.zero :: (ranks_by_length (fun m ->
                          existsb ((fun (x : int) y -> x = y) m) lengths)
                          (fun m ->
                          maximum
                            (map snd
                              (filter (fun e ->
                                (fun (x : int) y -> x = y) (fst e) m) told)))
                          Integers.zero (Stdlib.succ 0) longest))
      Integers.zero
  in
  map (fun e -> { ranked_leader = (fst e); ranked_rank =
    (match snd e with
     | Inl g -> g.raw.f_rank
     | Inr k -> by_length k); ranked_escape = (snd e) }) found

(** val rank_table : quantity -> zchain -> ranked list -> Integers.t tree **)

let rank_table q z0 l =
  fold_left (fun m e ->
    add0 (key q z0 e.ranked_leader.leader_s e.ranked_leader.leader_t)
      e.ranked_rank m) l empty

(** val reached :
    quantity -> zchain -> (int -> int -> number) -> number tree -> Integers.t
    tree -> Integers.t -> int -> int -> number **)

let reached q z0 base_table entered ranks k i j =
  if match find0 (key q z0 i j) ranks with
     | Some n -> Integers.lt n k
     | None ->
       Integers.lt Integers.zero (fst (known q z0 base_table entered i j))
  then (((fun p -> p) Integers.one), ((fun p -> p) Integers.one))
  else (Integers.zero, ((fun p -> p) Integers.one))

(** val check_ranked :
    Integers.t -> Integers.t -> zchain -> (int -> distribution) list -> (int
    -> Integers.t -> bool) -> ranked -> bool **)

let check_ranked p r z0 word_layers smaller e =
  let s = e.ranked_leader.leader_s in
  let t = e.ranked_leader.leader_t in
  (&&) (Integers.lt Integers.zero e.ranked_rank)
    (match e.ranked_escape with
     | Inl g -> Integers.lt Integers.zero (fst (objective p r z0 g s t))
     | Inr k ->
       (&&)
         (Integers.lt Integers.zero (fst (word_gain p r word_layers k s t)))
         (smaller k e.ranked_rank))

(** val all_smaller : (int * Integers.t) list -> int -> Integers.t -> bool **)

let all_smaller told k rank =
  forallb (fun e ->
    (||) ((fun (x : int) y -> x <= y) k (fst e)) (Integers.lt (snd e) rank))
    told

(** val told_apart_by :
    quantity -> Integers.t -> Integers.t -> (int -> distribution) list -> int
    -> ranked list -> (int * Integers.t) list **)

let told_apart_by q p r word_layers most l =
  flat_map (fun e ->
    match shortest q p r word_layers most e.ranked_leader.leader_s
            e.ranked_leader.leader_t with
    | Some k -> (k, e.ranked_rank) :: []
    | None -> []) l

(** val longest_word : ranked list -> int **)

let longest_word l =
  fold_left (fun m e ->
    match e.ranked_escape with
    | Inl _ -> m
    | Inr k -> (fun (x : int) y -> if x < y then y else x) m k) l 0

(** val check_escapes :
    quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
    list -> (int * int list) tree -> (int -> int -> number) -> int ->
    evaluated list -> number tree -> leader list -> bool **)

let check_escapes q p r z0 word_layers groups base_table most gs entered new0 =
  match all_some
          (map (escape_or_length q p r z0 word_layers most (listings z0 gs))
            new0) with
  | Some found ->
    let l = rank_all q p r word_layers found in
    let ranks = rank_table q z0 l in
    let told = told_apart_by q p r word_layers (longest_word l) l in
    let smaller =
      Arrays.memo1 (Stdlib.succ most) (fun k -> all_smaller told k)
    in
    (&&)
      (forallb (fun g ->
        (&&) (Integers.lt Integers.zero g.raw.f_rank)
          (fits p r z0 groups
            (reached q z0 base_table entered ranks g.raw.f_rank) g)) gs)
      (forallb (check_ranked p r z0 word_layers smaller) l)
  | None -> false

(** val check_stage :
    quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
    list -> (int * int list) tree -> (int -> int -> number) -> int -> int ->
    number tree -> stage -> number tree option **)

let check_stage q p r z0 word_layers groups base_table most words0 entered s =
  let fs = map (evaluate z0 most) s.stage_functions in
  let gs = map (evaluate z0 most) s.stage_escapes in
  if (&&) (forallb (check_function z0) s.stage_functions)
       (forallb (check_rest groups most) s.stage_functions)
  then let new0 = new_pairs q z0 entered s.stage_functions in
       let entered' = enter q z0 new0 entered in
       let circular =
         negb
           (forallb
             (fits p r z0 groups
               (Arrays.memo2 z0.zsize (known q z0 base_table entered))) fs)
       in
       let smaller =
         existsb (fun l ->
           less l.leader_value
             (known q z0 base_table entered l.leader_s l.leader_t)) new0
       in
       if (&&)
            ((&&)
              (if (||) circular smaller
               then forallb
                      (fits p r z0 groups
                        (Arrays.memo2 z0.zsize
                          (known q z0 base_table entered'))) fs
               else true) (forallb (check_objectives p r z0) fs))
            (if circular
             then (&&)
                    ((&&)
                      (forallb (fun l ->
                        at_most
                          (known q z0 base_table entered' l.leader_s
                            l.leader_t) l.leader_value) new0)
                      (forallb in_range s.stage_escapes))
                    (check_escapes q p r z0 word_layers groups base_table
                      words0 gs entered new0)
             else true)
       then Some entered'
       else None
  else None

(** val check_stages :
    quantity -> Integers.t -> Integers.t -> zchain -> (int -> distribution)
    list -> (int * int list) tree -> (int -> int -> number) -> int -> int ->
    number tree -> stage list -> number tree option **)

let rec check_stages q p r z0 word_layers groups base_table most words0 entered = function
| [] -> Some entered
| s :: rest ->
  (match check_stage q p r z0 word_layers groups base_table most words0
           entered s with
   | Some entered' ->
     check_stages q p r z0 word_layers groups base_table most words0 entered'
       rest
   | None -> None)

(** val zero : number **)

let zero =
  (Integers.zero, ((fun p -> p) Integers.one))

(** val one : number **)

let one =
  (((fun p -> p) Integers.one), ((fun p -> p) Integers.one))

(** val check_claim :
    (int -> int -> number) -> (int -> int -> number) -> zchain -> (int ->
    int) -> claim -> bool **)

let check_claim lower0 upper0 z0 h c =
  let s = h c.claim_s in
  let t = h c.claim_t in
  (&&)
    ((&&)
      ((&&)
        ((&&) ((&&) (in_chain z0 s) (in_chain z0 t))
          (Integers.lt Integers.zero (snd c.claim_lower)))
        (Integers.lt Integers.zero (snd c.claim_upper)))
      ((||) (at_most c.claim_lower (lower0 s t))
        (Integers.leq (fst c.claim_lower) Integers.zero)))
    ((||) (at_most (upper0 s t) c.claim_upper) (at_most one c.claim_upper))

(** val check : document -> bool **)

let check d =
  let q = d.quantity_of in
  let p = d.alpha_above in
  let r = d.alpha_below in
  let z0 = chain_of d in
  let h = representative d.size d.partition in
  let z1 = zquotient z0 h in
  let left = Arrays.array d.steps_left 0 in
  let most =
    match d.clock with
    | [] -> Stdlib.succ 0
    | _ :: _ ->
      Stdlib.succ
        (fold_left (fun (x : int) y -> if x < y then y else x) d.steps_left 0)
  in
  let z2 = match d.clock with
           | [] -> z1
           | _ :: _ -> ztimed z1 left most in
  let hm = representative d.size d.merged in
  let zm = zquotient z2 hm in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) ((&&) (Integers.lt Integers.zero r) (Integers.leq r p))
              (check_rows d)) (check_classes z0 h d.partition))
          (match d.clock with
           | [] -> true
           | n :: l -> check_clock z1 (n :: l) left most))
        (check_classes z2 hm d.merged))
      (forallb (in_chain zm) d.named_states))
    (let uppers = upper_values q z2 d.upper in
     (&&) (check_upper q p r z2 d.upper uppers)
       (let groups = group_of zm.zlabel (zstates zm) in
        let digits =
          Integers.add ((fun p -> p) Integers.one)
            (fold_left (fun m s ->
              Integers.max m (Integers.of_int (zm.zlabel s))) (zstates zm)
              Integers.zero)
        in
        let word_layers =
          layers zm digits ((fun p -> p) Integers.one) (fun _ -> empty_word)
            d.words
        in
        let base_table =
          Arrays.memo2 zm.zsize (base q p r word_layers d.words)
        in
        (&&)
          (forallb (fun s ->
            (&&)
              (forallb (fun g ->
                (&&) (check_function zm g) (check_rest groups most g))
                s.stage_functions)
              (forallb (fun g ->
                (&&)
                  ((&&) (forallb (fun e -> in_chain zm (fst e)) g.f_named)
                    (forallb (fun e ->
                      is_pair zm (fst (fst e)) (snd (fst e))) g.f_pairs))
                  (check_rest groups most g)) s.stage_escapes)) d.lower)
          (match check_stages q p r zm word_layers groups base_table most
                   d.words empty d.lower with
           | Some entered ->
             let lower0 = fun s t ->
               if negb
                    ((fun (x : int) y -> x = y) (z2.zlabel s) (z2.zlabel t))
               then one
               else if (fun (x : int) y -> x = y) (hm s) (hm t)
                    then zero
                    else known q zm base_table entered (hm s) (hm t)
             in
             forallb (check_claim lower0 (upper_table q z2 uppers) z2 h)
               d.claims
           | None -> false)))

type node = { node_a : (int * Integers.t) list;
              node_b : (int * Integers.t) list;
              node_next : (int * int) list option }

type profile = { p_size : int; p_labels : int list;
                 p_rows : (Integers.t * (int * Integers.t) list) list;
                 p_s : int; p_t : int;
                 p_futures : (int * (Integers.t * (int * Integers.t) list))
                             list; p_nodes : node list;
                 p_visits : (int * (number * number) list) list;
                 p_atoms : (number * number) list }

(** val read_node : int -> int -> node reader **)

let read_node n count =
  bind (list_of (pair_of (below n) integer)) (fun a ->
    bind (list_of (pair_of (below n) integer)) (fun b ->
      bind (below (Stdlib.succ (Stdlib.succ 0))) (fun inner ->
        (fun zero next n -> if n = 0 then zero () else next (n - 1))
          (fun _ ->
          give { node_a = a; node_b = b; node_next = None })
          (fun _ ->
          bind (list_of (pair_of (below n) (below count))) (fun next ->
            give { node_a = a; node_b = b; node_next = (Some next) }))
          inner)))

(** val read_profile : profile reader **)

let read_profile =
  bind natural (fun n ->
    bind (times n (read_row n) []) (fun rows0 ->
      bind (below n) (fun s ->
        bind (below n) (fun t ->
          bind
            (list_of
              (pair_of (below n)
                (pair_of positive_integer
                  (list_of (pair_of (below n) integer))))) (fun futures ->
            bind natural (fun count ->
              bind (times count (read_node n count) []) (fun nodes ->
                bind
                  (list_of
                    (pair_of (below count)
                      (list_of (pair_of rational rational)))) (fun visits ->
                  bind (list_of (pair_of rational rational)) (fun atoms ->
                    give { p_size = n; p_labels = (map fst rows0); p_rows =
                      (map snd rows0); p_s = s; p_t = t; p_futures = futures;
                      p_nodes = nodes; p_visits = visits; p_atoms = atoms })))))))))

(** val profile_of : Integers.t list -> profile option **)

let profile_of text =
  match read_profile text with
  | Some p -> let (d, l) = p in (match l with
                                 | [] -> Some d
                                 | _ :: _ -> None)
  | None -> None

type ratio = Integers.t * Integers.t

type weights = (ratio * number) list

(** val compare_ratio : ratio -> ratio -> comparison **)

let compare_ratio x y =
  match (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
          (fst x) (fst y) with
  | Eq ->
    (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
      (snd x) (snd y)
  | x0 -> x0

(** val reduced : number -> number **)

let reduced x =
  let g = Integers.gcd (fst x) (snd x) in
  if Integers.lt Integers.zero g
  then (((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
          (fst x) g),
         ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
           (snd x) g))
  else x

(** val weight : Integers.t -> Integers.t -> Integers.t -> ratio * number **)

let weight x y d =
  let g = Integers.gcd x y in
  if Integers.lt Integers.zero g
  then ((((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
           x g),
         ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
           y g)), (reduced (g, d)))
  else ((x, y), (((fun p -> p) Integers.one), d))

(** val scaled : number -> number -> (ratio * number) -> ratio * number **)

let scaled g h = function
| (r, c) ->
  let (p, q) = r in
  let (k, f) =
    weight (Integers.mul (Integers.mul (fst g) p) (snd h))
      (Integers.mul (Integers.mul (fst h) q) (snd g))
      (Integers.mul (snd g) (snd h))
  in
  (k,
  (reduced ((Integers.mul (fst c) (fst f)), (Integers.mul (snd c) (snd f)))))

(** val of_pair : (number * number) -> ratio * number **)

let of_pair = function
| (x, y) ->
  weight (Integers.mul (fst x) (snd y)) (Integers.mul (fst y) (snd x))
    (Integers.mul (snd x) (snd y))

(** val opposite : (ratio * number) -> ratio * number **)

let opposite w =
  ((fst w), ((Integers.neg (fst (snd w))), (snd (snd w))))

(** val common : weights -> Integers.t **)

let common l =
  fold_left (fun m w ->
    (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
      m (snd (snd w))) l ((fun p -> p) Integers.one)

(** val by_ratio : Integers.t -> weights -> (ratio * Integers.t) list **)

let by_ratio m l =
  collect compare_ratio
    (map (fun w -> ((fst w),
      (Integers.mul (fst (snd w))
        ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
          m (snd (snd w)))))) l)

(** val same_weights : weights -> weights -> bool **)

let same_weights a b =
  let l = app a (map opposite b) in
  (&&) (forallb (fun w -> Integers.lt Integers.zero (snd (snd w))) l)
    (forallb (fun e -> Integers.equal (snd e) Integers.zero)
      (by_ratio (common l) l))

(** val merged_weights : weights -> weights **)

let merged_weights l =
  let m = common l in
  map (fun e -> ((fst e), (reduced ((snd e), m)))) (by_ratio m l)

(** val image :
    (int -> Integers.t) -> (int -> (int * Integers.t) list) ->
    (int * Integers.t) list -> Integers.t * (int * Integers.t) list **)

let image over row a =
  let d =
    fold_left (fun m e ->
      (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
        m (over (fst e))) a ((fun p -> p) Integers.one)
  in
  (d,
  (collect
    (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
    (flat_map (fun e ->
      map (fun f -> ((fst f),
        (Integers.mul
          (Integers.mul (snd e)
            ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
              d (over (fst e)))) (snd f)))) (row (fst e))) a)))

(** val stepped :
    zchain -> (int * Integers.t) list -> Integers.t * (int * Integers.t) list **)

let stepped z0 a =
  image z0.zover z0.zrow a

(** val distinct : int list -> bool **)

let rec distinct = function
| [] -> true
| x :: rest ->
  (&&) (negb (existsb ((fun (x : int) y -> x = y) x) rest)) (distinct rest)

(** val not_zero : (int * Integers.t) list -> (int * Integers.t) list **)

let not_zero l =
  filter (fun e -> negb (Integers.equal (snd e) Integers.zero)) l

(** val of_label :
    zchain -> int -> (int * Integers.t) list -> (int * Integers.t) list **)

let of_label z0 l v =
  filter (fun e -> (fun (x : int) y -> x = y) (z0.zlabel (fst e)) l) v

(** val piece :
    zchain -> (int -> Integers.t * (int * Integers.t) list) ->
    (Integers.t * (int * Integers.t) list) -> int ->
    Integers.t * (int * Integers.t) list **)

let piece z0 future v l =
  let (m, found) =
    image (fun j -> fst (future j)) (fun j -> snd (future j))
      (of_label z0 l (snd v))
  in
  ((Integers.mul (fst v) m), (not_zero found))

(** val labels_of :
    zchain -> (Integers.t * (int * Integers.t) list) -> int list **)

let labels_of z0 v =
  map fst (values (group_of z0.zlabel (map fst (snd v))))

(** val multiple :
    Integers.t -> (int * Integers.t) list -> (int * Integers.t) list ->
    number option **)

let multiple d a b =
  match a with
  | [] ->
    (match b with
     | [] -> Some (Integers.zero, ((fun p -> p) Integers.one))
     | _ :: _ -> None)
  | p :: _ ->
    let (_, x) = p in
    (match b with
     | [] -> None
     | p0 :: _ ->
       let (_, y) = p0 in
       if (&&) (Integers.lt Integers.zero (Integers.mul x y))
            (same_entries a y b x)
       then Some
              (reduced
                ((Integers.mul x
                   ((fun z -> Integers.of_int (Integers.sign z)) y)),
                (Integers.mul d (Integers.abs y))))
       else None)

type zedge = { e_label : int; e_to : int; e_g : number; e_h : number }

(** val edge_of :
    zchain -> (int -> Integers.t * (int * Integers.t) list) -> (int -> node)
    -> (Integers.t * (int * Integers.t) list) ->
    (Integers.t * (int * Integers.t) list) -> (int * int) -> zedge option **)

let edge_of z0 future nodes a b = function
| (l, k) ->
  let pa = piece z0 future a l in
  let pb = piece z0 future b l in
  (match multiple (fst pa) (snd pa)
           (collect
             (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
             (nodes k).node_a) with
   | Some g ->
     (match multiple (fst pb) (snd pb)
              (collect
                (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
                (nodes k).node_b) with
      | Some h ->
        if (||) (Integers.lt Integers.zero (fst g))
             (Integers.lt Integers.zero (fst h))
        then Some { e_label = l; e_to = k; e_g = g; e_h = h }
        else None
      | None -> None)
   | None -> None)

(** val edges_of :
    zchain -> (int -> Integers.t * (int * Integers.t) list) -> (int -> node)
    -> int -> int -> (int * int) list -> zedge list option **)

let edges_of z0 future nodes count u next =
  let a = stepped z0 (nodes u).node_a in
  let b = stepped z0 (nodes u).node_b in
  let covered = fun v ->
    forallb (fun l ->
      (||) (existsb ((fun (x : int) y -> x = y) l) (map fst next))
        (match snd (piece z0 future v l) with
         | [] -> true
         | _ :: _ -> false)) (labels_of z0 v)
  in
  if (&&) ((&&) (distinct (map fst next)) ((&&) (covered a) (covered b)))
       (forallb (fun e -> (fun (x : int) y -> x < y) (snd e) count) next)
  then all_some (map (edge_of z0 future nodes a b) next)
  else None

(** val check_future :
    zchain -> (int -> Integers.t * (int * Integers.t) list) -> (int -> bool)
    -> int -> (Integers.t * (int * Integers.t) list) -> bool **)

let check_future z0 future is_coordinate j x =
  let one0 = stepped z0 ((j, ((fun p -> p) Integers.one)) :: []) in
  let other = stepped z0 (snd x) in
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integers.lt Integers.zero (fst x))
          (Integers.equal (total (snd x)) (fst x)))
        (all_once (map fst (snd x))))
      (forallb (fun e -> (&&) (in_chain z0 (fst e)) (is_coordinate (fst e)))
        (snd x)))
    (forallb (fun l ->
      let a = piece z0 future one0 l in
      let b = piece z0 future other l in
      same_entries (snd a) (Integers.mul (fst b) (fst x)) (snd b) (fst a))
      (app (labels_of z0 one0) (labels_of z0 other)))

(** val check_node :
    zchain -> (int -> node) -> (int -> bool) -> int -> bool **)

let check_node z0 nodes is_coordinate u =
  let a = (nodes u).node_a in
  let b = (nodes u).node_b in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            (forallb (fun e ->
              (&&)
                ((&&) (in_chain z0 (fst e))
                  (negb (Integers.equal (snd e) Integers.zero)))
                (is_coordinate (fst e))) (app a b)) (all_once (map fst a)))
          (all_once (map fst b)))
        (match a with
         | [] -> true
         | _ :: _ -> Integers.lt Integers.zero (total a)))
      (match b with
       | [] -> true
       | _ :: _ -> Integers.lt Integers.zero (total b)))
    (match (nodes u).node_next with
     | Some _ ->
       (match a with
        | [] -> false
        | _ :: _ -> (match b with
                     | [] -> false
                     | _ :: _ -> true))
     | None ->
       (match a with
        | [] -> (match b with
                 | [] -> false
                 | _ :: _ -> true)
        | _ :: _ -> true))

(** val closed : (int -> node) -> int -> bool **)

let closed nodes u =
  let a =
    collect
      (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
      (nodes u).node_a
  in
  let b =
    collect
      (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
      (nodes u).node_b
  in
  (&&) (forallb (fun e -> Integers.leq Integers.zero (snd e)) (app a b))
    (match a with
     | [] -> true
     | p :: _ ->
       let (_, x) = p in
       (match b with
        | [] -> true
        | p0 :: _ ->
          let (_, y) = p0 in
          (&&) (Integers.lt Integers.zero (Integers.mul x y))
            (same_entries a y b x)))

(** val held : weights tree -> int -> weights **)

let held t v =
  match find0 v t with
  | Some l -> l
  | None -> []

(** val put : weights tree -> (int * (ratio * number)) -> weights tree **)

let put t e =
  add0 (fst e) ((snd e) :: (held t (fst e))) t

(** val flowing :
    (int -> zedge list option) -> int -> weights -> (int * (ratio * number))
    list **)

let flowing out u m =
  match out u with
  | Some es ->
    flat_map (fun e -> map (fun w -> (e.e_to, (scaled e.e_g e.e_h w))) m) es
  | None -> []

(** val weigh :
    int -> (int -> zedge list option) -> weights tree -> weights tree **)

let weigh count out visits =
  let start =
    put empty (0, ((((fun p -> p) Integers.one), ((fun p -> p)
      Integers.one)), (((fun p -> p) Integers.one), ((fun p -> p)
      Integers.one))))
  in
  let listed =
    fold_left (fun t u ->
      match find0 u visits with
      | Some m -> fold_left put (flowing out u m) t
      | None -> t) (seq 0 count) start
  in
  snd
    (fold_left (fun s u ->
      let (inflow, found) = s in
      (match find0 u visits with
       | Some m -> (inflow, (add0 u m found))
       | None ->
         let m = merged_weights (held inflow u) in
         ((fold_left put (flowing out u m) inflow), (add0 u m found))))
      (seq 0 count) (listed, empty))

(** val check_flow :
    int -> (int -> zedge list option) -> (int -> weights) -> bool **)

let check_flow count out m =
  let inflow =
    fold_left put ((0, ((((fun p -> p) Integers.one), ((fun p -> p)
      Integers.one)), (((fun p -> p) Integers.one), ((fun p -> p)
      Integers.one)))) :: (flat_map (fun u -> flowing out u (m u))
                            (seq 0 count))) empty
  in
  forallb (fun v ->
    (&&)
      (forallb (fun w ->
        (&&) (Integers.lt Integers.zero (fst (snd w)))
          (Integers.lt Integers.zero (snd (snd w)))) (m v))
      (same_weights (held inflow v) (m v))) (seq 0 count)

(** val leaf_atoms :
    (int -> node) -> (int -> zedge list option) -> (int -> weights) -> int ->
    weights **)

let leaf_atoms nodes out m v =
  match out v with
  | Some _ -> []
  | None ->
    map
      (scaled ((total (nodes v).node_a), ((fun p -> p) Integers.one))
        ((total (nodes v).node_b), ((fun p -> p) Integers.one))) (m v)

(** val of_mass_one : node -> (ratio * number) -> ratio * number **)

let of_mass_one u w =
  scaled (((fun p -> p) Integers.one), (total u.node_a)) (((fun p -> p)
    Integers.one), (total u.node_b)) w

(** val node_zero :
    (int -> Integers.t * (int * Integers.t) list) -> node list -> int -> int
    -> bool **)

let node_zero future nodes s t =
  match nodes with
  | [] -> false
  | u :: _ ->
    (&&)
      (same_entries
        (collect
          (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
          u.node_a) (fst (future s))
        (collect
          (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
          (snd (future s))) ((fun p -> p) Integers.one))
      (same_entries
        (collect
          (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
          u.node_b) (fst (future t))
        (collect
          (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
          (snd (future t))) ((fun p -> p) Integers.one))

(** val check_visits : profile -> (int -> zedge list option) -> bool **)

let check_visits d out =
  (&&) (all_once (map fst d.p_visits))
    (forallb (fun v ->
      (&&)
        ((&&) (match out (fst v) with
               | Some _ -> true
               | None -> false)
          (forallb (fun w ->
            (&&) (Integers.lt Integers.zero (fst (fst w)))
              (Integers.lt Integers.zero (fst (snd w)))) (snd v)))
        ((fun (x : int) y -> x = y)
          (length (merged_weights (map of_pair (snd v)))) (length (snd v))))
      d.p_visits)

(** val check_order : profile -> int -> (int -> zedge list option) -> bool **)

let check_order d count out =
  let listed = Arrays.spread count (map (fun v -> ((fst v), ())) d.p_visits)
  in
  let is_listed = fun u -> match listed u with
                           | Some _ -> true
                           | None -> false
  in
  forallb (fun u ->
    match out u with
    | Some es ->
      forallb (fun e ->
        (||) ((||) (is_listed e.e_to) ((fun (x : int) y -> x < y) u e.e_to))
          (is_listed u)) es
    | None -> true) (seq 0 count)

(** val p_model : profile -> document **)

let p_model d =
  { quantity_of = Ld; alpha_above = ((fun p -> p) Integers.one);
    alpha_below = ((fun p -> p) Integers.one); words = 0; size = d.p_size;
    labels = d.p_labels; rows = d.p_rows; partition = []; clock = [];
    steps_left = []; merged = []; claims = []; named_states = []; upper = [];
    lower = [] }

(** val p_chain : profile -> zchain **)

let p_chain d =
  chain_of (p_model d)

(** val p_node : profile -> int -> node **)

let p_node d =
  Arrays.array d.p_nodes { node_a = []; node_b = []; node_next = None }

(** val entry_of :
    profile -> int -> (Integers.t * (int * Integers.t) list) option **)

let entry_of d =
  Arrays.spread d.p_size d.p_futures

(** val no_entry :
    (int -> (Integers.t * (int * Integers.t) list) option) -> int -> bool **)

let no_entry entry j =
  match entry j with
  | Some _ -> false
  | None -> true

(** val future_of :
    (int -> (Integers.t * (int * Integers.t) list) option) -> int ->
    Integers.t * (int * Integers.t) list **)

let future_of entry j =
  match entry j with
  | Some x -> x
  | None ->
    (((fun p -> p) Integers.one), ((j, ((fun p -> p) Integers.one)) :: []))

(** val found_edges :
    profile -> (int -> Integers.t * (int * Integers.t) list) -> int -> zedge
    list option option **)

let found_edges d future u =
  match (p_node d u).node_next with
  | Some next ->
    Some (edges_of (p_chain d) future (p_node d) (length d.p_nodes) u next)
  | None -> None

(** val outgoing :
    (int -> zedge list option option) -> int -> zedge list option **)

let outgoing found u =
  match found u with
  | Some o -> o
  | None -> None

(** val check_graph :
    profile -> (int -> bool) -> (int -> Integers.t * (int * Integers.t) list)
    -> (int -> zedge list option option) -> (int -> zedge list option) -> bool **)

let check_graph d is_coordinate future found out =
  let count = length d.p_nodes in
  let nodes = p_node d in
  let visits =
    fold_left (fun t v ->
      add0 (fst v)
        (map (fun w -> of_mass_one (nodes (fst v)) (of_pair w)) (snd v)) t)
      d.p_visits empty
  in
  let weighed = weigh count out visits in
  let m = held weighed in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) (node_zero future d.p_nodes d.p_s d.p_t)
              (forallb (fun u ->
                (&&) (check_node (p_chain d) nodes is_coordinate u)
                  (match found u with
                   | Some o -> (match o with
                                | Some _ -> true
                                | None -> false)
                   | None -> true)) (seq 0 count))) (check_visits d out))
          (check_order d count out)) (check_flow count out m))
      (forallb (fun v ->
        match out v with
        | Some _ -> true
        | None -> (match m v with
                   | [] -> true
                   | _ :: _ -> closed nodes v)) (seq 0 count)))
    (same_weights (flat_map (leaf_atoms nodes out m) (seq 0 count))
      (map of_pair d.p_atoms))

(** val check_profile : profile -> bool **)

let check_profile d =
  let z0 = p_chain d in
  let count = length d.p_nodes in
  (&&)
    ((&&)
      ((&&) ((&&) (check_rows (p_model d)) (in_chain z0 d.p_s))
        (in_chain z0 d.p_t))
      (forallb (fun a ->
        (&&)
          ((&&)
            ((&&)
              ((&&) (Integers.leq Integers.zero (fst (fst a)))
                (Integers.leq Integers.zero (fst (snd a))))
              ((||) (Integers.lt Integers.zero (fst (fst a)))
                (Integers.lt Integers.zero (fst (snd a)))))
            (Integers.lt Integers.zero (snd (fst a))))
          (Integers.lt Integers.zero (snd (snd a)))) d.p_atoms))
    (let entry = entry_of d in
     let future = Arrays.memo1 d.p_size (future_of entry) in
     (&&)
       ((&&) (all_once (map fst d.p_futures))
         (forallb (fun e ->
           check_future z0 future (no_entry entry) (fst e) (snd e))
           d.p_futures))
       (if (fun (x : int) y -> x = y) (z0.zlabel d.p_s) (z0.zlabel d.p_t)
        then let found = Arrays.memo1 count (found_edges d future) in
             check_graph d (no_entry entry) future found
               (Arrays.memo1 count (outgoing found))
        else (&&) ((fun (x : int) y -> x = y) count 0)
               (same_weights (((((fun p -> p) Integers.one), Integers.zero),
                 (((fun p -> p) Integers.one), ((fun p -> p)
                 Integers.one))) :: (((Integers.zero, ((fun p -> p)
                 Integers.one)), (((fun p -> p) Integers.one), ((fun p -> p)
                 Integers.one))) :: [])) (map of_pair d.p_atoms))))

type answer =
| Distances of document
| Distribution of profile
| Rejected

(** val decide : Integers.t list -> answer **)

let decide text = match text with
| [] ->
  (match document_of text with
   | Some d -> if check d then Distances d else Rejected
   | None -> Rejected)
| z0 :: rest ->
  ((fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
     (fun _ ->
     match document_of text with
     | Some d -> if check d then Distances d else Rejected
     | None -> Rejected)
     (fun p ->
     (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
       (fun _ ->
       match document_of text with
       | Some d -> if check d then Distances d else Rejected
       | None -> Rejected)
       (fun p0 ->
       (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
         (fun _ ->
         match document_of text with
         | Some d -> if check d then Distances d else Rejected
         | None -> Rejected)
         (fun _ ->
         match document_of text with
         | Some d -> if check d then Distances d else Rejected
         | None -> Rejected)
         (fun _ ->
         match profile_of rest with
         | Some d -> if check_profile d then Distribution d else Rejected
         | None -> Rejected)
         p0)
       (fun _ ->
       match document_of text with
       | Some d -> if check d then Distances d else Rejected
       | None -> Rejected)
       p)
     (fun _ ->
     match document_of text with
     | Some d -> if check d then Distances d else Rejected
     | None -> Rejected)
     z0)
