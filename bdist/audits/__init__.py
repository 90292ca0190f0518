"""Questions of an auditor that take many distances: delta against epsilon, and epsilon for a given delta."""
