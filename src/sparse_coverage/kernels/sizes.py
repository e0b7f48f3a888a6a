"""How the kernels lay out what they work on, and in which numbers."""

LANES = 8
"""In how many interleaved sums the canonical product is made."""
TILE = 6
"""Rows of one tile: with a panel's sixteen sums each, they fill the registers of AVX2."""
PANEL = 16
"""Centers of one panel."""
STEP = 32
"""Quantised rows are padded with zeros to a multiple of this length."""

SCALE = 32_000.0
"""What stands for 1 in a vector of 16 bits."""
NORM_LIMIT = 1.001
"""Rows may be a little longer than one (they are rounded), not more: 16 bits would overflow."""
LONGEST = 1.01
"""No row is longer than this after rounding to 16 bits."""
NARROW = 127
"""The largest value in a vector of 8 bits."""
REACH = 6.0
"""What it stands for: so many times the coordinate of a vector whose coordinates are all alike. What is beyond is cut off."""
MOST_LOST = 0.05
"""Vectors that are farther than this from their 8-bit form are screened in 16 bits at once: bytes would let too much pass."""
