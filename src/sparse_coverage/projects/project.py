"""A project: every change is one transaction that is on the disk when the call returns, and none overwrites what it has not seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from sparse_coverage.charts.chart import Chart
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.dataclass_json import check_dataclass, from_json, require_depth
from sparse_coverage.errors import InputError
from sparse_coverage.projects.project_file import (
    execute,
    json_text,
    next_number,
    open_file,
    read_content,
    read_draft,
    read_head,
    read_numbered,
    read_record,
    write_record,
)
from sparse_coverage.projects.records import (
    Asked,
    Content,
    DocumentFacts,
    Draft,
    Head,
    KeptChart,
    Mark,
    ProjectClaim,
    RecordedResult,
    Ruling,
    SearchMade,
    StaleError,
)

M = TypeVar("M", Mark, Ruling)
_WORD = re.compile(r"\w+")
_SAME = 0.5
"""A text is the claim of another with which it shares so much: words may be changed, claims added and left out."""


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
        return read_numbered(self._connection, SearchMade, number)

    def chart(self, number: int) -> KeptChart:
        """Return a chart that was made."""
        return read_numbered(self._connection, KeptChart, number)

    def rename(self, name: str, note: str, version: int) -> Head:
        """Change the name and the note."""
        with self._change() as revision:
            head = self.head()
            if head.version != version:
                raise StaleError(f"The project '{head.name}'", head)
            check_dataclass(replace(head, name=name.strip(), note=note))
            execute(
                self._connection, "UPDATE project SET name = ?, note = ?, version = ?", (name.strip(), note, revision)
            )
        return self.head()

    def keep_draft(self, content: Mapping[str, Any], version: int) -> Draft:
        """Keep what stands in the form."""
        text = json_text(content, "The draft")
        with self._change() as revision:
            current = read_draft(self._connection)
            if current.version != version:
                raise StaleError("The claim in the form", current)
            execute(self._connection, "REPLACE INTO draft VALUES (1, ?, ?)", (text, revision))
        return Draft(content, revision)

    def set_mark(self, mark: Mark, facts: DocumentFacts | None = None) -> Mark:
        """Set what a user says about a document or passage, made on `mark.version` (0: there was none)."""
        nothing = replace(mark, mark=None, note="", category=None, version=0)
        key: dict[str, str | int] = {"claim": mark.claim, "index": mark.index, "id": mark.id}
        return self._set(mark, nothing, f"The mark of {mark.id}", key, [facts] if facts else [])

    def overrule(self, ruling: Ruling) -> Ruling:
        """Set a user's own verdict on a cell of a chart, made on `ruling.version` (0: there was none)."""
        nothing = replace(ruling, verdict=None, note="", quote=None, version=0)
        key: dict[str, str | int] = {
            "claim": ruling.claim,
            "index": ruling.index,
            "element": ruling.element,
            "document": ruling.document,
        }
        return self._set(ruling, nothing, f"The verdict on {ruling.document}", key)

    def _set(
        self, said: M, nothing: M, what: str, key: Mapping[str, str | int], documents: Iterable[DocumentFacts] = ()
    ) -> M:
        """Write what a user says, unless something else than what it was made on is there now."""
        check_dataclass(said)
        with self._change() as revision:
            current = read_record(self._connection, type(said), **key) or nothing
            if current.version != said.version:
                raise StaleError(what, current)
            made = replace(said, version=revision, changed=now())
            self._write([made, *documents])
        return made

    def add_search(self, index: str, request: Mapping[str, Any], result: Mapping[str, Any]) -> SearchMade:
        """Add a search that was made to the history."""
        found = _found(request, result, "The search")
        of_claim = request.get("query") or request.get("like")
        text, hits = request.get("claim") or (found.query if of_claim else ""), found.hits
        with self._change() as revision:
            number = next_number(self._connection, SearchMade)
            made = SearchMade(number, now(), index, request, len(hits), result, revision, self._claim(text, revision))
            self._write([made, *(DocumentFacts(index, hit.document, hit.title, hit.metadata) for hit in hits)])
        return made

    def add_chart(
        self,
        index: str,
        request: Mapping[str, Any],
        chart: Mapping[str, Any],
        combinations: Mapping[str, Any] | None = None,
    ) -> KeptChart:
        """Keep a chart that was made, and the combinations where it was made for these."""
        charted = _charted(request, chart, combinations, "The chart")
        columns, text = charted.documents, request.get("claim") or "\n".join(claim.text for claim in charted.claims)
        with self._change() as revision:
            number = next_number(self._connection, KeptChart)
            claim = self._claim(text, revision)
            made = KeptChart(number, now(), index, request, chart, combinations, revision, claim)
            self._write([made, *(DocumentFacts(index, one.id, one.title, one.metadata) for one in columns)])
        return made

    def claim_of(self, text: str) -> int:
        """Return the number of the claim that a text is, changed a little or a part of it; 0 for one that the project does not have."""
        known = self._connection.execute("SELECT text, number FROM claims ORDER BY version")
        shared, number = max(((_shared(text, one), number) for one, number in known), default=(0.0, 0))
        return number if shared >= _SAME else 0

    def _claim(self, text: str, revision: int) -> int:
        """Return the number of the claim that a text is, kept as it is now; 0 for no text."""
        if not text.strip():
            return 0
        number = self.claim_of(text) or next_number(self._connection, ProjectClaim)
        self._write([ProjectClaim(number, text, revision)])
        return number

    def fill(self, content: Content) -> None:
        """Put all that another project held into this one, which must be empty, in one step."""
        check_content(content)
        with self._change() as revision:
            if revision != 1:
                raise InputError("Only an empty project can be filled.")
            head, draft = content.head, content.draft
            execute(
                self._connection,
                "UPDATE project SET name = ?, note = ?, created = ?, version = ?, revision = ?",
                (head.name, head.note, head.created, head.version, max(head.revision, revision)),
            )
            row = (json_text(draft.content, "draft"), draft.version)
            execute(self._connection, "REPLACE INTO draft VALUES (1, ?, ?)", row)
            self._write(
                [*content.claims, *content.searches, *content.marks, *content.rulings, *content.charts], new=True
            )
            self._write(content.documents)

    def _write(self, records: Iterable[Any], *, new: bool = False) -> None:
        for one in records:
            write_record(self._connection, one, new=new)

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


def _shared(one: str, other: str) -> float:
    """Return which share of the runs of three words of the shorter text stands in the longer one."""
    runs = []
    for words in (_WORD.findall(one.lower()), _WORD.findall(other.lower())):
        runs.append(set(zip(words, words[1:], words[2:], strict=False)) or {tuple(words)})
    return len(runs[0] & runs[1]) / min(map(len, runs))


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
