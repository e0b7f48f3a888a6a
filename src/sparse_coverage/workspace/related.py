"""What belongs to a document beside its text: where it can be read in public, and drawings that lie beside the file it was read from."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from sparse_coverage.errors import NoDocumentError
from sparse_coverage.index import DocumentRecord, IndexStore
from sparse_coverage.index.stored_fields import strings
from sparse_coverage.patents.numbers import application_of, number_key, parse_number, printed_id
from sparse_coverage.search.results import Hit
from sparse_coverage.search.stored import require_document
from sparse_coverage.workspace.grouping import FamilyMembers

_US_APPLICATION = re.compile(r"((?:19|20)\d{2})0(\d{6})")


def public_links(id_: str) -> dict[str, str]:
    """Return the addresses of a publication by the names of the sites; none for an id that is no publication number.

    >>> public_links("EP-0049154-A1")["Google Patents"]
    'https://patents.google.com/patent/EP0049154A1'
    >>> public_links("US-20230007979-A1")["Espacenet"]
    'https://worldwide.espacenet.com/patent/search?q=pn%3DUS2023007979A1'
    >>> public_links("cranfield-17")
    {}
    """
    found = parse_number(id_)
    if found is None:
        return {}
    # Espacenet writes applications of the United States with six digits behind the year.
    number = _US_APPLICATION.sub(r"\1\2", found.number) if found.country == "US" else found.number
    return {
        "Espacenet": f"https://worldwide.espacenet.com/patent/search?q=pn%3D{found.country}{number}{found.kind}",
        "Google Patents": f"https://patents.google.com/patent/{found.country}{found.number}{found.kind}",
    }


MEDIA = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".pdf": "application/pdf",
    ".tif": "image/png",
    ".tiff": "image/png",
}
"""What drawings are sent as, by their endings. TIFF becomes PNG, which browsers show; that takes the package Pillow."""
_TEXTS = frozenset((".xml", ".sgm", ".sgml", ".txt", ".json", ".html"))
_SINGLE = _TEXTS | {".pdf", ".docx"}
"""Files of one document, as a rule; a table holds many."""
_MENTION = re.compile(
    r"\b(?:U\.\s?S\.|US|EP|WO|DE|GB|FR|JP|CN|KR)[\s-]{0,2}(?:(?:Patents?|Pat|Publication|Publ?|Application|Appl?|Nos?|Nr)\b[.:]?\s?){0,4}"
    r"[A-Z]{0,2}\d[\d,./’\s-]{3,18}\d(?:[\s-]?[ABCEUPT]\d?\b)?"
)
_MOST_FILES = 5000
MOST_CITING = 200_000
"""In an index of more documents it is not looked for which of them cite a document: all would have to be read."""


def drawings_of(document: DocumentRecord) -> list[Path]:
    """Return the drawings of a document in the order of their names.

    In a folder with the text of one document all images belong to it; else those whose names begin with that of its file, or with
    its number. A document that was uploaded has no folder.
    """
    source = Path(str(document.metadata.get("source") or ""))
    if len(source.parts) < 2 or not source.is_file():
        return []
    beside = [path for path, _ in zip(source.parent.iterdir(), range(_MOST_FILES), strict=False) if path.is_file()]
    images = [path for path in beside if path.suffix.lower() in MEDIA and path != source and _can_show(path)]
    own = source.suffix.lower()
    if own not in _SINGLE or sum(path.suffix.lower() in {*_TEXTS, own} for path in beside) > 1:
        number = parse_number(document.id)
        names = (source.stem.lower(), f"{number.country}{number.number}".lower() if number else source.stem.lower())
        images = [
            path
            for path in images
            if path.name.lower().replace("-", "").startswith(tuple(n.replace("-", "") for n in names))
        ]
    return sorted(images, key=lambda path: path.name)


def drawing_content(path: Path) -> bytes:
    """Return a drawing as it is sent."""
    if path.suffix.lower() not in (".tif", ".tiff"):
        return path.read_bytes()
    from PIL import Image

    stream = io.BytesIO()
    with Image.open(path) as image:
        image.convert("L" if image.mode in ("1", "L") else "RGB").save(stream, "PNG")
    return stream.getvalue()


def _can_show(path: Path) -> bool:
    return path.suffix.lower() not in (".tif", ".tiff") or find_spec("PIL") is not None


@dataclass(frozen=True, slots=True)
class RelatedDocument:
    """A publication that another one names, and the id under which the index holds it; nothing where it does not."""

    id: str
    held: str


@dataclass(frozen=True, slots=True)
class RelatedResult:
    """What a document cites, what of the index cites it, its family, and the names of its drawings."""

    cites: tuple[RelatedDocument, ...]
    cited_by: tuple[RelatedDocument, ...]
    family: tuple[RelatedDocument, ...]
    drawings: tuple[str, ...]


class Relatives:
    """Looks up, in one state of an index, what documents cite, what cites them, their families and their drawings."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store

    def of(self, id_: str) -> RelatedResult:
        """Return what belongs to a document."""
        record = self._record(id_)
        known = record.metadata
        hit = Hit(record.id, record.title, 0.0, known, ())
        family_of = [*strings(known.get("family_members")), *FamilyMembers(self._store)(hit)]
        citing = self._citing.get(_cited_key(record.id), ()) if self._store.state.documents <= MOST_CITING else ()
        own = number_key(record.id)
        return RelatedResult(
            self._links(strings(known.get("citations"))),
            self._links(citing),
            self._links(one for one in family_of if number_key(one) != own),
            tuple(path.name for path in drawings_of(record)),
        )

    def mentioned(self, text: str, but: str = "") -> list[tuple[int, int, str]]:
        """Return where a text names publications that the index holds, and their ids; not those of the document `but`."""
        found = []
        for match in _MENTION.finditer(text):
            number = parse_number(match[0])
            held = None if number is None else self._store.find_document(match[0])
            if held is not None and (id_ := self._store.document(held).id) != but:
                found.append((match.start(), match.end(), id_))
        return found

    def drawing(self, id_: str, name: str) -> Path:
        """Return the file of a drawing of a document."""
        record = self._record(id_)
        for path in drawings_of(record):
            if path.name == name:
                return path
        raise NoDocumentError(f"There is no drawing '{name[:80]}' beside the file of {record.id}.")

    def _record(self, id_: str) -> DocumentRecord:
        return self._store.document(require_document(self._store, id_))

    @cached_property
    def _citing(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for number in np.flatnonzero(np.concatenate([s.live_documents for s in self._store.segments])).tolist():
            record = self._store.document(number)
            for cited in strings(record.metadata.get("citations")):
                found.setdefault(_cited_key(cited), []).append(record.id)
        return found

    def _links(self, ids: Iterable[str]) -> tuple[RelatedDocument, ...]:
        numbers = ((id_, self._store.find_document(id_)) for id_ in dict.fromkeys(map(printed_id, ids)))
        return tuple(
            RelatedDocument(id_, "" if number is None else self._store.document(number).id) for id_, number in numbers
        )


def _cited_key(id_: str) -> str:
    """Return what a citation and the document that it means share: the kind is often left out, or another."""
    return application_of(id_) or number_key(id_)
