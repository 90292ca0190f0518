"""Certificates of automata."""
