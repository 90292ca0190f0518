"""Certificates of distances between two states of a chain: bd, ld, lv and tv."""
