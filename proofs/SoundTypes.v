(** What types are said to be worth, they are worth. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Containers Trees Entries Document Checker Meaning Numbers
  SoundUpper SoundWords SoundLower Traces Curves Claims SoundClaims Beliefs SoundBeliefs Types Frequencies LongRun.
Import ListNotations.
Open Scope R_scope.

Lemma rising_keys_nodup : forall l, rising_keys l = true -> NoDup (map fst l).
Proof.
  assert (H : forall l x, rising_keys (x :: l) = true -> Forall (fun y => (fst x < fst y)%nat) l).
  { induction l as [|y l IH]; intros x R; constructor; cbn [rising_keys] in R; apply andb_prop in R; destruct R as [L R];
      apply PeanoNat.Nat.ltb_lt in L; auto. eapply Forall_impl; [|apply (IH y R)]. intros w W. simpl in W. lia. }
  induction l as [|x l IH]; intros R; simpl; constructor.
  - intros I. apply in_map_iff in I. destruct I as (y & E & I). pose proof (H l x R) as F. rewrite Forall_forall in F. specialize (F y I). lia.
  - apply IH. destruct l; auto. cbn [rising_keys] in R. apply andb_prop in R. tauto.
Qed.

Lemma nodup_key : forall (A : Type) (f : A -> nat) l a b, NoDup (map f l) -> In a l -> In b l -> f a = f b -> a = b.
Proof.
  induction l as [|x l IH]; intros a b N A' B E; [destruct A'|]. simpl in N. inversion N as [|y ys NI ND]; subst.
  destruct A' as [-> | A'], B as [-> | B]; auto; exfalso; apply NI; [rewrite E | rewrite <- E]; apply in_map; auto.
Qed.

Lemma sum_nth : forall (A : Type) (l : list A) d f, sum l f = sum (seq 0 (length l)) (fun k => f (nth k l d)).
Proof.
  induction l as [|x l IH]; intros d f; simpl; auto. rewrite <- seq_shift, sum_map, (IH d). auto.
Qed.

Section SoundTypes.
  Variables (z : zchain) (t : types).
  Hypothesis W : well_formed z.
  Hypothesis V : valid (meaning z).
  Hypothesis checked : check_types z t = true.

  Notation c := (meaning z).
  Notation set_t := (nat * (Z * list (nat * Z)))%type.

  Definition root_at : nat -> option nat := spread (zsize z) (flat_map (fun s => map (fun e => (fst e, root s)) (members s)) (t_sets t)).
  Definition type_at : nat -> option nat := spread (zsize z) (flat_map (fun s => map (fun e => (fst e, fst s)) (members s)) (t_sets t)).
  Definition rank : nat -> nat := ranks_of z (map root (t_sets t)).
  Definition over_all : Z := fst (reach_of z t).
  Definition reach_at (k : nat) : nat -> Z := nth k (snd (reach_of z t)) (fun _ => 0%Z).

  Lemma parts_checked : NoDup (map root (t_sets t)) /\ (forall s, In s (t_sets t) -> check_set z t root_at type_at s = true) /\
    (forall i, In i (zstates z) -> check_rank z root_at rank i = true) /\
    check_words (map (fun s => (fst s, frequencies z t s)) (t_sets t)) = true /\
    length (snd (reach_of z t)) = t_count t /\ (0 < over_all)%Z /\
    forall k i, (k < t_count t)%nat -> In i (zstates z) -> check_reach z type_at k over_all (reach_at k) i = true.
  Proof.
    pose proof checked as C. unfold check_types in C. cbn zeta in C.
    change (memo1 (zsize z) (ranks_of z (map root (t_sets t)))) with rank in C. fold root_at in C. fold type_at in C.
    unfold over_all, reach_at. remember (reach_of z t) as mr eqn:MR. destruct mr as [m rs].
    rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[[[[[D S] K] WD] L] P] RC].
    apply distinct_nodup in D. apply PeanoNat.Nat.eqb_eq in L.
    assert (LR : length rs = t_count t) by (unfold reach_of in MR; inversion MR; rewrite map_length; auto).
    split; auto. split; auto. split; auto. split; auto. split; auto. cbn [fst snd].
    split.
    - unfold reach_of in MR. inversion MR. apply (lcm_all _ (fun r : Z * list (nat * Z) => fst r) (t_reach t) 1); [lia|].
      intros r I. apply Z.ltb_lt. auto.
    - intros k i KC I. specialize (RC (k, nth k rs (fun _ => 0%Z))). cbn [fst snd] in RC. rewrite forallb_forall in RC. apply RC; auto.
      assert (E : (k, nth k rs (fun _ => 0%Z)) = nth k (combine (seq 0 (t_count t)) rs) (0%nat, fun _ => 0%Z)).
      { rewrite combine_nth by (rewrite seq_length; auto). rewrite seq_nth; auto. }
      rewrite E. apply nth_In. rewrite combine_length, seq_length. lia.
  Qed.

  Lemma root_of_in : forall i k, root_at i = Some k -> exists s, In s (t_sets t) /\ root s = k /\ In i (map fst (members s)).
  Proof.
    intros i k E. apply spread_in in E. apply in_flat_map in E. destruct E as (s & S & I). apply in_map_iff in I.
    destruct I as (e & X & I). inversion X; subst. exists s. split; auto. split; auto. apply in_map. auto.
  Qed.

  (** What is checked of a set. *)
  Record fine_set (s : set_t) : Prop := {
    f_type : (fst s < t_count t)%nat;
    f_root : In (root s) (map fst (members s));
    f_pos : forall e, In e (members s) -> (0 < snd e)%Z;
    f_state : forall i, In i (map fst (members s)) -> In i (zstates z);
    f_root_at : forall i, In i (map fst (members s)) -> root_at i = Some (root s);
    f_type_at : forall i, In i (map fst (members s)) -> type_at i = Some (fst s);
    f_row : forall i f, In i (map fst (members s)) -> In f (zrow z i) -> snd f = 0%Z \/ root_at (fst f) = Some (root s);
    f_once : NoDup (map fst (collect Nat.compare (members s)));
    f_over : (0 < over s)%Z;
    f_total : total (members s) = over s;
    f_still : forall f, IZR (fst (stepped z (members s))) * dot (members s) f = dot (snd (stepped z (members s))) f }.

  Lemma set_fine : forall s, In s (t_sets t) -> fine_set s.
  Proof.
    intros s S. destruct parts_checked as (_ & C & _). specialize (C s S). unfold check_set in C.
    destruct (stepped z (members s)) as [d l] eqn:ST. rewrite !andb_true_iff, !forallb_forall in C.
    destruct C as [[[[[[T N] M] R] O] TO] ENT].
    apply PeanoNat.Nat.ltb_lt in T. apply Z.ltb_lt in O. apply Z.eqb_eq in TO.
    assert (X : forall e, In e (members s) -> (0 < snd e)%Z /\ In (fst e) (zstates z) /\ root_at (fst e) = Some (root s) /\ type_at (fst e) = Some (fst s) /\
      forall f, In f (zrow z (fst e)) -> snd f = 0%Z \/ root_at (fst f) = Some (root s)).
    { assert (IS : forall i, in_set root_at s i = true -> root_at i = Some (root s)).
      { intros i H. unfold in_set in H. destruct (root_at i); [|discriminate]. apply PeanoNat.Nat.eqb_eq in H. subst. auto. }
      intros e I. specialize (M e I). rewrite !andb_true_iff, in_chain_spec, Z.ltb_lt, forallb_forall in M.
      destruct M as [[[[P Q] RA] TA] F]. split; auto. split; auto. split; [apply IS; auto|]. split.
      - unfold of_type in TA. destruct (type_at (fst e)); [|discriminate]. apply PeanoNat.Nat.eqb_eq in TA. subst. auto.
      - intros f J. specialize (F f J). apply orb_prop in F. destruct F as [F | F]; [left; apply Z.eqb_eq; auto | right; apply IS; auto]. }
    constructor; auto.
    - unfold root. destruct (members s); [discriminate | simpl; auto].
    - intros e I. apply (X e I).
    - intros i I. apply in_map_iff in I. destruct I as (e & <- & I). apply (X e I).
    - intros i I. apply in_map_iff in I. destruct I as (e & <- & I). apply (X e I).
    - intros i I. apply in_map_iff in I. destruct I as (e & <- & I). apply (X e I).
    - intros i f I J. apply in_map_iff in I. destruct I as (e & <- & I). apply (X e I); auto.
    - apply rising_keys_nodup. auto.
    - intros f. apply (same_entries_dot _ _ _ _ f) in ENT. rewrite !(dot_collect nat_compare_eq), dot_not_zero in ENT.
      rewrite ST. cbn [fst snd]. rewrite ENT. ring.
  Qed.

  Definition states_in (s : set_t) : list nat := map fst (collect Nat.compare (members s)).
  Definition share (s : set_t) (i : nat) : R := vec (members s) i / IZR (over s).

  Lemma in_states_in : forall s, fine_set s -> forall i, In i (states_in s) <-> In i (map fst (members s)).
  Proof.
    intros s F i. unfold states_in. split; intros I.
    - apply in_map_iff in I. destruct I as (e & <- & I).
      apply (collect_keys (members s) (fun i => In i (map fst (members s)))) in I; auto. intros. apply in_map. auto.
    - apply in_map_iff in I. destruct I as (e & <- & I). destruct (in_dec PeanoNat.Nat.eq_dec (fst e) (map fst (collect Nat.compare (members s)))) as [|N]; auto.
      exfalso. assert (Z0 : dot (collect Nat.compare (members s)) (at_key (fst e)) = 0).
      { apply sum_zero. intros x X. unfold at_key. destruct (PeanoNat.Nat.eqb_spec (fst x) (fst e)) as [E|]; [|ring].
        exfalso. apply N. rewrite <- E. apply in_map. auto. }
      rewrite (dot_collect nat_compare_eq) in Z0.
      pose proof (sum_member _ (members s) (fun x => IZR (snd x) * at_key (fst e) (fst x)) e) as M. cbv beta in M.
      unfold dot in Z0. rewrite Z0 in M. pose proof (IZR_pos _ (f_pos s F e I)). unfold at_key at 2 in M. rewrite PeanoNat.Nat.eqb_refl in M.
      assert (IZR (snd e) * 1 <= 0); [|lra]. apply M; auto. intros y Y. pose proof (IZR_pos _ (f_pos s F y Y)). unfold at_key.
      destruct (Nat.eqb _ _); lra.
  Qed.

  Lemma share_zero : forall s i, fine_set s -> ~ In i (states_in s) -> vec (members s) i = 0.
  Proof.
    intros s i F N. apply sum_zero. intros e I. unfold at_key. destruct (PeanoNat.Nat.eqb_spec (fst e) i) as [<- |]; [|ring].
    exfalso. apply N. apply in_states_in; auto. apply in_map. auto.
  Qed.

  Lemma share_sum : forall s f, fine_set s -> sum (states_in s) (fun i => share s i * f i) = dot (members s) f / IZR (over s).
  Proof.
    intros s f F. rewrite <- (vec_sum z (members s) f).
    - unfold Rdiv. rewrite <- sum_scale_r. rewrite (sum_ext _ (states_in s) _ (fun i => vec (members s) i * f i * / IZR (over s)))
        by (intros; unfold share, Rdiv; ring).
      apply sum_support; [apply (f_once s F) | apply zstates_nodup | |].
      + intros i I N. exfalso. apply N. apply (f_state s F). apply in_states_in; auto.
      + intros i I N. rewrite share_zero; auto. ring.
    - intros e I. apply (f_state s F). apply in_map. auto.
  Qed.

  (** The least positive probability of a step. *)
  Lemma least_step : exists p, 0 < p <= 1 /\ forall s i, In s (zstates z) -> In i (zstates z) -> 0 < step c s i -> p <= step c s i.
  Proof.
    destruct (small _ (list_prod (zstates z) (zstates z)) (fun si => step c (fst si) (snd si))) as (p & P & H).
    exists p. split; auto. intros s i S I. apply (H (s, i)). apply in_prod; auto.
  Qed.

  Lemma entry_step : forall i e, In i (zstates z) -> In e (zrow z i) -> (0 < snd e)%Z -> 0 < step c i (fst e).
  Proof.
    intros i e I E P. unfold meaning, step. apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat, over_R; auto].
    apply Rlt_le_trans with (IZR (snd e) * at_key (fst e) (fst e)).
    - unfold at_key. rewrite PeanoNat.Nat.eqb_refl. pose proof (IZR_pos _ P). lra.
    - apply (sum_member _ (zrow z i) (fun x => IZR (snd x) * at_key (fst e) (fst x)) e); auto. intros y Y.
      pose proof (IZR_le _ _ (row_pos z W i y Y)). unfold at_key. destruct (Nat.eqb _ _); lra.
  Qed.

  Lemma no_step : forall i j, (forall f, In f (zrow z i) -> snd f = 0%Z \/ fst f <> j) -> step c i j = 0.
  Proof.
    intros i j H. unfold meaning, step. replace (dot _ _) with 0; [unfold Rdiv; ring|]. symmetry. apply sum_zero. intros f I.
    destruct (H f I) as [-> | N]; [ring|]. unfold at_key. rewrite (proj2 (PeanoNat.Nat.eqb_neq _ _) N). ring.
  Qed.

  Lemma step_mean : forall i f, sum (states c) (fun j => step c i j * f j) = dot (zrow z i) f / IZR (zover z i).
  Proof.
    intros i f. unfold Rdiv. rewrite <- (vec_sum z (zrow z i) f) by (intros e I; apply (row_states z W i e I)).
    rewrite <- sum_scale_r. apply sum_ext. intros j _. unfold meaning, step, vec, Rdiv. ring.
  Qed.

  Variable p : R.
  Hypothesis p_fine : 0 < p <= 1.
  Hypothesis p_least : forall s i, In s (zstates z) -> In i (zstates z) -> 0 < step c s i -> p <= step c s i.

  Lemma rank_descends : forall i, In i (zstates z) -> root_at i <> Some i ->
    exists j, In j (zstates z) /\ p <= step c i j /\ (rank j < rank i)%nat.
  Proof.
    intros i I N. destruct parts_checked as (_ & _ & K & _). specialize (K i I). unfold check_rank in K. apply orb_prop in K.
    destruct K as [K | K].
    - exfalso. destruct (root_at i) as [k|]; [|discriminate]. apply PeanoNat.Nat.eqb_eq in K. subst. tauto.
    - apply existsb_exists in K. destruct K as (e & E & K). apply andb_prop in K. destruct K as [P R].
      apply Z.ltb_lt in P. apply PeanoNat.Nat.ltb_lt in R. pose proof (row_states z W i e E) as ES.
      exists (fst e). split; auto. split; auto. apply p_least; auto. apply entry_step; auto.
  Qed.

  Lemma set_ergodic : forall s, In s (t_sets t) -> ergodic c (states_in s) (share s) p rank (root s).
  Proof.
    intros s S. pose proof (set_fine s S) as F. pose proof (in_states_in s F) as IN. pose proof (IZR_pos _ (f_over s F)) as OP. constructor.
    - split; [intros i I; apply (f_state s F); apply IN; auto|]. intros i j I J.
      destruct (in_dec PeanoNat.Nat.eq_dec j (states_in s)) as [|N]; [left; auto | right]. apply no_step. intros f FI.
      apply IN in I. destruct (f_row s F i f I FI) as [Z0 | R]; [left; auto | right]. intros EQ. rewrite EQ in R.
      destruct (root_of_in j (root s) R) as (s' & S' & RS & M). destruct parts_checked as (ND & _).
      apply N, IN. rewrite (nodup_key _ root (t_sets t) s s'); auto.
    - apply (f_once s F).
    - apply IN, (f_root s F).
    - intros i _. unfold share. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto]. apply sum_pos. intros e I.
      pose proof (IZR_pos _ (f_pos s F e I)). unfold at_key. destruct (Nat.eqb _ _); lra.
    - rewrite (sum_ext _ _ _ (fun i => share s i * 1)) by (intros; ring). rewrite share_sum by auto. rewrite <- total_dot, (f_total s F). field. lra.
    - intros j J. rewrite share_sum by auto. unfold share. f_equal. pose proof (f_still s F (at_key j)) as ST.
      destruct (stepped_spec z W (members s) (at_key j)) as [P E]. rewrite E in ST. apply IZR_pos in P.
      apply Rmult_eq_reg_l in ST; [|lra]. symmetry. exact ST.
    - exact p_fine.
    - intros i I. destruct (PeanoNat.Nat.eq_dec i (root s)) as [-> | N]; [left; auto | right].
      apply rank_descends; [apply (f_state s F), IN; auto|]. apply IN in I. rewrite (f_root_at s F i I). congruence.
  Qed.

  (** ** Words *)

  Lemma frequency_spec : forall w d v, (0 < d)%Z -> (forall e, In e v -> In (fst e) (zstates z)) ->
    positive_below (frequency z d v w) /\ value (frequency z d v w) = dot v (begins c w) / IZR d.
  Proof.
    induction w as [|l w IH]; intros d v D S.
    - split; [exact D|]. unfold value. simpl. rewrite total_dot. reflexivity.
    - cbn [frequency]. destruct (stepped z (of_label z l v)) as [m u] eqn:ST.
      destruct (stepped_spec z W (of_label z l v) (begins c w)) as [P E]. rewrite ST in P, E. cbn [fst snd] in P, E.
      assert (US : forall e, In e u -> In (fst e) (zstates z)).
      { intros e I. apply (stepped_states z W (of_label z l v)). rewrite ST. auto. }
      destruct (IH (d * m)%Z u) as [Q ->]; auto; [nia|]. split; auto. rewrite E, mult_IZR. apply IZR_pos in D, P.
      assert (X : dot (of_label z l v) (fun i => dot (zrow z i) (begins c w) / IZR (zover z i)) = dot v (begins c (l :: w))).
      { unfold of_label, dot. rewrite sum_filter. apply sum_ext. intros e _. cbn [begins]. change (label c (fst e)) with (zlabel z (fst e)).
        destruct (Nat.eqb (zlabel z (fst e)) l); [|ring]. rewrite step_mean. reflexivity. }
      rewrite X. field. lra.
  Qed.

  Lemma set_frequency : forall s w, In s (t_sets t) ->
    positive_below (reduced (frequency z (over s) (members s) w)) /\
    value (reduced (frequency z (over s) (members s) w)) = frequency_of c (states_in s) (share s) w.
  Proof.
    intros s w S. pose proof (set_fine s S) as F.
    destruct (frequency_spec w (over s) (members s) (f_over s F)) as [P E]; [intros e I; apply (f_state s F), in_map; auto|].
    destruct (reduced_ok _ P) as [Q ->]. split; auto. rewrite E. symmetry. apply share_sum. auto.
  Qed.

  Lemma differ_spec : forall a b ws, differ (map (fun w => reduced (frequency z (over a) (members a) w)) ws)
      (map (fun w => reduced (frequency z (over b) (members b) w)) ws) = true -> In a (t_sets t) -> In b (t_sets t) ->
    exists w, frequency_of c (states_in a) (share a) w <> frequency_of c (states_in b) (share b) w.
  Proof.
    intros a b ws D A B. induction ws as [|w ws IH]; [discriminate|]. cbn [map differ] in D. apply orb_prop in D. destruct D as [D | D]; [|auto].
    exists w. destruct (set_frequency a w A) as [PA <-]. destruct (set_frequency b w B) as [PB <-].
    apply negb_true_iff, Z.eqb_neq in D. intros E. apply D. apply eq_IZR. rewrite !mult_IZR. unfold value, positive_below in *.
    apply IZR_pos in PA, PB.
    apply (Rmult_eq_reg_r (/ IZR (snd (reduced (frequency z (over a) (members a) w))) * / IZR (snd (reduced (frequency z (over b) (members b) w))))).
    2:{ apply Rmult_integral_contrapositive. split; apply Rinv_neq_0_compat; lra. }
    transitivity (IZR (fst (reduced (frequency z (over a) (members a) w))) / IZR (snd (reduced (frequency z (over a) (members a) w)))); [field; lra|].
    rewrite E. field. lra.
  Qed.

  Definition set_of (s : set_t) (i : nat) : Prop := In i (states_in s).

  Lemma sets_tellable : forall a b, In a (t_sets t) -> In b (t_sets t) -> fst a <> fst b -> tellable c (set_of a) (set_of b).
  Proof.
    intros a b A B N.
    assert (D : exists w, frequency_of c (states_in a) (share a) w <> frequency_of c (states_in b) (share b) w).
    { destruct parts_checked as (_ & _ & _ & K & _). unfold frequencies in K.
      assert (H : forall l, (forall s, In s l -> In s (t_sets t)) -> check_words (map (fun s => (fst s, frequencies z t s)) l) = true ->
        In a l -> In b l -> exists w, frequency_of c (states_in a) (share a) w <> frequency_of c (states_in b) (share b) w).
      { induction l as [|s l IH]; intros SL C IA IB; [destruct IA|]. cbn [map check_words] in C. apply andb_prop in C. destruct C as [C1 C2].
        rewrite forallb_forall in C1.
        assert (X : forall x, In x l -> fst x <> fst s -> differ (frequencies z t s) (frequencies z t x) = true).
        { intros x I M. specialize (C1 _ (in_map (fun s => (fst s, frequencies z t s)) _ _ I)). cbn [fst snd] in C1.
          rewrite (proj2 (PeanoNat.Nat.eqb_neq _ _) M) in C1. auto. }
        destruct IA as [-> | IA], IB as [-> | IB]; try congruence.
        - apply (differ_spec a b (t_words t)); auto. apply X; auto.
        - destruct (differ_spec b a (t_words t)) as (w & D); auto; [apply X; auto|]. exists w. auto.
        - apply IH; auto. intros; apply SL; simpl; auto. }
      apply (H (t_sets t)); auto. }
    destruct D as (w & D). unfold set_of.
    destruct (Rlt_le_dec (frequency_of c (states_in b) (share b) w) (frequency_of c (states_in a) (share a) w)) as [L | L].
    - apply (frequencies_tell c V _ _ _ _ _ _ _ _ _ _ w (set_ergodic a A) (set_ergodic b B) L).
    - apply tellable_sym; [exact V | | |].
      + intros s I. apply (f_state b (set_fine b B)), in_states_in; auto. apply set_fine. auto.
      + intros s I. apply (f_state a (set_fine a A)), in_states_in; auto. apply set_fine. auto.
      + apply (frequencies_tell c V _ _ _ _ _ _ _ _ _ _ w (set_ergodic b B) (set_ergodic a A)). lra.
  Qed.

  (** ** The worth of types *)

  Lemma reach_fine : forall k i, (k < t_count t)%nat -> In i (zstates z) ->
    average c (fun j => IZR (reach_at k j)) i = IZR (reach_at k i) /\
    forall s, In s (t_sets t) -> In i (states_in s) -> reach_at k i = (if (fst s =? k)%nat then over_all else 0%Z).
  Proof.
    intros k i K I. destruct parts_checked as (_ & _ & _ & _ & _ & _ & R). specialize (R k i K I). unfold check_reach in R.
    apply andb_prop in R. destruct R as [R1 R2]. apply Z.eqb_eq in R2. split.
    - unfold average. rewrite step_mean.
      assert (E : forall l n, IZR (fold_left (fun n e => n + snd e * reach_at k (fst e))%Z l n) = IZR n + dot l (fun j => IZR (reach_at k j))).
      { induction l as [|e l IH]; intros n; simpl; [rewrite dot_nil; ring|]. rewrite IH, plus_IZR, mult_IZR. destruct e. rewrite dot_cons. cbn [fst snd]. ring. }
      apply (f_equal IZR) in R2. rewrite E, mult_IZR, Rplus_0_l in R2. rewrite R2. pose proof (over_R z i W). field. lra.
    - intros s S M. pose proof (set_fine s S) as F. apply in_states_in in M; auto. rewrite (f_type_at s F i M) in R1. apply Z.eqb_eq in R1. auto.
  Qed.

  Theorem types_worth : forall alpha a b, 0 <= alpha ->
    sum (snd (reach_of z t)) (fun r => loss alpha (sum (zstates z) (fun i => a i * IZR (r i))) (sum (zstates z) (fun i => b i * IZR (r i)))) / IZR over_all
    <= worth c alpha V a b.
  Proof.
    intros alpha a b AP. destruct parts_checked as (_ & _ & _ & _ & LR & OP & _). apply IZR_pos in OP.
    set (gain := fun k => sum (zstates z) (fun i => (a i - alpha * b i) * IZR (reach_at k i))).
    set (chosen := fun k => if Rlt_dec 0 (gain k) then true else false).
    set (r := fun i => sum (seq 0 (t_count t)) (fun k => if chosen k then IZR (reach_at k i) / IZR over_all else 0)).
    assert (E : sum (snd (reach_of z t)) (fun r => loss alpha (sum (zstates z) (fun i => a i * IZR (r i))) (sum (zstates z) (fun i => b i * IZR (r i)))) / IZR over_all
      = sum (states c) (fun i => (a i - alpha * b i) * r i)).
    { rewrite (sum_nth _ _ (fun _ => 0%Z)), LR. unfold Rdiv. rewrite <- sum_scale_r.
      rewrite (sum_ext _ (seq 0 (t_count t)) _ (fun k => sum (states c) (fun i => (a i - alpha * b i) * (if chosen k then IZR (reach_at k i) / IZR over_all else 0)))).
      - rewrite sum_swap. apply sum_ext. intros i _. rewrite sum_scale. reflexivity.
      - intros k _. fold (reach_at k). unfold loss.
        assert (G : sum (zstates z) (fun i => a i * IZR (reach_at k i)) - alpha * sum (zstates z) (fun i => b i * IZR (reach_at k i)) = gain k).
        { unfold gain. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros. ring. }
        rewrite G. unfold chosen. destruct (Rlt_dec 0 (gain k)).
        + rewrite Rmax_right by lra. unfold gain. rewrite <- sum_scale_r. apply sum_ext. intros. unfold Rdiv. ring.
        + rewrite Rmax_left by lra. rewrite sum_zero; [ring | intros; ring]. }
    rewrite E. clear E.
    set (inside := fun i => match root_at i with Some _ => true | None => false end).
    set (pick := fun good => map set_of (filter (fun s => Bool.eqb (chosen (fst s)) good) (t_sets t))).
    assert (PICK : forall good A, In A (pick good) -> exists s, In s (t_sets t) /\ chosen (fst s) = good /\ A = set_of s).
    { intros good A I. apply in_map_iff in I. destruct I as (s & <- & I). apply filter_In in I. destruct I as [S C].
      apply Bool.eqb_prop in C. eauto. }
    assert (ST : forall good, states_of c (pick good)).
    { intros good A i I M. destruct (PICK good A I) as (s & S & _ & ->). apply (f_state s (set_fine s S)), in_states_in; auto. apply set_fine. auto. }
    apply (good_worth c V inside p rank (pick true) (pick false) r); auto.
    - intros i j I J H. unfold inside in *. destruct (root_at i) as [k|] eqn:R; [|discriminate].
      destruct (root_of_in i k R) as (s & S & RS & M). pose proof (set_fine s S) as F.
      destruct (root_at j) eqn:RJ; [left; auto | right]. apply no_step. intros f FI.
      destruct (f_row s F i f M FI) as [Z0 | Q]; [left; auto | right]. intros EQ. rewrite EQ in Q. congruence.
    - intros i I H. apply rank_descends; auto. unfold inside in H. destruct (root_at i); [discriminate | congruence].
    - intros A B IA IB. destruct (PICK _ A IA) as (s & S & CS & ->). destruct (PICK _ B IB) as (s' & S' & CS' & ->).
      apply sets_tellable; auto. intros EQ. rewrite EQ in CS. congruence.
    - intros i I H. unfold inside in H. destruct (root_at i) as [k|] eqn:R; [|discriminate].
      destruct (root_of_in i k R) as (s & S & RS & M). pose proof (set_fine s S) as F. apply in_states_in in M; auto.
      assert (RI : r i = if chosen (fst s) then 1 else 0).
      { unfold r. rewrite (sum_ext _ _ _ (fun j => if Nat.eqb (fst s) j then (if chosen j then 1 else 0) else 0)).
        - apply (sum_delta _ (fst s) (fun j => if chosen j then 1 else 0)); [apply seq_NoDup | apply in_seq; pose proof (f_type s F); lia].
        - intros j J. apply in_seq in J. destruct (reach_fine j i) as [_ RF]; [lia | auto |]. rewrite (RF s S M).
          destruct (Nat.eqb (fst s) j), (chosen j); auto; [field; lra | unfold Rdiv; ring]. }
      destruct (chosen (fst s)) eqn:C; [left | right]; exists (set_of s); (split; [|split; [exact M | exact RI]]);
        apply in_map, filter_In; (split; [auto | rewrite C; reflexivity]).
    - intros i I. unfold r, average.
      rewrite (sum_ext _ _ _ (fun j => sum (seq 0 (t_count t)) (fun k => step c i j * (if chosen k then IZR (reach_at k j) / IZR over_all else 0))))
        by (intros; rewrite sum_scale; auto).
      rewrite sum_swap. apply sum_ext. intros k K. apply in_seq in K. destruct (reach_fine k i) as [H _]; [lia | auto |].
      destruct (chosen k); [|rewrite sum_zero; [auto | intros; ring]]. rewrite <- H. unfold average, Rdiv. rewrite <- sum_scale_r. apply sum_ext. intros. ring.
  Qed.
End SoundTypes.
