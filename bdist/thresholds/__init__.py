"""BD-THRESHOLD, is bd_alpha(s, t) <= theta: the paper's own route to the number, as backends to compare.

Read in this order: `question` (what is asked and what is answered), `formula` (Fig. 5, corrected, as data),
the backends `by_sat_lp`, `by_milp`, `by_sat_bits` and `by_smt`, `decide` (strategy iteration and the library
call), `search` (binary search and exact recovery), `benchmark` (the backends against each other).
"""
