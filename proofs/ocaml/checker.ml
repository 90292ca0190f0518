
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

(** val sub : int -> int -> int **)

let rec sub n0 m =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> n0)
    (fun k ->
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> n0)
      (fun l -> sub k l)
      m)
    n0

type n =
| N0
| Npos of Integers.t



module Nat =
 struct
  (** val even : int -> bool **)

  let rec even n0 =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> true)
      (fun n1 ->
      (fun zero next n -> if n = 0 then zero () else next (n - 1))
        (fun _ -> false)
        (fun n' -> even n')
        n1)
      n0

  (** val pow : int -> int -> int **)

  let rec pow n0 m =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> Stdlib.succ 0)
      (fun m0 -> (fun (x : int) y -> x * y) n0 (pow n0 m0))
      m
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

  (** val pred_N : Integers.t -> n **)

  let pred_N x =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p -> Npos ((fun x -> Integers.shift_left x 1) p))
      (fun p -> Npos (pred_double p))
      (fun _ -> N0)
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

  (** val iter : ('a1 -> 'a1) -> 'a1 -> Integers.t -> 'a1 **)

  let rec iter f x n0 =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun n' -> f (iter f (iter f x n') n'))
      (fun n' -> iter f (iter f x n') n')
      (fun _ -> f x)
      n0

  (** val div2 : Integers.t -> Integers.t **)

  let div2 p =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 -> p0)
      (fun p0 -> p0)
      (fun _ -> Integers.one)
      p

  (** val div2_up : Integers.t -> Integers.t **)

  let div2_up p =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 -> succ p0)
      (fun p0 -> p0)
      (fun _ -> Integers.one)
      p

  (** val size_nat : Integers.t -> int **)

  let rec size_nat p =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 -> Stdlib.succ (size_nat p0))
      (fun p0 -> Stdlib.succ (size_nat p0))
      (fun _ -> Stdlib.succ 0)
      p

  (** val size : Integers.t -> Integers.t **)

  let rec size p =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 -> succ (size p0))
      (fun p0 -> succ (size p0))
      (fun _ -> Integers.one)
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

  let rec gcdn n0 a b =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> Integers.one)
      (fun n1 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun a' ->
        (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
          (fun b' ->
          match compare a' b' with
          | Eq -> a
          | Lt -> gcdn n1 (sub b' a') a
          | Gt -> gcdn n1 (sub a' b') b)
          (fun b0 -> gcdn n1 a b0)
          (fun _ -> Integers.one)
          b)
        (fun a0 ->
        (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
          (fun _ -> gcdn n1 a0 b)
          (fun b0 -> (fun x -> Integers.shift_left x 1)
          (gcdn n1 a0 b0))
          (fun _ -> Integers.one)
          b)
        (fun _ -> Integers.one)
        a)
      n0

  (** val gcd : Integers.t -> Integers.t -> Integers.t **)

  let gcd a b =
    gcdn ((fun (x : int) y -> x + y) (size_nat a) (size_nat b)) a b

  (** val coq_Nsucc_double : n -> n **)

  let coq_Nsucc_double = function
  | N0 -> Npos Integers.one
  | Npos p -> Npos ((fun x -> Integers.succ (Integers.shift_left x 1)) p)

  (** val coq_Ndouble : n -> n **)

  let coq_Ndouble = function
  | N0 -> N0
  | Npos p -> Npos ((fun x -> Integers.shift_left x 1) p)

  (** val coq_lor : Integers.t -> Integers.t -> Integers.t **)

  let rec coq_lor p q =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (coq_lor p0 q0))
        (fun q0 -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (coq_lor p0 q0))
        (fun _ -> p)
        q)
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> (fun x -> Integers.succ (Integers.shift_left x 1))
        (coq_lor p0 q0))
        (fun q0 -> (fun x -> Integers.shift_left x 1)
        (coq_lor p0 q0))
        (fun _ -> (fun x -> Integers.succ (Integers.shift_left x 1)) p0)
        q)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> q)
        (fun q0 -> (fun x -> Integers.succ (Integers.shift_left x 1))
        q0)
        (fun _ -> q)
        q)
      p

  (** val coq_land : Integers.t -> Integers.t -> n **)

  let rec coq_land p q =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> coq_Nsucc_double (coq_land p0 q0))
        (fun q0 -> coq_Ndouble (coq_land p0 q0))
        (fun _ -> Npos Integers.one)
        q)
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> coq_Ndouble (coq_land p0 q0))
        (fun q0 -> coq_Ndouble (coq_land p0 q0))
        (fun _ -> N0)
        q)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> Npos Integers.one)
        (fun _ -> N0)
        (fun _ -> Npos Integers.one)
        q)
      p

  (** val ldiff : Integers.t -> Integers.t -> n **)

  let rec ldiff p q =
    (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> coq_Ndouble (ldiff p0 q0))
        (fun q0 -> coq_Nsucc_double (ldiff p0 q0))
        (fun _ -> Npos ((fun x -> Integers.shift_left x 1) p0))
        q)
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun q0 -> coq_Ndouble (ldiff p0 q0))
        (fun q0 -> coq_Ndouble (ldiff p0 q0))
        (fun _ -> Npos p)
        q)
      (fun _ ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> N0)
        (fun _ -> Npos Integers.one)
        (fun _ -> N0)
        q)
      p

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

  let rec of_succ_nat n0 =
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> Integers.one)
      (fun x -> succ (of_succ_nat x))
      n0
 end

module N =
 struct
  (** val succ_pos : n -> Integers.t **)

  let succ_pos = function
  | N0 -> Integers.one
  | Npos p -> Coq_Pos.succ p

  (** val coq_lor : n -> n -> n **)

  let coq_lor n0 m =
    match n0 with
    | N0 -> m
    | Npos p -> (match m with
                 | N0 -> n0
                 | Npos q -> Npos (Coq_Pos.coq_lor p q))

  (** val ldiff : n -> n -> n **)

  let ldiff n0 m =
    match n0 with
    | N0 -> N0
    | Npos p -> (match m with
                 | N0 -> n0
                 | Npos q -> Coq_Pos.ldiff p q)
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

  (** val succ : Integers.t -> Integers.t **)

  let succ x =
    Integers.add x ((fun p -> p) Integers.one)

  (** val pred : Integers.t -> Integers.t **)

  let pred x =
    Integers.add x (Integers.neg Integers.one)

  (** val pow_pos : Integers.t -> Integers.t -> Integers.t **)

  let pow_pos z0 =
    Coq_Pos.iter (Integers.mul z0) ((fun p -> p) Integers.one)

  (** val of_N : n -> Integers.t **)

  let of_N = function
  | N0 -> Integers.zero
  | Npos p -> (fun p -> p) p

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

  (** val div2 : Integers.t -> Integers.t **)

  let div2 z0 =
    (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
      (fun _ -> Integers.zero)
      (fun p ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun _ -> (fun p -> p) (Coq_Pos.div2 p))
        (fun _ -> (fun p -> p) (Coq_Pos.div2 p))
        (fun _ -> Integers.zero)
        p)
      (fun p -> Integers.neg (Coq_Pos.div2_up p))
      z0

  (** val log2 : Integers.t -> Integers.t **)

  let log2 z0 =
    (fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))
      (fun _ -> Integers.zero)
      (fun p0 ->
      (fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))
        (fun p -> (fun p -> p) (Coq_Pos.size p))
        (fun p -> (fun p -> p) (Coq_Pos.size p))
        (fun _ -> Integers.zero)
        p0)
      (fun _ -> Integers.zero)
      z0
 end

(** val nth : int -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n0 l default =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> match l with
              | [] -> default
              | x :: _ -> x)
    (fun m -> match l with
              | [] -> default
              | _ :: t -> nth m t default)
    n0

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

let rec seq start0 len =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> [])
    (fun len0 -> start0 :: (seq (Stdlib.succ start0) len0))
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
                  alpha_below : Integers.t; words : int; size0 : int;
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

let below n0 =
  bind integer (fun x ->
    if (&&) (Integers.leq Integers.zero x)
         (Integers.lt x (Integers.of_int n0))
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

let rec times n0 r found =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> give (rev_append found []))
    (fun k -> bind r (fun x -> times k r (x :: found)))
    n0

(** val list_of : 'a1 reader -> 'a1 list reader **)

let list_of r =
  bind natural (fun n0 -> times n0 r [])

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

let read_row n0 =
  pair_of (below n0)
    (pair_of positive_integer (list_of (pair_of (below n0) integer)))

(** val read_classes : int -> int list list reader **)

let read_classes n0 =
  list_of (list_of (below n0))

(** val read_claim : int -> claim reader **)

let read_claim n0 =
  bind (below n0) (fun s ->
    bind (below n0) (fun t ->
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

let read_function n0 place places =
  bind integer (fun rank ->
    bind positive_integer (fun m ->
      bind (read_vector place places) (fun f ->
        bind
          (list_of
            (pair_of (pair_of (below n0) (below (Stdlib.succ n0))) integer))
          (fun rest ->
          bind (read_pairs place places) (fun pairs ->
            give { f_rank = rank; f_over = m; f_named = f; f_rest = rest;
              f_pairs = pairs })))))

(** val read_stage : int -> (int -> int) -> int -> stage reader **)

let read_stage n0 place places =
  bind (list_of (read_function n0 place places)) (fun functions ->
    bind (list_of (read_function n0 place places)) (fun escapes ->
      give { stage_functions = functions; stage_escapes = escapes }))

(** val read_document : document reader **)

let read_document =
  bind read_quantity (fun q ->
    bind positive_integer (fun above ->
      bind positive_integer (fun over0 ->
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
          bind natural (fun n0 ->
            bind (times n0 (read_row n0) []) (fun rows0 ->
              bind (read_classes n0) (fun partition0 ->
                bind (list_of (below n0)) (fun clock0 ->
                  bind
                    (match clock0 with
                     | [] -> give []
                     | _ :: _ -> times n0 (below (Stdlib.succ n0)) [])
                    (fun left ->
                    bind (read_classes n0) (fun merged0 ->
                      bind (list_of (read_claim n0)) (fun claims0 ->
                        bind (list_of (below n0)) (fun states ->
                          let place = Arrays.array states 0 in
                          let places = length states in
                          bind
                            (list_of
                              (read_upper place places
                                (match q with
                                 | Bd -> Stdlib.succ (Stdlib.succ 0)
                                 | Ld -> Stdlib.succ 0))) (fun upper0 ->
                            bind (list_of (read_stage n0 place places))
                              (fun lower0 ->
                              give { quantity_of = q; alpha_above = above;
                                alpha_below = over0; words = m; size0 = n0;
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
  fold_right (fun e n0 ->
    Integers.add (Integers.max Integers.zero (snd e)) n0) Integers.zero l

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
  { zsize = d.size0; zmember = (fun _ -> true); zlabel =
    (Arrays.array d.labels 0); zrow = (Arrays.array (map snd d.rows) []);
    zover = (Arrays.array (map fst d.rows) ((fun p -> p) Integers.one)) }

(** val total : (int * Integers.t) list -> Integers.t **)

let total l =
  fold_left (fun n0 e -> Integers.add n0 (snd e)) l Integers.zero

(** val check_rows : document -> bool **)

let check_rows d =
  (&&) ((fun (x : int) y -> x = y) (length d.rows) d.size0)
    (forallb (fun r ->
      (&&)
        ((&&) (Integers.lt Integers.zero (fst r))
          (Integers.equal (total (snd r)) (fst r)))
        (forallb (fun e ->
          (&&) ((fun (x : int) y -> x < y) (fst e) d.size0)
            (Integers.leq Integers.zero (snd e))) (snd r))) d.rows)

(** val representative : int -> int list list -> int -> int **)

let representative n0 classes =
  let first =
    Arrays.spread n0
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

let check_clock z0 ends left most0 =
  (&&) (forallb (has_label z0) ends)
    (forallb (fun s ->
      (&&) ((fun (x : int) y -> x < y) (left s) most0)
        (if existsb ((fun (x : int) y -> x = y) (z0.zlabel s)) ends
         then (fun (x : int) y -> x = y) (left s) 0
         else (&&) ((fun (x : int) y -> x < y) 0 (left s))
                (forallb (fun e ->
                  (||) (Integers.equal (snd e) Integers.zero)
                    ((fun (x : int) y -> x = y) (Stdlib.succ (left (fst e)))
                      (left s))) (z0.zrow s)))) (zstates z0))

(** val fine : int -> int -> int -> int **)

let fine most0 l n0 =
  (fun (x : int) y -> x + y) ((fun (x : int) y -> x * y) l most0) n0

(** val ztimed : zchain -> (int -> int) -> int -> zchain **)

let ztimed z0 left most0 =
  { zsize = z0.zsize; zmember = z0.zmember; zlabel =
    (Arrays.memo1 z0.zsize (fun s -> fine most0 (z0.zlabel s) (left s)));
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
    ((fold_left (fun n0 e -> Integers.add n0 (snd e)) c.coupling_b
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
  let (l, n0) = excess p r word_layers m i j in
  if increasing l
  then ((positive_sum l), n0)
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

let shortest q p r word_layers most0 i j =
  find (tell q p r word_layers i j) (seq (Stdlib.succ 0) most0)

type evaluated = { raw : function0; value_at : (int -> Integers.t);
                   row_sum : (int -> Integers.t) }

(** val rest_of :
    int -> ((int * int) * Integers.t) list -> Integers.t tree **)

let rest_of most0 l =
  fold_left (fun m e ->
    add0 (fine most0 (fst (fst e)) (snd (fst e))) (snd e) m) l empty

(** val weighted :
    (int -> Integers.t) -> (int * Integers.t) list -> Integers.t **)

let weighted f l =
  fold_left (fun n0 e -> Integers.add n0 (Integers.mul (snd e) (f (fst e))))
    l Integers.zero

(** val evaluate : zchain -> int -> function0 -> evaluated **)

let evaluate z0 most0 f =
  let named = Arrays.spread z0.zsize f.f_named in
  let rest = rest_of most0 f.f_rest in
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

let allowed d unit2 a b i j =
  (||) (Integers.leq a b)
    (let (x, y) = d i j in
     Integers.leq (Integers.mul (Integers.sub a b) y) (Integers.mul x unit2))

(** val fits :
    Integers.t -> Integers.t -> zchain -> (int * int list) tree -> (int ->
    int -> number) -> evaluated -> bool **)

let fits p r z0 groups d f =
  let unit2 = Integers.mul r f.raw.f_over in
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
        (&&) (allowed d unit2 ri pj i0 j) (allowed d unit2 rj pi j i0)) others)
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

let check_rest groups most0 f =
  forallb (fun e ->
    (&&) ((fun (x : int) y -> x < y) (snd (fst e)) most0)
      (mem (fine most0 (fst (fst e)) (snd (fst e))) groups)) f.f_rest

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

let escape_or_length q p r z0 word_layers most0 m l =
  match listing_of q z0 m l with
  | Unlisted ->
    (match shortest q p r word_layers most0 l.leader_s l.leader_t with
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
     | Some n0 -> Integers.lt n0 k
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

let told_apart_by q p r word_layers most0 l =
  flat_map (fun e ->
    match shortest q p r word_layers most0 e.ranked_leader.leader_s
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

let check_escapes q p r z0 word_layers groups base_table most0 gs entered new0 =
  match all_some
          (map (escape_or_length q p r z0 word_layers most0 (listings z0 gs))
            new0) with
  | Some found ->
    let l = rank_all q p r word_layers found in
    let ranks = rank_table q z0 l in
    let told = told_apart_by q p r word_layers (longest_word l) l in
    let smaller =
      Arrays.memo1 (Stdlib.succ most0) (fun k -> all_smaller told k)
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

let check_stage q p r z0 word_layers groups base_table most0 words0 entered s =
  let fs = map (evaluate z0 most0) s.stage_functions in
  let gs = map (evaluate z0 most0) s.stage_escapes in
  if (&&) (forallb (check_function z0) s.stage_functions)
       (forallb (check_rest groups most0) s.stage_functions)
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

let rec check_stages q p r z0 word_layers groups base_table most0 words0 entered = function
| [] -> Some entered
| s :: rest ->
  (match check_stage q p r z0 word_layers groups base_table most0 words0
           entered s with
   | Some entered' ->
     check_stages q p r z0 word_layers groups base_table most0 words0
       entered' rest
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
  let h = representative d.size0 d.partition in
  let z1 = zquotient z0 h in
  let left = Arrays.array d.steps_left 0 in
  let most0 =
    match d.clock with
    | [] -> Stdlib.succ 0
    | _ :: _ ->
      Stdlib.succ
        (fold_left (fun (x : int) y -> if x < y then y else x) d.steps_left 0)
  in
  let z2 = match d.clock with
           | [] -> z1
           | _ :: _ -> ztimed z1 left most0 in
  let hm = representative d.size0 d.merged in
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
           | n0 :: l -> check_clock z1 (n0 :: l) left most0))
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
                (&&) (check_function zm g) (check_rest groups most0 g))
                s.stage_functions)
              (forallb (fun g ->
                (&&)
                  ((&&) (forallb (fun e -> in_chain zm (fst e)) g.f_named)
                    (forallb (fun e ->
                      is_pair zm (fst (fst e)) (snd (fst e))) g.f_pairs))
                  (check_rest groups most0 g)) s.stage_escapes)) d.lower)
          (match check_stages q p r zm word_layers groups base_table most0
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

type ratio = Integers.t * Integers.t

(** val compare_ratio : ratio -> ratio -> comparison **)

let compare_ratio x y =
  match (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
          (fst x) (fst y) with
  | Eq ->
    (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
      (snd x) (snd y)
  | x0 -> x0

(** val compare_slope : ratio -> ratio -> comparison **)

let compare_slope x y =
  match (fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)
          (Integers.mul (fst x) (snd y)) (Integers.mul (fst y) (snd x)) with
  | Eq -> compare_ratio x y
  | x0 -> x0

type atoms = (Integers.t * ratio list) list

(** val atom_of : (number * number) -> Integers.t * ratio list **)

let atom_of = function
| (n0, n1) ->
  let (p, c) = n0 in
  let (q, d) = n1 in
  let m =
    (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
      c d
  in
  (m,
  (((Integers.mul p
      ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
        m c)),
  (Integers.mul q
    ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
      m d))) :: []))

type slopes = (ratio * Integers.t) list

(** val is_zero : ratio -> bool **)

let is_zero a =
  (&&) (Integers.equal (fst a) Integers.zero)
    (Integers.equal (snd a) Integers.zero)

(** val over_unit : Integers.t -> (Integers.t * ratio list) -> slopes **)

let over_unit u g =
  let k =
    (fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
      u (fst g)
  in
  flat_map (fun a ->
    if is_zero a
    then []
    else (((Integers.mul k (fst a)), (Integers.mul k (snd a))), ((fun p -> p)
           Integers.one)) :: []) (snd g)

(** val unit_of : atoms -> Integers.t **)

let unit_of l =
  fold_left (fun m g ->
    (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
      m (fst g)) l ((fun p -> p) Integers.one)

(** val sorted : atoms -> Integers.t * slopes **)

let sorted l =
  let u = unit_of l in (u, (collect compare_slope (flat_map (over_unit u) l)))

(** val at_most_slope : ratio -> ratio -> bool **)

let at_most_slope x y =
  Integers.leq (Integers.mul (fst x) (snd y)) (Integers.mul (fst y) (snd x))

(** val rising : ratio list -> bool **)

let rec rising = function
| [] -> true
| x :: rest ->
  (match rest with
   | [] -> true
   | y :: _ -> (&&) (at_most_slope x y) (rising rest))

(** val is_atom : (ratio * Integers.t) -> bool **)

let is_atom a =
  (&&)
    ((&&)
      ((&&) (Integers.leq Integers.zero (fst (fst a)))
        (Integers.leq Integers.zero (snd (fst a)))) (negb (is_zero (fst a))))
    (Integers.lt Integers.zero (snd a))

(** val in_order : slopes -> bool **)

let in_order l =
  (&&) (forallb is_atom l) (rising (map fst l))

(** val sum_p : slopes -> Integers.t **)

let sum_p l =
  fold_right (fun a n0 ->
    Integers.add (Integers.mul (snd a) (fst (fst a))) n0) Integers.zero l

(** val sum_q : slopes -> Integers.t **)

let sum_q l =
  fold_right (fun a n0 ->
    Integers.add (Integers.mul (snd a) (snd (fst a))) n0) Integers.zero l

(** val beyond :
    ratio -> slopes -> Integers.t -> Integers.t ->
    slopes * (Integers.t * Integers.t) **)

let rec beyond place l p q =
  match l with
  | [] -> ([], (p, q))
  | p0 :: rest ->
    let (x, n0) = p0 in
    if at_most_slope x place
    then beyond place rest (Integers.sub p (Integers.mul n0 (fst x)))
           (Integers.sub q (Integers.mul n0 (snd x)))
    else (l, (p, q))

(** val along :
    ratio list -> slopes -> Integers.t -> Integers.t -> Integers.t list **)

let rec along places l p q =
  match places with
  | [] -> []
  | x :: others ->
    let (rest, p0) = beyond x l p q in
    let (p', q') = p0 in
    (Integers.sub (Integers.mul (snd x) p') (Integers.mul (fst x) q')) :: 
    (along others rest p' q')

(** val curve_at : ratio list -> slopes -> Integers.t list **)

let curve_at places l =
  along places l (sum_p l) (sum_q l)

(** val all_at_most :
    Integers.t -> Integers.t -> Integers.t list -> Integers.t list -> bool **)

let rec all_at_most k m a b =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | x :: a' ->
    (match b with
     | [] -> false
     | y :: b' ->
       (&&) (Integers.leq (Integers.mul x k) (Integers.mul y m))
         (all_at_most k m a' b'))

(** val finite : ratio -> bool **)

let finite x =
  Integers.lt Integers.zero (snd x)

(** val places_ok : ratio list -> bool **)

let places_ok places =
  (&&) (forallb finite places) (rising places)

(** val check_optimistic :
    (Integers.t * slopes) -> (Integers.t * slopes) -> bool **)

let check_optimistic claimed proved =
  let (u, a) = claimed in
  let (v, o) = proved in
  (match a with
   | [] -> false
   | p :: _ ->
     let (first, _) = p in
     let places =
       first :: (filter (fun x ->
                  (&&) (finite x) (negb (at_most_slope x first))) (map fst o))
     in
     (&&) (places_ok places)
       (all_at_most v u (curve_at places a) (curve_at places o)))

(** val check_pessimistic :
    (Integers.t * slopes) -> (Integers.t * slopes) -> bool **)

let check_pessimistic claimed proved =
  let (u, a) = claimed in
  let (v, o) = proved in
  let places = filter finite (map fst a) in
  let highest =
    map (fun xy -> Integers.min (Integers.mul (snd (fst xy)) v) (snd xy))
      (combine places (curve_at places o))
  in
  (&&) (places_ok places) (all_at_most u v highest (curve_at places a))

(** val may_be_claimed : (number * number) list -> bool **)

let may_be_claimed l =
  (&&)
    (forallb (fun a ->
      (&&)
        ((&&)
          ((&&)
            ((&&) (Integers.leq Integers.zero (fst (fst a)))
              (Integers.leq Integers.zero (fst (snd a))))
            ((||) (Integers.lt Integers.zero (fst (fst a)))
              (Integers.lt Integers.zero (fst (snd a)))))
          (Integers.lt Integers.zero (snd (fst a))))
        (Integers.lt Integers.zero (snd (snd a)))) l)
    (let (u, a) = sorted (map atom_of l) in
     (&&) (Integers.equal (sum_p a) u) (Integers.equal (sum_q a) u))

(** val check_claim_of :
    (number * number) list -> (number * number) list -> atoms -> atoms -> bool **)

let check_claim_of optimistic pessimistic low high =
  (&&) ((&&) (may_be_claimed optimistic) (may_be_claimed pessimistic))
    (let o = sorted low in
     let p = sorted high in
     let a = sorted (map atom_of optimistic) in
     let b = sorted (map atom_of pessimistic) in
     (&&)
       ((&&)
         (forallb in_order
           ((snd o) :: ((snd p) :: ((snd a) :: ((snd b) :: [])))))
         (check_optimistic a o)) (check_pessimistic b p))

type node = { node_a : (int * Integers.t) list;
              node_b : (int * Integers.t) list;
              node_next : (int * int) list option }

type weights = (ratio * number) list

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

let image over0 row a =
  let d =
    fold_left (fun m e ->
      (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
        m (over0 (fst e))) a ((fun p -> p) Integers.one)
  in
  (d,
  (collect
    (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
    (flat_map (fun e ->
      map (fun f -> ((fst f),
        (Integers.mul
          (Integers.mul (snd e)
            ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
              d (over0 (fst e)))) (snd f)))) (row (fst e))) a)))

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
  (match (nodes u).node_next with
   | Some _ -> false
   | None ->
     (match a with
      | [] -> true
      | _ :: _ ->
        (match b with
         | [] -> true
         | _ :: _ ->
           same_entries a (total (nodes u).node_b) b (total (nodes u).node_a))))

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
  let start0 =
    put empty (0, ((((fun p -> p) Integers.one), ((fun p -> p)
      Integers.one)), (((fun p -> p) Integers.one), ((fun p -> p)
      Integers.one))))
  in
  let listed =
    fold_left (fun t u ->
      match find0 u visits with
      | Some m -> fold_left put (flowing out u m) t
      | None -> t) (seq 0 count) start0
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
        (&&)
          ((&&)
            ((&&) (Integers.lt Integers.zero (fst (snd w)))
              (Integers.lt Integers.zero (snd (snd w))))
            (Integers.leq Integers.zero (fst (fst w))))
          (Integers.leq Integers.zero (snd (fst w)))) (m v))
      (same_weights (held inflow v) (m v))) (seq 0 count)

(** val aligned :
    (int * Integers.t) list -> (int * Integers.t) list -> (int * ratio) list **)

let rec aligned a = match a with
| [] -> map (fun e -> ((fst e), (Integers.zero, (snd e))))
| p :: a' ->
  let (i, x) = p in
  let rec aligned_a b = match b with
  | [] -> map (fun e -> ((fst e), ((snd e), Integers.zero))) a
  | p0 :: b' ->
    let (j, y) = p0 in
    (match (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
             i j with
     | Eq -> (i, (x, y)) :: (aligned a' b')
     | Lt -> (i, (x, Integers.zero)) :: (aligned a' b)
     | Gt -> (j, (Integers.zero, y)) :: (aligned_a b'))
  in aligned_a

(** val masses : (int -> node) -> int -> ratio **)

let masses nodes u =
  ((total (nodes u).node_a), (total (nodes u).node_b))

(** val most : (int -> node) -> int -> ratio list **)

let most nodes u =
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
  if closed nodes u
  then (masses nodes u) :: []
  else if forallb (fun e -> Integers.leq Integers.zero (snd e)) (app a b)
       then map snd (aligned a b)
       else ((fst (masses nodes u)), Integers.zero) :: []

(** val least :
    (int -> node) -> (Integers.t * (int -> Integers.t) list) option -> int ->
    Integers.t * ratio list **)

let least nodes types0 u =
  match types0 with
  | Some p ->
    let (m, rs) = p in
    if closed nodes u
    then (((fun p -> p) Integers.one), ((masses nodes u) :: []))
    else let times0 = fun r l ->
           fold_left (fun n0 e ->
             Integers.add n0 (Integers.mul (snd e) (r (fst e)))) l
             Integers.zero
         in
         (m,
         (map (fun r -> ((times0 r (nodes u).node_a),
           (times0 r (nodes u).node_b))) rs))
  | None -> (((fun p -> p) Integers.one), ((masses nodes u) :: []))

(** val node_atoms :
    (Integers.t * ratio list) -> (Integers.t * ratio list) ->
    Integers.t * ratio list **)

let node_atoms held0 worth =
  ((Integers.mul (fst held0) (fst worth)),
    (flat_map (fun s ->
      map (fun w -> ((Integers.mul (fst w) (fst s)),
        (Integers.mul (snd w) (snd s)))) (snd held0)) (snd worth)))

(** val held_at : weights -> Integers.t * ratio list **)

let held_at l =
  let m = common l in
  (m,
  (map (fun w ->
    let k =
      Integers.mul (fst (snd w))
        ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
          m (snd (snd w)))
    in
    ((Integers.mul k (fst (fst w))), (Integers.mul k (snd (fst w))))) l))

(** val leaf_atoms :
    (int -> zedge list option) -> (int -> Integers.t * ratio list) -> (int ->
    weights) -> int -> (Integers.t * ratio list) list **)

let leaf_atoms out worth m v =
  match out v with
  | Some _ -> []
  | None ->
    (match m v with
     | [] -> []
     | _ :: _ -> (node_atoms (held_at (m v)) (worth v)) :: [])

type grid = { g_ratio : number; g_bits : Integers.t; g_rounds : int;
              g_low : Integers.t; g_high : Integers.t }

(** val grid_ok : grid -> bool **)

let grid_ok g =
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integers.lt Integers.zero (snd g.g_ratio))
          (Integers.lt (snd g.g_ratio) (fst g.g_ratio)))
        (Integers.leq ((fun p -> p) Integers.one) g.g_bits))
      (Integers.leq g.g_low Integers.zero))
    (Integers.leq Integers.zero g.g_high)

type content = { c_low : Integers.t; c_cells : int; c_x : Integers.t;
                 c_y : Integers.t; c_sum_x : Integers.t; c_sum_y : Integers.t }

(** val unit1 : Integers.t -> Integers.t **)

let unit1 bits =
  Integers.shifted_left ((fun p -> p) Integers.one) bits

(** val base0 : Integers.t -> Integers.t **)

let base0 width =
  Integers.shifted_left ((fun p -> p) Integers.one) width

(** val up_cells : Integers.t -> int -> Integers.t -> Integers.t **)

let up_cells width n0 x =
  Integers.shifted_left x (Integers.mul (Integers.of_int n0) width)

(** val cut : Integers.t -> int -> Integers.t -> Integers.t * Integers.t **)

let cut width n0 x =
  let rest =
    (fun x n -> Integers.shifted_left x (Integers.neg n)) x
      (Integers.mul (Integers.of_int n0) width)
  in
  ((Integers.sub x (up_cells width n0 rest)), rest)

(** val filled : Integers.t -> Integers.t -> int -> Integers.t **)

let rec filled bits width k =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> Integers.sub (unit1 bits) ((fun p -> p) Integers.one))
    (fun j ->
    let x = filled bits width j in
    Integers.add x
      (up_cells width (Nat.pow (Stdlib.succ (Stdlib.succ 0)) j) x))
    k

(** val join : Integers.t -> content -> content -> content **)

let join width a b =
  let low = Integers.min a.c_low b.c_low in
  let i =
    (fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z)
      (Integers.sub a.c_low low)
  in
  let j =
    (fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z)
      (Integers.sub b.c_low low)
  in
  { c_low = low; c_cells =
  ((fun (x : int) y -> if x < y then y else x)
    ((fun (x : int) y -> x + y) i a.c_cells)
    ((fun (x : int) y -> x + y) j b.c_cells)); c_x =
  (Integers.add (up_cells width i a.c_x) (up_cells width j b.c_x)); c_y =
  (Integers.add (up_cells width i a.c_y) (up_cells width j b.c_y)); c_sum_x =
  (Integers.add a.c_sum_x b.c_sum_x); c_sum_y =
  (Integers.add a.c_sum_y b.c_sum_y) }

(** val fits_in : Integers.t -> Integers.t -> content -> bool **)

let fits_in bits width c =
  (&&) (Integers.lt (Integers.add c.c_sum_x (unit1 bits)) (base0 width))
    (Integers.lt (Integers.add c.c_sum_y (unit1 bits)) (base0 width))

(** val doublings : int -> int **)

let doublings n0 =
  (fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z)
    ((fun x -> if Integers.leq x Integers.one then Integers.zero else Integers.of_int (Integers.log2up x))
      (Integers.of_int n0))

(** val enough : int -> int -> bool **)

let enough k n0 =
  (fun (x : int) y -> x <= y) n0 (Nat.pow (Stdlib.succ (Stdlib.succ 0)) k)

(** val divided_down :
    Integers.t -> Integers.t -> Integers.t -> Integers.t **)

let divided_down bits full x =
  (fun x n -> Integers.shifted_left x (Integers.neg n))
    (Integers.sub x (Integers.logand x full)) bits

(** val divided_up : Integers.t -> Integers.t -> Integers.t -> Integers.t **)

let divided_up bits full x =
  divided_down bits full (Integers.add x full)

(** val rounded :
    Integers.t -> Integers.t -> (int -> Integers.t) -> bool -> content ->
    content option **)

let rounded bits width nearly up c =
  let k = doublings c.c_cells in
  let full = nearly k in
  if (&&) (fits_in bits width c) (enough k c.c_cells)
  then let more =
         Integers.mul (Integers.of_int c.c_cells)
           (Integers.sub (unit1 bits) ((fun p -> p) Integers.one))
       in
       Some { c_low = c.c_low; c_cells = c.c_cells; c_x =
       (if up
        then divided_up bits full c.c_x
        else divided_down bits full c.c_x); c_y =
       (if up
        then divided_down bits full c.c_y
        else divided_up bits full c.c_y); c_sum_x =
       ((fun x n -> Integers.shifted_left x (Integers.neg n))
         (Integers.add c.c_sum_x more) bits); c_sum_y =
       ((fun x n -> Integers.shifted_left x (Integers.neg n))
         (Integers.add c.c_sum_y more) bits) }
  else None

(** val sum_of_cells : Integers.t -> Integers.t -> Integers.t **)

let sum_of_cells width x =
  Integers.sub x
    (Integers.mul (Integers.sub (base0 width) ((fun p -> p) Integers.one))
      ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
        x (Integers.sub (base0 width) ((fun p -> p) Integers.one))))

(** val one_cell : Integers.t -> Integers.t -> Integers.t -> content **)

let one_cell k x y =
  { c_low = k; c_cells = (Stdlib.succ 0); c_x = x; c_y = y; c_sum_x = x;
    c_sum_y = y }

(** val within :
    Integers.t -> Integers.t -> bool -> Integers.t -> Integers.t -> content
    -> (content * Integers.t) option **)

let within bits width up low high c =
  let cells = Integers.of_int c.c_cells in
  let k =
    (fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z)
      (Integers.min cells (Integers.sub low c.c_low))
  in
  let n0 =
    sub
      ((fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z)
        (Integers.min cells
          (Integers.sub (Integers.add high ((fun p -> p) Integers.one))
            c.c_low))) k
  in
  if (&&) ((fun (x : int) y -> x = y) k 0)
       ((fun (x : int) y -> x = y) n0 c.c_cells)
  then Some (c, Integers.zero)
  else if (&&) (fits_in bits width c)
            ((fun (x : int) y -> x <= y) ((fun (x : int) y -> x + y) k n0)
              c.c_cells)
       then let (x0, x) = cut width k c.c_x in
            let (y0, y) = cut width k c.c_y in
            let (x1, x2) = cut width n0 x in
            let (y1, y2) = cut width n0 y in
            let sx0 = sum_of_cells width x0 in
            let sx2 = sum_of_cells width x2 in
            let sy0 = sum_of_cells width y0 in
            let sy2 = sum_of_cells width y2 in
            let inside = { c_low =
              (Integers.add c.c_low (Integers.of_int k)); c_cells = n0; c_x =
              x1; c_y = y1; c_sum_x =
              (Integers.sub (Integers.sub c.c_sum_x sx0) sx2); c_sum_y =
              (Integers.sub (Integers.sub c.c_sum_y sy0) sy2) }
            in
            Some
            (if up
             then (inside, (Integers.add sx0 sx2))
             else ((join width inside
                     (join width (one_cell low sx0 sy0)
                       (one_cell high sx2 sy2))), Integers.zero))
       else None

(** val split : Integers.t -> int -> Integers.t -> Integers.t list **)

let rec split width k x =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> x :: [])
    (fun j ->
    let (l, h) = cut width (Nat.pow (Stdlib.succ (Stdlib.succ 0)) j) x in
    app (split width j l) (split width j h))
    k

(** val cells_of :
    Integers.t -> Integers.t -> content -> ratio list option **)

let cells_of bits width c =
  let k = doublings c.c_cells in
  if (&&) (fits_in bits width c) (enough k c.c_cells)
  then Some (combine (split width k c.c_x) (split width k c.c_y))
  else None

type piece0 = { p_to : int; p_up : Integers.t; p_g : Integers.t;
                p_h : Integers.t }

(** val power : number -> Integers.t -> number **)

let power r k =
  if Integers.leq Integers.zero k
  then (((fun x n -> if Integers.sign n < 0 then Integers.zero else Integers.pow x (Integers.to_int n))
          (fst r) k),
         ((fun x n -> if Integers.sign n < 0 then Integers.zero else Integers.pow x (Integers.to_int n))
           (snd r) k))
  else (((fun x n -> if Integers.sign n < 0 then Integers.zero else Integers.pow x (Integers.to_int n))
          (snd r) (Integers.neg k)),
         ((fun x n -> if Integers.sign n < 0 then Integers.zero else Integers.pow x (Integers.to_int n))
           (fst r) (Integers.neg k)))

(** val digits_of : int -> number -> number -> Integers.t -> int **)

let rec digits_of fuel r x k =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> 0)
    (fun f ->
    if at_most (power r k) x
    then Stdlib.succ
           (digits_of f r x
             (Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
               Integers.one)) k))
    else 0)
    fuel

(** val largest_power :
    int -> number -> number -> Integers.t -> Integers.t **)

let rec largest_power digits r x k =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> k)
    (fun j ->
    let more =
      Integers.add k
        (Integers.shifted_left ((fun p -> p) Integers.one)
          (Integers.of_int j))
    in
    largest_power j r x (if at_most (power r more) x then more else k))
    digits

(** val power_below : number -> number -> Integers.t **)

let power_below r x =
  let least0 = fun y ->
    largest_power
      (digits_of (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
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
        0)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) r y
        ((fun p -> p) Integers.one)) r y Integers.zero
  in
  if Integers.leq (snd x) (fst x)
  then least0 x
  else let k = least0 ((snd x), (fst x)) in
       if at_most ((snd x), (fst x)) (power r k)
       then Integers.neg k
       else Integers.sub (Integers.neg k) ((fun p -> p) Integers.one)

(** val floor_of : Integers.t -> Integers.t -> Integers.t -> Integers.t **)

let floor_of bits n0 d =
  (fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
    (Integers.shifted_left n0 bits) d

(** val ceiling_of : Integers.t -> Integers.t -> Integers.t -> Integers.t **)

let ceiling_of bits n0 d =
  Integers.neg
    ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
      (Integers.neg (Integers.shifted_left n0 bits)) d)

(** val for_x :
    Integers.t -> bool -> Integers.t -> Integers.t -> Integers.t **)

let for_x bits up n0 d =
  if up then ceiling_of bits n0 d else floor_of bits n0 d

(** val for_y :
    Integers.t -> bool -> Integers.t -> Integers.t -> Integers.t **)

let for_y bits up n0 d =
  if up then floor_of bits n0 d else ceiling_of bits n0 d

(** val whole :
    Integers.t -> bool -> int -> Integers.t -> number -> number -> piece0 **)

let whole bits up to0 k g h =
  { p_to = to0; p_up = k; p_g = (for_x bits up (fst g) (snd g)); p_h =
    (for_y bits up (fst h) (snd h)) }

(** val two_pieces :
    Integers.t -> number -> bool -> int -> Integers.t -> number -> number ->
    piece0 list option **)

let two_pieces bits r up to0 k g h =
  let (n0, d) = power r k in
  let more =
    Integers.sub (Integers.mul (Integers.mul (fst g) (snd h)) d)
      (Integers.mul (Integers.mul (fst h) (snd g)) n0)
  in
  let below0 =
    Integers.mul (Integers.mul (Integers.mul (snd g) (snd h)) n0)
      (Integers.sub (fst r) (snd r))
  in
  let rest =
    Integers.sub
      (Integers.mul (Integers.mul (Integers.mul (fst h) (snd g)) n0)
        (Integers.sub (fst r) (snd r))) (Integers.mul more (snd r))
  in
  if (&&) (Integers.leq Integers.zero more) (Integers.leq Integers.zero rest)
  then let one0 = { p_to = to0; p_up = k; p_g =
         (for_x bits up (Integers.mul rest n0) (Integers.mul below0 d));
         p_h = (for_y bits up rest below0) }
       in
       Some
       (if Integers.equal more Integers.zero
        then one0 :: []
        else one0 :: ({ p_to = to0; p_up =
               (Integers.add k ((fun p -> p) Integers.one)); p_g =
               (for_x bits up (Integers.mul (Integers.mul more n0) (fst r))
                 (Integers.mul below0 d)); p_h =
               (for_y bits up (Integers.mul more (snd r)) below0) } :: []))
  else None

(** val nearest : number -> Integers.t -> number -> number -> Integers.t **)

let nearest r k g h =
  let (n0, d) =
    power r
      (Integers.add
        (Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
          Integers.one)) k) ((fun p -> p) Integers.one))
  in
  let x = Integers.mul (fst g) (snd h) in
  let y = Integers.mul (fst h) (snd g) in
  if Integers.lt (Integers.mul (Integers.mul y y) n0)
       (Integers.mul (Integers.mul x x) d)
  then Integers.add k ((fun p -> p) Integers.one)
  else k

(** val pieces_of :
    Integers.t -> number -> bool -> int -> number -> number -> piece0 list
    option **)

let pieces_of bits r up to0 g h =
  if (&&) (Integers.lt Integers.zero (fst g))
       (Integers.lt Integers.zero (fst h))
  then let k =
         power_below r ((Integers.mul (fst g) (snd h)),
           (Integers.mul (fst h) (snd g)))
       in
       if up
       then two_pieces bits r up to0 k g h
       else Some ((whole bits up to0 (nearest r k g h) g h) :: [])
  else Some ((whole bits up to0 Integers.zero g h) :: [])

(** val moved : content -> piece0 -> content **)

let moved c p =
  { c_low = (Integers.add c.c_low p.p_up); c_cells = c.c_cells; c_x =
    (Integers.mul c.c_x p.p_g); c_y = (Integers.mul c.c_y p.p_h); c_sum_x =
    (Integers.mul c.c_sum_x p.p_g); c_sum_y = (Integers.mul c.c_sum_y p.p_h) }

(** val deliver :
    Integers.t -> (int * content) tree -> (int * content) -> (int * content)
    tree **)

let deliver width t = function
| (v, c) ->
  add0 v (v,
    (match find0 v t with
     | Some p -> let (_, d) = p in join width d c
     | None -> c)) t

(** val sent :
    (int -> piece0 list option) -> (int * content) -> (int * content) list **)

let sent pieces e =
  match pieces (fst e) with
  | Some ps -> map (fun p -> (p.p_to, (moved (snd e) p))) ps
  | None -> []

type state = { moving : (int * content) list; arrived : (int * content) tree;
               ended : (int * Integers.t) list }

(** val is_nothing : content -> bool **)

let is_nothing c =
  (&&) (Integers.equal c.c_x Integers.zero)
    (Integers.equal c.c_y Integers.zero)

(** val settle :
    grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
    option) -> state option -> (int * content) -> state option **)

let settle g width nearly up pieces s e =
  match s with
  | Some s0 ->
    (match rounded g.g_bits width nearly up (snd e) with
     | Some c ->
       (match pieces (fst e) with
        | Some _ ->
          (match within g.g_bits width up g.g_low g.g_high c with
           | Some p ->
             let (inside, x) = p in
             Some { moving =
             (if is_nothing inside
              then s0.moving
              else ((fst e), inside) :: s0.moving); arrived = s0.arrived;
             ended =
             (if Integers.equal x Integers.zero
              then s0.ended
              else ((fst e), x) :: s0.ended) }
           | None -> None)
        | None ->
          Some { moving = s0.moving; arrived =
            (deliver width s0.arrived ((fst e), c)); ended = s0.ended })
     | None -> None)
  | None -> None

(** val round :
    grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
    option) -> state -> state option **)

let round g width nearly up pieces s =
  let delivered =
    fold_left (deliver width) (flat_map (sent pieces) s.moving) empty
  in
  fold_left (settle g width nearly up pieces) (values delivered) (Some
    { moving = []; arrived = s.arrived; ended = s.ended })

(** val rounds :
    grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
    option) -> int -> state -> state option **)

let rec rounds g width nearly up pieces n0 s =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> Some s)
    (fun k ->
    match s.moving with
    | [] -> Some s
    | _ :: _ ->
      (match round g width nearly up pieces s with
       | Some t -> rounds g width nearly up pieces k t
       | None -> None))
    n0

(** val start : grid -> Integers.t -> (int -> piece0 list option) -> state **)

let start g width pieces =
  let one0 = one_cell Integers.zero (unit1 g.g_bits) (unit1 g.g_bits) in
  (match pieces 0 with
   | Some _ -> { moving = ((0, one0) :: []); arrived = empty; ended = [] }
   | None ->
     { moving = []; arrived = (deliver width empty (0, one0)); ended = [] })

(** val all_cells :
    grid -> Integers.t -> (int * content) list -> (int * ratio list) list
    option **)

let rec all_cells g width = function
| [] -> Some []
| p :: rest ->
  let (v, c) = p in
  (match cells_of g.g_bits width c with
   | Some cells ->
     (match all_cells g width rest with
      | Some others -> Some ((v, cells) :: others)
      | None -> None)
   | None -> None)

(** val run :
    grid -> Integers.t -> (int -> Integers.t) -> bool -> (int -> piece0 list
    option) -> (int * ratio list) list option **)

let run g width nearly up pieces =
  match rounds g width nearly up pieces g.g_rounds (start g width pieces) with
  | Some s ->
    (match all_cells g width (app s.moving (values s.arrived)) with
     | Some cells ->
       Some
         (app
           (map (fun e -> ((fst e), (((snd e), Integers.zero) :: [])))
             s.ended) cells)
     | None -> None)
  | None -> None

(** val or_one : Integers.t -> Integers.t **)

let or_one x =
  if Integers.equal x Integers.zero then (fun p -> p) Integers.one else x

(** val mass_a : (int -> node) -> int -> Integers.t **)

let mass_a nodes u =
  or_one (total (nodes u).node_a)

(** val mass_b : (int -> node) -> int -> Integers.t **)

let mass_b nodes u =
  or_one (total (nodes u).node_b)

(** val edge_pieces :
    (int -> node) -> grid -> bool -> int -> zedge -> piece0 list option **)

let edge_pieces nodes g up u e =
  pieces_of g.g_bits g.g_ratio up e.e_to
    ((Integers.mul (fst e.e_g) (mass_a nodes e.e_to)),
    (Integers.mul (snd e.e_g) (mass_a nodes u)))
    ((Integers.mul (fst e.e_h) (mass_b nodes e.e_to)),
    (Integers.mul (snd e.e_h) (mass_b nodes u)))

(** val node_pieces :
    (int -> node) -> (int -> zedge list option) -> grid -> bool -> int ->
    piece0 list option option **)

let node_pieces nodes out g up u =
  match out u with
  | Some es ->
    (match all_some (map (edge_pieces nodes g up u) es) with
     | Some l -> Some (Some (concat l))
     | None -> None)
  | None -> Some None

(** val in_masses :
    (int -> node) -> grid -> int -> ratio list -> Integers.t * ratio list **)

let in_masses nodes g v cells =
  let a = mass_a nodes v in
  let b = mass_b nodes v in
  ((Integers.mul (Integers.mul (unit1 g.g_bits) a) b),
  (map (fun w -> ((Integers.mul (fst w) b), (Integers.mul (snd w) a)))
    (filter (fun w -> negb (is_zero w)) cells)))

(** val grid_atoms :
    (int -> node) -> int -> (int -> zedge list option) -> grid -> bool ->
    (int -> Integers.t * ratio list) -> atoms option **)

let grid_atoms nodes count out g up worth =
  let found = Arrays.memo1 count (node_pieces nodes out g up) in
  if forallb (fun u -> match found u with
                       | Some _ -> true
                       | None -> false) (seq 0 count)
  then let pieces = fun u -> match found u with
                             | Some ps -> ps
                             | None -> None
       in
       let width =
         Integers.add
           (Integers.mul ((fun p -> p) ((fun x -> Integers.shift_left x 1)
             Integers.one)) g.g_bits) ((fun p -> p)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.shift_left x 1)
           ((fun x -> Integers.succ (Integers.shift_left x 1))
           ((fun x -> Integers.shift_left x 1) Integers.one))))))
       in
       let nearly =
         Arrays.memo1 (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
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
           0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
           (filled g.g_bits width)
       in
       (match run g width nearly up pieces with
        | Some l ->
          Some
            (map (fun e ->
              node_atoms (in_masses nodes g (fst e) (snd e)) (worth (fst e)))
              l)
        | None -> None)
  else None

type types = { t_count : int;
               t_sets : (int * (Integers.t * (int * Integers.t) list)) list;
               t_words : int list list;
               t_reach : (Integers.t * (int * Integers.t) list) list }

(** val members :
    (int * (Integers.t * (int * Integers.t) list)) -> (int * Integers.t) list **)

let members s =
  snd (snd s)

(** val root : (int * (Integers.t * (int * Integers.t) list)) -> int **)

let root s =
  match members s with
  | [] -> 0
  | e :: _ -> fst e

(** val over :
    (int * (Integers.t * (int * Integers.t) list)) -> Integers.t **)

let over s =
  fst (snd s)

(** val in_set :
    (int -> int option) -> (int * (Integers.t * (int * Integers.t) list)) ->
    int -> bool **)

let in_set root_at s i =
  match root_at i with
  | Some k -> (fun (x : int) y -> x = y) k (root s)
  | None -> false

(** val of_type :
    (int -> int option) -> (int * (Integers.t * (int * Integers.t) list)) ->
    int -> bool **)

let of_type type_at s i =
  match type_at i with
  | Some k -> (fun (x : int) y -> x = y) k (fst s)
  | None -> false

(** val rising_keys : (int * Integers.t) list -> bool **)

let rec rising_keys = function
| [] -> true
| x :: rest ->
  (match rest with
   | [] -> true
   | y :: _ ->
     (&&) ((fun (x : int) y -> x < y) (fst x) (fst y)) (rising_keys rest))

(** val check_set :
    zchain -> types -> (int -> int option) -> (int -> int option) ->
    (int * (Integers.t * (int * Integers.t) list)) -> bool **)

let check_set z0 t root_at type_at s =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) ((fun (x : int) y -> x < y) (fst s) t.t_count)
              (negb (match members s with
                     | [] -> true
                     | _ :: _ -> false)))
            (forallb (fun e ->
              (&&)
                ((&&)
                  ((&&)
                    ((&&) (Integers.lt Integers.zero (snd e))
                      (in_chain z0 (fst e))) (in_set root_at s (fst e)))
                  (of_type type_at s (fst e)))
                (forallb (fun f ->
                  (||) (Integers.equal (snd f) Integers.zero)
                    (in_set root_at s (fst f))) (z0.zrow (fst e))))
              (members s)))
          (rising_keys
            (collect
              (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
              (members s)))) (Integers.lt Integers.zero (over s)))
      (Integers.equal (total (members s)) (over s)))
    (let (d, l) = stepped z0 (members s) in
     same_entries
       (collect
         (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
         (members s)) d
       (collect
         (fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)
         (not_zero l)) ((fun p -> p) Integers.one))

(** val check_rank :
    zchain -> (int -> int option) -> (int -> int) -> int -> bool **)

let check_rank z0 root_at rank i =
  (||)
    (match root_at i with
     | Some k -> (fun (x : int) y -> x = y) k i
     | None -> false)
    (existsb (fun e ->
      (&&) (Integers.lt Integers.zero (snd e))
        ((fun (x : int) y -> x < y) (rank (fst e)) (rank i))) (z0.zrow i))

(** val frequency :
    zchain -> Integers.t -> (int * Integers.t) list -> int list -> number **)

let rec frequency z0 d v = function
| [] -> ((total v), d)
| l :: rest ->
  let (m, u) = stepped z0 (of_label z0 l v) in
  frequency z0 (Integers.mul d m) u rest

(** val frequencies :
    zchain -> types -> (int * (Integers.t * (int * Integers.t) list)) ->
    number list **)

let frequencies z0 t s =
  map (fun w -> reduced (frequency z0 (over s) (members s) w)) t.t_words

(** val differ : number list -> number list -> bool **)

let rec differ a b =
  match a with
  | [] -> false
  | x :: a' ->
    (match b with
     | [] -> false
     | y :: b' ->
       (||)
         (negb
           (Integers.equal (Integers.mul (fst x) (snd y))
             (Integers.mul (fst y) (snd x)))) (differ a' b'))

(** val check_words : (int * number list) list -> bool **)

let rec check_words = function
| [] -> true
| p :: rest ->
  let (k, a) = p in
  (&&)
    (forallb (fun e ->
      (||) ((fun (x : int) y -> x = y) (fst e) k) (differ a (snd e))) rest)
    (check_words rest)

(** val check_reach :
    zchain -> (int -> int option) -> int -> Integers.t -> (int -> Integers.t)
    -> int -> bool **)

let check_reach z0 type_at k m r i =
  (&&)
    (match type_at i with
     | Some j ->
       Integers.equal (r i)
         (if (fun (x : int) y -> x = y) j k then m else Integers.zero)
     | None -> true)
    (Integers.equal
      (fold_left (fun n0 e ->
        Integers.add n0 (Integers.mul (snd e) (r (fst e)))) (z0.zrow i)
        Integers.zero) (Integers.mul (z0.zover i) (r i)))

(** val steps_before : zchain -> int list tree **)

let steps_before z0 =
  fold_left (fun m i ->
    fold_left (fun m0 e ->
      if Integers.lt Integers.zero (snd e)
      then add0 (fst e)
             (i :: (match find0 (fst e) m0 with
                    | Some l -> l
                    | None -> [])) m0
      else m0) (z0.zrow i) m) (zstates z0) empty

(** val spread_ranks :
    int list tree -> int -> int -> int list -> int tree -> int tree **)

let rec spread_ranks before fuel rank reached0 ranks =
  (fun zero next n -> if n = 0 then zero () else next (n - 1))
    (fun _ -> ranks)
    (fun f ->
    match reached0 with
    | [] -> ranks
    | _ :: _ ->
      let (later, found) =
        fold_left (fun s i ->
          match find0 i before with
          | Some l ->
            fold_left (fun s0 j ->
              let (later, found) = s0 in
              if mem j found then s0 else ((j :: later), (add0 j rank found)))
              l s
          | None -> s) reached0 ([], ranks)
      in
      spread_ranks before f (Stdlib.succ rank) later found)
    fuel

(** val ranks_of : zchain -> int list -> int -> int **)

let ranks_of z0 roots =
  let found =
    spread_ranks (steps_before z0) z0.zsize (Stdlib.succ 0) roots
      (fold_left (fun m i -> add0 i 0 m) roots empty)
  in
  (fun i -> match find0 i found with
            | Some k -> k
            | None -> 0)

(** val reach_of :
    zchain -> types -> Integers.t * (int -> Integers.t) list **)

let reach_of z0 t =
  let m =
    fold_left (fun m r ->
      (fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)
        m (fst r)) t.t_reach ((fun p -> p) Integers.one)
  in
  (m,
  (map (fun r ->
    let at_ = Arrays.spread z0.zsize (snd r) in
    Arrays.memo1 z0.zsize (fun i ->
      match at_ i with
      | Some x ->
        Integers.mul x
          ((fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)
            m (fst r))
      | None -> Integers.zero)) t.t_reach))

(** val check_types : zchain -> types -> bool **)

let check_types z0 t =
  let sets = t.t_sets in
  let root_at =
    Arrays.spread z0.zsize
      (flat_map (fun s -> map (fun e -> ((fst e), (root s))) (members s))
        sets)
  in
  let type_at =
    Arrays.spread z0.zsize
      (flat_map (fun s -> map (fun e -> ((fst e), (fst s))) (members s)) sets)
  in
  let rank = Arrays.memo1 z0.zsize (ranks_of z0 (map root sets)) in
  let (m, rs) = reach_of z0 t in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) (distinct (map root sets))
              (forallb (check_set z0 t root_at type_at) sets))
            (forallb (check_rank z0 root_at rank) (zstates z0)))
          (check_words (map (fun s -> ((fst s), (frequencies z0 t s))) sets)))
        ((fun (x : int) y -> x = y) (length t.t_reach) t.t_count))
      (forallb (fun r -> Integers.lt Integers.zero (fst r)) t.t_reach))
    (forallb (fun e ->
      forallb (check_reach z0 type_at (fst e) m (snd e)) (zstates z0))
      (combine (seq 0 t.t_count) rs))

type profile = { p_size : int; p_labels : int list;
                 p_rows : (Integers.t * (int * Integers.t) list) list;
                 p_s : int; p_t : int;
                 p_futures : (int * (Integers.t * (int * Integers.t) list))
                             list; p_nodes : node list;
                 p_visits : (int * (number * number) list) list;
                 p_types : types option; p_grid : grid option;
                 p_optimistic : (number * number) list;
                 p_above : (number * number) list option }

(** val p_pessimistic : profile -> (number * number) list **)

let p_pessimistic d =
  match d.p_above with
  | Some l -> l
  | None -> d.p_optimistic

(** val read_node : int -> int -> node reader **)

let read_node n0 count =
  bind (list_of (pair_of (below n0) integer)) (fun a ->
    bind (list_of (pair_of (below n0) integer)) (fun b ->
      bind (below (Stdlib.succ (Stdlib.succ 0))) (fun inner ->
        (fun zero next n -> if n = 0 then zero () else next (n - 1))
          (fun _ ->
          give { node_a = a; node_b = b; node_next = None })
          (fun _ ->
          bind (list_of (pair_of (below n0) (below count))) (fun next ->
            give { node_a = a; node_b = b; node_next = (Some next) }))
          inner)))

(** val option_of : 'a1 reader -> 'a1 option reader **)

let option_of r =
  bind (below (Stdlib.succ (Stdlib.succ 0))) (fun there ->
    (fun zero next n -> if n = 0 then zero () else next (n - 1))
      (fun _ -> give None)
      (fun _ -> bind r (fun x -> give (Some x)))
      there)

(** val read_shares : int -> (Integers.t * (int * Integers.t) list) reader **)

let read_shares n0 =
  pair_of positive_integer (list_of (pair_of (below n0) integer))

(** val read_types : int -> types reader **)

let read_types n0 =
  bind natural (fun count ->
    bind (list_of (pair_of (below count) (read_shares n0))) (fun sets ->
      bind (list_of (list_of (below (Stdlib.succ n0)))) (fun words0 ->
        bind (list_of (read_shares n0)) (fun reach ->
          give { t_count = count; t_sets = sets; t_words = words0; t_reach =
            reach }))))

(** val read_grid : grid reader **)

let read_grid =
  bind rational (fun ratio0 ->
    bind
      (below (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
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
        (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
        (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ (Stdlib.succ
        (Stdlib.succ (Stdlib.succ
        0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
      (fun bits ->
      bind natural (fun rounds0 ->
        bind integer (fun low ->
          bind integer (fun high ->
            give { g_ratio = ratio0; g_bits = (Integers.of_int bits);
              g_rounds = rounds0; g_low = low; g_high = high })))))

(** val read_atoms : (number * number) list reader **)

let read_atoms =
  list_of (pair_of rational rational)

(** val read_profile : profile reader **)

let read_profile =
  bind natural (fun n0 ->
    bind (times n0 (read_row n0) []) (fun rows0 ->
      bind (below n0) (fun s ->
        bind (below n0) (fun t ->
          bind (list_of (pair_of (below n0) (read_shares n0)))
            (fun futures ->
            bind natural (fun count ->
              bind (times count (read_node n0 count) []) (fun nodes ->
                bind (list_of (pair_of (below count) read_atoms))
                  (fun visits ->
                  bind (option_of (read_types n0)) (fun types0 ->
                    bind (option_of read_grid) (fun grid0 ->
                      bind (below (Stdlib.succ (Stdlib.succ 0)))
                        (fun bounds ->
                        bind read_atoms (fun optimistic ->
                          bind
                            ((fun zero next n -> if n = 0 then zero () else next (n - 1))
                               (fun _ -> give None)
                               (fun _ ->
                               bind read_atoms (fun l -> give (Some l)))
                               bounds) (fun above ->
                            give { p_size = n0; p_labels = (map fst rows0);
                              p_rows = (map snd rows0); p_s = s; p_t = t;
                              p_futures = futures; p_nodes = nodes;
                              p_visits = visits; p_types = types0; p_grid =
                              grid0; p_optimistic = optimistic; p_above =
                              above })))))))))))))

(** val profile_of : Integers.t list -> profile option **)

let profile_of text =
  match read_profile text with
  | Some p -> let (d, l) = p in (match l with
                                 | [] -> Some d
                                 | _ :: _ -> None)
  | None -> None

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
    alpha_below = ((fun p -> p) Integers.one); words = 0; size0 = d.p_size;
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

(** val weighed_lists :
    profile -> (int -> zedge list option) -> (int -> Integers.t * ratio list)
    -> (int -> Integers.t * ratio list) -> (atoms * atoms) option **)

let weighed_lists d out low high =
  let count = length d.p_nodes in
  let visits =
    fold_left (fun t v ->
      add0 (fst v)
        (map (fun w -> of_mass_one (p_node d (fst v)) (of_pair w)) (snd v)) t)
      d.p_visits empty
  in
  let m = held (weigh count out visits) in
  if (&&) ((&&) (check_visits d out) (check_order d count out))
       (check_flow count out m)
  then Some ((flat_map (leaf_atoms out low m) (seq 0 count)),
         (flat_map (leaf_atoms out high m) (seq 0 count)))
  else None

(** val grid_lists :
    profile -> grid -> (int -> zedge list option) -> (int ->
    Integers.t * ratio list) -> (int -> Integers.t * ratio list) ->
    (atoms * atoms) option **)

let grid_lists d g out low high =
  let count = length d.p_nodes in
  if grid_ok g
  then (match grid_atoms (p_node d) count out g false low with
        | Some a ->
          (match grid_atoms (p_node d) count out g true high with
           | Some b -> Some (a, b)
           | None -> None)
        | None -> None)
  else None

(** val check_graph :
    profile -> (int -> bool) -> (int -> Integers.t * (int * Integers.t) list)
    -> (int -> zedge list option option) -> (int -> zedge list option) ->
    (Integers.t * (int -> Integers.t) list) option -> bool **)

let check_graph d is_coordinate future found out reach =
  let count = length d.p_nodes in
  let nodes = p_node d in
  (&&)
    ((&&) (node_zero future d.p_nodes d.p_s d.p_t)
      (forallb (fun u ->
        (&&) (check_node (p_chain d) nodes is_coordinate u)
          (match found u with
           | Some o -> (match o with
                        | Some _ -> true
                        | None -> false)
           | None -> true)) (seq 0 count)))
    (match match d.p_grid with
           | Some g ->
             grid_lists d g out (least nodes reach) (fun u -> (((fun p -> p)
               Integers.one), (most nodes u)))
           | None ->
             weighed_lists d out (least nodes reach) (fun u -> (((fun p -> p)
               Integers.one), (most nodes u))) with
     | Some p ->
       let (low, high) = p in
       check_claim_of d.p_optimistic (p_pessimistic d) low high
     | None -> false)

(** val check_profile : profile -> bool **)

let check_profile d =
  let z0 = p_chain d in
  let count = length d.p_nodes in
  (&&)
    ((&&) ((&&) (check_rows (p_model d)) (in_chain z0 d.p_s))
      (in_chain z0 d.p_t))
    (let entry = entry_of d in
     let future = Arrays.memo1 d.p_size (future_of entry) in
     (&&)
       ((&&)
         ((&&) (all_once (map fst d.p_futures))
           (forallb (fun e ->
             check_future z0 future (no_entry entry) (fst e) (snd e))
             d.p_futures))
         (match d.p_types with
          | Some t -> check_types z0 t
          | None -> true))
       (let reach =
          match d.p_types with
          | Some t -> Some (reach_of z0 t)
          | None -> None
        in
        if (fun (x : int) y -> x = y) (z0.zlabel d.p_s) (z0.zlabel d.p_t)
        then let found = Arrays.memo1 count (found_edges d future) in
             check_graph d (no_entry entry) future found
               (Arrays.memo1 count (outgoing found)) reach
        else let apart = (((fun p -> p) Integers.one), ((((fun p -> p)
               Integers.one), Integers.zero) :: ((Integers.zero,
               ((fun p -> p) Integers.one)) :: []))) :: []
             in
             (&&) ((fun (x : int) y -> x = y) count 0)
               (check_claim_of d.p_optimistic (p_pessimistic d) apart apart)))

type answer =
| Distances of document
| Profiled of profile
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
         | Some d -> if check_profile d then Profiled d else Rejected
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
