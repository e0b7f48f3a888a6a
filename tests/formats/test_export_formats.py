"""Each format, read by the tool it is for where that can be installed, ranks as we do."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from small_index import CENTERS, made_up_source, our_scores, random_queries

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.formats import FORMATS, Exported, ExportFormat, Source, export_index
from sparse_coverage.formats import export as exporting
from sparse_coverage.formats.ciff import open_ciff, open_ciff_in_pisa, write_pisa
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


def test_ciff_holds_impacts_by_term_and_the_length_of_each_unit(source, tmp_path):
    exported = export(source, tmp_path / "out", "ciff")
    with open_ciff(tmp_path / "out" / "index.ciff") as (header, lists, documents):
        matrix = np.zeros((header.documents, CENTERS))
        names = []
        for one in lists:
            names.append(one.term)
            matrix[one.documents, source.names.index(one.term)] = one.impacts
        read = list(documents)
    assert names == sorted(names)
    assert [document.number for document in read] == list(range(len(source)))
    assert [document.length for document in read] == matrix.sum(axis=1).tolist()
    assert (header.total_terms, header.average_length) == (matrix.sum(), matrix.sum() / len(source))
    lines = (tmp_path / "out" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    for query, line in zip(QUERIES, lines, strict=True):
        weights = json.loads(line)["vector"]
        assert all(isinstance(weight, int) for weight in weights.values())
        side = np.asarray([weights.get(name, 0.0) for name in source.names])
        scores = matrix @ side / (exported.document_scale * exported.query_scale)
        found = {document.id: score for document, score in zip(read, scores.tolist(), strict=True)}
        assert_same(source, query, found, error=2e-3)


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


def test_safetensors_hold_the_same_matrix(source, tmp_path):
    export(source, tmp_path / "csr", "csr")
    export(source, tmp_path / "safe", "safetensors")
    for part in ("documents", "queries"):
        arrays = load_file(tmp_path / "safe" / f"{part}.safetensors")
        with np.load(tmp_path / "csr" / f"{part}.npz") as expected:
            for name in ("data", "indices", "indptr", "shape"):
                np.testing.assert_array_equal(arrays[name], expected[name])


def test_seismic_ranks_as_we_do(source, tmp_path):
    seismic = pytest.importorskip("seismic", reason="Seismic is not installed (extra [bench])")
    export(source, tmp_path / "out", "seismic")
    index = seismic.SeismicIndex.build(str(tmp_path / "out" / "documents.jsonl"), num_threads=1)
    kind = seismic.get_seismic_string()
    for query, line in zip(
        QUERIES, (tmp_path / "out" / "queries.jsonl").read_text(encoding="utf-8").splitlines(), strict=True
    ):
        weights = json.loads(line)["vector"]
        rows = index.search(
            query_id="0",
            query_components=np.asarray(list(weights), dtype=kind),
            query_values=np.asarray(list(weights.values()), np.float32),
            k=len(source),
            query_cut=len(weights),
            heap_factor=1.0,
        )
        # It holds weights in half precision, and may pass over units: it is approximate.
        expected = our_scores(source, query)
        assert len(rows) >= 0.9 * sum(score > 0 for score in expected.values())
        for _, score, id_ in rows:
            assert score == pytest.approx(expected[id_], rel=2e-3)


def test_pisa_ranks_as_we_do(source, tmp_path):
    pytest.importorskip("pyterrier_pisa", reason="PISA is not installed (extra [pisa])")
    import pandas as pd

    exported = export(source, tmp_path / "out", "ciff")
    pisa = open_ciff_in_pisa(tmp_path / "out" / "index.ciff", tmp_path / "pisa")
    assert len(pisa) == len(source)
    lines = (tmp_path / "out" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    frame = pd.DataFrame([{"qid": line["id"], "query_toks": line["vector"]} for line in map(json.loads, lines)])
    found = pisa.quantized(num_results=len(source), toks_scale=1.0)(frame)
    for name, query in zip(NAMES, QUERIES, strict=True):
        rows = found[found["qid"] == name]
        scale = exported.document_scale * exported.query_scale
        assert_same(source, query, dict(zip(rows["docno"], rows["score"] / scale, strict=True)), error=2e-3)


def test_pisas_files_are_sequences_of_numbers_with_their_lengths(source, tmp_path):
    export(source, tmp_path / "out", "ciff")
    (tmp_path / "pisa").mkdir()
    write_pisa(tmp_path / "out" / "index.ciff", tmp_path / "pisa")

    def sequences(name: str) -> list[list[int]]:
        numbers, found, place = np.fromfile(tmp_path / "pisa" / name, "<u4").tolist(), [], 0
        while place < len(numbers):
            found.append(numbers[place + 1 : place + 1 + numbers[place]])
            place += 1 + numbers[place]
        return found

    with open_ciff(tmp_path / "out" / "index.ciff") as (header, lists, documents):
        read = list(lists)
        assert sequences("inv.docs") == [[header.documents], *(one.documents.tolist() for one in read)]
        assert sequences("inv.freqs") == [one.impacts.tolist() for one in read]
        kept = list(documents)
    assert sequences("inv.sizes") == [[document.length for document in kept]]
    assert (tmp_path / "pisa" / "fwd.terms").read_text().split("\n") == [*(one.term for one in read), ""]
    assert (tmp_path / "pisa" / "fwd.documents").read_text().split("\n") == [*(one.id for one in kept), ""]


def test_without_pisa_the_error_names_the_extra(monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "pyterrier_pisa", None)
    with pytest.raises(MissingExtraError, match=r"\[pisa\]"):
        open_ciff_in_pisa(tmp_path / "index.ciff", tmp_path / "pisa")


def test_what_cannot_be_done_is_said_before_anything_is_written(source, tmp_path):
    with pytest.raises(InputError, match="no format 'parquet'"):
        export_index(source, tmp_path / "out", "parquet")
    with pytest.raises(InputError, match="weights of 'csr' are floats"):
        export_index(source, tmp_path / "out", "csr", bits=8)
    with pytest.raises(InputError, match="1 to 16 bits"):
        export_index(source, tmp_path / "out", "ciff", bits=40)
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


def test_a_format_of_ones_own_is_given_as_it_is_or_by_the_name_of_an_entry_point(source, tmp_path, monkeypatch):
    assert export_index(source, tmp_path / "given", IDS).format == "ids"
    points = [EntryPoint("ids", f"{__name__}:IDS", ""), EntryPoint("wrong", f"{__name__}:NAMES", "")]
    monkeypatch.setattr(exporting, "entry_points", lambda group: points if group == "sparse_coverage.exports" else [])
    assert export_index(source, tmp_path / "named", "ids").format == "ids"
    assert (tmp_path / "named" / "ids.txt").read_bytes() == (tmp_path / "given" / "ids.txt").read_bytes()
    with pytest.raises(InputError, match="'ids' are floats"):
        export_index(source, tmp_path / "bits", IDS, bits=8)
    with pytest.raises(InputError, match="gives a list, not an ExportFormat"):
        export_index(source, tmp_path / "wrong", "wrong")
    with pytest.raises(InputError, match="opensearch, ids, wrong"):
        export_index(source, tmp_path / "unknown", "parquet")


def kept_by_lucene(weight: float) -> float:
    """The value that Lucene keeps of a weight: the float without the last 15 bits of its fraction."""
    return float((np.float32(weight).view(np.int32) >> 15 << 15).astype(np.int32).view(np.float32))


@pytest.mark.parametrize("server", ["elasticsearch", "opensearch"])
def test_bulk_files_and_queries_score_by_their_documented_meaning_as_we_do(source, tmp_path, server):
    export(source, tmp_path / "out", server)
    fields = json.loads((tmp_path / "out" / "index.json").read_text(encoding="utf-8"))["mappings"]["properties"]
    assert fields["centers"]["type"] == {"elasticsearch": "sparse_vector", "opensearch": "rank_features"}[server]
    lines = (tmp_path / "out" / "bulk-00001.ndjson").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[1::2]]
    assert [json.loads(line)["index"]["_id"] for line in lines[::2]] == [row["passage"] for row in rows]
    assert [(row["passage"], row["document"]) for row in rows] == [(one.id, one.document) for one in source.passages()]
    assert all(row.keys() <= fields.keys() and all(w > 0 for w in row.get("centers", {}).values()) for row in rows)
    bodies = [json.loads(line) for line in (tmp_path / "out" / "queries.ndjson").read_text("utf-8").splitlines()[1::2]]
    for query, body in zip(QUERIES, bodies, strict=True):
        (match,) = body["query"]["bool"]["must"]
        tokens = (
            match["sparse_vector"]["query_vector"]
            if server == "elasticsearch"
            else match["neural_sparse"]["centers"]["query_tokens"]
        )
        assert all(0 < weight <= 64 for weight in tokens.values())
        scores = {
            row["passage"]: body["query"]["bool"]["boost"]
            * sum(tokens[name] * kept_by_lucene(w) for name, w in row.get("centers", {}).items() if name in tokens)
            for row in rows
        }
        assert_same(source, query, scores, error=2**-8)


def test_bulk_files_stay_small_enough_for_one_request(source, tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_FILE_BYTES", 3_000)
    export(source, tmp_path / "out", "opensearch")
    files = sorted((tmp_path / "out").glob("bulk-*.ndjson"))
    assert len(files) > 3
    assert all(file.stat().st_size <= 3_000 for file in files)
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) == 2 * len(source)


def test_large_query_weights_are_scaled_and_boosted_back():
    body = exporting.search_body(
        "opensearch", ["a", "b"], np.asarray([0, 1], np.int32), np.asarray([300.0, 1.5], np.float32)
    )
    query = body["query"]["bool"]
    assert query["must"][0]["neural_sparse"]["centers"]["query_tokens"] == {"a": 37.5, "b": 0.1875}
    assert query["boost"] == 8.0
