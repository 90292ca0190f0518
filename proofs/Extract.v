(** The checker as a program of OCaml, with the integers of zarith.

    What is trusted beside Coq and its extraction: that OCaml's int stands for nat (all numbers of states, labels and
    places are looked at by the program when it reads them; no other is made but those of pairs, and places in lists),
    that zarith stands for Z, and the arrays of ocaml/arrays.ml for Containers.v. *)

From Coq Require Import ZArith List Extraction ExtrOcamlBasic.
From Proofs Require Import Containers Program.

Extract Inductive nat => int [ "0" "Stdlib.succ" ] "(fun zero next n -> if n = 0 then zero () else next (n - 1))".
Extract Inlined Constant Init.Nat.add => "(fun (x : int) y -> x + y)".
Extract Inlined Constant PeanoNat.Nat.add => "(fun (x : int) y -> x + y)".
Extract Inlined Constant Init.Nat.mul => "(fun (x : int) y -> x * y)".
Extract Inlined Constant PeanoNat.Nat.mul => "(fun (x : int) y -> x * y)".
Extract Inlined Constant Init.Nat.max => "(fun (x : int) y -> if x < y then y else x)".
Extract Inlined Constant PeanoNat.Nat.max => "(fun (x : int) y -> if x < y then y else x)".
Extract Inlined Constant Init.Nat.eqb => "(fun (x : int) y -> x = y)".
Extract Inlined Constant PeanoNat.Nat.eqb => "(fun (x : int) y -> x = y)".
Extract Inlined Constant Init.Nat.leb => "(fun (x : int) y -> x <= y)".
Extract Inlined Constant PeanoNat.Nat.leb => "(fun (x : int) y -> x <= y)".
Extract Inlined Constant Init.Nat.ltb => "(fun (x : int) y -> x < y)".
Extract Inlined Constant PeanoNat.Nat.ltb => "(fun (x : int) y -> x < y)".
Extract Inlined Constant Init.Nat.odd => "(fun x -> x land 1 = 1)".
Extract Inlined Constant PeanoNat.Nat.odd => "(fun x -> x land 1 = 1)".
Extract Inlined Constant Init.Nat.div2 => "(fun x -> x lsr 1)".
Extract Inlined Constant PeanoNat.Nat.div2 => "(fun x -> x lsr 1)".
Extract Inlined Constant Init.Nat.compare => "(fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)".
Extract Inlined Constant PeanoNat.Nat.compare => "(fun (x : int) y -> if x < y then Lt else if x = y then Eq else Gt)".

Extract Inductive positive => "Integers.t" [ "(fun x -> Integers.succ (Integers.shift_left x 1))" "(fun x -> Integers.shift_left x 1)" "Integers.one" ]
  "(fun odd even one p -> if Integers.equal p Integers.one then one () else
      (if Integers.is_odd p then odd else even) (Integers.shift_right p 1))".
Extract Inductive Z => "Integers.t" [ "Integers.zero" "(fun p -> p)" "Integers.neg" ]
  "(fun zero pos neg z -> let s = Integers.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Integers.neg z))".
Extract Inlined Constant Z.add => "Integers.add".
Extract Inlined Constant Z.sub => "Integers.sub".
Extract Inlined Constant Z.mul => "Integers.mul".
Extract Inlined Constant Z.opp => "Integers.neg".
Extract Inlined Constant Z.max => "Integers.max".
Extract Inlined Constant Z.div => "(fun x y -> if Integers.sign y = 0 then Integers.zero else Integers.fdiv x y)".
Extract Inlined Constant Z.gcd => "Integers.gcd".
Extract Inlined Constant Z.abs => "Integers.abs".
Extract Inlined Constant Z.sgn => "(fun z -> Integers.of_int (Integers.sign z))".
Extract Inlined Constant Z.lcm => "(fun x y -> if Integers.sign x = 0 || Integers.sign y = 0 then Integers.zero else Integers.lcm x y)".
Extract Inlined Constant Z.min => "Integers.min".
Extract Inlined Constant Z.land => "Integers.logand".
Extract Inlined Constant Z.shiftl => "Integers.shifted_left".
Extract Inlined Constant Z.shiftr => "(fun x n -> Integers.shifted_left x (Integers.neg n))".
Extract Inlined Constant Z.pow => "(fun x n -> if Integers.sign n < 0 then Integers.zero else Integers.pow x (Integers.to_int n))".
Extract Inlined Constant Z.log2_up => "(fun x -> if Integers.leq x Integers.one then Integers.zero else Integers.of_int (Integers.log2up x))".
Extract Inlined Constant Z.eqb => "Integers.equal".
Extract Inlined Constant Z.leb => "Integers.leq".
Extract Inlined Constant Z.ltb => "Integers.lt".
Extract Inlined Constant Z.compare => "(fun x y -> let c = Integers.compare x y in if c < 0 then Lt else if c = 0 then Eq else Gt)".
Extract Inlined Constant Z.of_nat => "Integers.of_int".
Extract Inlined Constant Z.to_nat => "(fun z -> if Integers.sign z < 0 then 0 else Integers.to_int z)".

Extract Inlined Constant memo1 => "Arrays.memo1".
Extract Inlined Constant memo2 => "Arrays.memo2".
Extract Inlined Constant array => "Arrays.array".
Extract Inlined Constant spread => "Arrays.spread".

Extraction Blacklist Z List Stdlib.
Extraction "checker.ml" decide.
