"""Sparse Coverage beyond one machine: the same vocabulary and the same scores on engines that people already run."""
