(** What the checker accepts is true. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Quotient Containers Trees Entries Document Checker Meaning Numbers
  SoundUpper SoundWords SoundLower.
Import ListNotations.
Open Scope R_scope.

(** ** Stages *)

Section Stages.
  Variables (q : quantity) (p r digits : Z) (z : zchain) (clock words : nat) (v : Spec.table).
  Hypothesis z_ok : well_formed z.
  Hypothesis r_pos : (0 < r)%Z.
  Hypothesis alpha_1 : (r <= p)%Z.
  Hypothesis v_prefixed : prefixed q (meaning z) (IZR p / IZR r) v.

  Notation word_layers := (layers z digits 1 (fun _ => empty_word) words).
  Notation groups := (group_of (zlabel z) (zstates z)).
  Notation base_table := (memo2 (zsize z) (base q p r word_layers words)).
  Notation entered_ok := (entered_ok q z v).

  Lemma check_stage_sound : forall entered entered' s, entered_ok entered ->
    check_stage q p r z word_layers groups base_table clock words entered s = Some entered' -> entered_ok entered'.
  Proof.
    intros entered entered' s E H. unfold check_stage in H. cbn zeta in H.
    destruct (forallb (check_function z) (stage_functions s) && _) eqn:F; [|discriminate].
    apply andb_prop in F. destruct F as [F _]. rewrite forallb_forall in F.
    set (new := new_pairs q z entered (stage_functions s)) in *.
    change (memo2 (zsize z) (known q z base_table entered)) with (known q z base_table entered) in H.
    change (memo2 (zsize z) (known q z base_table (enter q z new entered))) with (known q z base_table (enter q z new entered)) in H.
    set (fits_known := forallb (fits p r z groups (known q z base_table entered)) _) in H.
    destruct (_ && _ && _) eqn:C in H; [|discriminate]. inversion H; subst entered'. clear H.
    rewrite !andb_true_iff in C. destruct C as [[C1 C2] C3].
    assert (O : forall f, In f (stage_functions s) -> check_objectives p r z (evaluate z clock f) = true).
    { intros f I. rewrite forallb_forall in C2. apply C2. apply in_map. auto. }
    assert (G : forall d, forallb (fits p r z groups d) (map (evaluate z clock) (stage_functions s)) = true ->
      forall f, In f (stage_functions s) -> fits p r z groups d (evaluate z clock f) = true).
    { intros d A f I. rewrite forallb_forall in A. apply A. apply in_map. auto. }
    destruct fits_known eqn:K.
    - apply (plain_stage q p r digits z clock words v); auto.
    - simpl in C1, C3. rewrite !andb_true_iff in C3. destruct C3 as [[C3 C4] C5].
      rewrite forallb_forall in C3, C4.
      apply (circular_stage q p r digits z clock words v) with (gs := stage_escapes s); auto.
  Qed.

  Lemma check_stages_sound : forall l entered entered', entered_ok entered ->
    check_stages q p r z word_layers groups base_table clock words entered l = Some entered' -> entered_ok entered'.
  Proof.
    induction l as [|s l IH]; simpl; intros entered entered' E H; [inversion H; subst; auto|].
    destruct (check_stage _ _ _ _ _ _ _ _ _ _ s) as [e|] eqn:S; [|discriminate].
    apply (IH e); auto. apply (check_stage_sound entered e s); auto.
  Qed.
End Stages.

(** ** The document *)

Section Document.
  Variable d : document.
  Hypothesis accepted : check d = true.

  Notation q := (quantity_of d).
  Notation p := (alpha_above d).
  Notation r := (alpha_below d).
  Notation alpha := (IZR p / IZR r).
  Notation model := (meaning (chain_of d)).
  Notation h := (representative (size d) (partition d)).
  Notation hm := (representative (size d) (merged d)).
  Notation z1 := (zquotient (chain_of d) h).
  Notation left := (array (steps_left d) 0%nat).
  Notation most := (match clock d with [] => 1%nat | _ => S (fold_left Nat.max (steps_left d) 0%nat) end).
  Notation z := (match clock d with [] => z1 | _ => ztimed z1 left most end).
  Notation zm := (zquotient z hm).
  Notation uppers := (upper_values q z (upper d)).
  Notation groups := (group_of (zlabel zm) (zstates zm)).
  Notation digits := (1 + fold_left (fun m s => Z.max m (Z.of_nat (zlabel zm s))) (zstates zm) 0)%Z.
  Notation word_layers := (layers zm digits 1 (fun _ => empty_word) (words d)).
  Notation base_table := (memo2 (zsize zm) (base q p r word_layers (words d))).

  Definition lower_of (entered : tree number) (s t : nat) : number :=
    if negb (zlabel z s =? zlabel z t)%nat then one
    else if (hm s =? hm t)%nat then zero else known q zm base_table entered (hm s) (hm t).

  Lemma checked : (0 < r)%Z /\ (r <= p)%Z /\ check_rows d = true /\ check_classes (chain_of d) h (partition d) = true /\
    match clock d with [] => True | ends => check_clock z1 ends left most = true end /\
    check_classes z hm (merged d) = true /\ check_upper q p r z (upper d) uppers = true /\
    exists entered,
      check_stages q p r zm word_layers groups base_table most (words d) empty (lower d) = Some entered /\
      forall c, In c (claims d) -> check_claim (lower_of entered) (upper_table q z uppers) z h c = true.
  Proof.
    pose proof accepted as H. unfold check in H. cbn zeta iota in H. rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in H.
    destruct H as [[[[[[[H1 H2] H3] H4] H5] H6] _] [H7 [_ H8]]].
    repeat (split; [solve [auto | destruct (clock d); auto]|]).
    destruct (check_stages _ _ _ _ _ _ _ _ _ _ _) as [entered|]; [|discriminate].
    exists entered. split; auto. rewrite forallb_forall in H8. auto.
  Qed.

  Lemma alpha_ok : 1 <= alpha.
  Proof. destruct checked as (R & A & _). apply (alpha_1R p r R A). Qed.

  Lemma model_ok : well_formed (chain_of d).
  Proof. apply chain_of_well_formed. apply checked. Qed.

  Lemma partition_ok : bisimulation model h.
  Proof.
    destruct checked as (_ & _ & _ & P & _).
    apply (check_classes_sound _ _ _ model_ok P).
  Qed.

  Lemma quotient_ok : well_formed z1.
  Proof. apply quotient_well_formed; [apply model_ok | apply partition_ok]. Qed.

  Lemma quotient_model : quotient model h = meaning z1.
  Proof. symmetry. apply meaning_quotient. apply model_ok. Qed.

  (** The clock, if there is one, keeps states and pre-fixed points. *)
  Lemma clock_ok : well_formed z /\ zsize z = size d /\ zstates z = zstates z1 /\
    forall q v, prefixed q (meaning z1) alpha v <-> prefixed q (meaning z) alpha v.
  Proof.
    pose proof quotient_ok as W. destruct checked as (_ & _ & _ & _ & C & _). destruct (clock d) as [|e ends].
    - split; [auto|]. split; [reflexivity|]. split; [reflexivity|]. intros; tauto.
    - set (m := S _) in *. destruct (check_clock_sound z1 (e :: ends) left m W C) as [counts below].
      split; [apply timed_well_formed; auto|]. repeat (split; [reflexivity|]). intros k v.
      rewrite meaning_timed.
      assert (F : forall s t, is_state (meaning z1) s -> is_state (meaning z1) t ->
        (fine m (zlabel z1 s) (left s) = fine m (zlabel z1 t) (left t) <->
         label (meaning z1) s = label (meaning z1) t /\ left s = left t)) by (intros; apply fine_eq; auto).
      split; intros V.
      + exact (timed_prefixed k (meaning z1) alpha left _ (meaning_valid z1 W) alpha_ok counts F v V).
      + exact (untimed_prefixed k (meaning z1) alpha left _ (meaning_valid z1 W) alpha_ok F v V).
  Qed.

  Lemma merged_ok : bisimulation (meaning z) hm.
  Proof.
    destruct checked as (_ & _ & _ & _ & _ & M & _). destruct clock_ok as (W & _).
    exact (check_classes_sound _ _ _ W M).
  Qed.

  Lemma merged_well_formed : well_formed zm.
  Proof. apply quotient_well_formed; [apply clock_ok | apply merged_ok]. Qed.

  (** ** Claims *)

  Section Claim.
    Variable c : claim.
    Hypothesis claimed : In c (claims d).

    Notation s := (h (claim_s c)).
    Notation t := (h (claim_t c)).

    Lemma claim_checked : exists entered,
      check_stages q p r zm word_layers groups base_table most (words d) empty (lower d) = Some entered /\
      In s (zstates z) /\ In t (zstates z) /\ positive_below (claim_lower c) /\ positive_below (claim_upper c) /\
      (at_most (claim_lower c) (lower_of entered s t) = true \/ (fst (claim_lower c) <= 0)%Z) /\
      (at_most (upper_table q z uppers s t) (claim_upper c) = true \/ at_most one (claim_upper c) = true).
    Proof.
      destruct checked as (_ & _ & _ & _ & _ & _ & _ & entered & E & C). exists entered. split; auto.
      specialize (C c claimed). unfold check_claim in C.
      rewrite !andb_true_iff, !orb_true_iff, !Z.ltb_lt, Z.leb_le, !in_chain_spec in C. tauto.
    Qed.

    (** The two bounds, for a pre-fixed point of the quotient and for the distance. *)
    Lemma claim_below : forall v, prefixed q (quotient model h) alpha v -> value (claim_lower c) <= v s t.
    Proof.
      intros v V. rewrite quotient_model in V.
      destruct claim_checked as (entered & E & S & T & LP & _ & L & _).
      destruct clock_ok as (W & SZ & ST & P). apply P in V.
      destruct checked as (R & A & _).
      assert (V0 : 0 <= v s t) by (apply (prefixed_01 V); auto).
      destruct L as [L | L].
      2:{ eapply Rle_trans; [|apply V0]. unfold value, Rdiv. apply IZR_le in L. apply IZR_pos in LP.
          pose proof (Rinv_0_lt_compat _ LP). rewrite <- (Rmult_0_l (/ IZR (snd (claim_lower c)))).
          apply Rmult_le_compat_r; lra. }
      assert (K : positive_below (lower_of entered s t) /\ value (lower_of entered s t) <= v s t).
      2:{ destruct K as [K1 K2]. eapply Rle_trans; [apply at_most_value; eauto | auto]. }
      pose proof merged_well_formed as MW. pose proof merged_ok as MB.
      pose proof (merged_prefixed q (meaning z) alpha hm (meaning_valid z W) alpha_ok MB v V) as VM.
      rewrite <- (meaning_quotient z hm W) in VM.
      unfold lower_of. destruct (Nat.eqb_spec (zlabel z s) (zlabel z t)) as [LE | LN]; simpl negb; cbn iota.
      2:{ split; [unfold positive_below; simpl; lia|]. unfold one. rewrite value_one, (prefixed_labels V); auto; lra. }
      destruct (Nat.eqb_spec (hm s) (hm t)) as [HE | HN].
      { split; [unfold positive_below; simpl; lia|]. unfold zero. rewrite value_zero. auto. }
      pose proof (check_stages_sound q p r digits zm most (words d) _ MW R A VM (lower d) empty entered
                    (fun k x H => ltac:(discriminate H)) E) as EN.
      assert (SM : In (hm s) (zstates zm) /\ In (hm t) (zstates zm) /\ zlabel zm (hm s) = zlabel zm (hm t)).
      { pose proof (class_state (meaning z) hm MB s S) as A1. pose proof (class_state (meaning z) hm MB t T) as A2.
        rewrite <- (meaning_quotient z hm W) in A1, A2. split; [exact A1|]. split; [exact A2|].
        destruct (MB s S) as (_ & _ & L1 & _). destruct (MB t T) as (_ & _ & L2 & _). simpl in *. congruence. }
      destruct SM as (S1 & T1 & L1). split.
      - apply (known_numbers q p r digits zm (words d) MW R). intros k x X. destruct (EN k x X) as (? & ? & _). auto.
      - eapply Rle_trans; [apply (known_below q p r digits zm (words d) _ MW R A VM entered EN (hm s) (hm t)); auto|].
        apply (least_between_le (meaning z) hm v s t S T).
    Qed.

    Lemma claim_above : forall e, is_distance q (quotient model h) alpha e -> e s t <= value (claim_upper c).
    Proof.
      intros e D. rewrite quotient_model in D.
      destruct claim_checked as (entered & _ & S & T & _ & UP & _ & U).
      destruct clock_ok as (W & SZ & ST & P). destruct checked as (R & A & _ & _ & _ & _ & C & _).
      pose proof (meaning_valid z1 quotient_ok) as V1. pose proof alpha_ok as A1.
      assert (S1 : is_state (meaning z1) s) by (rewrite ST in S; exact S).
      assert (T1 : is_state (meaning z1) t) by (rewrite ST in T; exact T).
      destruct U as [U | U].
      - apply at_most_value in U; auto; [|apply (table_ok q p r z (upper d) C)].
        eapply Rle_trans; [|apply U].
        eapply Rle_trans; [apply (distance_least q (meaning z1) alpha V1 A1 e (bound q z (upper d)) s t D); auto|].
        + apply P. apply (bound_prefixed q p r z (upper d) W R A C).
        + apply Rmin_r.
      - apply at_most_value in U; auto; [|unfold positive_below; simpl; lia].
        unfold one in U. rewrite value_one in U. eapply Rle_trans; [|apply U].
        destruct D as [D _]. apply (D s t S1 T1).
    Qed.

    Lemma claim_states : is_state model (claim_s c) /\ is_state model (claim_t c).
    Proof.
      destruct claim_checked as (_ & _ & S & T & _). destruct clock_ok as (_ & _ & ST & _). rewrite ST in S, T.
      assert (H : forall x, In (h x) (zstates z1) -> is_state model x).
      { intros x I. assert (Q : is_state model (h x)).
        { assert (J : is_state (quotient model h) (h x)) by (rewrite quotient_model; exact I).
          apply merged_state in J. tauto. }
        destruct (representative_spec (size d) (partition d) x) as [E | (k & rest & J & K & _)]; [rewrite E in Q; auto|].
        destruct checked as (_ & _ & _ & P & _). apply andb_prop in P. destruct P as [_ P].
        rewrite forallb_forall in P. specialize (P _ J). cbn [check_class] in P. rewrite forallb_forall in P.
        specialize (P x K). rewrite !andb_true_iff, in_chain_spec in P. tauto. }
      auto.
    Qed.
  End Claim.
End Document.

(** * The theorems *)

Section Theorems.
  Variable d : document.
  Hypothesis accepted : check d = true.

  Notation q := (quantity_of d).
  Notation alpha := (IZR (alpha_above d) / IZR (alpha_below d)).
  Notation model := (meaning (chain_of d)).
  Notation h := (representative (size d) (partition d)).

  (** The model is a chain, alpha is at least 1, and the partition is a bisimulation. *)
  Theorem accepted_model : valid model /\ 1 <= alpha /\ bisimulation model h.
  Proof.
    split; [apply meaning_valid, model_ok; auto|]. split; [apply alpha_ok; auto | apply partition_ok; auto].
  Qed.

  (** Every claim holds, about the quotient by the partition. *)
  Theorem accepted_claims : forall c, In c (claims d) ->
    claim_holds q (quotient model h) alpha (h (claim_s c)) (h (claim_t c)) (value (claim_lower c)) (value (claim_upper c)).
  Proof.
    intros c C e D. destruct accepted_model as (V & A & B). split; [|apply (claim_above d accepted c C e D)].
    apply (claim_below d accepted c C). apply distance_prefixed; auto.
  Qed.

  (** The lower bound is one for the chain itself. *)
  Theorem accepted_lower : forall c e, In c (claims d) -> is_distance q model alpha e ->
    value (claim_lower c) <= e (claim_s c) (claim_t c).
  Proof.
    intros c e C D. destruct accepted_model as (V & A & B). destruct (claim_states d accepted c C) as [S T].
    apply (below_merged q model alpha h V A B (claim_s c) (claim_t c) _ S T) with (v := e).
    - intros w W. apply (claim_below d accepted c C). auto.
    - apply distance_prefixed; auto.
  Qed.

  (** The upper bound is one for the true delta of the chain itself: tv_alpha for bd, lv_alpha for ld. *)
  Theorem accepted_delta : forall c x, In c (claims d) ->
    match q with bd => is_tv | ld => is_lv end model alpha (claim_s c) (claim_t c) x -> x <= value (claim_upper c).
  Proof.
    intros c x C H. destruct accepted_model as (V & A & B). destruct (claim_states d accepted c C) as [S T].
    pose proof (merged_valid model h V B) as VQ.
    destruct (distance_exists q (quotient model h) alpha VQ A) as (e & D).
    eapply Rle_trans; [|apply (claim_above d accepted c C e D)].
    assert (L : forall m s t E, is_state model s -> is_state model t -> measure model m s E - alpha * measure model m t E
                 = measure (quotient model h) m (h s) E - alpha * measure (quotient model h) m (h t) E)
      by (intros; rewrite !(merged_measure model h); auto).
    assert (K : forall s t a b m E, is_state model s -> is_state model t -> In (a, b) (turns q s t) ->
      measure model m a E - alpha * measure model m b E <= e (h s) (h t)).
    { intros s t a b m E HS HT I. rewrite L by (destruct q; simpl in I; intuition congruence).
      apply (measure_below (quotient model h) alpha VQ A q); auto.
      - apply distance_prefixed; auto.
      - apply class_state; auto.
      - apply class_state; auto.
      - destruct q; simpl in *; intuition congruence. }
    destruct q.
    - destruct H as (y & w & [_ Y] & [_ W] & ->). apply Rmax_lub; [apply Y | apply W]; intros k (m & E & ->);
        apply (K (claim_s c) (claim_t c)); simpl; auto.
    - destruct H as [_ H]. apply H. intros k (m & E & ->). apply (K (claim_s c) (claim_t c)); simpl; auto.
  Qed.
End Theorems.



