"""The distances bd_alpha and ld_alpha, as games on pairs of states.

Read in this order: `pairs` (which pairs of states there are), `lift` (one move of the game), `strategy` (zero
sets, the game for fixed directions, and its exact value), `iteration` (a bracket from both sides), `run`
(what a computation leaves behind as proof), `explore` (the fast method, a package of its own), `compute` (the
driver of all methods). `kantorovich` is the lift of a table that the user gives.
"""
