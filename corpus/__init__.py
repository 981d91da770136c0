"""Integer kernels of the kinds found in courses, samples and problem sets, with inputs, and oracles that run them."""
