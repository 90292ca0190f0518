(** The plain form of a model and a certificate: one list of integers, and what it means.

    Who writes it (bdist/certificates/plain.py) reads the two files and replaces names of states and labels by numbers:
    a state by its place in the model, from 0, a label by a number of its own; -1 stands for a name that there is not.
    The numbers that records have for states are places in the certificate's list of states, as in the certificate.
    Every number of a state, a label or a place is looked at here, before it becomes a natural number. Labels have
    numbers below that of the states; so have steps that are left, or that number itself. In the order of the text:

        quantity (0 for bd, 1 for ld), the numerator and the denominator of alpha, words
        model:      states, and for each its label, its denominator, and its row [target, numerator, ...]
        partition:  [class, ...], each [state, ...]
        clock:      [label, ...], and, if there is any, for each state how many steps are left
        merged:     as the partition
        claims:     [s, t, lower, upper, ...], two numbers for each bound
        states:     [state, ...]
        upper:      [record, ...], each s, t, over, value, and for each direction [i, j, numerator, ...], [i, numerator, ...]
        lower:      [stage, ...], each [function, ...], [escape, ...], both of them rank, over, [i, numerator, ...],
                    [label, steps left, numerator, ...], [s, t, numerator, ...]

    A list stands as its length and its elements. Functions have the rank 0, and escapes the numbers 0 for their pairs. *)

From Coq Require Import List Bool ZArith.
From Proofs Require Import Spec Containers.
Import ListNotations.
Open Scope Z_scope.

Record claim := { claim_s : nat; claim_t : nat; claim_lower : Z * Z; claim_upper : Z * Z }.

Record coupling := { coupling_w : list ((nat * nat) * Z); coupling_b : list (nat * Z) }.

Record upper_record := { upper_s : nat; upper_t : nat; upper_over : Z; upper_value : Z; upper_couplings : list coupling }.

Record function := {
  f_rank : Z; f_over : Z; f_named : list (nat * Z); f_rest : list ((nat * nat) * Z); f_pairs : list ((nat * nat) * Z) }.

Record stage := { stage_functions : list function; stage_escapes : list function }.

Record document := {
  quantity_of : quantity; alpha_above : Z; alpha_below : Z; words : nat;
  size : nat; labels : list nat; rows : list (Z * list (nat * Z));
  partition : list (list nat);
  clock : list nat; steps_left : list nat;
  merged : list (list nat);
  claims : list claim;
  named_states : list nat;
  upper : list upper_record;
  lower : list stage }.

(** * Readers *)

Definition reader (A : Type) := list Z -> option (A * list Z).

Definition give {A} (x : A) : reader A := fun text => Some (x, text).
Definition refuse {A} : reader A := fun _ => None.
Definition bind {A B} (r : reader A) (f : A -> reader B) : reader B :=
  fun text => match r text with Some (x, rest) => f x rest | None => None end.
Notation "x <- r ; k" := (bind r (fun x => k)) (at level 61, r at next level, right associativity).

Definition integer : reader Z := fun text => match text with x :: rest => Some (x, rest) | [] => None end.

(** A natural number below n. *)
Definition below (n : nat) : reader nat :=
  x <- integer; if (0 <=? x) && (x <? Z.of_nat n) then give (Z.to_nat x) else refuse.

(** A length: below 2^40, so that it and small multiples are machine integers. *)
Definition natural : reader nat :=
  x <- integer; if (0 <=? x) && (x <? 1099511627776) then give (Z.to_nat x) else refuse.

Definition positive_integer : reader Z := x <- integer; if 0 <? x then give x else refuse.

Fixpoint times {A} (n : nat) (r : reader A) (found : list A) : reader (list A) :=
  match n with
  | O => give (rev_append found [])
  | S k => x <- r; times k r (x :: found)
  end.

Definition list_of {A} (r : reader A) : reader (list A) := n <- natural; times n r [].

Definition pair_of {A B} (r : reader A) (k : reader B) : reader (A * B) := x <- r; y <- k; give (x, y).

Definition rational : reader (Z * Z) := pair_of integer positive_integer.

Definition read_quantity : reader quantity :=
  x <- integer; if x =? 0 then give bd else if x =? 1 then give ld else refuse.

Section Parts.
  Variable n : nat.   (* states of the model *)
  Variable place : nat -> nat.   (* the states of the certificate *)
  Variable places : nat.

  Definition state_at : reader nat := i <- below places; give (place i).

  Definition read_row : reader (nat * (Z * list (nat * Z))) :=
    pair_of (below n) (pair_of positive_integer (list_of (pair_of (below n) integer))).

  Definition read_classes : reader (list (list nat)) := list_of (list_of (below n)).

  Definition read_claim : reader claim :=
    s <- below n; t <- below n; x <- rational; y <- rational;
    give {| claim_s := s; claim_t := t; claim_lower := x; claim_upper := y |}.

  Definition read_vector : reader (list (nat * Z)) := list_of (pair_of state_at integer).

  Definition read_pairs : reader (list ((nat * nat) * Z)) := list_of (pair_of (pair_of state_at state_at) integer).

  Definition read_coupling : reader coupling :=
    w <- read_pairs; b <- read_vector; give {| coupling_w := w; coupling_b := b |}.

  Definition read_upper (turns : nat) : reader upper_record :=
    s <- state_at; t <- state_at; m <- positive_integer; u <- integer; couplings <- times turns read_coupling [];
    give {| upper_s := s; upper_t := t; upper_over := m; upper_value := u; upper_couplings := couplings |}.

  Definition read_function : reader function :=
    rank <- integer; m <- positive_integer; f <- read_vector;
    rest <- list_of (pair_of (pair_of (below n) (below (S n))) integer); pairs <- read_pairs;
    give {| f_rank := rank; f_over := m; f_named := f; f_rest := rest; f_pairs := pairs |}.

  Definition read_stage : reader stage :=
    functions <- list_of read_function; escapes <- list_of read_function;
    give {| stage_functions := functions; stage_escapes := escapes |}.
End Parts.

Definition read_document : reader document :=
  q <- read_quantity; above <- positive_integer; over <- positive_integer; m <- below 65;
  n <- natural; rows <- times n (read_row n) [];
  partition <- read_classes n;
  clock <- list_of (below n);
  left <- match clock with [] => give [] | _ => times n (below (S n)) [] end;
  merged <- read_classes n;
  claims <- list_of (read_claim n);
  states <- list_of (below n);
  let place := array states 0%nat in
  let places := length states in
  upper <- list_of (read_upper place places (match q with bd => 2 | ld => 1 end)%nat);
  lower <- list_of (read_stage n place places);
  give {| quantity_of := q; alpha_above := above; alpha_below := over; words := m;
          size := n; labels := map fst rows; rows := map snd rows;
          partition := partition; clock := clock; steps_left := left; merged := merged;
          claims := claims; named_states := states; upper := upper; lower := lower |}.

(** The document, if all of the text is one. *)
Definition document_of (text : list Z) : option document :=
  match read_document text with Some (d, []) => Some d | _ => None end.
