(** The graph of beliefs and its weights are what the chain and the certificate say. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Containers Trees Entries Document Checker Meaning Numbers
  SoundUpper SoundWords SoundLower Traces Curves Claims SoundClaims Beliefs.
Import ListNotations.
Open Scope R_scope.

(** ** Weights *)

Lemma reduced_ok : forall x, positive_below x -> positive_below (reduced x) /\ value (reduced x) = value x.
Proof.
  intros [n d] D. unfold reduced, positive_below, value in *. simpl in *.
  destruct (Z.ltb_spec 0 (Z.gcd n d)) as [G|]; simpl; auto.
  pose proof (divided_exactly _ n G (Z.gcd_divide_l n d)) as N.
  pose proof (divided_exactly _ d G (Z.gcd_divide_r n d)) as M.
  assert (P : (0 < d / Z.gcd n d)%Z) by nia. split; auto.
  apply (f_equal IZR) in N, M. rewrite mult_IZR in N, M. rewrite <- N, <- M. apply IZR_pos in P, G. field. lra.
Qed.

(** A weight as the two numbers that it stands for. *)
Definition both (w : ratio * number) : R * R := (value (snd w) * IZR (fst (fst w)), value (snd w) * IZR (snd (fst w))).

Definition weight_ok (w : ratio * number) : Prop := positive_below (snd w) /\ 0 < value (snd w).

Lemma weight_spec : forall x y d, (0 < d)%Z ->
  weight_ok (weight x y d) /\ both (weight x y d) = (IZR x / IZR d, IZR y / IZR d).
Proof.
  intros x y d D. unfold weight, weight_ok, both. destruct (Z.ltb_spec 0 (Z.gcd x y)) as [G|]; simpl fst; simpl snd.
  - destruct (reduced_ok (Z.gcd x y, d)) as [P V]; [exact D|]. rewrite V.
    split; [split; auto; apply value_positive; auto|].
    pose proof (divided_exactly _ x G (Z.gcd_divide_l x y)) as X. pose proof (divided_exactly _ y G (Z.gcd_divide_r x y)) as Y.
    apply (f_equal IZR) in X, Y. rewrite mult_IZR in X, Y. rewrite <- X, <- Y.
    unfold value. simpl fst. simpl snd. apply IZR_pos in D. f_equal; field; lra.
  - split; [split; [exact D | apply value_positive; [exact D | simpl; lia]]|].
    unfold value. simpl. pose proof (IZR_pos d D). f_equal; field; lra.
Qed.

Lemma scaled_spec : forall g h w, positive_below g -> positive_below h -> weight_ok w ->
  weight_ok (scaled g h w) /\ both (scaled g h w) = (value g * fst (both w), value h * snd (both w)).
Proof.
  intros g h [[p q] c] G H [C P]. unfold scaled.
  destruct (weight_spec (fst g * p * snd h) (fst h * q * snd g) (snd g * snd h)) as [[F1 F2] F3];
    [apply Z.mul_pos_pos; auto|].
  destruct (weight _ _ _) as [k f]. unfold weight_ok, both in *. simpl fst in *. simpl snd in *.
  assert (D : positive_below (fst c * fst f, snd c * snd f)%Z) by (apply Z.mul_pos_pos; auto).
  destruct (reduced_ok _ D) as [D1 D2]. rewrite D2.
  assert (E : value (fst c * fst f, snd c * snd f)%Z = value c * value f).
  { unfold value. simpl. rewrite !mult_IZR. apply IZR_pos in C, F1. field. lra. }
  rewrite E. split; [split; auto; apply Rmult_lt_0_compat; auto|].
  inversion F3 as [[X Y]]. rewrite !mult_IZR in X, Y.
  rewrite !Rmult_assoc, X, Y. unfold value. apply IZR_pos in G, H, C. f_equal; field; lra.
Qed.

Lemma of_pair_spec : forall w, positive_below (fst w) -> positive_below (snd w) ->
  weight_ok (of_pair w) /\ both (of_pair w) = (value (fst w), value (snd w)).
Proof.
  intros [x y] X Y. unfold of_pair.
  destruct (weight_spec (fst x * snd y) (fst y * snd x) (snd x * snd y)) as [A B]; [apply Z.mul_pos_pos; auto|].
  split; auto. rewrite B. rewrite !mult_IZR. unfold positive_below in X, Y. simpl in X, Y. pose proof (IZR_pos _ X). pose proof (IZR_pos _ Y).
  unfold value. simpl. f_equal; field; lra.
Qed.

(** Sums over weights of a function of ratios, and of one that is homogeneous. *)
Definition over_weights (l : weights) (f : R -> R -> R) : R :=
  sum l (fun w => value (snd w) * f (IZR (fst (fst w))) (IZR (snd (fst w)))).

Lemma homogeneous_weight : forall (f : R -> R -> R) w, (forall k x y, 0 < k -> f (k * x) (k * y) = k * f x y) ->
  weight_ok w -> value (snd w) * f (IZR (fst (fst w))) (IZR (snd (fst w))) = f (fst (both w)) (snd (both w)).
Proof. intros f w H [_ P]. unfold both. simpl. rewrite H; auto. Qed.

Lemma same_weights_sum : forall a b f, same_weights a b = true -> over_weights a f = over_weights b f.
Proof.
  intros a b f H. unfold same_weights in H. set (l := a ++ map opposite b) in *.
  apply andb_prop in H. destruct H as [D Z]. rewrite forallb_forall in D, Z.
  destruct (lcm_all _ (fun w : ratio * number => snd (snd w)) l 1) as (P & _ & V); [lia | intros; apply Z.ltb_lt; auto|].
  change (fold_left _ l 1%Z) with (common l) in P, V.
  assert (S : dot (by_ratio (common l) l) (fun k => f (IZR (fst k)) (IZR (snd k))) = IZR (common l) * over_weights l f).
  { unfold by_ratio. rewrite (dot_collect compare_ratio_eq). unfold dot, over_weights. rewrite sum_map, <- sum_scale.
    apply sum_ext. intros [[x y] [n d]] I.
    assert (DP : (0 < d)%Z) by (apply Z.ltb_lt; apply (D _ I)).
    pose proof (divided_exactly _ _ DP (V _ I)) as E. apply (f_equal IZR) in E. rewrite mult_IZR in E.
    unfold value. cbn [fst snd] in *. rewrite mult_IZR, <- E. apply IZR_pos in DP. field. lra. }
  assert (N : dot (by_ratio (common l) l) (fun k => f (IZR (fst k)) (IZR (snd k))) = 0).
  { apply sum_zero. intros e I. specialize (Z e I). apply Z.eqb_eq in Z. rewrite Z. lra. }
  rewrite N in S. apply IZR_pos in P.
  assert (O : over_weights l f = 0) by (apply (Rmult_eq_reg_l (IZR (common l))); lra).
  unfold over_weights, l in O. rewrite sum_app, sum_map in O. unfold over_weights.
  rewrite (sum_ext _ b _ (fun w => - (1) * (value (snd w) * f (IZR (fst (fst w))) (IZR (snd (fst w)))))) in O.
  - rewrite sum_scale in O. lra.
  - intros w _. unfold opposite, value. simpl. rewrite opp_IZR. unfold Rdiv. ring.
Qed.

(** ** What is put together at the nodes *)

Lemma sum_put : forall (ks : list nat) (F : nat -> ratio * number -> R) t e, NoDup ks -> In (fst e) ks ->
  sum ks (fun v => sum (held (put t e) v) (F v)) = sum ks (fun v => sum (held t v) (F v)) + F (fst e) (snd e).
Proof.
  intros ks F t [k w] N I. simpl fst in *. simpl snd.
  rewrite <- (sum_delta ks k (fun v => F v w) N I), <- sum_plus. apply sum_ext. intros v _.
  unfold put. cbn [fst snd]. destruct (PeanoNat.Nat.eqb_spec v k) as [-> | V].
  - rewrite PeanoNat.Nat.eqb_refl. unfold held. rewrite find_add, PeanoNat.Nat.eqb_refl. cbn [sum].
    rewrite Rplus_comm. reflexivity.
  - rewrite (proj2 (PeanoNat.Nat.eqb_neq k v)) by auto. unfold held.
    rewrite find_add, (proj2 (PeanoNat.Nat.eqb_neq v k)) by auto. rewrite Rplus_0_r. reflexivity.
Qed.

Lemma sum_gathered : forall (ks : list nat) (F : nat -> ratio * number -> R) l t, NoDup ks ->
  (forall e, In e l -> In (fst e) ks) ->
  sum ks (fun v => sum (held (fold_left put l t) v) (F v)) =
  sum ks (fun v => sum (held t v) (F v)) + sum l (fun e => F (fst e) (snd e)).
Proof.
  intros ks F. induction l as [|e l IH]; intros t N I; simpl; [lra|].
  rewrite IH; auto; [|intros; apply I; simpl; auto]. rewrite sum_put; auto; [lra | apply I; simpl; auto].
Qed.

Section Profile.
  Variables (z : zchain) (nodes : nat -> node) (count : nat) (out : nat -> option (list zedge)) (m : nat -> weights).
  Hypothesis z_ok : well_formed z.

  Notation c := (meaning z).

  Definition vec (l : list (nat * Z)) : vector := fun i => dot l (at_key i).

  Lemma vec_sum : forall l f, (forall e, In e l -> In (fst e) (zstates z)) ->
    sum (zstates z) (fun i => vec l i * f i) = dot l f.
  Proof.
    intros l f I. unfold vec, dot.
    transitivity (sum (zstates z) (fun i => sum l (fun e => IZR (snd e) * (if Nat.eqb (fst e) i then f i else 0)))).
    - apply sum_ext. intros i _. rewrite <- sum_scale_r. apply sum_ext. intros e _. unfold at_key.
      destruct (Nat.eqb (fst e) i); ring.
    - rewrite sum_swap. apply sum_ext. intros e J. rewrite sum_scale. f_equal. apply sum_delta; auto. apply zstates_nodup.
  Qed.

  Definition real_edge (e : zedge) : edge :=
    {| edge_label := e_label e; edge_to := e_to e; edge_g := value (e_g e); edge_h := value (e_h e) |}.

  Definition real_out (u : nat) : option (list edge) := option_map (map real_edge) (out u).

  Definition edge_ok (e : zedge) : Prop := positive_below (e_g e) /\ positive_below (e_h e) /\ (e_to e < count)%nat.

  Hypothesis edges_ok : forall u es e, out u = Some es -> In e es -> edge_ok e.
  Hypothesis some_node : (0 < count)%nat.
  Hypothesis flow_checked : check_flow count out m = true.

  Lemma weights_fine : forall v w, (v < count)%nat -> In w (m v) ->
    weight_ok w /\ (0 <= fst (fst w))%Z /\ (0 <= snd (fst w))%Z.
  Proof.
    intros v w V I. unfold check_flow in flow_checked. rewrite forallb_forall in flow_checked.
    specialize (flow_checked v). rewrite in_seq in flow_checked. specialize (flow_checked (conj (Nat.le_0_l v) V)).
    apply andb_prop in flow_checked. destruct flow_checked as [F _]. rewrite forallb_forall in F. specialize (F w I).
    rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in F. destruct F as [[[P Q] X] Y].
    split; [split; [apply Q | apply value_positive; auto] | auto].
  Qed.

  Lemma weights_ok : forall v w, (v < count)%nat -> In w (m v) -> weight_ok w.
  Proof. intros v w V I. apply (weights_fine v w V I). Qed.

  (** Both numbers of a weight are at least 0. *)
  Lemma weights_nonneg : forall v w, (v < count)%nat -> In w (m v) -> 0 <= fst (both w) /\ 0 <= snd (both w).
  Proof.
    intros v w V I. destruct (weights_fine v w V I) as ([_ P] & X & Y). apply IZR_le in X, Y. unfold both. cbn [fst snd].
    split; apply Rmult_le_pos; lra.
  Qed.

  Lemma flow_holds : flow (seq 0 count) real_out (fun v => map both (m v)).
  Proof.
    intros f H. pose proof flow_checked as C. unfold check_flow in C. cbn zeta in C.
    set (flat := (0%nat, (1, 1, (1, 1)))%Z :: flat_map (fun u => flowing out u (m u)) (seq 0 count)) in *.
    rewrite forallb_forall in C.
    assert (K : forall e, In e flat -> In (fst e) (seq 0 count)).
    { intros e [<- | I]; [apply in_seq; simpl; lia|]. apply in_flat_map in I. destruct I as (u & _ & I).
      unfold flowing in I. destruct (out u) as [es|] eqn:O; [|destruct I]. apply in_flat_map in I.
      destruct I as (x & X & I). apply in_map_iff in I. destruct I as (w & <- & _). apply in_seq. simpl.
      destruct (edges_ok u es x O X) as (_ & _ & L). lia. }
    pose (F := fun v (w : ratio * number) => value (snd w) * f v (IZR (fst (fst w))) (IZR (snd (fst w)))).
    transitivity (sum (seq 0 count) (fun v => sum (held (fold_left put flat empty) v) (F v))).
    { apply sum_ext. intros v I. assert (V : (v < count)%nat) by (apply in_seq in I; lia).
      rewrite sum_map. specialize (C v I). apply andb_prop in C. destruct C as [_ C].
      apply (same_weights_sum _ _ (f v)) in C. symmetry. etransitivity; [apply C|]. apply sum_ext. intros w W.
      apply homogeneous_weight; [apply H | apply (weights_ok v); auto]. }
    rewrite sum_gathered; auto; [|apply seq_NoDup].
    rewrite sum_zero by (intros; reflexivity). rewrite Rplus_0_l. unfold flat. simpl sum at 1.
    unfold F at 1. simpl fst. simpl snd. unfold value at 1. simpl. rewrite sum_flat_map. f_equal; [lra|].
    apply sum_ext. intros u I. assert (V : (u < count)%nat) by (apply in_seq in I; lia).
    unfold flowing, real_out. destruct (out u) as [es|] eqn:O; simpl; auto.
    rewrite sum_flat_map, sum_map.
    rewrite (sum_ext _ (m u) _ (fun w => sum es (fun e => f (e_to e) (value (e_g e) * fst (both w)) (value (e_h e) * snd (both w)))))
      by (intros; rewrite sum_map; reflexivity).
    rewrite sum_swap. apply sum_ext. intros e E. rewrite sum_map. apply sum_ext. intros w W. unfold F. simpl fst. simpl snd.
    destruct (edges_ok u es e O E) as (G & HH & _).
    destruct (scaled_spec (e_g e) (e_h e) w G HH (weights_ok u w V W)) as [S1 S2].
    rewrite homogeneous_weight; auto. rewrite S2. reflexivity.
  Qed.
End Profile.

(** ** The nodes *)

Section Nodes.
  Variables (z : zchain) (future : nat -> Z * list (nat * Z)) (nodes : nat -> node) (count : nat) (is_coordinate : nat -> bool).
  Hypothesis z_ok : well_formed z.
  Hypothesis future_pos : forall j, (0 < fst (future j))%Z.
  Hypothesis future_states : forall j e, In j (zstates z) -> In e (snd (future j)) -> In (fst e) (zstates z).
  Hypothesis nodes_checked : forall u, (u < count)%nat -> check_node z nodes is_coordinate u = true.

  Notation c := (meaning z).
  Notation A u := (vec (node_a (nodes u))).
  Notation B u := (vec (node_b (nodes u))).

  (** The combination that has the future of j. *)
  Definition combination (j : nat) : vector := fun i => dot (snd (future j)) (at_key i) / IZR (fst (future j)).

  Notation proj := (projected c combination).

  Lemma node_states : forall u e, (u < count)%nat -> In e (node_a (nodes u)) \/ In e (node_b (nodes u)) ->
    In (fst e) (zstates z).
  Proof.
    intros u e U I. pose proof (nodes_checked u U) as C. unfold check_node in C. rewrite !andb_true_iff, forallb_forall in C.
    destruct C as [[[[[C _] _] _] _] _]. specialize (C e). rewrite in_app_iff in C. specialize (C I).
    rewrite !andb_true_iff, in_chain_spec in C. tauto.
  Qed.

  Lemma image_spec : forall over row a f, (forall i, (0 < over i)%Z) ->
    (0 < fst (image over row a))%Z /\
    dot (snd (image over row a)) f = IZR (fst (image over row a)) * dot a (fun i => dot (row i) f / IZR (over i)).
  Proof.
    intros over row a f O. unfold image. set (d := fold_left _ a 1%Z).
    destruct (lcm_all _ (fun e : nat * Z => over (fst e)) a 1) as (P & _ & V); [lia | auto |].
    change (fold_left _ a 1%Z) with d in P, V. cbn [fst snd]. split; auto.
    rewrite (dot_collect nat_compare_eq). unfold dot at 1. rewrite sum_flat_map. unfold dot at 1. rewrite <- sum_scale.
    apply sum_ext. intros [i x] I. pose proof (O i) as Oi.
    pose proof (divided_exactly _ _ Oi (V _ I)) as E. cbn [fst snd] in *. apply (f_equal IZR) in E. rewrite mult_IZR in E.
    fold (dot (map (fun f0 => (fst f0, (x * (d / over i) * snd f0)%Z)) (row i)) f).
    rewrite (dot_map nat nat (row i) (fun k => k) (x * (d / over i))), mult_IZR, <- E.
    apply IZR_pos in Oi. change (fun i0 => f i0) with f. field. lra.
  Qed.

  Lemma stepped_spec : forall a f,
    (0 < fst (stepped z a))%Z /\
    dot (snd (stepped z a)) f = IZR (fst (stepped z a)) * dot a (fun i => dot (zrow z i) f / IZR (zover z i)).
  Proof. intros. apply image_spec. apply z_ok. Qed.

  Lemma stepped_states : forall a e, In e (snd (stepped z a)) -> In (fst e) (zstates z).
  Proof.
    intros a e J. pose (P := fun e : nat * Z => In (fst e) (zstates z)).
    assert (F : Forall P (snd (stepped z a))); [|rewrite Forall_forall in F; apply (F e J)].
    unfold stepped, image. cbn [snd]. apply (collect_forall _ Nat.compare P nat_compare_eq); [unfold P; simpl; auto|].
    apply Forall_forall. intros x I. apply in_flat_map in I. destruct I as (y & _ & I).
    apply in_map_iff in I. destruct I as (f & <- & I). apply (row_states z z_ok (fst y) f I).
  Qed.

  Lemma dot_not_zero : forall l f, dot (not_zero l) f = dot l f.
  Proof.
    intros l f. unfold not_zero, dot. rewrite sum_filter. apply sum_ext. intros e _.
    destruct (Z.eqb_spec (snd e) 0) as [-> |]; simpl; lra.
  Qed.

  Notation step_of a := (stepped z a).
  Notation piece_of a l := (piece z future (step_of a) l).

  Lemma part_stepped : forall a l i, (forall e, In e a -> In (fst e) (zstates z)) ->
    part c (vec a) l i = dot (of_label z l (snd (step_of a))) (at_key i) / IZR (fst (step_of a)).
  Proof.
    intros a l i S. destruct (stepped_spec a (at_key i)) as [P E].
    assert (F : dot (of_label z l (snd (step_of a))) (at_key i)
                = if Nat.eqb (zlabel z i) l then dot (snd (step_of a)) (at_key i) else 0).
    { generalize (snd (step_of a)). intros L. unfold of_label, dot. rewrite sum_filter.
      destruct (Nat.eqb (zlabel z i) l) eqn:H; [apply sum_ext | apply sum_zero]; intros [j x] _; unfold at_key; cbn [fst snd];
        (destruct (PeanoNat.Nat.eqb_spec j i) as [-> |]; [rewrite H; try lra; auto | destruct (Nat.eqb (zlabel z j) l); lra]). }
    rewrite F. unfold part. change (label c i) with (zlabel z i). change (states c) with (zstates z).
    destruct (Nat.eqb (zlabel z i) l); [|unfold Rdiv; lra].
    rewrite (vec_sum z a (fun j => step c j i) S), E.
    change (fun j => step c j i) with (fun j => dot (zrow z j) (at_key i) / IZR (zover z j)).
    apply IZR_pos in P. field. lra.
  Qed.

  (** The part of the step of a vector for a label, in coordinates. *)
  Lemma piece_spec : forall a l i, (forall e, In e a -> In (fst e) (zstates z)) ->
    (0 < fst (piece_of a l))%Z /\
    proj (part c (vec a) l) i = dot (snd (piece_of a l)) (at_key i) / IZR (fst (piece_of a l)).
  Proof.
    intros a l i S. unfold piece.
    destruct (image_spec (fun j => fst (future j)) (fun j => snd (future j)) (of_label z l (snd (step_of a))) (at_key i) future_pos)
      as [P E].
    destruct (image _ _ _) as [m found]. cbn [fst snd] in *. destruct (stepped_spec a (fun _ => 0)) as [D _].
    split; [apply Z.mul_pos_pos; auto|]. rewrite dot_not_zero, E, mult_IZR.
    assert (L : forall e, In e (of_label z l (snd (step_of a))) -> In (fst e) (zstates z)).
    { intros e I. apply filter_In in I. apply (stepped_states a). tauto. }
    rewrite <- (vec_sum z (of_label z l (snd (step_of a))) _ L). unfold projected.
    change (states c) with (zstates z).
    rewrite (sum_ext _ _ _ (fun j => / IZR (fst (step_of a)) *
      (vec (of_label z l (snd (step_of a))) j * (dot (snd (future j)) (at_key i) / IZR (fst (future j)))))).
    2:{ intros j _. rewrite part_stepped by auto. unfold combination, vec, Rdiv. ring. }
    rewrite sum_scale. apply IZR_pos in P, D. field. lra.
  Qed.

  Lemma labels_of_spec : forall v l, (forall e, In e v -> In (zlabel z (fst e)) l) -> forall k, ~ In k l -> of_label z k v = [].
  Proof.
    induction v as [|e v IH]; intros l H k N; simpl; auto.
    destruct (PeanoNat.Nat.eqb_spec (zlabel z (fst e)) k) as [<- |]; [exfalso; apply N; apply H; simpl; auto|].
    apply (IH l); auto. intros; apply H; simpl; auto.
  Qed.

  Lemma in_labels : forall v e, In e (snd v) -> In (zlabel z (fst e)) (labels_of z v).
  Proof.
    intros v e I. unfold labels_of. destruct (find_group (zlabel z) (map fst (snd v)) (fst e) (in_map fst _ _ I)) as (g & F & G & _).
    rewrite <- G. apply in_map. eapply find_values. eauto.
  Qed.

  (** A label that does not come in a step. *)
  Lemma piece_nothing : forall a l i, (forall e, In e a -> In (fst e) (zstates z)) -> ~ In l (labels_of z (step_of a)) ->
    proj (part c (vec a) l) i = 0.
  Proof.
    intros a l i S N. unfold projected. apply sum_zero. intros j _. rewrite part_stepped by auto.
    rewrite (labels_of_spec _ _ (in_labels (step_of a)) l N), dot_nil. unfold Rdiv. ring.
  Qed.

  Lemma multiple_spec : forall d a b g f, (0 < d)%Z -> multiple d a b = Some g ->
    positive_below g /\ dot a f / IZR d = value g * dot b f.
  Proof.
    intros d a b g f D H. unfold multiple in H. destruct a as [|[i x] a], b as [|[j y] b]; try discriminate.
    - inversion H; subst. split; [unfold positive_below; simpl; lia|]. rewrite value_zero, dot_nil. unfold Rdiv. lra.
    - destruct (_ && _) eqn:E; [|discriminate]. inversion H; subst. clear H.
      apply andb_prop in E. destruct E as [XY E]. apply Z.ltb_lt in XY.
      apply (same_entries_dot _ _ _ _ f) in E.
      assert (Y0 : y <> 0%Z) by (intros ->; lia).
      assert (P : positive_below (x * Z.sgn y, d * Z.abs y)%Z) by (apply Z.mul_pos_pos; lia).
      destruct (reduced_ok _ P) as [P' V]. split; auto. rewrite V. unfold value. cbn [fst snd].
      rewrite !mult_IZR. revert E. generalize (dot ((i, x) :: a) f) (dot ((j, y) :: b) f). intros u w E.
      apply IZR_pos in D. destruct (Z.lt_trichotomy y 0) as [Y | [Y | Y]]; [|subst; lia|].
      + rewrite Z.sgn_neg, Z.abs_neq, opp_IZR by lia. apply IZR_lt in Y.
        apply (Rmult_eq_reg_r (IZR d * IZR y)); [|apply Rmult_integral_contrapositive; split; lra].
        replace (u / IZR d * (IZR d * IZR y)) with (IZR y * u) by (field; lra). rewrite E. field. lra.
      + rewrite Z.sgn_pos, Z.abs_eq by lia. apply IZR_lt in Y.
        apply (Rmult_eq_reg_r (IZR d * IZR y)); [|apply Rmult_integral_contrapositive; split; lra].
        replace (u / IZR d * (IZR d * IZR y)) with (IZR y * u) by (field; lra). rewrite E. field. lra.
  Qed.

  Lemma distinct_nodup : forall l, distinct l = true -> NoDup l.
  Proof.
    induction l as [|x l IH]; simpl; intros H; constructor.
    - apply andb_prop in H. destruct H as [H _]. intros I. apply negb_true_iff in H.
      rewrite <- not_true_iff_false in H. apply H. apply existsb_exists. exists x. split; auto. apply PeanoNat.Nat.eqb_refl.
    - apply andb_prop in H. tauto.
  Qed.

  Lemma multiple_scale : forall d a b g, (0 < d)%Z -> multiple d a b = Some g -> 0 < value g \/ value g = 0 /\ b = [].
  Proof.
    intros d a b g D H. unfold multiple in H. destruct a as [|[i x] a], b as [|[j y] b]; try discriminate.
    - inversion H; subst. right. split; auto. apply value_zero.
    - destruct (_ && _) eqn:E; [|discriminate]. inversion H; subst. left.
      apply andb_prop in E. destruct E as [XY _]. apply Z.ltb_lt in XY.
      assert (P : positive_below (x * Z.sgn y, d * Z.abs y)%Z) by (apply Z.mul_pos_pos; lia).
      destruct (reduced_ok _ P) as [_ ->]. apply value_positive; auto. simpl. lia.
  Qed.

  Lemma scale_of : forall d a l g, (0 < d)%Z -> multiple d a (collect Nat.compare l) = Some g -> scale_ok c (vec l) (value g).
  Proof.
    intros d a l g D H. destruct (multiple_scale _ _ _ _ D H) as [P | [E N]]; [left; auto | right; split; auto].
    intros i _. unfold vec. rewrite <- (dot_collect nat_compare_eq), N. apply dot_nil.
  Qed.

  Lemma edge_of_spec : forall u n e, (u < count)%nat ->
    edge_of z future nodes (step_of (node_a (nodes u))) (step_of (node_b (nodes u))) n = Some e ->
    e_label e = fst n /\ e_to e = snd n /\ positive_below (e_g e) /\ positive_below (e_h e) /\
    (scale_ok c (A (e_to e)) (value (e_g e)) /\ scale_ok c (B (e_to e)) (value (e_h e))) /\
    forall i, proj (part c (A u) (e_label e)) i = value (e_g e) * A (e_to e) i /\
              proj (part c (B u) (e_label e)) i = value (e_h e) * B (e_to e) i.
  Proof.
    intros u [l k] e U H. unfold edge_of in H. cbn [fst snd] in H.
    assert (SA : forall e, In e (node_a (nodes u)) -> In (fst e) (zstates z)) by (intros; apply (node_states u); auto).
    assert (SB : forall e, In e (node_b (nodes u)) -> In (fst e) (zstates z)) by (intros; apply (node_states u); auto).
    destruct (multiple (fst (piece_of (node_a (nodes u)) l)) _ _) as [g|] eqn:G; [|discriminate].
    destruct (multiple (fst (piece_of (node_b (nodes u)) l)) _ _) as [h|] eqn:K; [|discriminate].
    destruct (_ || _) in H; [|discriminate]. inversion H; subst. clear H. cbn [e_label e_to e_g e_h fst snd].
    destruct (piece_spec _ l 0 SA) as [PA _]. destruct (piece_spec _ l 0 SB) as [PB _].
    split; auto. split; auto. split; [apply (multiple_spec _ _ _ _ (fun _ => 0) PA G)|].
    split; [apply (multiple_spec _ _ _ _ (fun _ => 0) PB K)|].
    split; [split; [apply (scale_of _ _ _ _ PA G) | apply (scale_of _ _ _ _ PB K)]|]. intros i. split.
    - destruct (piece_spec _ l i SA) as [_ ->].
      destruct (multiple_spec _ _ _ _ (at_key i) PA G) as [_ E]. rewrite E, (dot_collect nat_compare_eq). reflexivity.
    - destruct (piece_spec _ l i SB) as [_ ->].
      destruct (multiple_spec _ _ _ _ (at_key i) PB K) as [_ E]. rewrite E, (dot_collect nat_compare_eq). reflexivity.
  Qed.

  Lemma edges_of_spec : forall u next es, (u < count)%nat -> edges_of z future nodes count u next = Some es ->
    steps c combination (fun v => A v) (fun v => B v) u (map real_edge es) /\
    scales_ok c (fun v => A v) (fun v => B v) (map real_edge es) /\ forall e, In e es -> edge_ok count e.
  Proof.
    intros u next es U H. unfold edges_of in H. cbn zeta in H.
    destruct (_ && _ && _) eqn:Q in H; [|discriminate]. rewrite !andb_true_iff, !forallb_forall in Q.
    destruct Q as [[N [LA LB]] K]. apply distinct_nodup in N.
    assert (E : map e_label es = map fst next).
    { revert es H. clear N LA LB K. induction next as [|n next IH]; simpl; intros es H; [inversion H; auto|].
      destruct (edge_of _ _ _ _ _ n) as [e|] eqn:E; [|discriminate].
      destruct (all_some _) as [es'|]; [|discriminate]. inversion H; subst. simpl.
      rewrite (IH es' eq_refl). apply edge_of_spec in E; auto. destruct E as [-> _]. auto. }
    apply all_some_spec in H. destruct H as [H _].
    assert (X : forall e, In e es -> exists n, In n next /\
      edge_of z future nodes (step_of (node_a (nodes u))) (step_of (node_b (nodes u))) n = Some e)
      by (intros e I; apply H, in_map_iff in I; destruct I as (n & I & J); eauto).
    split.
    - unfold steps. rewrite map_map. change (map (fun x => edge_label (real_edge x)) es) with (map e_label es).
      split; [rewrite E; auto|]. split.
      + intros e i I _. apply in_map_iff in I. destruct I as (e' & <- & I). destruct (X e' I) as (n & _ & J).
        apply edge_of_spec in J; auto. destruct J as (_ & _ & _ & _ & _ & J). apply J.
      + intros l i I _. rewrite E in I.
        assert (Q : forall a, (forall e, In e a -> In (fst e) (zstates z)) ->
          (forall k, In k (labels_of z (step_of a)) -> existsb (Nat.eqb k) (map fst next) ||
             match snd (piece_of a k) with [] => true | _ => false end = true) -> proj (part c (vec a) l) i = 0).
        { intros a S T. destruct (in_dec PeanoNat.Nat.eq_dec l (labels_of z (step_of a))) as [J | J]; [|apply piece_nothing; auto].
          destruct (piece_spec a l i S) as [_ ->]. specialize (T l J). apply orb_prop in T. destruct T as [T | T].
          - exfalso. apply I. apply existsb_exists in T. destruct T as (k & IK & EK). apply PeanoNat.Nat.eqb_eq in EK. subst. auto.
          - destruct (snd (piece_of a l)); [rewrite dot_nil; unfold Rdiv; ring | discriminate]. }
        split; apply Q; auto; intros; apply (node_states u); auto.
    - split.
      { intros e I. apply in_map_iff in I. destruct I as (e' & <- & I). destruct (X e' I) as (n & _ & J).
        apply edge_of_spec in J; auto. destruct J as (_ & _ & _ & _ & J & _). exact J. }
      intros e I. destruct (X e I) as (n & J & K'). specialize (K n J). apply PeanoNat.Nat.ltb_lt in K.
      apply edge_of_spec in K'; auto. destruct K' as (_ & T & G & HH & _). split; auto. split; auto. rewrite T. auto.
  Qed.

  (** *** Futures *)

  Lemma unit_vec : forall j i, unit j i = vec [(j, 1%Z)] i.
  Proof. intros. unfold unit, vec. rewrite dot_cons, dot_nil. unfold at_key. lra. Qed.

  Lemma combination_mass : forall j, In j (zstates z) -> mass c (combination j) = IZR (total (snd (future j))) / IZR (fst (future j)).
  Proof.
    intros j J. rewrite total_dot, <- (vec_sum z (snd (future j)) (fun _ => 1)) by (intros; apply (future_states j); auto).
    unfold mass, combination. unfold Rdiv. rewrite <- sum_scale_r. apply sum_ext. intros. unfold vec. ring.
  Qed.

  Definition same_steps (j : nat) : Prop := mass c (combination j) = 1 /\
    forall l i, is_state c i -> proj (part c (unit j) l) i = proj (part c (combination j) l) i.

  Lemma listed_future : forall j is_coord, In j (zstates z) -> check_future z future is_coord j (future j) = true -> same_steps j.
  Proof.
    intros j is_coord J H. unfold check_future in H. cbn zeta in H. rewrite !andb_true_iff, Z.eqb_eq, !forallb_forall in H.
    destruct H as [[[[_ M] _] _] L]. pose proof (future_pos j) as O.
    assert (SX : forall e, In e (snd (future j)) -> In (fst e) (zstates z)) by (intros; apply (future_states j); auto).
    assert (SU : forall e, In e [(j, 1%Z)] -> In (fst e) (zstates z)) by (intros e [<- | []]; auto).
    split.
    - rewrite combination_mass, M by auto. apply IZR_pos in O. field. lra.
    - intros l i I.
      rewrite (projected_ext c combination (part c (unit j) l) (part c (vec [(j, 1%Z)]) l)).
      2:{ intros k K. unfold part. destruct (Nat.eqb _ _); auto. apply sum_ext. intros n _. rewrite unit_vec. auto. }
      rewrite (projected_ext c combination (part c (combination j) l) (fun k => / IZR (fst (future j)) * part c (vec (snd (future j))) l k)).
      2:{ intros k K. rewrite <- part_scale. unfold part. destruct (Nat.eqb _ _); auto. apply sum_ext. intros n _.
          unfold combination, vec, Rdiv. ring. }
      rewrite projected_scale.
      destruct (in_dec PeanoNat.Nat.eq_dec l (labels_of z (step_of [(j, 1%Z)]) ++ labels_of z (step_of (snd (future j))))) as [IN | OUT].
      + specialize (L l IN). apply (same_entries_dot _ _ _ _ (at_key i)) in L.
        destruct (piece_spec _ l i SU) as [PA ->]. destruct (piece_spec _ l i SX) as [PB ->].
        rewrite mult_IZR in L. revert L. generalize (dot (snd (piece_of [(j, 1%Z)] l)) (at_key i)).
        generalize (dot (snd (piece_of (snd (future j)) l)) (at_key i)). intros w y L.
        apply IZR_pos in PA, PB, O.
        apply (Rmult_eq_reg_l (IZR (fst (piece_of (snd (future j)) l)) * IZR (fst (future j)) * IZR (fst (piece_of [(j, 1%Z)] l)))).
        2:{ apply Rgt_not_eq. repeat apply Rmult_lt_0_compat; auto. }
        transitivity (IZR (fst (piece_of (snd (future j)) l)) * IZR (fst (future j)) * y); [field; lra|].
        rewrite L. field. lra.
      + rewrite in_app_iff in OUT. rewrite !piece_nothing by tauto. ring.
  Qed.

  Lemma own_future : forall j, In j (zstates z) -> future j = (1%Z, [(j, 1%Z)]) -> same_steps j.
  Proof.
    intros j J E. split.
    - rewrite combination_mass, E by auto. unfold total. simpl. lra.
    - intros l i I. apply projected_ext. intros k K. unfold part. destruct (Nat.eqb _ _); auto. apply sum_ext. intros n _.
      rewrite unit_vec. unfold combination. rewrite E. cbn [fst snd]. unfold vec, Rdiv. lra.
  Qed.

  Lemma mass_vec : forall l, (forall e, In e l -> In (fst e) (zstates z)) -> mass c (vec l) = IZR (total l).
  Proof.
    intros l S. rewrite total_dot, <- (vec_sum z l (fun _ => 1) S). apply sum_ext. intros. lra.
  Qed.

  Lemma node_states_a : forall u e, (u < count)%nat -> In e (node_a (nodes u)) -> In (fst e) (zstates z).
  Proof. intros u e U I. apply (node_states u e U). auto. Qed.

  Lemma node_states_b : forall u e, (u < count)%nat -> In e (node_b (nodes u)) -> In (fst e) (zstates z).
  Proof. intros u e U I. apply (node_states u e U). auto. Qed.

  (** The vectors of a node have positive masses, or they are empty. *)
  Lemma node_masses : forall u, (u < count)%nat ->
    (node_a (nodes u) = [] \/ (0 < total (node_a (nodes u)))%Z) /\ (node_b (nodes u) = [] \/ (0 < total (node_b (nodes u)))%Z).
  Proof.
    intros u U. pose proof (nodes_checked u U) as C. unfold check_node in C. rewrite !andb_true_iff in C.
    destruct C as [[[_ A0] B0] _]. split.
    - destruct (node_a (nodes u)); [auto | right; apply Z.ltb_lt; auto].
    - destruct (node_b (nodes u)); [auto | right; apply Z.ltb_lt; auto].
  Qed.

  (** ** What nodes are worth *)

  Variable alpha : R.
  Hypothesis V : valid c.
  Hypothesis alpha_pos : 0 <= alpha.

  Notation at_node := (node_worth c alpha V (fun v => A v) (fun v => B v)).
  Notation sound_node := (sound c (fun v => A v) (fun v => B v)).

  Definition shares_loss (l : list ratio) (x y : R) : R :=
    sum l (fun s => loss alpha (x * IZR (fst s)) (y * IZR (snd s))).

  Lemma mass_scaled : forall k l, (forall e, In e l -> In (fst e) (zstates z)) -> mass c (fun i => k * vec l i) = k * IZR (total l).
  Proof. intros. rewrite mass_of_scaled, mass_vec; auto. Qed.

  Lemma masses_least : forall u x y, (u < count)%nat -> shares_loss [masses nodes u] x y <= at_node u x y.
  Proof.
    intros u x y U. unfold shares_loss, masses. cbn [sum fst snd]. rewrite Rplus_0_r.
    rewrite <- !mass_scaled; [|exact (fun e => node_states_b u e U) | exact (fun e => node_states_a u e U)].
    apply loss_at_most; [apply worth_nonneg | apply worth_mass].
  Qed.

  Lemma vec_collect : forall l i, vec (collect Nat.compare l) i = vec l i.
  Proof. intros. unfold vec. apply (dot_collect nat_compare_eq). Qed.

  Lemma closed_spec : forall u x y, (u < count)%nat -> sound_node u -> closed nodes u = true ->
    at_node u x y <= shares_loss [masses nodes u] x y.
  Proof.
    intros u x y U [PA PB] H. unfold shares_loss, masses. cbn [sum fst snd]. rewrite Rplus_0_r.
    rewrite <- !mass_scaled; [|exact (fun e => node_states_b u e U) | exact (fun e => node_states_a u e U)].
    unfold closed in H. destruct (node_next (nodes u)); [discriminate|].
    destruct (collect Nat.compare (node_a (nodes u))) as [|ea a] eqn:CA.
    { right. apply (worth_closed c alpha V _ _ (B u) 0 y); auto. intros i _. rewrite <- vec_collect, CA.
      unfold vec. rewrite dot_nil. ring. }
    destruct (collect Nat.compare (node_b (nodes u))) as [|eb b] eqn:CB.
    { right. apply (worth_closed c alpha V _ _ (A u) x 0); auto. intros i _. rewrite <- vec_collect, CB.
      unfold vec. rewrite dot_nil. ring. }
    destruct (node_masses u U) as [_ [N | M]]; [rewrite N in CB; discriminate|]. apply IZR_pos in M.
    right. apply (worth_closed c alpha V _ _ (B u) (x * (IZR (total (node_a (nodes u))) / IZR (total (node_b (nodes u))))) y); auto.
    intros i _. apply (same_entries_dot _ _ _ _ (at_key i)) in H. rewrite <- CA, <- CB, !(dot_collect nat_compare_eq) in H.
    fold (A u i) in H. fold (B u i) in H. rewrite Rmult_assoc. f_equal.
    apply (Rmult_eq_reg_l (IZR (total (node_b (nodes u))))); [|lra]. rewrite H. field. lra.
  Qed.

  Lemma aligned_cons : forall i x a j y b, aligned ((i, x) :: a) ((j, y) :: b) =
    match Nat.compare i j with
    | Eq => (i, (x, y)) :: aligned a b
    | Lt => (i, (x, 0%Z)) :: aligned a ((j, y) :: b)
    | Gt => (j, (0%Z, y)) :: aligned ((i, x) :: a) b
    end.
  Proof. reflexivity. Qed.

  Lemma aligned_spec : forall a b f,
    sum (aligned a b) (fun e => IZR (fst (snd e)) * f (fst e)) = dot a f /\
    sum (aligned a b) (fun e => IZR (snd (snd e)) * f (fst e)) = dot b f.
  Proof.
    intros a b f. revert b. induction a as [|[i x] a IHa]; intros b.
    - cbn [aligned]. rewrite !sum_map. cbn [fst snd]. split; [rewrite dot_nil; apply sum_zero; intros; ring | reflexivity].
    - induction b as [|[j y] b IHb].
      + cbn [aligned]. rewrite !sum_map. cbn [fst snd]. split; [reflexivity | rewrite dot_nil; apply sum_zero; intros; ring].
      + rewrite aligned_cons. destruct (Nat.compare i j) eqn:E; cbn [sum fst snd].
        * apply PeanoNat.Nat.compare_eq in E. subst. destruct (IHa b) as [-> ->]. rewrite !dot_cons. auto.
        * destruct (IHa ((j, y) :: b)) as [-> ->]. rewrite !dot_cons. split; ring.
        * destruct IHb as [-> ->]. rewrite !dot_cons. split; ring.
  Qed.

  Lemma aligned_keys : forall a b e, In e (aligned a b) -> In (fst e) (map fst a ++ map fst b).
  Proof.
    intros a b e. revert b. induction a as [|[i x] a IHa]; intros b.
    - cbn [aligned map app]. rewrite !in_map_iff. intros (k & <- & K). exists k. auto.
    - induction b as [|[j y] b IHb].
      + cbn [aligned]. rewrite app_nil_r, !in_map_iff. intros (k & <- & K). exists k. auto.
      + rewrite aligned_cons. destruct (Nat.compare i j); intros [<- | I]; simpl; auto.
        * right. specialize (IHa b I). rewrite !in_app_iff in *. simpl. tauto.
        * right. apply (IHa ((j, y) :: b) I).
        * rewrite in_app_iff. simpl. auto.
        * specialize (IHb I). rewrite in_app_iff in *. simpl in *. tauto.
  Qed.

  Lemma collect_keys : forall (l : list (nat * Z)) (P : nat -> Prop), (forall e, In e l -> P (fst e)) ->
    forall e, In e (collect Nat.compare l) -> P (fst e).
  Proof.
    intros l P H e I.
    assert (F : Forall (fun e => P (fst e)) (collect Nat.compare l)); [|rewrite Forall_forall in F; auto].
    apply (collect_forall _ Nat.compare (fun e => P (fst e)) nat_compare_eq); auto. apply Forall_forall. auto.
  Qed.

  Theorem most_spec : forall u x y, (u < count)%nat -> sound_node u -> 0 <= x -> 0 <= y ->
    at_node u x y <= shares_loss (most nodes u) x y.
  Proof.
    intros u x y U S X Y. unfold most. cbn zeta.
    destruct (closed nodes u) eqn:CL; [apply closed_spec; auto|]. destruct (forallb _ _).
    - set (a := collect Nat.compare (node_a (nodes u))). set (b := collect Nat.compare (node_b (nodes u))).
      eapply Rle_trans; [apply (worth_revealed c alpha V
        (map (fun e => (fst e, (x * IZR (fst (snd e)), y * IZR (snd (snd e))))) (aligned a b)))|].
      + intros e I. apply in_map_iff in I. destruct I as (e' & <- & I). apply aligned_keys in I. change (In (fst e') (zstates z)).
        apply in_app_iff in I. destruct I as [I | I]; apply in_map_iff in I; destruct I as (k & E & K);
          refine (eq_ind _ (fun i => In i (zstates z)) _ _ E).
        * apply (collect_keys (node_a (nodes u)) (fun i => In i (zstates z)) (fun e => node_states_a u e U) k K).
        * apply (collect_keys (node_b (nodes u)) (fun i => In i (zstates z)) (fun e => node_states_b u e U) k K).
      + intros i _. rewrite sum_map. cbn [fst snd]. rewrite <- vec_collect. unfold vec. fold a.
        destruct (aligned_spec a b (at_key i)) as [<- _]. rewrite <- sum_scale. apply sum_ext. intros [k [p q]] _. unfold at_key. cbn [fst snd].
        destruct (Nat.eqb k i); ring.
      + intros i _. rewrite sum_map. cbn [fst snd]. rewrite <- vec_collect. unfold vec. fold b.
        destruct (aligned_spec a b (at_key i)) as [_ <-]. rewrite <- sum_scale. apply sum_ext. intros [k [p q]] _. unfold at_key. cbn [fst snd].
        destruct (Nat.eqb k i); ring.
      + right. unfold shares_loss. rewrite !sum_map. apply sum_ext. intros e _. reflexivity.
    - destruct S as [PA PB]. unfold shares_loss, masses. cbn [sum fst snd]. rewrite Rplus_0_r.
      rewrite <- mass_scaled by exact (fun e => node_states_a u e U).
      eapply Rle_trans; [apply worth_at_most_mass; auto; apply possible_scale; auto|].
      eapply Rle_trans; [|apply loss_at_least]. lra.
  Qed.
End Nodes.
