"""The logic dpCTL*: the theory, its checker and its command."""
