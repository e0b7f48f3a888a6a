"""The XML formats, told apart by their root element. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import ep, marec, uspto, uspto_until_2004, wipo
from sparse_coverage.patents.reading.context import ReadContext


@dataclass(frozen=True, slots=True)
class XmlFormat:
    """A name for people, and the function that reads one document from its root element."""

    name: str
    read: Callable[[Any, ReadContext], Patent]


XML_FORMATS: Mapping[str, XmlFormat] = {
    "patent-document": XmlFormat("CLEF-IP / MAREC", marec.read),
    "ep-patent-document": XmlFormat("EPO ST.36", ep.read),
    "us-patent-grant": XmlFormat("USPTO grant", uspto.read),
    "us-patent-application": XmlFormat("USPTO application", uspto.read),
    "PATDOC": XmlFormat("USPTO grant 2.x", uspto_until_2004.read_grant),
    "patent-application-publication": XmlFormat("USPTO application 1.x", uspto_until_2004.read_application),
    "wo-published-application": XmlFormat("WIPO", wipo.read),
}
