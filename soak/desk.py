"""One who works on a project: marks, notes, searches and charts kept, reports in every format, exports imported again."""

from __future__ import annotations

import io
import json
import zipfile
from random import Random
from time import monotonic, sleep
from typing import Any

import httpx
from asking import send
from documents import claim, id_of
from truth import NAME
from world import BOUND, World

_KINDS = ("docx", "xlsx", "csv", "html", "json", "ris", "bib")
_UPLOAD = {"x-sparse-coverage": "1"}
_LIFE = 240
"""So many steps a project lives, so that the disk holds it."""


class Desk:
    """A project, and what must be in it: a mark and a note a document, with all that was acknowledged."""

    def __init__(self, world: World, client: httpx.Client) -> None:
        self._world, self._client = world, client
        self._chance = Random(f"{world.seed} desk")
        self._id = ""
        self._marks: dict[str, dict[str, Any]] = {}
        self._unsure: dict[str, dict[str, Any]] = {}
        self._searches = 0
        self._step = 0

    def work(self) -> None:
        """Work until the soak ends."""
        while not self._world.stop.is_set():
            try:
                if not self._id:
                    self._begin()
                elif self._unsure:
                    self._look()
                else:
                    does = (
                        [self._mark] * 6
                        + [self._report] * 3
                        + [self._look, self._keep_search, self._keep_chart, self._move]
                    )
                    self._chance.choice(does)()
                    self._step += 1
                    if self._step % _LIFE == 0:
                        self._end()
            except _NobodyError:
                sleep(0.5)
        if self._id and not self._world.server.ended:
            self._look()

    def _begin(self) -> None:
        made = self._ask("POST", "/v1/projects", {"name": f"Soak {self._step}"}, "new project")
        self._id = made["head"]["id"]
        self._marks, self._unsure, self._searches = {}, {}, 0

    def _end(self) -> None:
        self._look()
        self._ask("DELETE", f"/v1/projects/{self._id}", None, "delete project")
        self._id = ""

    def _mark(self) -> None:
        state = self._world.ledger.state
        id_ = self._chance.choice([*self._marks, *(id_of(one) for one, _ in state)])
        before = self._marks.get(id_, {"version": 0})
        mark = self._chance.choice(["relevant", "not", None])
        wanted = {"mark": mark, "note": f"Note {self._step}.", "version": before["version"]}
        self._unsure[id_] = wanted
        made = self._ask("PUT", f"/v1/projects/{self._id}/marks/{NAME}/{id_}", wanted, "mark", (200, 404))
        del self._unsure[id_]
        if "error" not in made:
            self._marks[id_] = {"mark": made["mark"], "note": made["note"], "version": made["version"]}

    def _look(self) -> None:
        """All that was acknowledged is there; what was not is there or is not."""
        begun = monotonic()
        content = self._ask("GET", f"/v1/projects/{self._id}", None, "project")
        there = {one["id"]: {name: one[name] for name in ("mark", "note", "version")} for one in content["marks"]}
        for id_, mark in self._marks.items():
            found = there.get(id_)
            wanted = self._unsure.get(id_)
            newer = (
                found is not None
                and wanted is not None
                and (found["mark"], found["note"]) == (wanted["mark"], wanted["note"])
            )
            if found != mark and not newer:
                self._world.tally.violation(
                    f"an acknowledged mark is lost: {id_} {mark}, there is {found} ({begun:.0f})"
                )
        if len(content["searches"]) < self._searches:
            self._world.tally.violation(f"{self._searches} searches were kept, {len(content['searches'])} are there")
        self._searches = len(content["searches"])
        self._marks, self._unsure = there, {}
        self._world.tally.count("marks found again", "marks", len(there))

    def _keep_search(self) -> None:
        asked = {"query": claim(self._chance), "k": 5}
        made = self._ask("POST", f"/v1/projects/{self._id}/searches", {"index": NAME, "search": asked}, "keep search")
        kept = self._ask("GET", f"/v1/projects/{self._id}/searches/{made['number']}", None, "kept search")
        if kept != made:
            self._world.tally.violation(f"the kept search {made['number']} is another than the one that was answered")
        self._searches += 1

    def _keep_chart(self) -> None:
        body = {"index": NAME, "chart": {"claim": claim(self._chance), "k": 3}}
        made = self._ask("POST", f"/v1/projects/{self._id}/charts", body, "keep chart")
        kept = self._ask("GET", f"/v1/projects/{self._id}/charts/{made['number']}", None, "kept chart")
        if kept != made:
            self._world.tally.violation(f"the kept chart {made['number']} is another than the one that was answered")

    def _report(self) -> None:
        kind = self._chance.choice(_KINDS)
        content = self._ask("GET", f"/v1/projects/{self._id}/report.{kind}", None, f"report {kind}", raw=True)
        try:
            if kind in ("docx", "xlsx"):
                with zipfile.ZipFile(io.BytesIO(content)) as opened:
                    assert opened.testzip() is None
                return
            text = content.decode("utf-8")
            if kind == "json":
                json.loads(text)
            if kind in ("json", "csv", "html"):
                lost = [id_ for id_, one in self._marks.items() if one["mark"] == "relevant" and id_ not in text]
                assert not lost, lost
        except (AssertionError, ValueError, zipfile.BadZipFile) as error:
            self._world.tally.violation(f"report {kind} is not whole: {error!r}")

    def _move(self) -> None:
        """Export the project, import it as another, compare, and delete that one."""
        content = self._ask("GET", f"/v1/projects/{self._id}/export", None, "export", raw=True)
        begun = monotonic()
        try:
            answer = self._client.post(
                "/v1/projects/import", files={"file": ("project.json", content)}, headers=_UPLOAD
            )
        except httpx.TransportError as error:
            if not self._world.down(begun) and not self._world.faults.felt("damage", begun):
                self._world.tally.violation(f"import: no answer though nothing was killed: {error!r}")
            raise _NobodyError from None
        self._world.tally.count("operations", "import")
        if monotonic() - begun > self._world.bound and not self._world.down(begun):
            self._world.tally.violation(f"import: the answer took {monotonic() - begun:.1f} s")
        made = self._taken(answer, begun, "import", (200,)).json()
        there = {one["id"]: (one["mark"], one["note"]) for one in made["marks"]}
        if there != {id_: (one["mark"], one["note"]) for id_, one in self._marks.items()}:
            self._world.tally.violation("an imported project has other marks than the one that was exported")
        self._ask("DELETE", f"/v1/projects/{made['head']['id']}", None, "delete project", (200, 404))

    def _ask(
        self, method: str, path: str, body: Any, kind: str, statuses: tuple[int, ...] = (200,), *, raw: bool = False
    ) -> Any:
        found = send(self._world, self._client, method, path, body, kind)
        if found is None:
            raise _NobodyError
        answer = self._taken(found[0], found[1], kind, statuses)
        return answer.content if raw else answer.json()

    def _taken(self, answer: httpx.Response, begun: float, kind: str, statuses: tuple[int, ...]) -> httpx.Response:
        if answer.status_code in statuses:
            return answer
        faults = self._world.faults
        if answer.status_code == 503 and faults.felt("full disk", begun):
            self._world.tally.count("refused", "full disk told")
        elif answer.status_code in (400, 503) and faults.felt("damage", begun):
            self._world.tally.count("refused", "damage told")
        elif answer.status_code == 429:
            self._world.tally.count("refused", "busy")
        else:
            self._world.tally.violation(f"{kind}: {answer.status_code} {answer.text[:400]}")
        raise _NobodyError


class _NobodyError(Exception):
    """There is no answer for now."""


def sit(world: World) -> None:
    """Work on a project until the soak ends."""
    with httpx.Client(base_url=world.server.address, timeout=20 * BOUND) as client:
        Desk(world, client).work()
