"""Certificates of hidden Markov models."""
