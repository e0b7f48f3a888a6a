"""Files and request bodies for OpenSearch and Elasticsearch, held against what their documentation says. No server runs here:
a small evaluator of the documented meaning scores the files with the bodies, and must rank as the index does."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import engine_claims
import numpy as np
import pytest

from sparse_coverage import Index, ScoringConfig, SparseCoverage
from sparse_coverage.engines import bulk
from sparse_coverage.engines.bulk import FLAVORS, Flavor, export_bulk, facts_in, index_body, read_export, search_body
from sparse_coverage.engines.conditions import condition_of
from sparse_coverage.errors import InputError
from sparse_coverage.index import parse_filter

Rows = dict[str, dict[str, Any]]


def kept(weight: float) -> float:
    """The value that Lucene keeps of a weight: the float without the last 15 bits of its fraction."""
    bits = np.float32(weight).view(np.int32) >> 15 << 15
    return float(np.int32(bits).view(np.float32))


def load(folder: Path) -> Rows:
    rows: Rows = {}
    for path in sorted(folder.glob("bulk-*.ndjson")):
        content = path.read_bytes()
        assert content.endswith(b"\n")  # the bulk API asks for it
        lines = content.decode().splitlines()
        for action, source in zip(lines[::2], lines[1::2], strict=True):
            rows[json.loads(action)["index"]["_id"]] = json.loads(source)
    return rows


def meets(row: dict[str, Any], clause: dict[str, Any]) -> bool:
    ((kind, content),) = clause.items()
    if kind == "terms":
        ((field, values),) = content.items()
        held = row[field] if isinstance(row[field], list) else [row[field]]
        return bool(set(held) & set(values))
    if kind == "range":
        ((field, bounds),) = content.items()
        return bool(bounds["gte"] <= row[field] <= bounds["lte"])
    assert kind == "bool"
    assert set(content) <= {"filter", "should", "must_not", "minimum_should_match"}
    return (
        all(meets(row, part) for part in content.get("filter", []))
        and not any(meets(row, part) for part in content.get("must_not", []))
        and ("should" not in content or any(meets(row, part) for part in content["should"]))
    )


def run(rows: Rows, body: dict[str, Any], flavor: Flavor) -> list[tuple[str, float]]:
    """Rank documents as the body asks for it."""
    query = body["query"]["bool"]
    (match,) = query["must"]
    if flavor == "elasticsearch":
        assert match["sparse_vector"]["field"] == "centers"
        assert match["sparse_vector"]["prune"] is False
        tokens = match["sparse_vector"]["query_vector"]
    else:
        tokens = match["neural_sparse"]["centers"]["query_tokens"]
    assert all(0 < weight <= 64 for weight in tokens.values())
    best: dict[str, float] = {}
    for row in rows.values():
        if all(meets(row, clause) for clause in query.get("filter", [])):
            score = sum(tokens[name] * kept(weight) for name, weight in row["centers"].items() if name in tokens)
            if score:
                best[row["document"]] = max(best.get(row["document"], 0.0), score * query["boost"])
    assert body["collapse"]["field"] == "document"
    return sorted(best.items(), key=lambda item: -item[1])[: body["size"]]


@pytest.mark.parametrize("flavor", FLAVORS)
def test_files_and_bodies_rank_as_the_index_does(
    flavor: Flavor, local: Index, engine_model: SparseCoverage, queries: list[str], tmp_path: Path
) -> None:
    report = export_bulk(local.store, flavor, tmp_path / "files")
    rows = load(tmp_path / "files")
    assert (len(rows), report.passages, report.documents) == (len(local), len(local), local.store.state.documents)
    found_flavor, known = read_export(tmp_path / "files")
    assert found_flavor == flavor
    statistics = known.scored(ScoringConfig())
    expressions = [None, *engine_claims.FILTERS]
    for number, query in enumerate(queries):
        vector = engine_model.encode_query(query)
        centers, factors = statistics.factors(vector.centers, vector.weights)
        for expression in expressions if number == 0 else [None]:
            filter_ = None if expression is None else parse_filter(expression)
            condition = None if filter_ is None else condition_of(filter_, facts_in(local.store))
            body = json.loads(json.dumps(search_body(flavor, centers, factors, 1000, condition=condition)))
            found = dict(run(rows, body, flavor))
            expected = {hit.document: hit.score for hit in local.search(query, 1000, filter=filter_)}
            assert found.keys() == expected.keys()
            for document, score in expected.items():
                # Lucene cuts bits off, so its score is never higher and at most 2^-8 lower.
                assert score * (1 - 2**-8) <= found[document] * (1 + 1e-5)
                assert found[document] <= score * (1 + 1e-5)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_every_field_of_a_row_is_in_the_mapping_and_of_its_type(flavor: Flavor, local: Index, tmp_path: Path) -> None:
    export_bulk(local.store, flavor, tmp_path / "files")
    mapping = json.loads((tmp_path / "files" / "index.json").read_text())["mappings"]
    assert mapping == index_body(flavor)["mappings"]
    types = {name: field["type"] for name, field in mapping["properties"].items()}
    assert types["centers"] == {"elasticsearch": "sparse_vector", "opensearch": "rank_features"}[flavor]
    for row in load(tmp_path / "files").values():
        assert row.keys() == types.keys()
        # Both fields take strictly positive values only, and no name with a dot in it.
        assert row["centers"]
        assert all(weight > 0 and name.isdecimal() for name, weight in row["centers"].items())
        for name, kind in types.items():
            held = row[name] if isinstance(row[name], list) else [row[name]]
            wanted = {"integer": int, "keyword": str, "text": str}.get(kind, dict)
            assert all(isinstance(value, wanted) for value in held), name


def test_large_query_weights_are_scaled_and_boosted_back() -> None:
    centers, factors = np.asarray([3, 9]), np.asarray([300.0, 1.5])
    body = search_body("opensearch", centers, factors, 7, passages=2)
    query = body["query"]["bool"]
    tokens = query["must"][0]["neural_sparse"]["centers"]["query_tokens"]
    assert tokens == {"3": 37.5, "9": 0.1875}
    assert query["boost"] == 8.0
    assert (body["size"], body["collapse"]["inner_hits"]["size"]) == (7, 2)
    small = search_body("elasticsearch", centers, np.asarray([64.0, 1.0]), 7)
    assert small["query"]["bool"]["boost"] == 1.0
    with pytest.raises(InputError, match="no center that counts"):
        search_body("opensearch", centers[:0], factors[:0], 7)


def test_files_stay_small_enough_for_one_request(local: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_FILE_BYTES", 30_000)
    report = export_bulk(local.store, "opensearch", tmp_path / "files")
    sizes = [path.stat().st_size for path in (tmp_path / "files").glob("bulk-*.ndjson")]
    assert report.files == len(sizes) > 3
    assert report.bytes == sum(sizes)
    assert max(sizes) <= 30_000
    assert len(load(tmp_path / "files")) == len(local)


def test_the_script_that_loads_is_sound_and_a_stranger_folder_is_refused(local: Index, tmp_path: Path) -> None:
    export_bulk(local.store, "opensearch", tmp_path / "files")
    subprocess.run(["sh", "-n", tmp_path / "files" / "load.sh"], check=True)
    with pytest.raises(InputError, match=r"no export\.json"):
        read_export(tmp_path)
