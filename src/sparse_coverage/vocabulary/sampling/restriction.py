"""Which documents a vocabulary may be learned from: publication years, a language, and no titles alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent
from sparse_coverage.patents.languages import ANY_LANGUAGE, accepts

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
        if not accepts(self.language or ANY_LANGUAGE, document.language):
            return False
        return not self.with_text or bool(document.abstract or document.claims or document.description)

    def of(self, documents: Iterable[Patent | str]) -> Iterator[Patent | str]:
        """Yield the documents that are allowed."""
        return (document for document in documents if self.allows(document))


EVERYTHING = Restriction()
