"""The true delta: traces unfolded, attacks and their replay, curves and the least epsilon."""
