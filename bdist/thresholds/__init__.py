"""BD-THRESHOLD, is bd_alpha(s, t) <= theta: the paper's own route to the number, as backends to compare.

Read in this order: `question` (which pairs of states a question is about, and what is answered), `by_game`
(strategy iteration, and a SAT solver in its place), `formula` (Fig. 5, corrected, as data), the backends that
solve it, `by_milp`, `by_smt` and `by_sat_bits` with its `circuits`, `decide` (any backend, its answer
certified: the library call), `search` (binary search and exact recovery). `bdist bench` compares the
backends with each other.
"""
