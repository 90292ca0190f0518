"""Automata: the theory, its checker and its command."""
