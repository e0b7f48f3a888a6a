"""Files of patents in, numbered shards of patents in the shared folder out, with the sizes that plans are made from.

A worker reads a few neighbouring files at a time (one large file is read by one worker). The shards follow one another in
the order in which a local run reads the same input.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from sparse_coverage.cluster.connection import Cluster, ClusterError
from sparse_coverage.dataclass_json import from_json
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import InputError
from sparse_coverage.files import new_file, read_json, write_json
from sparse_coverage.patents import Patent, Problem, raise_problem, read_patents
from sparse_coverage.patents.passages import Duplicates
from sparse_coverage.patents.reading.context import Settings
from sparse_coverage.patents.reading.read import Outcome, carry_out_all, work_of
from sparse_coverage.patents.reading.sources import STDIN, SourceFile, expand, require_present
from sparse_coverage.progress import progress_bar
from sparse_coverage.text.languages import wanted_language

BATCH_BYTES = 2 << 20
"""Files are read in batches of about this size."""

Report = Callable[[Problem], None]
Measure = Callable[[Patent], tuple[int, ...]]
"""Says how large a document is, in whatever the plan counts. It is sent to the workers."""


@dataclass(frozen=True, slots=True)
class DocumentSize:
    """What a plan knows of a document: its id, its publication date, and its sizes."""

    id: str
    date: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """One of the named sources, as far as it lies in a batch: where it was named, and its files there."""

    name: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a batch: the documents of one shard, what could not be read, and which sources held anything."""

    documents: list[DocumentSize]
    problems: list[Problem]
    fruitful: list[str]


def read_shards(
    cluster: Cluster, folder: Path, paths: list[str], language: str, measure: Measure, report: Report | None
) -> Iterator[list[DocumentSize]]:
    """Read patents on the cluster into `folder`; yield the sizes of the documents of each shard, in order."""
    if STDIN in paths:
        raise InputError("A cluster cannot read standard input: give files that all nodes see.")
    require_present(paths)
    wanted = wanted_language(language)
    folder.mkdir(parents=True, exist_ok=True)
    batches = list(_batches(paths))
    fruitful = {name: False for name, _ in expand(paths)}
    home = str(Path.cwd())
    calls = ((str(shard_path(folder, number)), batch, home, wanted, measure) for number, batch in enumerate(batches))
    with progress_bar("Reading patents (batches)", len(batches)) as advance:
        for reading in cluster.run(read_batch, calls):
            _tell(reading.problems, report)
            fruitful.update(dict.fromkeys(reading.fruitful, True))
            advance()
            yield reading.documents
    for name in (name for name, held in fruitful.items() if not held):
        for _ in read_patents(
            name, language=language, on_problem=report or raise_problem
        ):  # says what is wrong with it
            pass


def read_batch(path: str, batch: list[SourceFiles], home: str, language: str, measure: Measure) -> Reading:
    """Read some files into one shard, on a worker."""
    target, facts = Path(path), Path(path).with_suffix(".json")
    if facts.exists():
        return _restored(read_json(facts))
    _go_to(home, batch)
    reading = Reading([], [], [])
    with new_file(target) as partial, partial.open("w", encoding="ascii") as stream:
        for source in batch:
            for outcome in _outcomes(source, language):
                if outcome.patent is not None:
                    patent = outcome.patent
                    stream.write(json.dumps(asdict(patent)) + "\n")
                    reading.documents.append(DocumentSize(patent.id, patent.publication_date, measure(patent)))
                if outcome.problem is not None:
                    reading.problems.append(outcome.problem)
                if (outcome.patent or outcome.problem) and source.name not in reading.fruitful:
                    reading.fruitful.append(source.name)
    write_json(facts, asdict(reading))
    return reading


def without_repeats(
    folder: Path, shards: Iterable[list[DocumentSize]], on_repeat: Callable[[str], None] | None
) -> Iterator[list[DocumentSize]]:
    """Take the documents whose id came before out of the shards; yield the sizes of the others. The first of each is kept."""
    seen = Duplicates()
    try:
        for number, documents in enumerate(shards):
            kept = [not (document.sizes and seen.add(document.id)) for document in documents]
            if not all(kept):
                _drop(shard_path(folder, number), kept)
            for document, keep in zip(documents, kept, strict=True):
                if not keep and on_repeat is not None:
                    on_repeat(document.id)
            yield [document for document, keep in zip(documents, kept, strict=True) if keep]
    finally:
        seen.close()


def _drop(path: Path, kept: list[bool]) -> None:
    """Write a shard again with only some of its documents. Its facts are written last: without them a shard is read again."""
    facts = path.with_suffix(".json")
    reading = read_json(facts)
    facts.unlink()
    with (
        new_file(path) as partial,
        path.open(encoding="ascii") as lines,
        partial.open("w", encoding="ascii") as stream,
    ):
        stream.writelines(line for line, keep in zip(lines, kept, strict=True) if keep)
    reading["documents"] = [one for one, keep in zip(reading["documents"], kept, strict=True) if keep]
    write_json(facts, reading)


def shard_path(folder: Path, number: int) -> Path:
    """Return where a shard lies."""
    return folder / f"{number:06d}.jsonl"


def documents_from(folder: Path, shard: int, document: int) -> Iterator[Patent]:
    """Yield the patents from a place on, through all the shards that follow."""
    while (path := shard_path(folder, shard)).exists():
        with path.open(encoding="ascii") as stream:
            for line in islice(stream, document, None):
                yield from_json(Patent, json.loads(line))
        shard, document = shard + 1, 0


def documents_at(folder: Path, places: Iterable[tuple[int, int]]) -> Iterator[Patent]:
    """Yield the patents at some places, (shard, document), which rise."""
    wanted: dict[int, list[int]] = {}
    for shard, document in places:
        wanted.setdefault(shard, []).append(document)
    for shard, numbers in wanted.items():
        chosen = frozenset(numbers)
        with shard_path(folder, shard).open(encoding="ascii") as stream:
            for number, line in enumerate(islice(stream, numbers[-1] + 1)):
                if number in chosen:
                    yield from_json(Patent, json.loads(line))


def input_digest(paths: list[str]) -> str:
    """Return what identifies the input of a run: its files, their sizes and times."""
    digest = sha256()
    for _, files in expand(paths):
        for found in files:
            status = _status(found.path)
            digest.update(f"{found.path}\n{status and (status.st_size, status.st_mtime_ns)}\n".encode(errors="replace"))
    return digest.hexdigest()


def _batches(paths: list[str]) -> Iterator[list[SourceFiles]]:
    every = ((name, found) for name, files in expand(paths) for found in files)
    for batch in windows(every, lambda one: _size(one[1].path), BATCH_BYTES):
        by_source: dict[str, list[SourceFile]] = {}
        for name, found in batch:
            by_source.setdefault(name, []).append(found)
        yield [SourceFiles(source, tuple(held)) for source, held in by_source.items()]


def _size(path: str) -> int:
    status = _status(path)
    return status.st_size if status else 0


def _status(path: str) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except OSError:
        return None


def _go_to(home: str, batch: list[SourceFiles]) -> None:
    """Let relative names, which become the documents' sources, mean here what they mean at home; miss no file."""
    wanted = [found.path for source in batch for found in source.files if not found.skipped]
    if Path(home).is_dir():
        os.chdir(home)
    for path in wanted:
        if not os.path.lexists(path):
            raise ClusterError(
                f"The node {platform.node()} does not see {path} (from {home}). All nodes must see the input under the same "
                "path: put it on shared storage, and name it by its full path."
            )


def _outcomes(source: SourceFiles, language: str) -> Iterator[Outcome]:
    settings = Settings(language)
    for found in source.files:
        yield from carry_out_all(work_of(found, settings), settings)


def _tell(problems: list[Problem], report: Report | None) -> None:
    for problem in problems:
        if report is None:
            raise InputError(str(problem))
        report(problem)


def _restored(facts: dict[str, Any]) -> Reading:
    return Reading(
        [DocumentSize(one["id"], one["date"], tuple(one["sizes"])) for one in facts["documents"]],
        [Problem(**problem) for problem in facts["problems"]],
        facts["fruitful"],
    )
