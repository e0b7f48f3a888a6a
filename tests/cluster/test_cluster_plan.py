"""How work is cut for a cluster. Needs no Ray."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.cluster import indexing as planning
from sparse_coverage.cluster.documents import (
    DocumentSize,
    SourceFiles,
    documents_at,
    documents_from,
    read_batch,
    shard_path,
)
from sparse_coverage.cluster.indexing import make_plan
from sparse_coverage.patents import Patent, read_patents
from sparse_coverage.patents.reading.sources import SourceFile

documents = st.lists(st.lists(st.integers(0, 40), max_size=5), max_size=40)


def shards(sizes: list[list[int]], length: int) -> list[list[DocumentSize]]:
    listed = [DocumentSize(str(number), "", tuple(one)) for number, one in enumerate(sizes)]
    return [listed[top : top + length] for top in range(0, len(listed), length)]


@given(sizes=documents, length=st.integers(1, 9))
def test_runs_end_where_the_windows_of_one_long_stream_end(sizes: list[list[int]], length: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "WINDOW_TOKENS", 50)
        patch.setattr(planning, "WINDOWS_PER_RUN", 2)
        runs = make_plan(shards(sizes, length)).runs
    windows, held = [], 0
    places = []  # of every passage: its window, its document, its number in the document
    for document, passages in enumerate(sizes):
        for passage, tokens in enumerate(passages):
            places.append((len(windows), document, passage))
            held += max(1, tokens)
            if held >= 50:
                windows.append(held)
                held = 0
    expected = [list(run) for _, run in groupby(places, key=lambda place: place[0] // 2)]
    assert [run.passages for run in runs] == [len(places) for places in expected]
    assert [run.first for run in runs] == [sum(map(len, expected[:number])) for number in range(len(expected))]
    assert [(run.shard * length + run.document, run.passage) for run in runs] == [places[0][1:] for places in expected]


@given(sizes=documents, length=st.integers(1, 9))
def test_segments_hold_whole_documents_and_as_many_as_fit(sizes: list[list[int]], length: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "MAX_PASSAGES", 7)
        plan = make_plan(shards(sizes, length))
    cut: list[list[int]] = [[]]
    for one in map(len, sizes):
        if sum(cut[-1]) + one > 7:
            cut.append([])
        cut[-1].append(one)
    expected = [sum(one) for one in cut if sum(one)]
    assert [part.passages for part in plan.parts] == expected
    for part in plan.parts:
        first = part.shard * length + part.document
        assert sum(map(len, sizes[:first])) == part.first
        assert sum(map(len, sizes[first : first + part.documents])) == part.passages
        covering = [plan.runs[run] for run in plan.runs_of(part)]
        assert covering[0].first <= part.first
        assert covering[-1].first + covering[-1].passages >= part.first + part.passages


def test_patents_come_back_from_a_shard_as_they_were_read(collection: Path, tmp_path: Path) -> None:
    files = sorted(collection.iterdir())
    for number, file in enumerate(files):
        batch = [SourceFiles(str(collection), (SourceFile(str(file)),))]
        reading = read_batch(str(shard_path(tmp_path, number)), batch, str(Path.cwd()), "en", title_length)
        again = read_batch(str(shard_path(tmp_path, number)), [], "/nowhere", "en", title_length)
        assert reading == again
        assert len(reading.problems) == (1 if number == 1 else 0)
    expected = list(read_patents(collection, on_problem=lambda problem: None))
    assert list(documents_from(tmp_path, 0, 0)) == expected
    assert list(documents_from(tmp_path, 1, 3)) == expected[123:]
    assert list(documents_at(tmp_path, [(0, 2), (2, 0), (2, 7)])) == [expected[2], expected[241], expected[248]]
    assert {type(getattr(expected[0], field.name)) for field in fields(Patent)} == {str, tuple}


def title_length(patent: Patent) -> tuple[int, ...]:
    return (len(patent.title),)
