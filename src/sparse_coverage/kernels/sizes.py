"""How the kernels lay out what they work on."""

LANES = 8
"""In how many interleaved sums the canonical product is made."""
TILE = 6
"""Rows of one tile: with a panel's sixteen sums each, they fill the registers of AVX2."""
PANEL = 16
"""Centers of one panel."""
STEP = 32
"""Quantised rows are padded with zeros to a multiple of this length."""
