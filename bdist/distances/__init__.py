"""The distances: bd_alpha as a game on pairs of states, ld_alpha, and the true delta that they bound.

Read in this order: `pairs` (which pairs of states there are), `lift` (one move of the game), `zeros` and
`minimiser` (the game when the maximiser's choices are fixed), `strategy` (the exact value) and `iteration` (a
bracket from both sides), `evidence` (what they leave behind as proof), `explore` (the fast method, a package
of its own), `compute` (the driver of all methods).
"""
