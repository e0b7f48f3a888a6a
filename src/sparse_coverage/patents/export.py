"""From a patent to a record of the documented JSONL schema. Reading the record again gives the same passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sparse_coverage.patents.types import Claim, Paragraph, Patent

_DIRECT = re.compile(r"/patent-document/\w+/(?:p|claim)\[(\d+)\]")
_SCALARS = ("country", "kind", "publication_date", "application_date", "priority_date", "family")
_LISTS = ("ipc", "cpc", "family_members", "applicants", "citations")


def to_record(patent: Patent) -> dict[str, Any]:
    """Return a patent as a JSON object: `id`, `lang`, `title`, `abstract`, `claims`, `description`, then what is known.

    Lists keep the numbering of the source: a place that holds no text is an empty string. The abstract is one string with
    a paragraph a line.
    """
    record: dict[str, Any] = {
        "id": patent.id,
        "lang": patent.language,
        "title": patent.title,
        "abstract": "\n".join(_in_place(patent.abstract)),
        "claims": _claims(patent.claims),
        "description": _in_place(patent.description),
    }
    for name in (*_SCALARS, *_LISTS):
        value = getattr(patent, name)
        if value:
            record[name] = list(value) if name in _LISTS else value
    return record


def _in_place(parts: Sequence[Paragraph | Claim]) -> list[str]:
    positions = [int(match[1]) for part in parts if (match := _DIRECT.fullmatch(part.xpath))]
    if len(positions) != len(parts):
        return [part.text for part in parts]  # paragraphs inside subsections have no place in a flat list
    texts = [""] * max(positions, default=0)
    for position, part in zip(positions, parts, strict=True):
        texts[position - 1] = part.text
    return texts


def _claims(claims: Sequence[Claim]) -> list[str]:
    """Print the numbers where positions would not give them, as when claims 1 to 19 were cancelled."""
    texts = _in_place(claims)
    by_text_position = [claim.xpath.endswith(f"[{claim.number}]") for claim in claims]
    if all(by_text_position):
        return texts
    numbers = iter(claims)
    return [f"{next(numbers).number}. {text}" if text else "" for text in texts]
