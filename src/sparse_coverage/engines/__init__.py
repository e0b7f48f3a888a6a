"""Sparse Coverage beyond one machine: the same vocabulary and the same scores on Qdrant, which people already run."""
