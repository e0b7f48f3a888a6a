"""Which documents to learn from: a sample that keeps the share of every publication year."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent
from sparse_coverage.patents.documents import Document, as_patent, several
from sparse_coverage.vocabulary.sampling.restriction import EVERYTHING, Restriction

Documents = Iterable[Document] | Callable[[], Iterable[Document]]
"""Documents, or a function that opens them (to read them more than once)."""


def opened(documents: Documents) -> Iterator[Patent | str]:
    """Yield the documents themselves, texts with an id as patents."""
    for number, document in enumerate(several(documents() if callable(documents) else documents)):
        yield document if isinstance(document, str) else as_patent(document, number)


def sample_by_year(
    documents: Documents, limit: int, seed: int, only: Restriction = EVERYTHING
) -> Iterator[Patent | str]:
    """Yield `limit` of the allowed documents in input order, each publication year in proportion. Reads the input twice.

    Which documents of a year are taken depends on the seed and their ids alone, not on the order they come in.
    """
    if limit < 1:
        raise InputError(f"A sample needs at least one document, not {limit}.")
    if isinstance(documents, Iterator):
        raise InputError(
            "Sampling documents reads the input twice, but this input can be read only once. Give a list, or a function "
            "that opens it: fit(lambda: read_patents(path), max_documents=…)."
        )
    return _chosen(documents, limit, seed, only)


def _chosen(documents: Documents, limit: int, seed: int, only: Restriction) -> Iterator[Patent | str]:
    years: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, document in enumerate(opened(documents)):
        if not only.allows(document):
            continue
        identity = str(number) if isinstance(document, str) else document.id
        year = "" if isinstance(document, str) else document.publication_date[:4]
        years[year].append((hash64(seed, identity), number))
    quotas = shares({year: len(found) for year, found in years.items()}, limit)
    chosen = {number for year, found in years.items() for _, number in sorted(found)[: quotas[year]]}
    for number, document in enumerate(opened(documents)):
        if number in chosen:
            yield document


def shares(counts: dict[str, int], limit: int) -> dict[str, int]:
    """Share out `limit` places in proportion to the counts (largest remainder; ties: the first name).

    >>> shares({"1999": 70, "2000": 30, "2001": 1}, 10)
    {'1999': 7, '2000': 3, '2001': 0}
    """
    total = sum(counts.values())
    if total <= limit:
        return dict(counts)
    quotas = {name: count * limit // total for name, count in counts.items()}
    left = limit - sum(quotas.values())
    by_remainder = sorted(counts, key=lambda name: (-(counts[name] * limit % total), name))
    for name in by_remainder[:left]:
        quotas[name] += 1
    return quotas


def hash64(seed: int, identity: str) -> int:
    """Return 64 bits that depend on the seed and an id alone."""
    digest = hashlib.blake2b(f"{seed}\n{identity}".encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
