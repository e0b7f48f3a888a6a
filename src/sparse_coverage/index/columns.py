"""What filters ask about documents, as columns: two dates each, and lists of documents by term.

A term is a field and a value, `country=EP`, `ipc=H04N 5/44`, and so on; terms are kept sorted, so all symbols with a prefix
stand next to each other. The family of a document is the set of its terms of the field `kin`: its own id, the ids of its
family members, the applications of these (EP-0049154 of EP-0049154-A1), and the family's own name (set off by a `=`).
Documents that share one are of one family. Terms of the field `number` find a publication however it is spelled: its number
without the kind, and its one form where the id has another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sparse_coverage.index.stored_fields import DocumentRecord, strings
from sparse_coverage.kernels import Int32s, Mask, Uint32s
from sparse_coverage.patents.numbers import application_of, number_key, parse_number

DATES = ("publication_date", "priority_date")
FAMILY_FIELD = "kin"
"""The field of the terms that documents of one family share, as it is written on disk and in search engines."""
NUMBER_FIELD = "number"


@dataclass(frozen=True, slots=True)
class TermField:
    """A field of the metadata that filters look up by its values: `country:EP`. One row is all that a new one needs.

    `wanted` is what an error says is missing. A `prefix` finds all values that begin with it: a class always, a letter where it
    stands alone. Values are kept in capitals, unless they are `small`; `counted` fields are counted by `info`.
    """

    name: str
    wanted: str
    prefix: Literal["", "class", "letter"] = ""
    small: bool = False
    counted: bool = True

    def normal(self, value: str) -> str:
        """Return a value in the one spelling that terms use."""
        return value.strip().lower() if self.small else value.strip().upper()


TERM_FIELDS = {
    row.name: row
    for row in (
        TermField("ipc", "a class", "class", counted=False),
        TermField("cpc", "a class", "class", counted=False),
        TermField("country", "a country"),
        TermField("kind", "a kind", "letter"),
        TermField("language", "a language", small=True),
    )
}
_AFTER_ANY = "\U0010ffff"


@dataclass(frozen=True, slots=True, eq=False)
class DocumentColumns:
    """The columns of one segment's documents. A missing date is 0, others are numbers such as 20020612."""

    dates: Int32s
    terms: Sequence[str]
    term_offsets: Uint32s
    term_documents: Uint32s

    def __len__(self) -> int:
        return len(self.dates)

    def with_term(self, field: str, value: str) -> Mask:
        """Return which documents have a term."""
        place = bisect_left(self.terms, f"{field}={value}")
        found = place < len(self.terms) and self.terms[place] == f"{field}={value}"
        return self._having(place, place + found)

    def with_prefix(self, field: str, prefix: str) -> Mask:
        """Return which documents have a term that begins with a prefix."""
        begin = f"{field}={prefix}"
        return self._having(bisect_left(self.terms, begin), bisect_left(self.terms, begin + _AFTER_ANY))

    def terms_of(self, document: int, field: str) -> list[str]:
        """Return the values that a document has for a field."""
        first, last = (bisect_left(self.terms, f"{field}={end}") for end in ("", _AFTER_ANY))
        begin, end = int(self.term_offsets[first]), int(self.term_offsets[last])
        places = begin + np.flatnonzero(self.term_documents[begin:end] == document)
        rows = np.searchsorted(self.term_offsets, places, side="right") - 1
        return [self.terms[row].partition("=")[2] for row in rows.tolist()]

    def _having(self, first: int, last: int) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        mask[self.term_documents[self.term_offsets[first] : self.term_offsets[last]]] = True
        return mask


def collect_columns(records: Iterable[DocumentRecord]) -> DocumentColumns:
    """Gather the columns of documents from their metadata."""
    dates: list[list[int]] = []
    lists: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        dates.append([date_number(str(record.metadata.get(name) or "")) for name in DATES])
        for term in sorted(_terms(record)):
            lists.setdefault(term, []).append(number)
    terms = sorted(lists)
    sizes = [len(lists[term]) for term in terms]
    return DocumentColumns(
        np.asarray(dates, dtype=np.int32).reshape(-1, len(DATES)),
        terms,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32),
        np.asarray([number for term in terms for number in lists[term]], dtype=np.uint32),
    )


def family_names(id_: str, metadata: Mapping[str, Any]) -> set[str]:
    """Return the names under which a document's family is known."""
    family = metadata.get("family")
    publications = [id_, *strings(metadata.get("family_members"))]
    applications = [application_of(one) or number_key(one) for one in publications]
    return {*publications, *applications, *([f"={family}"] if family else [])}


def date_number(date: str) -> int:
    """Return an ISO date as a number that sorts like it; 0 for none.

    >>> date_number("2002-06-12"), date_number("")
    (20020612, 0)
    """
    digits = date.replace("-", "")
    return int(digits) if len(digits) == 8 and digits.isdecimal() else 0


def _terms(record: DocumentRecord) -> set[str]:
    found = {
        f"{name}={field.normal(value)}"
        for name, field in TERM_FIELDS.items()
        for value in strings(record.metadata.get(name))
    }
    found.add(f"id={record.id}")
    number = parse_number(record.id)
    if number is not None:
        names = {f"{number.country}-{number.number}", str(number)} - {record.id}
        found.update(f"{NUMBER_FIELD}={name}" for name in names)
    return found | {f"{FAMILY_FIELD}={name}" for name in family_names(record.id, record.metadata)}
