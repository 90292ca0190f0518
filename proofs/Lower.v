(** Lower bounds: functions in stages, and the escapes of those that lean on each other.

    v is any pre-fixed point. A function that is feasible for what is known to be below v shows that v is at least its
    gain. In a circular stage functions lean on numbers L of the stage itself. There every new pair has a second
    function h, with a positive gain in the direction of the first, that needs room only where labels differ, at new
    pairs of smaller rank, and where v > 0 is known. If L exceeded v somewhere, let Q be the largest L/v, and take a new
    pair of least rank where it is attained: f/Q + theta h is feasible for v, and gains more than v. *)

From Coq Require Import Reals List Lra Lia Wf_nat.
From Proofs Require Import Spec Sums Tables.
Import ListNotations.
Open Scope R_scope.

Section Lower.
  Variables (q : quantity) (c : chain) (alpha : R) (v : table).
  Hypothesis chain_valid : valid c.
  Hypothesis alpha_one : 1 <= alpha.
  Hypothesis v_prefixed : prefixed q c alpha v.

  Notation state := (is_state c).
  Notation gain := (gain c alpha).

  (** A function that is feasible for a table below v. *)
  Lemma plain : forall K f s t x y, (forall i j, state i -> state j -> K i j <= v i j) ->
    feasible c alpha K f -> state s -> state t -> label c s = label c t -> In (x, y) (turns q s t) ->
    gain f x y <= v s t.
  Proof.
    intros K f s t x y B F is_s is_t same I. apply (prefixed_gain v_prefixed s t x y); auto.
    apply (feasible_mono c alpha K); auto.
  Qed.

  Section Circular.
    Variables (new : list (nat * nat)) (L : table) (rank : nat -> nat -> nat).

    (** The reasons of a new pair (s,t): f in the direction (x,y), and why the distance is not 0, h. *)
    Record reasons (s t x y : nat) (f h : nat -> R) : Prop := {
      direction : In (x, y) (turns q s t);
      leader_feasible : feasible c alpha L f;
      leader_gain : L s t <= gain f x y;
      escape_01 : forall i, state i -> 0 <= h i <= 1;
      escape_gain : 0 < gain h x y;
      escape_room : forall i j, state i -> state j -> label c i = label c j -> 0 < h i - alpha * h j ->
        (In (i, j) new /\ rank i j < rank s t)%nat \/ (~ In (i, j) new /\ 0 < v i j) }.

    Hypothesis new_pairs : forall s t, In (s, t) new ->
      state s /\ state t /\ label c s = label c t /\ exists x y f h, reasons s t x y f h.
    Hypothesis known : forall i j, state i -> state j -> ~ In (i, j) new -> L i j <= v i j.

    Lemma difference_le_1 : forall h i j, (forall i, state i -> 0 <= h i <= 1) -> state i -> state j ->
      h i - alpha * h j <= 1.
    Proof.
      intros h i j H is_i is_j. pose proof (H i is_i). pose proof (H j is_j).
      assert (0 <= alpha * h j) by (apply Rmult_le_pos; lra). lra.
    Qed.

    (** f + theta h is feasible for v where f is, if there is slack where h needs room. *)
    Lemma theta_exists : forall f h,
      (forall i, state i -> 0 <= f i < 1) -> (forall i, state i -> 0 <= h i <= 1) ->
      (forall i j, state i -> state j -> f i - alpha * f j <= v i j) ->
      (forall i j, state i -> state j -> 0 < h i - alpha * h j -> f i - alpha * f j < v i j) ->
      exists theta, 0 < theta /\ feasible c alpha v (fun i => 1 * f i + theta * h i).
    Proof.
      intros f h F H D R.
      destruct (small _ (list_prod (states c) (states c)) (fun p => v (fst p) (snd p) - (f (fst p) - alpha * f (snd p))))
        as (a & Pa & A).
      destruct (small _ (states c) (fun i => 1 - f i)) as (b & Pb & B).
      exists (Rmin a b). assert (0 < Rmin a b) by (apply Rmin_glb_lt; lra).
      pose proof (Rmin_l a b). pose proof (Rmin_r a b). set (th := Rmin a b) in *. split; auto. split.
      - intros i is_i. pose proof (F i is_i). pose proof (H i is_i). assert (th <= 1 - f i).
        { apply Rle_trans with b; auto. apply B; auto. lra. }
        assert (0 <= th * h i <= th); [|lra]. rewrite Rmult_comm. apply mult_01; lra.
      - intros i j is_i is_j. pose proof (difference_le_1 h i j H is_i is_j).
        replace (_ - _) with ((f i - alpha * f j) + th * (h i - alpha * h j)) by ring.
        destruct (Rle_lt_dec (h i - alpha * h j) 0) as [le | gt].
        + pose proof (D i j is_i is_j). assert (th * (h i - alpha * h j) <= 0); [|lra].
          rewrite <- (Rmult_0_r th). apply Rmult_le_compat_l; lra.
        + assert (th <= v i j - (f i - alpha * f j)).
          { apply Rle_trans with a; auto. apply (A (i, j)); [apply in_prod; auto|]. simpl.
            pose proof (R i j is_i is_j gt). lra. }
          assert (th * (h i - alpha * h j) <= th * 1) by (apply Rmult_le_compat_l; lra). lra.
    Qed.

    (** v is positive at every new pair. *)
    Lemma positive : forall n s t, In (s, t) new -> (rank s t <= n)%nat -> 0 < v s t.
    Proof.
      induction n as [n IH] using lt_wf_ind. intros s t I N.
      destruct (new_pairs s t I) as (is_s & is_t & same & x & y & f & h & R).
      assert (room : forall i j, state i -> state j -> 0 < h i - alpha * h j -> 0 < v i j).
      { intros i j is_i is_j P. destruct (PeanoNat.Nat.eq_dec (label c i) (label c j)) as [e | d].
        - destruct (escape_room _ _ _ _ _ _ R i j) as [[J K] | [_ K]]; auto.
          apply (IH (rank i j)); auto. lia.
        - rewrite (prefixed_labels v_prefixed); auto. lra. }
      destruct (theta_exists (fun _ => 0) h) as (th & P & F).
      - intros; lra.
      - apply R.
      - intros i j is_i is_j. pose proof (prefixed_01 v_prefixed i j is_i is_j). lra.
      - intros i j is_i is_j Q. pose proof (room i j is_i is_j Q). lra.
      - pose proof (prefixed_gain v_prefixed s t x y _ is_s is_t same (direction _ _ _ _ _ _ R) F) as G.
        rewrite gain_plus in G. pose proof (gain_zero c alpha x y). pose proof (escape_gain _ _ _ _ _ _ R).
        assert (0 < th * gain h x y) by (apply Rmult_lt_0_compat; auto). lra.
    Qed.

    (** A new pair of least rank where L = Q v. *)
    Lemma first_attained : forall Q n s t, In (s, t) new -> L s t = Q * v s t -> (rank s t <= n)%nat ->
      (forall i j, In (i, j) new -> L i j <= Q * v i j) ->
      exists i j, In (i, j) new /\ L i j = Q * v i j /\
        forall k l, In (k, l) new -> (rank k l < rank i j)%nat -> L k l < Q * v k l.
    Proof.
      intros Q. induction n as [n IH] using lt_wf_ind. intros s t I A N B.
      assert (D : forall l, (forall p, In p l -> In p new) ->
        (exists p, In p l /\ L (fst p) (snd p) = Q * v (fst p) (snd p) /\ (rank (fst p) (snd p) < rank s t)%nat) \/
        (forall p, In p l -> (rank (fst p) (snd p) < rank s t)%nat -> L (fst p) (snd p) < Q * v (fst p) (snd p))).
      { induction l as [|p l IHl]; intros sub; [right; simpl; tauto|].
        destruct IHl as [(p' & J & K) | K]; [intros; apply sub; simpl; auto | left; exists p'; simpl; tauto |].
        destruct (Compare_dec.lt_dec (rank (fst p) (snd p)) (rank s t)) as [lt | ge].
        - destruct (Req_dec (L (fst p) (snd p)) (Q * v (fst p) (snd p))) as [e | d].
          + left. exists p. simpl. auto.
          + right. intros p' [<- | J] lt'; [|auto]. specialize (B (fst p) (snd p)).
            rewrite <- surjective_pairing in B. specialize (B (sub p (or_introl eq_refl))). lra.
        - right. intros p' [<- | J] lt; [tauto | auto]. }
      destruct (D new (fun _ H => H)) as [((i, j) & J & K & lt) | K]; simpl in *.
      - apply (IH (rank i j)) with (s := i) (t := j); auto. lia.
      - exists s, t. repeat split; auto. intros k l J. apply (K (k, l) J).
    Qed.

    Theorem circular : forall s t, In (s, t) new -> L s t <= v s t.
    Proof.
      intros s0 t0 I0. destruct (Rle_lt_dec (L s0 t0) (v s0 t0)) as [|exceeds]; auto. exfalso.
      assert (V : forall i j, In (i, j) new -> 0 < v i j) by (intros; eapply positive; eauto).
      destruct (largest _ new (fun p => L (fst p) (snd p) / v (fst p) (snd p))) as ((a, b) & Iab & M).
      { intros ->. destruct I0. }
      simpl in M. set (Q := L a b / v a b) in *.
      assert (B : forall i j, In (i, j) new -> L i j <= Q * v i j).
      { intros i j I. pose proof (M (i, j) I) as m. simpl in m. pose proof (V i j I).
        apply (Rmult_le_compat_r (v i j)) in m; [|lra].
        unfold Rdiv in m. rewrite Rmult_assoc, Rinv_l in m by lra. lra. }
      assert (Q1 : 1 < Q).
      { pose proof (V s0 t0 I0). apply (Rmult_lt_reg_r (v s0 t0)); auto. pose proof (B s0 t0 I0). lra. }
      destruct (first_attained Q (rank a b) a b Iab) as (s & t & I & att & lower); auto.
      { unfold Q, Rdiv. rewrite Rmult_assoc, Rinv_l; [lra|]. pose proof (V a b Iab). lra. }
      destruct (new_pairs s t I) as (is_s & is_t & same & x & y & f & h & R).
      pose proof (leader_feasible _ _ _ _ _ _ R) as [F01 FD].
      assert (iQ : 0 < / Q < 1).
      { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_1_lt_contravar; lra. }
      assert (scaled : forall z w, z <= Q * w -> / Q * z <= w).
      { intros z w H. apply (Rmult_le_compat_l (/ Q)) in H; [|lra].
        rewrite <- Rmult_assoc, Rinv_l in H by lra. lra. }
      assert (scaled_lt : forall z w, z < Q * w -> / Q * z < w).
      { intros z w H. apply (Rmult_lt_compat_l (/ Q)) in H; [|lra].
        rewrite <- Rmult_assoc, Rinv_l in H by lra. lra. }
      assert (LQ : forall i j, state i -> state j -> L i j <= Q * v i j).
      { intros i j is_i is_j.
        destruct (in_dec (fun p r : nat * nat => ltac:(decide equality; apply PeanoNat.Nat.eq_dec)) (i, j) new); auto.
        pose proof (known i j is_i is_j n). pose proof (prefixed_01 v_prefixed i j is_i is_j).
        assert (1 * v i j <= Q * v i j) by (apply Rmult_le_compat_r; lra). lra. }
      destruct (theta_exists (fun i => / Q * f i) h) as (th & P & feas).
      - intros i is_i. pose proof (F01 i is_i). split; [apply Rmult_le_pos; lra|].
        apply scaled_lt. lra.
      - apply R.
      - intros i j is_i is_j. replace (_ - _) with (/ Q * (f i - alpha * f j)) by ring.
        apply scaled. apply Rle_trans with (L i j); auto.
      - intros i j is_i is_j room. replace (_ - _) with (/ Q * (f i - alpha * f j)) by ring.
        apply scaled_lt. pose proof (FD i j is_i is_j) as d.
        destruct (PeanoNat.Nat.eq_dec (label c i) (label c j)) as [e | n].
        + destruct (escape_room _ _ _ _ _ _ R i j) as [[J K] | [J K]]; auto.
          * pose proof (lower i j J K). lra.
          * pose proof (known i j is_i is_j J). assert (1 * v i j < Q * v i j) by (apply Rmult_lt_compat_r; lra). lra.
        + rewrite (prefixed_labels v_prefixed i j); auto.
          pose proof (difference_le_1 f i j F01 is_i is_j). lra.
      - pose proof (prefixed_gain v_prefixed s t x y _ is_s is_t same (direction _ _ _ _ _ _ R) feas) as G.
        rewrite gain_plus in G. pose proof (escape_gain _ _ _ _ _ _ R).
        assert (0 < th * gain h x y) by (apply Rmult_lt_0_compat; auto).
        assert (E : gain (fun i => / Q * f i) x y = / Q * gain f x y).
        { unfold Spec.gain. rewrite <- sum_scale. apply sum_ext. intros. ring. }
        pose proof (leader_gain _ _ _ _ _ _ R) as lead. rewrite att in lead.
        apply (Rmult_le_compat_l (/ Q)) in lead; [|lra]. rewrite <- Rmult_assoc, Rinv_l in lead by lra.
        rewrite E in G. lra.
    Qed.
  End Circular.
End Lower.
