"""What `index` and `index add` say about documents that come twice, and about those of which only the title could be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sparse_coverage import Index, Patent, SparseCoverage, read_patents
from sparse_coverage.cli.options.inputs import ProblemLog
from sparse_coverage.cluster.documents import DocumentSize, shard_path, without_repeats
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

Run = Callable[..., tuple[int, str, str]]
GERMAN = """<patent-document ucid="EP-9110001-A1" lang="DE" country="EP" doc-number="9110001" kind="A1">
<bibliographic-data><technical-data><invention-title lang="EN">Pump with a valve</invention-title></technical-data></bibliographic-data>
<abstract lang="DE"><p>Eine Pumpe mit einem Ventil.</p></abstract>
<claims lang="DE"><claim num="1">Pumpe mit einem Ventil.</claim></claims></patent-document>"""


def write(path: Path, *records: tuple[str, str]) -> Path:
    lines = [json.dumps({"id": id_, "title": "Title", "abstract": text}) for id_, text in records]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Path:
    folder = tmp_path_factory.mktemp("model")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = read_patents(
        write(folder / "some.jsonl", ("A", "A pump with a valve."), ("B", "A spring and a plunger."))
    )
    SparseCoverage.fit(patents, encoder=encoder, size=10).save(folder / "model")
    return folder / "model"


def text_of(folder: Path, id_: str) -> str:
    store = Index.open(folder).store
    return store.passage(store.passages_of(store.find_document(id_) or 0).start).text


def test_a_document_that_comes_twice_does_not_end_a_build(run: Run, model: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    write(source / "a.jsonl", ("EP-1000001-A1", "The first pump."), ("B", "A valve."))
    write(source / "b.jsonl", ("EP 1 000 001 A1", "The last pump."), ("C", "A spring."))
    status, out, _ = run("index", source, "--model", model, "-o", tmp_path / "kept")
    assert status == 0
    assert "3 documents" in out
    assert "Came again: 1 (EP-1000001-A1); the first of each was kept." in " ".join(out.split())
    assert text_of(tmp_path / "kept", "EP-1000001-A1") == "The first pump."


def test_a_document_that_comes_twice_is_added_once(run: Run, model: Path, tmp_path: Path) -> None:
    run("index", write(tmp_path / "a.jsonl", ("A", "A pump.")), "--model", model, "-o", tmp_path / "index")
    more = write(tmp_path / "more.jsonl", ("B", "The first valve."), ("B", "The last valve."), ("C", "A spring."))
    status, out, _ = run("index", "add", tmp_path / "index", more)
    assert (status, "Came again: 1 (B); the first of each was kept." in out) == (0, True)
    assert text_of(tmp_path / "index", "B") == "The first valve."
    status, _, err = run("index", "add", tmp_path / "index", more)
    assert (status, "are in the index already (B, C)" in err) == (1, True)
    status, out, _ = run("index", "add", tmp_path / "index", more, "--replace", "--json")
    assert (status, json.loads(out)["documents"], json.loads(out)["duplicates"]) == (0, 3, 1)


def test_a_document_without_text_does_not_stand_for_one_with_it(model: Path, tmp_path: Path) -> None:
    lines = ['{"id": "A"}', '{"id": "A", "abstract": "A pump."}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    repeated: list[object] = []
    Index.build(
        tmp_path / "index",
        SparseCoverage.load(model),
        read_patents(tmp_path / "a.jsonl"),
        on_repeat=repeated.append,
    )
    assert (text_of(tmp_path / "index", "A"), repeated) == ("A pump.", [])


def test_in_python_a_repeated_id_is_logged(model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Index.build(tmp_path / "index", SparseCoverage.load(model), [("A", "A pump."), ("A", "A valve.")])
    assert text_of(tmp_path / "index", "A") == "A pump."
    assert "'A' came before; the first document of that id is kept." in caplog.text


def test_a_patent_in_another_language_is_indexed_whole(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "de.xml").write_text(GERMAN, encoding="utf-8")
    status, _, _ = run("index", tmp_path / "de.xml", "--model", model, "-o", tmp_path / "index")
    assert status == 0
    assert "Eine Pumpe" in text_of(tmp_path / "index", "EP-9110001-A1")


def test_a_build_names_what_is_damaged_counts_what_it_skipped_and_ends_with_status_1(
    run: Run, model: Path, tmp_path: Path
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "de.xml").write_text(GERMAN, encoding="utf-8")
    (files / "empty.xml").write_bytes(b"")
    (files / "readme").write_text("About these files.", encoding="utf-8")
    status, out, told = run("index", files, "--model", model, "-o", tmp_path / "index")
    assert status == 1
    assert f"left out {files / 'empty.xml'}: empty file." in told
    assert "Files that hold no patents, skipped: 1. `sparse-coverage inspect --notes`" in " ".join(out.split())


def test_shards_of_a_cluster_lose_what_comes_again(tmp_path: Path) -> None:
    facts = {"problems": [], "fruitful": []}
    shards = [["A", "B"], ["B", "C", "A"]]
    for number, ids in enumerate(shards):
        path = shard_path(tmp_path, number)
        path.write_text("".join(f'{{"id": "{id_}", "shard": {number}}}\n' for id_ in ids), encoding="ascii")
        documents = [{"id": id_, "date": "", "sizes": [1]} for id_ in ids]
        path.with_suffix(".json").write_text(json.dumps({"documents": documents, **facts}), encoding="utf-8")
    sizes = [[DocumentSize(id_, "", (1,)) for id_ in ids] for ids in shards]
    repeated: list[str] = []
    kept = [[one.id for one in shard] for shard in without_repeats(tmp_path, sizes, repeated.append)]
    assert (kept, repeated) == ([["A", "B"], ["C"]], ["B", "A"])
    assert shard_path(tmp_path, 1).read_text(encoding="ascii") == '{"id": "C", "shard": 1}\n'
    left = json.loads(shard_path(tmp_path, 1).with_suffix(".json").read_text(encoding="utf-8"))
    assert [one["id"] for one in left["documents"]] == ["C"]


def test_languages_that_the_encoder_does_not_know_are_told() -> None:
    log = ProblemLog()
    patents = [Patent(str(n), title="x", language=code) for n, code in enumerate(["en", "de", "de", "ja", ""])]
    assert list(log.watched(patents, "passage")) == patents
    assert "does not know (de: 2, ja: 1): these are ranked by their words" in log.about_texts("minilm")
    assert log.about_texts("use-multilingual") == log.about_texts("./my-own-model") == ""
    assert "words and by the vectors of whole passages (use-multilingual)" in log.about_texts(
        "minilm", "use-multilingual"
    )
