"""A state of a served index is open for as long as somebody reads it, and what was committed is never called failed."""

from __future__ import annotations

import gc
import os
import sys
import time
import weakref
from pathlib import Path

import pytest
from served_devices import CLAIM
from starlette.testclient import TestClient

from sparse_coverage import files
from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index import delete_documents, manifest
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers import refresh_sides
from sparse_coverage.server import indexes as module
from sparse_coverage.server.app import create_app
from sparse_coverage.server.indexes import ServedIndexes
from sparse_coverage.server.routes import changing as routes
from sparse_coverage.server.settings import ServerLimits, ServerSettings
from sparse_coverage.workspace import SearchRequest

BASE = "/v1/indexes/devices"
NO_FILE = OSError(24, "Too many open files")


def teapot(number: int) -> dict[str, object]:
    return {"id": f"EP-30000{number:02d}-A1", "title": "A teapot", "claims": [f"1. A teapot with {number} spouts."]}


def open_files(folder: Path) -> int:
    links = list(Path("/proc/self/fd").iterdir())
    return sum(str(folder) in str(link.readlink()) for link in links if link.is_symlink())


@pytest.fixture
def changing(copied, made):
    settings = ServerSettings({"devices": copied}, allow_changes=True, calibration=made / "calibration.json")
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def uncollected():
    """Cycles of objects stay, as they do for long on a server with few objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
@pytest.mark.usefixtures("uncollected")
def test_states_that_were_replaced_hold_no_file_open(changing, copied):
    asked, most, held = {"query": CLAIM, "k": 3}, 0, []
    for number in range(12):
        assert changing.post(f"{BASE}/add", json={"documents": [teapot(number)]}).status_code == 200
        assert changing.post(f"{BASE}/search", json=asked).status_code == 200
        assert changing.post(f"{BASE}/search", json={**asked, "ranking": "letters"}).status_code == 200
        assert changing.post(f"{BASE}/chart", json={"claim": CLAIM, "k": 1}).status_code == 200
        assert changing.post(f"{BASE}/explain", json={"query": CLAIM, "id": "EP-1000001-A1"}).status_code == 200
        with changing.app.state.indexes.opened("devices") as opened:
            held.append(weakref.ref(opened.store))
            most = max(most, open_files(copied) / len(opened.store.segments))
    assert most <= 12  # one state: nine files of each segment, and its side
    assert [one() for one in held[:-1]] == [None] * 11


def test_a_state_is_closed_when_its_last_reader_leaves(copied):
    indexes = ServedIndexes({"devices": copied})
    with indexes.opened("devices") as first, indexes.opened("devices") as second:
        assert first is second
        delete_documents(copied, ["EP-1000001-A1"])
        refresh_sides(copied)
        with indexes.opened("devices") as newer:
            assert newer.store.state.documents == 11
        assert first.store.document(0).id == "EP-1000001-A1"
    with pytest.raises(IndexStoreError, match="closed"):
        first.store.document(1)


def test_a_state_that_could_not_be_opened_is_opened_by_the_next_request(copied, monkeypatch, caplog):
    served = ServedIndexes({"devices": copied})
    delete_documents(copied, ["EP-1000001-A1"])
    errors, really = [NO_FILE, NO_FILE], module.OpenIndex.rankings_now

    def rankings_now(opened):
        if errors:
            raise errors.pop()
        return really(opened)

    monkeypatch.setattr(module.OpenIndex, "rankings_now", rankings_now)
    for documents in (12, 12, 11):
        with served.opened("devices") as opened:
            assert opened.store.state.documents == documents
    assert "Too many open files" in caplog.text


@pytest.mark.parametrize("where", ["sparse_coverage.server.routes.changing.refresh_sides", "open_segment", "sync"])
def test_what_is_committed_is_never_called_failed(changing, monkeypatch, where):
    """The descriptors end in the middle of a change: in its last steps, or while its state is shown."""

    def fail(*_: object, **__: object) -> None:
        raise NO_FILE

    if where == "sync":
        monkeypatch.setattr(manifest, "write_json", fail)
    elif where == "open_segment":
        monkeypatch.setattr("sparse_coverage.index.store.open_segment", fail)
    else:
        monkeypatch.setattr(where, fail)
    answers = [
        changing.post(f"{BASE}/add", json={"documents": [teapot(1)]}),
        changing.post(f"{BASE}/delete", json={"ids": ["EP-1000001-A1"]}),
    ]
    monkeypatch.undo()
    there = [changing.get(f"{BASE}/documents/{id_}").status_code == 200 for id_ in ("EP-3000001-A1", "EP-1000001-A1")]
    made = [answer.status_code == 200 for answer in answers]
    assert there == [made[0], not made[1]]
    assert made == [where != "sync"] * 2
    assert all(bool(answer.json().get("notes")) == good for answer, good in zip(answers, made, strict=True))


@pytest.mark.skipif(os.name != "posix", reason="folders are synced there alone")
def test_no_file_is_replaced_whose_folder_cannot_be_synced_for_want_of_descriptors(tmp_path, monkeypatch):
    really = os.open
    files.write_text(tmp_path / "manifest.json", "old")
    monkeypatch.setattr(
        files.os, "open", lambda path, *rest: really(path, *rest) if Path(path).is_file() else _raise(NO_FILE)
    )
    with pytest.raises(OSError, match="Too many"):
        files.write_text(tmp_path / "manifest.json", "new")
    assert (tmp_path / "manifest.json").read_text() == "old"


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("late", [False, True])
def test_a_change_that_takes_too_long_is_answered_by_how_it_ended(copied, monkeypatch, events, late):
    name = "refresh_sides" if late else "delete_documents"  # what comes after the commit, or before
    really = getattr(routes, name)

    def slow(*given):
        for _ in tracked(range(5), "Waiting", 5):
            time.sleep(0.1)
        return really(*given)

    monkeypatch.setattr(routes, name, slow)
    settings = ServerSettings(
        {"devices": copied}, allow_changes=True, limits=ServerLimits(long_seconds=0.2, concurrency=1)
    )
    accept = {"accept": "text/event-stream"} if events else {}
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        answer = client.post(f"{BASE}/delete", json={"ids": ["EP-1000001-A1"]}, headers=accept)
        there = client.get(f"{BASE}/documents/EP-1000001-A1").status_code == 200
    succeeded = "event: result" in answer.text if events else answer.status_code == 200
    assert (succeeded, there) == (late, not late)


def _raise(error: Exception) -> None:
    raise error


def test_one_index_that_is_gone_takes_nothing_of_the_others_away(made, copied):
    settings = ServerSettings({"devices": made / "devices", "gone": copied})
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as client:
        copied.rename(copied.with_name("elsewhere"))
        here, gone = client.get("/v1/indexes").json()
        assert (here["name"], here["documents"]) == ("devices", 12)
        assert gone["name"] == "gone"
        assert "The index gone cannot be read any more (No such file or directory)" in gone["missing"]
        ready = client.get("/v1/ready")
        assert (ready.status_code, ready.json()["indexes"]) == (200, ["devices"])
        assert "gone cannot be read" in ready.json()["missing"]["gone"]
        text = client.get("/metrics").text
        assert 'sparse_coverage_index_up{index="gone"} 0.0' in text
        assert 'sparse_coverage_index_documents{index="devices"} 12.0' in text
        assert client.post(f"{BASE}/search", json={"query": CLAIM}).status_code == 200
        assert client.post("/v1/indexes/gone/search", json={"query": CLAIM}).status_code == 503
    with TestClient(
        create_app(ServerSettings({"gone": copied.with_name("elsewhere")})), base_url="http://localhost"
    ) as client:
        copied.with_name("elsewhere").rename(copied)
        assert client.get("/v1/ready").status_code == 503


def test_no_thread_keeps_a_ranking_when_its_answer_is_made(copied):
    """It holds a score for each passage and part, of each thread and index."""
    indexes = ServedIndexes({"devices": copied})
    with indexes.opened("devices") as opened:
        opened.search(SearchRequest(query=CLAIM), matches=False)
        asked = (CLAIM, opened.index.parts, None, None)
        scores = weakref.ref(opened.index._combined.rank(*asked).parts[0].scores)
        assert scores() is not None
    assert scores() is None


def test_documents_are_added_without_another_process(changing, monkeypatch):
    monkeypatch.setattr("subprocess.run", lambda *_, **__: _raise(AssertionError("a process was begun")))
    documents = [teapot(1), {"id": "x", "title": ["a", "b"]}]
    answer = changing.post(f"{BASE}/add", json={"documents": documents}).json()
    assert answer["added"] == 1
    assert answer["left_out"] == ["documents.jsonl:2: x: `title` is a list; expected a string."]


def test_one_reader_of_charts_serves_all_indexes_and_states(made, copied, monkeypatch):
    from sparse_coverage.charts import charting

    loaded = []

    def load_encoder(name):
        loaded.append(name)
        with ServedIndexes({"one": made / "devices"}).opened("one") as opened:
            return opened.index.model.encoder

    monkeypatch.setattr(charting, "load_encoder", load_encoder)
    monkeypatch.setattr(charting, "_LOADED", {})
    monkeypatch.setattr(charting, "is_shipped", lambda encoder: True)
    calibration = charting.calibration_for
    monkeypatch.setattr(
        charting, "calibration_for", lambda encoder, given: calibration(encoder, made / "calibration.json")
    )
    settings = ServerSettings({"devices": copied, "other": made / "devices"}, allow_changes=True)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        for _ in range(2):
            for name in settings.indexes:
                asked = {"claim": CLAIM, "k": 1}
                assert client.post(f"/v1/indexes/{name}/chart", json=asked).status_code == 200
            assert client.post(f"{BASE}/add", json={"documents": [teapot(len(loaded) + _)]}).status_code == 200
    assert loaded == ["gte-small"]
