"""A project: every change is one transaction that is on the disk when the call returns, and none overwrites what it has not seen."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any

from sparse_coverage.charts.chart import Chart, Quote
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.dataclass_json import check_dataclass, from_json, require_depth
from sparse_coverage.errors import InputError
from sparse_coverage.projects.project_file import (
    execute,
    open_file,
    read_chart,
    read_content,
    read_draft,
    read_head,
    read_mark,
    read_ruling,
    read_search,
)
from sparse_coverage.projects.records import (
    Asked,
    Content,
    DocumentFacts,
    Draft,
    Head,
    KeptChart,
    Mark,
    RecordedResult,
    Ruling,
    SearchMade,
    StaleError,
)


class Project:
    """An open project; close it, or use it in a `with`.

        with ProjectFolder(Path("projects")).open(id_) as project:
            project.set_mark(Mark("demo", "EP-1-A1", "EP-1-A1", "relevant", version=0))

    A change names the version that it was made on; where that is not the last one any more, it is refused with a `StaleError`.
    """

    def __init__(self, path: Path) -> None:
        self.id = path.stem
        self._connection = open_file(path)

    def __enter__(self) -> Project:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def head(self) -> Head:
        """Return the name, the note and the revision."""
        return read_head(self._connection, self.id)

    def content(self, since: int = -1, *, whole: bool = False) -> Content:
        """Return what changed after a revision, or everything. Results of searches and charts are left out unless `whole`."""
        with self._reading():
            return read_content(self._connection, self.id, since, whole)

    def search(self, number: int) -> SearchMade:
        """Return a search that was made, with what it found."""
        return read_search(self._connection, number)

    def chart(self, number: int) -> KeptChart:
        """Return a chart that was made."""
        return read_chart(self._connection, number)

    def rename(self, name: str, note: str, version: int) -> Head:
        """Change the name and the note."""
        with self._change() as revision:
            head = self.head()
            if head.version != version:
                raise StaleError(f"The project '{head.name}'", head)
            check_dataclass(replace(head, name=name.strip(), note=note))
            self._write("UPDATE project SET name = ?, note = ?, version = ?", (name.strip(), note, revision))
        return self.head()

    def keep_draft(self, content: Mapping[str, Any], version: int) -> Draft:
        """Keep what stands in the form."""
        text = _json(content, "The draft")
        with self._change() as revision:
            current = read_draft(self._connection)
            if current.version != version:
                raise StaleError("The claim in the form", current)
            self._write("REPLACE INTO draft VALUES (1, ?, ?)", (text, revision))
        return Draft(content, revision)

    def set_mark(self, mark: Mark, facts: DocumentFacts | None = None) -> Mark:
        """Set what a user says about a document or passage, made on `mark.version` (0: there was none)."""
        check_dataclass(mark)
        with self._change() as revision:
            current = read_mark(self._connection, mark.index, mark.id) or replace(
                mark, mark=None, note="", category=None, version=0
            )
            if current.version != mark.version:
                raise StaleError(f"The mark of {mark.id}", current)
            made = replace(mark, version=revision, changed=now())
            passage = _json(asdict(made.passage)) if made.passage else None
            self._write(
                f"REPLACE INTO marks VALUES ({_places(9)})",
                (
                    made.index,
                    made.id,
                    made.document,
                    made.mark,
                    made.note,
                    made.category,
                    passage,
                    made.version,
                    made.changed,
                ),
            )
            self._remember([facts] if facts else [])
        return made

    def overrule(self, ruling: Ruling) -> Ruling:
        """Set a user's own verdict on a cell of a chart, made on `ruling.version` (0: there was none)."""
        check_dataclass(ruling)
        with self._change() as revision:
            place = (ruling.index, ruling.element, ruling.document)
            current = read_ruling(self._connection, *place) or replace(
                ruling, verdict=None, note="", quote=None, version=0
            )
            if current.version != ruling.version:
                raise StaleError(f"The verdict on {ruling.document}", current)
            made = replace(ruling, version=revision, changed=now())
            self._write(
                f"REPLACE INTO rulings VALUES ({_places(8)})",
                (*place, made.verdict, made.note, _optional(made.quote), made.version, made.changed),
            )
        return made

    def add_search(self, index: str, request: Mapping[str, Any], result: Mapping[str, Any]) -> SearchMade:
        """Add a search that was made to the history."""
        hits = _found(request, result, "The search").hits
        with self._change() as revision:
            made = now()
            number = self._write(
                "INSERT INTO searches (made, index_name, request, documents, result, version) VALUES (?, ?, ?, ?, ?, ?)",
                (made, index, _json(request), len(hits), _json(result), revision),
            ).lastrowid
            self._remember(DocumentFacts(index, hit.document, hit.title, hit.metadata) for hit in hits)
        return SearchMade(number or 0, made, index, request, len(hits), result, revision)

    def add_chart(
        self,
        index: str,
        request: Mapping[str, Any],
        chart: Mapping[str, Any],
        combinations: Mapping[str, Any] | None = None,
    ) -> KeptChart:
        """Keep a chart that was made, and the combinations where it was made for these."""
        columns = _charted(request, chart, combinations, "The chart").documents
        with self._change() as revision:
            made = now()
            together = _json(combinations) if combinations is not None else None
            number = self._write(
                "INSERT INTO charts (made, index_name, request, chart, combinations, version) VALUES (?, ?, ?, ?, ?, ?)",
                (made, index, _json(request), _json(chart), together, revision),
            ).lastrowid
            self._remember(DocumentFacts(index, one.id, one.title, one.metadata) for one in columns)
        return KeptChart(number or 0, made, index, request, chart, combinations, revision)

    def fill(self, content: Content) -> None:
        """Put all that another project held into this one, which must be empty, in one step."""
        check_content(content)
        with self._change() as revision:
            if revision != 1:
                raise InputError("Only an empty project can be filled.")
            head = content.head
            self._write(
                "UPDATE project SET name = ?, note = ?, created = ?, version = ?, revision = ?",
                (head.name, head.note, head.created, head.version, max(head.revision, revision)),
            )
            self._write(
                "REPLACE INTO draft VALUES (1, ?, ?)", (_json(content.draft.content, "draft"), content.draft.version)
            )
            for made in content.searches:
                row = (
                    made.number,
                    made.made,
                    made.index,
                    _json(made.request),
                    made.documents,
                    _json(made.result),
                    made.version,
                )
                self._write("INSERT INTO searches VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            for mark in content.marks:
                passage = _json(asdict(mark.passage)) if mark.passage else None
                said = (mark.index, mark.id, mark.document, mark.mark, mark.note, mark.category, passage)
                self._write(f"INSERT INTO marks VALUES ({_places(9)})", (*said, mark.version, mark.changed))
            for one in content.rulings:
                cell = (one.index, one.element, one.document, one.verdict, one.note, _optional(one.quote))
                self._write(f"INSERT INTO rulings VALUES ({_places(8)})", (*cell, one.version, one.changed))
            for kept in content.charts:
                together = _json(kept.combinations) if kept.combinations is not None else None
                chart = (
                    kept.number,
                    kept.made,
                    kept.index,
                    _json(kept.request),
                    _json(kept.chart),
                    together,
                    kept.version,
                )
                self._write("INSERT INTO charts VALUES (?, ?, ?, ?, ?, ?, ?)", chart)
            self._remember(content.documents)

    def _write(self, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
        return execute(self._connection, statement, values)

    def _remember(self, documents: Iterable[DocumentFacts]) -> None:
        for one in documents:
            self._write(
                "REPLACE INTO documents VALUES (?, ?, ?, ?)", (one.index, one.id, one.title, _json(one.metadata))
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """One view of the file for several reads."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("COMMIT")

    @contextmanager
    def _change(self) -> Iterator[int]:
        """One change: gives its revision, and all of it is written or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.execute("UPDATE project SET revision = revision + 1, changed = ?", (now(),))
            yield int(self._connection.execute("SELECT revision FROM project").fetchone()[0])
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def now() -> str:
    """Return the time as projects keep it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def check_content(content: Content) -> None:
    """Check what searches and charts are kept with: what `from_json` cannot, since it takes any plain values for them."""
    require_depth(content.draft.content, "draft")
    for place, search in enumerate(content.searches):
        _found(search.request, search.result, f"searches[{place}]")
    for place, chart in enumerate(content.charts):
        _charted(chart.request, chart.chart, chart.combinations, f"charts[{place}]")


def _found(request: Mapping[str, Any], result: Mapping[str, Any], where: str) -> RecordedResult:
    """Check what a search is kept with, and return what it found."""
    from_json(Asked, request, f"{where}.request")
    found = from_json(RecordedResult, result, f"{where}.result")
    for hit in found.hits:
        check_dataclass(DocumentFacts("-", hit.document, hit.title, hit.metadata))
    return found


def _charted(
    request: Mapping[str, Any], chart: Mapping[str, Any], combinations: Mapping[str, Any] | None, where: str
) -> Chart:
    """Check what a chart is kept with, and return the chart."""
    from_json(Asked, request, f"{where}.request")
    made = from_json(Chart, chart, f"{where}.chart")
    for column in made.documents:
        check_dataclass(DocumentFacts("-", column.id, column.title, column.metadata))
    if combinations is not None:
        from_json(Combinations, combinations, f"{where}.combinations")
    return made


def _places(count: int) -> str:
    return ", ".join("?" * count)


def _optional(value: Quote | None) -> str | None:
    return None if value is None else _json(asdict(value))


def _json(value: Any, where: str = "It") -> str:
    require_depth(value, where)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise InputError(f"{where} holds a number that is infinite or none at all.") from None
