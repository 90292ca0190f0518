"""Certificates of privacy profiles: what an observer of labels learns. ``traces/SPEC.md`` specifies them."""
