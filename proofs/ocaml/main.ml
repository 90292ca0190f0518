(* bdist-verified: check the plain form of a model and a certificate, from standard input (Document.v, Profile.v).

   This file only turns the text into integers, and prints the answer. Exit code 0: all claims hold, as they are
   printed; 1: rejected; 4: no list of integers; anything else, such as too little memory, proves nothing. *)

let integers text =
  let length = String.length text in
  let rec next position found =
    if position >= length then List.rev found
    else
      match text.[position] with
      | ' ' | '\n' -> next (position + 1) found
      | _ ->
          let rec stop k = if k < length && text.[k] <> ' ' && text.[k] <> '\n' then stop (k + 1) else k in
          let last = stop position in
          next last (integer (String.sub text position (last - position)) :: found)
  and integer word =
    let start = if word.[0] = '-' then 1 else 0 in
    let hexadecimal = String.length word > start + 2 && word.[start] = '0' && word.[start + 1] = 'x' in
    let first = if hexadecimal then start + 2 else start in
    if first = String.length word then failwith word;
    for k = first to String.length word - 1 do
      match word.[k] with
      | '0' .. '9' -> ()
      | 'a' .. 'f' when hexadecimal -> ()
      | _ -> failwith word
    done;
    if (not hexadecimal) && String.length word <= 18 then Z.of_int (int_of_string word) else Z.of_string word
  in
  next 0 []

let everything channel =
  let buffer = Buffer.create 65536 and chunk = Bytes.create 65536 in
  let rec more () =
    let read = input channel chunk 0 (Bytes.length chunk) in
    if read > 0 then (
      Buffer.add_subbytes buffer chunk 0 read;
      more ())
  in
  more ();
  Buffer.contents buffer

let number (x, y) = Z.to_string x ^ "/" ^ Z.to_string y

let accepted low claim high =
  Printf.printf "accepted: %s <= %s <= %s\n" low claim high

let print_claim claim =
  accepted
    (number claim.Checker.claim_lower)
    (Printf.sprintf "(%d, %d)" claim.Checker.claim_s claim.Checker.claim_t)
    (number claim.Checker.claim_upper)

let atoms l = String.concat " " (List.map (fun (p, q) -> Printf.sprintf "(%s, %s)" (number p) (number q)) l)

let print_profile profile =
  let pair = Printf.sprintf "of (%d, %d)" profile.Checker.p_s profile.Checker.p_t in
  let low = atoms profile.Checker.p_optimistic in
  match profile.Checker.p_above with
  | None -> Printf.printf "accepted: the privacy-loss distribution %s: %s\n" pair low
  | Some above -> accepted low ("the profile " ^ pair) (atoms above)

let () =
  match integers (everything stdin) with
  | exception Failure _ ->
      prerr_endline "not a list of integers";
      exit 4
  | numbers -> (
      match Checker.decide numbers with
      | Checker.Distances document -> List.iter print_claim document.Checker.claims
      | Checker.Profiled profile -> print_profile profile
      | Checker.Rejected ->
          print_endline "rejected";
          exit 1)
