"""The interactive page of a privacy profile: one HTML file that works alone."""
