(** What the checker of profiles accepts brackets the privacy profile. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Containers Trees Entries Document Checker Meaning Numbers
  SoundUpper SoundWords SoundLower Traces Curves Claims SoundClaims Beliefs SoundBeliefs Grid Cells Passes SoundGrid
  Types Frequencies LongRun SoundTypes Profile.
Import ListNotations.
Open Scope R_scope.

(** ** States with different labels *)

Lemma different_labels : forall c alpha s t, valid c -> 0 <= alpha -> is_state c s -> is_state c t ->
  label c s <> label c t -> is_lv c alpha s t 1.
Proof.
  intros c alpha s t V A S T N. split.
  - intros y (m & E & ->). pose proof (measure_01 c V m s E S). pose proof (measure_01 c V m t E T).
    assert (0 <= alpha * measure c m t E) by (apply Rmult_le_pos; lra). lra.
  - intros k K. apply K. exists 0%nat, (fun u => match u with l :: _ => Nat.eqb l (label c s) | [] => false end).
    unfold measure. simpl. rewrite PeanoNat.Nat.eqb_refl, (proj2 (PeanoNat.Nat.eqb_neq (label c t) (label c s))) by auto.
    lra.
Qed.

(** ** The profile as a function of alpha *)

Lemma lub_unique : forall (P : R -> Prop) x y, is_lub P x -> is_lub P y -> x = y.
Proof. intros P x y [X1 X2] [Y1 Y2]. apply Rle_antisym; auto. Qed.

Section Profile.
  Variables (c : chain) (V : valid c) (a b : vector).

  Lemma tells_alpha : forall alpha m E, tells c alpha a b m E = seen c a m E - alpha * seen c b m E.
  Proof. reflexivity. Qed.

  Lemma worth_convex : convex (fun alpha => worth c alpha V a b).
  Proof.
    intros x y k X Y K. apply worth_least. intros m E. rewrite tells_alpha.
    pose proof (tells_worth c x V a b m E) as WX. pose proof (tells_worth c y V a b m E) as WY. rewrite tells_alpha in WX, WY.
    replace (seen c a m E - ((1 - k) * x + k * y) * seen c b m E)
      with ((1 - k) * (seen c a m E - x * seen c b m E) + k * (seen c a m E - y * seen c b m E)) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  Qed.

  Lemma worth_falls : possible c b -> falling (fun alpha => worth c alpha V a b).
  Proof.
    intros P x y X Y. apply worth_least. intros m E. rewrite tells_alpha.
    pose proof (tells_worth c x V a b m E) as W. rewrite tells_alpha in W. pose proof (P m E).
    assert (x * seen c b m E <= y * seen c b m E) by (apply Rmult_le_compat_r; auto). lra.
  Qed.
End Profile.

Lemma unit_possible : forall c s, valid c -> is_state c s -> possible c (Traces.unit s).
Proof. intros c s V S m E. rewrite seen_unit by auto. apply (after_01 c V m s E S). Qed.

Lemma unit_mass : forall c s, valid c -> is_state c s -> mass c (Traces.unit s) = 1.
Proof. intros c s V S. rewrite mass_seen, seen_unit by auto. reflexivity. Qed.

(** A claim that passes the comparison brackets a profile W between the lists. *)
Lemma claim_brackets : forall c s t (W : R -> R) o p low high,
  (forall alpha, 0 <= alpha -> is_lv c alpha s t (W alpha)) -> convex W -> falling W ->
  (forall alpha, 0 <= alpha -> 1 - alpha <= W alpha <= 1) -> groups_ok low -> groups_ok high ->
  (forall alpha, 0 <= alpha -> curve (real_groups low) alpha <= W alpha <= curve (real_groups high) alpha) ->
  check_claim_of o p low high = true -> brackets c s t (real_atoms o) (real_atoms p).
Proof.
  intros c s t W o p low high LV WC WF W1 GL GH WB C alpha x AP X. unfold check_claim_of in C. cbn zeta in C.
  rewrite !andb_true_iff in C. destruct C as [[MO MP] [[IO CO] CP]].
  rewrite forallb_forall in IO.
  assert (I1 : in_order (snd (sorted low)) = true) by (apply IO; simpl; auto).
  assert (I2 : in_order (snd (sorted high)) = true) by (apply IO; simpl; auto).
  assert (I3 : in_order (snd (sorted (map atom_of o))) = true) by (apply IO; simpl; auto).
  assert (I4 : in_order (snd (sorted (map atom_of p))) = true) by (apply IO; simpl; auto 6).
  assert (P : forall l, may_be_claimed l = true -> (forall a, In a l -> positive_below (fst a) /\ positive_below (snd a)) /\
    sum_p (snd (sorted (map atom_of l))) = fst (sorted (map atom_of l)) /\ sum_q (snd (sorted (map atom_of l))) = fst (sorted (map atom_of l))).
  { intros l H. unfold may_be_claimed in H. apply andb_prop in H. destruct H as [H S]. rewrite forallb_forall in H.
    destruct (sorted (map atom_of l)) as [u a]. apply andb_prop in S. destruct S as [S1 S2]. apply Z.eqb_eq in S1, S2. cbn [fst snd].
    split; [|auto]. intros y I. specialize (H y I). rewrite !andb_true_iff, !Z.ltb_lt in H. split; apply H. }
  destruct (P o MO) as (PO & SO1 & SO2). destruct (P p MP) as (PP & SP1 & SP2). clear P.
  rewrite (lub_unique _ _ _ X (LV alpha AP)).
  destruct (sorted_curve low alpha GL I1) as [U1 C1]. destruct (sorted_curve high alpha GH I2) as [U2 C2].
  destruct (claimed_curve o alpha PO) as [G3 R3]. destruct (claimed_curve p alpha PP) as [G4 R4].
  destruct (sorted_curve (map atom_of o) alpha G3 I3) as [U3 C3]. destruct (sorted_curve (map atom_of p) alpha G4 I4) as [U4 C4].
  rewrite <- R3, <- R4, <- C3, <- C4.
  assert (HI : forall y, 0 <= y -> W y <= 1 /\ W y <= curve (real_slopes (fst (sorted high)) (snd (sorted high))) y).
  { intros y Y. split; [apply W1; auto|]. destruct (sorted_curve high y GH I2) as [_ ->]. apply WB. auto. }
  destruct (sorted low) as [u1 a1]. destruct (sorted high) as [u2 a2].
  destruct (sorted (map atom_of o)) as [u3 a3]. destruct (sorted (map atom_of p)) as [u4 a4]. cbn [fst snd] in *. split.
  - eapply Rle_trans; [apply (optimistic_below u3 u1 a3 a1); auto|]. apply Rmax_lub; [rewrite C1; apply WB; auto | apply W1; auto].
  - apply (pessimistic_above u4 u2 a4 a2); auto.
Qed.

(** ** The lists of the weights *)

Section Weighed.
  Variables (out : nat -> option (list zedge)) (m : nat -> weights) (shares : nat -> Z * list ratio) (alpha : R).
  Hypothesis shares_pos : forall v, (0 < fst (shares v))%Z.

  Definition shares_at (v : nat) (x y : R) : R := shares_loss alpha (snd (shares v)) x y / IZR (fst (shares v)).

  Lemma held_at_spec : forall l, (forall w, In w l -> weight_ok w) -> (0 < fst (held_at l))%Z /\
    forall f, sum (snd (held_at l)) (fun w => f (IZR (fst w) / IZR (fst (held_at l))) (IZR (snd w) / IZR (fst (held_at l))))
            = sum l (fun w => f (fst (both w)) (snd (both w))).
  Proof.
    intros l OK. destruct (lcm_all _ (fun w : ratio * number => snd (snd w)) l 1) as (P & _ & D); [lia | intros w I; apply (OK w I)|].
    change (fold_left _ l 1%Z) with (common l) in P, D. unfold held_at. cbn [fst snd]. split; auto. intros f. rewrite sum_map.
    apply sum_ext. intros [[p q] [n e]] I. destruct (OK _ I) as [E _]. unfold positive_below in E. cbn [fst snd] in *.
    pose proof (divided_exactly _ _ E (D _ I)) as X. cbn [fst snd] in X. unfold both, value. cbn [fst snd]. rewrite !mult_IZR.
    apply (f_equal IZR) in X. rewrite mult_IZR in X. apply IZR_pos in E, P.
    rewrite <- X in P. assert (IZR (common l / e) <> 0) by (intros Z0; rewrite Z0 in P; lra).
    rewrite <- X. f_equal; field; lra.
  Qed.

  Lemma leaf_curve : forall v, (forall w, In w (m v) -> weight_ok w) ->
    groups_ok (leaf_atoms out shares m v) /\
    curve (real_groups (leaf_atoms out shares m v)) alpha =
    match out v with None => sum (m v) (fun w => shares_at v (fst (both w)) (snd (both w))) | Some _ => 0 end.
  Proof.
    intros v OK. unfold leaf_atoms. destruct (out v); [split; [intros g [] | reflexivity]|].
    destruct (m v) as [|w0 l0] eqn:E; [split; [intros g [] | reflexivity]|]. rewrite <- E in *.
    destruct (held_at_spec (m v) OK) as [P H].
    destruct (node_atoms_curve (held_at (m v)) (shares v) alpha P (shares_pos v)) as [Q C]. split.
    - intros g [<- | []]. auto.
    - unfold real_groups. cbn [flat_map]. rewrite app_nil_r, C. rewrite <- (H (fun x y => shares_at v x y)). reflexivity.
  Qed.

  Lemma leaves_curve : forall l, (forall v w, In v l -> In w (m v) -> weight_ok w) ->
    groups_ok (flat_map (leaf_atoms out shares m) l) /\
    curve (real_groups (flat_map (leaf_atoms out shares m) l)) alpha =
    sum l (fun v => match out v with None => sum (m v) (fun w => shares_at v (fst (both w)) (snd (both w))) | Some _ => 0 end).
  Proof.
    induction l as [|v l IH]; intros OK; [split; [intros g [] | reflexivity]|].
    destruct IH as [G C]; [intros; apply (OK v0); simpl; auto|].
    destruct (leaf_curve v) as [G1 C1]; [intros; apply (OK v); simpl; auto|]. cbn [flat_map sum]. split.
    - intros g I. apply in_app_or in I. destruct I; auto.
    - rewrite <- C, <- C1. unfold real_groups. rewrite flat_map_app, !curve_loss, sum_app. auto.
  Qed.
End Weighed.

(** ** The theorem *)

(** What types are said to be worth is at most what they are. *)
Definition types_hold (z : zchain) (V : valid (meaning z)) (reach : option (Z * list (nat -> Z))) : Prop :=
  match reach with
  | None => True
  | Some (k, rs) => (0 < k)%Z /\ forall alpha a b, 0 <= alpha ->
      sum rs (fun r => loss alpha (sum (zstates z) (fun i => a i * IZR (r i))) (sum (zstates z) (fun i => b i * IZR (r i)))) / IZR k
      <= worth (meaning z) alpha V a b
  end.

Lemma types_sound : forall z t (V : valid (meaning z)), well_formed z -> check_types z t = true ->
  types_hold z V (Some (reach_of z t)).
Proof.
  intros z t V W C. destruct (least_step z) as (p & P & L).
  pose proof (types_worth z t W V C p P L) as T. destruct (parts_checked z t C) as (_ & _ & _ & _ & _ & O & _).
  unfold over_all in *. destruct (reach_of z t) as [k rs]. split; auto.
Qed.

Section Accepted.
  Variable d : profile.
  Hypothesis accepted : check_profile d = true.

  Notation z := (p_chain d).
  Notation c := (meaning z).
  Notation nodes := (p_node d).
  Notation count := (length (p_nodes d)).
  Notation A u := (vec (node_a (nodes u))).
  Notation B u := (vec (node_b (nodes u))).

  Lemma dot_states : forall l r, (forall e, In e l -> In (fst e) (zstates z)) ->
    IZR (fold_left (fun n e => n + snd e * r (fst e))%Z l 0%Z) = sum (zstates z) (fun i => vec l i * IZR (r i)).
  Proof.
    intros l r S. rewrite (vec_sum z l (fun i => IZR (r i)) S).
    assert (H : forall l n, IZR (fold_left (fun n e => n + snd e * r (fst e))%Z l n) = IZR n + dot l (fun i => IZR (r i))).
    { clear. induction l as [|e l IH]; intros n; simpl; [rewrite dot_nil; lra|]. rewrite IH, plus_IZR, mult_IZR. destruct e.
      rewrite dot_cons. cbn [fst snd]. lra. }
    rewrite H. lra.
  Qed.

  Section Node.
    Variables (is_coordinate : nat -> bool) (V : valid c) (alpha : R).
    Hypothesis alpha_pos : 0 <= alpha.
    Hypothesis nodes_checked : forall u, (u < count)%nat -> check_node z nodes is_coordinate u = true.

    Notation at_node := (node_worth c alpha V (fun v => A v) (fun v => B v)).
    Notation sound_node := (sound c (fun v => A v) (fun v => B v)).

    Variable reach : option (Z * list (nat -> Z)).
    Hypothesis types_ok : types_hold z V reach.

    Lemma least_pos : forall v, (0 < fst (least nodes reach v))%Z.
    Proof. intros. unfold least. destruct reach as [[k rs]|]; [destruct (closed nodes v); simpl; [lia | apply types_ok] | simpl; lia]. Qed.

    Lemma least_spec : forall v x y, (v < count)%nat -> shares_at (least nodes reach) alpha v x y <= at_node v x y.
    Proof.
      intros v x y H. unfold shares_at, least.
      assert (M : shares_loss alpha [masses nodes v] x y / 1 <= at_node v x y).
      { unfold Rdiv. rewrite Rinv_1, Rmult_1_r. apply (masses_least z nodes count is_coordinate nodes_checked alpha V v x y H). }
      destruct reach as [[k rs]|]; [|exact M]. destruct (closed nodes v); [exact M|]. cbn [fst snd].
      destruct types_ok as [K T]. eapply Rle_trans; [|apply (T alpha (fun i => x * A v i) (fun i => y * B v i) alpha_pos)]. right.
      unfold shares_loss. rewrite sum_map. f_equal. apply sum_ext. intros r _. cbn [fst snd].
      rewrite !dot_states; [|intros e I; apply (node_states z nodes count is_coordinate nodes_checked v e H); auto ..].
      rewrite <- !sum_scale. f_equal; apply sum_ext; intros; ring.
    Qed.

    Lemma most_at : forall v x y, (v < count)%nat -> sound_node v -> 0 <= x -> 0 <= y ->
      at_node v x y <= shares_at (fun u => (1%Z, most nodes u)) alpha v x y.
    Proof.
      intros v x y H S X Y. unfold shares_at. cbn [fst snd]. unfold Rdiv. rewrite Rinv_1, Rmult_1_r.
      apply (most_spec z nodes count is_coordinate nodes_checked alpha V alpha_pos v x y H S X Y).
    Qed.
  End Node.

  (** For two states with one label: the lists that are proved are below and above the worth. *)
  Lemma lists_bracket : forall is_coordinate future found reach low high (V : valid c) alpha,
    0 <= alpha -> (0 < count)%nat -> futures_hold c (combination future) -> types_hold z V reach ->
    (forall u, (u < count)%nat -> check_node z nodes is_coordinate u = true) ->
    sound c (fun v => A v) (fun v => B v) 0 -> mass c (A 0) = 1 -> mass c (B 0) = 1 ->
    (forall u es, (u < count)%nat -> outgoing found u = Some es ->
       steps c (combination future) (fun v => A v) (fun v => B v) u (map real_edge es) /\
       scales_ok c (fun v => A v) (fun v => B v) (map real_edge es) /\ forall e, In e es -> edge_ok count e) ->
    (forall u, ~ (u < count)%nat -> outgoing found u = None) ->
    (forall u, outgoing found u <> None -> node_next (nodes u) <> None) ->
    match p_grid d with
    | None => weighed_lists d (outgoing found) (least nodes reach) (fun u => (1%Z, most nodes u))
    | Some g => grid_lists d g (outgoing found) (least nodes reach) (fun u => (1%Z, most nodes u))
    end = Some (low, high) ->
    groups_ok low /\ groups_ok high /\
    curve (real_groups low) alpha <= node_worth c alpha V (fun v => A v) (fun v => B v) 0 1 1 <= curve (real_groups high) alpha.
  Proof.
    intros is_coordinate future found reach low high V alpha AP CP FH TH NC S0 MA MB ES BY NX E.
    set (out := outgoing found) in *.
    assert (LP : forall v, (0 < fst (least nodes reach v))%Z) by (intros; apply (least_pos V reach TH)).
    assert (MP : forall v : nat, (0 < fst ((fun u => (1%Z, most nodes u)) v))%Z) by (intros; simpl; lia).
    destruct (p_grid d) as [g|].
    - (* the grid *)
      unfold grid_lists in E. destruct (grid_ok g) eqn:GO; [|discriminate].
      destruct (grid_atoms _ _ _ _ false _) as [a|] eqn:GA; [|discriminate].
      destruct (grid_atoms _ _ _ _ true _) as [b|] eqn:GB; [|discriminate]. inversion E; subst low high. clear E.
      assert (FULL : forall u es, (u < count)%nat -> out u = Some es -> (0 < total (node_a (nodes u)))%Z).
      { intros u es U O. pose proof (NC u U) as K. unfold check_node in K. rewrite !andb_true_iff in K.
        destruct K as [[[_ K1] _] K2]. assert (N : node_next (nodes u) <> None) by (apply NX; fold out; congruence).
        destruct (node_next (nodes u)); [|tauto]. destruct (node_a (nodes u)); [discriminate|]. apply Z.ltb_lt. auto. }
      assert (MF : forall u, (node_a (nodes u) = [] \/ (0 < total (node_a (nodes u)))%Z) /\
                             (node_b (nodes u) = [] \/ (0 < total (node_b (nodes u)))%Z)).
      { intros u. destruct (Compare_dec.lt_dec u count) as [U | U]; [apply (node_masses z nodes count is_coordinate NC u U)|].
        unfold p_node, array. rewrite nth_overflow by lia. simpl. auto. }
      assert (SA : forall u e, (u < count)%nat -> In e (node_a (nodes u)) -> In (fst e) (zstates z))
        by (intros u e U I; apply (node_states z nodes count is_coordinate NC u e U); auto).
      assert (SB : forall u e, (u < count)%nat -> In e (node_b (nodes u)) -> In (fst e) (zstates z))
        by (intros u e U I; apply (node_states z nodes count is_coordinate NC u e U); auto).
      assert (ROOT : normal z nodes alpha V 0 1 1 = node_worth c alpha V (fun v => A v) (fun v => B v) 0 1 1).
      { unfold normal, mass_a, mass_b.
        assert (TA : total (node_a (nodes 0%nat)) = 1%Z) by (apply eq_IZR; rewrite <- (mass_vec z _ (fun e => SA 0%nat e CP)); auto).
        assert (TB : total (node_b (nodes 0%nat)) = 1%Z) by (apply eq_IZR; rewrite <- (mass_vec z _ (fun e => SB 0%nat e CP)); auto).
        rewrite TA, TB. unfold or_one. simpl. unfold Rdiv. rewrite Rinv_1, !Rmult_1_r. auto. }
      assert (GR : forall up (shares : nat -> Z * list ratio) l, (forall v, (0 < fst (shares v))%Z) ->
        grid_atoms nodes count out g up shares = Some l ->
        exists r, run g (width g) (filled (g_bits g) (width g)) up (pieces_at nodes out g up) = Some r /\
          groups_ok l /\ curve (real_groups l) alpha = sum r (fun e => cells_worth g (shares_of nodes alpha shares) (fst e) (snd e))).
      { intros up shares l SP H. unfold grid_atoms in H. cbn zeta in H. unfold memo1 in H.
        destruct (forallb _ _) in H; [|discriminate].
        change (match run g (width g) (filled (g_bits g) (width g)) up (pieces_at nodes out g up) with
                | Some l0 => Some (map (fun e => node_atoms (in_masses nodes g (fst e) (snd e)) (shares (fst e))) l0)
                | None => None end = Some l) in H.
        destruct (run _ _ _ _ _) as [r|]; [|discriminate]. inversion H; subst l. exists r. split; auto. clear H. split.
        - intros x I. apply in_map_iff in I. destruct I as (e & <- & _).
          apply (in_masses_curve nodes alpha MF g GO shares SP (snd e) (fst e)).
        - unfold real_groups. rewrite flat_map_concat_map, map_map, <- flat_map_concat_map, curve_loss, sum_flat_map.
          apply sum_ext. intros e _. rewrite <- curve_loss.
          apply (in_masses_curve nodes alpha MF g GO shares SP (snd e) (fst e)). }
      destruct (GR false _ a LP GA) as (ra & RA & GOA & ->). destruct (GR true _ b MP GB) as (rb & RB & GOB & ->).
      split; auto. split; auto. rewrite <- ROOT.
      assert (SO : forall shares v x y, shares_of nodes alpha shares v x y = shares_at shares alpha v (x / IZR (mass_a nodes v)) (y / IZR (mass_b nodes v)))
        by reflexivity.
      assert (DIV : forall x k, 0 <= x -> 0 < k -> 0 <= x / k) by (intros; apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto).
      split.
      + apply (optimistic_run z nodes count out (combination future) alpha V AP FH ES MF g GO _ CP S0); auto.
        intros v x y H X Y. rewrite SO. apply (least_spec is_coordinate V alpha AP NC reach TH v _ _ H).
      + apply (pessimistic_run z nodes count out (combination future) alpha V AP FH ES FULL MF SA g GO _ CP S0); auto.
        intros v x y [H S] X Y. rewrite SO. pose proof (ma_pos nodes MF v). pose proof (mb_pos nodes MF v).
        apply (most_at is_coordinate V alpha AP NC v _ _ H S); apply DIV; auto.
    - (* weights *)
      unfold weighed_lists in E. cbn zeta in E. set (m := held _) in E.
      destruct (_ && _) eqn:CK in E; [|discriminate]. inversion E; subst low high. clear E.
      apply andb_prop in CK. destruct CK as [_ flows].
      assert (EO : forall u es e, out u = Some es -> In e es -> edge_ok count e).
      { intros u es e O I. destruct (Compare_dec.lt_dec u count) as [U | U]; [apply (ES u es U O); auto|].
        rewrite (BY u U) in O. discriminate. }
      assert (OK : forall v w, In v (seq 0 count) -> In w (m v) -> weight_ok w).
      { intros v w I. apply in_seq in I. apply (weights_ok count out m flows v w). lia. }
      destruct (leaves_curve out m _ alpha LP (seq 0 count) OK) as [G1 ->].
      destruct (leaves_curve out m _ alpha MP (seq 0 count) OK) as [G2 ->]. split; auto. split; auto.
      pose proof (flow_holds count out m EO CP flows) as F.
      assert (IN : forall u es, In u (seq 0 count) -> real_out out u = Some es ->
        steps c (combination future) (fun v => A v) (fun v => B v) u es /\ scales_ok c (fun v => A v) (fun v => B v) es /\
        forall e, In e es -> In (edge_to e) (seq 0 count)).
      { intros u es U O. unfold real_out in O. destruct (out u) as [es'|] eqn:EQ; [|discriminate]. inversion O; subst.
        apply in_seq in U. destruct (ES u es') as (ST & SC & EK); auto; [lia|]. split; auto. split; auto.
        intros e I. apply in_map_iff in I. destruct I as (e' & <- & I). apply in_seq. destruct (EK e' I) as (_ & _ & T). simpl. lia. }
      rewrite (leaves_worth c alpha V (combination future) FH (seq 0 count) _ _ (real_out out) (fun v => map both (m v))
                 (fun u es U O => proj1 (IN u es U O)) F).
      assert (LEAF : forall v w, In v (seq 0 count) -> In w (m v) -> 0 <= fst (both w) /\ 0 <= snd (both w)).
      { intros v w I. apply in_seq in I. apply (weights_nonneg count out m flows v w). lia. }
      assert (RO : forall v, real_out out v = None <-> out v = None).
      { intros v. unfold real_out. destruct (out v); split; auto; discriminate. }
      split; apply sum_le; intros v I; assert (H : (v < count)%nat) by (apply in_seq in I; lia);
        unfold real_out; destruct (out v) eqn:O; cbn [option_map]; try lra; rewrite sum_map; apply sum_le; intros w J;
        destruct (LEAF v w I J) as [X Y].
      + apply (least_spec is_coordinate V alpha AP NC reach TH v _ _ H).
      + set (right := shares_at _ _ _ _ _). destruct (Rle_lt_dec (node_worth c alpha V (fun v => A v) (fun v => B v) v (fst (both w)) (snd (both w))) right)
          as [|L]; auto. exfalso.
        assert (RPOS : 0 <= right).
        { unfold right, shares_at. cbn [fst snd]. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. apply sum_pos. intros. apply loss_pos. }
        assert (NS : ~ sound c (fun v => A v) (fun v => B v) v).
        { intros S. pose proof (most_at is_coordinate V alpha AP NC v _ _ H S X Y). unfold right in L. lra. }
        assert (NM : forall u, In u (seq 0 count) ->
          (0 < mass c (A u) \/ (forall i, is_state c i -> A u i = 0)) /\ (0 < mass c (B u) \/ (forall i, is_state c i -> B u i = 0))).
        { intros u U. apply in_seq in U. assert (UC : (u < count)%nat) by lia.
          destruct (node_masses z nodes count is_coordinate NC u UC) as [NA NB]. split.
          - destruct NA as [-> | P]; [right; intros; unfold vec; apply dot_nil | left].
            rewrite mass_vec; [apply IZR_pos; auto|]. intros e J'. apply (node_states z nodes count is_coordinate NC u e UC). auto.
          - destruct NB as [-> | P]; [right; intros; unfold vec; apply dot_nil | left].
            rewrite mass_vec; [apply IZR_pos; auto|]. intros e J'. apply (node_states z nodes count is_coordinate NC u e UC). auto. }
        assert (WP : forall u x, In u (seq 0 count) -> In x (map both (m u)) -> 0 <= fst x /\ 0 <= snd x).
        { intros u x U XI. apply in_map_iff in XI. destruct XI as (w' & <- & WI). apply (LEAF u w' U WI). }
        pose proof (leaf_reached c V (combination future) FH (seq 0 count) (fun v => A v) (fun v => B v) (real_out out)
          (fun v => map both (m v)) (fun u es U O => proj1 (IN u es U O)) F S0
          (fun u es U O => proj1 (proj2 (IN u es U O))) WP NM (fun u es e U O => proj2 (proj2 (IN u es U O)) e)
          v (both w) I (proj2 (RO v) O) (in_map both _ _ J) NS) as Z0.
        assert (W0 : node_worth c alpha V (fun v => A v) (fun v => B v) v (fst (both w)) (snd (both w)) = 0)
          by (apply worth_zero; intros i IS; apply (Z0 i IS)). lra.
  Qed.

  (** The curves that are claimed bracket lv_alpha, for all alpha >= 0. *)
  Theorem accepted_profile : valid c /\ is_state c (p_s d) /\ is_state c (p_t d) /\
    brackets c (p_s d) (p_t d) (real_atoms (p_optimistic d)) (real_atoms (p_pessimistic d)).
  Proof.
    pose proof accepted as C. unfold check_profile in C. rewrite !andb_true_iff, !in_chain_spec in C.
    destruct C as [[[R S] T] [[[_ FC] TC] C]]. pose proof (chain_of_well_formed _ R) as W. pose proof (meaning_valid z W) as V.
    split; auto. split; auto. split; auto.
    destruct (PeanoNat.Nat.eqb_spec (zlabel z (p_s d)) (zlabel z (p_t d))) as [L | L].
    2:{ apply andb_prop in C. destruct C as [_ C].
        assert (E : forall alpha, 0 <= alpha -> curve (real_groups [(1%Z, [(1, 0); (0, 1)]%Z)]) alpha = 1).
        { intros alpha AP. unfold real_groups, group_atoms, curve. simpl. rewrite Rmax_right by lra. rewrite Rmax_left by lra. lra. }
        apply (claim_brackets c (p_s d) (p_t d) (fun _ => 1) _ _ _ _) with (8 := C).
        - intros alpha AP. apply different_labels; auto.
        - intros x y k _ _ K. lra.
        - intros x y _ _. lra.
        - intros alpha AP. lra.
        - intros g [<- | []]. simpl. lia.
        - intros g [<- | []]. simpl. lia.
        - intros alpha AP. rewrite E; auto. lra. }
    set (future := future_of (entry_of d)) in *. change (memo1 (p_size d) future) with future in *.
    set (found := found_edges d future) in *. change (memo1 count found) with found in C.
    change (memo1 count (outgoing found)) with (outgoing found) in C.
    set (reach := match p_types d with Some t => Some (reach_of z t) | None => None end) in *.
    unfold check_graph in C. cbn zeta in C. rewrite !andb_true_iff, forallb_forall in C. destruct C as [[root fine_nodes] C].
    rewrite forallb_forall in FC.
    assert (FU : forall j, future j = (1%Z, [(j, 1%Z)]) \/ check_future z future (no_entry (entry_of d)) j (future j) = true).
    { intros j. destruct (entry_of d j) as [x|] eqn:E.
      - right. assert (FJ : future j = x) by (unfold future, future_of; rewrite E; auto).
        rewrite FJ. apply spread_in in E. apply (FC _ E).
      - left. unfold future, future_of. rewrite E. auto. }
    assert (FP : forall j, (0 < fst (future j))%Z).
    { intros j. destruct (FU j) as [-> | H]; [simpl; lia|]. unfold check_future in H. cbn zeta in H.
      rewrite !andb_true_iff, Z.ltb_lt in H. tauto. }
    assert (FS : forall j e, In j (zstates z) -> In e (snd (future j)) -> In (fst e) (zstates z)).
    { intros j e J I. destruct (FU j) as [E | H].
      - rewrite E in I. destruct I as [<- | []]. auto.
      - unfold check_future in H. cbn zeta in H. rewrite !andb_true_iff, !forallb_forall in H.
        destruct H as [[_ H] _]. specialize (H e I). rewrite andb_true_iff, in_chain_spec in H. tauto. }
    assert (FH : futures_hold c (combination future)).
    { intros j J. change (same_steps z future j). destruct (FU j) as [E | H].
      - apply own_future; auto.
      - apply (listed_future z future 0 W FP FS j _ J H). }
    assert (NC : forall u, (u < count)%nat -> check_node z nodes (no_entry (entry_of d)) u = true).
    { intros u U. specialize (fine_nodes u). rewrite in_seq, andb_true_iff in fine_nodes. apply fine_nodes. lia. }
    assert (NX : forall u, outgoing found u <> None -> node_next (nodes u) <> None).
    { intros u O N. apply O. unfold outgoing, found, found_edges. rewrite N. auto. }
    assert (ES : forall u es, (u < count)%nat -> outgoing found u = Some es ->
      steps c (combination future) (fun v => A v) (fun v => B v) u (map real_edge es) /\
      scales_ok c (fun v => A v) (fun v => B v) (map real_edge es) /\ forall e, In e es -> edge_ok count e).
    { intros u es U O. unfold outgoing, found, found_edges in O. destruct (node_next (nodes u)) as [next|]; [|discriminate].
      destruct (edges_of z future nodes count u next) as [es'|] eqn:E; [|discriminate]. inversion O; subst es'.
      apply (edges_of_spec z future nodes count _ W FP NC u next es U E). }
    assert (BY : forall u, ~ (u < count)%nat -> outgoing found u = None).
    { intros u U. unfold outgoing, found, found_edges, p_node, array. rewrite nth_overflow by lia. reflexivity. }
    assert (CP : (0 < count)%nat) by (destruct (p_nodes d); [discriminate | simpl; lia]).
    assert (RW : forall x a, In x (zstates z) ->
      same_entries (collect Nat.compare a) (fst (future x)) (collect Nat.compare (snd (future x))) 1 = true ->
      forall i, vec a i = projected c (combination future) (Traces.unit x) i).
    { intros x a X H i. apply (same_entries_dot _ _ _ _ (at_key i)) in H. rewrite !(dot_collect nat_compare_eq) in H.
      unfold projected. change (states c) with (zstates z).
      rewrite (sum_ext _ (zstates z) _ (fun j => if Nat.eqb x j then combination future j i else 0))
        by (intros j _; unfold Traces.unit; destruct (Nat.eqb x j); ring).
      rewrite (sum_delta _ _ (fun j => combination future j i) (zstates_nodup z) X).
      unfold combination. pose proof (IZR_pos _ (FP x)).
      apply (Rmult_eq_reg_l (IZR (fst (future x)))); [|lra]. unfold vec. rewrite H. field. lra. }
    assert (R0 : (forall i, A 0%nat i = projected c (combination future) (Traces.unit (p_s d)) i) /\
                 (forall i, B 0%nat i = projected c (combination future) (Traces.unit (p_t d)) i)).
    { unfold p_node, array. unfold node_zero in root. destruct (p_nodes d) as [|u rest]; [discriminate|].
      apply andb_prop in root. destruct root as [RA RB]. split; intros i; apply RW; auto. }
    destruct R0 as [RA RB].
    assert (PU : forall x, is_state c x -> possible c (projected c (combination future) (Traces.unit x)))
      by (intros; apply projected_possible; auto; apply unit_possible; auto).
    assert (S0 : sound c (fun v => A v) (fun v => B v) 0).
    { split; [apply (possible_ext c _ _ (fun i _ => eq_sym (RA i))) | apply (possible_ext c _ _ (fun i _ => eq_sym (RB i)))]; auto. }
    assert (M1 : forall x a, is_state c x -> (forall i, vec a i = projected c (combination future) (Traces.unit x) i) -> mass c (vec a) = 1).
    { intros x a X H. rewrite <- (unit_mass c x V X), <- (projected_mass c V (combination future) FH (Traces.unit x)).
      apply sum_ext. intros; auto. }
    assert (ROOT : forall alpha, node_worth c alpha V (fun v => A v) (fun v => B v) 0 1 1
                               = worth c alpha V (Traces.unit (p_s d)) (Traces.unit (p_t d))).
    { intros alpha. rewrite <- (projected_worth c alpha V (combination future) FH (Traces.unit (p_s d))).
      apply worth_ext; intros i _; rewrite Rmult_1_l; auto. }
    assert (TH : types_hold z V reach).
    { unfold reach. destruct (p_types d) as [t|]; [apply types_sound; auto | exact I]. }
    destruct (match p_grid d with None => _ | Some _ => _ end) as [[low high]|] eqn:E in C; [|discriminate].
    assert (LB : forall alpha, 0 <= alpha -> groups_ok low /\ groups_ok high /\
      curve (real_groups low) alpha <= worth c alpha V (Traces.unit (p_s d)) (Traces.unit (p_t d)) <= curve (real_groups high) alpha).
    { intros alpha AP. rewrite <- ROOT.
      apply (lists_bracket (no_entry (entry_of d)) future found reach low high V alpha AP CP FH TH NC S0); auto;
        [apply (M1 (p_s d)) | apply (M1 (p_t d))]; auto. }
    destruct (LB 0) as (GL & GH & _); [lra|].
    apply (claim_brackets c (p_s d) (p_t d) (fun alpha => worth c alpha V (Traces.unit (p_s d)) (Traces.unit (p_t d))) _ _ low high); auto.
    - intros alpha AP. apply worth_lv; auto.
    - apply worth_convex.
    - apply worth_falls. apply unit_possible; auto.
    - intros alpha AP. split.
      + eapply Rle_trans; [|apply worth_mass]. rewrite !unit_mass by auto. lra.
      + eapply Rle_trans; [apply worth_at_most_mass; auto; apply unit_possible; auto|]. rewrite unit_mass; auto. lra.
    - intros alpha AP. apply LB. auto.
  Qed.

  (** What is claimed as the whole distribution is the whole distribution. *)
  Theorem accepted_distribution : p_above d = None -> is_pld c (p_s d) (p_t d) (real_atoms (p_optimistic d)).
  Proof.
    intros N alpha AP. destruct accepted_profile as (V & S & T & BR). unfold p_pessimistic in BR. rewrite N in BR.
    assert (X : exists x, is_lv c alpha (p_s d) (p_t d) x).
    { destruct (PeanoNat.Nat.eq_dec (label c (p_s d)) (label c (p_t d))) as [L | L].
      - eexists. apply (worth_lv c alpha V); auto.
      - eexists. apply different_labels; auto. }
    destruct X as (x & X). destruct (BR alpha x AP X). replace (curve _ alpha) with x; auto. lra.
  Qed.
End Accepted.
