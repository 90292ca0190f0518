(** Vectors of integers as lists of entries, a key and a number, where numbers with one key count together.

    What such a list means is the sum of its numbers times the values of a function at the keys. Merging adds up
    numbers with one key, if lists are sorted; what a list means is the same in any case, so nothing has to be proved
    about order. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Proofs Require Import Spec Sums.
Import ListNotations.

Definition dot {K : Type} (l : list (K * Z)) (f : K -> R) : R := sum l (fun e => IZR (snd e) * f (fst e))%R.

Section Merge.
  Variables (K : Type) (compare : K -> K -> comparison).
  Hypothesis compare_eq : forall x y, compare x y = Eq -> x = y.

  Fixpoint merge (a : list (K * Z)) : list (K * Z) -> list (K * Z) :=
    match a with
    | [] => fun b => b
    | (i, x) :: a' =>
        (fix merge_a b :=
           match b with
           | [] => a
           | (j, y) :: b' =>
               match compare i j with
               | Eq => (i, (x + y)%Z) :: merge a' b'
               | Lt => (i, x) :: merge a' b
               | Gt => (j, y) :: merge_a b'
               end
           end)
    end.

  (** Lists of lengths that grow, some of them missing, as in a binary counter. *)
  Fixpoint push (l : list (K * Z)) (stack : list (option (list (K * Z)))) : list (option (list (K * Z))) :=
    match stack with
    | [] => [Some l]
    | None :: rest => Some l :: rest
    | Some m :: rest => None :: push (merge m l) rest
    end.

  Fixpoint unstack (l : list (K * Z)) (stack : list (option (list (K * Z)))) : list (K * Z) :=
    match stack with
    | [] => l
    | None :: rest => unstack l rest
    | Some m :: rest => unstack (merge m l) rest
    end.

  (** All entries of some sorted lists, sorted, those with one key added up. *)
  Definition merge_all (ls : list (list (K * Z))) : list (K * Z) :=
    unstack [] (fold_left (fun stack l => push l stack) ls []).

  Definition collect (l : list (K * Z)) : list (K * Z) := merge_all (map (fun e => [e]) l).

  Open Scope R_scope.

  Lemma dot_merge : forall f a b, dot (merge a b) f = dot a f + dot b f.
  Proof.
    intros f. induction a as [|[i x] a IHa]; intros b; [unfold dot; simpl; lra|].
    induction b as [|[j y] b IHb]; [unfold dot; simpl; lra|].
    simpl. destruct (compare i j) eqn:E.
    - apply compare_eq in E. subst j. unfold dot in *. simpl. rewrite IHa, plus_IZR. lra.
    - unfold dot in *. simpl. rewrite IHa. simpl. lra.
    - unfold dot in *. simpl in *. rewrite IHb. lra.
  Qed.

  Definition dot_stack (stack : list (option (list (K * Z)))) (f : K -> R) : R :=
    sum stack (fun o => match o with Some l => dot l f | None => 0 end).

  Lemma dot_push : forall f stack l, dot_stack (push l stack) f = dot l f + dot_stack stack f.
  Proof.
    intros f. unfold dot_stack. induction stack as [|[m|] stack IH]; intros l; simpl; [lra| |lra].
    rewrite IH, dot_merge. lra.
  Qed.

  Lemma dot_unstack : forall f stack l, dot (unstack l stack) f = dot l f + dot_stack stack f.
  Proof.
    intros f. unfold dot_stack. induction stack as [|[m|] stack IH]; intros l; simpl; rewrite ?IH, ?dot_merge; lra.
  Qed.

  Lemma dot_merge_all : forall f ls, dot (merge_all ls) f = sum ls (fun l => dot l f).
  Proof.
    intros f ls. unfold merge_all. rewrite dot_unstack.
    assert (H : forall stack, dot_stack (fold_left (fun st l => push l st) ls stack) f
                              = dot_stack stack f + sum ls (fun l => dot l f)).
    { induction ls as [|l ls IH]; intros stack; simpl; [lra|]. rewrite IH, dot_push. lra. }
    rewrite H. unfold dot_stack, dot. simpl. lra.
  Qed.

  Lemma dot_collect : forall f l, dot (collect l) f = dot l f.
  Proof.
    intros f l. unfold collect. rewrite dot_merge_all, sum_map. unfold dot. apply sum_ext.
    intros e _. simpl. lra.
  Qed.
End Merge.

Arguments merge {K}.
Arguments merge_all {K}.
Arguments collect {K}.
Arguments dot_merge {K compare}.
Arguments dot_merge_all {K compare}.
Arguments dot_collect {K compare}.

Section Dot.
  Open Scope R_scope.

  Lemma dot_nil : forall K (f : K -> R), dot [] f = 0.
  Proof. reflexivity. Qed.

  Lemma dot_cons : forall K k x (l : list (K * Z)) f, dot ((k, x) :: l) f = IZR x * f k + dot l f.
  Proof. reflexivity. Qed.

  Lemma dot_app : forall K (l m : list (K * Z)) f, dot (l ++ m) f = dot l f + dot m f.
  Proof. intros. apply sum_app. Qed.

  Lemma dot_ext : forall K (l : list (K * Z)) f g, (forall e, In e l -> f (fst e) = g (fst e)) -> dot l f = dot l g.
  Proof. intros K l f g H. apply sum_ext. intros e I. rewrite H; auto. Qed.

  Lemma dot_map : forall J K (l : list (J * Z)) (h : J -> K) (k : Z) f,
    dot (map (fun e => (h (fst e), k * snd e)%Z) l) f = IZR k * dot l (fun i => f (h i)).
  Proof.
    intros. unfold dot. rewrite sum_map, <- sum_scale. apply sum_ext. intros e _. simpl. rewrite mult_IZR. lra.
  Qed.

  Lemma dot_scale : forall K (l : list (K * Z)) k f, dot l (fun i => k * f i) = k * dot l f.
  Proof. intros. unfold dot. rewrite <- sum_scale. apply sum_ext. intros. lra. Qed.

  Lemma dot_nonneg : forall K (l : list (K * Z)) f, (forall e, In e l -> (0 <= snd e)%Z) ->
    (forall e, In e l -> 0 <= f (fst e)) -> 0 <= dot l f.
  Proof.
    intros K l f X F. apply sum_pos. intros e I. apply Rmult_le_pos; auto. apply IZR_le. auto.
  Qed.
End Dot.

(** ** Sorted keys, which stand once *)

Fixpoint increasing (l : list (Z * Z)) : bool :=
  match l with
  | (i, _) :: (((j, _) :: _) as rest) => (i <? j)%Z && increasing rest
  | _ => true
  end.

Lemma increasing_tail : forall e l, increasing (e :: l) = true -> increasing l = true.
Proof. intros [i x] [|[j y] l]; simpl; auto. intros H. apply andb_prop in H. tauto. Qed.

Lemma increasing_head : forall l i x e, increasing ((i, x) :: l) = true -> In e l -> (i < fst e)%Z.
Proof.
  induction l as [|[j y] l IH]; intros i x e H I; [destruct I|].
  simpl in H. apply andb_prop in H. destruct H as [H1 H2]. apply Z.ltb_lt in H1.
  destruct I as [<- | I]; simpl; auto. apply Z.lt_trans with j; auto. apply (IH j y); auto.
Qed.

(** The sum of the positive numbers, and the keys where they stand. *)
Definition positive_sum (l : list (Z * Z)) : Z := fold_right (fun e n => Z.max 0 (snd e) + n)%Z 0%Z l.
Definition positive_at (l : list (Z * Z)) (k : Z) : bool := existsb (fun e => (fst e =? k) && (0 <? snd e))%Z l.

Lemma positive_sum_dot : forall l, increasing l = true ->
  IZR (positive_sum l) = dot l (fun k => if positive_at l k then 1 else 0)%R.
Proof.
  induction l as [|[i x] l IH]; intros H; [reflexivity|].
  rewrite dot_cons. simpl positive_sum. rewrite plus_IZR, (IH (increasing_tail _ _ H)). f_equal.
  - simpl. rewrite Z.eqb_refl. simpl.
    assert (N : positive_at l i = false).
    { apply Bool.not_true_is_false. intros E. apply existsb_exists in E. destruct E as (e & I & E).
      apply andb_prop in E. pose proof (increasing_head l i x e H I). lia. }
    rewrite N, Bool.orb_false_r.
    destruct (Z.ltb_spec 0 x); [rewrite Z.max_r by lia | rewrite Z.max_l by lia]; lra.
  - apply dot_ext. intros e I. pose proof (increasing_head l i x e H I). simpl.
    replace (i =? fst e)%Z with false by (symmetry; apply Z.eqb_neq; lia). auto.
Qed.

(** ** Numbers of states, each once *)

Definition all_once (l : list nat) : bool := forallb (fun e => snd e =? 1)%Z (collect Nat.compare (map (fun i => (i, 1%Z)) l)).
