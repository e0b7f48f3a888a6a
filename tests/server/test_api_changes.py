"""An index that changes, by requests or on disk, is shown at once and never half."""

from __future__ import annotations

import io
import json
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
from served_devices import CLAIM, made_patents
from starlette.testclient import TestClient
from waiting import wait_until

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.errors import InputError
from sparse_coverage.index import delete_documents, merge_index
from sparse_coverage.index.manifest import writing
from sparse_coverage.patents.readers.records import to_record
from sparse_coverage.retrievers import refresh_sides
from sparse_coverage.server.app import create_app
from sparse_coverage.server.indexes import ServedIndexes
from sparse_coverage.server.settings import ServerSettings

TEAPOT = {"id": "EP-3000001-A1", "title": "A teapot", "claims": ["1. A teapot with a spout that does not drip."]}
BASE = "/v1/indexes/devices"


@pytest.fixture
def lend():
    """Borrows states of indexes for the time of a test."""
    with ExitStack() as stack:
        yield lambda indexes, *which: stack.enter_context(indexes.opened(*which))


@pytest.fixture
def changing(copied):
    with TestClient(
        create_app(ServerSettings({"devices": copied}, allow_changes=True)), base_url="http://localhost"
    ) as found:
        yield found


def documents(client):
    [about] = client.get("/v1/indexes").json()
    return about["documents"]


def test_documents_are_added_found_replaced_and_deleted(changing):
    assert changing.post(f"{BASE}/add", json={"documents": [TEAPOT]}).json() == {
        "added": 1,
        "left_out": [],
        "unused": "",
        "documents": 13,
    }
    for ranking in ("combined", "centers", "letters"):
        asked = {"query": "teapot spout drip", "k": 1, "ranking": ranking, "filters": {"must": ["teapot"]}}
        [hit] = changing.post(f"{BASE}/search", json=asked).json()["hits"]
        assert hit["document"] == TEAPOT["id"]
        assert hit["metadata"]["source"] == "documents.jsonl"
    again = changing.post(f"{BASE}/add", json={"documents": [TEAPOT]})
    assert again.status_code == 409
    assert "in the index already" in again.json()["error"]["message"]
    newer = {**TEAPOT, "title": "A better teapot"}
    assert changing.post(f"{BASE}/replace", json={"documents": [newer]}).json()["documents"] == 13
    assert changing.get(f"{BASE}/documents/EP3000001").json()["title"] == "A better teapot"
    assert changing.post(f"{BASE}/delete", json={"ids": [TEAPOT["id"]]}).json() == {"deleted": 1, "documents": 12}
    assert changing.get(f"{BASE}/documents/EP3000001").status_code == 404
    assert changing.post(f"{BASE}/delete", json={"ids": [TEAPOT["id"]]}).status_code == 404


def test_a_file_is_uploaded_with_progress_and_what_cannot_be_read_is_said(changing):
    lines = json.dumps({**TEAPOT, "colour": "red"}) + "\nno json at all\n"
    answer = changing.post(
        f"{BASE}/upload",
        files={"file": ("week 46.jsonl", io.BytesIO(lines.encode()))},
        headers={"x-sparse-coverage": "1", "accept": "text/event-stream"},
    )
    assert "event: progress" in answer.text
    result = json.loads(answer.text.rpartition("event: result\ndata: ")[2])
    assert result["added"] == 1
    assert (len(result["left_out"]), result["unused"]) == (1, "colour")
    assert "week 46.jsonl" in result["left_out"][0]
    assert documents(changing) == 13


def test_nothing_is_added_of_documents_one_of_which_is_there(changing):
    both = [TEAPOT, to_record(made_patents()[0])]
    assert changing.post(f"{BASE}/add", json={"documents": both}).status_code == 409
    assert documents(changing) == 12


def test_another_writer_is_waited_for_by_coming_again(changing, copied):
    with writing(copied):
        answer = changing.post(f"{BASE}/delete", json={"ids": ["EP-1000001-A1"]})
    assert answer.status_code == 409
    assert "another process is writing" in answer.json()["error"]["message"]
    assert str(copied) not in answer.text
    assert documents(changing) == 12


def test_changes_are_off_unless_allowed(client):
    for path, body in (
        ("add", {"documents": [TEAPOT]}),
        ("replace", {"documents": [TEAPOT]}),
        ("delete", {"ids": ["x"]}),
    ):
        assert client.post(f"{BASE}/{path}", json=body).status_code == 403


def test_a_change_on_disk_is_picked_up_and_a_search_that_began_before_goes_on(copied, lend):
    indexes = ServedIndexes({"devices": copied})
    before = lend(indexes, "devices", "letters")
    by_letters = before.retriever("letters")
    hits = by_letters.search(CLAIM, 12)
    delete_documents(copied, ["EP-1000001-A1"])
    merge_index(copied)
    refresh_sides(copied)
    after = lend(indexes, "devices", "letters")
    assert after is not before
    assert after.store.state.documents == 11
    assert "EP-1000001-A1" not in {hit.document for hit in after.retriever("letters").search(CLAIM, 12)}
    assert by_letters.search(CLAIM, 12) == hits
    assert before.index.explain(CLAIM, "EP-1000001-A1").score > 0
    assert lend(indexes, "devices", "letters") is after


def test_while_a_side_is_behind_its_ranking_ranks_the_former_state(copied, lend):
    indexes = ServedIndexes({"devices": copied})
    encoder = lend(indexes, "devices").index.model.encoder
    Index.open(copied, encoder=encoder).add([replace(made_patents()[0], id="EP-3000002-A1")])
    assert lend(indexes, "devices").store.state.documents == 13
    assert lend(indexes, "devices", "letters").store.state.documents == 12
    refresh_sides(copied)
    assert lend(indexes, "devices", "letters").store.state.documents == 13


def test_a_side_that_moved_on_before_it_was_opened_is_looked_for_again(copied, monkeypatch, lend):
    """Found by `make soak`: between the look at the index and the opening of its side, both were changed and merged."""
    served = ServedIndexes({"devices": copied}).served("devices")
    encoder = lend(served).index.model.encoder
    index = Index.open(copied, encoder=encoder)
    index.add([("EP-3000002-A1", "A teapot with a spout.")])
    index.merge()
    refresh_sides(copied)
    looks = [served._seen]
    signature = served._signature
    monkeypatch.setattr(served, "_signature", lambda: looks.pop() if looks else signature())
    snapshot = lend(served, "letters")
    assert not looks
    assert snapshot.store.state.documents == 13
    assert snapshot.retriever("letters").search("A teapot with a spout.", 1)[0].document == "EP-3000002-A1"


def test_a_side_that_stays_behind_is_refused_in_the_end(copied, monkeypatch, lend):
    indexes = ServedIndexes({"devices": copied})
    Index.open(copied, encoder=lend(indexes, "devices").index.model.encoder).add(
        [replace(made_patents()[0], id="EP-3000002-A1")]
    )
    assert lend(indexes, "devices", "letters").store.state.documents == 12
    monkeypatch.setattr("sparse_coverage.server.indexes._PATIENCE", 0.0)
    lend(indexes, "devices")
    with pytest.raises(InputError, match="index refresh"):
        lend(indexes, "devices", "letters")


def test_another_index_in_the_place_of_the_first_is_opened_with_its_own_model(copied, tmp_path, lend):
    indexes = ServedIndexes({"devices": copied})
    before = lend(indexes, "devices")
    patents = made_patents()[:5]
    model = SparseCoverage.fit(patents, encoder=before.index.model.encoder, size=30)
    Index.build(tmp_path / "other", model, patents)
    copied.rename(tmp_path / "former")
    (tmp_path / "other").rename(copied)
    after = lend(indexes, "devices")
    assert after.store.state.documents == 5
    assert after.index.search(patents[1].claims[0].text, 1)
    assert before.index.search(CLAIM, 1)


def test_a_damaged_manifest_leaves_the_former_state_in_service(copied, caplog, lend):
    indexes = ServedIndexes({"devices": copied})
    (copied / "manifest.json").write_text("{}", encoding="utf-8")
    assert lend(indexes, "devices").store.state.documents == 12
    assert "former state is served" in caplog.text


def test_no_answer_is_torn_while_an_index_is_changed_over_and_over(copied, lend):
    """Each state holds all or none of a set of documents, so an answer with some of them would be of two states."""
    indexes = ServedIndexes({"devices": copied})
    encoder = lend(indexes, "devices").index.model.encoder
    extra = [replace(made_patents()[0], id=f"EP-400000{number}-A1") for number in range(3)]
    ids = {patent.id for patent in extra}
    ended = threading.Event()

    def change():
        index = Index.open(copied, encoder=encoder)
        for change, holds in [(index.add, 3), (index.delete, 0)] * 4:
            seen.clear()
            change(extra if holds else sorted(ids))
            wait_until(lambda holds=holds: holds in seen or wrong, "an answer of the new state")
        ended.set()

    seen, wrong = set(), []
    thread = threading.Thread(target=change)
    thread.start()
    while not ended.is_set():
        with indexes.opened("devices") as snapshot:
            hits = snapshot.index.search(CLAIM, 20)
            found = ids & {hit.document for hit in hits}
            seen.add(len(found))
            if found not in (set(), ids) or len(hits) != snapshot.store.state.documents:
                wrong.append(found)
            for hit in hits:
                snapshot.index.explain(CLAIM, hit.passages[0].id)
    thread.join()
    assert not wrong
