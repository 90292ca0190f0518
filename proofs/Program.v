(** What the program does with the integers that it is given: a 2 and the plain form of a profile (Profile.v), or the
    plain form of a certificate of distances, which begins with 0 or 1 (Document.v). *)

From Coq Require Import List ZArith.
From Proofs Require Import Document Checker Profile.
Import ListNotations.

Inductive answer :=
  | Distances (d : document)
  | Profiled (d : profile)
  | Rejected.

Definition decide (text : list Z) : answer :=
  match text with
  | 2%Z :: rest =>
      match profile_of rest with
      | Some d => if check_profile d then Profiled d else Rejected
      | None => Rejected
      end
  | _ =>
      match document_of text with
      | Some d => if check d then Distances d else Rejected
      | None => Rejected
      end
  end.

Theorem decide_distances : forall text d, decide text = Distances d -> check d = true.
Proof.
  intros text d H. unfold decide in H.
  destruct text as [|[|[[]|[]|]|] rest]; repeat match type of H with
    | match ?x with _ => _ end = _ => destruct x eqn:?; try discriminate
    end; congruence.
Qed.

Theorem decide_profile : forall text d, decide text = Profiled d -> check_profile d = true.
Proof.
  intros text d H. unfold decide in H.
  destruct text as [|[|[[]|[]|]|] rest]; repeat match type of H with
    | match ?x with _ => _ end = _ => destruct x eqn:?; try discriminate
    end; congruence.
Qed.
