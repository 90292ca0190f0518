"""The distances bd and ld against naive oracles."""
