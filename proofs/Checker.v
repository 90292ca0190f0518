(** The checker of certificates of distances, as a program over the integers.

    It follows section 3 of SPEC.md; the names of the steps are those that stand there. What it computes is proved to be
    a proof of the claims in Sound.v. Tables of numbers that are entered are trees, what is
    computed from the model is remembered (Containers.v). A number x/y is the pair (x, y), with y > 0. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers Trees Entries Document.
Import ListNotations.
Open Scope Z_scope.

Definition number := (Z * Z)%type.

Definition less (x y : number) : bool := fst x * snd y <? fst y * snd x.
Definition at_most (x y : number) : bool := fst x * snd y <=? fst y * snd x.

(** * Chains *)

Record zchain := {
  zsize : nat; zmember : nat -> bool; zlabel : nat -> nat; zrow : nat -> list (nat * Z); zover : nat -> Z }.

Definition zstates (z : zchain) : list nat := filter (zmember z) (seq 0 (zsize z)).
Definition in_chain (z : zchain) (s : nat) : bool := (s <? zsize z)%nat && zmember z s.

Definition chain_of (d : document) : zchain :=
  {| zsize := size d; zmember := fun _ => true; zlabel := array (labels d) 0%nat;
     zrow := array (map snd (rows d)) []; zover := array (map fst (rows d)) 1 |}.

Definition total (l : list (nat * Z)) : Z := fold_left (fun n e => n + snd e) l 0.

(** Rows are distributions on the states. *)
Definition check_rows (d : document) : bool :=
  (length (rows d) =? size d)%nat &&
  forallb (fun r => (0 <? fst r) && (total (snd r) =? fst r) &&
                    forallb (fun e => (fst e <? size d)%nat && (0 <=? snd e)) (snd r)) (rows d).

(** ** Quotients *)

(** The first state of the class of a state. *)
Definition representative (n : nat) (classes : list (list nat)) : nat -> nat :=
  let first := spread n (flat_map (fun l => match l with [] => [] | k :: _ => map (fun s => (s, k)) l end) classes) in
  fun s => match first s with Some k => k | None => s end.

Definition lumped (z : zchain) (h : nat -> nat) (s : nat) : list (nat * Z) :=
  collect Nat.compare (map (fun e => (h (fst e), 1 * snd e)) (zrow z s)).

Fixpoint same_entries (a : list (nat * Z)) (k : Z) (b : list (nat * Z)) (m : Z) : bool :=
  match a, b with
  | [], [] => true
  | (i, x) :: a', (j, y) :: b' => (i =? j)%nat && (x * k =? y * m) && same_entries a' k b' m
  | _, _ => false
  end.

(** `partition` and `merged` *)
Definition check_class (z : zchain) (h : nat -> nat) (l : list nat) : bool :=
  match l with
  | [] => false
  | k :: _ =>
      let row := lumped z h k in
      forallb (fun s => in_chain z s && (h s =? k)%nat && (zlabel z s =? zlabel z k)%nat &&
                        same_entries row (zover z s) (lumped z h s) (zover z k)) l
  end.

Definition check_classes (z : zchain) (h : nat -> nat) (classes : list (list nat)) : bool :=
  all_once (concat classes) && forallb (check_class z h) classes.

Definition zquotient (z : zchain) (h : nat -> nat) : zchain :=
  {| zsize := zsize z; zmember := fun s => zmember z s && (h s =? s)%nat; zlabel := zlabel z;
     zrow := memo1 (zsize z) (lumped z h); zover := zover z |}.

(** ** The clock *)

Definition has_label (z : zchain) (l : nat) : bool := existsb (fun s => (zlabel z s =? l)%nat) (zstates z).

Definition check_clock (z : zchain) (ends : list nat) (left : nat -> nat) (most : nat) : bool :=
  forallb (has_label z) ends &&
  forallb (fun s => (left s <? most)%nat &&
             if existsb (Nat.eqb (zlabel z s)) ends then (left s =? 0)%nat
             else (0 <? left s)%nat &&
                  forallb (fun e => (snd e =? 0) || (S (left (fst e)) =? left s)%nat) (zrow z s)) (zstates z).

(** The label of a state with its steps, of which there are fewer than [most]. *)
Definition fine (most l n : nat) : nat := (l * most + n)%nat.

Definition ztimed (z : zchain) (left : nat -> nat) (most : nat) : zchain :=
  {| zsize := zsize z; zmember := zmember z; zlabel := memo1 (zsize z) (fun s => fine most (zlabel z s) (left s));
     zrow := zrow z; zover := zover z |}.

(** ** States by their labels *)

(** The states of a list with a label, by the label. *)
Definition group (groups : tree (nat * list nat)) (l : nat) : list nat :=
  match find l groups with Some g => snd g | None => [] end.

Definition group_of (label : nat -> nat) (l : list nat) : tree (nat * list nat) :=
  fold_left (fun m s => Trees.add (label s) (label s, s :: group m (label s)) m) l empty.

(** * A check of one chain *)

Section Check.
  Variables (q : quantity) (p r : Z).   (* alpha = p/r *)

  Definition symmetric : bool := match q with bd => true | ld => false end.

  Definition turns_of (s t : nat) : list (nat * nat) := match q with bd => [(s, t); (t, s)] | ld => [(s, t)] end.

  Section Chain.
    Variable z : zchain.

    (** The number of a pair; with bd, of both of its orders. *)
    Definition key (i j : nat) : nat :=
      if symmetric && (j <? i)%nat then (j * zsize z + i)%nat else (i * zsize z + j)%nat.

    Definition is_pair (s t : nat) : bool :=
      in_chain z s && in_chain z t && (zlabel z s =? zlabel z t)%nat && negb (s =? t)%nat.

    (** ** Upper *)

    (** U(i,j) *)
    Definition upper_table (values : tree number) (i j : nat) : number :=
      if negb (zlabel z i =? zlabel z j)%nat then (1, 1)
      else if (i =? j)%nat then (0, 1)
      else match find (key i j) values with Some u => u | None => (1, 1) end.

    Definition upper_values (records : list upper_record) : tree number :=
      fold_left (fun m u => Trees.add (key (upper_s u) (upper_t u)) (upper_value u, upper_over u) m) records empty.

    Definition w_states (w : list ((nat * nat) * Z)) : bool :=
      forallb (fun e => in_chain z (fst (fst e)) && in_chain z (snd (fst e)) && (0 <=? snd e)) w.
    Definition b_states (b : list (nat * Z)) : bool := forallb (fun e => in_chain z (fst e) && (0 <=? snd e)) b.

    (** `upper-coupling`, where m is the denominator of w and b: all entries of
        sum_j w(i,j) + b(i) - alpha sum_j w(j,i) - mu(i) + alpha nu(i), times the denominators, are at least 0. *)
    Definition slack (m : Z) (c : coupling) (s t : nat) : list (nat * Z) :=
      let (a, b) := (zover z s, zover z t) in
      map (fun e => (fst (fst e), r * a * b * snd e)) (coupling_w c) ++
      map (fun e => (snd (fst e), - (p * a * b) * snd e)) (coupling_w c) ++
      map (fun e => (fst e, r * a * b * snd e)) (coupling_b c) ++
      map (fun e => (fst e, - (r * m * b) * snd e)) (zrow z s) ++
      map (fun e => (fst e, p * m * a * snd e)) (zrow z t).

    Definition check_coupling (m : Z) (c : coupling) (s t : nat) : bool :=
      w_states (coupling_w c) && b_states (coupling_b c) &&
      forallb (fun e => 0 <=? snd e) (collect Nat.compare (slack m c s t)).

    (** `upper-cost`: terms by their denominators, which are added up. *)
    Definition plus (x y : number) : number :=
      if snd x =? snd y then (fst x + fst y, snd x)
      else let l := Z.lcm (snd x) (snd y) in (fst x * (l / snd x) + fst y * (l / snd y), l).

    Definition cost (values : tree number) (c : coupling) : number :=
      fold_left (fun sum e => plus sum (snd e, fst e))
        (collect Z.compare
           (map (fun e => let (x, y) := upper_table values (fst (fst e)) (snd (fst e)) in (y, x * snd e)) (coupling_w c)))
        (fold_left (fun n e => n + snd e) (coupling_b c) 0, 1).

    Definition check_upper_record (values : tree number) (u : upper_record) : bool :=
      (0 <? upper_over u) && (0 <=? upper_value u) && is_pair (upper_s u) (upper_t u) &&
      (length (upper_couplings u) =? length (turns_of (upper_s u) (upper_t u)))%nat &&
      forallb (fun e => let '((s, t), c) := e in
                 check_coupling (upper_over u) c s t && at_most (cost values c) (upper_value u, 1))
        (combine (turns_of (upper_s u) (upper_t u)) (upper_couplings u)).

    Definition check_upper (records : list upper_record) (values : tree number) : bool :=
      all_once (map (fun u => key (upper_s u) (upper_t u)) records) && forallb (check_upper_record values) records.

    (** ** Words *)

    (** The probabilities of words from a state, as integers over a denominator; a word is a number, whose digits
        are its labels. *)
    Definition distribution := (list (Z * Z) * Z)%type.

    Definition empty_word : distribution := ([(0, 1)], 1).

    (** P_i(c u) = sum_k mu_i(k) P_k(u), over the k with the label c; [place] is the value of the first digit. *)
    Definition longer (place : Z) (below : nat -> distribution) (i : nat) : distribution :=
      let parts := map (fun e => (e, below (fst e))) (zrow z i) in
      let common := fold_left (fun l part => Z.lcm l (snd (snd part))) parts 1 in
      (merge_all Z.compare
         (map (fun part => let '((k, x), (l, m)) := part in
                 map (fun e => (Z.of_nat (zlabel z k) * place + fst e, x * (common / m) * snd e)) l) parts),
       zover z i * common).

    Fixpoint layers (digits place : Z) (current : nat -> distribution) (m : nat) : list (nat -> distribution) :=
      match m with
      | O => [current]
      | S k => current :: layers digits (digits * place) (memo1 (zsize z) (longer place current)) k
      end.

    Variable word_layers : list (nat -> distribution).
    Definition layer (m : nat) : nat -> distribution := nth m word_layers (fun _ => ([], 1)).

    (** r P_i(u) - p P_j(u) for all words u of m labels, times the common denominator, and r times that. *)
    Definition excess (m i j : nat) : distribution :=
      let '((x, a), (y, b)) := (layer m i, layer m j) in
      let l := Z.lcm a b in
      (merge Z.compare (map (fun e => (fst e, r * (l / a) * snd e)) x)
                       (map (fun e => (fst e, - (p * (l / b)) * snd e)) y), r * l).

    (** B->_m(i,j), a sum of positive parts; the keys increase, or it would say nothing. *)
    Definition word_gain (m i j : nat) : number :=
      let (l, n) := excess m i j in if increasing l then (positive_sum l, n) else (0, 1).

    Definition larger (x y : number) : number := if less x y then y else x.

    (** B(i,j) *)
    Definition base (m i j : nat) : number :=
      match m with
      | O => (0, 1)
      | _ => match q with bd => larger (word_gain m i j) (word_gain m j i) | ld => word_gain m i j end
      end.

    (** Whether B->_m(i,j) > 0, in either order with bd. *)
    Definition favour (i j m : nat) : bool := existsb (fun e => 0 <? snd e) (fst (excess m i j)).
    Definition tell (i j m : nat) : bool := favour i j m || (symmetric && favour j i m).
    Definition shortest (most i j : nat) : option nat := List.find (tell i j) (seq 1 most).

    (** ** Functions *)

    (** A function with its values, and its sums over rows. *)
    Record evaluated := { raw : function; value_at : nat -> Z; row_sum : nat -> Z }.

    Definition rest_of (most : nat) (l : list ((nat * nat) * Z)) : tree Z :=
      fold_left (fun m e => Trees.add (fine most (fst (fst e)) (snd (fst e))) (snd e) m) l empty.

    Definition weighted (f : nat -> Z) (l : list (nat * Z)) : Z := fold_left (fun n e => n + snd e * f (fst e)) l 0.

    Definition evaluate (most : nat) (f : function) : evaluated :=
      let named := spread (zsize z) (f_named f) in
      let rest := rest_of most (f_rest f) in
      let value i := match named i with
                     | Some x => x
                     | None => match find (zlabel z i) rest with Some x => x | None => 0 end
                     end in
      {| raw := f; value_at := value; row_sum := memo1 (zsize z) (fun s => weighted value (zrow z s)) |}.

    (** 0 <= f <= 1 *)
    Definition in_range (f : function) : bool :=
      (0 <? f_over f) &&
      forallb (fun e => (0 <=? snd e) && (snd e <=? f_over f)) (f_named f) &&
      forallb (fun e => (0 <=? snd e) && (snd e <=? f_over f)) (f_rest f).

    Variable groups : tree (nat * list nat).

    (** f_i - alpha f_j <= d(i,j), for the numbers r f_i and p f_j, which are mostly not in this order *)
    Definition allowed (d : nat -> nat -> number) (unit a b : Z) (i j : nat) : bool :=
      (a <=? b) || (let (x, y) := d i j in (a - b) * y <=? x * unit).

    Definition fits (d : nat -> nat -> number) (f : evaluated) : bool :=
      let unit := r * f_over (raw f) in
      let entry i := let x := value_at f i in (i, (r * x, p * x)) in
      forallb (fun named =>
          let others := map entry (group groups (fst named)) in
          forallb (fun i => let '(i, (ri, pi)) := entry i in
                     forallb (fun o => let '(j, (rj, pj)) := o in
                                allowed d unit ri pj i j && allowed d unit rj pi j i) others) (snd named))
        (values (group_of (zlabel z) (map fst (f_named (raw f))))).

    (** sum_i f_i (mu_s(i) - alpha mu_t(i)), times the denominator of f *)
    Definition objective (f : evaluated) (s t : nat) : number :=
      (r * zover z t * row_sum f s - p * zover z s * row_sum f t, r * zover z t * zover z s).

    Definition check_function (f : function) : bool :=
      in_range f &&
      forallb (fun e => in_chain z (fst e)) (f_named f) &&
      forallb (fun e => is_pair (fst (fst e)) (snd (fst e))) (f_pairs f).

    Definition check_rest (most : nat) (f : function) : bool :=
      forallb (fun e => (snd (fst e) <? most)%nat && mem (fine most (fst (fst e)) (snd (fst e))) groups) (f_rest f).

    Definition check_objectives (f : evaluated) : bool :=
      forallb (fun e => let '((s, t), v) := e in
                 (0 <=? v) && (v <=? f_over (raw f)) && at_most (v, 1) (objective f s t)) (f_pairs (raw f)).

    (** ** Stages *)

    Variable base_table : nat -> nat -> number.

    (** K(i,j), for different states of one label *)
    Definition known (entered : tree number) (i j : nat) : number :=
      match find (key i j) entered with Some x => x | None => base_table i j end.

    Record leader := { leader_value : number; leader_s : nat; leader_t : nat }.

    Definition lead (m : tree leader) (f : function) : tree leader :=
      fold_left (fun m e =>
          let '((s, t), v) := e in
          let l := {| leader_value := (v, f_over f); leader_s := s; leader_t := t |} in
          match find (key s t) m with
          | Some first => if less (leader_value first) (leader_value l) then Trees.add (key s t) l m else m
          | None => Trees.add (key s t) l m
          end) (f_pairs f) m.

    Definition leaders (fs : list function) : tree leader := fold_left lead fs empty.

    (** The new pairs of a stage, by their leaders. *)
    Definition new_pairs (entered : tree number) (fs : list function) : list leader :=
      filter (fun l => match find (key (leader_s l) (leader_t l)) entered with
                       | Some old => less old (leader_value l)
                       | None => true
                       end) (values (leaders fs)).

    Definition enter (new : list leader) (entered : tree number) : tree number :=
      fold_left (fun m l => Trees.add (key (leader_s l) (leader_t l)) (leader_value l) m) new entered.

    (** ** Escapes *)

    Definition code (i j : nat) : nat := (i * zsize z + j)%nat.

    (** For every directed pair the first escape that lists it, and its place. *)
    Definition listings (gs : list evaluated) : tree (nat * evaluated) :=
      snd (fold_left (fun a g =>
             let '(k, m) := a in
             (S k, fold_left (fun m e => let c := code (fst (fst e)) (snd (fst e)) in
                                if mem c m then m else Trees.add c (k, g) m) (f_pairs (raw g)) m))
           gs (O, empty)).

    (** What escapes say about a new pair: nothing, that one lists it in the direction of its leader, or in the other
        direction only or first. *)
    Inductive listing := Unlisted | Listed (g : evaluated) | Turned.

    Definition listing_of (m : tree (nat * evaluated)) (l : leader) : listing :=
      let (s, t) := (leader_s l, leader_t l) in
      match find (code s t) m, (if symmetric then find (code t s) m else None) with
      | None, None => Unlisted
      | Some (_, g), None => Listed g
      | Some (k, g), Some (k', _) => if (k <=? k')%nat then Listed g else Turned
      | None, Some _ => Turned
      end.

    (** Ranks by words, for the lengths from m on: [after] is T(m - 1), and [wanted] and [highest] say of a length
        whether a pair has its rank by it, and the highest rank of a listed pair that it tells apart. *)
    Fixpoint ranks_by_length (wanted : nat -> bool) (highest : nat -> Z) (after : Z) (m k : nat) : list Z :=
      match k with
      | O => []
      | S k' => (after + 1) ::
          ranks_by_length wanted highest (Z.max (if wanted m then after + 1 else after) (highest m)) (S m) k'
      end.

    Definition maximum (l : list Z) : Z := fold_left Z.max l 0.

    (** A new pair with its rank, and an escape or a length of words. *)
    Record ranked := { ranked_leader : leader; ranked_rank : Z; ranked_escape : evaluated + nat }.

    Definition escape_or_length (most : nat) (m : tree (nat * evaluated)) (l : leader) : option (leader * (evaluated + nat)) :=
      match listing_of m l with
      | Listed g => Some (l, inl g)
      | Turned => None
      | Unlisted => match shortest most (leader_s l) (leader_t l) with Some k => Some (l, inr k) | None => None end
      end.

    Fixpoint all_some {A : Type} (l : list (option A)) : option (list A) :=
      match l with
      | [] => Some []
      | Some x :: rest => match all_some rest with Some xs => Some (x :: xs) | None => None end
      | None :: _ => None
      end.

    Definition rank_all (found : list (leader * (evaluated + nat))) : list ranked :=
      let lengths := flat_map (fun e => match snd e with inr k => [k] | inl _ => [] end) found in
      let longest := fold_left Nat.max lengths 0%nat in
      let told := flat_map (fun e => match snd e with
                    | inl g => match shortest longest (leader_s (fst e)) (leader_t (fst e)) with
                               | Some k => [(k, f_rank (raw g))]
                               | None => []
                               end
                    | inr _ => [] end) found in
      let by_length := array (0 :: ranks_by_length (fun m => existsb (Nat.eqb m) lengths)
                         (fun m => maximum (map snd (filter (fun e => (fst e =? m)%nat) told))) 0 1 longest) 0 in
      map (fun e => {| ranked_leader := fst e; ranked_escape := snd e;
                       ranked_rank := match snd e with inl g => f_rank (raw g) | inr k => by_length k end |}) found.

    Definition rank_table (l : list ranked) : tree Z :=
      fold_left (fun m e => Trees.add (key (leader_s (ranked_leader e)) (leader_t (ranked_leader e))) (ranked_rank e) m) l
        empty.

    (** R_k(i,j), for different states of one label *)
    Definition reached (entered : tree number) (ranks : tree Z) (k : Z) (i j : nat) : number :=
      if match find (key i j) ranks with
         | Some n => n <? k
         | None => 0 <? fst (known entered i j)
         end then (1, 1) else (0, 1).

    (** `lower-escape`, and for words `lower-words` and that new pairs told apart by shorter words have smaller ranks *)
    Definition check_ranked (smaller : nat -> Z -> bool) (e : ranked) : bool :=
      let (s, t) := (leader_s (ranked_leader e), leader_t (ranked_leader e)) in
      (0 <? ranked_rank e) &&
      match ranked_escape e with
      | inl g => 0 <? fst (objective g s t)
      | inr k => (0 <? fst (word_gain k s t)) && smaller k (ranked_rank e)
      end.

    (** The ranks of the new pairs that words of fewer than k labels tell apart are smaller; [told] has the lengths. *)
    Definition all_smaller (told : list (nat * Z)) (k : nat) (rank : Z) : bool :=
      forallb (fun e => (k <=? fst e)%nat || (snd e <? rank)) told.

    Definition told_apart_by (most : nat) (l : list ranked) : list (nat * Z) :=
      flat_map (fun e => match shortest most (leader_s (ranked_leader e)) (leader_t (ranked_leader e)) with
                         | Some k => [(k, ranked_rank e)]
                         | None => []
                         end) l.

    Definition longest_word (l : list ranked) : nat :=
      fold_left (fun m e => match ranked_escape e with inr k => Nat.max m k | inl _ => m end) l 0%nat.

    Definition check_escapes (most : nat) (gs : list evaluated) (entered : tree number) (new : list leader) : bool :=
      match all_some (map (escape_or_length most (listings gs)) new) with
      | None => false
      | Some found =>
          let l := rank_all found in
          let ranks := rank_table l in
          let told := told_apart_by (longest_word l) l in
          let smaller := memo1 (S most) (fun k => all_smaller told k) in
          forallb (fun g => (0 <? f_rank (raw g)) && fits (reached entered ranks (f_rank (raw g))) g) gs &&
          forallb (check_ranked smaller) l
      end.

    Definition check_stage (most words : nat) (entered : tree number) (s : stage) : option (tree number) :=
      let fs := map (evaluate most) (stage_functions s) in
      let gs := map (evaluate most) (stage_escapes s) in
      if forallb check_function (stage_functions s) && forallb (check_rest most) (stage_functions s) then
        let new := new_pairs entered (stage_functions s) in
        let entered' := enter new entered in
        let circular := negb (forallb (fits (memo2 (zsize z) (known entered))) fs) in
        let smaller := existsb (fun l => less (leader_value l) (known entered (leader_s l) (leader_t l))) new in
        if (if circular || smaller then forallb (fits (memo2 (zsize z) (known entered'))) fs else true) &&
           forallb check_objectives fs &&
           (if circular then
              forallb (fun l => at_most (known entered' (leader_s l) (leader_t l)) (leader_value l)) new &&
              forallb in_range (stage_escapes s) && check_escapes words gs entered new
            else true)
        then Some entered' else None
      else None.

    Fixpoint check_stages (most words : nat) (entered : tree number) (l : list stage) : option (tree number) :=
      match l with
      | [] => Some entered
      | s :: rest => match check_stage most words entered s with
                     | Some entered' => check_stages most words entered' rest
                     | None => None
                     end
      end.
  End Chain.
End Check.

(** * The whole check *)

Definition zero : number := (0, 1).
Definition one : number := (1, 1).

Definition check_claim (lower upper : nat -> nat -> number) (z : zchain) (h : nat -> nat) (c : claim) : bool :=
  let (s, t) := (h (claim_s c), h (claim_t c)) in
  in_chain z s && in_chain z t && (0 <? snd (claim_lower c)) && (0 <? snd (claim_upper c)) &&
  (at_most (claim_lower c) (lower s t) || (fst (claim_lower c) <=? 0)) &&
  (at_most (upper s t) (claim_upper c) || at_most one (claim_upper c)).

Definition check (d : document) : bool :=
  let q := quantity_of d in
  let (p, r) := (alpha_above d, alpha_below d) in
  let z0 := chain_of d in
  let h := representative (size d) (partition d) in
  let z1 := zquotient z0 h in
  let left := array (steps_left d) 0%nat in
  let most := match clock d with [] => 1%nat | _ => S (fold_left Nat.max (steps_left d) 0%nat) end in
  let z := match clock d with [] => z1 | _ => ztimed z1 left most end in
  let hm := representative (size d) (merged d) in
  let zm := zquotient z hm in
  (0 <? r) && (r <=? p) && check_rows d && check_classes z0 h (partition d) &&
  (match clock d with [] => true | ends => check_clock z1 ends left most end) &&
  check_classes z hm (merged d) &&
  forallb (in_chain zm) (named_states d) &&
  let uppers := upper_values q z (upper d) in
  check_upper q p r z (upper d) uppers &&
  let groups := group_of (zlabel zm) (zstates zm) in
  let digits := 1 + fold_left (fun m s => Z.max m (Z.of_nat (zlabel zm s))) (zstates zm) 0 in
  let word_layers := layers zm digits 1 (fun _ => empty_word) (words d) in
  let base_table := memo2 (zsize zm) (base q p r word_layers (words d)) in
  forallb (fun s => forallb (fun g => check_function zm g && check_rest groups most g) (stage_functions s) &&
                    forallb (fun g => forallb (fun e => in_chain zm (fst e)) (f_named g) &&
                                      forallb (fun e => is_pair zm (fst (fst e)) (snd (fst e))) (f_pairs g) &&
                                      check_rest groups most g) (stage_escapes s)) (lower d) &&
  match check_stages q p r zm word_layers groups base_table most (words d) empty (lower d) with
  | None => false
  | Some entered =>
      let lower s t :=
        if negb (zlabel z s =? zlabel z t)%nat then one
        else if (hm s =? hm t)%nat then zero else known q zm base_table entered (hm s) (hm t) in
      forallb (check_claim lower (upper_table q z uppers) z h) (claims d)
  end.
