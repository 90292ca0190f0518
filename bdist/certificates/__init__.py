"""What a proof consists of and how it is written; SPEC.md beside this file is the definition."""
