"""A whole search, as a searcher makes it: from an index of full texts to a report in Word, PDF and Excel, with the time of each step.

    python tools/whole_search.py INDEX FOLDER "A claim comprising …" "Another claim …"

Each claim (or number of a patent of the index) is searched for in a project of its own on a server of this process, as the page does
it: search, mark, chart, overrule a cell with a reason and a quotation, combine, read the document found first, export. The reports are
written to FOLDER, and the positive cells of the charts to FOLDER/cells.txt; look at them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from sparse_coverage.server.app import create_app
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerSettings

KINDS = ("docx", "pdf", "xlsx", "html")


class Desk:
    """A searcher at a server: asks, and remembers how long each kind of step took."""

    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=1200)
        self.times: dict[str, list[float]] = {}

    def ask(self, what: str, method: str, path: str, body: Any = None) -> httpx.Response:
        """Ask, and fail where the answer is an error."""
        begun = time.perf_counter()
        answer = self.http.request(method, path, json=body)
        self.times.setdefault(what, []).append(time.perf_counter() - begun)
        if answer.status_code != 200:
            raise SystemExit(f"{what}: {answer.status_code} {answer.text[:300]}")
        return answer


def search(desk: Desk, index: str, number: int, claim: str, folder: Path, say: Callable[[str], object]) -> None:
    """Search for one claim, and write the reports."""
    project = desk.ask("begin", "POST", "/v1/projects", {"name": f"Search {number}"}).json()["head"]["id"]
    ready = desk.ask("read the claim", "POST", f"/v1/indexes/{index}/prepare", {"text": claim}).json()
    elements = [{"label": one["label"], "text": one["text"]} for one in ready["elements"]]
    asked = {"query": ready["text"], "k": 20, "facets": True, "source": ready["source"]}
    asked["filters"] = {"not_family_of": [ready["publication"]]} if ready["publication"] else {}
    body = {"index": index, "search": asked, "claim": ready["charted"], "elements": elements}
    found = desk.ask("search", "POST", f"/v1/projects/{project}/searches", body).json()
    hits = [hit["document"] for hit in found["view"]["hits"]]
    say(f"{number}. {len(elements)} features, {found['view']['told']}: {', '.join(hits[:3])}")
    for place, id_ in enumerate(hits[:4]):
        mark = {"mark": "relevant" if place < 3 else "not", "note": "closest" if place == 0 else "", "version": 0}
        desk.ask("mark", "PUT", f"/v1/projects/{project}/marks/{index}/{id_}", mark)
    chart = {"claim": ready["charted"], "documents": hits[:4], "elements": elements, "filters": asked["filters"]}
    made = desk.ask("chart", "POST", f"/v1/projects/{project}/charts", {"index": index, "chart": chart}).json()["chart"]
    overrule(desk, project, index, made)
    with (folder / "cells.txt").open("a") as cells:
        cells.writelines(positive(made))
    together = {"claim": ready["charted"], "elements": elements, "max": 2, "filters": asked["filters"]}
    desk.ask("combine", "POST", f"/v1/projects/{project}/charts", {"index": index, "combine": together})
    beside = {"id": hits[0], "claim": found["result"]["query"], "elements": [one["text"] for one in elements]}
    words = desk.ask("read", "POST", f"/v1/indexes/{index}/view", beside).json()["paragraphs"]
    say(f"   read {hits[0]}: {sum(len(p['text'].split()) for one in words for p in one['pieces']):,} words")
    for kind in KINDS:
        report = desk.ask(f"export {kind}", "GET", f"/v1/projects/{project}/report.{kind}").content
        (folder / f"search-{number}.{kind}").write_bytes(report)


def overrule(desk: Desk, project: str, index: str, chart: dict[str, Any]) -> None:
    """Give a verdict of one's own, with a reason and a quotation, on the first cell that is partly disclosed."""
    for element, row in zip(chart["elements"], chart["cells"], strict=True):
        for cell in row:
            if cell["verdict"] == "partly" and cell["quotes"]:
                body = {
                    "index": index,
                    "element": element["text"],
                    "document": cell["document"],
                    "verdict": "disclosed",
                }
                told = {
                    "note": "The passage says it in other words.",
                    "quotation": cell["quotes"][0]["text"],
                    "version": 0,
                }
                desk.ask("overrule", "PUT", f"/v1/projects/{project}/cells", body | told)
                return


def positive(chart: dict[str, Any]) -> list[str]:
    """Return the cells that are disclosed or partly, one after another, to be read."""
    return [
        f"{cell['document']} {element['label']} {cell['verdict']} {cell['evidence']:.2f}\n  feature: {element['text']}\n"
        + "".join(f"  quoted: {quote['text']}\n" for quote in cell["quotes"])
        for element, row in zip(chart["elements"], chart["cells"], strict=True)
        for cell in row
        if cell["verdict"] != "not found"
    ]


def main() -> None:
    """Make the searches and print the times."""
    index, folder, claims = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    settings = ServerSettings({"patents": index}, projects=folder / "projects")
    with serving(create_app(settings)) as address:
        desk = Desk(address)
        for number, claim in enumerate(claims, 1):
            search(desk, "patents", number, claim, folder, print)
    for what, seconds in desk.times.items():
        print(f"{what:16} first {seconds[0]:7.2f} s   best {min(seconds):7.2f} s   of {len(seconds)}")


if __name__ == "__main__":
    main()
