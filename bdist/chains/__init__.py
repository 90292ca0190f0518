"""Models: frozen, validated data. Algorithms live beside them, not in them."""
