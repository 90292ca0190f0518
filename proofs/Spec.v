(** The definitions that a reader has to trust, and nothing else.

    A labelled Markov chain, the distances bd and ld of Chistikov, Murawski and Purser as least fixed points over the
    real numbers, the probabilities of words of labels with lv and tv, and what a certificate claims. All proofs are
    elsewhere; SPEC.md (in bdist/certificates) says the same in words. *)

From Coq Require Import Reals List.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with
  | [] => 0
  | x :: rest => f x + sum rest f
  end.

(** * Chains *)

(** States and labels are numbers; [step c s i] is the probability of going from s to i. *)
Record chain := { states : list nat; label : nat -> nat; step : nat -> nat -> R }.

Definition is_state (c : chain) (s : nat) : Prop := In s (states c).

Record valid (c : chain) : Prop := {
  states_differ : NoDup (states c);
  step_pos : forall s i, is_state c s -> is_state c i -> 0 <= step c s i;
  step_sum : forall s, is_state c s -> sum (states c) (step c s) = 1 }.

(** * Distances *)

Inductive quantity := bd | ld.

Section Distances.
  Variables (q : quantity) (c : chain) (alpha : R).

  Definition table := nat -> nat -> R.

  (** f takes part in the maximum that the lift is: 0 <= f <= 1 and f_i - alpha f_j <= d(i,j). *)
  Definition feasible (d : table) (f : nat -> R) : Prop :=
    (forall i, is_state c i -> 0 <= f i <= 1) /\
    (forall i j, is_state c i -> is_state c j -> f i - alpha * f j <= d i j).

  (** Sum_i f_i (mu_s(i) - alpha mu_t(i)) *)
  Definition gain (f : nat -> R) (s t : nat) : R :=
    sum (states c) (fun i => f i * (step c s i - alpha * step c t i)).

  (** x = K(d)(mu_s, mu_t): the supremum of the gains of all feasible functions. *)
  Definition is_lift (d : table) (s t : nat) (x : R) : Prop :=
    is_lub (fun y => exists f, feasible d f /\ y = gain f s t) x.

  (** x = Gamma(d)(s,t) *)
  Definition is_gamma (d : table) (s t : nat) (x : R) : Prop :=
    (label c s <> label c t -> x = 1) /\
    (label c s = label c t ->
       match q with
       | ld => is_lift d s t x
       | bd => exists y z, is_lift d s t y /\ is_lift d t s z /\ x = Rmax y z
       end).

  Definition fixed_point (d : table) : Prop :=
    forall s t, is_state c s -> is_state c t -> 0 <= d s t <= 1 /\ is_gamma d s t (d s t).

  (** d is bd_alpha, or ld_alpha: the least fixed point. *)
  Definition is_distance (d : table) : Prop :=
    fixed_point d /\
    forall e, fixed_point e -> forall s t, is_state c s -> is_state c t -> d s t <= e s t.
End Distances.

(** * Words of labels *)

(** The probability that the m labels after s are a word in E. *)
Fixpoint after (c : chain) (m : nat) (s : nat) (E : list nat -> bool) : R :=
  match m with
  | O => if E [] then 1 else 0
  | S k => sum (states c) (fun i => step c s i * after c k i (fun u => E (label c i :: u)))
  end.

(** nu_s(E) for the event that the first m+1 labels, that of s among them, are a word in E: a finite union of
    cylinders. Every such union is one of these. *)
Definition measure (c : chain) (m : nat) (s : nat) (E : list nat -> bool) : R :=
  after c m s (fun u => E (label c s :: u)).

(** x = lv_alpha(s,t), the supremum of nu_s(E) - alpha nu_t(E) *)
Definition is_lv (c : chain) (alpha : R) (s t : nat) (x : R) : Prop :=
  is_lub (fun y => exists m E, y = measure c m s E - alpha * measure c m t E) x.

(** x = tv_alpha(s,t), the least delta of (ln alpha, delta)-differential privacy *)
Definition is_tv (c : chain) (alpha : R) (s t : nat) (x : R) : Prop :=
  exists y z, is_lv c alpha s t y /\ is_lv c alpha t s z /\ x = Rmax y z.

(** Atoms (p, q) stand for the curve Sum max(0, p - alpha q). *)
Definition curve (atoms : list (R * R)) (alpha : R) : R := sum atoms (fun a => Rmax 0 (fst a - alpha * snd a)).

(** The privacy-loss distribution: atoms whose curve is lv_alpha(s,t), for all alpha >= 0. *)
Definition is_pld (c : chain) (s t : nat) (atoms : list (R * R)) : Prop :=
  forall alpha, 0 <= alpha -> is_lv c alpha s t (curve atoms alpha).

(** The curve of low <= lv_alpha(s,t) <= that of high, for all alpha >= 0. *)
Definition brackets (c : chain) (s t : nat) (low high : list (R * R)) : Prop :=
  forall alpha x, 0 <= alpha -> is_lv c alpha s t x -> curve low alpha <= x <= curve high alpha.

(** * Quotients *)

(** A map of states to states that stand for their classes. *)
Definition quotient (c : chain) (h : nat -> nat) : chain :=
  {| states := filter (fun s => Nat.eqb (h s) s) (states c);
     label := label c;
     step s k := sum (states c) (fun i => if Nat.eqb (h i) k then step c s i else 0) |}.

(** The classes are a probabilistic bisimulation: one label, and equal probabilities of going to every class. *)
Definition bisimulation (c : chain) (h : nat -> nat) : Prop :=
  forall s, is_state c s ->
    is_state c (h s) /\ h (h s) = h s /\ label c (h s) = label c s /\
    forall k, step (quotient c h) (h s) k = step (quotient c h) s k.

(** * The claim of a certificate of distances *)

(** lower <= quantity(s,t) <= upper *)
Definition claim_holds (q : quantity) (c : chain) (alpha : R) (s t : nat) (lower upper : R) : Prop :=
  forall d, is_distance q c alpha d -> lower <= d s t <= upper.
