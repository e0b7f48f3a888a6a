"""One encoding, one traversal, one pass over the documents; and the results are those of the plain way."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from small_collection import TEXTS, patents, small_collection

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding import TokenVectors
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, ModelError, VocabularyError
from sparse_coverage.experiments import indexes as indexing
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import RememberingEncoder, alone, code_key
from sparse_coverage.experiments.evaluation import default_measures, evaluate_variant, result_path
from sparse_coverage.experiments.options import SystemOptions, Variant
from sparse_coverage.experiments.systems import SparseCoverageSystem
from sparse_coverage.patents import Patent


class Counting:
    """An encoder that counts the texts it is given."""

    def __init__(self, inner: OpenVinoEncoder) -> None:
        self.inner, self.texts = inner, 0
        self.name, self.fingerprint = inner.name, inner.fingerprint
        self.precision, self.dimension, self.tokenize = inner.precision, inner.dimension, inner.tokenize

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        given = list(texts)
        self.texts += len(given)
        return self.inner.encode(given)


def test_a_text_is_encoded_once(tiny_encoder: OpenVinoEncoder, tmp_path: Path) -> None:
    counting = Counting(tiny_encoder)
    texts = [*TEXTS, TEXTS[0], ""]
    first = RememberingEncoder(counting, tmp_path)
    computed = list(first.encode(texts))
    assert counting.texts == len(set(texts))
    again = RememberingEncoder(counting, tmp_path)
    remembered = list(again.encode(texts))
    assert counting.texts == len(set(texts))
    for one, other in zip(computed, remembered, strict=True):
        np.testing.assert_array_equal(one.vectors, other.vectors)
        np.testing.assert_array_equal(one.starts, other.starts)
        np.testing.assert_array_equal(one.ends, other.ends)
        np.testing.assert_array_equal(one.chunks, other.chunks)
    first.close()
    again.close()


def test_beyond_its_budget_the_cache_computes(tiny_encoder: OpenVinoEncoder, tmp_path: Path) -> None:
    counting = Counting(tiny_encoder)
    full = RememberingEncoder(counting, tmp_path, budget=0)
    first, second = list(full.encode(TEXTS)), list(full.encode(TEXTS))
    assert counting.texts == 2 * len(TEXTS)
    np.testing.assert_allclose(first[0].vectors, second[0].vectors, atol=1e-6)
    full.close()


@pytest.mark.parametrize("unit", ["token", "np", "np+token"])
def test_indexes_made_in_one_pass_are_those_made_one_by_one(
    bench: Workbench, options: SystemOptions, tmp_path: Path, unit: str
) -> None:
    base = replace(options, unit=unit, size=12)
    planned = [
        base,
        replace(base, size=6),
        replace(base, k=2),
        replace(base, assignment="hard"),
        replace(base, assignment="nearest"),
    ]
    bench.plan(planned)
    for number, one in enumerate(planned):
        together = bench.index(one)
        alone = Index.build(tmp_path / f"{number}", bench.model(one), patents())
        assert len(together) == len(alone) == 3 * len(TEXTS)
        np.testing.assert_array_equal(together.store.frequencies, alone.store.frequencies)
        for text in TEXTS:
            vector = bench.model(one).encode_query(text)
            np.testing.assert_allclose(together.scores(vector), alone.scores(vector), rtol=1e-4)
        alone.store.close()


def test_one_traversal_serves_all_sizes(bench: Workbench, options: SystemOptions) -> None:
    sizes = (10, 20, 40)
    bench.plan(replace(options, size=size) for size in sizes)
    vocabularies = [bench.model(replace(options, size=size)).vocabulary for size in sizes]
    np.testing.assert_array_equal(vocabularies[0].centers, vocabularies[2].centers[:10])
    assert len(list((bench.cache / "vocabularies").glob("*/farthest-first-*"))) == 1
    alone = SparseCoverage.fit(patents(), encoder=bench.encoder(options.encoder), size=20, preset="paper")
    np.testing.assert_array_equal(vocabularies[1].centers, alone.vocabulary.centers)
    np.testing.assert_allclose(vocabularies[1].radii, alone.vocabulary.radii, rtol=1e-6)


def test_a_size_that_needs_more_spans_leaves_the_others_as_they_are(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was asked for before, together or alone, and whether or not it could be made."""
    monkeypatch.setattr("sparse_coverage.vocabulary.build.DEFAULT_SIZE", 5)
    monkeypatch.setattr("sparse_coverage.model.SAMPLED_SPANS_A_CENTER", 2)
    small, large, too_large = (replace(options, size=size, learn="passages") for size in (5, 20, 5_000))
    with Workbench(small_collection(), bench.cache.with_name("alone"), threads=1) as alone:
        expected = [alone.model(one).vocabulary for one in (small, large)]
    bench.plan([small, large, too_large])
    with pytest.raises(VocabularyError):
        bench.model(too_large)
    for one, vocabulary in zip((large, small), reversed(expected), strict=True):
        np.testing.assert_array_equal(bench.model(one).vocabulary.centers, vocabulary.centers)
    assert [vocabulary.config.spans for vocabulary in expected] == [10, 40]


def test_vocabularies_with_and_without_their_common_directions_are_kept_apart(
    bench: Workbench, options: SystemOptions
) -> None:
    """Whichever was made first: the other is not taken for it."""
    plain = bench.model(options).vocabulary.centers
    without = replace(options, common=1)
    for first, second in ((without, options), (options, without)):
        with Workbench(small_collection(), bench.cache.with_name(f"other-{first.common}"), threads=1) as other:
            made = {one.common: other.model(one).vocabulary.centers for one in (first, second)}
        with Workbench(small_collection(), bench.cache.with_name(f"other-{first.common}"), threads=1) as again:
            np.testing.assert_array_equal(again.model(second).vocabulary.centers, made[second.common])
        np.testing.assert_array_equal(made[None], plain)
        assert not np.array_equal(made[1], plain)


def test_a_pass_that_was_interrupted_goes_on_and_ends_the_same(
    bench: Workbench, options: SystemOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "SECONDS_BETWEEN_COMMITS", 0.0)
    monkeypatch.setattr(indexing, "_GROUP", 10)
    models = {tmp_path / f"{size}": bench.model(replace(options, size=size)) for size in (10, 40)}
    encoder = bench.encoder(options.encoder)

    def failing() -> Iterator[Patent]:
        for number, patent in enumerate(patents()):
            if number == 4:
                raise KeyboardInterrupt
            yield patent

    with pytest.raises(KeyboardInterrupt):
        indexing.build_indexes(models, encoder, failing(), "passage")
    assert not any(indexing.is_complete(folder) for folder in models)
    indexing.build_indexes(models, encoder, patents(), "passage")
    for folder, model in models.items():
        index = Index.open(folder, encoder=encoder)
        assert [index.store.document(n).id for n in range(len(TEXTS))] == [patent.id for patent in patents()]
        whole = Index.build(tmp_path / f"whole-{folder.name}", model, patents())
        vector = model.encode_query(TEXTS[0])
        np.testing.assert_allclose(index.scores(vector), whole.scores(vector), rtol=1e-4)
        index.store.close()
        whole.store.close()


def test_the_cost_is_what_the_index_counts(bench: Workbench, options: SystemOptions) -> None:
    system = SparseCoverageSystem(bench, options)
    for query in bench.collection.judged:
        counted = system.index.search_explained(query.text, reasons=False).cost
        assert counted is not None
        assert system.cost(query) == counted.postings


def test_an_evaluation_is_found_again(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = default_measures(bench.collection)
    first = evaluate_variant(bench, Variant("paper", options), measures)
    assert first.means()["R@100"] == 1.0
    monkeypatch.setattr(Workbench, "index", lambda *_: pytest.fail("the index was asked for again"))
    again = evaluate_variant(bench, Variant("paper", options), measures)
    assert again.values == first.values
    assert again.cost == first.cost


def test_other_weights_under_the_same_name_are_another_evaluation(
    options: SystemOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An encoder is asked for by its folder; what counts is what lies there."""
    mine = tmp_path / "encoder"
    shutil.copytree(options.encoder, mine)
    own = replace(options, encoder=str(mine))
    paths = []
    for change in (False, False, True):
        if change:
            weights = load_file(mine / "model.safetensors")
            name = next(name for name in sorted(weights) if name.endswith("word_embeddings.weight"))
            save_file({**weights, name: weights[name] * 1.5}, mine / "model.safetensors")
        with Workbench(small_collection(), tmp_path / "cache", threads=1) as bench:
            paths.append(result_path(bench, Variant("paper", own), ["MAP"]))
    assert paths[0] == paths[1] != paths[2]


@pytest.mark.parametrize(
    "change", [{"k": 3}, {"alpha": 1.0}, {"tau": 95.0}, {"unit": "np"}, {"seed": 1}, {"assignment": "nearest"}]
)
def test_another_option_is_another_evaluation(
    bench: Workbench, options: SystemOptions, change: dict[str, object]
) -> None:
    other = replace(options, **change)
    assert result_path(bench, Variant("paper", options), ["MAP"]) != result_path(
        bench, Variant("paper", other), ["MAP"]
    )
    assert result_path(bench, Variant("paper", options), ["MAP"]) != result_path(
        bench, Variant("paper", options), ["MAP", "R@100"]
    )
    same = result_path(bench, Variant("dense", options), ["MAP"]) == result_path(
        bench, Variant("dense", other), ["MAP"]
    )
    assert same  # which reads none of these


@pytest.mark.parametrize("change", [{"title": "Another"}, {"publication_date": "2001-01-01"}])
def test_a_title_or_a_date_changes_what_is_learned_from(
    bench: Workbench, tmp_path: Path, change: dict[str, str]
) -> None:
    """Neither stands in a passage, but a vocabulary is learned from titles and sampled by year."""
    changed = replace(small_collection(), documents=lambda: (replace(patent, **change) for patent in patents()))
    assert Workbench(changed, tmp_path).source != bench.source


def test_patents_to_learn_from_are_known_by_all_their_files(bench: Workbench, tmp_path: Path) -> None:
    folder = tmp_path / "learn" / "deep"
    folder.mkdir(parents=True)

    def source() -> str:
        return Workbench(small_collection(), bench.cache, learn_from=[str(tmp_path / "learn")]).source

    (folder / "a.jsonl").write_text('{"id": "A-1-A1", "title": "Kettle"}\n', encoding="utf-8")
    first = source()
    assert source() == first
    (folder / "b.jsonl").write_text('{"id": "B-1-A1", "title": "Lid"}\n', encoding="utf-8")
    second = source()
    (folder / "b.jsonl").write_text('{"id": "B-1-A1", "title": "Pot"}\n', encoding="utf-8")  # as long as before
    assert len({first, second, source()}) == 3
    with pytest.raises(InputError, match="no such file"):
        _ = Workbench(small_collection(), bench.cache, learn_from=[str(tmp_path / "nowhere")]).source


def test_the_program_itself_is_part_of_a_key() -> None:
    assert len({code_key("model.py"), code_key("spans"), code_key("spans", "model.py"), code_key(".")}) == 4
    with pytest.raises(FileNotFoundError):
        code_key("no-such-package")


def test_what_one_process_makes_another_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = []

    def second() -> None:
        with alone(tmp_path / "thing", "this thing"):
            order.append("second")

    with alone(tmp_path / "thing", "this thing"):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(1.5)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]
    assert "waiting" in capsys.readouterr().err


def test_a_full_disk_costs_time_alone(
    tiny_encoder: OpenVinoEncoder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counting = Counting(tiny_encoder)
    encoder = RememberingEncoder(counting, tmp_path)
    encoder._store.execute("PRAGMA max_page_count = 3")  # SQLite now says what it says of a full disk
    for _ in range(2):
        assert len(list(encoder.encode(TEXTS))) == len(TEXTS)
    encoder.close()
    assert counting.texts == 2 * len(TEXTS)
    assert capsys.readouterr().err.count("no longer kept") == 1


def test_a_damaged_cache_is_named(tiny_encoder: OpenVinoEncoder, tmp_path: Path) -> None:
    RememberingEncoder(tiny_encoder, tmp_path).close()
    [path] = tmp_path.glob("tokens-*.sqlite")
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match="Remove it"):
        RememberingEncoder(tiny_encoder, tmp_path)


def test_what_the_collection_lacks_is_told(tmp_path: Path) -> None:
    collection = replace(small_collection(), candidates=8)
    collection.problems.add("some.xml:3: broken")
    notes = Workbench(collection, tmp_path).notes()
    assert notes == (
        "1 document could not be used, the first: some.xml:3: broken.",
        "2 of 8 documents are left out for want of readable text.",
    )


def test_other_judgements_are_another_evaluation(bench: Workbench, tmp_path: Path) -> None:
    collection = small_collection()
    fewer = replace(collection, judgements={"q0": collection.judgements["q0"]})
    assert Workbench(fewer, tmp_path).fingerprint != bench.fingerprint
    assert Workbench(small_collection(), tmp_path).fingerprint == bench.fingerprint


def test_an_encoder_that_is_not_there_is_looked_for_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def missing(name: str, **_: object) -> None:
        calls.append(name)
        raise ModelError("not here")

    monkeypatch.setattr("sparse_coverage.experiments.bench.load_encoder", missing)
    for _ in range(3):
        with pytest.raises(ModelError):
            bench.encoder("absent")
    assert calls == ["absent"]


def test_a_vocabulary_can_be_learned_from_other_patents(
    bench: Workbench, options: SystemOptions, tmp_path: Path
) -> None:
    """As in the paper: centers come from another corpus, and what was learned from the collection is not mixed up with it."""
    path = tmp_path / "others.jsonl"
    records = [{"id": f"YY-{n}-A1", "abstract": f"A kettle number {n} with a lid and a whistle."} for n in range(9)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    own = evaluate_variant(bench, Variant("paper", options), default_measures(bench.collection))
    with Workbench(small_collection(), bench.cache, threads=1, learn_from=[str(path)]) as other:
        vocabulary = other.model(options).vocabulary
        assert {anchor.document for anchor in vocabulary.anchors} <= {record["id"] for record in records}
        found = evaluate_variant(other, Variant("paper", options), default_measures(bench.collection))
        assert found.cost != own.cost
    assert {anchor.document for anchor in bench.model(options).vocabulary.anchors} <= {p.id for p in patents()}
