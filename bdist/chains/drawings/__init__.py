"""Chains as drawings: what of a chain is drawn, where it goes, and how it is shown, as SVG, PNG or text."""
