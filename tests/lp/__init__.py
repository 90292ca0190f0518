"""Small linear programs: every engine against the exact simplex."""
