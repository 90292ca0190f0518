"""The report of an audit: one HTML file to hand over, which needs nothing but a browser or a printer."""
