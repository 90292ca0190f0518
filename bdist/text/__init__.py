"""Text and files of strangers: reading, scanning, places in messages, and writing whole files."""
