"""Weights of a machine: assembled, kept in a cache, exported as a stock checkpoint."""
