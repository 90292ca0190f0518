"""Certificates of automata: `automaton` reads the model, `document` the certificate, `proof` checks it."""
