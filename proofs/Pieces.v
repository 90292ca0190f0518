(** Pieces of edges: they add up to the scales of the edge, each has the ratio of its cell, and rounding is outwards. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Entries Document Checker Numbers Claims Beliefs Grid Cells.
Import ListNotations.
Open Scope R_scope.

Lemma power_spec : forall r k, (0 < fst r)%Z -> positive_below r ->
  (0 < fst (power r k))%Z /\ positive_below (power r k) /\ value (power r k) = powerRZ (value r) k.
Proof.
  intros [n d] k N D. unfold positive_below in *. simpl in N, D. pose proof (IZR_pos _ N). pose proof (IZR_pos _ D).
  assert (P : forall m : nat, (0 < n ^ Z.of_nat m)%Z /\ (0 < d ^ Z.of_nat m)%Z /\
    IZR (n ^ Z.of_nat m) / IZR (d ^ Z.of_nat m) = (IZR n / IZR d) ^ m).
  { intros m. split; [apply Z.pow_pos_nonneg; lia|]. split; [apply Z.pow_pos_nonneg; lia|].
    rewrite <- !pow_IZR. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. auto. }
  unfold power, value. cbn [fst snd]. destruct (Z.leb_spec 0 k) as [K | K]; cbn [fst snd].
  - rewrite <- (Z2Nat.id k) by auto. destruct (P (Z.to_nat k)) as (A & B & C). rewrite <- pow_powerRZ. auto.
  - replace (- k)%Z with (Z.of_nat (Z.to_nat (- k))) by lia. destruct (P (Z.to_nat (- k))) as (A & B & C).
    split; auto. split; auto.
    replace k with (- Z.of_nat (Z.to_nat (- k)))%Z at 3 by lia. rewrite powerRZ_neg', <- pow_powerRZ, <- C.
    apply IZR_pos in A, B. field. lra.
Qed.

Section Pieces.
  Variables (bits : Z) (r : number).
  Hypothesis bits_pos : (0 < bits)%Z.

  Notation B := (IZR (unit bits)).
  Notation rho := (value r).

  Lemma unit_shift : forall n, Z.shiftl n bits = (n * unit bits)%Z.
  Proof. intros. rewrite unit_power, Z.shiftl_mul_pow2 by lia. auto. Qed.

  Lemma floor_spec : forall n d, (0 < d)%Z -> IZR (floor_of bits n d) <= B * (IZR n / IZR d) /\
    ((0 <= n)%Z -> (0 <= floor_of bits n d)%Z).
  Proof.
    intros n d D. unfold floor_of. rewrite unit_shift. pose proof (unit_pos bits bits_pos) as U. pose proof (IZR_pos d D). split.
    - pose proof (Z.mul_div_le (n * unit bits) d D) as L. apply IZR_le in L. rewrite !mult_IZR in L.
      apply (Rmult_le_reg_l (IZR d)); auto. replace (IZR d * (B * (IZR n / IZR d))) with (IZR n * B) by (field; lra). auto.
    - intros N. apply Z.div_pos; nia.
  Qed.

  Lemma ceiling_spec : forall n d, (0 < d)%Z -> B * (IZR n / IZR d) <= IZR (ceiling_of bits n d) /\
    ((0 <= n)%Z -> (0 <= ceiling_of bits n d)%Z).
  Proof.
    intros n d D. unfold ceiling_of. rewrite unit_shift. pose proof (unit_pos bits bits_pos) as U. pose proof (IZR_pos d D). split.
    - pose proof (Z.mul_div_le (- (n * unit bits)) d D) as L. apply IZR_le in L. rewrite mult_IZR, opp_IZR, mult_IZR in L.
      rewrite opp_IZR. apply (Rmult_le_reg_l (IZR d)); auto. replace (IZR d * (B * (IZR n / IZR d))) with (IZR n * B) by (field; lra). lra.
    - intros N. assert ((- (n * unit bits)) / d <= 0)%Z; [|lia]. apply Z.div_le_upper_bound; nia.
  Qed.

  (** A piece stands for (h rho^k, h), and is rounded against the reader: X up and Y down. *)
  Definition stands_for (to : nat) (p : piece) (h : R) : Prop :=
    p_to p = to /\ 0 <= h /\ (0 <= p_g p)%Z /\ (0 <= p_h p)%Z /\
    B * (h * powerRZ rho (p_up p)) <= IZR (p_g p) /\ IZR (p_h p) <= B * h.

  Hypothesis ratio_above : (snd r < fst r)%Z.
  Hypothesis ratio_below : positive_below r.

  Lemma rho_pos : 0 < rho.
  Proof. apply value_positive; auto. unfold positive_below in *. lia. Qed.

  Lemma two_pieces_spec : forall to k g h ps, positive_below g -> positive_below h -> two_pieces bits r true to k g h = Some ps ->
    exists hs, Forall2 (stands_for to) ps hs /\ value h = sum hs (fun x => x) /\
      value g = sum (combine ps hs) (fun e => snd e * powerRZ rho (p_up (fst e))).
  Proof.
    intros to k [g1 g2] [h1 h2] ps G H E. unfold two_pieces in E. unfold positive_below in *. cbn [fst snd] in *.
    assert (N0 : (0 < fst r)%Z) by lia. destruct (power_spec r k N0 ratio_below) as (PN & PD & PV).
    destruct (power r k) as [n d]. unfold positive_below in PD. cbn [fst snd] in *.
    set (more := (g1 * h2 * d - h1 * g2 * n)%Z) in *. set (below := (g2 * h2 * n * (fst r - snd r))%Z) in *.
    set (rest := (h1 * g2 * n * (fst r - snd r) - more * snd r)%Z) in *.
    destruct (_ && _) eqn:C in E; [|discriminate]. apply andb_prop in C. destruct C as [M0 R0]. apply Z.leb_le in M0, R0.
    assert (BP : (0 < below)%Z) by (unfold below; repeat apply Z.mul_pos_pos; lia).
    assert (BD : (0 < below * d)%Z) by (apply Z.mul_pos_pos; lia).
    destruct (ceiling_spec (rest * n) (below * d) BD) as [G1 G1p]. destruct (floor_spec rest below BP) as [H1 H1p].
    destruct (ceiling_spec (more * n * fst r) (below * d) BD) as [G2 G2p]. destruct (floor_spec (more * snd r) below BP) as [H2 H2p].
    assert (P1 : powerRZ rho (k + 1) = powerRZ rho k * rho).
    { rewrite powerRZ_add by (pose proof rho_pos; lra). simpl (powerRZ rho 1). ring. }
    rewrite <- PV in P1.
    assert (X : forall x, (0 < x)%Z -> 0 < IZR x) by (intros; apply IZR_pos; auto).
    pose proof (X _ PN). pose proof (X _ PD). pose proof (X _ G). pose proof (X _ H). pose proof (X _ ratio_below). pose proof (X _ BP).
    assert (RR : 0 < IZR (fst r) - IZR (snd r)) by (apply IZR_lt in ratio_above; lra).
    assert (EB : IZR below = IZR g2 * IZR h2 * IZR n * (IZR (fst r) - IZR (snd r)))
      by (unfold below; rewrite !mult_IZR, minus_IZR; auto).
    assert (EM : IZR more = IZR g1 * IZR h2 * IZR d - IZR h1 * IZR g2 * IZR n) by (unfold more; rewrite minus_IZR, !mult_IZR; auto).
    assert (ER : IZR rest = IZR h1 * IZR g2 * IZR n * (IZR (fst r) - IZR (snd r)) - IZR more * IZR (snd r))
      by (unfold rest; rewrite minus_IZR, !mult_IZR, minus_IZR; auto).
    assert (S1 : stands_for to {| p_to := to; p_up := k; p_g := ceiling_of bits (rest * n) (below * d); p_h := floor_of bits rest below |} (IZR rest / IZR below)).
    { unfold stands_for. cbn [p_to p_up p_g p_h]. split; auto. split; [apply (value_nonneg (rest, below)); auto|].
      split; [apply G1p; nia|]. split; [apply H1p; lia|]. split; [|auto]. eapply Rle_trans; [|apply G1]. right. f_equal.
      rewrite <- PV. unfold value. cbn [fst snd]. rewrite !mult_IZR. field. lra. }
    assert (S2 : stands_for to {| p_to := to; p_up := k + 1; p_g := ceiling_of bits (more * n * fst r) (below * d);
                                  p_h := floor_of bits (more * snd r) below |} (IZR (more * snd r) / IZR below)).
    { unfold stands_for. cbn [p_to p_up p_g p_h]. split; auto. split; [apply (value_nonneg (more * snd r, below)%Z); auto; simpl; nia|].
      split; [apply G2p; nia|]. split; [apply H2p; nia|]. split; [|auto]. eapply Rle_trans; [|apply G2]. right. f_equal.
      rewrite P1. unfold value. cbn [fst snd]. rewrite !mult_IZR. field. lra. }
    assert (SH : IZR h1 / IZR h2 = IZR rest / IZR below + IZR (more * snd r) / IZR below).
    { rewrite mult_IZR, ER, EB. field. repeat split; lra. }
    assert (SG : IZR g1 / IZR g2 = IZR rest / IZR below * value (n, d) + IZR (more * snd r) / IZR below * (value (n, d) * rho)).
    { unfold value. cbn [fst snd]. rewrite mult_IZR, ER, EB, EM. field. repeat split; lra. }
    destruct (Z.eqb_spec more 0) as [Z0 | NZ]; inversion E; subst ps; clear E.
    - assert (C0 : IZR (more * snd r) / IZR below = 0) by (rewrite Z0; simpl; unfold Rdiv; ring).
      exists [IZR rest / IZR below]. split; [constructor; [exact S1 | constructor]|].
      cbn [combine sum fst snd p_up]. unfold value at 1 2. cbn [fst snd]. rewrite <- PV. split; rewrite ?SH, ?SG, C0; ring.
    - exists [IZR rest / IZR below; IZR (more * snd r) / IZR below].
      split; [constructor; [exact S1 | constructor; [exact S2 | constructor]]|].
      cbn [combine sum fst snd p_up]. unfold value at 1 2. cbn [fst snd]. rewrite P1, <- PV. split; rewrite ?SH, ?SG; ring.
  Qed.
End Pieces.
