"""Small faults that users met: each is a command, and what it must say instead."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from letters_side import install_letters

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage, read_patents
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import IndexStoreError, MismatchError
from sparse_coverage.patents import Patent

TEXTS = (
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "A plunger biased by a spring seals the housing of the pump.",
)
Run = Callable[..., tuple[int, str, str]]
DAMAGED = """<?xml version="1.0" encoding="UTF-8"?>
<patent-document ucid="EP-0100001-B1" country="EP" doc-number="0100001" kind="B1" lang="EN" date="20020612">
<abstract lang="EN"><p>Research & development of a pump where p < q.</p></abstract>
</patent-document>
"""


def write(path: Path, texts: tuple[str, ...] = TEXTS) -> Path:
    records = ({"id": f"XX-{number}-A1", "abstract": text} for number, text in enumerate(texts, 1))
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A small test collection with one judged query."""
    folder = tmp_path / "collection"
    (folder / "qrels").mkdir(parents=True)
    documents = [json.dumps({"_id": f"d{number}", "text": text}) for number, text in enumerate(TEXTS)]
    (folder / "corpus.jsonl").write_text("\n".join(documents), encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "a spring"}\n', encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("q\td0\t1\n", encoding="utf-8")
    return folder


@pytest.fixture
def model(tmp_path: Path, tiny_checkpoint: Path) -> SparseCoverage:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = read_patents(write(tmp_path / "all.jsonl"))
    found = SparseCoverage.fit(
        patents, encoder=encoder, size=40, preset=Preset(activation=ActivationConfig(k=8, assignment="nearest"))
    )
    found.save(tmp_path / "model")
    return found


def test_an_option_equal_to_the_papers_default_is_not_taken_from_the_preset(
    run: Run, collection: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    base = ["evaluate", collection, "--encoder", tiny_checkpoint, "-V", 20, "--cache", tmp_path, "--system", "default"]
    default = json.loads(run(*base, "--json")[1])
    status, out, _ = run(*base, "--set", "repeats=0", "--json")
    [(name, row)] = json.loads(out)["systems"].items()
    assert status == 0
    assert row["options"]["repeats"] == 0
    assert "repeats=0.0" in name
    [other] = default["systems"].values()
    assert other["options"]["repeats"] == 0.4
    assert row["options"] | {"repeats": 0.4} == other["options"]


def test_what_vocabularies_could_not_be_learned_from_is_said(
    run: Run, collection: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    write(folder / "a.jsonl")
    (folder / "b.jsonl").write_text('{"id": \n', encoding="utf-8")
    base = ["evaluate", collection, "--encoder", tiny_checkpoint, "-V", 20, "--cache", tmp_path / "cache", "--json"]
    for _ in range(2):  # the second time the vocabulary is in the cache, and nothing is read
        notes = json.loads(run(*base, "--learn-from", folder)[1])["notes"]
        assert any(f"1 of --learn-from could not be used, the first: {folder / 'b.jsonl'}" in note for note in notes)


def test_verify_tells_an_unfinished_index_from_a_sound_one(run: Run, model: SparseCoverage, tmp_path: Path) -> None:
    def interrupted() -> Iterator[Patent]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        Index.build(tmp_path / "index", model, interrupted())
    status, out, _ = run("index", "verify", tmp_path / "index")
    assert status == 1
    assert "unfinished The build of this index did not finish: 0 of 0 documents are encoded" in out
    assert json.loads(run("index", "verify", tmp_path / "index", "--json")[1])["complete"] is False
    Index.build(tmp_path / "index", model, read_patents(tmp_path / "all.jsonl"))
    assert run("index", "verify", tmp_path / "index")[0] == 0


def test_the_next_command_can_be_copied_though_the_path_holds_a_blank(
    run: Run, model: SparseCoverage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_letters(monkeypatch)
    target = tmp_path / "my index"
    out = run("index", tmp_path / "all.jsonl", "--model", tmp_path / "model", "-o", target)[1].replace("\n", "")
    assert f"Next: sparse-coverage search '{target}'" in out.replace("search'", "search '")
    err = run("search", target, "a pump", "--ranking", "letters")[2]
    assert f"index refresh '{target}' --with letters" in err


def test_the_list_of_models_shows_whole_ids_and_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out = run("models")[1]
    assert "sentence-transformers/all-MiniLM-L6-v2" in out
    assert "ZoeYou/PatentMap-V0-SecPair-Claim" in out
    assert "(extra [torch])" in out


def test_an_index_folder_that_vanishes_is_not_blamed_on_the_disk(model: SparseCoverage, tmp_path: Path) -> None:
    def vanishing() -> Iterator[Patent]:
        yield from read_patents(tmp_path / "all.jsonl")
        shutil.rmtree(tmp_path / "index")

    with pytest.raises(IndexStoreError, match=r"was removed or moved while it was written to") as error:
        Index.build(tmp_path / "index", model, vanishing())
    assert "disk full" not in str(error.value)


def test_nothing_read_is_not_the_same_as_nothing_in_it(run: Run, tiny_checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text('{"id": \n', encoding="utf-8")
    status, _, err = run("fit", tmp_path / "broken.jsonl", "-o", tmp_path / "m", "--encoder", tiny_checkpoint)
    assert status == 1
    assert "Not one document was read" in err


@pytest.mark.parametrize("option", ["-V", "--unit", "--preset"])
def test_index_names_fit_for_the_options_of_a_model(run: Run, tmp_path: Path, option: str) -> None:
    status, _, err = run("index", write(tmp_path / "all.jsonl"), "-o", tmp_path / "new", option, "100")
    assert status == 2
    assert f"{option} says how a model is learned, so it is an option of `fit`" in err
    assert "No such option" in run("index", tmp_path / "all.jsonl", "-o", tmp_path / "new", "--colour", "red")[2]


def test_a_bare_ampersand_is_mended_and_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "damaged.xml").write_text(DAMAGED, encoding="utf-8")
    status, out, err = run("convert", tmp_path / "damaged.xml")
    assert json.loads(out)["abstract"] == "Research & development of a pump where p < q."
    assert (status, err.count("\n")) == (0, 1)
    place = f"{tmp_path / 'damaged.xml'}:3: EP-0100001-B1: "
    assert f"note {place}mended: & not written &amp;, < not written &lt;; all of it was read." in err


def test_what_mending_cannot_help_is_still_a_problem(run: Run, tmp_path: Path) -> None:
    cut = DAMAGED[: DAMAGED.index("development")]
    (tmp_path / "damaged.xml").write_text(cut, encoding="utf-8")
    status, out, err = run("convert", tmp_path / "damaged.xml")
    assert (status, out, "left out" in err) == (1, "", True)


def test_what_stands_in_comments_and_cdata_is_not_mended(run: Run, tmp_path: Path) -> None:
    text = DAMAGED.replace("where", "<![CDATA[R & D <x>]]> where").replace("<abstract", "<!-- a & b --><abstract")
    (tmp_path / "damaged.xml").write_text(text, encoding="utf-8")
    out = run("convert", tmp_path / "damaged.xml")[1]
    assert json.loads(out)["abstract"] == "Research & development of a pump R & D <x> where p < q."


def test_a_build_of_other_documents_leaves_an_interrupted_one_untouched(
    run: Run, model: SparseCoverage, tmp_path: Path
) -> None:
    def interrupted() -> SparseCoverage:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(tmp_path / "index", interrupted, read_patents(tmp_path / "all.jsonl"), by=model.by)
    before = {path: path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file()}
    (tmp_path / "other.jsonl").write_text('{"id": "XX-9-A1", "abstract": "A kettle with a lid."}\n', encoding="utf-8")
    status, _, err = run("index", tmp_path / "other.jsonl", "--model", tmp_path / "model", "-o", tmp_path / "index")
    assert (status, "3 of its 3 documents are not among these. Nothing was changed." in err) == (1, True)
    assert {path: path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file()} == before
    both = [tmp_path / "all.jsonl", tmp_path / "other.jsonl"]
    status, _, _ = run("index", *both, "--model", tmp_path / "model", "-o", tmp_path / "index")
    assert (status, Index.open(tmp_path / "index").store.state.documents) == (0, 4)


def test_a_model_that_cannot_be_learned_leaves_an_interrupted_build_untouched(
    model: SparseCoverage, tmp_path: Path
) -> None:
    def interrupted() -> SparseCoverage:
        raise KeyboardInterrupt

    def refused() -> SparseCoverage:
        raise MismatchError("the sample of other documents")

    patents = [*read_patents(tmp_path / "all.jsonl"), ("XX-9-A1", "A kettle with a lid.")]
    with pytest.raises(KeyboardInterrupt):
        Index.build(tmp_path / "index", interrupted, patents[:3], by="passage")
    with pytest.raises(MismatchError):
        Index.build(tmp_path / "index", refused, patents, by="passage")
    assert Index.open(tmp_path / "index").store.state.documents == 3


def test_a_second_build_into_a_folder_names_what_adds_to_it(run: Run, model: SparseCoverage, tmp_path: Path) -> None:
    Index.build(tmp_path / "index", model, read_patents(tmp_path / "all.jsonl"))
    status, _, err = run("index", tmp_path / "all.jsonl", "-o", tmp_path / "index")
    assert status == 1
    assert f"holds an index already. Add to it with: sparse-coverage index add {tmp_path / 'index'} PATHS" in err
    assert "--replace" in err


def test_known_documents_are_told_before_anything_is_encoded(
    run: Run, model: SparseCoverage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.build(tmp_path / "index", model, list(read_patents(tmp_path / "all.jsonl"))[:2])
    with monkeypatch.context() as patched:
        patched.setattr(Index, "add", lambda *_, **__: pytest.fail("nothing may be encoded"))
        status, _, err = run("index", "add", tmp_path / "index", tmp_path / "all.jsonl")
    assert (status, "2 of these 3 documents are in the index already (XX-1-A1, XX-2-A1)" in err) == (1, True)
    assert "--skip-known" in err
    status, out, _ = run("index", "add", tmp_path / "index", tmp_path / "all.jsonl", "--skip-known")
    assert (status, "1 document added. In the index already, and left as they are: 2." in out) == (0, True)
    status, _, err = run("index", "add", tmp_path / "index", tmp_path / "all.jsonl", "--skip-known", "--replace")
    assert (status, "one of them" in err) == (2, True)
