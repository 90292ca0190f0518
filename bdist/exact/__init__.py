"""Exact numbers: reading and printing them, e^epsilon from both sides, sparse exact linear systems."""
