"""With few open files an index says what is missing, in the same words everywhere, and can be merged, which is the remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from made_up import Made, build

from sparse_coverage.index import IndexWriter, open_store

pytest.importorskip("resource", reason="there is no limit here")
UNIT = (({1: 0.5}, 3),)
SEGMENTS = 12


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """An index of many segments, as a great one has them, which no commit merges."""
    folder = tmp_path / "index"
    build(folder, [Made("EP-0-A1", UNIT)])
    for number in range(1, SEGMENTS):
        with IndexWriter.open(folder) as writer:
            made = Made(f"EP-{number}-A1", UNIT)
            writer._belong_together = lambda *_: False  # type: ignore[method-assign]
            writer.add(made.record, made.indexed)
            writer.commit()
    assert len(open_store(folder).segments) == SEGMENTS
    return folder


def limited(most: int, work: str, folder: Path) -> str:
    """Do work in a process that may have so many files open, and return what it prints."""
    script = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from sparse_coverage.index import IndexWriter, delete_documents, merge_index, open_store\n"
        "from sparse_coverage.errors import SparseCoverageError\n"
        "import filelock, sqlite3, sparse_coverage.index.writer\n"
        "folder = Path(sys.argv[1])\n"
        "open_store(folder).close()\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({most}, {most}))\n"
        f"try:\n    {work}\n    print('done')\nexcept SparseCoverageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.strip()


def test_an_index_that_takes_too_many_open_files_is_merged_with_few(many: Path) -> None:
    assert "takes 108 open files, and a process may have 80 here" in limited(80, "open_store(folder)", many)
    assert limited(80, "merge_index(folder)", many) == "done"
    assert limited(80, "open_store(folder)", many) == "done"
    store = open_store(many)
    assert [store.document(number).id for number in range(SEGMENTS)] == [
        f"EP-{number}-A1" for number in range(SEGMENTS)
    ]


def test_documents_are_deleted_from_it_with_few(many: Path) -> None:
    assert limited(80, "delete_documents(folder, ['EP-5-A1', 'EP-11-A1'])", many) == "done"
    assert "Nothing was deleted" in limited(80, "delete_documents(folder, ['EP-1-A1', 'EP-12-A1'])", many)
    store = open_store(many)
    kept = [store.document(number).id for number in range(len(store.document_starts) - 1)]
    assert set(kept) == {f"EP-{number}-A1" for number in range(SEGMENTS)} - {"EP-5-A1", "EP-11-A1"}


@pytest.mark.parametrize(
    "work",
    ["open_store(folder)", "delete_documents(folder, ['EP-1-A1'])", "merge_index(folder)", "IndexWriter.open(folder)"],
)
@pytest.mark.parametrize("most", [7, 10, 14])
def test_where_nothing_can_be_opened_the_limit_is_named(many: Path, work: str, most: int) -> None:
    told = limited(most, work, many)
    assert told == "done" or ("open files, and a process may have" in told and "ulimit -n" in told), told
