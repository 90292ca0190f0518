"""Certificates of formulas of dpCTL*, on chains and on Markov decision processes."""
