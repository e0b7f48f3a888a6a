"""What a search needs of the kernels, in NumPy: the same results to the last bit, without a compiler.

Where a kernel of the same name takes the same arguments, it is described there.
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import LANES, Array, Bytes, Doubles, Floats, Int8s, Int16s, Int32s, Int64s, Mask, Uint32s

_PAGE = 4096
_ROWS = 256  # spans compared with all centers at once
_BATCH = 4096  # pairs whose exact distance is computed at once: their doubles stay in the cache
_SCREEN = 1e-4
"""How much a float32 product of rows of length one may be off, with room to spare."""
_SECONDS_A_PRODUCT = 2.5e-8  # of a span and a center, the search for the best included
_SECONDS_A_POSTING = 1.5e-8
_SECONDS_A_BYTE = 2e-9


def row_dots(a: Floats, b: Floats) -> Doubles:
    """Return the canonical product of each row of `a` with the row of `b` in the same place (see `row_dot`)."""
    size = a.shape[1]
    whole = size - size % LANES
    lanes = np.zeros((len(a), LANES))
    for first in range(0, whole, LANES):
        lanes += a[:, first : first + LANES].astype(np.float64) * b[:, first : first + LANES]
    for column in range(whole, size):
        lanes[:, 0] += a[:, column].astype(np.float64) * b[:, column]
    even = (lanes[:, 0] + lanes[:, 4]) + (lanes[:, 2] + lanes[:, 6])
    odd = (lanes[:, 1] + lanes[:, 5]) + (lanes[:, 3] + lanes[:, 7])
    total: Doubles = even + odd
    return total


def first_bad_row(rows: Floats, longest: float) -> int:
    """Return the first row that is not finite or longer than that, or -1."""
    squares = row_dots(rows, rows)
    bad = np.flatnonzero(~(squares <= longest * longest))
    return int(bad[0]) if len(bad) else -1


def cover_seconds(rows: int, centers: int) -> float:
    """Return about how long `cover` takes."""
    return rows * centers * _SECONDS_A_PRODUCT


def cover(rows: Floats, centers: Floats, radii: Floats | None, active: Int32s, distances: Floats) -> None:
    """Fill `active` and `distances` with the nearest centers that cover each row, or without radii with the nearest of all."""
    for top in range(0, len(rows), _ROWS):
        part = slice(top, top + _ROWS)
        _cover(rows[part], centers, radii, active[part], distances[part])


def _cover(rows: Floats, centers: Floats, radii: Floats | None, active: Int32s, distances: Floats) -> None:
    k = active.shape[1]
    products = rows @ centers.T
    if radii is not None:
        reach = 1 - radii
        products[products < reach - _SCREEN] = -np.inf
    if k < len(centers):
        sure = products if radii is None else np.where(products >= reach + _SCREEN, products, -np.inf)
        least = np.partition(sure, len(centers) - k, axis=1)[:, len(centers) - k]
        row, center = np.nonzero((products >= least[:, None] - 2 * _SCREEN) & (products > -np.inf))
    else:
        row, center = np.nonzero(products > -np.inf)
    exact = np.empty(len(row), dtype=np.float32)
    for first in range(0, len(row), _BATCH):
        part = slice(first, first + _BATCH)
        exact[part] = 1.0 - row_dots(rows[row[part]], centers[center[part]])
    if radii is not None:
        inside = exact <= radii[center]
        row, center, exact = row[inside], center[inside], exact[inside]
    order = np.lexsort((center, exact, row))
    row, center, exact = row[order], center[order], exact[order]
    place = np.arange(len(row)) - np.searchsorted(row, row)
    kept = place < k
    active[row[kept], place[kept]] = center[kept]
    distances[row[kept], place[kept]] = exact[kept]


def weigh(worth: Doubles, centers: Int32s, weights: Floats) -> tuple[Int64s, Doubles]:
    """As the kernel."""
    if len(weights) != len(centers):
        raise IndexError("A query has not as many weights as centers.")
    if len(centers) and not 0 <= centers.min() <= centers.max() < len(worth):
        raise IndexError("A query names a center that the vocabulary does not have.")
    values = worth[centers]
    kept = values > 0
    return centers[kept].astype(np.int64), weights[kept].astype(np.float64) * values[kept]


def postings_seconds(offsets: Uint32s, centers: Int64s) -> float:
    """Return about how long adding the lists of some centers takes."""
    lengths = offsets[centers + 1].astype(np.int64) - offsets[centers]
    return float(lengths.sum()) * _SECONDS_A_POSTING


def accumulate(
    offsets: Uint32s, packed: Array, centers: Int64s, factors: Doubles, scale: int, norms: Floats, allowed: Bytes, scores: Floats
) -> None:  # fmt: skip
    """Set each passage's score of one segment, as `accumulate` and `normalise`. Pages are checked before."""
    scores[:] = 0
    if len(allowed) and not allowed.any():
        return
    begins, ends = offsets[centers].tolist(), offsets[centers + 1].tolist()
    for begin, end, factor in zip(begins, ends, (factors / scale).astype(np.float32), strict=True):
        run = packed[begin:end]
        scores[run >> np.uint32(16)] += factor * (run & np.uint32(0xFFFF)).astype(np.float32)
    scores *= norms * allowed.astype(np.float32) if len(allowed) else norms


def best_scores(scores: Floats, k: int) -> tuple[Int64s, Floats]:
    """As the kernel."""
    chosen = np.flatnonzero(scores > 0)
    if len(chosen) > k:
        least = np.partition(scores[chosen], len(chosen) - k)[len(chosen) - k]
        chosen = chosen[scores[chosen] >= least]
    order = np.argsort(-scores[chosen], kind="stable")[:k]
    return chosen[order].astype(np.int64), scores[chosen[order]]


def check_seconds(content: Bytes) -> float:
    """Return about how long checking all pages takes."""
    return len(content) * _SECONDS_A_BYTE


def sum_pages(content: Bytes, sums: Uint32s) -> None:
    """As the kernel."""
    sums[:] = _sums(content, np.arange(len(sums)))


def check_pages(content: Bytes, sums: Uint32s, sound: Bytes, first: int, last: int) -> int:
    """As the kernel."""
    return _check(content, sums, sound, np.arange(first, last))


def check_runs(content: Bytes, sums: Uint32s, sound: Bytes, offsets: Uint32s, rows: Array, width: int) -> int:
    """As the kernel."""
    rows = np.asarray(rows, dtype=np.int64)
    begins, ends = offsets[rows].astype(np.int64) * width, offsets[rows + 1].astype(np.int64) * width
    some = ends > begins
    firsts, lasts = begins[some] // _PAGE, (ends[some] - 1) // _PAGE + 1
    counts = lasts - firsts
    if not len(counts):
        return -1
    skipped = np.repeat(firsts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
    return _check(content, sums, sound, np.unique(skipped + np.arange(counts.sum())))


def _check(content: Bytes, sums: Uint32s, sound: Bytes, pages: Int64s) -> int:
    pages = pages[sound[pages] == 0]
    for first in range(0, len(pages), 256):
        part = pages[first : first + 256]
        wrong = np.flatnonzero(_sums(content, part) != sums[part])
        if len(wrong):
            sound[part[: wrong[0]]] = 1
            return int(part[wrong[0]])
        sound[part] = 1
    return -1


def _sums(content: Bytes, pages: Int64s) -> Uint32s:
    """Return the sums of some pages; after the end of the content there are zeros, which add nothing."""
    places = np.arange(_PAGE, dtype=np.uint32)
    factors = (np.uint32(2) * places + np.uint32(1)) * np.uint32(0x9E3779B1)
    whole = len(content) // _PAGE
    rows = np.zeros((len(pages), _PAGE), dtype=np.uint32)
    inside = pages < whole
    rows[inside] = content[: whole * _PAGE].reshape(-1, _PAGE)[pages[inside]]
    rest = content[whole * _PAGE :]
    rows[~inside, : len(rest)] = rest
    sums: Uint32s = (rows * factors).sum(axis=1, dtype=np.uint32)
    return sums


def postings_of(packed: Uint32s, passage: np.uint32, found: Int64s) -> int:
    """As the kernel."""
    places = np.flatnonzero(packed >> np.uint32(16) == passage)
    found[: len(places)] = places
    return len(places)


def spread(starts: Uint32s, documents: Mask, passages: Mask) -> None:
    """As the kernel."""
    passages[:] = np.repeat(documents, starts[1:].astype(np.int64) - starts[:-1])


def add_word(postings: Uint32s, worth: float, norms: Doubles, scores: Floats) -> None:
    """A passage is in a list once, so no sum is made twice."""
    passages, counts = postings >> np.uint32(16), (postings & np.uint32(0xFFFF)).astype(np.float64)
    scores[passages] += (worth * (counts / (norms[passages] + counts))).astype(np.float32)


def product_seconds(rows: Int8s, queries: Int16s) -> float:
    """Return about how long `best_products` takes."""
    return rows.size * (2 + len(queries)) * 1e-9


def best_products(rows: Int8s, scales: Floats, queries: Int16s, unit: float, allowed: Bytes, scores: Floats) -> None:
    """Sums of doubles are exact here: the numbers are whole and far below 2^53."""
    wanted = queries.T.astype(np.float64)
    for first in range(0, len(rows), _BATCH):
        part = slice(first, first + _BATCH)
        best = (rows[part].astype(np.float64) @ wanted).max(axis=1)
        scores[part] = scales[part].astype(np.float64) * unit * best
    if len(allowed):
        scores[allowed == 0] = -np.inf
