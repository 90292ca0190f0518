(** What is seen in the long run: frequencies of words tell closed sets apart.

    A set that is not left, with a stationary distribution, and in which every state reaches one and the same: the mean
    number of occurrences of a word in n labels differs from n pi(w) by no more than a constant, from wherever in the set.
    So of two sets with different pi(w), long blocks tell which they come from, a little better than chance; and many
    blocks tell it with an error as small as one likes: the product of 1 + e (frequency - middle) over the blocks goes to
    0 in the mean on the one side, and its inverse on the other. No ergodic theorem, and no variance, is needed.

    Tests are functions of words with values in [0, 1]. They tell no more than events do ([tells_test]). *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Coq Require ClassicalDedekindReals.
From Proofs Require Import Spec Sums Tables Words Curves Traces.
Import ListNotations.
Open Scope R_scope.

Section Frequencies.
  Variable c : chain.
  Hypothesis chain_valid : valid c.
  Notation state := (is_state c).

  (** ** Means of functions of the labels to come, and of the state after them *)

  Fixpoint mean (m s : nat) (F : list nat -> nat -> R) : R :=
    match m with
    | O => F [] s
    | S k => sum (states c) (fun i => step c s i * mean k i (fun u j => F (label c i :: u) j))
    end.

  Lemma mean_ext : forall m s F G, (forall u j, length u = m -> state j -> F u j = G u j) -> state s -> mean m s F = mean m s G.
  Proof.
    induction m; intros s F G H S; simpl; [apply H; auto|]. apply sum_ext. intros i I. f_equal. apply IHm; auto.
    intros u j U J. apply H; simpl; auto.
  Qed.

  Lemma mean_scale : forall m s k F, mean m s (fun u j => k * F u j) = k * mean m s F.
  Proof.
    induction m; intros s k F; simpl; auto. rewrite <- sum_scale. apply sum_ext. intros i _. rewrite IHm. ring.
  Qed.

  Lemma mean_scale_r : forall m s k F, mean m s (fun u j => F u j * k) = mean m s F * k.
  Proof.
    induction m; intros s k F; simpl; auto. rewrite <- sum_scale_r. apply sum_ext. intros i _. rewrite IHm. ring.
  Qed.

  Lemma mean_plus : forall m s F G, mean m s (fun u j => F u j + G u j) = mean m s F + mean m s G.
  Proof.
    induction m; intros s F G; simpl; auto. rewrite <- sum_plus. apply sum_ext. intros i _. rewrite IHm. ring.
  Qed.

  Lemma mean_const : forall m s k, state s -> mean m s (fun _ _ => k) = k.
  Proof.
    induction m; intros s k S; simpl; auto.
    rewrite (sum_ext _ _ _ (fun i => k * step c s i)).
    - rewrite sum_scale, (step_sum c chain_valid s S). ring.
    - intros i I. rewrite IHm; auto. ring.
  Qed.

  (** In a set that is not left only its states count. *)
  Definition closed_set (C : nat -> Prop) : Prop :=
    (forall s, C s -> state s) /\ forall s i, C s -> state i -> C i \/ step c s i = 0.

  Lemma mean_le : forall C, closed_set C -> forall m s F G, C s ->
    (forall u j, length u = m -> C j -> F u j <= G u j) -> mean m s F <= mean m s G.
  Proof.
    intros C [CS CL]. induction m; intros s F G S H; simpl; [apply H; auto|]. apply sum_le. intros i I.
    destruct (CL s i S I) as [CI | Z]; [|rewrite Z; lra].
    apply Rmult_le_compat_l; [apply (step_pos c); auto|]. apply IHm; auto. intros u j U J. apply H; simpl; auto.
  Qed.

  Lemma all_closed : closed_set state.
  Proof. split; auto. Qed.

  Lemma mean_chain : forall n m s F,
    mean (n + m) s F = mean n s (fun u i => mean m i (fun v j => F (u ++ v) j)).
  Proof.
    induction n; intros m s F; simpl; auto. apply sum_ext. intros i _. f_equal. apply IHn.
  Qed.

  (** ** Tests tell no more than events *)

  Definition test (F : list nat -> R) : Prop := forall u, 0 <= F u <= 1.
  Definition expected (m s : nat) (F : list nat -> R) : R := mean m s (fun u _ => F u).

  Lemma tells_test : forall alpha m a b F, 0 <= alpha -> test F ->
    sum (states c) (fun i => (a i - alpha * b i) * expected m i F) <= worth c alpha chain_valid a b.
  Proof.
    intros alpha m. induction m; intros a b F AP T.
    - unfold expected. simpl. rewrite sum_scale_r, sum_minus, sum_scale.
      change (sum (states c) a) with (mass c a). change (sum (states c) b) with (mass c b).
      destruct (T []) as [T0 T1]. pose proof (worth_nonneg c alpha chain_valid a b) as W0. pose proof (worth_mass c alpha chain_valid a b) as W1.
      destruct (Rle_lt_dec (mass c a - alpha * mass c b) 0).
      + apply Rle_trans with 0; auto. rewrite <- (Rmult_0_l (F [])). apply Rmult_le_compat_r; lra.
      + apply Rle_trans with ((mass c a - alpha * mass c b) * 1); [apply Rmult_le_compat_l; lra | lra].
    - rewrite (worth_step c alpha chain_valid a b).
      apply Rle_trans with (sum (all_labels c) (fun l =>
        sum (states c) (fun j => (part c a l j - alpha * part c b l j) * expected m j (fun u => F (l :: u))))).
      + right. unfold expected. cbn [mean]. rewrite sum_swap.
        rewrite (sum_ext _ (states c) (fun i => (a i - alpha * b i) * _)
          (fun i => sum (states c) (fun j => (a i - alpha * b i) * (step c i j * mean m j (fun u _ => F (label c j :: u))))))
          by (intros; rewrite sum_scale; auto).
        rewrite sum_swap. apply sum_ext. intros j J.
        rewrite (sum_ext _ (all_labels c) _ (fun l => if Nat.eqb (label c j) l then
          (sum (states c) (fun i => a i * step c i j) - alpha * sum (states c) (fun i => b i * step c i j))
             * mean m j (fun u _ => F (l :: u)) else 0)).
        * rewrite (sum_delta (all_labels c) (label c j)); [|apply NoDup_nodup | apply nodup_In, in_map; auto].
          rewrite <- sum_scale, <- sum_minus, <- sum_scale_r. apply sum_ext. intros i _. ring.
        * intros l _. unfold part. destruct (Nat.eqb (label c j) l); ring.
      + apply sum_le. intros l _. apply IHm; auto. intros u. apply T.
  Qed.

  (** ** The mean number of occurrences of a word *)

  (** The probability that the labels from i, its own first, begin with w. *)
  Fixpoint begins (w : list nat) (i : nat) : R :=
    match w with
    | [] => 1
    | l :: r => if Nat.eqb (label c i) l then sum (states c) (fun j => step c i j * begins r j) else 0
    end.

  Fixpoint prefix (w u : list nat) : bool :=
    match w, u with
    | [], _ => true
    | l :: r, k :: v => Nat.eqb k l && prefix r v
    | _ :: _, [] => false
    end.

  Definition indicator (b : bool) : R := if b then 1 else 0.

  Lemma begins_mean : forall w k i, state i -> (length w <= S k)%nat ->
    mean k i (fun u _ => indicator (prefix w (label c i :: u))) = begins w i.
  Proof.
    induction w as [|l w IH]; intros k i I L; [apply (mean_const k i 1 I)|]. cbn [prefix begins].
    destruct (Nat.eqb (label c i) l); cbn [andb]; [|apply (mean_const k i 0 I)].
    destruct w as [|l' w].
    - transitivity 1; [apply (mean_const k i 1 I)|]. simpl. rewrite (sum_ext _ _ _ (step c i)) by (intros; ring).
      symmetry. apply (step_sum c chain_valid i I).
    - destruct k; [simpl in L; lia|]. cbn [mean]. apply sum_ext. intros j J. f_equal. apply IH; auto. simpl in *. lia.
  Qed.

  Lemma begins_01 : forall w i, state i -> 0 <= begins w i <= 1.
  Proof.
    induction w as [|l w IH]; intros i I; cbn [begins]; [lra|]. destruct (Nat.eqb (label c i) l); [|lra].
    rewrite (sum_ext _ _ _ (fun j => begins w j * step c i j)) by (intros; ring). apply mean_01; auto.
  Qed.

  (** Occurrences of w that begin at the first n labels. *)
  Fixpoint occurrences (w : list nat) (n : nat) (u : list nat) : R :=
    match n, u with
    | S k, _ :: r => indicator (prefix w u) + occurrences w k r
    | _, _ => 0
    end.

  Lemma occurrences_bound : forall w n u, 0 <= occurrences w n u <= INR n.
  Proof.
    intros w. induction n; intros u; [simpl; lra|]. rewrite S_INR. destruct u as [|k u]; [simpl; pose proof (pos_INR n); lra|].
    cbn [occurrences]. specialize (IHn u). unfold indicator. destruct (prefix w (k :: u)); lra.
  Qed.

  (** Their mean number, where as many labels are seen as these need. *)
  Definition hits (w : list nat) (n s : nat) : R := mean (n + length w) s (fun u _ => occurrences w n u).

  Definition average (f : nat -> R) (s : nat) : R := sum (states c) (fun i => step c s i * f i).

  Lemma average_01 : forall f s, state s -> (forall i, state i -> 0 <= f i <= 1) -> 0 <= average f s <= 1.
  Proof.
    intros f s S F. unfold average. rewrite (sum_ext _ _ _ (fun i => f i * step c s i)) by (intros; ring). apply mean_01; auto.
  Qed.

  Lemma average_minus : forall f g s, average (fun i => f i - g i) s = average f s - average g s.
  Proof. intros. unfold average. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.

  Lemma hits_zero : forall w s, state s -> hits w 0 s = 0.
  Proof. intros w s S. unfold hits. apply (mean_const (0 + length w) s 0 S). Qed.

  Lemma hits_step : forall w n s, state s -> hits w (S n) s = average (fun i => begins w i + hits w n i) s.
  Proof.
    intros w n s S. unfold hits at 1. cbn [plus mean]. apply sum_ext. intros i I. f_equal. cbn [occurrences].
    rewrite mean_plus. f_equal. rewrite begins_mean; auto. lia.
  Qed.

  (** Each further label adds between 0 and 1. *)
  Lemma hits_grow : forall w n s, state s -> 0 <= hits w (S n) s - hits w n s <= 1.
  Proof.
    intros w. induction n; intros s S.
    - rewrite hits_step, hits_zero by auto. rewrite Rminus_0_r. apply average_01; auto. intros i I.
      rewrite hits_zero by auto. rewrite Rplus_0_r. apply begins_01. auto.
    - rewrite (hits_step w (Datatypes.S n)), (hits_step w n) by auto. rewrite <- average_minus. apply average_01; auto.
      intros i I. specialize (IHn i I). lra.
  Qed.

  (** So what n labels bring is nearly the mean of what they bring one step later. *)
  Lemma hits_harmonic : forall w n s, state s -> - (1) <= average (hits w n) s - hits w n s <= 1.
  Proof.
    intros w n s S. pose proof (hits_grow w n s S) as G. rewrite hits_step in G by auto.
    assert (P : 0 <= average (begins w) s <= 1) by (apply average_01; auto; intros; apply begins_01; auto).
    assert (E : average (fun i => begins w i + hits w n i) s = average (begins w) s + average (hits w n) s).
    { unfold average. rewrite <- sum_plus. apply sum_ext. intros. ring. }
    lra.
  Qed.

  (** ** A set with a stationary distribution *)

  (** Every state that is not the root goes with at least p to one of smaller rank. *)
  Definition descends (p : R) (rank : nat -> nat) (root s : nat) : Prop :=
    s = root \/ exists i, state i /\ p <= step c s i /\ (rank i < rank s)%nat.

  Record ergodic (C : list nat) (pi : nat -> R) (p : R) (rank : nat -> nat) (root : nat) : Prop := {
    e_closed : closed_set (fun s => In s C);
    e_once : NoDup C;
    e_root : In root C;
    e_pos : forall s, In s C -> 0 <= pi s;
    e_one : sum C pi = 1;
    e_stationary : forall i, In i C -> sum C (fun s => pi s * step c s i) = pi i;
    e_p : 0 < p <= 1;
    e_ranks : forall s, In s C -> descends p rank root s }.

  Section Ergodic.
    Variables (C : list nat) (pi : nat -> R) (p : R) (rank : nat -> nat) (root : nat).
    Hypothesis E : ergodic C pi p rank root.

    Lemma set_sum : forall s f, In s C -> sum (states c) (fun i => step c s i * f i) = sum C (fun i => step c s i * f i).
    Proof.
      intros s f S. destruct (e_closed _ _ _ _ _ E) as [CS CL]. apply sum_support; [apply chain_valid | apply (e_once _ _ _ _ _ E) | |].
      - intros i I N. destruct (CL s i S I) as [J | ->]; [tauto | ring].
      - intros i I N. exfalso. apply N. apply CS. auto.
    Qed.

    Lemma pi_average : forall f, sum C (fun s => pi s * average f s) = sum C (fun s => pi s * f s).
    Proof.
      intros f. transitivity (sum C (fun s => sum C (fun i => (pi s * step c s i) * f i))).
      - apply sum_ext. intros s S. unfold average. rewrite set_sum, <- sum_scale by auto. apply sum_ext. intros. ring.
      - rewrite sum_swap. apply sum_ext. intros i I. rewrite sum_scale_r, (e_stationary _ _ _ _ _ E) by auto. auto.
    Qed.

    Definition frequency_of (w : list nat) : R := sum C (fun s => pi s * begins w s).

    Lemma pi_hits : forall w n, sum C (fun s => pi s * hits w n s) = INR n * frequency_of w.
    Proof.
      intros w. destruct (e_closed _ _ _ _ _ E) as [CS _]. induction n.
      - simpl. rewrite sum_zero; [ring|]. intros s S. rewrite hits_zero; auto. ring.
      - rewrite (sum_ext _ _ _ (fun s => pi s * average (fun i => begins w i + hits w n i) s))
          by (intros s S; rewrite hits_step; auto).
        rewrite pi_average, S_INR, Rmult_plus_distr_r, <- IHn, Rmult_1_l. unfold frequency_of.
        rewrite <- sum_plus. apply sum_ext. intros. ring.
    Qed.

    (** How far a nearly harmonic function may fall on the way to the root. *)
    Fixpoint slack (k : nat) : R := match k with O => 0 | S j => (slack j + 1) / p end.

    Lemma slack_pos : forall k, 0 <= slack k.
    Proof.
      pose proof (e_p _ _ _ _ _ E). induction k; simpl; [lra|]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
    Qed.

    Lemma slack_step : forall k, slack k <= slack (S k).
    Proof.
      intros k. pose proof (slack_pos k). pose proof (e_p _ _ _ _ _ E). simpl.
      apply (Rmult_le_reg_r p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rle_trans with (slack k * 1); [apply Rmult_le_compat_l; lra | lra].
    Qed.

    Lemma slack_mono : forall k n, (k <= n)%nat -> slack k <= slack n.
    Proof. intros k n L. induction L; [lra|]. pose proof (slack_step m). lra. Qed.

    (** If f is at most its own mean plus 1, then the root is not far below any state. *)
    Lemma falls_to_root : forall f most, (forall s, In s C -> f s <= most) -> (forall s, In s C -> f s <= average f s + 1) ->
      forall n s k, (rank s <= n)%nat -> In s C -> most - slack k <= f s -> exists j, (j <= k + n)%nat /\ most - slack j <= f root.
    Proof.
      intros f most M H. destruct (e_closed _ _ _ _ _ E) as [CS CL]. pose proof (e_p _ _ _ _ _ E) as PP.
      induction n; intros s k R S F; (destruct (e_ranks _ _ _ _ _ E s S) as [-> | (i & I & P & L)]; [exists k; split; [lia | auto]|]); [lia|].
      assert (CI : In i C) by (destruct (CL s i S I); auto; lra).
      assert (D : step c s i * (most - f i) <= sum (states c) (fun j => step c s j * (most - f j))).
      { apply (sum_member _ (states c) (fun j => step c s j * (most - f j)) i); auto. intros j J.
        destruct (CL s j S J) as [CJ | ->]; [|lra]. apply Rmult_le_pos; [apply (step_pos c); auto | specialize (M j CJ); lra]. }
      assert (T : sum (states c) (fun j => step c s j * (most - f j)) = most - average f s).
      { unfold average. rewrite (sum_ext _ _ _ (fun j => most * step c s j - step c s j * f j)) by (intros; ring).
        rewrite sum_minus, sum_scale, (step_sum c chain_valid s); auto. ring. }
      specialize (H s S).
      destruct (IHn i (Datatypes.S k)) as (j & J & Q); auto; [lia| |exists j; split; [lia | auto]].
      assert (X : p * (most - f i) <= slack k + 1).
      { apply Rle_trans with (step c s i * (most - f i)); [apply Rmult_le_compat_r; [specialize (M i CI); lra | auto] | lra]. }
      simpl. assert (most - f i <= (slack k + 1) / p); [|lra].
      apply (Rmult_le_reg_l p); [lra|]. replace (p * ((slack k + 1) / p)) with (slack k + 1) by (field; lra). auto.
    Qed.

    (** From wherever in the set, n labels bring n pi(w) occurrences, up to a constant. *)
    Theorem hits_near : forall w, exists most, 0 <= most /\ forall n s, In s C ->
      - most <= hits w n s - INR n * frequency_of w <= most.
    Proof.
      intros w. destruct (e_closed _ _ _ _ _ E) as [CS CL].
      assert (N : exists n, forall s, In s C -> (rank s <= n)%nat).
      { clear - chain_valid. induction C as [|s l [n IH]]; [exists 0%nat; simpl; tauto|]. exists (Nat.max (rank s) n).
        intros t [<- | I]; [lia|]. specialize (IH t I). lia. }
      destruct N as (n0 & N). exists (2 * slack n0). split; [pose proof (slack_pos n0); lra|]. intros n s S.
      assert (NE : C <> []) by (intros Z; rewrite Z in S; destruct S).
      destruct (largest _ C (hits w n) NE) as (t & T & TM). destruct (largest _ C (fun s => - hits w n s) NE) as (b & B & BM).
      assert (H : forall f, (forall s, In s C -> f s <= average f s + 1) -> forall x, In x C -> (forall y, In y C -> f y <= f x) -> f x - slack n0 <= f root).
      { intros f A x X M. destruct (falls_to_root f (f x) M A (rank x) x 0) as (j & J & Q); auto; [simpl; lra|].
        specialize (N x X). pose proof (slack_mono j n0 ltac:(lia)). lra. }
      pose proof (H (hits w n) (fun s S => ltac:(pose proof (hits_harmonic w n s (CS s S)); lra)) t T TM) as UP.
      assert (AN : forall s, average (fun s => - hits w n s) s = - average (hits w n) s).
      { intros x. unfold average. rewrite (sum_ext _ _ _ (fun i => - (1) * (step c x i * hits w n i))) by (intros; ring). rewrite sum_scale. ring. }
      pose proof (H (fun s => - hits w n s) (fun s S => ltac:(rewrite AN; pose proof (hits_harmonic w n s (CS s S)); lra)) b B BM) as DOWN.
      pose proof (pi_hits w n) as P. pose proof (e_one _ _ _ _ _ E) as ONE.
      assert (L1 : sum C (fun s => pi s * hits w n s) <= hits w n t).
      { apply Rle_trans with (sum C (fun s => pi s * hits w n t)); [|rewrite sum_scale_r, ONE; lra].
        apply sum_le. intros x X. apply Rmult_le_compat_l; auto. apply (e_pos _ _ _ _ _ E x X). }
      assert (L2 : hits w n b <= sum C (fun s => pi s * hits w n s)).
      { apply Rle_trans with (sum C (fun s => pi s * hits w n b)); [rewrite sum_scale_r, ONE; lra|].
        apply sum_le. intros x X. apply Rmult_le_compat_l; [apply (e_pos _ _ _ _ _ E x X)|]. specialize (BM x X). simpl in BM. lra. }
      specialize (TM s S). pose proof (BM s S) as BS. simpl in BS. lra.
    Qed.
  End Ergodic.

  (** ** Tests by blocks *)

  Fixpoint blocks (f : list nat -> R) (l k : nat) (u : list nat) : R :=
    match k with O => 1 | S j => f (firstn l u) * blocks f l j (skipn l u) end.

  Lemma firstn_exact : forall (u v : list nat) l, length u = l -> firstn l (u ++ v) = u /\ skipn l (u ++ v) = v.
  Proof.
    intros u v l <-. rewrite firstn_app, skipn_app, PeanoNat.Nat.sub_diag, firstn_all, skipn_all. simpl. rewrite app_nil_r. auto.
  Qed.

  Lemma blocks_mean : forall C f l q, closed_set C -> (forall u, 0 <= f u) -> 0 <= q ->
    (forall s, C s -> expected l s f <= q) -> forall k s, C s -> expected (k * l) s (blocks f l k) <= q ^ k.
  Proof.
    intros C f l q CC F Q H. destruct CC as [CS CL]. induction k; intros s S.
    - simpl. unfold expected. simpl. lra.
    - unfold expected. simpl Nat.mul. rewrite mean_chain. cbn [blocks].
      apply Rle_trans with (mean l s (fun u _ => q ^ k * f u)); [|rewrite mean_scale; simpl].
      + apply (mean_le C (conj CS CL)); auto. intros u i U I.
        rewrite (mean_ext _ _ _ (fun v _ => f u * blocks f l k v)).
        * rewrite mean_scale. rewrite (Rmult_comm (q ^ k)). apply Rmult_le_compat_l; [apply F | apply IHk; auto].
        * intros v j _ _. destruct (firstn_exact u v l U) as [-> ->]. auto.
        * auto.
      + rewrite Rmult_comm. apply Rmult_le_compat_r; [apply pow_le; auto | apply H; auto].
  Qed.

  Lemma blocks_pos : forall f l, (forall u, 0 < f u) -> forall k u, 0 < blocks f l k u.
  Proof. intros f l F. induction k; intros u; simpl; [lra|]. apply Rmult_lt_0_compat; auto. Qed.

  Lemma blocks_inverse : forall f l, (forall u, 0 < f u) -> forall k u, blocks (fun v => / f v) l k u = / blocks f l k u.
  Proof.
    intros f l F. induction k; intros u; simpl; [lra|]. rewrite IHk. pose proof (F (firstn l u)). pose proof (blocks_pos f l F k (skipn l u)).
    field. lra.
  Qed.

  (** One can tell the states of A from those of B. *)
  Definition tellable (A B : nat -> Prop) : Prop := forall e, 0 < e -> exists m F, test F /\
    (forall s, A s -> 1 - e <= expected m s F) /\ (forall s, B s -> expected m s F <= e).

  Lemma expected_complement : forall m s F, state s -> expected m s (fun u => 1 - F u) = 1 - expected m s F.
  Proof.
    intros m s F S. unfold expected. rewrite (mean_ext m s _ (fun u _ => 1 + - (1) * F u)) by (auto; intros; ring).
    rewrite (mean_plus m s (fun _ _ => 1) (fun u _ => - (1) * F u)), mean_scale, mean_const by auto. ring.
  Qed.

  (** A score in [0, 1] whose means differ tells them apart. *)
  Lemma score_tells : forall (A B : nat -> Prop) l score theta gap, closed_set A -> closed_set B -> test score -> 0 <= theta <= 1 -> 0 < gap <= 1 ->
    (forall s, A s -> theta + gap <= expected l s score) -> (forall s, B s -> expected l s score <= theta - gap) -> tellable A B.
  Proof.
    intros A B l score theta gap CA CB T TH G HA HB.
    set (d := gap / 4). set (f := fun u => 1 + d * (score u - theta)). set (q := 1 - d * gap / 2).
    assert (D : 0 < d <= / 4) by (unfold d; lra).
    assert (Z : forall u, - d <= d * (score u - theta) <= d).
    { intros u. destruct (T u). split; [apply Rle_trans with (d * (- (1))) | apply Rle_trans with (d * 1)]; try lra; apply Rmult_le_compat_l; lra. }
    assert (FP : forall u, 0 < f u) by (intros u; specialize (Z u); unfold f; lra).
    assert (DG : 0 < d * gap <= / 4).
    { split; [apply Rmult_lt_0_compat; lra|]. apply Rle_trans with (d * 1); [apply Rmult_le_compat_l; lra | lra]. }
    assert (Q : 0 <= q < 1) by (unfold q; lra).
    assert (LIN : forall s k j, state s -> expected l s (fun u => k + j * score u) = k + j * expected l s score).
    { intros s k j S. unfold expected. rewrite (mean_plus l s (fun _ _ => k) (fun u _ => j * score u)), mean_scale, mean_const by auto. auto. }
    assert (FB : forall s, B s -> expected l s f <= q).
    { intros s S. unfold expected. rewrite (mean_ext l s _ (fun u _ => (1 - d * theta) + d * score u))
        by (try apply CB; auto; intros; unfold f; ring).
      change (expected l s (fun u => (1 - d * theta) + d * score u) <= q). rewrite LIN by (apply CB; auto).
      specialize (HB s S). assert (d * expected l s score <= d * (theta - gap)) by (apply Rmult_le_compat_l; lra). unfold q. lra. }
    assert (FA : forall s, A s -> expected l s (fun u => / f u) <= q).
    { intros s S. apply Rle_trans with (expected l s (fun u => (1 + d * theta + 2 * (d * d)) + (- d) * score u)).
      - apply (mean_le A CA); auto. intros u _ _ _. specialize (Z u). set (x := d * (score u - theta)) in *.
        assert (XX : x * x <= d * d) by (destruct (Rle_lt_dec 0 x); [apply Rmult_le_compat; lra | replace (x * x) with ((- x) * (- x)) by ring; apply Rmult_le_compat; lra]).
        apply Rle_trans with (1 - x + 2 * (x * x)); [|unfold x in *; lra].
        apply (Rmult_le_reg_l (f u)); auto. rewrite Rinv_r by (specialize (FP u); lra). change (f u) with (1 + x).
        replace ((1 + x) * (1 - x + 2 * (x * x))) with (1 + x * x * (1 + 2 * x)) by ring.
        assert (0 <= x * x * (1 + 2 * x)); [|lra]. apply Rmult_le_pos; [apply Rle_0_sqr | lra].
      - rewrite LIN by (apply CA; auto). specialize (HA s S).
        assert (d * (theta + gap) <= d * expected l s score) by (apply Rmult_le_compat_l; lra).
        unfold q. assert (2 * (d * d) = d * gap / 2) by (unfold d; field). lra. }
    intros e EP. destruct (pow_lt_1_zero q) with (y := e) as (k & K); [rewrite Rabs_pos_eq; lra | auto |].
    specialize (K k (le_n k)). rewrite Rabs_pos_eq in K by (apply pow_le; lra).
    exists (k * l)%nat, (fun u => Rmin 1 (blocks f l k u)). split; [|split].
    - intros u. pose proof (blocks_pos f l FP k u). split; [apply Rmin_glb; lra | apply Rmin_l].
    - intros s S. pose proof (blocks_mean A (fun u => / f u) l q CA (fun u => ltac:(left; apply Rinv_0_lt_compat; auto)) ltac:(lra) FA k s S) as M.
      assert (1 - expected (k * l) s (fun u => Rmin 1 (blocks f l k u)) <= q ^ k); [|lra].
      rewrite <- expected_complement by (apply CA; auto). eapply Rle_trans; [|apply M].
      apply (mean_le A CA); auto. intros u _ _ _. rewrite blocks_inverse by auto. pose proof (blocks_pos f l FP k u) as P.
      pose proof (Rinv_0_lt_compat _ P). unfold Rmin. destruct (Rle_dec 1 (blocks f l k u)); [lra|].
      assert (1 <= / blocks f l k u); [|lra]. rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra.
    - intros s S. pose proof (blocks_mean B f l q CB (fun u => ltac:(left; auto)) ltac:(lra) FB k s S) as M.
      eapply Rle_trans; [|left; apply K]. eapply Rle_trans; [|apply M]. apply (mean_le B CB); auto. intros. apply Rmin_r.
  Qed.

  Lemma tellable_sym : forall A B : nat -> Prop, (forall s, A s -> state s) -> (forall s, B s -> state s) -> tellable A B -> tellable B A.
  Proof.
    intros A B SA SB H e EP. destruct (H e EP) as (m & F & T & HA & HB). exists m, (fun u => 1 - F u). split; [|split].
    - intros u. specialize (T u). lra.
    - intros s S. rewrite expected_complement by auto. specialize (HB s S). lra.
    - intros s S. rewrite expected_complement by auto. specialize (HA s S). lra.
  Qed.

  (** Two sets in which a word has different frequencies. *)
  Theorem frequencies_tell : forall CA piA pA rA tA CB piB pB rB tB w,
    ergodic CA piA pA rA tA -> ergodic CB piB pB rB tB -> frequency_of CB piB w < frequency_of CA piA w ->
    tellable (fun s => In s CA) (fun s => In s CB).
  Proof.
    intros CA piA pA rA tA CB piB pB rB tB w EA EB LT. set (a := frequency_of CA piA w) in *. set (b := frequency_of CB piB w) in *.
    destruct (hits_near _ _ _ _ _ EA w) as (ka & KA & HA). destruct (hits_near _ _ _ _ _ EB w) as (kb & KB & HB).
    assert (F01 : forall C pi p r t, ergodic C pi p r t -> 0 <= frequency_of C pi w <= 1).
    { intros C pi p r t EC. destruct (e_closed _ _ _ _ _ EC) as [CS _]. unfold frequency_of. split.
      - apply sum_pos. intros s S. apply Rmult_le_pos; [apply (e_pos _ _ _ _ _ EC s S) | apply begins_01; auto].
      - rewrite <- (e_one _ _ _ _ _ EC). apply sum_le. intros s S. rewrite <- (Rmult_1_r (pi s)) at 2.
        apply Rmult_le_compat_l; [apply (e_pos _ _ _ _ _ EC s S) | apply begins_01; auto]. }
    pose proof (F01 _ _ _ _ _ EA) as A01. pose proof (F01 _ _ _ _ _ EB) as B01. fold a in A01. fold b in B01.
    set (gap := (a - b) / 4). assert (G : 0 < gap <= 1) by (unfold gap; lra).
    destruct (archimed ((ka + kb) / gap)) as [AR _]. set (n := Z.to_nat (up ((ka + kb) / gap))).
    assert (N0 : 0 <= (ka + kb) / gap) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
    assert (NP : (ka + kb) / gap < INR n).
    { unfold n. rewrite INR_IZR_INZ, Z2Nat.id; [lra|]. apply le_IZR. lra. }
    assert (NN : 0 < INR n) by lra.
    assert (KG : ka + kb <= INR n * gap).
    { apply Rlt_le. apply (Rmult_lt_compat_r gap) in NP; [|lra]. unfold Rdiv in NP. rewrite Rmult_assoc, Rinv_l in NP by lra. lra. }
    assert (SC : forall s, expected (n + length w) s (fun u => occurrences w n u / INR n) = hits w n s / INR n).
    { intros s. unfold expected, hits, Rdiv. apply mean_scale_r. }
    apply (score_tells _ _ (n + length w) (fun u => occurrences w n u / INR n) ((a + b) / 2) gap); auto.
    - apply (e_closed _ _ _ _ _ EA).
    - apply (e_closed _ _ _ _ _ EB).
    - intros u. destruct (occurrences_bound w n u) as [L H]. split.
      + apply Rmult_le_pos; [auto | left; apply Rinv_0_lt_compat; auto].
      + apply (Rmult_le_reg_r (INR n)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - lra.
    - intros s S. rewrite SC. destruct (HA n s S) as [L _]. fold a in L. apply (Rmult_le_reg_r (INR n)); auto.
      unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l by lra. unfold gap in *. lra.
    - intros s S. rewrite SC. destruct (HB n s S) as [_ L]. fold b in L. apply (Rmult_le_reg_r (INR n)); auto.
      unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. unfold gap in *. lra.
  Qed.
End Frequencies.
