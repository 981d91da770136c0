"""Oracles: other ways to run a case of the corpus, which share no code with the machine."""
