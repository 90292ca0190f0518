(** What the theorems assume: the axioms of the real numbers of Coq's library, and nothing else. *)

From Proofs Require Import Spec Tables Words Quotient Document Checker Meaning Sound Profile SoundProfile Program.

Print Assumptions distance_exists.
Print Assumptions distance_unique.
Print Assumptions ld_le_bd.
Print Assumptions tv_le_bd.
Print Assumptions lv_le_ld.
Print Assumptions quotient_distance.
Print Assumptions quotient_lv.
Print Assumptions timed_distance.
Print Assumptions accepted_model.
Print Assumptions accepted_claims.
Print Assumptions accepted_lower.
Print Assumptions accepted_delta.
Print Assumptions accepted_profile.
Print Assumptions accepted_distribution.
Print Assumptions decide_distances.
Print Assumptions decide_profile.
