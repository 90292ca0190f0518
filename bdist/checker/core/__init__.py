"""What all checks share: files, limits, the texts of models, the model of a chain, JSON values, numbers."""
