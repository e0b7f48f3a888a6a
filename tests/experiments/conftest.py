"""A workbench on the small collection, with the tiny encoder."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_collection import small_collection

from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(small_collection(), tmp_path / "cache", threads=1) as found:
        yield found


@pytest.fixture
def options(tiny_checkpoint: Path) -> SystemOptions:
    return SystemOptions(encoder=str(tiny_checkpoint), size=40)


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location(
        "make_clefip", Path(__file__).parents[2] / "benchmarks" / "make_clefip.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_clefip"] = module
    spec.loader.exec_module(module)
    root = tmp_path_factory.mktemp("clef-ip")
    module.make(root, documents=240, topics=8, seed=1)
    return root


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four topics of the demo collection and a dozen of its documents: soon learned from, and judged by document."""
    folder, demo = tmp_path_factory.mktemp("few"), load_collection("demo")
    judged = {topic.id: [*demo.judgements[topic.id].grades][:2] for topic in demo.queries[:4]}
    wanted = {document for documents in judged.values() for document in documents}
    others = [patent for patent in demo.documents() if patent.id not in wanted][:6]
    patents = [*(patent for patent in demo.documents() if patent.id in wanted), *others]
    records = [
        {"_id": one.id, "title": one.title, "text": " ".join(part.text for part in (*one.abstract, *one.claims))}
        for one in patents
    ]
    topics = [{"_id": topic.id, "text": topic.text} for topic in demo.queries[:4]]
    (folder / "qrels").mkdir()
    for name, lines in (("corpus", records), ("queries", topics)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rows = [f"{topic}\t{document}\t1\n" for topic, documents in judged.items() for document in documents]
    (folder / "qrels" / "test.tsv").write_text("".join(rows), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")
