"""Cleaning text for an encoder by named steps that keep every character's place in the original."""

from sparse_coverage.patents.cleaning.cleaned import STEPS, CleanedText, clean, step_names

__all__ = ["STEPS", "CleanedText", "clean", "step_names"]
