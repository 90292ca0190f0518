#!/usr/bin/env bash
# Builds the verified checker, _build/bdist-verified, from the extracted program:   proofs/build.sh
# and, with Coq, everything from the proofs, which must give that program again:    proofs/build.sh --proofs
# A statically linked program, alone or after the proofs:                             proofs/build.sh --static
# Debian's packages: ocaml ocaml-findlib libzarith-ocaml-dev, and coq for --proofs.
set -euo pipefail
cd "$(dirname "$0")"
proofs=no static=()
for option in "$@"; do
    case "$option" in
        --proofs) proofs=yes ;;
        --static) static=(-ccopt -static) ;;
        *) echo "proofs/build.sh: there is no option $option" >&2 && exit 2 ;;
    esac
done
# in the order in which they need each other
sources="Spec Sums Tables Words Lower Quotient Containers Trees Entries Document Checker
         Meaning Numbers SoundUpper SoundWords SoundLower Sound
         Curves Traces Claims SoundClaims Beliefs SoundBeliefs Grid Cells Passes Pieces SoundGrid
         Types Frequencies LongRun SoundTypes Profile SoundProfile Program Assumptions Extract"
mkdir -p _build
if [ "$proofs" = yes ]; then
    # nothing is assumed, admitted or switched off
    if grep -nE '\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture|Unset Guard Checking|bypass_check)\b' ./*.v; then
        echo "proofs/: something is not proved" >&2
        exit 1
    fi
    rm -rf _build/coq && mkdir _build/coq
    cp ./*.v _build/coq
    (
        cd _build/coq
        for source in $sources; do
            coqc -Q . Proofs "$source.v" >>printed.txt
        done
    )
    diff assumptions.txt _build/coq/printed.txt
    diff ocaml/checker.ml _build/coq/checker.ml
    diff ocaml/checker.mli _build/coq/checker.mli
fi
cp ocaml/*.ml ocaml/*.mli _build
cd _build
ocamlfind ocamlopt -package zarith -linkpkg -inline 100 "${static[@]}" \
    integers.ml arrays.ml checker.mli checker.ml main.ml -o bdist-verified
