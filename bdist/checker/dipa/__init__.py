"""Certificates of automata: `automaton` reads the model, `proof` reads the certificate and checks it."""
