"""The command `export` as a user meets it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sparse_coverage import ActivationConfig, Index, Patent, Preset, SparseCoverage
from sparse_coverage.cli.engines import export_command
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.evaluation.trec import read_queries
from sparse_coverage.formats import open_source
from sparse_coverage.formats.export import export_index
from sparse_coverage.model import scoring_of
from sparse_coverage.patents import Paragraph

TEXTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "A plunger biased by a spring seals the housing of the pump.",
]
QUERY = "a plunger and a spring in the housing of a pump"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Index:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = [
        Patent(id=f"XX-{number}-A1", abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),))
        for number, text in enumerate(TEXTS)
    ]
    activation = ActivationConfig(k=8, assignment="nearest")
    model = SparseCoverage.fit(patents, encoder=encoder, size=40, preset=Preset(activation=activation))
    return Index.build(tmp_path_factory.mktemp("export") / "index", model, patents)


def run(command, *arguments: object) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if isinstance(result.exception, Exception):
        raise result.exception
    return result


def weights_in(path: Path) -> list[dict[int, float]]:
    """The rows of a file that SciPy reads, by center."""
    with np.load(path) as arrays:
        rows = zip(arrays["indptr"], arrays["indptr"][1:], strict=False)
        data, indices = arrays["data"], arrays["indices"]
        return [dict(zip(indices[a:b].tolist(), data[a:b].tolist(), strict=True)) for a, b in rows]


def test_an_index_is_exported_with_queries_and_ranks_outside_as_inside(index, tmp_path):
    (tmp_path / "queries.tsv").write_text(f"Q1\t{QUERY}\n", encoding="utf-8")
    printed = run(
        export_command, index.store.folder, "--format", "csr", "-o", tmp_path / "out", "--queries",
        tmp_path / "queries.tsv", "--json",
    ).stdout  # fmt: skip
    facts = json.loads(printed)
    assert (facts["passages"], facts["queries"], facts["bits"]) == (3, 1, None)
    (query,) = weights_in(tmp_path / "out" / "queries.npz")
    units = [line.split("\t")[0] for line in (tmp_path / "out" / "units.tsv").read_text("utf-8").splitlines()]
    scores = {
        unit: sum(query.get(center, 0.0) * weight for center, weight in weights.items())
        for unit, weights in zip(units, weights_in(tmp_path / "out" / "documents.npz"), strict=True)
    }
    opened = Index.open(index.store.folder)  # as the command does: in the precision of this machine
    expected = {hit.id: hit.score for hit in opened.ranked_by("centers").search_passages(QUERY, k=3)}
    assert len(expected) == 3
    assert scores == pytest.approx(expected, rel=1e-5)


def test_without_queries_no_encoder_is_needed(index, tmp_path, monkeypatch):
    monkeypatch.setattr(SparseCoverage, "load", lambda *_, **__: pytest.fail("the encoder was loaded"))
    printed = run(export_command, index.store.folder, "--format", "anserini", "-o", tmp_path / "out").stdout
    assert "3 passages" in printed
    assert "8-bit weights: score = dot product / " in printed
    assert (tmp_path / "out" / "corpus" / "part-00000.jsonl").stat().st_size > 0
    assert not (tmp_path / "out" / "queries.tsv").exists()


def test_a_model_that_does_not_belong_to_the_postings_is_refused(index, tmp_path, tiny_encoder):
    shutil.copytree(index.store.folder, tmp_path / "index")
    shutil.rmtree(tmp_path / "index" / "model")
    SparseCoverage.fit(TEXTS, encoder=tiny_encoder, size=20).save(tmp_path / "index" / "model")
    with pytest.raises(MismatchError, match="over 40 centers, the vocabulary beside them has 20"):
        run(export_command, tmp_path / "index", "--format", "csr", "-o", tmp_path / "out")


def test_the_score_of_the_model_changes_the_weights(index, tmp_path):
    scoring = scoring_of(index.store.folder / "model")
    for name, gamma in (("with", 0.5), ("without", 0)):
        export_index(open_source(index.store.folder, replace(scoring, gamma=gamma)), tmp_path / name, "csr")
    half, none = (weights_in(tmp_path / name / "documents.npz") for name in ("with", "without"))
    counts = index.store.segments[0].span_counts.tolist()
    for normalised, raw, spans in zip(half, none, counts, strict=True):
        assert normalised == pytest.approx({t: w / spans**0.5 for t, w in raw.items()}, rel=1e-5)


def test_queries_come_as_lines_or_json(tmp_path):
    (tmp_path / "q.tsv").write_text("Q1\tA valve\nQ2\tA pump\n", encoding="utf-8")
    (tmp_path / "q.jsonl").write_text(
        '{"_id": "Q1", "text": "A valve"}\n{"id": "Q2", "text": "A pump"}\n', encoding="utf-8"
    )
    assert read_queries(tmp_path / "q.tsv") == read_queries(tmp_path / "q.jsonl")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.tsv", "Q1\tA valve\nQ1\tA pump\n", "'Q1' comes twice"),
        ("q.tsv", "", "no queries"),
        ("q.jsonl", '{"id": "Q1"}\n', ":1: expected an object such as"),
        ("q.jsonl", "A valve\n", ":1: not JSON"),
        ("q.jsonl", "[" * 100_000, ":1: not JSON"),
    ],
)
def test_queries_that_cannot_be_read_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_queries(tmp_path / name)


def test_the_command_offers_the_formats_there_are():
    from sparse_coverage.formats import FORMATS

    [option] = [option for option in export_command.params if option.name == "format_"]
    assert option.type.names() == list(FORMATS)
