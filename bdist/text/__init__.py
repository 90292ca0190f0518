"""Text and files of strangers: reading them, a cursor that says where, and writing whole files."""
