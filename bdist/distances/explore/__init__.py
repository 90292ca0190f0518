"""The fast method: explore from the query, settle in floating point, prove in rationals.

Read in this order. `words`: lower bounds that need no linear program. `supports`: programs of pairs, from the
rows of a chain. `float_game`: a proposal for every explored pair, by the kernel. `proposal`, with
`allowance`: which pairs are explored. `functions`, with `bounds`: functions that extend to all states of a
label, and what is explored for that. `exact_game` and `exact_proof`: exact values from a proposal. `bracket`,
with `bracket_upper`, `bracket_lower`, `growth` and `grid`: a certified bracket from a proposal. `stages`: the
order in which a checker follows lower bounds. `driver`: which of all this, and when.

Everything here needs NumPy, so nothing outside imports it before it is used.
"""
