"""Which documents to learn from: those that a restriction allows, and of these a sample that keeps the share of every year."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent
from sparse_coverage.patents.passages import Document, as_patent, several
from sparse_coverage.text.languages import ANY_LANGUAGE

Documents = Iterable[Document] | Callable[[], Iterable[Document]]
"""Documents, or a function that opens them (to read them more than once)."""


_YEARS = re.compile(r"(\d{4})(?:-(\d{4}))?")


@dataclass(frozen=True, slots=True)
class Restriction:
    """What a document must be. `years` as "2000-2010", both included, or one year; a document without a date is left out then.

    `language` leaves out documents that say they are in another one. `with_text` leaves out those of which nothing but a title
    is there: what remains of a German or French publication when English parts alone are read.

    >>> str(Restriction("2000-2010", "en", with_text=True))
    'published 2000-2010, in en, no titles alone'
    """

    years: str = ""
    language: str = ""
    with_text: bool = False

    def __post_init__(self) -> None:
        match = _YEARS.fullmatch(self.years)
        if self.years and (match is None or int(match[1]) > int(match[2] or match[1])):
            raise InputError(f"Years are written as 2000-2010, the earlier first, or as one year, not '{self.years}'.")

    def __bool__(self) -> bool:
        return bool(self.years or self.with_text or self.language not in ("", ANY_LANGUAGE))

    def __str__(self) -> str:
        parts = [f"published {self.years}"] if self.years else []
        parts += [f"in {self.language}"] if self.language not in ("", ANY_LANGUAGE) else []
        return ", ".join([*parts, *(["no titles alone"] if self.with_text else [])])

    def allows(self, document: Patent | str) -> bool:
        """Tell whether a document may be learned from. A plain text has neither date nor title: only years exclude it."""
        if isinstance(document, str):
            return not self.years
        if self.years:
            first, _, last = self.years.partition("-")
            if not first <= document.publication_date[:4] <= (last or first):
                return False
        if self.language not in ("", ANY_LANGUAGE, document.language) and document.language:
            return False
        return not self.with_text or bool(document.abstract or document.claims or document.description)

    def of(self, documents: Iterable[Patent | str]) -> Iterator[Patent | str]:
        """Yield the documents that are allowed."""
        return (document for document in documents if self.allows(document))


EVERYTHING = Restriction()


@dataclass(frozen=True, slots=True)
class Sampling:
    """What a vocabulary is learned from.

    `max_documents`: take this many documents, each publication year in proportion (the documents are read twice then).
    `max_spans`: take this many spans of them; without it as many as `sample_size` says. `only`: which documents count at all.

    >>> Sampling(max_documents=10_000).max_spans is None
    True
    """

    max_documents: int | None = None
    max_spans: int | None = None
    only: Restriction = EVERYTHING


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
            "that opens it: fit(lambda: read_patents(path), sampling=Sampling(max_documents=…))."
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
