"""Exact numbers: as text, e^eps and ln from both sides, linear systems."""
