(** Types: what is gained by waiting for the set in which the chain ends.

    From tests that tell two sets apart comes one that tells those of some types from all others. Before it is made the
    chain is left alone for a while, so that it is in one of the sets but for a probability that goes to 0. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Curves Traces Frequencies.
Import ListNotations.
Open Scope R_scope.

Section LongRun.
  Variable c : chain.
  Hypothesis chain_valid : valid c.
  Notation state := (is_state c).
  Notation mean := (mean c).
  Notation expected := (expected c).

  (** ** Tests of one length *)

  Lemma expected_pad : forall k m s F, state s -> expected (m + k) s (fun u => F (firstn m u)) = expected m s F.
  Proof.
    intros k m s F S. unfold Frequencies.expected. rewrite mean_chain. apply (mean_ext c); auto. intros u i U I.
    rewrite (mean_ext c k i _ (fun _ _ => F u)); auto; [apply mean_const; auto|].
    intros v j _ _. destruct (firstn_exact u v m U) as [-> _]. auto.
  Qed.

  Lemma expected_pad' : forall k m s F, state s -> expected (k + m) s (fun u => F (firstn m u)) = expected m s F.
  Proof. intros. rewrite PeanoNat.Nat.add_comm. apply expected_pad. auto. Qed.

  Lemma expected_le : forall m s F G, state s -> (forall u, F u <= G u) -> expected m s F <= expected m s G.
  Proof. intros. apply (mean_le c chain_valid state (all_closed c)); auto. Qed.

  Lemma expected_plus : forall m s F G, expected m s (fun u => F u + G u) = expected m s F + expected m s G.
  Proof. intros. apply (mean_plus c m s (fun u _ => F u) (fun u _ => G u)). Qed.

  Lemma expected_const : forall m s k, state s -> expected m s (fun _ => k) = k.
  Proof. intros. apply (mean_const c chain_valid m s k). auto. Qed.

  (** One set from several, and several from several. *)
  Definition apart (As Bs : list (nat -> Prop)) : Prop := forall e, 0 < e -> exists m F, test F /\
    (forall A s, In A As -> A s -> 1 - e <= expected m s F) /\ (forall B s, In B Bs -> B s -> expected m s F <= e).

  Definition states_of (As : list (nat -> Prop)) : Prop := forall A s, In A As -> A s -> state s.

  Lemma one_from_all : forall (A : nat -> Prop) Bs, (forall s, A s -> state s) -> states_of Bs ->
    (forall B, In B Bs -> tellable c A B) -> apart [A] Bs.
  Proof.
    intros A Bs SA SB H. induction Bs as [|B Bs IH]; intros e EP.
    - exists 0%nat, (fun _ => 1). split; [intros u; lra|]. split; [|intros ? ? []].
      intros A' s [<- | []] S. rewrite expected_const; auto. lra.
    - destruct (H B (or_introl eq_refl) (e / 2)) as (m1 & F1 & T1 & A1 & B1); [lra|].
      destruct IH with (e := e / 2) as (m2 & F2 & T2 & A2 & B2); [intros B' s I; apply SB; simpl; auto | intros; apply H; simpl; auto | lra |].
      exists (m1 + m2)%nat, (fun u => F1 (firstn m1 u) * F2 (firstn m2 u)).
      assert (U : forall u, 0 <= F1 (firstn m1 u) <= 1 /\ 0 <= F2 (firstn m2 u) <= 1) by (intros; auto).
      assert (L : forall u, F1 (firstn m1 u) * F2 (firstn m2 u) <= F1 (firstn m1 u) /\ F1 (firstn m1 u) * F2 (firstn m2 u) <= F2 (firstn m2 u) /\
        F1 (firstn m1 u) + F2 (firstn m2 u) - 1 <= F1 (firstn m1 u) * F2 (firstn m2 u) /\ 0 <= F1 (firstn m1 u) * F2 (firstn m2 u)).
      { intros u. destruct (U u) as [X Y]. set (x := F1 _) in *. set (y := F2 _) in *.
        assert (0 <= (1 - x) * (1 - y)) by (apply Rmult_le_pos; lra). assert (0 <= x * (1 - y)) by (apply Rmult_le_pos; lra).
        assert (0 <= (1 - x) * y) by (apply Rmult_le_pos; lra). assert (0 <= x * y) by (apply Rmult_le_pos; lra). lra. }
      split; [intros u; destruct (L u) as (L1 & _ & _ & L4); destruct (U u); lra|]. split.
      + intros A' s [<- | []] S. specialize (A1 s S). specialize (A2 A s (or_introl eq_refl) S).
        apply Rle_trans with (expected (m1 + m2) s (fun u => (F1 (firstn m1 u) + F2 (firstn m2 u)) + - (1))).
        * rewrite !expected_plus, expected_pad, expected_pad', expected_const by auto. lra.
        * apply expected_le; auto. intros u. destruct (L u) as (_ & _ & L3 & _). lra.
      + intros B' s [<- | I] S.
        * apply Rle_trans with (expected (m1 + m2) s (fun u => F1 (firstn m1 u))).
          -- apply expected_le; [apply (SB B); simpl; auto|]. intros u. apply (L u).
          -- rewrite expected_pad by (apply (SB B); simpl; auto). specialize (B1 s S). lra.
        * apply Rle_trans with (expected (m1 + m2) s (fun u => F2 (firstn m2 u))).
          -- apply expected_le; [apply (SB B'); simpl; auto|]. intros u. apply (L u).
          -- rewrite expected_pad' by (apply (SB B'); simpl; auto). specialize (B2 B' s I S). lra.
  Qed.

  Lemma all_from_all : forall As Bs, states_of As -> states_of Bs ->
    (forall A B, In A As -> In B Bs -> tellable c A B) -> apart As Bs.
  Proof.
    induction As as [|A As IH]; intros Bs SA SB H e EP.
    - exists 0%nat, (fun _ => 0). split; [intros u; lra|]. split; [intros ? ? []|].
      intros B s I S. rewrite expected_const; [lra | apply (SB B s I S)].
    - assert (SA' : forall s, A s -> state s) by (intros s; apply SA; simpl; auto).
      assert (SAs : states_of As) by (intros A' s I; apply SA; simpl; auto).
      destruct (one_from_all A Bs SA' SB (fun B I => H A B (or_introl eq_refl) I) (e / 2)) as (m1 & F1 & T1 & A1 & B1); [lra|].
      destruct (IH Bs SAs SB (fun A' B I J => H A' B (or_intror I) J) (e / 2)) as (m2 & F2 & T2 & A2 & B2); [lra|].
      exists (m1 + m2)%nat, (fun u => F1 (firstn m1 u) + F2 (firstn m2 u) - F1 (firstn m1 u) * F2 (firstn m2 u)).
      assert (L : forall u, let x := F1 (firstn m1 u) in let y := F2 (firstn m2 u) in
        x <= x + y - x * y /\ y <= x + y - x * y /\ x + y - x * y <= x + y /\ x + y - x * y <= 1 /\ 0 <= x /\ 0 <= y).
      { intros u x y. destruct (T1 (firstn m1 u)) as [X1 X2], (T2 (firstn m2 u)) as [Y1 Y2]. fold x in X1, X2. fold y in Y1, Y2.
        assert (0 <= (1 - x) * (1 - y)) by (apply Rmult_le_pos; lra). assert (0 <= x * (1 - y)) by (apply Rmult_le_pos; lra).
        assert (0 <= (1 - x) * y) by (apply Rmult_le_pos; lra). assert (0 <= x * y) by (apply Rmult_le_pos; lra). repeat split; lra. }
      split; [intros u; destruct (L u) as (L1 & _ & _ & L4 & L5 & _); lra|]. split.
      + intros A' s [<- | I] S.
        * apply Rle_trans with (expected (m1 + m2) s (fun u => F1 (firstn m1 u))).
          -- rewrite expected_pad by auto. specialize (A1 A s (or_introl eq_refl) S). lra.
          -- apply expected_le; auto. intros u. apply (L u).
        * apply Rle_trans with (expected (m1 + m2) s (fun u => F2 (firstn m2 u))).
          -- rewrite expected_pad' by (apply (SAs A' s I S)). specialize (A2 A' s I S). lra.
          -- apply expected_le; [apply (SAs A' s I S)|]. intros u. apply (L u).
      + intros B s I S. pose proof (SB B s I S) as IS.
        apply Rle_trans with (expected (m1 + m2) s (fun u => F1 (firstn m1 u) + F2 (firstn m2 u))).
        * apply expected_le; auto. intros u. apply (L u).
        * rewrite expected_plus, expected_pad, expected_pad' by auto. specialize (B1 B s I S). specialize (B2 B s I S). lra.
  Qed.

  (** ** Ending in one of the sets *)

  Section Ending.
    Variables (inside : nat -> bool) (p : R) (rank : nat -> nat).
    Hypothesis p_fine : 0 < p <= 1.
    Hypothesis stays : forall s i, state s -> state i -> inside s = true -> inside i = true \/ step c s i = 0.
    Hypothesis descends : forall s, state s -> inside s = false -> exists i, state i /\ p <= step c s i /\ (rank i < rank s)%nat.

    Definition outside (i : nat) : R := if inside i then 0 else 1.

    Lemma outside_01 : forall i, 0 <= outside i <= 1.
    Proof. intros. unfold outside. destruct (inside i); lra. Qed.

    Notation average := (average c).

    Lemma mean_average : forall n s f, mean (S n) s (fun _ j => f j) = average (fun i => mean n i (fun _ j => f j)) s.
    Proof. reflexivity. Qed.

    Lemma average_le : forall f g s, state s -> (forall i, state i -> f i <= g i) -> average f s <= average g s.
    Proof. intros f g s S H. apply sum_le. intros i I. apply Rmult_le_compat_l; [apply (step_pos c); auto | auto]. Qed.

    Lemma average_inside : forall f s, state s -> inside s = true -> (forall i, state i -> inside i = true -> f i = 0) -> average f s = 0.
    Proof.
      intros f s S I H. apply sum_zero. intros i J. destruct (stays s i S J I) as [K | ->]; [rewrite H; auto; ring | ring].
    Qed.

    Lemma outside_falls : forall s, state s -> average outside s <= outside s.
    Proof.
      intros s S. unfold outside at 2. destruct (inside s) eqn:I.
      - right. apply average_inside; auto. intros i _ J. unfold outside. rewrite J. auto.
      - apply (average_01 c chain_valid); auto. intros. apply outside_01.
    Qed.

    Definition still (n s : nat) : R := mean n s (fun _ j => outside j).

    Lemma still_falls : forall n s, state s -> still (S n) s <= still n s.
    Proof.
      induction n; intros s S.
      - apply outside_falls. auto.
      - unfold still at 1. rewrite mean_average. unfold still at 1. rewrite mean_average. apply average_le; auto.
    Qed.

    (** A time that is at least the mean time to the sets. *)
    Lemma ending_time : exists T : nat -> R, (forall s, state s -> 0 <= T s) /\ forall s, state s -> outside s + average T s <= T s.
    Proof.
      assert (N : exists n, forall s, state s -> (rank s <= n)%nat).
      { unfold is_state. clear. induction (states c) as [|s l [n IH]]; [exists 0%nat; simpl; tauto|]. exists (Nat.max (rank s) n).
        intros t [<- | I]; [lia|]. specialize (IH t I). lia. }
      destruct N as (n & N). set (U := slack p).
      assert (UP : forall k, 0 <= U k) by (intros k; induction k; unfold U in *; simpl; [lra|]; apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
      assert (UM : forall k, U k <= U (S k)).
      { intros k. pose proof (UP k). unfold U in *. simpl. apply (Rmult_le_reg_r p); [lra|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply Rle_trans with (slack p k * 1); [apply Rmult_le_compat_l; lra | lra]. }
      assert (UL : forall k j, (k <= j)%nat -> U k <= U j) by (intros k j L; induction L; [lra | pose proof (UM m); lra]).
      exists (fun s => if inside s then 0 else U n - U (n - rank s)%nat).
      assert (TP : forall s, state s -> 0 <= (if inside s then 0 else U n - U (n - rank s)%nat)).
      { intros s S. destruct (inside s); [lra|]. pose proof (UL (n - rank s)%nat n ltac:(lia)). lra. }
      split; auto. intros s S. unfold outside. destruct (inside s) eqn:I.
      - rewrite average_inside; auto; [lra|]. intros i _ ->. auto.
      - destruct (descends s S I) as (i & IS & P & R). set (T := fun i => if inside i then 0 else U n - U (n - rank i)%nat) in *.
        assert (B : forall j, state j -> T j <= U n).
        { intros j J. unfold T. pose proof (UP n). pose proof (UP (n - rank j)%nat). destruct (inside j); lra. }
        assert (D : step c s i * (U n - T i) <= U n - average T s).
        { eapply Rle_trans; [apply (sum_member _ (states c) (fun j => step c s j * (U n - T j)) i); auto|].
          - intros j J. apply Rmult_le_pos; [apply (step_pos c); auto | specialize (B j J); lra].
          - right. unfold Frequencies.average. rewrite (sum_ext _ _ _ (fun j => U n * step c s j - step c s j * T j)) by (intros; ring).
            rewrite sum_minus, sum_scale, (step_sum c chain_valid s S). ring. }
        pose proof (N s S) as NS. pose proof (N i IS) as NI.
        assert (E : U (n - rank s + 1)%nat <= U n - T i).
        { unfold T. destruct (inside i); [pose proof (UL (n - rank s + 1)%nat n ltac:(lia)); lra|].
          pose proof (UL (n - rank s + 1)%nat (n - rank i)%nat ltac:(lia)). lra. }
        rewrite PeanoNat.Nat.add_1_r in E.
        assert (X : p * U (Datatypes.S (n - rank s)) <= U n - average T s).
        { apply Rle_trans with (step c s i * (U n - T i)); auto.
          apply Rmult_le_compat; [lra | apply UP | auto | auto]. }
        assert (Y : p * U (Datatypes.S (n - rank s)) = U (n - rank s)%nat + 1) by (unfold U; simpl; field; lra).
        lra.
    Qed.

    Theorem ends : forall e, 0 < e -> exists n, forall s, state s -> still n s <= e.
    Proof.
      intros e EP. destruct ending_time as (T & TP & H).
      assert (A : forall n s, state s -> INR n * still n s <= T s).
      { assert (B : forall n s, state s -> sum (seq 0 n) (fun k => still k s) <= T s).
        { induction n; intros s S; [simpl; auto|]. cbn [seq sum]. rewrite <- seq_shift, sum_map.
          eapply Rle_trans; [|apply (H s S)]. apply Rplus_le_compat; [unfold still; simpl; lra|].
          rewrite (sum_ext _ _ _ (fun k => average (still k) s)) by reflexivity. unfold Frequencies.average. rewrite sum_swap.
          apply sum_le. intros i I. rewrite sum_scale. apply Rmult_le_compat_l; [apply (step_pos c); auto | apply IHn; auto]. }
        intros n s S. eapply Rle_trans; [|apply (B n s S)].
        assert (M : forall k, (k <= n)%nat -> still n s <= still k s).
        { intros k L. induction L; [lra|]. pose proof (still_falls m s S). lra. }
        apply Rle_trans with (sum (seq 0 n) (fun _ => still n s)).
        - right. generalize (still n s) 0%nat. intros x. clear. induction n as [|n IH]; intros k; [simpl; ring|].
          rewrite S_INR. cbn [seq sum]. rewrite <- (IH (Datatypes.S k)). ring.
        - apply sum_le. intros k I. apply in_seq in I. apply M. lia. }
      assert (MX : exists b, 0 <= b /\ forall s, state s -> T s <= b).
      { exists (sum (states c) T). split; [apply sum_pos; auto|]. intros s S. apply (sum_member _ (states c) T s); auto. }
      destruct MX as (b & B0 & B). destruct (archimed (b / e)) as [AR _]. set (n := Z.to_nat (up (b / e))).
      assert (Q : 0 <= b / e) by (apply Rmult_le_pos; [auto | left; apply Rinv_0_lt_compat; auto]).
      assert (NP : b / e < INR n) by (unfold n; rewrite INR_IZR_INZ, Z2Nat.id; [lra | apply le_IZR; lra]).
      exists n. intros s S. specialize (A n s S). specialize (B s S).
      apply (Rmult_le_reg_l (INR n)); [lra|]. apply Rlt_le in NP. apply (Rmult_le_compat_r e) in NP; [|lra].
      unfold Rdiv in NP. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in NP by lra. lra.
    Qed.
  End Ending.

  (** ** Types *)

  (** A function that is its own mean keeps its mean. *)
  Lemma harmonic_mean : forall r, (forall s, state s -> average c r s = r s) -> forall n s, state s -> mean n s (fun _ j => r j) = r s.
  Proof.
    intros r H. induction n; intros s S; simpl; auto. rewrite <- (H s S) at 1. apply sum_ext. intros i I. rewrite IHn; auto.
  Qed.

  Section Types.
    Variables (inside : nat -> bool) (p : R) (rank : nat -> nat) (goods bads : list (nat -> Prop)) (r : nat -> R).
    Hypothesis p_fine : 0 < p <= 1.
    Hypothesis stays : forall s i, state s -> state i -> inside s = true -> inside i = true \/ step c s i = 0.
    Hypothesis descends : forall s, state s -> inside s = false -> exists i, state i /\ p <= step c s i /\ (rank i < rank s)%nat.
    Hypothesis good_states : states_of goods.
    Hypothesis bad_states : states_of bads.
    Hypothesis told_apart : forall A B, In A goods -> In B bads -> tellable c A B.
    Hypothesis covers : forall s, state s -> inside s = true ->
      (exists A, In A goods /\ A s /\ r s = 1) \/ (exists B, In B bads /\ B s /\ r s = 0).
    Hypothesis harmonic : forall s, state s -> average c r s = r s.

    (** r is the probability of a set of the good types, and nearly that of a test. *)
    Lemma test_near : forall e, 0 < e -> exists m F, test F /\ forall s, state s -> - e <= expected m s F - r s <= e.
    Proof.
      intros e EP.
      assert (RB : exists b, 0 <= b /\ forall s, state s -> - b <= r s <= b).
      { exists (sum (states c) (fun s => Rabs (r s))). split; [apply sum_pos; intros; apply Rabs_pos|]. intros s S.
        pose proof (sum_member _ (states c) (fun s => Rabs (r s)) s (fun y _ => Rabs_pos (r y)) S) as M. simpl in M.
        pose proof (Rle_abs (r s)). pose proof (Rle_abs (- r s)) as N. rewrite Rabs_Ropp in N. lra. }
      destruct RB as (b & B0 & B). destruct (all_from_all goods bads good_states bad_states told_apart (e / 2)) as (m & F & T & GA & BA); [lra|].
      set (k := 1 + b). destruct (ends inside p rank p_fine stays descends (e / 2 / k)) as (n & EN).
      { apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; unfold k; lra]. }
      exists (n + m)%nat, (fun u => F (skipn n u)). split; [intros u; apply T|]. intros s S.
      assert (X : expected (n + m) s (fun u => F (skipn n u)) = mean n s (fun _ i => expected m i F)).
      { unfold Frequencies.expected. rewrite mean_chain. apply (mean_ext c); auto. intros u i U I. apply (mean_ext c); auto.
        intros v j _ _. destruct (firstn_exact u v n U) as [_ ->]. auto. }
      rewrite X, <- (harmonic_mean r harmonic n s S).
      assert (D : forall i, state i -> - (e / 2 + k * outside inside i) <= expected m i F - r i <= e / 2 + k * outside inside i).
      { intros i I. assert (F01 : 0 <= expected m i F <= 1).
        { rewrite <- (expected_const m i 0 I), <- (expected_const m i 1 I). split; apply expected_le; auto; apply T. }
        unfold outside. destruct (inside i) eqn:IN; [|specialize (B i I); unfold k; lra].
        destruct (covers i I IN) as [(A & IA & AI & RI) | (A & IA & AI & RI)].
        - specialize (GA A i IA AI). lra.
        - specialize (BA A i IA AI). lra. }
      assert (Y : mean n s (fun _ i => e / 2 + k * outside inside i) <= e).
      { rewrite (mean_plus c n s (fun _ _ => e / 2) (fun _ i => k * outside inside i)), mean_scale, mean_const by auto.
        specialize (EN s S). unfold still in EN. apply (Rmult_le_compat_l k) in EN; [|unfold k; lra].
        replace (k * (e / 2 / k)) with (e / 2) in EN by (field; unfold k; lra). lra. }
      assert (Z : mean n s (fun _ i => expected m i F) - mean n s (fun _ i => r i)
                  = mean n s (fun _ i => expected m i F + - (1) * r i)).
      { rewrite (mean_plus c n s (fun _ i => expected m i F) (fun _ i => - (1) * r i)), mean_scale. ring. }
      rewrite Z. split.
      - apply Rle_trans with (- (1) * mean n s (fun _ i => e / 2 + k * outside inside i)); [lra|]. rewrite <- mean_scale.
        apply (mean_le c chain_valid state (all_closed c)); auto. intros u i _ I. specialize (D i I). lra.
      - eapply Rle_trans; [|apply Y]. apply (mean_le c chain_valid state (all_closed c)); auto. intros u i _ I. specialize (D i I). lra.
    Qed.

    Theorem good_worth : forall alpha a b, 0 <= alpha ->
      sum (states c) (fun i => (a i - alpha * b i) * r i) <= worth c alpha chain_valid a b.
    Proof.
      intros alpha a b AP. set (v := fun i => a i - alpha * b i). set (most := sum (states c) (fun i => Rabs (v i))).
      assert (M : 0 <= most) by (apply sum_pos; intros; apply Rabs_pos).
      destruct (Rle_lt_dec (sum (states c) (fun i => v i * r i)) (worth c alpha chain_valid a b)) as [|L]; auto. exfalso.
      set (gap := sum (states c) (fun i => v i * r i) - worth c alpha chain_valid a b) in *.
      destruct (test_near (gap / 2 / (most + 1))) as (m & F & T & D).
      { apply Rmult_lt_0_compat; [unfold gap; lra | apply Rinv_0_lt_compat; lra]. }
      set (e := gap / 2 / (most + 1)) in *. pose proof (tells_test c chain_valid alpha m a b F AP T) as W.
      change (sum (states c) (fun i => v i * expected m i F) <= worth c alpha chain_valid a b) in W.
      assert (X : sum (states c) (fun i => v i * r i) - sum (states c) (fun i => v i * expected m i F) <= most * e).
      { unfold most. rewrite <- sum_minus, <- sum_scale_r. apply sum_le. intros i I. specialize (D i I).
        pose proof (Rle_abs (v i)). pose proof (Rle_abs (- v i)) as N. rewrite Rabs_Ropp in N.
        replace (v i * r i - v i * expected m i F) with (v i * (r i - expected m i F)) by ring.
        destruct (Rle_lt_dec 0 (v i)).
        - apply Rle_trans with (v i * e); [apply Rmult_le_compat_l; lra|]. apply Rmult_le_compat_r; lra.
        - apply Rle_trans with (- v i * e); [|apply Rmult_le_compat_r; lra].
          replace (v i * (r i - expected m i F)) with (- v i * (expected m i F - r i)) by ring. apply Rmult_le_compat_l; lra. }
      assert (Y : most * e <= gap / 2).
      { unfold e. assert (G : 0 < gap) by (unfold gap; lra).
        apply Rle_trans with ((most + 1) * (gap / 2 / (most + 1))); [|right; field; lra].
        apply Rmult_le_compat_r; [|lra]. left. apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra]. }
      unfold gap in *. lra.
    Qed.
  End Types.
End LongRun.
