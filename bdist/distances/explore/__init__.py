"""The fast method: explore from the query, settle in floating point, prove in rationals.

Read in this order. `words`: lower bounds that need no linear program. `float_game`: a proposal for every
pair, by the kernel. `functions`, with `bounds`: functions that extend to all states of a label, and which
pairs are explored for that. `exact_game` and `exact_proof`: exact values from a proposal. `bracket`, with
`bracket_upper`, `bracket_lower`, `allowance`, `growth`, `grid` and `zero_couplings`: a certified bracket from
a proposal. `stages` and `escapes`: the order in which a checker follows lower bounds. `driver`: which of all
this, and when.

Everything here needs NumPy, so nothing outside imports it before it is used.
"""
