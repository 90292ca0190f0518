"""Certificates of distances: accepted, rejected, malformed and changed."""
