"""Watching: a search that was made is made again over what came into the index since, and says what is new.

Every answer says what was asked and which state of the index answered (`about.request` and `about.state`), so whatever keeps answers can be
watched: the file that `search --json` was written to, and a project.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparse_coverage.dataclass_json import from_json, record
from sparse_coverage.errors import InputError
from sparse_coverage.files import write_json
from sparse_coverage.projects import Project
from sparse_coverage.workspace.open_index import OpenIndex
from sparse_coverage.workspace.requests import Filters, SearchRequest, public_name
from sparse_coverage.workspace.results import SearchResult


@dataclass(frozen=True, slots=True)
class Watched:
    """A search that was made: in which index, what was asked, the state that answered, when; and how to keep its next answer."""

    index: str
    request: SearchRequest
    state: str
    made: str
    keep: Callable[[SearchResult], None]

    @property
    def what_came_since(self) -> SearchRequest:
        """The same search over what came since."""
        return replace(self.request, filters=replace(self.request.filters, since=self.state))

    def again(self, opened: OpenIndex) -> SearchResult:
        """Search what came since."""
        return opened.search(self.what_came_since)


def watched_in(path: Path) -> list[Watched]:
    """Return the searches that a file keeps: the answer of one, or a project, where the last of those that ask the same counts."""
    if path.suffix == ".json":
        try:
            answer = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(
                f"{path}: cannot be read as what `search --json` prints ({error}). Write it again."
            ) from None
        found = watched(answer, str(path), lambda result: write_json(path, _with_state(answer, result)))
        if found is None:
            raise InputError(
                f"{path}: this is not what `search --json` prints, or not of this version. Search again and keep it: "
                "sparse-coverage search INDEX QUERY --json > FILE.json"
            )
        return [found]
    with Project(path) as project:
        kept = [project.search(one.number) for one in project.content().searches]
    latest: dict[str, Watched] = {}
    for made in kept:

        def keep(result: SearchResult, index: str = made.index, asked: Mapping[str, Any] = made.request) -> None:
            with Project(path) as project:
                project.add_search(index, asked, record(result.record()))

        if (found := watched(made.result, made.index, keep)) is not None:
            asked = replace(found.request, filters=replace(found.request.filters, since=None))
            latest[f"{found.index} {asked}"] = replace(found, request=asked)
    return list(latest.values())


def watched(answer: Any, where: str, keep: Callable[[SearchResult], None] = lambda result: None) -> Watched | None:
    """Return the search that an answer is of, where it says so."""
    about = answer.get("about") if isinstance(answer, dict) else None
    if not isinstance(about, dict) or not about.get("state") or not about.get("request"):
        return None
    return Watched(about["index"], _request(about["request"], where), about["state"], about["date"], keep)


def _request(values: Mapping[str, Any], where: str) -> SearchRequest:
    """Return a request of its record."""
    names = {public_name(name): name for name in (*SearchRequest.__dataclass_fields__, *Filters.__dataclass_fields__)}

    def own(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in given.items():
            yield names.get(name, name), dict(own(value)) if name == "filters" else value

    return from_json(SearchRequest, dict(own(values)), where)


def _with_state(answer: dict[str, Any], result: SearchResult) -> dict[str, Any]:
    """Return an answer that remembers the state and the day of a later one."""
    assert result.about is not None
    return answer | {"about": answer["about"] | {"state": result.about.state, "date": result.about.date}}
