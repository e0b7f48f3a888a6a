"""Canonical XPaths: one spelling for every place in a patent, the one that CLEF-IP judgements use.

Judgements write the same place as `/patent-document/abstract/p[1]`, `/patent-document[1]/abstract[1]/p[1]` or, for a
single element, `/patent-document/abstract/p`. Only one part of each kind is read (the one in the wanted language), so the
index of the part says nothing; the index of the paragraph or claim always does.
"""

from __future__ import annotations

import re

from sparse_coverage.errors import InputError

ROOT = "patent-document"
_PARTS = frozenset({"abstract", "description", "claims"})
# `//patent-document` is the root as well, and a slash at the end adds nothing.
_EDGES = re.compile(rf"^//?(?={ROOT}\b)|^/|/$")
_STEP = re.compile(r"([A-Za-z_][\w.-]*)(?:\[(\d{1,9})\])?")


def canonical_xpath(xpath: str) -> str:
    """Bring a judged XPath to its canonical form.

    >>> canonical_xpath("/patent-document[1]/abstract[1]/p")
    '/patent-document/abstract/p[1]'
    >>> canonical_xpath("description/p[16]")
    '/patent-document/description/p[16]'
    """
    steps = []
    for step in _EDGES.sub("", xpath.strip()).split("/"):
        match = _STEP.fullmatch(step.strip())
        misspelled_root = match is not None and match[1].lower() == ROOT != match[1]  # names are case-sensitive in XML
        if match is None or misspelled_root or (match[2] is not None and int(match[2]) < 1):
            raise InputError(
                f"not an XPath of a passage: {xpath!r}. Expected a form like /patent-document/description/p[16]."
            )
        steps.append((match[1], int(match[2] or 1)))
    if steps[0][0] == ROOT:
        del steps[0]
    names = [ROOT]
    for depth, (name, index) in enumerate(steps):
        names.append(name if depth == 0 and name in _PARTS else f"{name}[{index}]")
    return "/" + "/".join(names)


def passage_xpath(part: str, leaf: str, index: int) -> str:
    """Return the canonical XPath of a paragraph or claim: `/patent-document/description/p[16]`."""
    return f"/{ROOT}/{part}/{leaf}[{index}]"


def passage_id(document: str, xpath: str) -> str:
    """Return the id of a passage: the document's id, then the canonical XPath without its root."""
    return document + xpath.removeprefix(f"/{ROOT}")
