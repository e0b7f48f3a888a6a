"""`sparse_coverage.Client` is a retriever: it ranks as the index does, joins, is evaluated, and waits for a busy server."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from served_devices import CLAIM, made_patents

from sparse_coverage import Client, Index, InputError, open_retriever
from sparse_coverage.errors import NoDocumentError
from sparse_coverage.index.filters import classified, published
from sparse_coverage.retrievers import RemoteError
from sparse_coverage.server.app import create_app
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerSettings

KEY = "a-long-and-random-key-0123456789"


@pytest.fixture(scope="module")
def address(settings):
    with serving(create_app(settings)) as found:
        yield found


@pytest.fixture(scope="module")
def index(made):
    return Index.open(made / "devices")


def bare(hits):
    """What a server tells of hits: the name of the file that a document is from, not its folder."""
    return [
        (hit.document, hit.title, hit.score, {**hit.metadata, "source": "all.xml"}, hit.passages, hit.members)
        for hit in hits
    ]


def test_it_ranks_as_the_index_does(address, index, made):
    client = Client(address)
    assert client.index == "devices"
    assert bare(client.search(CLAIM, 5, passages=2)) == bare(index.search(CLAIM, 5, passages=2))
    several = [patent.claims[0].text for patent in made_patents()[:3]]
    assert [bare(one) for one in client.search(several, 3)] == [bare(index.search(text, 3)) for text in several]
    condition = published(before="2002") & ~classified("F16K")
    for filter_ in (condition, "published<2002 and not class:F16K"):
        assert bare(client.search(CLAIM, 12, filter=filter_)) == bare(index.search(CLAIM, 12, filter=filter_))
    words = Client(address, "devices", ranking="words")
    assert bare(words.search(CLAIM, 5)) == bare(open_retriever(made / "devices", "words").search(CLAIM, 5))


def test_the_other_answers_are_those_of_the_service(address):
    client = Client(address, "devices")
    assert client.indexes()[0]["documents"] == 12
    assert client.find(CLAIM, k=2, filters={"before": "2002"})["about"]["filters"] == {"--before": "2002"}
    assert client.read("EP1000001")["document"] == "EP-1000001-A1"
    assert client.chart(CLAIM, ["EP-1000001-A1"])["documents"][0]["id"] == "EP-1000001-A1"
    assert client.combine(CLAIM, top=3)["combinations"]["documents"] == 3


def test_errors_are_the_library_s_own(address, tmp_path):
    client = Client(address, "devices")
    with pytest.raises(NoDocumentError, match="EP-5-A1"):
        client.read("EP-5-A1")
    with pytest.raises(InputError, match="at most 1,000"):
        client.search(CLAIM, 5000)
    with pytest.raises(InputError, match="http://"):
        Client("localhost:8765")
    with pytest.raises(RemoteError, match="cannot be reached"):
        Client("http://127.0.0.1:1", "devices", patience=0.2).search(CLAIM)


def test_it_sends_its_key(settings):
    with serving(create_app(ServerSettings(settings.indexes, key=KEY))) as address:
        assert Client(address, key=KEY).search(CLAIM, 1)
        with pytest.raises(InputError, match="wants a key"):
            Client(address)


def test_a_busy_server_is_asked_again_and_a_closed_connection_opened_anew():
    asked = []

    class Busy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            asked.append(self.path)
            status, body = (429, b'{"error": {"message": "busy"}}') if len(asked) < 3 else (200, b"[]")
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.send_header("retry-after", "0")
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True  # without having said so

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Busy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        client = Client(f"http://127.0.0.1:{server.server_port}", "devices")
        assert client.indexes() == []
        assert client.indexes() == []
        assert len(asked) == 4
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
