"""What is fuzzed: each target takes any bytes. Only errors that the package raises on purpose may come out, and what is read must hold.

Run one for ten minutes with `python fuzz/run.py readers --minutes 10`, or all with `make fuzz`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from io import StringIO
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
from file_targets import calibrations, models, project_files, projects
from service_target import rest, tools

from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.quantities import DocumentQuantities, compare, quantities
from sparse_coverage.dataclass_json import plain_json
from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexWriter,
    PassageRecord,
    allowed_passages,
    open_store,
    parse_filter,
)
from sparse_coverage.patents import passages, read_patents
from sparse_coverage.patents.claims import claim_elements, expand_claim
from sparse_coverage.patents.numbers import parse_number, printed_id, spellings
from sparse_coverage.patents.queries import file_query
from sparse_coverage.present.pages import render
from sparse_coverage.present.terminal import hits_text
from sparse_coverage.printing import console, harmless, visible
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.text import comparable, index_terms, stems, term_places
from sparse_coverage.text import words as all_words
from sparse_coverage.text.letters import aligned
from sparse_coverage.text.sentences import cut_text
from sparse_coverage.vectors import SparseVector

CENTERS = 20


def readers(data: bytes) -> None:
    """Any file: patents, notes and problems come out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        for patent in read_patents(path, language="any", on_problem=_unheard, on_note=_unheard):
            for passage in passages(patent):
                assert passage.text.strip()
                assert passage.id.startswith(patent.id)


def queries(data: bytes) -> None:
    """Any file as a query."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "query"
        path.write_bytes(data)
        assert isinstance(file_query(path).text, str)


def claims(data: bytes) -> None:
    """Any text as claims: elements follow one another, and their offsets are true."""
    text = _text(data)
    given = read_claims(text)
    for claim in given:
        assert all(one.number <= claim.number for one in expand_claim(given, claim.number))
        end = 0
        for element in claim_elements(claim.text):
            assert claim.text[element.start : element.end] == element.text
            assert end <= element.start
            end = element.end
    for element in chart_elements(given):
        assert element.text.strip()


def sentences(data: bytes) -> None:
    """Any text is cut into pieces that follow one another, and numbers in it are read."""
    text = _text(data)
    pieces = cut_text(text, 20)
    assert all(start < end for start, end in pieces) or not text
    assert all(one[1] <= other[0] for one, other in pairwise(pieces))
    found = quantities(text)
    compare(text, found, DocumentQuantities([text]), lambda stem: 1.0)


def words(data: bytes) -> None:
    """Any text as words: they stand where they say, and are those that are compared."""
    text = _text(data)
    plain, places = aligned(text)
    assert plain == comparable(text)
    assert places is None or (len(places) == len(plain) + 1 and places == sorted(places))
    found = all_words(text)
    assert all(word.text and text[word.start : word.end] == word.text for word in found)
    assert len(found) == len(all_words(plain))
    assert sum(map(len, term_places(text).values())) == len(index_terms(text))
    stems(text)


def printing(data: bytes) -> None:
    """Any text as what a document holds: it does nothing to a terminal, a log or a page, and JSON has it as it is."""
    text = _text(data, "surrogatepass") or " "
    screen = StringIO()
    hit = Hit(text, text, 1.0, {"ipc": [text]}, (PassageHit(text, text, "claims", text, 1.0, "1"),))
    with patch.object(sys, "stdout", screen):
        console().print(hits_text([hit], {}), highlight=False)
    for shown in (
        screen.getvalue(),
        visible(text),
        harmless(text),
        render("experiments.html", title=text, names=[], sections=[]),
    ):
        assert harmless(shown) == shown, shown
    assert json.loads(plain_json({"title": text})) == {"title": json.loads(json.dumps(text))}


def filters(data: bytes) -> None:
    """Any text as a filter: what can be read can also be asked of an index."""
    store = open_store(_made_index())
    assert len(allowed_passages(store, parse_filter(_text(data)))) == store.size


def numbers(data: bytes) -> None:
    """Any text as a publication number: an id is its own id, and all spellings mean the same."""
    text = _text(data)
    found = parse_number(text)
    if found is not None:
        assert parse_number(str(found)) == found
        assert all(spelling for spelling in spellings(text))
    assert printed_id(printed_id(text)) == printed_id(text)


def index(data: bytes) -> None:
    """An index with some bytes changed: all of it is read, or the damage is told."""
    if len(data) < 6:
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        shutil.copytree(_made_index(), copy)
        files = [path for path in sorted(copy.rglob("*")) if path.is_file() and path.stat().st_size]
        path = files[data[0] % len(files)]
        content = bytearray(path.read_bytes())
        place = int.from_bytes(data[1:4], "little") % len(content)
        if data[4] % 4 == 0:
            del content[place:]
        else:
            content[place : place + len(data) - 5] = data[5:]
        path.write_bytes(content)
        store = open_store(copy)
        for segment in store.segments:
            segment.find(np.arange(CENTERS), 0, len(segment))
            for number in range(len(segment)):
                segment.texts.passage(number)
            for number in range(segment.entry.documents):
                segment.texts.document(number)
        store.find_document("EP-3-A1")
        allowed_passages(store, parse_filter("country:EP ipc:H04N text:valve"))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "readers": readers,
    "queries": queries,
    "claims": claims,
    "sentences": sentences,
    "words": words,
    "printing": printing,
    "filters": filters,
    "numbers": numbers,
    "index": index,
    "rest": rest,
    "tools": tools,
    "projects": projects,
    "project_files": project_files,
    "models": models,
    "calibrations": calibrations,
}


def run(name: str, data: bytes) -> None:
    """Run a target. The errors of the package are what a user should see, so they are no finding."""
    try:
        TARGETS[name](data)
    except SparseCoverageError as error:
        if not str(error).strip():
            raise AssertionError("an error that says nothing") from error


@lru_cache(1)
def _made_index() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-index-")) / "index"
    random = np.random.default_rng(0)
    with IndexWriter.create(folder, CENTERS, {}) as writer:
        for number in range(8):
            id_ = f"EP-{number}-A1"
            metadata = {"ipc": ["H04N 5/44"], "publication_date": f"200{number}-05-17", "applicants": ["Pump Works"]}
            found = []
            for place in range(3):
                centers = np.sort(random.choice(CENTERS, 6, replace=False)).astype(np.int32)
                vector = SparseVector(centers, random.random(6).astype(np.float32), centers, centers, centers + 1, 6, 0)
                text = f"A valve with a plunger and {place} springs of pump {number}."
                found.append(IndexedPassage(PassageRecord(f"{id_}/claims/{place}", id_, "claims", text), vector))
            writer.add(DocumentRecord(id_, f"Valve {number}", metadata), found)
        writer.commit()
    return folder


def _text(data: bytes, errors: str = "replace") -> str:
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _unheard(_: object) -> None:
    """Take what is told, and do nothing."""
