"""What all checks share: files, limits, the model of a chain, JSON values, numbers."""
