"""USPTO grants of 2001 to 2004 (v2.4, v2.5): `PATDOC`, whose names come from SGML days."""

from __future__ import annotations

import re
from typing import Any

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.body import read_claims
from sparse_coverage.patents.readers.english_only import LANGUAGE, require_english, section_paragraphs
from sparse_coverage.patents.readers.text import element_text
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date, publication_id

_UNSLASHED = re.compile(r"\s*([A-H]\d{2}[A-Z])\s*(\d{1,2})(\d{2})\s*")


def read(root: Any, context: ReadContext) -> Patent:
    """Read one grant."""
    data = root.find("SDOBI")
    data = root if data is None else data
    kind = _value(data, "B100/B130")
    document = publication_id("US", _value(data, "B100/B110"), kind)
    require_english(context, document)
    title = data.find("B500/B540")
    priorities = [iso_date(compact(element_text(e))) for e in data.iterfind("B300/B320")]
    priorities += [iso_date(compact(element_text(e))) for e in data.iterfind("B600//PARENT-US//DATE")]
    return Patent(
        id=document,
        title=element_text(title) if title is not None else "",
        abstract=section_paragraphs(root, "SDOAB", "abstract", "PARA"),
        claims=read_claims(root.iterfind("SDOCL//CLM")),
        description=section_paragraphs(root, "SDODE", "description", "PARA"),
        country="US",
        kind=kind,
        language=LANGUAGE,
        publication_date=iso_date(_value(data, "B100/B140")),
        application_date=iso_date(_value(data, "B200/B220")),
        priority_date=min(filter(None, priorities), default=""),
        ipc=distinct(_class(element_text(e)) for e in data.iterfind("B500/B510/*")),
        applicants=distinct(_party_name(e) for e in data.iterfind("B700/B730//NAM")),
        citations=distinct(_citation(e) for e in data.iterfind("B500/B560/B561/PCIT/DOC")),
        source=context.file,
    )


def _value(data: Any, path: str) -> str:
    element = data.find(path)
    return "" if element is None else compact(element_text(element))


def _class(text: str) -> str:
    """Read `E03C 104`, which leaves out the slash of E03C 1/04. With more digits the cut would be a guess."""
    match = _UNSLASHED.fullmatch(text)
    return f"{match[1]} {int(match[2])}/{match[3]}" if match else class_symbol(text)


def _party_name(name: Any) -> str:
    parts = (name.find(tag) for tag in ("ONM", "SNM", "FNM"))
    return ", ".join(element_text(part) for part in parts if part is not None)


def _citation(cited: Any) -> str:
    return publication_id(*(_value(cited, tag) or ("US" if tag == "CTRY" else "") for tag in ("CTRY", "DNUM", "KIND")))
