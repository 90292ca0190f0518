"""The fast method: explore from the query, settle in floating point, prove in rationals.

Read in this order. `words`: lower bounds that need no linear program. `float_game`: a proposal for every
pair, by the kernel. `lower_bounds` and `extension`: whether functions on a few states extend to all states of
a label. `frontier`: explore until they do. `exact_game` and `exact_proof`: exact values from a proposal.
`bracket`, with `bracket_upper`, `bracket_lower`, `allowance`, `growth`, `grid` and `zero_couplings`: a
certified bracket from a proposal. `potentials` and `ranks`: the functions of lower records. `driver`: which
of all this, and when.

Everything here needs NumPy, so nothing outside imports it before it is used.
"""
