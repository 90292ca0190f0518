(** The comparison of curves is right. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums Tables Curves Entries Document Checker Meaning Numbers SoundUpper SoundWords SoundLower Claims.
Import ListNotations.
Open Scope R_scope.

Lemma divided_exactly : forall g x, (0 < g)%Z -> (g | x)%Z -> (x / g * g = x)%Z.
Proof. intros. apply (divided g x); auto. Qed.

Lemma compare_ratio_eq : forall x y, compare_ratio x y = Eq -> x = y.
Proof.
  intros [a b] [c d]. unfold compare_ratio. simpl. destruct (Z.compare a c) eqn:E; try discriminate.
  intros F. apply Z.compare_eq_iff in E, F. subst. auto.
Qed.

Lemma compare_slope_eq : forall x y, compare_slope x y = Eq -> x = y.
Proof.
  intros x y. unfold compare_slope. destruct (Z.compare _ _); try discriminate. apply compare_ratio_eq.
Qed.

(** ** Lists of atoms as real numbers *)

Definition group_atoms (g : Z * list ratio) : list (R * R) :=
  map (fun a => (IZR (fst a) / IZR (fst g), IZR (snd a) / IZR (fst g))) (snd g).

Definition real_groups (l : atoms) : list (R * R) := flat_map group_atoms l.

Definition real_slopes (u : Z) (l : slopes) : list (R * R) :=
  map (fun a => (IZR (snd a) * IZR (fst (fst a)) / IZR u, IZR (snd a) * IZR (snd (fst a)) / IZR u)) l.

Definition real_atoms (l : list (number * number)) : list (R * R) := map (fun a => (value (fst a), value (snd a))) l.

Definition loss_of (alpha : R) (x : ratio) : R := loss alpha (IZR (fst x)) (IZR (snd x)).

Lemma curve_loss : forall l alpha, curve l alpha = sum l (fun a => loss alpha (fst a) (snd a)).
Proof. reflexivity. Qed.

Lemma loss_divided : forall alpha k x y, 0 < k -> loss alpha (x / k) (y / k) = loss alpha x y / k.
Proof.
  intros. unfold Rdiv. rewrite (Rmult_comm x), (Rmult_comm y), loss_homogeneous; [ring|]. apply Rinv_0_lt_compat. auto.
Qed.

Definition groups_ok (l : atoms) : Prop := forall g, In g l -> (0 < fst g)%Z.

Lemma real_slopes_curve : forall u l alpha, (0 < u)%Z -> (forall a, In a l -> (0 < snd a)%Z) ->
  curve (real_slopes u l) alpha = dot l (loss_of alpha) / IZR u.
Proof.
  intros u l alpha U N. rewrite curve_loss. unfold real_slopes, dot. rewrite sum_map.
  replace (sum l _ / IZR u) with (sum l (fun e => IZR (snd e) * loss_of alpha (fst e)) * / IZR u) by reflexivity.
  rewrite <- sum_scale_r. apply sum_ext.
  intros [[p q] n] I. cbn [fst snd]. rewrite (loss_divided alpha (IZR u)) by (apply IZR_pos; auto).
  rewrite loss_homogeneous by (apply IZR_pos; apply (N _ I)). reflexivity.
Qed.

Lemma over_unit_dot : forall u g alpha, (0 < u)%Z -> (0 < fst g)%Z -> (fst g | u)%Z ->
  dot (over_unit u g) (loss_of alpha) = IZR u * curve (group_atoms g) alpha.
Proof.
  intros u [d l] alpha U D V. cbn [fst snd] in *. rewrite curve_loss. unfold over_unit, group_atoms, dot. cbn [fst snd].
  rewrite sum_flat_map, sum_map, <- sum_scale. apply sum_ext. intros [p q] _. cbn [fst snd].
  pose proof (divided_exactly _ _ D V) as E. assert (K : (0 < u / d)%Z) by nia.
  apply (f_equal IZR) in E. rewrite mult_IZR in E. rewrite <- E, (loss_divided alpha) by (apply IZR_pos; auto).
  unfold is_zero. cbn [fst snd]. apply IZR_pos in K, D. destruct (Z.eqb_spec p 0), (Z.eqb_spec q 0); cbn [andb sum fst snd];
    try (unfold loss_of; cbn [fst snd]; rewrite !mult_IZR, loss_homogeneous by auto; field; lra).
  subst. rewrite loss_of_none by lra. field. lra.
Qed.

Lemma unit_of_spec : forall l, groups_ok l -> (0 < unit_of l)%Z /\ forall g, In g l -> (fst g | unit_of l)%Z.
Proof.
  intros l N. destruct (lcm_all _ (fun g : Z * list ratio => fst g) l 1) as (P & _ & V); [lia | auto |].
  split; auto.
Qed.

Lemma sorted_curve : forall l alpha, groups_ok l -> in_order (snd (sorted l)) = true ->
  (0 < fst (sorted l))%Z /\ curve (real_slopes (fst (sorted l)) (snd (sorted l))) alpha = curve (real_groups l) alpha.
Proof.
  intros l alpha N O. destruct (unit_of_spec l N) as [U V]. unfold sorted in *. cbn [fst snd] in *. split; auto.
  rewrite real_slopes_curve; auto.
  - rewrite (dot_collect compare_slope_eq). unfold dot, real_groups. rewrite sum_flat_map, !curve_loss, sum_flat_map.
    unfold Rdiv. rewrite <- sum_scale_r. apply sum_ext. intros g I.
    change (sum (over_unit (unit_of l) g) _) with (dot (over_unit (unit_of l) g) (loss_of alpha)).
    rewrite over_unit_dot; auto. rewrite curve_loss. apply IZR_pos in U. field. lra.
  - intros a I. unfold in_order in O. apply andb_prop in O. destruct O as [O _]. rewrite forallb_forall in O.
    specialize (O a I). unfold is_atom in O. rewrite !andb_true_iff, !Z.ltb_lt in O. tauto.
Qed.

Lemma claimed_curve : forall l alpha, (forall a, In a l -> positive_below (fst a) /\ positive_below (snd a)) ->
  groups_ok (map atom_of l) /\ curve (real_groups (map atom_of l)) alpha = curve (real_atoms l) alpha.
Proof.
  intros l alpha P. split.
  - intros g I. apply in_map_iff in I. destruct I as ([[p c] [q d]] & <- & I). destruct (P _ I) as [C D].
    apply (lcm_parts c d C D).
  - rewrite !curve_loss. unfold real_groups, real_atoms. rewrite sum_flat_map, !sum_map. apply sum_ext.
    intros [[p c] [q d]] I. destruct (P _ I) as [C D]. unfold positive_below in C, D. cbn [fst snd] in *.
    destruct (lcm_parts c d C D) as (M & E & F). unfold group_atoms, atom_of, value. cbn [map sum fst snd]. rewrite Rplus_0_r.
    apply (f_equal IZR) in E, F. rewrite mult_IZR in E, F. rewrite !mult_IZR.
    assert (IZR c > 0 /\ IZR d > 0 /\ IZR (Z.lcm c d) > 0) as (C' & D' & M') by (repeat split; apply IZR_pos; auto).
    f_equal; [rewrite <- E | rewrite <- F]; field; split; try lra; intros Z0; rewrite Z0 in *; lra.
Qed.

(** ** Passing over a sorted list *)

Definition atom_ok (a : ratio * Z) : Prop :=
  (0 <= fst (fst a) /\ 0 <= snd (fst a) /\ (fst (fst a) <> 0 \/ snd (fst a) <> 0) /\ 0 < snd a)%Z.

Lemma is_atom_ok : forall a, is_atom a = true -> atom_ok a.
Proof.
  intros [[p q] n] H. unfold is_atom, is_zero, atom_ok in *. cbn [fst snd] in *.
  rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt, negb_true_iff, andb_false_iff, !Z.eqb_neq in H. tauto.
Qed.

Definition slope_le (x y : ratio) : Prop := (fst x * snd y <= fst y * snd x)%Z.

Lemma in_order_spec : forall l, in_order l = true -> Forall atom_ok l /\ ForallOrdPairs slope_le (map fst l).
Proof.
  induction l as [|a l IH]; intros H; [split; constructor|]. unfold in_order in *.
  apply andb_prop in H. destruct H as [H R]. cbn [forallb] in H. apply andb_prop in H. destruct H as [A F].
  apply is_atom_ok in A. destruct l as [|b l]; [split; constructor; auto; constructor|].
  cbn [map rising] in R. apply andb_prop in R. destruct R as [AB R].
  destruct IH as [IA IP]; [apply andb_true_intro; auto|]. split; constructor; auto.
  cbn [map] in IP. inversion IP as [|x xs B P]; subst. apply Z.leb_le in AB. constructor; [exact AB|].
  inversion IA as [|b0 l0 BO LO]; subst. clear - A BO LO B AB. rewrite Forall_forall in *. intros y I.
  specialize (B y I). apply in_map_iff in I. destruct I as (c & <- & I). specialize (LO c I).
  destruct a as [[a1 a2] n], b as [[b1 b2] m], c as [[c1 c2] k]. unfold slope_le, atom_ok in *. cbn [fst snd] in *.
  destruct (Z.eq_dec b2 0) as [-> | N]; [assert (c2 = 0)%Z by nia; subst; nia|].
  apply (Zmult_le_reg_r _ _ b2); [lia|]. apply Z.le_trans with (b1 * a2 * c2)%Z; nia.
Qed.

Definition rest_sums (l : slopes) (p q : Z) : Prop := IZR p = dot l (fun x => IZR (fst x)) /\ IZR q = dot l (fun x => IZR (snd x)).

Lemma sums_of : forall l, rest_sums l (sum_p l) (sum_q l).
Proof.
  induction l as [|[x n] l [P Q]]; [split; reflexivity|]. unfold rest_sums in *. simpl sum_p. simpl sum_q.
  rewrite !plus_IZR, !mult_IZR, P, Q, !dot_cons. auto.
Qed.

Definition passed (x : ratio) (l : slopes) : Prop := forall a, In a l -> slope_le (fst a) x.

Lemma beyond_spec : forall x l p q, ForallOrdPairs slope_le (map fst l) -> Forall atom_ok l -> (0 < snd x)%Z -> rest_sums l p q ->
  let '(rest, (p', q')) := beyond x l p q in
  exists d, l = d ++ rest /\ passed x d /\ (forall a, In a rest -> slope_le x (fst a)) /\ rest_sums rest p' q'.
Proof.
  intros x. induction l as [|[y n] l IH]; intros p q S O X R; simpl.
  - exists []. split; [reflexivity|]. split; [intros a []|]. split; [intros a []|]. exact R.
  - simpl in S. inversion S as [|z zs Y T]; subst. inversion O as [|b bs B OL]; subst. rewrite Forall_forall in Y.
    unfold at_most_slope. destruct (Z.leb_spec (fst y * snd x) (fst x * snd y)) as [L | L].
    + specialize (IH (p - n * fst y)%Z (q - n * snd y)%Z T OL X).
      destruct (beyond x l _ _) as [rest [p' q']]. destruct IH as (d & -> & D & E & F).
      { destruct R as [P Q]. rewrite dot_cons in P, Q. split; rewrite minus_IZR, mult_IZR; lra. }
      exists ((y, n) :: d). split; [reflexivity|]. split; [|split; auto]. intros a [<- | I]; auto.
    + exists []. split; [reflexivity|]. split; [intros a []|]. split; [|exact R].
      assert (XY : slope_le x y) by (unfold slope_le; lia).
      intros a [<- | I]; auto. specialize (Y (fst a) (in_map fst l a I)).
      rewrite Forall_forall in OL. specialize (OL a I). clear - B OL Y L X.
      destruct x as [x1 x2], y as [y1 y2], a as [[a1 a2] m]. unfold slope_le, atom_ok in *. cbn [fst snd] in *.
      destruct (Z.eq_dec y2 0) as [-> | N]; [assert (a2 = 0)%Z by nia; subst; nia|].
      apply (Zmult_le_reg_r _ _ y2); [lia|]. apply Z.le_trans with (y1 * x2 * a2)%Z; nia.
Qed.

(** The curve of a list at P/Q, times Q. *)
Definition at_place (l : slopes) (x : ratio) : R := IZR (snd x) * dot l (loss_of (IZR (fst x) / IZR (snd x))).

Lemma passed_next : forall x y l, slope_le x y -> (0 < snd x)%Z -> (0 < snd y)%Z -> Forall atom_ok l -> passed x l -> passed y l.
Proof.
  intros x y l XY X Y O P a I. specialize (P a I). rewrite Forall_forall in O. specialize (O a I). clear - XY X Y P O.
  destruct x as [x1 x2], y as [y1 y2], a as [[a1 a2] m]. unfold slope_le, atom_ok in *. cbn [fst snd] in *.
  apply (Zmult_le_reg_r _ _ x2); [lia|]. apply Z.le_trans with (x1 * a2 * y2)%Z; nia.
Qed.

Lemma place_alpha : forall x p q, (0 < snd x)%Z -> (p * snd x <= fst x * q)%Z -> IZR p <= IZR (fst x) / IZR (snd x) * IZR q.
Proof.
  intros x p q X H. apply IZR_le in H. rewrite !mult_IZR in H. apply IZR_pos in X.
  apply (Rmult_le_reg_r (IZR (snd x))); auto. unfold Rdiv.
  replace (IZR (fst x) * / IZR (snd x) * IZR q * IZR (snd x)) with (IZR (fst x) * IZR q) by (field; lra). auto.
Qed.

Lemma place_alpha' : forall x p q, (0 < snd x)%Z -> (fst x * q <= p * snd x)%Z -> IZR (fst x) / IZR (snd x) * IZR q <= IZR p.
Proof.
  intros x p q X H. apply IZR_le in H. rewrite !mult_IZR in H. apply IZR_pos in X.
  apply (Rmult_le_reg_r (IZR (snd x))); auto. unfold Rdiv.
  replace (IZR (fst x) * / IZR (snd x) * IZR q * IZR (snd x)) with (IZR (fst x) * IZR q) by (field; lra). auto.
Qed.

Lemma at_place_rest : forall d rest x p q, (0 < snd x)%Z -> passed x d ->
  (forall a, In a rest -> slope_le x (fst a)) -> rest_sums rest p q ->
  at_place (d ++ rest) x = IZR (snd x * p - fst x * q).
Proof.
  intros d rest x p q X D E [P Q]. unfold at_place. rewrite dot_app.
  assert (N : dot d (loss_of (IZR (fst x) / IZR (snd x))) = 0).
  { apply sum_zero. intros a I. unfold loss_of. rewrite loss_of_none; [ring|]. apply place_alpha; auto. apply D. auto. }
  rewrite N, minus_IZR, !mult_IZR, P, Q.
  rewrite (dot_ext _ rest _ (fun y => IZR (fst y) - IZR (fst x) / IZR (snd x) * IZR (snd y))).
  - unfold dot. rewrite <- !sum_scale, Rplus_0_l, <- sum_scale, <- sum_minus. apply sum_ext. intros a _.
    apply IZR_pos in X. field. lra.
  - intros a I. apply loss_of_certain. apply place_alpha'; auto. specialize (E a I). unfold slope_le in E. lia.
Qed.

Lemma along_spec : forall places d l p q, forallb finite places = true -> rising places = true ->
  Forall atom_ok (d ++ l) -> ForallOrdPairs slope_le (map fst l) -> rest_sums l p q ->
  match places with [] => True | x :: _ => passed x d end ->
  Forall2 (fun x v => IZR v = at_place (d ++ l) x) places (along places l p q).
Proof.
  induction places as [|x places IH]; intros d l p q FP RP O S R D; simpl; [constructor|].
  simpl in FP. apply andb_prop in FP. destruct FP as [FX FP]. apply Z.ltb_lt in FX.
  assert (OL : Forall atom_ok l) by (apply Forall_app in O; tauto).
  pose proof (beyond_spec x l p q S OL FX R) as B. destruct (beyond x l p q) as [rest [p' q']].
  destruct B as (e & -> & E & F & R'). rewrite app_assoc in *. constructor.
  - symmetry. apply at_place_rest; auto. intros a I. apply in_app_or in I. destruct I; auto.
  - apply IH; auto.
    + destruct places; auto. simpl in RP. apply andb_prop in RP. tauto.
    + rewrite map_app in S. clear - S. induction e; simpl in *; auto. inversion S; auto.
    + destruct places as [|y places]; auto. simpl in RP, FP. apply andb_prop in RP, FP. destruct RP as [XY _], FP as [FY _].
      apply Z.leb_le in XY. apply Z.ltb_lt in FY. apply (passed_next x y); auto; [apply Forall_app in O; tauto|].
      intros a I. apply in_app_or in I. destruct I; auto.
Qed.

Lemma curve_at_spec : forall places l, places_ok places = true -> in_order l = true ->
  Forall2 (fun x v => IZR v = at_place l x) places (curve_at places l).
Proof.
  intros places l P O. apply andb_prop in P. destruct (in_order_spec l O) as [A S].
  apply (along_spec places [] l); try tauto; auto using sums_of. destruct places; auto. intros a [].
Qed.

(** A curve at a place, as the comparison has it. *)
Lemma curve_at_place : forall u l x, (0 < u)%Z -> in_order l = true -> (0 < snd x)%Z ->
  curve (real_slopes u l) (IZR (fst x) / IZR (snd x)) = at_place l x / (IZR u * IZR (snd x)).
Proof.
  intros u l x U O X. destruct (in_order_spec l O) as [A _]. rewrite Forall_forall in A.
  rewrite real_slopes_curve; auto; [|intros a I; apply (A a I)]. unfold at_place. apply IZR_pos in U, X. field. lra.
Qed.

Lemma all_at_most_spec : forall k m a b, all_at_most k m a b = true -> Forall2 (fun x y => (x * k <= y * m)%Z) a b.
Proof.
  induction a as [|x a IH]; intros [|y b] H; try discriminate; constructor; simpl in H; apply andb_prop in H;
    destruct H as [X H]; auto. apply Z.leb_le. auto.
Qed.

Lemma Forall2_places : forall (A : Type) (places : list ratio) (f g : ratio -> R) (a b : list Z) (P : Z -> Z -> Prop),
  Forall2 (fun x v => IZR v = f x) places a -> Forall2 (fun x v => IZR v = g x) places b -> Forall2 P a b ->
  forall x, In x places -> exists v w, IZR v = f x /\ IZR w = g x /\ P v w.
Proof.
  intros A places f g. induction places as [|x places IH]; intros a b P FA FB AB y I; [destruct I|].
  inversion FA; subst. inversion FB; subst. inversion AB; subst. destruct I as [<- | I]; eauto.
Qed.

(** ** The two comparisons *)

Lemma slopes_nonnegative : forall u l, (0 < u)%Z -> in_order l = true -> forall a, In a (real_slopes u l) -> nonnegative a.
Proof.
  intros u l U O a I. destruct (in_order_spec l O) as [A _]. rewrite Forall_forall in A.
  apply in_map_iff in I. destruct I as ([[p q] n] & <- & I). destruct (A _ I) as (P & Q & _ & N). cbn [fst snd] in *.
  apply IZR_le in P, Q. apply IZR_lt in N. apply IZR_pos in U.
  split; cbn [fst snd]; apply Rmult_le_pos; try (apply Rmult_le_pos; lra); left; apply Rinv_0_lt_compat; auto.
Qed.

Definition place (x : ratio) : R := IZR (fst x) / IZR (snd x).

Lemma place_nonneg : forall x, (0 <= fst x)%Z -> (0 < snd x)%Z -> 0 <= place x.
Proof. intros x P Q. apply (value_nonneg x); auto. Qed.

Lemma slopes_corners : forall u l t (places : list ratio), (0 < u)%Z -> in_order l = true -> (0 < snd t)%Z ->
  (forall x, In x (map fst l) -> (0 < snd x)%Z -> slope_le x t \/ In x places) ->
  forall a, In a (real_slopes u l) -> corner (place t) (map place places) a.
Proof.
  intros u l t places U O T H a I. destruct (in_order_spec l O) as [A _]. rewrite Forall_forall in A.
  apply in_map_iff in I. destruct I as ([[p q] n] & <- & I). destruct (A _ I) as (P & Q & _ & N). cbn [fst snd] in *.
  apply IZR_pos in U, N. unfold corner. cbn [fst snd].
  assert (K : 0 < IZR n / IZR u) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  destruct (Z.eq_dec q 0) as [-> | QN]; [right; left; unfold Rdiv; ring|].
  destruct (H (p, q) (in_map fst l _ I)) as [L | L]; [simpl; lia | |].
  - left. apply (place_alpha t p q T) in L. fold (place t) in L.
    replace (IZR n * IZR p / IZR u) with (IZR n / IZR u * IZR p) by (field; lra).
    replace (place t * (IZR n * IZR q / IZR u)) with (IZR n / IZR u * (place t * IZR q)) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - right. right. exists (place (p, q)). split; [apply in_map; auto|]. unfold place. cbn [fst snd].
    assert (0 < IZR q) by (apply IZR_pos; lia). field. lra.
Qed.

(** Below its first ratio a list of sums 1 has the curve 1 - alpha. *)
Lemma curve_before : forall u l x, (0 < u)%Z -> in_order l = true -> sum_p l = u -> sum_q l = u ->
  (forall y, In y (map fst l) -> slope_le x y) -> (0 < snd x)%Z -> forall alpha, 0 <= alpha -> alpha <= place x ->
  curve (real_slopes u l) alpha = 1 - alpha.
Proof.
  intros u l x U O SP SQ F X alpha AP AX. destruct (in_order_spec l O) as [A _]. rewrite Forall_forall in A.
  rewrite real_slopes_curve; auto; [|intros a I; apply (A a I)].
  rewrite (dot_ext _ l _ (fun y => IZR (fst y) - alpha * IZR (snd y))).
  - destruct (sums_of l) as [P Q]. rewrite SP in P. rewrite SQ in Q. unfold dot in *.
    assert (D : forall e : ratio * Z, IZR (snd e) * (IZR (fst (fst e)) - alpha * IZR (snd (fst e)))
      = IZR (snd e) * IZR (fst (fst e)) - alpha * (IZR (snd e) * IZR (snd (fst e)))) by (intros; ring).
    rewrite (sum_ext _ l _ _ (fun e _ => D e)).
    rewrite sum_minus, sum_scale, <- P, <- Q. apply IZR_pos in U. field. lra.
  - intros [y n] I. apply loss_of_certain. specialize (F y (in_map fst l _ I)). specialize (A _ I).
    destruct A as (_ & Y & _). cbn [fst snd] in *. apply IZR_le in Y.
    apply Rle_trans with (place x * IZR (snd y)); [apply Rmult_le_compat_r; auto|].
    apply place_alpha'; auto.
Qed.

Section Compared.
  Variables (u v : Z) (a o : slopes).
  Hypotheses (u_pos : (0 < u)%Z) (v_pos : (0 < v)%Z) (a_ok : in_order a = true) (o_ok : in_order o = true).
  Hypotheses (sum_1 : sum_p a = u) (sum_2 : sum_q a = u).

  Lemma ratios_ok : forall l x, in_order l = true -> In x (map fst l) -> (0 <= fst x /\ 0 <= snd x)%Z.
  Proof.
    intros l x O I. destruct (in_order_spec l O) as [A _]. rewrite Forall_forall in A. apply in_map_iff in I.
    destruct I as (y & <- & I). destruct (A y I) as (P & Q & _). auto.
  Qed.

  Theorem optimistic_below : check_optimistic (u, a) (v, o) = true -> forall alpha, 0 <= alpha ->
    curve (real_slopes u a) alpha <= Rmax (curve (real_slopes v o) alpha) (1 - alpha).
  Proof.
    intros H alpha AP. unfold check_optimistic in H. pose proof a_ok as OA. pose proof sum_1 as S1. pose proof sum_2 as S2.
    destruct a as [|[x n] a'] eqn:EA; [discriminate|]. rewrite <- EA in *.
    set (later := filter _ (map fst o)) in H. apply andb_prop in H. destruct H as [P H].
    pose proof P as PF. apply andb_prop in PF. destruct PF as [PF _]. rewrite forallb_forall in PF.
    assert (X : (0 < snd x)%Z) by (apply Z.ltb_lt; apply (PF x); simpl; auto).
    assert (IX : In x (map fst a)) by (rewrite EA; simpl; auto).
    assert (F : forall y, In y (map fst a) -> slope_le x y).
    { destruct (in_order_spec a OA) as [_ S]. rewrite EA in *. inversion S as [|z zs Y T]; subst.
      rewrite Forall_forall in Y. intros y [<- | I]; auto. unfold slope_le. simpl. lia. }
    destruct (Rle_lt_dec alpha (place x)) as [L | L].
    { rewrite (curve_before u a x) by auto. apply Rmax_r. }
    eapply Rle_trans; [|apply Rmax_l].
    apply (below_curve (curve (real_slopes u a)) (real_slopes v o) (place x) (map place later)); [| | | | | | |lra].
    - apply curve_convex.
    - apply curve_falling. apply slopes_nonnegative; auto.
    - apply place_nonneg; auto. apply (ratios_ok a); auto.
    - apply slopes_nonnegative; auto.
    - apply slopes_corners; auto. intros y I Y. unfold later.
      destruct (at_most_slope y x) eqn:E; [left; apply Z.leb_le; auto|].
      right. apply filter_In. split; auto. unfold finite. rewrite E, (proj2 (Z.ltb_lt _ _) Y). auto.
    - intros r I. apply in_map_iff in I. destruct I as (y & <- & I). apply filter_In in I. destruct I as [_ I].
      unfold at_most_slope in I. apply andb_prop in I. destruct I as [Y I]. apply Z.ltb_lt in Y.
      rewrite negb_true_iff, Z.leb_gt in I. apply IZR_pos in X, Y. apply IZR_lt in I. rewrite !mult_IZR in I.
      apply div_le; lra.
    - intros r I. change (place x :: map place later) with (map place (x :: later)) in I.
      apply in_map_iff in I. destruct I as (y & <- & I).
      assert (Y : (0 < snd y)%Z) by (apply Z.ltb_lt; apply (PF y); auto).
      unfold place at 1 2. rewrite !curve_at_place by auto.
      destruct (Forall2_places Z _ _ _ _ _ _ (curve_at_spec _ a P OA) (curve_at_spec _ o P o_ok)
                  (all_at_most_spec _ _ _ _ H) y I) as (c & d & <- & <- & LE).
      apply IZR_le in LE. rewrite !mult_IZR in LE. apply IZR_pos in u_pos, v_pos, Y.
      apply div_le; [apply Rmult_lt_0_compat; auto | apply Rmult_lt_0_compat; auto |].
      replace (IZR c * (IZR v * IZR (snd y))) with (IZR c * IZR v * IZR (snd y)) by ring.
      replace (IZR d * (IZR u * IZR (snd y))) with (IZR d * IZR u * IZR (snd y)) by ring.
      apply Rmult_le_compat_r; lra.
  Qed.

  (** What is convex, falls, is at most 1, and at most the curve of o. *)
  Theorem pessimistic_above : check_pessimistic (u, a) (v, o) = true -> forall F, convex F -> falling F ->
    (forall alpha, 0 <= alpha -> F alpha <= 1 /\ F alpha <= curve (real_slopes v o) alpha) ->
    forall alpha, 0 <= alpha -> F alpha <= curve (real_slopes u a) alpha.
  Proof.
    intros H F FC FF FB alpha AP. unfold check_pessimistic in H. set (places := filter finite (map fst a)) in H.
    apply andb_prop in H. destruct H as [P H]. pose proof P as PF. apply andb_prop in PF. destruct PF as [PF _].
    rewrite forallb_forall in PF. apply all_at_most_spec in H.
    assert (Z0 : 0 = place (0, 1)%Z) by (unfold place; simpl; lra).
    rewrite Z0 in AP.
    apply (below_curve F (real_slopes u a) (place (0, 1)%Z) (map place places)); auto; [lra | | | |].
    - apply slopes_nonnegative; auto.
    - apply slopes_corners; auto; [simpl; lia|]. intros y I Y. right. apply filter_In. split; auto. apply Z.ltb_lt. auto.
    - intros r I. apply in_map_iff in I. destruct I as (y & <- & I). rewrite <- Z0. apply place_nonneg.
      + apply filter_In in I. destruct I as [I _]. apply (ratios_ok a y a_ok I).
      + apply Z.ltb_lt. apply (PF y I).
    - intros r [<- | I].
      + rewrite (curve_before u a (0, 1)%Z); auto; try (rewrite <- Z0; lra); [rewrite <- Z0; apply Rle_trans with 1; [apply FB|]; lra | |simpl; lia].
        intros y I. destruct (ratios_ok a y a_ok I). unfold slope_le. simpl. lia.
      + apply in_map_iff in I. destruct I as (y & <- & I).
        assert (Y : (0 < snd y)%Z) by (apply Z.ltb_lt; apply (PF y); auto).
        assert (Y0 : 0 <= place y) by (apply place_nonneg; auto; apply filter_In in I; destruct I as [I _]; apply (ratios_ok a y a_ok I)).
        assert (M : Forall2 (fun x w => IZR w = Rmin (IZR (snd x) * IZR v) (at_place o x)) places
                      (map (fun xy => Z.min (snd (fst xy) * v) (snd xy)) (combine places (curve_at places o)))).
        { pose proof (curve_at_spec places o P o_ok) as C. clear - C. induction C; simpl; constructor; auto.
          rewrite <- H, <- mult_IZR. destruct (Z.le_ge_cases (snd x * v) y).
          - rewrite Z.min_l, Rmin_left; auto. apply IZR_le. auto.
          - rewrite Z.min_r, Rmin_right; auto. apply IZR_le. auto. }
        destruct (Forall2_places Z _ _ _ _ _ _ M (curve_at_spec _ a P a_ok) H y I) as (c & d & C & D & LE).
        destruct (FB _ Y0) as [F1 F2]. unfold place at 2 in F2. rewrite curve_at_place in F2 by auto.
        unfold place at 2. rewrite curve_at_place, <- D by auto.
        apply IZR_le in LE. rewrite !mult_IZR, C in LE. apply IZR_pos in u_pos, v_pos, Y.
        assert (G : F (place y) <= Rmin (IZR (snd y) * IZR v) (at_place o y) / (IZR v * IZR (snd y))).
        { assert (K : 0 < IZR v * IZR (snd y)) by (apply Rmult_lt_0_compat; auto).
          unfold Rmin. destruct (Rle_dec _ _); auto. replace (IZR (snd y) * IZR v / (IZR v * IZR (snd y))) with 1; [auto|].
          field. lra. }
        eapply Rle_trans; [apply G|].
        apply div_le; [apply Rmult_lt_0_compat; auto | apply Rmult_lt_0_compat; auto |].
        replace (IZR d * (IZR v * IZR (snd y))) with (IZR d * IZR v * IZR (snd y)) by ring.
        rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
  Qed.
End Compared.
