"""How much a reader takes from one file before it refuses. Generous for genuine patents, small against an attack."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest document, the strongest compression and the deepest nesting of archives that are read.

    `expansion` bounds decompressed bytes a compressed byte, checked once `expansion_from` bytes came out: patents
    compress 5 to 20 times, a decompression bomb a thousand times.
    """

    document_bytes: int = 64 * MEBIBYTE
    expansion: int = 100
    expansion_from: int = 16 * MEBIBYTE
    archive_depth: int = 4


DEFAULT_LIMITS = Limits()
