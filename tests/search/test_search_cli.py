"""Indexing, searching and explaining on the command line, as a user meets them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage, read_patents
from sparse_coverage.encoding import TokenVectors
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.search.results import QueryCost
from sparse_coverage.workspace import OpenIndex, SearchRequest

DOCUMENTS = {
    "XX-1-A1": ("A valve comprising a spring and a plunger. The plunger closes the valve.", "1999-03-17", "F16K 31/06"),
    "XX-2-A1": ("A pump housing with a sensor for noise of the pump.", "2001-05-17", "F04B 39/00"),
    "XX-3-B1": ("A plunger biased by a spring seals the housing of the pump.", "2004-01-01", "F04B 53/00"),
}
QUERY = "a plunger and a spring in the housing of a pump"
Run = Callable[..., tuple[int, str, str]]


def write(path: Path, ids: list[str], text: str = "") -> Path:
    lines = [
        {"id": id_, "title": f"Title of {id_}", "abstract": text or DOCUMENTS[id_][0], "publication_date": DOCUMENTS[id_][1],
         "ipc": [DOCUMENTS[id_][2]], "family": id_[:4]}
        for id_ in ids
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Path:
    """The documents and an index of the first two: both are only copied."""
    folder = tmp_path_factory.mktemp("built")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    every = list(read_patents(write(folder / "all.jsonl", list(DOCUMENTS))))
    activation = ActivationConfig(k=1, assignment="nearest")
    model = SparseCoverage.fit(every, encoder=encoder, size=40, preset=Preset(activation=activation))
    Index.build(folder / "index", model, every[:2])
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """An index of the first two documents, to change."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "index"


def found(printed: str) -> list[str]:
    return [hit["document"] for hit in json.loads(printed)["hits"]]


def test_an_index_is_built_with_and_without_the_word(run: Run, folder: Path, tmp_path: Path) -> None:
    for arguments in (["index"], ["index", "build"]):
        target = tmp_path / f"new-{len(arguments)}"
        status, out, _ = run(*arguments, tmp_path / "all.jsonl", "--model", folder / "model", "-o", target, "--json")
        assert status == 0
        assert json.loads(out)["documents"] == 3
    assert run("index", "--help")[0] == 0


def test_documents_come_and_go(run: Run, folder: Path, tmp_path: Path) -> None:
    more = write(tmp_path / "more.jsonl", ["XX-3-B1"])
    status, out, _ = run("index", "add", folder, more)
    assert (status, "1 document added" in out, "3 documents" in out) == (0, True, True)
    status, _, err = run("index", "add", folder, more)
    assert (status, "are in the index already (XX-3-B1)" in err) == (1, True)
    status, out, _ = run(
        "index", "add", folder, write(tmp_path / "new.jsonl", ["XX-3-B1"], "Rubber."), "--replace", "--json"
    )
    assert (status, json.loads(out)["documents"], json.loads(out)["added"]) == (0, 3, 1)
    status, out, _ = run("index", "delete", folder, "XX-1-A1", "--json")
    assert (status, json.loads(out)["documents"], json.loads(out)["deleted"]) == (0, 2, 1)
    status, _, err = run("index", "delete", folder, "XX-1-A1")
    assert (status, "Not in the index: XX-1-A1" in err) == (1, True)
    status, out, _ = run("index", "merge", folder, "--json")
    assert (status, json.loads(out)["deleted_documents"], json.loads(out)["segments"]) == (0, 0, 1)


def test_documents_without_text_are_counted(run: Run, folder: Path, tmp_path: Path) -> None:
    more = write(tmp_path / "more.jsonl", ["XX-3-B1"])
    with more.open("a", encoding="utf-8") as file:
        file.write('{"id": "XX-4-A1"}\n{"id": "XX-5-A1"}\n')
    _, out, _ = run("index", more, "--model", folder / "model", "-o", tmp_path / "new")
    assert "Without any text, and so passed over: 2." in " ".join(out.split())
    status, out, _ = run("index", "add", folder, more, "--json")
    assert (status, json.loads(out)["added"], json.loads(out)["without_text"]) == (0, 1, 2)


def test_what_cannot_be_read_is_told_when_nothing_is_left_to_learn_from(
    run: Run, tmp_path: Path, tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    monkeypatch.setattr("sparse_coverage.load_encoder", lambda **settings: encoder)
    (tmp_path / "broken.jsonl").write_text('{"id": \n', encoding="utf-8")
    status, _, err = run("index", tmp_path / "broken.jsonl", "-o", tmp_path / "new")
    assert status == 1
    assert err.count("broken.jsonl") == 1
    assert "There is nothing to index: the input holds no text." in err


def test_damage_is_named_and_shows_in_the_exit_status(run: Run, folder: Path) -> None:
    assert run("index", "verify", folder)[0] == 0
    path = next(folder.glob("segments/*/postings.bin"))
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    status, out, _ = run("index", "verify", folder, "--json")
    assert (status, json.loads(out)["damaged"]) == (1, [str(path.relative_to(folder))])
    status, out, _ = run("index", "verify", folder)
    assert status == 1
    assert "postings.bin" in out.replace("\n", "")
    status, _, err = run("search", folder, QUERY, "--json")
    assert status == 1
    assert "postings.bin: damaged" in err


def test_a_search_can_be_bound_to_what_is_prior_art(run: Run, folder: Path) -> None:
    assert set(found(run("search", folder, QUERY, "--json")[1])) == {"XX-1-A1", "XX-2-A1"}
    assert found(run("search", folder, QUERY, "--json", "--before", "2001")[1]) == ["XX-1-A1"]
    assert found(run("search", folder, QUERY, "--json", "--not-family-of", "XX-1-A1")[1]) == ["XX-2-A1"]
    _, out, err = run("search", folder, QUERY, "--json", "--not-family-of", "XX-1-A1", "--not-family-of", "XX-77-A1")
    assert found(out) == ["XX-2-A1"]
    assert (err.count("Note:"), "neither XX-77-A1 nor a member of its family" in err) == (1, True)
    assert found(run("search", folder, QUERY, "--json", "--filter", "ipc:F04B and not published<2000")[1]) == [
        "XX-2-A1"
    ]
    assert found(run("search", folder, QUERY, "--json", "--filter", "ipc:F04B", "--before", "2001")[1]) == []
    status, _, err = run("search", folder, QUERY, "--filter", "colour:red")
    assert status == 1
    assert "no field 'colour'" in err
    status, out, _ = run("search", folder, QUERY, "--before", "1900")
    assert (status, "Nothing" in out) == (0, True)


def test_what_a_query_cost_can_be_asked(folder: Path) -> None:
    def cost(ranking: str) -> QueryCost:
        with OpenIndex.open(folder, ranking) as opened:
            found = opened.search(SearchRequest(query=QUERY, ranking=ranking, profile=True))
        assert {hit.document for hit in found.hits} == {"XX-1-A1", "XX-2-A1"}
        assert found.cost is not None
        return found.cost

    centers, everything = cost("centers"), cost("combined")
    assert everything.postings > centers.postings > 0, "words are read beside centers"
    assert (centers.vectors, everything.vectors) == (0, 2)
    stages = ("encoding", "filtering", "feedback", "scoring", "selecting", "reading")
    assert everything.total == pytest.approx(sum(getattr(everything, stage) for stage in stages))


def test_other_rankings_are_options(run: Run, folder: Path) -> None:
    for ranking in ("combined", "centers", "words", "vectors"):
        answer = json.loads(run("search", folder, QUERY, "--json", "--ranking", ranking)[1])
        assert answer["about"]["ranking"] == ranking
        passages = ("--rerank", "passages", "--top", "1", "--ranking", ranking)
        listed = json.loads(run("search", folder, QUERY, "--json", *passages)[1])["passages"]
        assert len(listed) == 1
    assert "XX-" in run("search", folder, QUERY, "--rerank", "passages")[1]
    assert run("search", folder, QUERY, "--rerank", "passages", "--report", "x.html")[0] == 1


def test_an_index_without_words_and_vectors_ranks_by_centers_and_says_so(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    target = tmp_path / "plain"
    build = ("index", tmp_path / "all.jsonl", "--model", folder / "model", "-o", target)
    assert run(*build, "--without", "words,vectors")[0] == 0
    status, out, err = run("search", target, QUERY, "--json")
    assert (status, json.loads(out)["about"]["ranking"]) == (0, "centers")
    assert "keeps no words and vectors of passages, so it ranks by centers alone" in err
    status, _, err = run("search", target, QUERY, "--ranking", "words")
    assert (status, "keeps no words of passages" in err) == (1, True)
    status, _, err = run("index", tmp_path / "all.jsonl", "-o", tmp_path / "other", "--without", "letters")
    assert (status, "not without 'letters'" in err) == (1, True)


def test_a_whole_document_can_be_set_against_the_query(run: Run, folder: Path) -> None:
    answers = json.loads(run("explain", folder, QUERY, "XX-2-A1", "--whole", "--json")[1])
    assert answers["document"] == "XX-2-A1"
    assert len(answers["found"]) + len(answers["missing"]) == 3  # plunger, spring, pump
    assert set(answers["passages"]) == {answer["passage"] for answer in answers["found"]}
    out = run("explain", folder, QUERY, "XX-2-A1", "--whole")[1].replace("\n", " ")
    assert "nothing in this document answers" in out


@pytest.mark.parametrize("command", ["search", "explain", "show"])
def test_what_only_an_ablation_needs_is_no_option_of_a_search(run: Run, folder: Path, command: str) -> None:
    page = run(command, "--help")[1]
    assert not [name for name in ("--alpha", "--gamma", "--rho", "--feedback", "--documents-by") if name in page]


def test_an_explanation_follows_the_ranking_of_the_search(run: Run, folder: Path) -> None:
    for ranking in ("centers", "words"):
        (first, *_) = json.loads(run("search", folder, QUERY, "--json", "--ranking", ranking)[1])["hits"]
        explained = json.loads(run("explain", folder, QUERY, first["document"], "--json", "--ranking", ranking)[1])
        assert explained["score"] == pytest.approx(first["score"], rel=1e-6)


def test_a_hit_and_a_passage_have_the_same_keys_whichever_command_gives_them(run: Run, folder: Path) -> None:
    searches = [
        json.loads(run("search", folder, QUERY, "--json", *options)[1])["hits"]
        for options in ([], ["--ranking", "centers"], ["--ranking", "words"])
    ]
    passages = json.loads(run("search", folder, QUERY, "--json", "--rerank", "passages")[1])["passages"]
    explained = json.loads(run("explain", folder, QUERY, "XX-1-A1", "--json")[1])
    assert {tuple(hit) for hits in searches for hit in hits} == {
        ("document", "title", "score", "metadata", "passages", "members", "closeness")
    }
    passages += [passage for hits in searches for hit in hits for passage in hit["passages"]] + [explained["passage"]]
    assert {tuple(passage) for passage in passages} == {("id", "document", "section", "text", "score", "number")}


def test_the_report_shows_what_the_terminal_shows_and_more(run: Run, folder: Path, tmp_path: Path) -> None:
    plain = run("search", folder, QUERY)[1]
    status, out, _ = run("search", folder, QUERY, "--report", tmp_path / "report.html")
    assert (status, out.startswith(plain), "Report:" in out) == (0, True, True)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(f"Title of {id_}" in page for id_ in ("XX-1-A1", "XX-2-A1"))
    assert "<mark" in page
    assert page.count("Found because ") == 2, "one plain line says why a document is there"
    assert 'class="bar"' not in page, "no bar shows the best of nothing as full"


def test_a_report_that_cannot_be_written_is_refused_in_words(run: Run, folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.html"
    there.mkdir()
    status, _, err = run("search", folder, QUERY, "--report", there)
    assert status == 1
    assert f"{there} is a folder. Name a file in it" in err
    assert "Errno" not in err
    status, _, err = run("search", folder, QUERY, "--report", tmp_path / "report.odt")
    assert status == 2
    assert "a report is written as .html, .docx, .xlsx, .pdf, .csv" in " ".join(err.split())


def test_a_search_loads_only_what_it_needs(folder: Path) -> None:
    """Readers, reports, baselines, and what makes vocabularies and indexes take as long to load as the search itself."""
    code = """
import sys
from sparse_coverage.cli import main
sys.argv = ["sparse-coverage", "search", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    needless = ["jinja2", "lxml", "numba", "torch"]
    needless += [f"sparse_coverage.{name}" for name in (
        "patents.readers", "vocabulary.build", "vocabulary.sampler",
        "index.writer", "search.building", "retrievers.splade", "retrievers.colbert")]
    print(stop.code, [name for name in needless if name in sys.modules], file=sys.stderr)
"""
    words = [sys.executable, "-c", code, str(folder), QUERY]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "XX-2-A1" in done.stdout
    assert done.stderr.splitlines()[-1] == "0 []"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_query_is_encoded_once_whatever_is_printed(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, form: list[str]
) -> None:
    encoded: list[str] = []
    encode = OpenVinoEncoder.encode

    def counted(self: OpenVinoEncoder, texts: Iterable[str]) -> Iterator[TokenVectors]:
        texts = list(texts)
        encoded.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(OpenVinoEncoder, "encode", counted)
    assert run("search", folder, QUERY, *form)[0] == 0
    assert encoded == [QUERY]
