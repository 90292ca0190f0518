(** Cells in one integer: sums, products, roundings and cuts of the integer are those of the cells. *)

From Coq Require Import List Bool ZArith Lia.
From Proofs Require Import Claims Beliefs Grid.
Import ListNotations.
Open Scope Z_scope.

Arguments unit : simpl never.
Arguments base : simpl never.

Definition total_of (l : list Z) : Z := fold_right Z.add 0 l.
Definition nonneg (l : list Z) : Prop := Forall (fun x => 0 <= x) l.
Definition zeros (n : nat) : list Z := repeat 0 n.

Fixpoint add_lists (a b : list Z) : list Z :=
  match a, b with
  | x :: a', y :: b' => x + y :: add_lists a' b'
  | [], _ => b
  | _, [] => a
  end.

Lemma nonneg_cons : forall x l, nonneg (x :: l) -> 0 <= x /\ nonneg l.
Proof. intros x l N. inversion N. auto. Qed.

Lemma total_app : forall a b, total_of (a ++ b) = total_of a + total_of b.
Proof. induction a; intros; simpl; [auto|]. rewrite IHa. lia. Qed.

Lemma total_nonneg : forall l, nonneg l -> 0 <= total_of l.
Proof. induction 1; simpl; lia. Qed.

Lemma total_zeros : forall n, total_of (zeros n) = 0.
Proof. induction n; simpl; auto. Qed.

Lemma nonneg_zeros : forall n, nonneg (zeros n).
Proof. induction n; simpl; constructor; auto; lia. Qed.

Lemma total_add : forall a b, total_of (add_lists a b) = total_of a + total_of b.
Proof. induction a as [|x a IH]; intros [|y b]; simpl; try lia. rewrite IH. lia. Qed.

Lemma nonneg_add : forall a b, nonneg a -> nonneg b -> nonneg (add_lists a b).
Proof.
  induction a as [|x a IH]; intros [|y b] A B; simpl; auto. inversion A; inversion B; subst. constructor; [lia|].
  apply IH; auto.
Qed.

Lemma length_add : forall a b, length (add_lists a b) = Nat.max (length a) (length b).
Proof. induction a as [|x a IH]; intros [|y b]; simpl; auto. Qed.

Lemma total_scale : forall k l, total_of (map (fun x => x * k) l) = total_of l * k.
Proof. induction l; simpl; lia. Qed.

Section Pack.
  Variables (bits width : Z).
  Hypothesis bits_pos : 0 < bits.
  Hypothesis width_bits : bits <= width.

  Notation B := (unit bits).
  Notation W := (base width).

  Lemma unit_power : B = 2 ^ bits.
  Proof. unfold unit. rewrite Z.shiftl_mul_pow2 by lia. lia. Qed.

  Lemma base_power : W = 2 ^ width.
  Proof. unfold base. rewrite Z.shiftl_mul_pow2 by lia. lia. Qed.

  Lemma unit_pos : 0 < B.
  Proof. rewrite unit_power. apply Z.pow_pos_nonneg; lia. Qed.

  Lemma unit_two : 2 <= B.
  Proof. rewrite unit_power. change 2 with (2 ^ 1) at 1. apply Z.pow_le_mono_r; lia. Qed.

  Lemma unit_base : B <= W.
  Proof. rewrite unit_power, base_power. apply Z.pow_le_mono_r; lia. Qed.

  Lemma base_pos : 0 < W.
  Proof. pose proof unit_pos. pose proof unit_base. lia. Qed.

  Fixpoint pack (l : list Z) : Z := match l with [] => 0 | d :: r => d + W * pack r end.

  (** Every cell is below W. *)
  Definition small (l : list Z) : Prop := Forall (fun x => 0 <= x < W) l.

  Lemma small_total : forall l, nonneg l -> total_of l < W -> small l.
  Proof.
    induction l as [|x l IH]; intros N T; constructor; inversion N; subst; simpl in T; pose proof (total_nonneg l H2); [lia|].
    apply IH; auto. lia.
  Qed.

  Lemma pack_app : forall a b, pack (a ++ b) = pack a + W ^ Z.of_nat (length a) * pack b.
  Proof.
    induction a as [|x a IH]; intros b; [cbn [app pack length Z.of_nat]; rewrite Z.pow_0_r; lia|]. cbn [app pack length]. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
  Qed.

  Lemma pack_zeros : forall n, pack (zeros n) = 0.
  Proof. unfold zeros. induction n; cbn [repeat pack]; [auto|]. rewrite IHn. lia. Qed.

  Lemma pack_pad : forall l n, pack (l ++ zeros n) = pack l.
  Proof. intros. rewrite pack_app, pack_zeros. lia. Qed.

  Lemma pack_add : forall a b, pack (add_lists a b) = pack a + pack b.
  Proof. induction a as [|x a IH]; intros [|y b]; cbn [add_lists pack]; try lia. rewrite IH. ring. Qed.

  Lemma pack_scale : forall k l, pack (map (fun x => x * k) l) = pack l * k.
  Proof. induction l; cbn [map pack]; lia. Qed.

  Lemma pack_bound : forall l, small l -> 0 <= pack l < W ^ Z.of_nat (length l).
  Proof.
    induction 1 as [|x l X _ IH]; [cbn [pack length Z.of_nat]; rewrite Z.pow_0_r; lia|]. cbn [pack length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. nia.
  Qed.

  Lemma pack_nonneg : forall l, nonneg l -> 0 <= pack l.
  Proof. induction 1; cbn [pack]; [lia|]. pose proof base_pos. nia. Qed.

  Lemma pack_nothing : forall l, nonneg l -> pack l = 0 -> l = zeros (length l).
  Proof.
    induction 1 as [|x l X N IH]; auto. cbn [pack length]. intros E. pose proof (pack_nonneg l N). pose proof base_pos.
    assert (pack l = 0 /\ x = 0) as [P ->] by nia. unfold zeros in *. cbn [repeat]. f_equal. auto.
  Qed.

  Lemma power_base : forall n, 2 ^ (Z.of_nat n * width) = W ^ Z.of_nat n.
  Proof. intros. rewrite base_power, Z.mul_comm, Z.pow_mul_r; lia. Qed.

  Lemma shift_nonneg : forall n, 0 <= Z.of_nat n * width.
  Proof. intros. apply Z.mul_nonneg_nonneg; lia. Qed.

  Lemma up_cells_spec : forall n x, up_cells width n x = W ^ Z.of_nat n * x.
  Proof. intros. unfold up_cells. rewrite Z.shiftl_mul_pow2 by apply shift_nonneg. rewrite power_base. ring. Qed.

  Lemma up_cells_pack : forall n l, up_cells width n (pack l) = pack (zeros n ++ l).
  Proof.
    intros. rewrite up_cells_spec, pack_app, pack_zeros. unfold zeros. rewrite repeat_length. ring.
  Qed.

  Lemma cut_pack : forall a b, small a -> cut width (length a) (pack (a ++ b)) = (pack a, pack b).
  Proof.
    intros a b S. pose proof (pack_bound a S) as P. unfold cut. rewrite up_cells_spec, Z.shiftr_div_pow2, power_base by apply shift_nonneg.
    rewrite pack_app.
    assert (E : (pack a + W ^ Z.of_nat (length a) * pack b) / W ^ Z.of_nat (length a) = pack b).
    { rewrite Z.mul_comm, Z.div_add by lia. rewrite Z.div_small; lia. }
    rewrite E. f_equal. lia.
  Qed.

  (** ** Rounding *)

  Lemma land_step : forall d e x y, 0 <= d < W -> 0 <= e < W -> Z.land (d + W * x) (e + W * y) = Z.land d e + W * Z.land x y.
  Proof.
    intros d e x y D E. rewrite base_power in *.
    assert (L : forall d x, 0 <= d < 2 ^ width -> Z.land (d + 2 ^ width * x) (Z.ones width) = d /\ Z.shiftr (d + 2 ^ width * x) width = x).
    { intros d' x' D'. rewrite Z.land_ones, Z.shiftr_div_pow2 by lia. rewrite (Z.mul_comm _ x'). split.
      - rewrite Z.mod_add by lia. apply Z.mod_small. auto.
      - rewrite Z.div_add by lia. rewrite Z.div_small; lia. }
    destruct (L d x D) as [D1 D2]. destruct (L e y E) as [E1 E2].
    rewrite (Z.div_mod (Z.land (d + 2 ^ width * x) (e + 2 ^ width * y)) (2 ^ width)) by lia.
    rewrite <- Z.land_ones, <- Z.shiftr_div_pow2, Z.shiftr_land, D2, E2 by lia.
    assert (H : Z.land (Z.land (d + 2 ^ width * x) (e + 2 ^ width * y)) (Z.ones width) = Z.land d e).
    { rewrite <- D1 at 2. rewrite <- E1 at 2. rewrite <- !Z.land_assoc. f_equal.
      rewrite (Z.land_comm (Z.ones width)), <- Z.land_assoc, Z.land_diag. auto. }
    rewrite H. ring.
  Qed.

  Lemma land_low : forall d, Z.land d (B - 1) = d mod B.
  Proof. intros. rewrite unit_power, <- Z.land_ones by lia. rewrite Z.ones_equiv. auto. Qed.

  Lemma land_pack : forall l, small l -> Z.land (pack l) (pack (repeat (B - 1) (length l))) = pack (map (fun d => d mod B) l).
  Proof.
    pose proof unit_pos. pose proof unit_base. induction 1 as [|x l X _ IH]; [reflexivity|].
    cbn [length repeat map pack]. rewrite land_step, IH, land_low by lia. auto.
  Qed.

  Lemma pack_repeat : forall n m x, pack (repeat x (n + m)) = pack (repeat x n) + W ^ Z.of_nat n * pack (repeat x m).
  Proof. intros. rewrite repeat_app, pack_app, repeat_length. auto. Qed.

  Lemma filled_spec : forall k, filled bits width k = pack (repeat (B - 1) (Nat.pow 2 k)).
  Proof.
    induction k; [simpl; lia|]. cbn [filled]. cbn zeta. rewrite IHk, up_cells_spec, <- pack_repeat.
    do 2 f_equal. simpl. lia.
  Qed.

  Definition rounded_cell (up : bool) (x : Z) : Z := if up then - ((- x) / B) else x / B.

  Lemma divided_down_pack : forall l, small l ->
    divided_down bits (pack (repeat (B - 1) (length l))) (pack l) = pack (map (fun d => d / B) l).
  Proof.
    intros l S. unfold divided_down. rewrite land_pack, Z.shiftr_div_pow2, <- unit_power by (auto; lia). pose proof unit_pos.
    assert (E : pack l - pack (map (fun d => d mod B) l) = pack (map (fun d => d / B) l) * B).
    { clear S. induction l as [|x l IH]; [reflexivity|]. cbn [map pack]. pose proof (Z.div_mod x B). lia. }
    rewrite E. apply Z.div_mul. lia.
  Qed.

  Lemma ceiling_down : forall x, - ((- x) / B) = (x + (B - 1)) / B.
  Proof.
    intros x. pose proof unit_pos. pose proof (Z.div_mod (- x) B). pose proof (Z.mod_pos_bound (- x) B).
    apply (Z.div_unique_pos _ _ _ (B - 1 - (- x) mod B)); lia.
  Qed.

  Lemma divided_up_pack : forall l, nonneg l -> total_of l + B < W ->
    divided_up bits (pack (repeat (B - 1) (length l))) (pack l) = pack (map (fun d => - ((- d) / B)) l).
  Proof.
    intros l N T. unfold divided_up. pose proof unit_pos.
    assert (E : pack l + pack (repeat (B - 1) (length l)) = pack (map (fun d => d + (B - 1)) l)).
    { clear N T. induction l as [|x l IH]; [reflexivity|]. cbn [length repeat map pack]. lia. }
    assert (S : small (map (fun d => d + (B - 1)) l)).
    { clear E. induction l as [|x l IH]; constructor; inversion N; subst; simpl in T; pose proof (total_nonneg l H3).
      - lia.
      - apply IH; auto. lia. }
    rewrite E. rewrite <- (map_length (fun d => d + (B - 1)) l) at 1. rewrite divided_down_pack, map_map by auto.
    f_equal. apply map_ext. intros. symmetry. apply ceiling_down.
  Qed.

  Lemma rounded_total : forall up l, total_of (map (rounded_cell up) l) * B <= total_of l + Z.of_nat (length l) * (B - 1).
  Proof.
    intros up l. pose proof unit_pos. induction l as [|x l IH]; [simpl; lia|]. cbn [map length total_of fold_right].
    rewrite Nat2Z.inj_succ. change (fold_right Z.add 0 l) with (total_of l).
    change (fold_right Z.add 0 (map (rounded_cell up) l)) with (total_of (map (rounded_cell up) l)).
    assert (rounded_cell up x * B <= x + (B - 1)).
    { unfold rounded_cell. destruct up; [rewrite ceiling_down|].
      - pose proof (Z.mul_div_le (x + (B - 1)) B). lia.
      - pose proof (Z.mul_div_le x B). lia. }
    lia.
  Qed.

  Lemma rounded_nonneg : forall up l, nonneg l -> nonneg (map (rounded_cell up) l).
  Proof.
    intros up l N. pose proof unit_pos. induction N as [|x l X _ IH]; constructor; auto.
    unfold rounded_cell. destruct up; [rewrite ceiling_down|]; apply Z.div_pos; lia.
  Qed.

  (** ** The sum of all cells *)

  Lemma pack_total : forall l, exists k, pack l = total_of l + (W - 1) * k.
  Proof.
    induction l as [|x l [k IH]]; [exists 0; simpl; lia|]. exists (total_of l + W * k). cbn [pack total_of fold_right].
    change (fold_right Z.add 0 l) with (total_of l). rewrite IH. ring.
  Qed.

  Lemma sum_of_cells_pack : forall l, nonneg l -> total_of l + B < W -> sum_of_cells width (pack l) = total_of l.
  Proof.
    intros l N T. pose proof (total_nonneg l N). pose proof unit_two. destruct (pack_total l) as [k ->]. unfold sum_of_cells.
    rewrite (Z.mul_comm (W - 1) k), Z.div_add, Z.div_small by lia. lia.
  Qed.

  (** ** One by one *)

  Lemma split_pack : forall k l, small l -> length l = Nat.pow 2 k -> split width k (pack l) = l.
  Proof.
    induction k; intros l S L.
    - destruct l as [|x [|y l]]; try discriminate. simpl. f_equal. lia.
    - cbn [split]. simpl in L. rewrite Nat.add_0_r in L.
      assert (F : length (firstn (Nat.pow 2 k) l) = Nat.pow 2 k) by (rewrite firstn_length; lia).
      assert (K : length (skipn (Nat.pow 2 k) l) = Nat.pow 2 k) by (rewrite skipn_length; lia).
      rewrite <- (firstn_skipn (Nat.pow 2 k) l) in S. apply Forall_app in S. destruct S as [S1 S2].
      rewrite <- (firstn_skipn (Nat.pow 2 k) l) at 1. rewrite <- F at 1. rewrite cut_pack by auto.
      rewrite !IHk; auto. apply firstn_skipn.
  Qed.
End Pack.
