"""Publications for programs that manage references: RIS and BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparse_coverage.index.stored_fields import strings
from sparse_coverage.patents.numbers import parse_number
from sparse_coverage.workspace.related import public_links

_UNSAFE = re.compile(r"[^A-Za-z0-9:.+/_-]+")
_BREAKS = re.compile(r"\s+")
_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
# What TeX gives a meaning of its own; a brace or backslash is written by its name so that no text can close a field.
_TEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {sign: "\\" + sign for sign in "#$%&_"}


@dataclass(frozen=True, slots=True)
class Publication:
    """A document to be cited; `note` is what a user wrote about it."""

    id: str
    title: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def ris(publications: Iterable[Publication]) -> str:
    r"""Return publications as RIS, a record each.

    >>> print(ris([Publication("EP-0049154-A1", "A valve", {"applicants": ["Acme"]})]).splitlines()[:4])
    ['TY  - PAT', 'TI  - A valve', 'AU  - Acme', 'PB  - Acme']
    """
    return "".join(_ris(one) for one in publications)


def bibtex(publications: Iterable[Publication]) -> str:
    r"""Return publications as BibTeX. The entry type is @misc, because the standard styles know no patents.

    >>> print(bibtex([Publication("EP-0049154-A1", "A valve & a pump")]).splitlines()[1])
      title = {{A valve \& a pump}},
    """
    used: dict[str, int] = {}
    entries = []
    for one in publications:
        key = _UNSAFE.sub("-", one.id).strip("-") or "document"
        used[key] = used.get(key, 0) + 1
        entries.append(_bibtex(one, key if used[key] == 1 else f"{key}-{used[key]}"))
    return "\n".join(entries)


def _ris(one: Publication) -> str:
    data, number = one.metadata, parse_number(one.id)
    applicants, inventors = strings(data.get("applicants")), strings(data.get("inventors"))
    lines: list[tuple[str, str]] = [("TY", "PAT"), ("TI", one.title or one.id)]
    lines += [("AU", name) for name in inventors or applicants]
    lines += [("PB", name) for name in applicants[:1]]
    if found := _DATE.match(str(data.get("publication_date") or "")):
        year, month, day = (part or "" for part in found.groups())
        lines += [("PY", year), ("DA", f"{year}/{month}/{day}/")]
    if number:
        lines += [("PP", number.country)]
    lines += [("SN", one.id)]
    lines += [("KW", symbol) for symbol in strings(data.get("ipc"))]
    lines += [("UR", address) for address in public_links(one.id).values()]
    if one.note:
        lines.append(("N1", one.note))
    return "".join(f"{tag}  - {_BREAKS.sub(' ', value).strip()}\r\n" for tag, value in lines) + "ER  - \r\n\r\n"


def _bibtex(one: Publication, key: str) -> str:
    data, number = one.metadata, parse_number(one.id)
    applicants, inventors = strings(data.get("applicants")), strings(data.get("inventors"))
    values = {
        "title": f"{{{_tex(one.title or one.id)}}}",  # a second brace keeps capitals as they are
        "author": " and ".join(f"{{{_tex(name)}}}" for name in inventors or applicants),
        "howpublished": _tex(
            f"Patent {f'{number.country} {number.number} {number.kind}'.strip() if number else one.id}"
        ),
        "holder": " and ".join(f"{{{_tex(name)}}}" for name in applicants),
    }
    if found := _DATE.match(str(data.get("publication_date") or "")):
        values |= {"year": found[1], "date": found[0]}
    values["keywords"] = _tex(", ".join(strings(data.get("ipc"))))
    values["url"] = public_links(one.id).get("Espacenet", "")
    values["note"] = _tex(one.note)
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in values.items() if value)
    return f"@misc{{{key},\n{lines}}}\n"


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in _BREAKS.sub(" ", text).strip())
