"""`fit` and `vocabulary show|verify|compare|analyse` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sparse_coverage import Index, SparseCoverage, read_patents
from sparse_coverage.cli import fit, vocabulary
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.patents import passages

SENTENCES = [
    "A valve comprising a spring and a plunger.",
    "A pump housing with a sensor for the noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "Method of reducing noise in a headset by means of a microphone.",
]


def run(command: object, *arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)  # type: ignore[arg-type]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    status = result.return_value if isinstance(result.return_value, int) else result.exit_code
    assert status == code, result.output
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Path:
    """A model fitted by the command, with its work folder."""
    folder = tmp_path_factory.mktemp("cli")
    lines = [
        json.dumps({"_id": f"P{n}", "title": f"Title {n}", "text": sentence, "metadata": {}})
        for n, sentence in enumerate(SENTENCES * 5)
    ]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    result = run(
        fit.command, folder / "corpus.jsonl", "-o", folder / "model", "--encoder", tiny_checkpoint,
        "-V", 60, "--sizes", "15,30", "--work", folder / "work", "--preset", "paper", "--json",
    )  # fmt: skip
    facts = json.loads(result.stdout)
    assert (facts["size"], facts["documents"], facts["selection"]) == (60, 20, "farthest-first")
    return folder


def test_show_names_centers_by_their_anchors(folder: Path) -> None:
    shown = json.loads(run(vocabulary.command, "show", folder / "model", "-n", 5, "--neighbours", 2, "--json").stdout)
    assert (shown["size"], len(shown["centers"])) == (60, 5)
    for center in shown["centers"]:
        assert center["text"] in " ".join(SENTENCES) + " Title " + " ".join(map(str, range(20)))
        assert center["document"].startswith("P")
        assert len(center["neighbours"]) == 2
        assert center["neighbours"][0]["similarity"] >= center["neighbours"][1]["similarity"]
    table = run(vocabulary.command, "show", folder / "model", "--sort", "spans").stdout
    assert "nearest centers" in table


def test_show_says_how_it_was_made_and_how_well_it_covers(folder: Path) -> None:
    shown = json.loads(run(vocabulary.command, "show", folder / "model", "--json").stdout)
    assert [level["size"] for level in shown["sizes"]] == [15, 30, 60]
    errors = [level["error"] for level in shown["sizes"]]
    assert errors == sorted(errors, reverse=True)
    assert all(0.9 < level["covered"] <= 1 for level in shown["sizes"])
    assert shown["config"]["selection"] == "farthest-first"
    text = run(vocabulary.command, "show", folder / "model").stdout
    assert "chosen by farthest-first (seed 0) from" in text
    assert "spans covered" in text


def test_show_finds_and_sorts(folder: Path) -> None:
    found = json.loads(run(vocabulary.command, "show", folder / "model", "--find", "PUMP", "--json").stdout)
    assert found["centers"]
    assert all("pump" in center["text"].lower() for center in found["centers"])
    assert "No anchor contains 'xyzzy'" in run(vocabulary.command, "show", folder / "model", "--find", "xyzzy").stdout
    sizes = [
        center["spans"]
        for center in json.loads(
            run(vocabulary.command, "show", folder / "model", "--sort", "spans", "-n", 60, "--json").stdout
        )["centers"]
    ]
    assert sizes == sorted(sizes, reverse=True)
    with pytest.raises(InputError, match="--index"):
        run(vocabulary.command, "show", folder / "model", "--sort", "df")


def test_show_takes_document_frequencies_from_an_index(folder: Path, tmp_path: Path) -> None:
    model = SparseCoverage.load(folder / "model", threads=1)
    Index.build(tmp_path / "index", model, read_patents(folder / "corpus.jsonl"))
    arguments = ("show", folder / "model", "--index", tmp_path / "index", "--sort", "df", "-n", 60, "--json")
    centers = json.loads(run(vocabulary.command, *arguments).stdout)["centers"]
    frequencies = {center["center"]: center["df"] for center in centers}
    assert list(frequencies.values()) == sorted(frequencies.values(), reverse=True)
    texts = [passage.text for patent in read_patents(folder / "corpus.jsonl") for passage in passages(patent)]
    vectors = model.encode_document(texts)
    for center, df in frequencies.items():
        assert df == sum(center in vector.centers for vector in vectors)


def test_verify_holds_and_fails_with_a_status(folder: Path, tmp_path: Path) -> None:
    output = run(vocabulary.command, "show", folder / "model", "--verify", "--work", folder / "work").stdout
    assert output.count("holds") == 10
    findings = json.loads(run(vocabulary.command, "show", folder / "model", "--verify", "--json").stdout)
    assert [finding["holds"] for finding in findings] == [True, True, True]
    other = run(
        fit.command, folder / "corpus.jsonl", "-o", tmp_path / "other", "--encoder",
        json.loads((folder / "model" / "vocabulary.json").read_text())["config"]["encoder"],
        "-V", 60, "--seed", 1, "--work", tmp_path / "work", "--max-spans", 150, "--preset", "paper",
    )  # fmt: skip
    assert "60 centers from 150 spans" in other.stdout
    failed = run(vocabulary.command, "show", folder / "model", "--verify", "--work", tmp_path / "work", code=1)
    assert "FAILS" in failed.stdout


def test_analyse_tells_every_size_and_draws(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "panels.svg"
    arguments = ("analyse", folder / "model", "--work", folder / "work", "--plot", plot)
    found = json.loads(run(vocabulary.command, *arguments, "--json").stdout)
    assert [row["size"] for row in found] == [15, 30, 60]
    assert plot.stat().st_size > 1000
    with pytest.raises(InputError, match="as many --work folders"):
        run(vocabulary.command, "analyse", folder / "model", folder / "model", "--work", folder / "work")


def test_fit_samples_documents_and_refuses_what_cannot_work(folder: Path, tmp_path: Path) -> None:
    encoder = json.loads((folder / "model" / "vocabulary.json").read_text())["config"]["encoder"]
    common = (fit.command, folder / "corpus.jsonl", "--encoder", encoder)
    facts = json.loads(run(*common, "-o", tmp_path / "few", "--max-documents", 7, "--json").stdout)
    assert facts["documents"] == 7
    with pytest.raises(InputError, match="exists already"):
        run(*common, "-o", folder / "model")
    with pytest.raises(InputError, match="numbers with commas"):
        run(*common, "-o", tmp_path / "x", "--sizes", "10;20")
    with pytest.raises(InputError, match="read only once"):
        run(fit.command, "-", "-o", tmp_path / "x", "--max-documents", 5)
    with pytest.raises(MismatchError, match="seed 0 there, 9 here"):
        run(*common, "-o", tmp_path / "x", "--seed", 9, "--work", folder / "work")
