"""Certificates of programs with noise."""
