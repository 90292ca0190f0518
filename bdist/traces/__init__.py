"""The true delta: beliefs, privacy-loss distributions and profiles, attacks and their replay."""
