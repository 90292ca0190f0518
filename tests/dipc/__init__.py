"""Programs: the theory, its checker and its command."""
