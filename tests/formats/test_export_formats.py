"""Each format, read by the tool it is for where that can be installed, ranks as we do."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from small_index import CENTERS, made_up_source, our_scores, random_queries

from sparse_coverage.errors import InputError
from sparse_coverage.formats import FORMATS, Exported, ExportFormat, Source, export_index
from sparse_coverage.vectors import SparseVector

QUERIES = [vector for vector in random_queries(5, 6) if len(vector) > 2]
NAMES = [f"Q{number}" for number in range(len(QUERIES))]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return made_up_source(tmp_path_factory.mktemp("store") / "index", seed=4, documents=30)


def export(source: Source, folder: Path, format_: str, bits: int | None = None) -> Exported:
    return export_index(source, folder, format_, queries=source.queries(NAMES, QUERIES), bits=bits)


def assert_same(source: Source, query: SparseVector, found: dict[str, float], error: float) -> None:
    """The scores are ours within a share of the best one; units without a score may be missing."""
    expected = our_scores(source, query)
    allowed = error * max(expected.values())
    assert found.keys() <= expected.keys()
    for id_, score in expected.items():
        assert found.get(id_, 0.0) == pytest.approx(score, abs=allowed)


@pytest.mark.parametrize("format_", FORMATS)
def test_every_export_says_how_it_was_made_and_what_its_terms_and_units_are(source, tmp_path, format_):
    exported = export(source, tmp_path / "out", format_)
    about = json.loads((tmp_path / "out" / "export.json").read_text(encoding="utf-8"))
    assert (about["format"], about["units"], about["queries"]) == (format_, len(source), len(QUERIES))
    assert about["bits"] == exported.bits == (FORMATS[format_].bits or None)
    assert about["document_scale"] == exported.document_scale
    terms = [line.split("\t") for line in (tmp_path / "out" / "terms.tsv").read_text(encoding="utf-8").splitlines()]
    assert [term[0] for term in terms] == list(source.names)
    assert [term[3] == "stop" for term in terms] == source.statistics.stop.tolist()
    units = [line.split("\t") for line in (tmp_path / "out" / "units.tsv").read_text(encoding="utf-8").splitlines()]
    assert units == [[unit.id, unit.document] for unit in source.passages()]


@pytest.mark.parametrize("bits", [8, 12])
def test_anserini_gets_impacts_and_queries_of_repeated_terms(source, tmp_path, bits):
    exported = export(source, tmp_path / "out", "anserini", bits)
    files = sorted((tmp_path / "out" / "corpus").iterdir())
    assert len(files) == len(source.store.segments)
    records = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    lines = (tmp_path / "out" / "queries.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in lines] == NAMES
    for query, line in zip(QUERIES, lines, strict=True):
        counts = Counter(line.split("\t")[1].split())
        # What Lucene does with pretokenised impacts: the sum over terms of occurrences in the query times the impact.
        scores = {
            record["id"]: sum(counts[term] * impact for term, impact in record["vector"].items())
            / (exported.document_scale * exported.query_scale)
            for record in records
        }
        assert all(isinstance(impact, int) for record in records for impact in record["vector"].values())
        assert_same(source, query, scores, error=4 * CENTERS / 2**bits)


def test_scipy_opens_the_matrix(source, tmp_path):
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed (it comes with the extra [eval])")
    export(source, tmp_path / "out", "csr")
    documents = sparse.load_npz(tmp_path / "out" / "documents.npz")
    queries = sparse.load_npz(tmp_path / "out" / "queries.npz")
    assert documents.shape == (len(source), CENTERS)
    assert documents.has_canonical_format
    ids = [line.split("\t")[0] for line in (tmp_path / "out" / "units.tsv").read_text(encoding="utf-8").splitlines()]
    assert (tmp_path / "out" / "queries.txt").read_text(encoding="utf-8").split() == NAMES
    scores = (queries @ documents.T).toarray()
    for query, row in zip(QUERIES, scores, strict=True):
        assert_same(source, query, dict(zip(ids, row.tolist(), strict=True)), error=1e-5)


def test_what_cannot_be_done_is_said_before_anything_is_written(source, tmp_path):
    with pytest.raises(InputError, match="no format 'parquet'"):
        export_index(source, tmp_path / "out", "parquet")
    with pytest.raises(InputError, match="weights of 'csr' are floats"):
        export_index(source, tmp_path / "out", "csr", bits=8)
    with pytest.raises(InputError, match="1 to 16 bits"):
        export_index(source, tmp_path / "out", "anserini", bits=40)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(InputError, match="not an empty folder"):
        export_index(source, tmp_path / "full", "csr")


def write_ids(source, folder, queries, bits):
    ids = [passage.id for passage in source.passages()]
    (folder / "ids.txt").write_text("\n".join(ids), encoding="utf-8")
    return {}


IDS = ExportFormat("ids", "the ids alone", write_ids)


def test_a_format_of_ones_own_is_given_as_it_is(source, tmp_path):
    assert export_index(source, tmp_path / "given", IDS).format == "ids"
    assert (tmp_path / "given" / "ids.txt").read_text().split() == [passage.id for passage in source.passages()]
    with pytest.raises(InputError, match="'ids' are floats"):
        export_index(source, tmp_path / "bits", IDS, bits=8)
    with pytest.raises(InputError, match="The formats are anserini, csr"):
        export_index(source, tmp_path / "unknown", "ids")
