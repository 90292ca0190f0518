(* The integers of zarith by another name, since the extracted program has a module Z of its own. *)
include Z

(* x 2^n, rounded down where n is negative *)
let shifted_left x n =
  let bits = to_int n in
  if bits >= 0 then shift_left x bits else shift_right x (Stdlib.abs bits)
