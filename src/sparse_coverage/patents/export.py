"""From a patent to a record of the documented JSONL schema. Reading the record again gives the same passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sparse_coverage.patents.claims import begins_with_number
from sparse_coverage.patents.patent import Claim, Paragraph, Patent

_DIRECT = re.compile(r"/patent-document/\w+/(?:p|claim)\[(\d+)\]")
_SCALARS = ("country", "kind", "publication_date", "application_date", "priority_date", "family")
_LISTS = ("ipc", "cpc", "family_members", "applicants", "inventors", "citations")


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
    """Put each text at its place. Those inside subsections have none in a flat list and follow the last of the others."""
    placed: dict[int, str] = {}
    nested = []
    for part in parts:
        if match := _DIRECT.fullmatch(part.xpath):
            placed[int(match[1])] = part.text
        else:
            nested.append(part.text)
    return [placed.get(position, "") for position in range(1, max(placed, default=0) + 1)] + nested


def _claims(claims: Sequence[Claim]) -> list[str]:
    """Print the numbers where reading would not find them: claims 1 to 19 were cancelled, or a text begins with another."""
    texts = _in_place(claims)
    if all(claim.xpath.endswith(f"[{claim.number}]") and not begins_with_number(claim.text) for claim in claims):
        return texts
    numbers = iter(claims)
    return [f"{next(numbers).number}. {text}" if text else "" for text in texts]
