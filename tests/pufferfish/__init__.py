"""Hidden Markov models: the theory, its checker and its command."""
