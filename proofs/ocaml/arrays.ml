(* The functions of Containers.v, with a memory. Numbers that are out of range end the program. *)

module Table = Hashtbl.Make (struct
  type t = int

  let equal (x : int) y = x = y
  let hash x = (x * 0x9E3779B97F4A7C1) lsr 20
end)

let memo1 n f =
  let known = Array.make n None in
  fun i ->
    match known.(i) with
    | Some x -> x
    | None ->
        let x = f i in
        known.(i) <- Some x;
        x

(* Rows of pairs where there are few numbers, else single pairs. *)
let memo2 n f =
  if n <= 4096 then
    let rows = Array.make n [||] in
    fun i j ->
      if Array.length rows.(i) = 0 then rows.(i) <- Array.make n None;
      match rows.(i).(j) with
      | Some x -> x
      | None ->
          let x = f i j in
          rows.(i).(j) <- Some x;
          x
  else
    let known = Table.create 1024 in
    fun i j ->
      if i >= n || j >= n then invalid_arg "memo2";
      let k = (i * n) + j in
      match Table.find_opt known k with
      | Some x -> x
      | None ->
          let x = f i j in
          Table.add known k x;
          x

let array l default =
  let elements = Array.of_list l in
  fun i -> if i < Array.length elements then elements.(i) else default

let spread n l =
  let found = Array.make n None in
  List.iter (fun (i, x) -> if found.(i) = None then found.(i) <- Some x) l;
  fun i -> found.(i)
