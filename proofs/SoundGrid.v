(** The two lists of a grid are below and above the worth of the two states.

    Optimistic: the measure of a cell is the worth of what it holds; adding up cells of whatever ratio only lowers it.
    Pessimistic: that of X in the cell k is the worth of X and X / ratio^k, as if Y had been rounded up to it; it is
    linear in X, and Y is no larger than that, so what the cell holds is worth at least as much. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Words Containers Trees Entries Document Checker Meaning Numbers
  SoundUpper SoundWords SoundLower Traces Curves Claims SoundClaims Beliefs SoundBeliefs Grid Cells Passes Pieces.
Import ListNotations.
Open Scope R_scope.

Lemma all_some_spec' : forall A B (f : A -> option B) l r, all_some (map f l) = Some r -> Forall2 (fun x y => f x = Some y) l r.
Proof.
  induction l as [|x l IH]; simpl; intros r E; [inversion E; constructor|].
  destruct (f x) eqn:F; [|discriminate]. destruct (all_some _); [|discriminate]. inversion E; subst. constructor; auto.
Qed.

(** What one cell of a group of atoms comes to. *)
Lemma node_atoms_curve : forall held worth alpha, (0 < fst held)%Z -> (0 < fst worth)%Z ->
  (0 < fst (node_atoms held worth))%Z /\
  curve (group_atoms (node_atoms held worth)) alpha =
  sum (snd held) (fun w => sum (snd worth) (fun s =>
    loss alpha (IZR (fst w) / IZR (fst held) * IZR (fst s)) (IZR (snd w) / IZR (fst held) * IZR (snd s))) / IZR (fst worth)).
Proof.
  intros [d l] [e r] alpha D E. cbn [fst snd] in *. split; [apply Z.mul_pos_pos; auto|].
  rewrite curve_loss. unfold group_atoms, node_atoms. cbn [fst snd]. rewrite sum_map, sum_flat_map.
  rewrite (sum_ext _ l _ (fun w => sum r (fun s =>
    loss alpha (IZR (fst w * fst s) / IZR (d * e)) (IZR (snd w * snd s) / IZR (d * e))))).
  - rewrite sum_swap. apply sum_ext. intros s _. rewrite sum_map. apply sum_ext. intros w _. reflexivity.
  - intros w _. apply IZR_pos in D, E.
    replace (sum r _ / IZR e) with (sum r (fun s =>
      loss alpha (IZR (fst w) / IZR d * IZR (fst s)) (IZR (snd w) / IZR d * IZR (snd s))) * / IZR e) by reflexivity.
    rewrite <- sum_scale_r. apply sum_ext. intros s _.
    replace (loss alpha _ _ * / IZR e) with (loss alpha (IZR (fst w) / IZR d * IZR (fst s)) (IZR (snd w) / IZR d * IZR (snd s)) / IZR e) by reflexivity.
    rewrite <- loss_divided by auto. rewrite !mult_IZR. f_equal; field; lra.
Qed.

Section SoundGrid.
  Variables (z : zchain) (nodes : nat -> node) (count : nat) (out : nat -> option (list zedge)) (combination : nat -> vector).
  Notation c := (meaning z).
  Notation A u := (vec (node_a (nodes u))).
  Notation B u := (vec (node_b (nodes u))).

  Variable alpha : R.
  Hypothesis V : valid c.
  Hypothesis alpha_pos : 0 <= alpha.
  Hypothesis futures : futures_hold c combination.
  Hypothesis inner : forall u es, (u < count)%nat -> out u = Some es ->
    steps c combination (fun v => A v) (fun v => B v) u (map real_edge es) /\
    scales_ok c (fun v => A v) (fun v => B v) (map real_edge es) /\ forall e, In e es -> edge_ok count e.
  Hypothesis inner_full : forall u es, (u < count)%nat -> out u = Some es -> (0 < total (node_a (nodes u)))%Z.
  Hypothesis masses_fine : forall u,
    (node_a (nodes u) = [] \/ (0 < total (node_a (nodes u)))%Z) /\ (node_b (nodes u) = [] \/ (0 < total (node_b (nodes u)))%Z).
  Hypothesis states_a : forall u e, (u < count)%nat -> In e (node_a (nodes u)) -> In (fst e) (zstates z).
  Hypothesis beyond : forall u, ~ (u < count)%nat -> out u = None.

  Variable g : grid.
  Hypothesis grid_fine : grid_ok g = true.

  Notation at_node := (node_worth c alpha V (fun v => A v) (fun v => B v)).
  Notation sound_node := (sound c (fun v => A v) (fun v => B v)).
  Notation rho := (value (g_ratio g)).
  Notation unit_of_grid := (IZR (unit (g_bits g))).

  Lemma bits_pos : (0 < g_bits g)%Z.
  Proof. pose proof grid_fine as G. unfold grid_ok in G. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in G. lia. Qed.

  Lemma ratio_above : (snd (g_ratio g) < fst (g_ratio g))%Z.
  Proof. pose proof grid_fine as G. unfold grid_ok in G. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in G. lia. Qed.

  Lemma ratio_below : positive_below (g_ratio g).
  Proof. pose proof grid_fine as G. unfold grid_ok in G. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in G. unfold positive_below. lia. Qed.

  Definition width : Z := 2 * g_bits g + 40.

  Lemma width_bits : (g_bits g <= width)%Z.
  Proof. pose proof bits_pos. unfold width. lia. Qed.

  Lemma unit_real : 0 < unit_of_grid.
  Proof. apply IZR_pos, unit_pos, bits_pos. Qed.

  Notation ma v := (IZR (mass_a nodes v)).
  Notation mb v := (IZR (mass_b nodes v)).

  Lemma or_one_pos : forall x, (x = 0 \/ 0 < x)%Z -> (0 < or_one x)%Z.
  Proof. intros x X. unfold or_one. destruct (Z.eqb_spec x 0); lia. Qed.

  Lemma ma_pos : forall v, 0 < ma v.
  Proof.
    intros v. apply IZR_pos, or_one_pos. destruct (masses_fine v) as [[-> | P] _]; [left; reflexivity | auto].
  Qed.

  Lemma mb_pos : forall v, 0 < mb v.
  Proof.
    intros v. apply IZR_pos, or_one_pos. destruct (masses_fine v) as [_ [-> | P]]; [left; reflexivity | auto].
  Qed.

  (** The worth of a node with vectors of mass 1. *)
  Definition normal (v : nat) (x y : R) : R := at_node v (x / ma v) (y / mb v).

  Definition has_cells (v : nat) : Prop := (v < count)%nat /\ sound_node v.

  Lemma at_node_zero : forall v, at_node v 0 0 = 0.
  Proof. intros. apply worth_zero; intros; ring. Qed.

  Lemma normal_zero : forall v, normal v 0 0 = 0.
  Proof. intros. unfold normal, Rdiv. rewrite !Rmult_0_l. apply at_node_zero. Qed.

  Lemma at_node_plus : forall v x y x' y', at_node v (x + x') (y + y') <= at_node v x y + at_node v x' y'.
  Proof.
    intros. unfold node_worth.
    rewrite (worth_ext c alpha V _ _ (fun i => x * A v i + x' * A v i) (fun i => y * B v i + y' * B v i)); [|intros; ring | intros; ring].
    apply (worth_plus c alpha V (fun i => x * A v i) (fun i => y * B v i)).
  Qed.

  Lemma at_node_less : forall v x y x' y', sound_node v -> x <= x' -> y' <= y -> at_node v x y <= at_node v x' y'.
  Proof. intros v x y x' y' [PA PB] X Y. apply worth_less; auto. Qed.

  Lemma at_node_scale : forall v k x y, 0 <= k -> at_node v (k * x) (k * y) = k * at_node v x y.
  Proof.
    intros v k x y [K | <-].
    - unfold node_worth. rewrite <- worth_scale by auto. apply worth_ext; intros; ring.
    - rewrite !Rmult_0_l. apply at_node_zero.
  Qed.

  Lemma normal_less : forall v x y x' y', has_cells v -> x <= x' -> y' <= y -> normal v x y <= normal v x' y'.
  Proof.
    intros v x y x' y' [H S] X Y. pose proof (ma_pos v). pose proof (mb_pos v).
    apply at_node_less; auto; apply Rmult_le_compat_r; auto; left; apply Rinv_0_lt_compat; auto.
  Qed.

  (** The scales of an edge between vectors of mass 1. *)
  Definition scale_g (u : nat) (e : zedge) : R := value (e_g e) * ma (e_to e) / ma u.
  Definition scale_h (u : nat) (e : zedge) : R := value (e_h e) * mb (e_to e) / mb u.

  Lemma normal_step : forall u es x y, has_cells u -> out u = Some es ->
    normal u x y = sum es (fun e => normal (e_to e) (scale_g u e * x) (scale_h u e * y)) /\
    forall e, In e es -> has_cells (e_to e) /\ (0 < value (e_g e) \/ value (e_g e) = 0 /\ forall i, is_state c i -> A (e_to e) i = 0) /\
      (0 < value (e_h e) \/ value (e_h e) = 0 /\ forall i, is_state c i -> B (e_to e) i = 0).
  Proof.
    intros u es x y [H S] O. destruct (inner u es H O) as (ST & SC & EO). split.
    - unfold normal at 1. rewrite (node_step c alpha V combination futures _ _ _ _ _ _ ST), sum_map. apply sum_ext. intros e I.
      unfold normal, scale_g, scale_h. cbn [real_edge edge_to edge_g edge_h].
      destruct (EO e I) as (_ & _ & T). pose proof (ma_pos u). pose proof (mb_pos u). pose proof (ma_pos (e_to e)). pose proof (mb_pos (e_to e)).
      f_equal; field; lra.
    - intros e I. destruct (EO e I) as (_ & _ & T).
      assert (J : In (real_edge e) (map real_edge es)) by (apply in_map; auto). destruct (SC _ J) as [KA KB].
      split; [split; auto; apply (sound_next c V combination futures (fun v => A v) (fun v => B v) u (map real_edge es) (real_edge e)); auto|].
      split; auto.
  Qed.

  (** The pieces that the program has are those of the edges. *)
  Definition pieces_at (up : bool) (u : nat) : option (list piece) :=
    match node_pieces nodes out g up u with Some ps => ps | None => None end.

  Lemma pieces_at_spec : forall up u ps, pieces_at up u = Some ps ->
    exists es pss, out u = Some es /\ ps = concat pss /\ Forall2 (fun e ps => edge_pieces nodes g up u e = Some ps) es pss.
  Proof.
    intros up u ps E. unfold pieces_at, node_pieces in E. destruct (out u) as [es|]; [|discriminate].
    destruct (all_some _) as [pss|] eqn:P; [|discriminate]. inversion E; subst. exists es, pss. split; auto. split; auto.
    apply all_some_spec'. auto.
  Qed.

  Lemma inner_pieces : forall up u, (u < count)%nat -> pieces_at up u <> None -> exists es, out u = Some es.
  Proof. intros up u H P. unfold pieces_at, node_pieces in P. destruct (out u) as [es|]; eauto. congruence. Qed.

  Definition number_g (u : nat) (e : zedge) : number := (fst (e_g e) * mass_a nodes (e_to e), snd (e_g e) * mass_a nodes u)%Z.
  Definition number_h (u : nat) (e : zedge) : number := (fst (e_h e) * mass_b nodes (e_to e), snd (e_h e) * mass_b nodes u)%Z.

  Lemma numbers_spec : forall u e, (u < count)%nat -> edge_ok count e ->
    positive_below (number_g u e) /\ positive_below (number_h u e) /\ value (number_g u e) = scale_g u e /\ value (number_h u e) = scale_h u e.
  Proof.
    intros u e H (G & K & T). pose proof (ma_pos u) as MU. pose proof (mb_pos u) as NU.
    pose proof (IZR_pos _ G). pose proof (IZR_pos _ K). unfold positive_below, number_g, number_h, value, scale_g, scale_h in *. cbn [fst snd].
    split; [apply lt_IZR; rewrite mult_IZR; apply Rmult_lt_0_compat; auto|].
    split; [apply lt_IZR; rewrite mult_IZR; apply Rmult_lt_0_compat; auto|].
    rewrite !mult_IZR. unfold value. split; field; lra.
  Qed.

  (** ** Optimistic *)

  Lemma part_one : forall p x, part_of g p x = IZR p / unit_of_grid * x.
  Proof. intros. unfold part_of, scale, Rdiv. ring. Qed.

  Lemma below_unit : forall x p, IZR p <= unit_of_grid * x -> IZR p / unit_of_grid <= x.
  Proof.
    intros x p H. pose proof unit_real. apply (Rmult_le_reg_l unit_of_grid); auto.
    replace (unit_of_grid * (IZR p / unit_of_grid)) with (IZR p) by (field; lra). auto.
  Qed.

  Lemma above_unit : forall x p, unit_of_grid * x <= IZR p -> x <= IZR p / unit_of_grid.
  Proof.
    intros x p H. pose proof unit_real. apply (Rmult_le_reg_l unit_of_grid); auto.
    replace (unit_of_grid * (IZR p / unit_of_grid)) with (IZR p) by (field; lra). auto.
  Qed.

  (** With whatever cell, one piece that is rounded against the writer. *)
  Lemma optimistic_piece : forall u e ps, (u < count)%nat -> edge_ok count e -> (0 <= fst (e_g e))%Z -> (0 <= fst (e_h e))%Z ->
    edge_pieces nodes g false u e = Some ps -> exists p, ps = [p] /\ p_to p = e_to e /\ (0 <= p_g p)%Z /\ (0 <= p_h p)%Z /\
      IZR (p_g p) / unit_of_grid <= scale_g u e /\ scale_h u e <= IZR (p_h p) / unit_of_grid.
  Proof.
    intros u e ps H EO GP HP E. destruct (numbers_spec u e H EO) as (PG & PH & VG & VH). unfold edge_pieces in E.
    fold (number_g u e) in E. fold (number_h u e) in E.
    assert (X : exists k, ps = [whole (g_bits g) false (e_to e) k (number_g u e) (number_h u e)]).
    { unfold pieces_of in E. destruct (_ && _) in E; inversion E; eauto. }
    destruct X as (k & ->). eexists. split; [reflexivity|]. unfold whole. cbn [p_to p_g p_h]. split; auto.
    destruct (floor_spec (g_bits g) bits_pos (fst (number_g u e)) (snd (number_g u e)) PG) as [F1 F2].
    destruct (ceiling_spec (g_bits g) bits_pos (fst (number_h u e)) (snd (number_h u e)) PH) as [C1 C2].
    destruct EO as (_ & _ & T). pose proof (ma_pos (e_to e)) as MT. pose proof (mb_pos (e_to e)) as NT. apply lt_IZR in MT, NT.
    split; [apply F2; unfold number_g; simpl; nia|]. split; [apply C2; unfold number_h; simpl; nia|].
    rewrite <- VG, <- VH. split; [apply below_unit; auto | apply above_unit; auto].
  Qed.

  Lemma value_nonneg' : forall x, positive_below x -> 0 <= value x -> (0 <= fst x)%Z.
  Proof.
    intros [n d] D H. unfold positive_below, value in *. cbn [fst snd] in *. apply IZR_pos in D.
    apply le_IZR. apply (Rmult_le_reg_r (/ IZR d)); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in H. lra.
  Qed.

  Lemma sum_concat : forall (X Y : Type) (R : X -> list Y -> Prop) (f : Y -> Rdefinitions.R) (h : X -> Rdefinitions.R) l ls,
    Forall2 R l ls -> (forall x ys, In x l -> R x ys -> sum ys f <= h x) -> sum (concat ls) f <= sum l h.
  Proof.
    intros X Y R f h l ls F. induction F as [|x ys l ls RX F IH]; intros H; simpl; [lra|]. rewrite sum_app.
    apply Rplus_le_compat; [apply H; simpl; auto | apply IH; intros; apply H; simpl; auto].
  Qed.

  Lemma concat_above : forall (X Y : Type) (R : X -> list Y -> Prop) (f : Y -> Rdefinitions.R) (h : X -> Rdefinitions.R) l ls,
    Forall2 R l ls -> (forall x ys, In x l -> R x ys -> h x <= sum ys f) -> sum l h <= sum (concat ls) f.
  Proof.
    intros X Y R f h l ls F. induction F as [|x ys l ls RX F IH]; intros H; simpl; [lra|]. rewrite sum_app.
    apply Rplus_le_compat; [apply H; simpl; auto | apply IH; intros; apply H; simpl; auto].
  Qed.

  Lemma in_concat_pieces : forall (X Y : Type) (R : X -> list Y -> Prop) l ls y, Forall2 R l ls -> In y (concat ls) ->
    exists x ys, In x l /\ R x ys /\ In y ys.
  Proof.
    intros X Y R l ls y F. induction F as [|x ys l ls RX F IH]; simpl; [tauto|]. intros I. apply in_app_or in I.
    destruct I as [I | I]; [exists x, ys; auto|]. destruct (IH I) as (x' & ys' & J & R' & K). exists x', ys'. auto.
  Qed.

  (** Shares of a node: what its vectors of mass 1 are said to be worth. *)
  Variable shares : nat -> Z * list ratio.
  Hypothesis shares_pos : forall v, (0 < fst (shares v))%Z.

  Definition shares_of (v : nat) (x y : R) : R := shares_loss alpha (snd (shares v)) (x / ma v) (y / mb v) / IZR (fst (shares v)).

  Lemma shares_of_zero : forall v, shares_of v 0 0 = 0.
  Proof.
    intros. unfold shares_of, shares_loss, Rdiv. rewrite !Rmult_0_l, sum_zero; [ring|]. intros s _.
    rewrite !Rmult_0_l. apply loss_of_none. lra.
  Qed.

  (** The atoms of a grid come to what the cells are worth. *)
  Lemma in_masses_curve : forall l v,
    (0 < fst (node_atoms (in_masses nodes g v l) (shares v)))%Z /\
    curve (group_atoms (node_atoms (in_masses nodes g v l) (shares v))) alpha = cells_worth g shares_of v l.
  Proof.
    intros l v. pose proof (ma_pos v) as MA. pose proof (mb_pos v) as MB. pose proof unit_real as UP.
    assert (D : (0 < fst (in_masses nodes g v l))%Z).
    { unfold in_masses. cbn [fst]. apply lt_IZR. rewrite !mult_IZR. repeat apply Rmult_lt_0_compat; auto. }
    destruct (node_atoms_curve (in_masses nodes g v l) (shares v) alpha D (shares_pos v)) as [P ->]. split; auto.
    unfold cells_worth, in_masses. cbn [fst snd]. rewrite sum_map, sum_filter. apply sum_ext. intros [x y] _.
    cbn [fst snd]. unfold is_zero. cbn [fst snd]. destruct (Z.eqb_spec x 0), (Z.eqb_spec y 0); cbn [andb negb];
      try (unfold shares_of, shares_loss; f_equal; apply sum_ext; intros s _; rewrite !mult_IZR; unfold scale; f_equal; field; lra).
    subst. rewrite !over_zero. symmetry. apply shares_of_zero.
  Qed.

  (** All cells that a pass finds are at nodes. *)
  Lemma optimistic_run : (0 < count)%nat -> sound_node 0 ->
    (forall v x y, (v < count)%nat -> 0 <= x -> 0 <= y -> shares_of v x y <= normal v x y) ->
    forall l, run g width (filled (g_bits g) width) false (pieces_at false) = Some l ->
    sum l (fun e => cells_worth g shares_of (fst e) (snd e)) <= normal 0 1 1.
  Proof.
    intros CP S0 LOW l E.
    apply (run_spec g width false (pieces_at false) bits_pos width_bits has_cells (fun _ _ _ _ => True)
      (fun v _ x y => normal v x y)); auto; try discriminate.
    - intros. apply normal_zero.
    - intros. unfold normal, Rdiv. rewrite !Rmult_plus_distr_r. apply at_node_plus.
    - intros v k x y x' y' H _ _ _ _ _ [X Y]. split; auto. apply normal_less; auto.
    - intros u ps p P H I. destruct (pieces_at_spec _ _ _ P) as (es & pss & O & -> & F).
      destruct (normal_step u es 0 0 H O) as [_ N]. destruct H as [H S]. destruct (inner u es H O) as (_ & _ & EO).
      destruct (in_concat_pieces _ _ _ _ _ _ F I) as (e & ps & J & EP & K). destruct (N e J) as (HC & KA & KB).
      destruct (EO e J) as (PG & PH & T).
      destruct (optimistic_piece u e ps H (EO e J)) as (q & -> & TO & G0 & H0 & _ & _); auto;
        try (apply value_nonneg'; auto; lra). destruct K as [<- | []]. rewrite TO. auto.
    - intros u ps k x y P H _ X Y. split; auto. destruct (pieces_at_spec _ _ _ P) as (es & pss & O & -> & F).
      destruct (normal_step u es x y H O) as [-> N]. destruct H as [H S]. destruct (inner u es H O) as (_ & _ & EO).
      apply (sum_concat _ _ _ _ _ _ _ F). intros e ps J EP. destruct (N e J) as (HC & KA & KB). destruct (EO e J) as (PG & PH & T).
      destruct (optimistic_piece u e ps H (EO e J)) as (q & -> & TO & G0 & H0 & LE & GE); auto;
        try (apply value_nonneg'; auto; lra). cbn [sum]. rewrite Rplus_0_r, TO, !part_one.
      apply normal_less; auto; apply Rmult_le_compat_r; auto.
    - intros. split; auto. lra.
    - intros v k x y HC _ X Y. destruct HC. auto.
    - split; auto.
  Qed.

  (** ** Pessimistic *)

  (** The worth of X = 1 in the cell k. *)
  Definition per_x (v : nat) (k : Z) : R := normal v 1 (/ powerRZ rho k).

  Lemma rho_power_pos : forall k, 0 < powerRZ rho k.
  Proof. intros. apply powerRZ_lt. apply rho_pos; [apply ratio_above | apply ratio_below]. Qed.

  Lemma per_x_pos : forall v k, 0 <= per_x v k.
  Proof. intros. apply worth_nonneg. Qed.

  Definition no_a (v : nat) : Prop := forall i, is_state c i -> A v i = 0.

  (** Y is at most what belongs to X in this cell. *)
  Definition covered (v : nat) (k : Z) (x y : R) : Prop := no_a v \/ y * powerRZ rho k <= x.

  Lemma mass_a_real : forall v, (v < count)%nat -> mass c (A v) = IZR (total (node_a (nodes v))).
  Proof. intros v H. apply mass_vec. intros e I. apply (states_a v e H I). Qed.

  Lemma normal_none : forall v x y, has_cells v -> no_a v -> 0 <= y -> normal v x y = 0.
  Proof.
    intros v x y [H [PA PB]] N Y. pose proof (mb_pos v) as MB. apply Rle_antisym; [|apply worth_nonneg].
    unfold normal, node_worth. rewrite (worth_ext c alpha V _ _ (fun i => 0 * A v i) (fun i => y / mb v * B v i)); [| |auto].
    - eapply Rle_trans; [apply worth_at_most_mass; auto|].
      + apply possible_scale; auto. lra.
      + apply possible_scale; auto. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto.
      + rewrite mass_of_scaled. lra.
    - intros i I. rewrite (N i I). ring.
  Qed.

  Lemma no_b_normal : forall v x y y', (forall i, is_state c i -> B v i = 0) -> normal v x y = normal v x y'.
  Proof. intros v x y y' N. apply worth_ext; intros i I; auto. rewrite (N i I). ring. Qed.

  Lemma normal_scaled : forall v k x y, 0 <= k -> normal v (k * x) (k * y) = k * normal v x y.
  Proof.
    intros. unfold normal. rewrite <- at_node_scale by auto. unfold Rdiv. rewrite !Rmult_assoc. auto.
  Qed.

  (** What X and a covered Y are worth is at least what the measure says. *)
  Lemma covered_worth : forall v k x y, has_cells v -> covered v k x y -> 0 <= x -> 0 <= y -> x * per_x v k <= normal v x y.
  Proof.
    intros v k x y H C X Y. unfold per_x. pose proof (rho_power_pos k) as P. destruct C as [N | C].
    - rewrite normal_none; auto; [rewrite Rmult_0_r; apply worth_nonneg | left; apply Rinv_0_lt_compat; auto].
    - rewrite <- normal_scaled, Rmult_1_r by auto. apply normal_less; auto; [lra|].
      apply (Rmult_le_reg_r (powerRZ rho k)); auto. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Lemma per_x_most : forall v k, has_cells v -> per_x v k <= 1.
  Proof.
    intros v k [H [PA PB]]. pose proof (rho_power_pos k) as P. pose proof (ma_pos v) as MA. pose proof (mb_pos v) as MB.
    eapply Rle_trans; [apply worth_at_most_mass; auto; apply possible_scale; auto|].
    - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; auto].
    - apply Rmult_le_pos; left; apply Rinv_0_lt_compat; auto.
    - rewrite mass_of_scaled, mass_a_real by auto. unfold mass_a, or_one in *.
      destruct (Z.eqb_spec (total (node_a (nodes v))) 0) as [-> | N]; [lra|].
      right. field. apply not_0_IZR. auto.
  Qed.

  (** A weight in pieces is worth no more than the pieces. *)
  Lemma pieces_worth : forall v k ps hs, has_cells v -> Forall2 (stands_for (g_bits g) (g_ratio g) v) ps hs ->
    normal v (sum (combine ps hs) (fun e => snd e * powerRZ rho (p_up (fst e)))) (sum hs (fun x => x) * / powerRZ rho k)
    <= sum ps (fun p => IZR (p_g p) / unit_of_grid * per_x (p_to p) (k + p_up p)).
  Proof.
    intros v k ps hs H F. pose proof (rho_power_pos k) as P. pose proof unit_real as UP.
    induction F as [|p h ps hs S F IH]; cbn [combine sum fst snd].
    - rewrite Rmult_0_l, normal_zero. lra.
    - rewrite Rmult_plus_distr_r. unfold normal, Rdiv. rewrite !Rmult_plus_distr_r.
      eapply Rle_trans; [apply at_node_plus|]. apply Rplus_le_compat; [|exact IH].
      destruct S as (T & H0 & G0 & HH & GE & _). rewrite T.
      pose proof (rho_power_pos (p_up p)) as PU.
      fold (Rdiv (h * powerRZ rho (p_up p)) (ma v)). fold (Rdiv (h * / powerRZ rho k) (mb v)).
      fold (normal v (h * powerRZ rho (p_up p)) (h * / powerRZ rho k)).
      replace (h * / powerRZ rho k) with (h * powerRZ rho (p_up p) * / powerRZ rho (k + p_up p)).
      2:{ rewrite powerRZ_add by (pose proof (rho_pos (g_ratio g) ratio_above ratio_below); lra). field. lra. }
      rewrite <- (Rmult_1_r (h * powerRZ rho (p_up p))) at 1.
      rewrite normal_scaled by (apply Rmult_le_pos; lra). fold (per_x v (k + p_up p)).
      apply Rmult_le_compat_r; [apply per_x_pos|]. apply above_unit. auto.
  Qed.

  Lemma pessimistic_piece : forall u e ps, has_cells u -> out u <> None -> edge_ok count e -> has_cells (e_to e) ->
    (0 < value (e_g e) \/ value (e_g e) = 0 /\ no_a (e_to e)) ->
    (0 < value (e_h e) \/ value (e_h e) = 0 /\ forall i, is_state c i -> B (e_to e) i = 0) ->
    edge_pieces nodes g true u e = Some ps ->
    (forall p, In p ps -> p_to p = e_to e /\ (0 <= p_g p)%Z /\ (0 <= p_h p)%Z /\
       (no_a (e_to e) \/ IZR (p_h p) * powerRZ rho (p_up p) <= IZR (p_g p))) /\
    forall k, normal (e_to e) (scale_g u e) (scale_h u e * / powerRZ rho k)
      <= sum ps (fun p => IZR (p_g p) / unit_of_grid * per_x (p_to p) (k + p_up p)).
  Proof.
    intros u e ps HU ON EO HT KA KB E. destruct (numbers_spec u e (proj1 HU) EO) as (PG & PH & VG & VH).
    unfold edge_pieces in E. fold (number_g u e) in E. fold (number_h u e) in E.
    pose proof unit_real as UP. destruct EO as (EG & EH & T).
    pose proof (ma_pos (e_to e)) as MT. pose proof (mb_pos (e_to e)) as NT. pose proof (ma_pos u) as MU. pose proof (mb_pos u) as NU.
    assert (G0 : 0 <= scale_g u e).
    { unfold scale_g. apply Rmult_le_pos; [apply Rmult_le_pos; [destruct KA; lra | lra] | left; apply Rinv_0_lt_compat; auto]. }
    assert (H0 : 0 <= scale_h u e).
    { unfold scale_h. apply Rmult_le_pos; [apply Rmult_le_pos; [destruct KB; lra | lra] | left; apply Rinv_0_lt_compat; auto]. }
    unfold pieces_of in E. destruct (_ && _) eqn:POS in E.
    - (* two pieces, or one *)
      destruct (two_pieces_spec (g_bits g) (g_ratio g) bits_pos ratio_above ratio_below _ _ _ _ _ PG PH E) as (hs & F & SH & SG).
      rewrite VG in SG. rewrite VH in SH. split.
      + intros p I. assert (S : exists h, stands_for (g_bits g) (g_ratio g) (e_to e) p h).
        { clear - F I. induction F; [destruct I|]; destruct I as [<- | I]; eauto. }
        destruct S as (h & T' & HP & Gp & Hp & GE & LE). split; auto. split; auto. split; auto. right.
        pose proof (rho_power_pos (p_up p)).
        apply Rle_trans with (unit_of_grid * h * powerRZ rho (p_up p)); [apply Rmult_le_compat_r; lra | lra].
      + intros k. rewrite SG, SH. apply pieces_worth; auto.
    - (* one of the scales is 0 *)
      inversion E; subst ps. clear E. unfold whole. cbn [sum p_to p_g p_h p_up].
      destruct (ceiling_spec (g_bits g) bits_pos (fst (number_g u e)) (snd (number_g u e)) PG) as [C1 C2].
      destruct (floor_spec (g_bits g) bits_pos (fst (number_h u e)) (snd (number_h u e)) PH) as [F1 F2].
      change (IZR (fst (number_g u e)) / IZR (snd (number_g u e))) with (value (number_g u e)) in C1. rewrite VG in C1.
      change (IZR (fst (number_h u e)) / IZR (snd (number_h u e))) with (value (number_h u e)) in F1. rewrite VH in F1.
      assert (NG : (0 <= fst (number_g u e))%Z) by (apply value_nonneg'; auto; rewrite VG; auto).
      assert (NH : (0 <= fst (number_h u e))%Z) by (apply value_nonneg'; auto; rewrite VH; auto).
      assert (D : no_a (e_to e) \/ scale_h u e = 0 /\ forall i, is_state c i -> B (e_to e) i = 0).
      { destruct KA as [KA | [_ KA]]; [|left; auto]. destruct KB as [KB | [ZB KB]].
        - exfalso. assert (0 < scale_g u e /\ 0 < scale_h u e) as [X Y].
          { unfold scale_g, scale_h. split; (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; auto | apply Rinv_0_lt_compat; auto]). }
          rewrite <- VG in X. rewrite <- VH in Y.
          assert (PP : forall n, positive_below n -> 0 < value n -> (0 < fst n)%Z).
          { intros [n d] P Q. unfold value, positive_below in *. cbn [fst snd] in *. apply lt_IZR. apply IZR_pos in P.
            apply (Rmult_lt_reg_r (/ IZR d)); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in Q. lra. }
          rewrite (proj2 (Z.ltb_lt _ _) (PP _ PG X)), (proj2 (Z.ltb_lt _ _) (PP _ PH Y)) in POS. discriminate.
        - right. split; auto. unfold scale_h. rewrite ZB. unfold Rdiv. ring. }
      split.
      + intros p [<- | []]. cbn [p_to p_g p_h p_up for_x for_y]. split; auto. split; [apply C2; auto|]. split; [apply F2; auto|].
        destruct D as [N | [Z0 N]]; [left; auto | right]. rewrite Z0, Rmult_0_r in F1. simpl powerRZ. rewrite Rmult_1_r.
        apply Rle_trans with 0; auto. apply (IZR_le 0). apply C2. auto.
      + intros k. rewrite Rplus_0_r, Z.add_0_r. cbn [for_x]. pose proof (rho_power_pos k).
        assert (IK : 0 < / powerRZ rho k) by (apply Rinv_0_lt_compat; auto).
        destruct D as [N | [Z0 N]].
        * rewrite normal_none; auto; [|apply Rmult_le_pos; lra].
          apply Rmult_le_pos; [|apply per_x_pos]. apply Rmult_le_pos; [apply (IZR_le 0), C2; auto | left; apply Rinv_0_lt_compat; auto].
        * rewrite (no_b_normal _ _ _ (scale_g u e * / powerRZ rho k) N).
          rewrite <- (Rmult_1_r (scale_g u e)) at 1. rewrite normal_scaled by auto. fold (per_x (e_to e) k).
          apply Rmult_le_compat_r; [apply per_x_pos | apply above_unit; auto].
  Qed.

  Lemma inner_has_a : forall u es, (u < count)%nat -> out u = Some es -> ~ no_a u.
  Proof.
    intros u es H O N. pose proof (inner_full u es H O) as P. apply IZR_pos in P. rewrite <- mass_a_real in P by auto.
    rewrite mass_of_zero in P; auto. lra.
  Qed.

  Lemma pessimistic_run : (0 < count)%nat -> sound_node 0 ->
    (forall v x y, has_cells v -> 0 <= x -> 0 <= y -> normal v x y <= shares_of v x y) ->
    forall l, run g width (filled (g_bits g) width) true (pieces_at true) = Some l ->
    normal 0 1 1 <= sum l (fun e => cells_worth g shares_of (fst e) (snd e)).
  Proof.
    intros CP S0 HIGH l E. pose proof unit_real as UP.
    assert (HC0 : has_cells 0) by (split; auto).
    assert (P0 : powerRZ rho 0 = 1) by reflexivity.
    assert (PF : forall u ps p, pieces_at true u = Some ps -> has_cells u -> In p ps ->
      (0 <= p_g p)%Z /\ (0 <= p_h p)%Z /\ has_cells (p_to p) /\ (no_a (p_to p) \/ IZR (p_h p) * powerRZ rho (p_up p) <= IZR (p_g p))).
    { intros u ps p P H I. destruct (pieces_at_spec _ _ _ P) as (es & pss & O & -> & F).
      destruct (normal_step u es 0 0 H O) as [_ N]. destruct (inner u es (proj1 H) O) as (_ & _ & EO).
      destruct (in_concat_pieces _ _ _ _ _ _ F I) as (e & ps & J & EP & K). destruct (N e J) as (HC & KA & KB).
      destruct (pessimistic_piece u e ps H) as [PP _]; auto; [congruence|].
      destruct (PP p K) as (-> & G0 & H0 & Q). auto. }
    enough (X : sum l (fun e => cells_worth g (fun v x y => - shares_of v x y) (fst e) (snd e)) <= - (1 * per_x 0 0)).
    { unfold per_x in X. rewrite P0, Rinv_1 in X.
      assert (Y : sum l (fun e => cells_worth g (fun v x y => - shares_of v x y) (fst e) (snd e))
                  = - (1) * sum l (fun e => cells_worth g shares_of (fst e) (snd e))).
      { rewrite <- sum_scale. apply sum_ext. intros e _. unfold cells_worth. rewrite <- sum_scale. apply sum_ext. intros. ring. }
      rewrite Y in X. lra. }
    apply (run_spec g width true (pieces_at true) bits_pos width_bits has_cells covered (fun v k x y => - (x * per_x v k))); auto.
    - intros. right. lra.
    - intros. ring.
    - intros v k x y x' y' [N | C] [N' | C']; [left; auto | left; auto | left; auto | right; lra].
    - intros. lra.
    - intros v k x y x' y' H C X Y X' Y' [LX LY]. pose proof (rho_power_pos k). pose proof (per_x_pos v k). split.
      + destruct C as [N | C]; [left; auto | right].
        apply Rle_trans with (y * powerRZ rho k); [apply Rmult_le_compat_r; lra | lra].
      + apply Ropp_le_contravar, Rmult_le_compat_r; auto.
    - intros u ps p P H I. destruct (PF u ps p P H I) as (G0 & H0 & HC & _). auto.
    - intros u ps k x y P H C X Y. destruct (pieces_at_spec _ _ _ P) as (es & pss & O & EQ & F).
      assert (CU : y * powerRZ rho k <= x).
      { destruct C as [N | C]; auto. exfalso. apply (inner_has_a u es (proj1 H) O N). }
      split.
      + intros p I. destruct (PF u ps p P H I) as (G0 & H0 & HC & [N | Q]); [left; auto | right].
        rewrite !part_one, powerRZ_add by (pose proof (rho_pos (g_ratio g) ratio_above ratio_below); lra).
        pose proof (rho_power_pos k). pose proof (rho_power_pos (p_up p)). apply (IZR_le 0) in G0, H0.
        replace (IZR (p_h p) / unit_of_grid * y * (powerRZ rho k * powerRZ rho (p_up p)))
          with (/ unit_of_grid * ((IZR (p_h p) * powerRZ rho (p_up p)) * (y * powerRZ rho k))) by (field; lra).
        replace (IZR (p_g p) / unit_of_grid * x) with (/ unit_of_grid * (IZR (p_g p) * x)) by (field; lra).
        apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; auto|].
        apply Rmult_le_compat; auto; apply Rmult_le_pos; lra.
      + rewrite (sum_ext _ ps _ (fun p => - x * (IZR (p_g p) / unit_of_grid * per_x (p_to p) (k + p_up p))))
          by (intros; rewrite part_one; ring).
        rewrite sum_scale. rewrite <- Ropp_mult_distr_l. apply Ropp_le_contravar, Rmult_le_compat_l; auto.
        destruct (normal_step u es 1 (/ powerRZ rho k) H O) as [ST N]. unfold per_x at 1. rewrite ST, EQ. clear ST.
        destruct (inner u es (proj1 H) O) as (_ & _ & EO).
        apply (concat_above _ _ _ _ _ _ _ F). intros e ps' J EP. destruct (N e J) as (HC & KA & KB).
        destruct (pessimistic_piece u e ps' H) as [_ PW]; auto; [congruence|]. rewrite Rmult_1_r. apply PW.
    - intros _ v k x y H C X Y. pose proof (per_x_most v k H). apply Ropp_le_contravar.
      rewrite <- (Rmult_1_r x) at 2. apply Rmult_le_compat_l; auto.
    - discriminate.
    - intros v k x y H C X Y. apply Ropp_le_contravar. eapply Rle_trans; [apply (covered_worth v k x y); auto | auto].
    - intros _ v x H I X. apply Ropp_le_contravar. destruct (inner_pieces true v (proj1 H) I) as (es & O).
      eapply Rle_trans; [|apply HIGH; auto; lra]. unfold normal.
      eapply Rle_trans; [|apply worth_mass]. rewrite !mass_of_scaled, mass_a_real by apply H.
      pose proof (inner_full v es (proj1 H) O) as P. unfold mass_a, or_one. rewrite (proj2 (Z.eqb_neq _ _)) by lia.
      apply IZR_pos in P. right. unfold Rdiv. rewrite Rmult_0_l, Rmult_0_l, Rmult_0_r, Rminus_0_r. field. lra.
    - right. rewrite P0. lra.
  Qed.
End SoundGrid.
