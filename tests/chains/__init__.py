"""Chains: the model, its formats, families and drawings."""
