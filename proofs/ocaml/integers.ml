(* The integers of zarith by another name, since the extracted program has a module Z of its own. *)
include Z
