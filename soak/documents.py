"""What the soak indexes and asks for: documents of made-up words, each in as many versions as are wanted, and bodies of requests."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from sparse_coverage.patents import Patent, read_patents

Version = tuple[int, int]
"""The number of a document, and which version of it."""
State = tuple[Version, ...]
"""What an index holds, in its order."""
_SYLLABLES = "bran clo dri fol gra hin jol kel lum mor nep pol quor rud sil tav".split()
_RANKINGS = ("combined", "combined", "combined", "centers", "words", "vectors")


def id_of(number: int) -> str:
    """Return the publication number of a document."""
    return f"EP-{1000000 + number}-A1"


def record_of(version: Version) -> dict[str, Any]:
    """Return a document as a line of JSON lines. Its features are drawn from few words, so that documents share some."""
    number, edition = version
    chance = Random(f"{number} {edition}")
    named = [_feature(chance) for _ in range(chance.randint(2, 4))]
    return {
        "id": id_of(number),
        "title": title_of(version),
        "abstract": f"A device with a {named[0]} for the {_word(chance)} of pumps.",
        "claims": [f"1. A device comprising: {'; '.join(f'a {one}' for one in named)}."],
        "description": [
            f"The device has a {one} which is arranged on the frame. It serves the user for {place} years."
            for place, one in enumerate(named, 1)
        ],
        "publication_date": f"{1990 + number % 25}-06-15",
        "ipc": ["F16K 31/06"] if number % 2 else ["H04N 5/44", "G06F 3/01"],
        "applicants": ["Pump Works"] if number % 3 else ["Valve Works"],
        "language": "en",
    }


def title_of(version: Version) -> str:
    """Return the title of a document, which says its version."""
    return f"Device {version[0]}, version {version[1]}"


def version_of(title: str) -> Version:
    """Return which version of which document has a title."""
    words = title.replace(",", "").split()
    return int(words[1]), int(words[3])


@lru_cache(4096)
def patent_of(version: Version) -> Patent:
    """Return a document as everything here reads it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "document.jsonl"
        path.write_text(json.dumps(record_of(version)) + "\n", encoding="utf-8")
        [patent] = read_patents(path, language="any")
    return patent


def claim(chance: Random) -> str:
    """Return a claim that some documents disclose in part."""
    return f"A device comprising: {'; '.join(f'a {_feature(chance)}' for _ in range(chance.randint(1, 4)))}."


def request(chance: Random, seen: list[str]) -> tuple[str, dict[str, Any]]:
    """Return a request at random, as the last part of its address and its body. `seen`: passages that were found before."""
    kind = chance.choice(
        ["search"] * 5 + ["batch", "explain", "explain", "chart", "combine", "read", "similar", "feedback"]
    )
    if kind in ("explain", "read", "similar", "feedback") and not seen:
        kind = "search"
    asked: dict[str, Any] = {"filters": _filters(chance)}
    if kind in ("search", "batch", "feedback", "similar"):
        asked |= {"k": chance.randint(1, 12), "passages": chance.randint(1, 3)}
    if kind in ("search", "feedback", "similar"):
        asked |= {"facets": chance.random() < 0.2, "reasons": chance.random() < 0.7}
    if kind in ("search", "batch", "explain", "similar"):
        asked |= {"ranking": chance.choice(_RANKINGS)}
    if kind in ("search", "explain", "feedback"):
        asked |= {"query": claim(chance)}
    if kind in ("explain", "similar"):
        passage = chance.choice(seen)
        asked |= {"id": passage.split("/")[0] if kind == "similar" or chance.random() < 0.3 else passage}
    if kind == "batch":
        asked |= {"queries": {f"q{number}": claim(chance) for number in range(chance.randint(1, 5))}}
    if kind == "feedback":
        asked |= {"marks": {"relevant": [chance.choice(seen)], "not_relevant": []}}
    if kind in ("chart", "combine"):
        asked |= {"claim": claim(chance)} | ({"k": chance.randint(1, 4)} if kind == "chart" else {"top": 12})
    if kind == "read":
        asked = {"id": chance.choice(seen).split("/")[0], "claim": claim(chance)}
    return kind, asked


def _filters(chance: Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if chance.random() < 0.2:
        found["before"] = f"{chance.randint(1991, 2014)}"
    if chance.random() < 0.1:
        found["filter"] = chance.choice(["ipc:F16K", "not ipc:H04N", "applicant:pump", "country:EP"])
    if chance.random() < 0.1:
        found["must"] = [_word(chance)]
    return found


def _feature(chance: Random) -> str:
    return f"{_word(chance)} {_word(chance)}"


def _word(chance: Random) -> str:
    return chance.choice(_SYLLABLES) + chance.choice(_SYLLABLES)
