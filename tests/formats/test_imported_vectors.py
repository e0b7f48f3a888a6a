"""Vectors of other encoders: imported, searched, exported again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import made_up_source, our_scores, random_queries

from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.formats import VectorIndex, export_index, import_vectors
from sparse_coverage.formats.vector_index import read_vectors
from sparse_coverage.index import parse_filter
from sparse_coverage.index.filters import document

SPLADE = [
    {"id": "A", "text": "A valve.", "vector": {"valve": 2.5, "spring": 1.0, "unused": 0}},
    {"id": "B", "vector": {"pump": 3.1, "valve": 0.5}},
    {"id": 7, "vector": {}},
    {"id": "C", "vector": {"spring": 0.25}},
]
WORDS = ["valve", "spring", "pump", "sensor", "ä", "##ing"]
VECTOR = st.dictionaries(st.sampled_from(WORDS), st.floats(2**-6, 2**6, width=16), max_size=5)


def write(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_query_is_answered_by_dot_products(tmp_path):
    index = import_vectors(write(tmp_path / "splade.jsonl", SPLADE), tmp_path / "index")
    assert len(index) == 4
    hits = index.search({"valve": 2.0, "spring": 1.0, "never seen": 9.0})
    assert [hit.document for hit in hits] == ["A", "B", "C"]
    assert [hit.score for hit in hits] == pytest.approx([6.0, 1.0, 0.25], rel=1e-4)
    assert hits[0].passages[0].text == "A valve."
    assert index.search({"never seen": 1.0}) == []
    assert [[hit.document for hit in hits] for hits in index.search([{"pump": 1.0}, {}], k=1)] == [["B"], []]
    assert [hit.document for hit in index.search({"valve": 1.0}, filter=~document("A"))] == ["B"]


@given(units=st.lists(VECTOR, min_size=1, max_size=12), query=VECTOR)
@settings(max_examples=examples(25))
def test_scores_are_those_of_the_weights_as_they_were(tmp_path_factory, units, query):
    folder = tmp_path_factory.mktemp("imported")
    if not any(units):
        units[0] = {"valve": 1.0}
    records = [{"id": f"D{number}", "vector": vector} for number, vector in enumerate(units)]
    index = import_vectors(write(folder / "in.jsonl", records), folder / "index")
    found = {hit.document: hit.score for hit in index.search(query, k=len(units))}
    largest = max(weight for vector in units for weight in vector.values())
    for number, vector in enumerate(units):
        exact = sum(query.get(term, 0.0) * weight for term, weight in vector.items())
        allowed = sum(query.values()) * largest / 65535 + 1e-6 * exact
        assert found.get(f"D{number}", 0.0) == pytest.approx(exact, abs=allowed)


def test_filters_read_the_metadata(tmp_path):
    records = [
        {"id": id_, "vector": {"valve": 1.0}, "metadata": {"publication_date": f"{year}-01-01", "ipc": ["F16K 1/00"]}}
        for id_, year in (("A", 1999), ("B", 2003))
    ]
    index = import_vectors(write(tmp_path / "in.jsonl", records), tmp_path / "index")
    assert [hit.document for hit in index.search({"valve": 1.0}, filter=parse_filter("published<2001"))] == ["A"]
    assert len(index.search({"valve": 1.0}, filter=parse_filter("ipc:F16K"))) == 2


def test_units_of_one_document_are_ranked_by_the_best(tmp_path):
    records = [
        {"id": "A/1", "document": "A", "title": "First", "vector": {"valve": 1.0}},
        {"id": "A/2", "document": "A", "vector": {"valve": 3.0}},
        {"id": "B/1", "document": "B", "vector": {"valve": 2.0}},
    ]
    index = import_vectors(write(tmp_path / "in.jsonl", records), tmp_path / "index")
    hits = index.search({"valve": 1.0})
    assert [(hit.document, hit.title, hit.passages[0].id) for hit in hits] == [("A", "First", "A/2"), ("B", "", "B/1")]


@pytest.mark.parametrize(("format_", "file"), [("anserini", "corpus/part-00000.jsonl"), ("seismic", "documents.jsonl")])
def test_our_own_exports_come_back(tmp_path, format_, file):
    """Exported and imported again: the same documents with the same scores, apart from quantisation."""
    source = made_up_source(tmp_path / "made", seed=9, documents=4)
    vectors = random_queries(9)
    exported = export_index(source, tmp_path / "out", format_, bits=12 if format_ == "anserini" else None)
    assert len(source.store.segments) == 1
    owners = {passage.id: passage.document for passage in source.passages()}
    back = import_vectors(tmp_path / "out" / file, tmp_path / "back")
    for _, terms, weights in source.queries([str(n) for n in range(len(vectors))], vectors):
        query = {source.names[term]: weight for term, weight in zip(terms.tolist(), weights.tolist(), strict=True)}
        found = {hit.document: hit.score / exported.document_scale for hit in back.search(query, k=len(back))}
        vector = vectors.pop(0)
        best: dict[str, float] = {}
        for passage, score in our_scores(source, vector).items():
            best[owners[passage]] = max(score, best.get(owners[passage], 0.0))
        assert found.keys() <= best.keys()
        for id_, score in best.items():
            assert found.get(id_, 0.0) == pytest.approx(score, abs=2e-3 * sum(weights.tolist()))


def test_an_imported_index_is_exported_with_its_own_terms(tmp_path):
    index = import_vectors(write(tmp_path / "in.jsonl", SPLADE), tmp_path / "index")
    source = index.source()
    queries = source.queries(["q"], [index.query({"valve": 2.0, "pump": 1.0})])
    export_index(source, tmp_path / "out", "seismic", queries=queries)
    out = {vector.id: vector for vector in read_vectors(tmp_path / "out" / "documents.jsonl")}
    assert out.keys() == {"A", "B", "7", "C"}
    assert out["A"].weights == pytest.approx({"valve": 2.5, "spring": 1.0}, rel=1e-4)
    (asked,) = read_vectors(tmp_path / "out" / "queries.jsonl")
    assert asked.weights == {"pump": 1.0, "valve": 2.0}


def test_terms_with_spaces_cannot_go_to_anserini(tmp_path):
    index = import_vectors(write(tmp_path / "in.jsonl", [{"id": "A", "vector": {"heat pump": 1}}]), tmp_path / "index")
    with pytest.raises(InputError, match="'heat pump' has some"):
        export_index(index.source(), tmp_path / "out", "anserini")
    assert not (tmp_path / "out").exists()


def test_a_compressed_file_is_read_as_it_is(tmp_path):
    plain = write(tmp_path / "in.jsonl", SPLADE)
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert list(read_vectors(tmp_path / "in.jsonl.gz")) == list(read_vectors(plain))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", ":1: not JSON"),
        ("[" * 100_000, ":1: not JSON"),
        ('["A"]', ':1: expected an object such as {"id"'),
        ('{"vector": {"a": 1}}', ":1: expected an object"),
        ('{"id": "A", "vector": [1]}', ":1: expected an object"),
        ('{"id": "A", "vector": {"valve": -1}}', ":1: the weight of 'valve' must be a number that is not negative, not -1"),
        ('{"id": "A", "vector": {"valve": "2"}}', "not '2'"),
        ('{"id": "A", "vector": {"valve": NaN}}', "not nan"),
        ('{"id": "A", "vector": {"valve": 1}, "metadata": 3}', ":1: metadata must be an object, not 3"),
        ('{"id": "A", "vector": {}}', "nothing to index"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(tmp_path, line, message):
    (tmp_path / "in.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        import_vectors(tmp_path / "in.jsonl", tmp_path / "index")
    assert message in str(error.value)
    assert not (tmp_path / "index").exists()


def test_an_id_that_comes_twice_is_refused(tmp_path):
    records = [{"id": "A", "vector": {"a": 1}}, {"id": "B", "vector": {"a": 1}}, {"id": "A", "vector": {"b": 1}}]
    with pytest.raises(IndexStoreError, match="'A' is in the index already"):
        import_vectors(write(tmp_path / "in.jsonl", records), tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_a_missing_file_and_a_folder_without_an_import_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        import_vectors(tmp_path / "none.jsonl", tmp_path / "index")
    with pytest.raises(InputError, match="no index of imported vectors"):
        VectorIndex.open(tmp_path)


def test_changed_terms_are_noticed(tmp_path):
    index = import_vectors(write(tmp_path / "in.jsonl", SPLADE), tmp_path / "index")
    assert index.terms == ("pump", "spring", "valve")
    terms = tmp_path / "index" / "terms.json"
    terms.write_text(terms.read_text(encoding="utf-8").replace("pump", "bump"), encoding="utf-8")
    with pytest.raises(IndexStoreError, match=r"terms\.json: damaged"):
        VectorIndex.open(tmp_path / "index")


def test_weights_of_many_sizes_keep_their_order(tmp_path):
    weights = np.geomspace(1e-3, 10, 50).tolist()
    records = [{"id": f"D{number}", "vector": {"a": weight}} for number, weight in enumerate(weights)]
    index = import_vectors(write(tmp_path / "in.jsonl", records), tmp_path / "index")
    assert [hit.document for hit in index.search({"a": 1.0}, k=30)] == [f"D{n}" for n in range(49, 19, -1)]
