from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from local_server import serve

from sparse_coverage.encoding import downloads as module
from sparse_coverage.encoding.downloads import download
from sparse_coverage.errors import ModelError

CONTENT = bytes(range(256)) * 4096
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)


def test_a_file_arrives_whole_and_verified(tmp_path: Path) -> None:
    with serve({"/w": CONTENT}) as server:
        target = download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
    assert target.read_bytes() == CONTENT
    assert [p.name for p in tmp_path.iterdir()] == ["w"]


def test_a_file_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(CONTENT)
    with serve({}) as server:
        download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
        assert server.requests == []


def test_a_broken_connection_is_continued_where_it_broke(tmp_path: Path) -> None:
    with serve({"/w": CONTENT}) as server:
        server.breaks, server.break_after = 2, 300_000
        download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
        assert [wanted for _, wanted in server.requests] == ["", "bytes=300000-", "bytes=600000-"]
    assert (tmp_path / "w").read_bytes() == CONTENT


def test_an_interrupted_download_goes_on_in_the_next_call(tmp_path: Path) -> None:
    with serve({"/w": CONTENT}) as server:
        server.breaks, server.break_after = 3, 100_000
        with pytest.raises(ModelError, match="300,000 bytes are kept"):
            download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
        assert not (tmp_path / "w").exists()
        download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
        assert server.requests[-1] == ("/w", "bytes=300000-")
    assert (tmp_path / "w").read_bytes() == CONTENT


def test_a_server_without_ranges_starts_over(tmp_path: Path) -> None:
    (tmp_path / "w.part").write_bytes(CONTENT[:1000])
    with serve({"/w": CONTENT}) as server:
        server.ranges = False
        download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
    assert (tmp_path / "w").read_bytes() == CONTENT


def test_a_complete_part_is_only_verified(tmp_path: Path) -> None:
    (tmp_path / "w.part").write_bytes(CONTENT)
    with serve({"/w": CONTENT}) as server:
        download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
    assert (tmp_path / "w").read_bytes() == CONTENT


def test_wrong_content_is_refused_and_removed(tmp_path: Path) -> None:
    with serve({"/w": b"something else"}) as server, pytest.raises(ModelError, match="sha256"):
        download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_said_at_once(tmp_path: Path) -> None:
    with serve({}) as server:
        with pytest.raises(ModelError, match="404"):
            download(f"{server.url}/w", tmp_path / "w", sha256=SHA, label="w")
        assert len(server.requests) == 1
