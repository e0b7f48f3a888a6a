"""Fitting and indexing on a real cluster of two nodes give what one machine gives, byte for byte, whoever dies on the way."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from made_collection import FIT, FIT_HERE, contents, kill_one, patiently, write_collection
from waiting import SECONDS

from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents
from sparse_coverage.cli.cluster import index_with_ray
from sparse_coverage.cli.fit import command as fit_command
from sparse_coverage.cli.options.inputs import ProblemLog
from sparse_coverage.cluster import ClusterError, build_on_cluster, connect, fit_on_cluster
from sparse_coverage.cluster import documents as cluster_documents
from sparse_coverage.cluster import fitting as passage_sampling
from sparse_coverage.cluster import indexing as cluster_vectors
from sparse_coverage.cluster import indexing as plan
from sparse_coverage.errors import InputError, MismatchError, MissingExtraError
from sparse_coverage.patents import Problem
from sparse_coverage.vocabulary import passage_sample as sampled_passages

SAMPLE_FILES = ("points.f16", "anchors.jsonl", "sample.json", "sampling.json")


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work into more pieces than a collection of this size would get. The cuts are made in this process."""
    monkeypatch.setattr(cluster_documents, "BATCH_BYTES", 1)
    monkeypatch.setattr(plan, "WINDOWS_PER_RUN", 1)


@pytest.fixture
def model(local: Path, tiny_checkpoint: Path) -> SparseCoverage:
    return SparseCoverage.load(local / "model", encoder=load_encoder(str(tiny_checkpoint), precision="fp32", threads=1))


class Killer(threading.Thread):
    """Waits until some pieces are finished, then kills a worker, or whatever else it is told to."""

    def __init__(self, pieces: Path, after: int, kill: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self.pieces, self.after, self.kill = pieces, after, kill
        self.finished_then = -1

    def run(self) -> None:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            finished = len(list(self.pieces.glob("[0-9]*.safetensors")))
            if finished >= self.after and self.kill():
                self.finished_then = finished
                return
            time.sleep(0.002)


def fit_here(paths: list[Path], work: Path, checkpoint: Path, **settings: Any) -> SparseCoverage:
    with connect() as cluster:
        return fit_on_cluster(
            cluster, paths, work, encoder=str(checkpoint), precision="fp32", **{**FIT, "on_problem": ignore, **settings}
        )


def ignore(problem: Problem) -> None:
    """Report nothing."""


@pytest.mark.usefixtures("nodes", "small_pieces")
def test_a_fit_that_loses_a_worker_gives_the_same_sample_and_the_same_model(
    collection: Path, local: Path, tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems: list[Problem] = []
    monkeypatch.setattr(passage_sampling, "GROUP_CHARACTERS", 4_000)
    monkeypatch.setattr(sampled_passages, "GROUP_CHARACTERS", 4_000)
    killer = Killer(tmp_path / "work" / "encoded", 1, lambda: kill_one("encode_chosen"))
    killer.start()
    model = fit_here([collection], tmp_path / "work", tiny_checkpoint, on_problem=problems.append)
    killer.join()
    assert killer.finished_then >= 1
    model.save(tmp_path / "model")
    assert contents(tmp_path / "model") == contents(local / "model")
    for name in SAMPLE_FILES:
        assert (tmp_path / "work" / name).read_bytes() == (local / "work" / name).read_bytes(), name
    assert len(problems) == 1


@pytest.mark.usefixtures("nodes", "small_pieces")
def test_a_fit_as_in_the_paper_that_loses_a_worker_gives_the_same_sample_and_the_same_model(
    collection: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    killer = Killer(tmp_path / "work" / "cluster" / "encoded", 1, lambda: kill_one("encode_group"))
    killer.start()
    model = fit_here([collection], tmp_path / "work", tiny_checkpoint, preset="paper")
    killer.join()
    assert killer.finished_then >= 1
    model.save(tmp_path / "model")
    encoder = load_encoder(str(tiny_checkpoint), precision="fp32", threads=1)
    documents = list(read_patents(collection, on_problem=ignore))
    alone = SparseCoverage.fit(documents, encoder=encoder, preset="paper", work=tmp_path / "alone", **FIT_HERE)
    alone.save(tmp_path / "expected")
    assert contents(tmp_path / "model") == contents(tmp_path / "expected")
    for name in SAMPLE_FILES:
        assert (tmp_path / "work" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name


@pytest.mark.usefixtures("nodes", "small_pieces")
def test_an_index_that_loses_a_worker_is_the_same_byte_for_byte(
    collection: Path, local: Path, model: SparseCoverage, tmp_path: Path
) -> None:
    killer = Killer(tmp_path / ".index.work" / "vectors", 2, lambda: kill_one("encode_run"))
    killer.start()
    with connect() as cluster:
        index = build_on_cluster(cluster, tmp_path / "index", model, [collection], on_problem=ignore)
    killer.join()
    assert killer.finished_then >= 2
    assert contents(tmp_path / "index") == contents(local / "index")
    assert [hit.document for hit in index.search("a valve with a spring")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"]  # the work is cleared away


@pytest.mark.usefixtures("small_pieces")
def test_an_index_that_loses_a_whole_node_is_the_same_byte_for_byte(
    nodes: Any, collection: Path, local: Path, model: SparseCoverage, tmp_path: Path
) -> None:
    extra = patiently(lambda: nodes.add_node(num_cpus=2))
    nodes.wait_for_nodes()

    def pull_the_plug() -> bool:
        nodes.remove_node(extra, allow_graceful=False)
        return True

    killer = Killer(tmp_path / ".index.work" / "vectors", 2, pull_the_plug)
    killer.start()
    with connect() as cluster:
        assert cluster.workers == 4
        build_on_cluster(cluster, tmp_path / "index", model, [collection], on_problem=ignore)
    killer.join()
    assert 2 <= killer.finished_then <= 8  # of eleven
    assert contents(tmp_path / "index") == contents(local / "index")


@pytest.mark.usefixtures("nodes", "small_pieces")
def test_an_interrupted_index_goes_on_with_what_is_finished(
    collection: Path, local: Path, model: SparseCoverage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = {"work": tmp_path / "work", "on_problem": ignore}
    with monkeypatch.context() as patch, connect() as cluster:
        patch.setattr("sparse_coverage.cluster.indexing._build_segments", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build_on_cluster(cluster, tmp_path / "index", model, [collection], **build)
    finished = {path: path.stat().st_mtime_ns for path in (tmp_path / "work" / "index" / "vectors").iterdir()}
    assert len(finished) > 5
    one = min(finished)
    one.unlink()
    with connect() as cluster, monkeypatch.context() as patch:
        patch.setattr("sparse_coverage.cluster.indexing._bring_together", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build_on_cluster(cluster, tmp_path / "index", model, [collection], **build)
    assert {path for path in finished if path.stat().st_mtime_ns != finished[path]} == {one}
    with connect() as cluster:
        build_on_cluster(cluster, tmp_path / "index", model, [collection], **build)
    assert contents(tmp_path / "index") == contents(local / "index")


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("nodes", "small_pieces")
def test_several_segments_are_cut_where_a_local_build_cuts_them(
    collection: Path, model: SparseCoverage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparse_coverage.index.writer.MAX_PASSAGES", 1_000)
    Index.build(tmp_path / "local", model, read_patents(collection, on_problem=ignore), by="section")
    monkeypatch.setattr(plan, "MAX_PASSAGES", 1_000)
    with connect() as cluster:
        options: dict[str, Any] = {"by": "section", "on_problem": ignore}
        index = build_on_cluster(cluster, tmp_path / "cluster", model, [collection], **options)
    assert len(index.store.segments) == 2
    assert contents(tmp_path / "cluster") == contents(tmp_path / "local")


@pytest.mark.usefixtures("nodes")
def test_state_of_another_run_is_refused(
    collection: Path, model: SparseCoverage, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("sparse_coverage.cluster.indexing._build_segments", interrupt)
    with connect() as cluster:
        with pytest.raises(KeyboardInterrupt):
            build_on_cluster(cluster, tmp_path / "index", model, [collection], on_problem=ignore)
        with pytest.raises(MismatchError, match="by differ"):
            build_on_cluster(cluster, tmp_path / "index", model, [collection], by="section", on_problem=ignore)


@pytest.mark.usefixtures("nodes")
def test_the_work_of_one_machine_is_not_mistaken_for_that_of_a_cluster(
    collection: Path, local: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    shutil.copytree(local / "work", tmp_path / "work")
    with pytest.raises(MismatchError, match="one machine"):
        fit_here([collection], tmp_path / "work", tiny_checkpoint)


@pytest.mark.usefixtures("nodes")
def test_errors_of_workers_are_as_clear_as_those_of_one_machine(
    collection: Path, model: SparseCoverage, tmp_path: Path
) -> None:
    with connect() as cluster:
        with pytest.raises(InputError, match=r"part-1\.jsonl:2: not JSON"):
            build_on_cluster(cluster, tmp_path / "index", model, [collection])
        with pytest.raises(InputError, match="standard input"):
            build_on_cluster(cluster, tmp_path / "index-2", model, ["-"])
        again: list[str] = []
        index = build_on_cluster(
            cluster, tmp_path / "index-3", model, [collection, collection], on_problem=ignore, on_repeat=again.append
        )
        assert len(again) == index.store.state.documents
        empty = tmp_path / "empty"
        empty.mkdir()
        problems: list[Problem] = []
        with pytest.raises(InputError, match="nothing to index"):
            build_on_cluster(cluster, tmp_path / "index-4", model, [empty], on_problem=problems.append)
        assert [problem.cause for problem in problems] == ["it holds no patents."]
    with pytest.raises(InputError, match="64 cores"), connect(threads=64):
        pass


@pytest.mark.usefixtures("nodes")
def test_fit_on_the_command_line_gives_the_model_of_one_machine(
    collection: Path, local: Path, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    options = ["--encoder", str(tiny_checkpoint), "--precision", "fp32", "--json", "-V", "300", "--sizes", "50"]
    options += ["--max-documents", "400", "--max-spans", "12000", "--seed", "5", "--on", "ray"]
    result = CliRunner().invoke(
        fit_command, [str(collection), "-o", str(tmp_path / "model"), *options], standalone_mode=False
    )
    assert result.exception is None, result.exception
    assert result.return_value == 1  # a line that is no JSON was left out
    assert json.loads(result.stdout)["size"] == 300
    assert contents(tmp_path / "model") == contents(local / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_address_without_the_engine_is_refused(collection: Path, tmp_path: Path) -> None:
    arguments = [str(collection), "-o", str(tmp_path / "model"), "--address", "auto"]
    result = CliRunner().invoke(fit_command, arguments, standalone_mode=False)
    assert isinstance(result.exception, InputError)
    assert "--on ray" in str(result.exception)


def test_no_cluster_at_an_address_is_a_clear_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed (extra [ray])")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(ClusterError, match="ray start --head"), connect("127.0.0.1:1"):
        pass
    with pytest.raises(InputError, match="HOST:PORT"), connect("somewhere"):
        pass


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"\.\[ray\]"), connect():
        pass


@pytest.mark.usefixtures("nodes")
def test_a_node_that_does_not_see_the_input_is_an_error_and_no_smaller_index(
    collection: Path, model: SparseCoverage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = collection / "part-9.jsonl"
    expand = cluster_documents.expand

    def one_file_more(paths: list[str]) -> Any:
        for name, files in expand(paths):
            yield name, iter([*files, cluster_documents.SourceFile(str(gone))])

    monkeypatch.setattr(cluster_documents, "expand", one_file_more)
    with connect() as cluster, pytest.raises(ClusterError, match="does not see"):
        build_on_cluster(cluster, tmp_path / "index", model, [collection], on_problem=ignore)


@pytest.mark.usefixtures("nodes")
def test_index_on_the_command_line_is_the_index_of_one_machine(collection: Path, local: Path, tmp_path: Path) -> None:
    same = SparseCoverage.load(local / "model")
    Index.build(tmp_path / "local", same, read_patents(collection, on_problem=ignore), by="section")
    log = ProblemLog()
    output = tmp_path / "index"
    settings: dict[str, Any] = {"language": "en", "runtime": "auto", "by": "section"}
    index = index_with_ray(None, None, [str(collection)], output, local / "model", log, None, **settings)
    assert log.status == 1
    assert len(index) == 1_800
    assert contents(output) == contents(tmp_path / "local")


def test_vectors_of_a_run_are_read_back_as_they_were(tiny_checkpoint: Path, tmp_path: Path) -> None:
    from sparse_coverage.cluster.connection import EncoderSpec
    from sparse_coverage.patents import passages

    [file] = write_collection(tmp_path / "patents", documents=12, words=200, files=1).iterdir()
    encoder = load_encoder(str(tiny_checkpoint), precision="fp32", threads=1)
    model = SparseCoverage.fit(list(read_patents(file)), encoder=encoder, size=40)
    source = cluster_documents.SourceFiles(str(file), (cluster_documents.SourceFile(str(file), named=True),))
    cluster_documents.read_batch(str(tmp_path / "000000.jsonl"), [source], str(tmp_path), "en", lambda patent: ())
    model.save(tmp_path / "model")
    spec = EncoderSpec.of(model.encoder, "auto", 1)
    run = plan.Run(0, 2, 3, first=17, passages=9)
    cluster_vectors.encode_run(str(tmp_path), str(tmp_path / "model"), spec, "passage", run, str(tmp_path / "out"))
    texts = [passage.text for patent in list(read_patents(file))[2:] for passage in passages(patent)][3:12]
    for found, expected in zip(cluster_vectors.read_run(tmp_path / "out"), model.encode_document(texts), strict=True):
        for name in ("centers", "weights", "spans"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist()
        assert (found.span_count, found.uncovered) == (expected.span_count, expected.uncovered)
