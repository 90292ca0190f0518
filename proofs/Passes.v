(** A pass over the graph, for any measure of what the cells hold.

    The measure of a cell is G, for X and Y as parts of 1. It must not grow where cells are added up, rounded, moved along
    the pieces of an edge, or emptied; then in the end no more is there than was in the beginning. For the optimistic
    pass G is the worth of the cell, for the pessimistic one that of X alone, with the opposite sign (SoundGrid.v).
    Q says what holds of the cells of a node, and [fits] of the nodes that have any. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Trees Entries Document Checker Numbers Claims Beliefs Grid Cells.
Import ListNotations.
Open Scope R_scope.

Section Pass.
  Variables (g : grid) (width : Z) (up : bool) (pieces : nat -> option (list piece)).
  Hypothesis bits_pos : (0 < g_bits g)%Z.
  Hypothesis width_bits : (g_bits g <= width)%Z.

  Notation bits := (g_bits g).
  Definition scale : R := IZR (unit bits).

  Variables (fits : nat -> Prop) (Q : nat -> Z -> R -> R -> Prop) (G : nat -> Z -> R -> R -> R).

  Definition part_of (p : Z) (x : R) : R := x * (IZR p / scale).

  Hypothesis Q_zero : forall v k, Q v k 0 0.
  Hypothesis G_zero : forall v k, G v k 0 0 = 0.
  Hypothesis Q_plus : forall v k x y x' y', Q v k x y -> Q v k x' y' -> Q v k (x + x') (y + y').
  Hypothesis G_plus : forall v k x y x' y', Q v k x y -> Q v k x' y' -> G v k (x + x') (y + y') <= G v k x y + G v k x' y'.
  Hypothesis G_round : forall v k x y x' y', fits v -> Q v k x y -> 0 <= x -> 0 <= y -> 0 <= x' -> 0 <= y' ->
    (if up then x <= x' /\ y' <= y else x' <= x /\ y <= y') -> Q v k x' y' /\ G v k x' y' <= G v k x y.
  Hypothesis pieces_fit : forall u ps p, pieces u = Some ps -> fits u -> In p ps ->
    (0 <= p_g p)%Z /\ (0 <= p_h p)%Z /\ fits (p_to p).
  Hypothesis G_pieces : forall u ps k x y, pieces u = Some ps -> fits u -> Q u k x y -> 0 <= x -> 0 <= y ->
    (forall p, In p ps -> Q (p_to p) (k + p_up p)%Z (part_of (p_g p) x) (part_of (p_h p) y)) /\
    sum ps (fun p => G (p_to p) (k + p_up p)%Z (part_of (p_g p) x) (part_of (p_h p) y)) <= G u k x y.
  Hypothesis G_end : up = true -> forall v k x y, fits v -> Q v k x y -> 0 <= x -> 0 <= y -> - x <= G v k x y.
  Hypothesis G_fold : up = false -> forall v k k' x y, Q v k x y -> Q v k' x y /\ G v k' x y <= G v k x y.

  Notation packed := (pack width).

  Lemma scale_pos : 0 < scale.
  Proof. apply IZR_pos. apply unit_pos; auto. Qed.

  (** ** The cells of a node *)

  Fixpoint pot (v : nat) (k : Z) (s : R) (xs ys : list Z) : R :=
    match xs, ys with
    | x :: xs', y :: ys' => G v k (IZR x / s) (IZR y / s) + pot v (k + 1) s xs' ys'
    | _, _ => 0
    end.

  Fixpoint holding (v : nat) (k : Z) (s : R) (xs ys : list Z) : Prop :=
    match xs, ys with
    | x :: xs', y :: ys' => Q v k (IZR x / s) (IZR y / s) /\ holding v (k + 1) s xs' ys'
    | _, _ => True
    end.

  Lemma over_zero : forall s, 0 / s = 0.
  Proof. intros. unfold Rdiv. ring. Qed.

  Lemma pot_app : forall v s xs ys k xs' ys', length xs = length ys ->
    pot v k s (xs ++ xs') (ys ++ ys') = pot v k s xs ys + pot v (k + Z.of_nat (length xs)) s xs' ys'.
  Proof.
    intros v s. induction xs as [|x xs IH]; intros [|y ys] k xs' ys' L; try discriminate.
    - simpl. rewrite Z.add_0_r. lra.
    - cbn [app pot length]. rewrite IH by (simpl in L; lia). rewrite Nat2Z.inj_succ.
      replace (k + 1 + Z.of_nat (length xs))%Z with (k + Z.succ (Z.of_nat (length xs)))%Z by lia. lra.
  Qed.

  Lemma holding_app : forall v s xs ys k xs' ys', length xs = length ys ->
    holding v k s (xs ++ xs') (ys ++ ys') <-> holding v k s xs ys /\ holding v (k + Z.of_nat (length xs)) s xs' ys'.
  Proof.
    intros v s. induction xs as [|x xs IH]; intros [|y ys] k xs' ys' L; try discriminate.
    - simpl. rewrite Z.add_0_r. tauto.
    - cbn [app holding length]. rewrite IH by (simpl in L; lia). rewrite Nat2Z.inj_succ.
      replace (k + 1 + Z.of_nat (length xs))%Z with (k + Z.succ (Z.of_nat (length xs)))%Z by lia. tauto.
  Qed.

  Lemma pot_zeros : forall v s n k, pot v k s (zeros n) (zeros n) = 0.
  Proof. intros v s. unfold zeros. induction n; intros k; cbn [repeat pot]; auto. rewrite IHn, over_zero, G_zero. lra. Qed.

  Lemma holding_zeros : forall v s n k, holding v k s (zeros n) (zeros n).
  Proof. intros v s. unfold zeros. induction n; intros k; cbn [repeat holding]; auto. rewrite over_zero. auto. Qed.

  Lemma pot_before : forall v s n k xs ys, pot v k s (zeros n ++ xs) (zeros n ++ ys) = pot v (k + Z.of_nat n) s xs ys.
  Proof. intros. rewrite pot_app, pot_zeros by auto. unfold zeros. rewrite repeat_length. lra. Qed.

  Lemma holding_before : forall v s n k xs ys,
    holding v k s (zeros n ++ xs) (zeros n ++ ys) <-> holding v (k + Z.of_nat n) s xs ys.
  Proof.
    intros. rewrite holding_app by auto. unfold zeros at 3. rewrite repeat_length.
    pose proof (holding_zeros v s n k). tauto.
  Qed.

  Lemma pot_add : forall v s xs ys k xs' ys', length xs = length ys -> length xs' = length ys' ->
    holding v k s xs ys -> holding v k s xs' ys' ->
    holding v k s (add_lists xs xs') (add_lists ys ys') /\
    pot v k s (add_lists xs xs') (add_lists ys ys') <= pot v k s xs ys + pot v k s xs' ys'.
  Proof.
    intros v s. induction xs as [|x xs IH]; intros [|y ys] k xs' ys' L L' H H'; try discriminate.
    - simpl. split; auto. lra.
    - destruct xs' as [|x' xs'], ys' as [|y' ys']; try discriminate; [simpl in *; split; auto; lra|].
      cbn [add_lists pot holding] in *. destruct H as [H1 H2], H' as [H1' H2'].
      destruct (IH ys (k + 1)%Z xs' ys') as [I1 I2]; try (simpl in *; lia); auto.
      rewrite !plus_IZR. unfold Rdiv in *. rewrite !Rmult_plus_distr_r.
      split; [split; auto|]. pose proof (G_plus v k _ _ _ _ H1 H1'). lra.
  Qed.

  Record cells (c : content) (xs ys : list Z) : Prop := {
    cells_length_x : length xs = c_cells c; cells_length_y : length ys = c_cells c;
    cells_pos_x : nonneg xs; cells_pos_y : nonneg ys;
    cells_x : packed xs = c_x c; cells_y : packed ys = c_y c;
    cells_sum_x : (total_of xs <= c_sum_x c)%Z; cells_sum_y : (total_of ys <= c_sum_y c)%Z }.

  (** The content of v, in units of 1/s, has a measure of at most p. *)
  Definition weighs (s : R) (v : nat) (c : content) (p : R) : Prop :=
    fits v /\ exists xs ys, cells c xs ys /\ holding v (c_low c) s xs ys /\ pot v (c_low c) s xs ys <= p.

  Lemma cells_same_length : forall c xs ys, cells c xs ys -> length xs = length ys.
  Proof. intros c xs ys C. rewrite (cells_length_x _ _ _ C), (cells_length_y _ _ _ C). auto. Qed.

  Lemma weighs_join : forall s v c d p q, weighs s v c p -> weighs s v d q -> weighs s v (join width c d) (p + q).
  Proof.
    intros s v c d p q (V & xs & ys & C & H & P) (_ & xs' & ys' & D & H' & P'). split; auto.
    set (low := Z.min (c_low c) (c_low d)). set (i := Z.to_nat (c_low c - low)). set (j := Z.to_nat (c_low d - low)).
    assert (I : (low + Z.of_nat i = c_low c)%Z) by (unfold i, low; lia).
    assert (J : (low + Z.of_nat j = c_low d)%Z) by (unfold j, low; lia).
    pose proof (cells_same_length c xs ys C) as L. pose proof (cells_same_length d xs' ys' D) as L'.
    destruct (pot_add v s (zeros i ++ xs) (zeros i ++ ys) low (zeros j ++ xs') (zeros j ++ ys')) as [A B];
      try (rewrite !app_length; lia); try (rewrite holding_before, ?I, ?J; auto).
    rewrite !pot_before, I, J in B.
    exists (add_lists (zeros i ++ xs) (zeros j ++ xs')), (add_lists (zeros i ++ ys) (zeros j ++ ys')).
    destruct C, D. split; [|split; [exact A | change (c_low (join width c d)) with low; lra]].
    assert (Z0 : forall n, length (zeros n) = n) by (intros; apply repeat_length).
    unfold join. fold low. fold i. fold j.
    assert (N : forall n l, nonneg l -> nonneg (zeros n ++ l)) by (intros; apply Forall_app; split; [apply nonneg_zeros | auto]).
    constructor; cbn [c_cells c_x c_y c_sum_x c_sum_y];
      rewrite ?length_add, ?app_length, ?Z0, ?pack_add, ?total_add, ?total_app, ?total_zeros; try lia; auto using nonneg_add;
      rewrite <- !(up_cells_pack bits width); auto; congruence.
  Qed.

  (** *** Moving *)

  Lemma pot_moved : forall u ps, pieces u = Some ps -> fits u -> forall xs ys k, nonneg xs -> nonneg ys -> holding u k scale xs ys ->
    (forall p, In p ps -> holding (p_to p) (k + p_up p) (scale * scale) (map (fun x => x * p_g p)%Z xs) (map (fun y => y * p_h p)%Z ys)) /\
    sum ps (fun p => pot (p_to p) (k + p_up p) (scale * scale) (map (fun x => x * p_g p)%Z xs) (map (fun y => y * p_h p)%Z ys))
      <= pot u k scale xs ys.
  Proof.
    intros u ps E U. pose proof scale_pos as SP.
    assert (M : forall x p, IZR (x * p) / (scale * scale) = part_of p (IZR x / scale))
      by (intros; unfold part_of; rewrite mult_IZR; field; lra).
    induction xs as [|x xs IH]; intros [|y ys] k NX NY H; cbn [map pot holding];
      try (split; [auto | rewrite sum_zero; [lra | auto]]).
    destruct (nonneg_cons _ _ NX) as [X NX']. destruct (nonneg_cons _ _ NY) as [Y NY']. destruct H as [H1 H2].
    destruct (IH ys (k + 1)%Z) as [I1 I2]; auto.
    destruct (G_pieces u ps k (IZR x / scale) (IZR y / scale)) as [P1 P2]; auto;
      try (apply Rmult_le_pos; [apply (IZR_le 0); auto | left; apply Rinv_0_lt_compat; auto]).
    assert (K : forall p, (k + 1 + p_up p = k + p_up p + 1)%Z) by (intros; lia).
    split.
    - intros p I. rewrite !M. split; auto. specialize (I1 p I). rewrite K in I1. auto.
    - rewrite sum_plus. apply Rplus_le_compat.
      + rewrite (sum_ext _ ps _ (fun p => G (p_to p) (k + p_up p) (part_of (p_g p) (IZR x / scale)) (part_of (p_h p) (IZR y / scale))))
          by (intros; rewrite !M; auto). auto.
      + eapply Rle_trans; [|apply I2]. right. apply sum_ext. intros p _. rewrite K. auto.
  Qed.

  (** *** Rounding *)

  Lemma rounded_cell_zero : forall b, rounded_cell bits b 0 = 0%Z.
  Proof. intros []; unfold rounded_cell; rewrite ?Z.opp_0, ?Z.div_0_l; auto; pose proof (unit_pos bits bits_pos); lia. Qed.

  Lemma rounded_pack : forall (b : bool) k xs, nonneg xs -> (total_of xs + unit bits < base width)%Z -> (length xs <= Nat.pow 2 k)%nat ->
    (if b then divided_up bits (filled bits width k) (packed xs) else divided_down bits (filled bits width k) (packed xs))
    = packed (map (rounded_cell bits b) xs).
  Proof.
    intros b k xs N T L. set (n := (Nat.pow 2 k - length xs)%nat).
    assert (E : length (xs ++ zeros n) = Nat.pow 2 k) by (rewrite app_length; unfold zeros; rewrite repeat_length; unfold n; lia).
    rewrite <- (pack_pad width xs n), filled_spec, <- E by auto.
    assert (N' : nonneg (xs ++ zeros n)) by (apply Forall_app; split; [auto | apply nonneg_zeros]).
    assert (T' : total_of (xs ++ zeros n) = total_of xs) by (rewrite total_app, total_zeros; lia).
    pose proof (unit_pos bits bits_pos).
    transitivity (packed (map (rounded_cell bits b) (xs ++ zeros n))).
    - destruct b.
      + apply divided_up_pack; auto. lia.
      + apply divided_down_pack; auto. apply small_total; auto. lia.
    - rewrite map_app. replace (map (rounded_cell bits b) (zeros n)) with (zeros n); [apply pack_pad|].
      unfold zeros. clear - bits_pos. induction n; simpl; auto. rewrite rounded_cell_zero. f_equal. auto.
  Qed.

  Lemma rounded_cell_bound : forall (b : bool) x,
    if b then IZR x / (scale * scale) <= IZR (rounded_cell bits b x) / scale
    else IZR (rounded_cell bits b x) / scale <= IZR x / (scale * scale).
  Proof.
    intros b x. pose proof scale_pos as SP. pose proof (unit_pos bits bits_pos) as UP.
    assert (SS : 0 < scale * scale) by (apply Rmult_lt_0_compat; auto).
    unfold rounded_cell. destruct b; apply div_le; auto; rewrite <- Rmult_assoc; apply Rmult_le_compat_r; try lra;
      unfold scale; rewrite <- mult_IZR; apply IZR_le; pose proof (Z.mul_div_le (- x) (unit bits) UP);
      pose proof (Z.mul_div_le x (unit bits) UP); lia.
  Qed.

  Lemma pot_rounded : forall v, fits v -> forall xs ys k, nonneg xs -> nonneg ys -> holding v k (scale * scale) xs ys ->
    holding v k scale (map (rounded_cell bits up) xs) (map (rounded_cell bits (negb up)) ys) /\
    pot v k scale (map (rounded_cell bits up) xs) (map (rounded_cell bits (negb up)) ys) <= pot v k (scale * scale) xs ys.
  Proof.
    intros v V. pose proof scale_pos as SP. assert (SS : 0 < scale * scale) by (apply Rmult_lt_0_compat; auto).
    assert (D : forall x s, (0 <= x)%Z -> 0 < s -> 0 <= IZR x / s)
      by (intros; apply Rmult_le_pos; [apply (IZR_le 0); auto | left; apply Rinv_0_lt_compat; auto]).
    assert (RN : forall b x, (0 <= x)%Z -> (0 <= rounded_cell bits b x)%Z).
    { intros b x X. apply (nonneg_cons _ []). apply (rounded_nonneg bits bits_pos b [x]). constructor; auto. }
    induction xs as [|x xs IH]; intros [|y ys] k NX NY H; cbn [map pot holding]; try (split; auto; lra).
    destruct (nonneg_cons _ _ NX) as [X NX']. destruct (nonneg_cons _ _ NY) as [Y NY']. destruct H as [H1 H2]. destruct (IH ys (k + 1)%Z) as [I1 I2]; auto.
    destruct (G_round v k (IZR x / (scale * scale)) (IZR y / (scale * scale))
      (IZR (rounded_cell bits up x) / scale) (IZR (rounded_cell bits (negb up) y) / scale)) as [R1 R2]; auto.
    - pose proof (rounded_cell_bound up x). pose proof (rounded_cell_bound (negb up) y). destruct up; auto.
    - split; auto. lra.
  Qed.

  Lemma weighs_rounded : forall v c c' p, weighs (scale * scale) v c p ->
    rounded bits width (filled bits width) up c = Some c' -> weighs scale v c' p.
  Proof.
    intros v c c' p (V & xs & ys & C & H & P) E. unfold rounded in E.
    destruct (fits_in bits width c && enough (doublings (c_cells c)) (c_cells c)) eqn:F; [|discriminate]. inversion E; subst. clear E.
    apply andb_prop in F. destruct F as [F L]. apply andb_prop in F. destruct F as [FX FY]. apply Z.ltb_lt in FX, FY.
    apply PeanoNat.Nat.leb_le in L. destruct C.
    destruct (pot_rounded v V xs ys (c_low c)) as [R1 R2]; auto. split; auto.
    exists (map (rounded_cell bits up) xs), (map (rounded_cell bits (negb up)) ys).
    assert (T : forall b l s, (total_of l <= s)%Z -> length l = c_cells c ->
      (total_of (map (rounded_cell bits b) l) <= Z.shiftr (s + Z.of_nat (c_cells c) * (unit bits - 1)) bits)%Z).
    { intros b l s S LL. rewrite Z.shiftr_div_pow2, <- unit_power by lia. pose proof (unit_pos bits bits_pos).
      pose proof (rounded_total bits bits_pos b l). apply Z.div_le_lower_bound; auto. rewrite LL in *. lia. }
    split; [|split; [auto | cbn [c_low]; lra]].
    constructor; cbn [c_cells c_x c_y c_sum_x c_sum_y]; rewrite ?map_length; auto using rounded_nonneg.
    - rewrite <- rounded_pack with (k := doublings (c_cells c)); auto; try lia. rewrite cells_x0. auto.
    - rewrite <- rounded_pack with (k := doublings (c_cells c)); auto; try lia. rewrite cells_y0. destruct up; auto.
  Qed.

  (** *** Emptying *)

  Lemma pot_moved_cells : up = false -> forall v s xs ys k k', length xs = length ys -> holding v k s xs ys ->
    let (x, y) := (total_of xs, total_of ys) in
    Q v k' (IZR x / s) (IZR y / s) /\ G v k' (IZR x / s) (IZR y / s) <= pot v k s xs ys.
  Proof.
    intros U v s. induction xs as [|x xs IH]; intros [|y ys] k k' L H; try discriminate.
    - simpl. rewrite over_zero, G_zero. split; auto. lra.
    - cbn [holding] in H. destruct H as [H1 H2]. destruct (IH ys (k + 1)%Z k') as [I1 I2]; auto.
      cbn [total_of fold_right pot]. change (fold_right Z.add 0%Z xs) with (total_of xs). change (fold_right Z.add 0%Z ys) with (total_of ys).
      rewrite !plus_IZR. unfold Rdiv in *. rewrite !Rmult_plus_distr_r.
      destruct (G_fold U v k k' _ _ H1) as [F1 F2]. split; [auto|]. pose proof (G_plus v k' _ _ _ _ F1 I1). lra.
  Qed.

  Lemma pot_ended : up = true -> forall v s, fits v -> 0 < s -> forall xs ys k, nonneg xs -> nonneg ys -> length xs = length ys ->
    holding v k s xs ys -> - (IZR (total_of xs) / s) <= pot v k s xs ys.
  Proof.
    intros U v s V S. induction xs as [|x xs IH]; intros [|y ys] k NX NY L H; try discriminate.
    - simpl. rewrite over_zero. lra.
    - cbn [holding] in H. destruct H as [H1 H2]. destruct (nonneg_cons _ _ NX) as [X NX']. destruct (nonneg_cons _ _ NY) as [Y NY'].
      assert (D : forall x, (0 <= x)%Z -> 0 <= IZR x / s)
        by (intros; apply Rmult_le_pos; [apply (IZR_le 0); auto | left; apply Rinv_0_lt_compat; auto]).
      specialize (IH ys (k + 1)%Z NX' NY'). cbn [total_of fold_right pot]. change (fold_right Z.add 0%Z xs) with (total_of xs).
      rewrite plus_IZR. unfold Rdiv in *. rewrite Rmult_plus_distr_r. simpl in L.
      pose proof (G_end U v k (IZR x * / s) (IZR y * / s) V H1 (D x X) (D y Y)). rewrite Ropp_plus_distr.
      apply Rplus_le_compat; [lra | apply IH; auto].
  Qed.

  Lemma weighs_within : forall v c c' x p, weighs scale v c p -> within bits width up (g_low g) (g_high g) c = Some (c', x) ->
    weighs scale v c' (p + IZR x / scale) /\ (0 <= x)%Z /\ (up = false -> x = 0%Z).
  Proof.
    intros v c c' x p (V & xs & ys & C & H & P) E. unfold within in E.
    set (k := Z.to_nat (Z.min (Z.of_nat (c_cells c)) (g_low g - c_low c))) in E.
    set (n := (Z.to_nat (Z.min (Z.of_nat (c_cells c)) (g_high g + 1 - c_low c)) - k)%nat) in E.
    destruct (_ && _) in E.
    { inversion E; subst. rewrite over_zero, Rplus_0_r. split; [split; auto; exists xs, ys; auto | split; auto; lia]. }
    destruct (fits_in bits width c && (k + n <=? c_cells c)%nat) eqn:F in E; [|discriminate].
    apply andb_prop in F. destruct F as [F KN]. apply andb_prop in F. destruct F as [FX FY]. apply Z.ltb_lt in FX, FY.
    apply PeanoNat.Nat.leb_le in KN. pose proof (cells_same_length c xs ys C) as L. destruct C.
    (* the cells in three parts *)
    assert (S : forall l : list Z, length l = c_cells c -> exists a b d, l = a ++ b ++ d /\ length a = k /\ length b = n /\ length d = (c_cells c - k - n)%nat).
    { intros l LL. exists (firstn k l), (firstn n (skipn k l)), (skipn n (skipn k l)).
      rewrite !firstn_skipn. rewrite !firstn_length, !skipn_length. repeat split; auto; lia. }
    destruct (S xs cells_length_x0) as (x0 & x1 & x2 & -> & X0 & X1 & X2).
    destruct (S ys cells_length_y0) as (y0 & y1 & y2 & -> & Y0 & Y1 & Y2). clear S.
    pose proof (unit_pos bits bits_pos) as UP.
    assert (K : forall a b d, nonneg (a ++ b ++ d) -> (total_of (a ++ b ++ d) + unit bits < base width)%Z ->
      length a = k -> length b = n ->
      cut width k (packed (a ++ b ++ d)) = (packed a, packed (b ++ d)) /\ cut width n (packed (b ++ d)) = (packed b, packed d) /\
      sum_of_cells width (packed a) = total_of a /\ sum_of_cells width (packed d) = total_of d /\
      nonneg a /\ nonneg b /\ nonneg d).
    { intros a b d N T A D. rewrite !total_app in T. apply Forall_app in N. destruct N as [NA N]. apply Forall_app in N. destruct N as [NB ND].
      pose proof (total_nonneg a NA). pose proof (total_nonneg b NB). pose proof (total_nonneg d ND).
      rewrite <- A, <- D. rewrite !(cut_pack bits width) by (auto; apply small_total; auto; lia).
      rewrite !(sum_of_cells_pack bits width) by (auto; lia). repeat split; auto. }
    destruct (K x0 x1 x2) as (CX1 & CX2 & SX0 & SX2 & NX0 & NX1 & NX2); auto; try lia.
    destruct (K y0 y1 y2) as (CY1 & CY2 & SY0 & SY2 & NY0 & NY1 & NY2); auto; try lia. clear K.
    rewrite <- cells_x0, <- cells_y0, CX1, CY1, CX2, CY2, SX0, SX2, SY0, SY2 in E.
    rewrite !holding_app in H by congruence. destruct H as (H0 & H1 & H2). rewrite !pot_app in P by congruence.
    rewrite X0, X1 in *. rewrite !total_app in cells_sum_x0, cells_sum_y0.
    assert (I : weighs scale v {| c_low := c_low c + Z.of_nat k; c_cells := n; c_x := packed x1; c_y := packed y1;
        c_sum_x := c_sum_x c - total_of x0 - total_of x2; c_sum_y := c_sum_y c - total_of y0 - total_of y2 |}
        (pot v (c_low c + Z.of_nat k) scale x1 y1)).
    { split; auto. exists x1, y1. split; [constructor; cbn [c_cells c_x c_y c_sum_x c_sum_y]; auto; lia|]. split; auto. cbn [c_low]. lra. }
    pose proof scale_pos as SP.
    pose proof (total_nonneg x0 NX0). pose proof (total_nonneg x2 NX2).
    pose proof (total_nonneg y0 NY0). pose proof (total_nonneg y2 NY2).
    destruct (Bool.bool_dec up true) as [U | U]; [|apply not_true_is_false in U]; rewrite U in E; inversion E; subst c' x; clear E.
    - split; [|split; [lia | congruence]].
      pose proof (pot_ended U v scale V SP x0 y0 (c_low c) NX0 NY0 (eq_trans X0 (eq_sym Y0)) H0) as P0.
      pose proof (pot_ended U v scale V SP x2 y2 _ NX2 NY2 (eq_trans X2 (eq_sym Y2)) H2) as P2.
      destruct I as (_ & a & b & CA & HA & PA). split; auto. exists a, b. split; auto. split; auto.
      rewrite plus_IZR. unfold Rdiv in *. rewrite Rmult_plus_distr_r. lra.
    - split; [|split; [lia | auto]]. rewrite over_zero, Rplus_0_r.
      assert (O : forall at_ a b, (0 <= a)%Z -> (0 <= b)%Z -> Q v at_ (IZR a / scale) (IZR b / scale) ->
        weighs scale v (one_cell at_ a b) (G v at_ (IZR a / scale) (IZR b / scale))).
      { intros at_ a b A B QQ. split; auto. exists [a], [b]. unfold one_cell.
        split; [constructor; cbn [c_cells c_x c_y c_sum_x c_sum_y pack total_of fold_right length]; auto; try lia; repeat constructor; auto|].
        cbn [holding pot c_low]. split; auto. lra. }
      destruct (pot_moved_cells U v scale x0 y0 (c_low c) (g_low g) (eq_trans X0 (eq_sym Y0)) H0) as [Q0 G0].
      destruct (pot_moved_cells U v scale x2 y2 _ (g_high g) (eq_trans X2 (eq_sym Y2)) H2) as [Q2 G2].
      pose proof (weighs_join scale v _ _ _ _ I (weighs_join scale v _ _ _ _ (O (g_low g) _ _ H H4 Q0) (O (g_high g) _ _ H3 H5 Q2))) as J.
      destruct J as (_ & a & b & CA & HA & PA). split; auto. exists a, b. split; auto. split; auto. lra.
  Qed.

  (** ** What stands at nodes *)

  Definition weigh_all (s : R) (l : list (nat * content)) (t : R) : Prop :=
    exists ps, Forall2 (fun e p => weighs s (fst e) (snd e) p) l ps /\ sum ps (fun p => p) <= t.

  Lemma weigh_none : forall s, weigh_all s [] 0.
  Proof. intros. exists []. split; [constructor | simpl; lra]. Qed.

  Lemma weigh_none' : forall s t, weigh_all s [] t -> 0 <= t.
  Proof. intros s t (ps & F & T). inversion F; subst. auto. Qed.

  Lemma weigh_one : forall s e p, weighs s (fst e) (snd e) p -> weigh_all s [e] p.
  Proof. intros s e p W. exists [p]. split; [constructor; [exact W | constructor] | simpl; lra]. Qed.

  Lemma weigh_one' : forall s e t, weigh_all s [e] t -> weighs s (fst e) (snd e) t.
  Proof.
    intros s e t (ps & F & T). inversion F as [|x p l ps' W N]; subst. inversion N; subst. simpl in T.
    destruct W as (V & xs & ys & C & H & P). split; auto. exists xs, ys. split; auto. split; auto. lra.
  Qed.

  Lemma weigh_more : forall s l t t', weigh_all s l t -> t <= t' -> weigh_all s l t'.
  Proof. intros s l t t' (ps & F & T) L. exists ps. split; auto. lra. Qed.

  Lemma weigh_app : forall s a b t t', weigh_all s a t -> weigh_all s b t' -> weigh_all s (a ++ b) (t + t').
  Proof.
    intros s a b t t' (ps & F & T) (ps' & F' & T'). exists (ps ++ ps'). split; [apply Forall2_app; auto|].
    rewrite sum_app. lra.
  Qed.

  Lemma weigh_split : forall s a b t, weigh_all s (a ++ b) t ->
    exists t1 t2, weigh_all s a t1 /\ weigh_all s b t2 /\ t1 + t2 <= t.
  Proof.
    intros s a b t (ps & F & T). apply Forall2_app_inv_l in F. destruct F as (p1 & p2 & F1 & F2 & ->).
    rewrite sum_app in T. exists (sum p1 (fun p => p)), (sum p2 (fun p => p)).
    split; [exists p1; split; auto; lra|]. split; [exists p2; split; auto; lra|]. auto.
  Qed.

  Definition keyed (t : tree (nat * content)) : Prop := forall k e, find k t = Some e -> fst e = k.

  Lemma deliver_spec : forall s t v c T p, keyed t -> weigh_all s (values t) T -> weighs s v c p ->
    keyed (deliver width t (v, c)) /\ weigh_all s (values (deliver width t (v, c))) (T + p).
  Proof.
    intros s t v c T p K W C. unfold deliver. set (d := match find v t with Some (_, d) => join width d c | None => c end). split.
    - intros k e E. rewrite find_add in E. destruct (PeanoNat.Nat.eqb_spec k v); [inversion E; auto | auto].
    - destruct (values_add_split _ v (v, d) t) as (a & b & E & ->). rewrite E in W.
      apply weigh_split in W. destruct W as (t1 & t2 & W1 & W2 & L). apply weigh_split in W2. destruct W2 as (t3 & t4 & W3 & W4 & L').
      apply (weigh_more _ _ (t1 + ((t3 + p) + t4))); [|lra]. apply weigh_app; auto. apply weigh_app; auto.
      apply weigh_one. unfold d. destruct (find v t) as [[w x]|] eqn:FD.
      + pose proof (K _ _ FD) as KV. simpl in KV. subst w. apply weigh_one' in W3. apply weighs_join; auto.
      + apply weigh_none' in W3. apply weigh_one'. apply weigh_more with p; [apply weigh_one; auto | lra].
  Qed.

  Lemma delivered_spec : forall s l t T T', keyed t -> weigh_all s (values t) T -> weigh_all s l T' ->
    keyed (fold_left (deliver width) l t) /\ weigh_all s (values (fold_left (deliver width) l t)) (T + T').
  Proof.
    intros s. induction l as [|[v c] l IH]; intros t T T' K W A.
    - apply weigh_none' in A. simpl. split; auto. apply weigh_more with T; auto. lra.
    - change ((v, c) :: l) with ([(v, c)] ++ l) in A. apply weigh_split in A. destruct A as (t1 & t2 & A1 & A2 & L).
      apply weigh_one' in A1. cbn [fold_left]. destruct (deliver_spec s t v c T t1 K W A1) as [K' W'].
      destruct (IH _ _ _ K' W' A2) as [K2 W2]. split; auto. apply weigh_more with (T + t1 + t2); auto. lra.
  Qed.

  Definition is_inner (v : nat) : Prop := pieces v <> None.

  Lemma sent_one : forall v c p, is_inner v -> weighs scale v c p -> weigh_all (scale * scale) (sent pieces (v, c)) p.
  Proof.
    intros v c p I (V & xs & ys & C & H & P). unfold sent. cbn [fst snd]. destruct (pieces v) as [ps|] eqn:E; [|exfalso; apply I; exact E].
    destruct C. destruct (pot_moved v ps E V xs ys (c_low c)) as [M1 M2]; auto.
    exists (map (fun q => pot (p_to q) (c_low c + p_up q) (scale * scale)
      (map (fun x => x * p_g q)%Z xs) (map (fun y => y * p_h q)%Z ys)) ps).
    rewrite sum_map. split; [|lra]. clear M2 P.
    assert (A : forall q, In q ps -> weighs (scale * scale) (p_to q) (moved c q) (pot (p_to q) (c_low c + p_up q) (scale * scale)
      (map (fun x => x * p_g q)%Z xs) (map (fun y => y * p_h q)%Z ys))).
    { intros q J. destruct (pieces_fit v ps q E V J) as (PG & PH & PF). split; auto.
      exists (map (fun x => x * p_g q)%Z xs), (map (fun y => y * p_h q)%Z ys). split; [|split; [exact (M1 q J) | unfold moved; cbn [c_low]; lra]].
      assert (N : forall k l, (0 <= k)%Z -> nonneg l -> nonneg (map (fun x => x * k)%Z l)).
      { intros k l K. induction 1; constructor; [apply Z.mul_nonneg_nonneg; auto | exact IHForall]. }
      unfold moved. constructor; cbn [c_cells c_x c_y c_sum_x c_sum_y]; rewrite ?map_length, ?pack_scale, ?total_scale; auto; try congruence;
        apply Z.mul_le_mono_nonneg_r; auto. }
    clear - A. induction ps as [|q ps IH]; simpl; constructor; [apply A; simpl; auto | apply IH; intros; apply A; simpl; auto].
  Qed.

  Lemma sent_all : forall l T, Forall (fun e => is_inner (fst e)) l -> weigh_all scale l T ->
    weigh_all (scale * scale) (flat_map (sent pieces) l) T.
  Proof.
    induction l as [|[v c] l IH]; intros T I W; [apply weigh_none' in W; apply weigh_more with 0; auto using weigh_none|].
    inversion I; subst. change ((v, c) :: l) with ([(v, c)] ++ l) in W. apply weigh_split in W.
    destruct W as (t1 & t2 & W1 & W2 & L). apply weigh_one' in W1. cbn [flat_map].
    apply weigh_more with (t1 + t2); auto. apply weigh_app; [apply sent_one; auto | apply IH; auto].
  Qed.

  Record state_weighs (s : state) (t : R) : Prop := {
    inner_move : Forall (fun e => is_inner (fst e)) (moving s);
    arrived_keyed : keyed (arrived s);
    ended_fit : Forall (fun e => fits (fst e) /\ is_inner (fst e) /\ (0 <= snd e)%Z /\ up = true) (ended s);
    measured : exists t1 t2, weigh_all scale (moving s) t1 /\ weigh_all scale (values (arrived s)) t2 /\
      t1 + t2 - sum (ended s) (fun e => IZR (snd e) / scale) <= t }.

  Lemma weighs_nothing : forall v c p, weighs scale v c p -> is_nothing c = true -> 0 <= p.
  Proof.
    intros v c p (V & xs & ys & C & H & P) N. unfold is_nothing in N. apply andb_prop in N. destruct N as [NX NY].
    apply Z.eqb_eq in NX, NY. destruct C. rewrite <- cells_x0 in NX. rewrite <- cells_y0 in NY.
    apply (pack_nothing bits width bits_pos width_bits) in NX, NY; auto. rewrite NX, NY, cells_length_x0, cells_length_y0, pot_zeros in P. auto.
  Qed.

  Lemma settle_spec : forall s s' v c t p, state_weighs s t -> weighs (scale * scale) v c p ->
    settle g width (filled bits width) up pieces (Some s) (v, c) = Some s' -> state_weighs s' (t + p).
  Proof.
    intros s s' v c t p [I K EF (t1 & t2 & W1 & W2 & L)] W E. unfold settle in E. cbn [fst snd] in E.
    destruct (rounded _ _ _ _ c) as [c1|] eqn:R; [|discriminate]. apply (weighs_rounded v c c1 p W) in R.
    destruct (pieces v) as [ps|] eqn:PV.
    - destruct (within _ _ _ _ _ c1) as [[c2 x]|] eqn:WI; [|discriminate]. inversion E; subst s'. clear E.
      destruct (weighs_within v c1 c2 x p R WI) as (R2 & X0 & XU).
      assert (IV : is_inner v) by (unfold is_inner; congruence).
      assert (V : fits v) by apply R.
      assert (EE : Forall (fun e => fits (fst e) /\ is_inner (fst e) /\ (0 <= snd e)%Z /\ up = true) (if (x =? 0)%Z then ended s else (v, x) :: ended s) /\
        sum (if (x =? 0)%Z then ended s else (v, x) :: ended s) (fun e => IZR (snd e) / scale)
        = sum (ended s) (fun e => IZR (snd e) / scale) + IZR x / scale).
      { destruct (Z.eqb_spec x 0) as [-> | XN]; [rewrite over_zero; split; [auto | lra]|]. split; [|cbn [sum snd]; lra].
        constructor; auto. cbn [fst snd]. split; auto. split; auto. split; auto. destruct up; auto. }
      destruct EE as [E1 E2].
      constructor; cbn [moving arrived ended]; auto.
      + destruct (is_nothing c2); auto.
      + destruct (is_nothing c2) eqn:N.
        * exists t1, t2. split; auto. split; auto. rewrite E2. pose proof (weighs_nothing v c2 _ R2 N). lra.
        * exists ((p + IZR x / scale) + t1), t2. split; [|split; auto; rewrite E2; lra].
          change ((v, c2) :: moving s) with ([(v, c2)] ++ moving s). apply weigh_app; auto. apply weigh_one. auto.
    - inversion E; subst s'. clear E.
      destruct (deliver_spec scale (arrived s) v c1 t2 p K W2 R) as [K' W'].
      constructor; cbn [moving arrived ended]; auto. exists t1, (t2 + p). split; auto. split; auto. lra.
  Qed.

  Lemma settled_none : forall l, fold_left (settle g width (filled bits width) up pieces) l None = None.
  Proof. induction l; auto. Qed.

  Lemma settled_spec : forall l s s' t T, state_weighs s t -> weigh_all (scale * scale) l T ->
    fold_left (settle g width (filled bits width) up pieces) l (Some s) = Some s' -> state_weighs s' (t + T).
  Proof.
    induction l as [|[v c] l IH]; intros s s' t T S W E.
    - apply weigh_none' in W. inversion E; subst. destruct S as [I K EF (t1 & t2 & W1 & W2 & L)].
      constructor; auto. exists t1, t2. split; auto. split; auto. lra.
    - change ((v, c) :: l) with ([(v, c)] ++ l) in W. apply weigh_split in W. destruct W as (t1 & t2 & W1 & W2 & L).
      apply weigh_one' in W1. cbn [fold_left] in E.
      destruct (settle g width (filled bits width) up pieces (Some s) (v, c)) as [s1|] eqn:ST; [|rewrite settled_none in E; discriminate].
      apply (settle_spec s s1 v c t t1 S W1) in ST. specialize (IH s1 s' (t + t1) t2 ST W2 E).
      destruct IH as [I K EF (u1 & u2 & U1 & U2 & L')]. constructor; auto. exists u1, u2. split; auto. split; auto. lra.
  Qed.

  Lemma round_spec : forall s s' t, state_weighs s t -> round g width (filled bits width) up pieces s = Some s' -> state_weighs s' t.
  Proof.
    intros s s' t [I K EF (t1 & t2 & W1 & W2 & L)] E. unfold round in E. cbn zeta in E.
    assert (KE : keyed empty) by (intros k e; rewrite find_empty; discriminate).
    destruct (delivered_spec (scale * scale) (flat_map (sent pieces) (moving s)) empty 0 t1 KE (weigh_none _) (sent_all _ _ I W1)) as [_ D].
    assert (S0 : state_weighs {| moving := []; arrived := arrived s; ended := ended s |} (t - t1)).
    { constructor; cbn [moving arrived ended]; auto. exists 0, t2. split; [apply weigh_none|]. split; auto. lra. }
    pose proof (settled_spec _ _ _ _ _ S0 D E) as [I' K' EF' (u1 & u2 & U1 & U2 & L')].
    constructor; auto. exists u1, u2. split; auto. split; auto. lra.
  Qed.

  Lemma rounds_spec : forall n s s' t, state_weighs s t -> rounds g width (filled bits width) up pieces n s = Some s' -> state_weighs s' t.
  Proof.
    induction n; intros s s' t S E; simpl in E; [inversion E; subst; auto|].
    destruct (moving s) eqn:M; [inversion E; subst; auto|].
    destruct (round _ _ _ _ _ s) as [s1|] eqn:R; [|discriminate]. apply (IHn s1); auto. apply (round_spec s); auto.
  Qed.

  Lemma start_spec : fits 0 -> Q 0 0 1 1 -> state_weighs (start g width pieces) (G 0 0 1 1).
  Proof.
    intros V QS. unfold start.
    assert (UP : (0 < unit bits)%Z) by (apply unit_pos; auto).
    assert (O : weighs scale 0 (one_cell 0 (unit bits) (unit bits)) (G 0 0 1 1)).
    { split; auto. exists [unit bits], [unit bits]. unfold one_cell. pose proof scale_pos.
      assert (D : IZR (unit bits) / scale = 1) by (unfold scale in *; field; lra).
      split; [constructor; cbn [c_cells c_x c_y c_sum_x c_sum_y pack total_of fold_right length]; auto; try lia; repeat constructor; lia|].
      cbn [holding pot c_low]. rewrite D. split; auto. lra. }
    assert (KE : keyed empty) by (intros k e; rewrite find_empty; discriminate).
    destruct (pieces 0%nat) as [ps|] eqn:P.
    - constructor; cbn [moving arrived ended]; auto; [repeat constructor; unfold is_inner; cbn [fst]; congruence|].
      exists (G 0 0 1 1), 0. split; [apply weigh_one; auto|]. split; [apply weigh_none | simpl; lra].
    - destruct (deliver_spec scale empty 0%nat _ 0 _ KE (weigh_none _) O) as [K' W'].
      constructor; cbn [moving arrived ended]; auto. exists 0, (0 + G 0 0 1 1). split; [apply weigh_none|]. split; [exact W' | simpl; lra].
  Qed.

  (** ** In the end *)

  Variable F : nat -> R -> R -> R.
  Hypothesis F_below : forall v k x y, fits v -> Q v k x y -> 0 <= x -> 0 <= y -> F v x y <= G v k x y.
  Hypothesis F_ended : up = true -> forall v x, fits v -> is_inner v -> 0 <= x -> F v x 0 <= - x.

  Definition cells_worth (v : nat) (l : list ratio) : R := sum l (fun w => F v (IZR (fst w) / scale) (IZR (snd w) / scale)).

  Lemma worth_pot : forall v, fits v -> forall xs ys k, nonneg xs -> nonneg ys -> length xs = length ys -> holding v k scale xs ys ->
    cells_worth v (combine xs ys) <= pot v k scale xs ys.
  Proof.
    intros v V. pose proof scale_pos as SP.
    assert (D : forall x, (0 <= x)%Z -> 0 <= IZR x / scale)
      by (intros; apply Rmult_le_pos; [apply (IZR_le 0); auto | left; apply Rinv_0_lt_compat; auto]).
    induction xs as [|x xs IH]; intros [|y ys] k NX NY L H; try discriminate; unfold cells_worth in *; cbn [combine sum pot fst snd]; [lra|].
    destruct (nonneg_cons _ _ NX) as [X NX']. destruct (nonneg_cons _ _ NY) as [Y NY']. destruct H as [H1 H2].
    apply Rplus_le_compat; [apply F_below; auto | apply IH; auto].
  Qed.

  Lemma cells_of_spec : forall v c p l, weighs scale v c p -> cells_of bits width c = Some l -> cells_worth v l <= p.
  Proof.
    intros v c p l (V & xs & ys & C & H & P) E. unfold cells_of in E. cbn zeta in E.
    set (k := doublings (c_cells c)) in E. destruct (fits_in bits width c && enough k (c_cells c)) eqn:FI; [|discriminate].
    inversion E; subst l. clear E. apply andb_prop in FI. destruct FI as [FI K]. apply andb_prop in FI. destruct FI as [FX FY].
    apply Z.ltb_lt in FX, FY. apply PeanoNat.Nat.leb_le in K. destruct C.
    set (n := (Nat.pow 2 k - c_cells c)%nat). pose proof (unit_pos bits bits_pos).
    assert (S : forall a, nonneg a -> length a = c_cells c -> (total_of a + unit bits < base width)%Z ->
      split width k (packed a) = a ++ zeros n).
    { intros a N L T. rewrite <- (pack_pad width a n). apply (split_pack bits width); auto.
      - apply Forall_app. split; [apply small_total; auto; lia|]. apply small_total; [apply nonneg_zeros|].
        rewrite total_zeros. pose proof (total_nonneg a N). lia.
      - rewrite app_length. unfold zeros. rewrite repeat_length. unfold n. lia. }
    rewrite <- cells_x0, <- cells_y0, !S by (auto; lia). eapply Rle_trans; [|apply P].
    eapply Rle_trans; [apply (worth_pot v V _ _ (c_low c))|].
    - apply Forall_app. split; [auto | apply nonneg_zeros].
    - apply Forall_app. split; [auto | apply nonneg_zeros].
    - rewrite !app_length. lia.
    - apply holding_app; [lia|]. split; auto. apply holding_zeros.
    - rewrite pot_app, pot_zeros by lia. lra.
  Qed.

  Lemma all_cells_spec : forall l T cs, weigh_all scale l T -> all_cells g width l = Some cs ->
    sum cs (fun e => cells_worth (fst e) (snd e)) <= T.
  Proof.
    induction l as [|[v c] l IH]; intros T cs W E.
    - apply weigh_none' in W. inversion E; subst. auto.
    - change ((v, c) :: l) with ([(v, c)] ++ l) in W. apply weigh_split in W. destruct W as (t1 & t2 & W1 & W2 & L).
      apply weigh_one' in W1. cbn [all_cells] in E. destruct (cells_of bits width c) as [a|] eqn:A; [|discriminate].
      destruct (all_cells g width l) as [b|] eqn:B; [|discriminate]. inversion E; subst. cbn [sum fst snd].
      pose proof (cells_of_spec v c t1 a W1 A). pose proof (IH t2 b W2 eq_refl). lra.
  Qed.

  Theorem run_spec : fits 0 -> Q 0 0 1 1 -> forall l, run g width (filled bits width) up pieces = Some l ->
    sum l (fun e => cells_worth (fst e) (snd e)) <= G 0 0 1 1.
  Proof.
    intros V QS l E. unfold run in E.
    destruct (rounds _ _ _ _ _ _ _) as [s|] eqn:R; [|discriminate].
    apply (rounds_spec _ _ _ _ (start_spec V QS)) in R. destruct R as [_ _ EF (t1 & t2 & W1 & W2 & L)].
    destruct (all_cells g width _) as [cs|] eqn:A; [|discriminate]. inversion E; subst l. clear E.
    apply (all_cells_spec _ _ _ (weigh_app _ _ _ _ _ W1 W2)) in A. rewrite sum_app, sum_map. cbn [fst snd].
    assert (X : sum (ended s) (fun e => cells_worth (fst e) [(snd e, 0%Z)]) <= - sum (ended s) (fun e => IZR (snd e) / scale)).
    { rewrite <- (Rmult_1_l (sum (ended s) (fun e => IZR (snd e) / scale))), Ropp_mult_distr_l, <- sum_scale. apply sum_le.
      intros [v x] I. rewrite Forall_forall in EF. destruct (EF _ I) as (V' & IN & X & U). cbn [fst snd] in *.
      unfold cells_worth. cbn [sum fst snd]. rewrite over_zero.
      assert (0 <= IZR x / scale).
      { apply Rmult_le_pos; [apply (IZR_le 0); auto | left; apply Rinv_0_lt_compat, scale_pos]. }
      pose proof (F_ended U v (IZR x / scale) V' IN H). lra. }
    eapply Rle_trans; [apply Rplus_le_compat; [apply X | apply A] | lra].
  Qed.
End Pass.
