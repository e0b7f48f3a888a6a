"""The index as a user holds it, on a tiny random encoder: searching, filtering, explaining, updating, resuming."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage import ActivationConfig, Index, Patent, Preset, ScoringConfig, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import IndexStoreError, InputError, MismatchError
from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter
from sparse_coverage.index.filters import family, published, section
from sparse_coverage.patents import Claim, Paragraph
from sparse_coverage.search import is_unfinished
from sparse_coverage.search.building import build_index
from sparse_coverage.search.explaining import trace_query
from sparse_coverage.search.own_model import damaged_model_files

ABSTRACTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "Method of reducing noise in a headset by means of a microphone and a filter.",
    "A plunger biased by a spring seals the housing of the pump.",
    "A sensor device for noise and a method of sensing it.",
]
CLAIMS = ["A device comprising a valve and a spring.", "The device of claim 1, wherein a plunger moves the spring."]
QUERY = (
    "A valve with a plunger and a spring in the housing of a rubber pump, wherein the noise of the device is reduced"
)


def patent(number: int, text: str = "") -> Patent:
    return Patent(
        id=f"XX-{number}-A1",
        title=f"Title {number}",
        abstract=(Paragraph(text or ABSTRACTS[number], "/patent-document/abstract/p[1]"),),
        claims=tuple(Claim(n, t, f"/patent-document/claims/claim[{n}]") for n, t in enumerate(CLAIMS, 1) if number % 2),
        publication_date=f"200{number}-06-15",
        country="XX",
        family=f"F{number // 2}",
    )


PATENTS = [patent(number) for number in range(len(ABSTRACTS))]


@pytest.fixture(scope="module")
def model(tiny_encoder: OpenVinoEncoder) -> SparseCoverage:
    """Every span counts, so that every document shares something with the query."""
    return SparseCoverage.fit(
        PATENTS, encoder=tiny_encoder, size=60, preset=Preset(activation=ActivationConfig(k=8, assignment="nearest"))
    )


@pytest.fixture(scope="module")
def index(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(tmp_path_factory.mktemp("held") / "index", model, PATENTS).ranked_by("centers")


@pytest.fixture(scope="module")
def odd(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index with a document whose letters are spelled as some files do."""
    text = "A pump with a sp\u00adring and a \ufb01lter, which holds CO\u2082 back."
    return Index.build(tmp_path_factory.mktemp("odd") / "index", model, [("odd", text), ("other", "A rubber device.")])


@pytest.fixture
def own(model: SparseCoverage, tmp_path: Path) -> Index:
    """An index that a test may change."""
    return Index.build(tmp_path / "index", model, PATENTS[:4]).ranked_by("centers")


def names(index: Index, query: str = QUERY, **options: object) -> list[str]:
    return [hit.document for hit in index.search(query, 10, **options)]  # type: ignore[call-overload]


def test_hits_carry_their_passages_best_first(index: Index) -> None:
    hits = index.search(QUERY, passages=2)
    assert hits
    for hit in hits:
        scores = [passage.score for passage in hit.passages]
        assert hit.score == scores[0]
        assert scores == sorted(scores, reverse=True)
        assert {passage.document for passage in hit.passages} == {hit.document}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_passages_can_be_searched_without_their_documents(index: Index) -> None:
    hits = index.search_passages(QUERY, 50)
    best = {}
    for hit in hits:
        best.setdefault(hit.document, hit.score)
    assert best == {hit.document: hit.score for hit in index.search(QUERY, 50)}
    batch = index.search_passages([ABSTRACTS[2], QUERY], 3)[1]
    assert [hit.id for hit in batch] == [hit.id for hit in hits[:3]]


def test_prior_art_is_older_and_not_of_the_family(index: Index) -> None:
    everything = names(index)
    assert set(everything) == {patent.id for patent in PATENTS}
    older = [name for name in everything if name in ("XX-0-A1", "XX-1-A1", "XX-2-A1")]
    assert names(index, filter=published(before="2003-06-15")) == older
    assert names(index, filter=published(before="2003") & ~family("XX-1-A1")) == ["XX-2-A1"]
    claims = index.search(QUERY, filter=section("claims"))
    assert {hit.document for hit in claims} == {"XX-1-A1", "XX-3-A1", "XX-5-A1"}
    assert {passage.section for hit in claims for passage in hit.passages} == {"claims"}


def test_two_stages_rank_all_passages_of_the_best_documents(index: Index) -> None:
    best = names(index)[:3]
    listed = index.rerank_passages(QUERY, 3)
    assert {passage.document for passage in listed} == set(best)
    assert len(listed) == sum(3 if int(name[3]) % 2 else 1 for name in best)
    assert [passage.score for passage in listed] == sorted((passage.score for passage in listed), reverse=True)
    nothing = index.rerank_passages("plunger", 100)
    unscored = [passage.id for passage in nothing if passage.score == 0]
    assert unscored == sorted(unscored), "passages without a score come last, in corpus order"


def test_a_search_without_reasons_finds_the_same_and_says_what_it_cost(index: Index) -> None:
    found = index.search_explained(QUERY, filter=published(after="2000"), reasons=False)
    cost = found.cost
    assert cost is not None
    assert not found.explanations
    assert found.hits == index.search(QUERY, filter=published(after="2000"))
    vector = index.model.encode_query(QUERY)
    counted = vector.centers[~index.statistics.stop[vector.centers]]
    assert cost.centers == len(counted)
    assert cost.postings == index.store.frequencies[counted].sum()
    assert cost.total >= cost.encoding > 0


def test_contributions_add_up_to_the_score_that_the_search_gave(index: Index) -> None:
    for hit in index.search(QUERY, passages=10):
        for passage in hit.passages:
            explanation = index.explain(QUERY, passage.id)
            assert sum(match.contribution for match in explanation.matches) == pytest.approx(passage.score, rel=1e-6)
            for match in explanation.matches:
                assert QUERY[match.query.start : match.query.end] == match.query.text
                assert passage.text[match.passage.start : match.passage.end] == match.passage.text


@pytest.fixture(scope="module")
def strict(tiny_encoder: OpenVinoEncoder, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index for which a query has spans of every kind: found, not found, too common, outside every center."""
    model = SparseCoverage.fit(
        PATENTS[:3], encoder=tiny_encoder, size=25, preset=Preset(activation=ActivationConfig(k=3))
    )
    folder = tmp_path_factory.mktemp("strict") / "index"
    Index.build(folder, model, PATENTS)
    return Index.open(folder, encoder=tiny_encoder, scoring=ScoringConfig(rho=0.12), ranking="centers")


def test_every_span_is_compared_or_told_why_it_cannot_be(strict: Index) -> None:
    traced = trace_query(strict.model, QUERY)
    np.testing.assert_array_equal(traced.vector.centers, strict.model.encode_query(QUERY).centers)
    seen = dict.fromkeys(["compared", "common", "uncovered"], 0)
    for hit in strict.search(QUERY):
        explanation = strict.explain(QUERY, hit.passages[0].id)
        lists = {
            "common": explanation.unsearched.common,
            "uncovered": explanation.unsearched.uncovered,
        }
        for row, place in enumerate(traced.places):
            active = [
                center
                for center, similarity in zip(
                    traced.activations.centers[row].tolist(), traced.activations.similarities[row].tolist(), strict=True
                )
                if center >= 0 and similarity > 0
            ]
            counted = [center for center in active if not strict.statistics.stop[center]]
            kind = "uncovered" if not active else "common" if not counted else "compared"
            seen[kind] += 1
            assert [name for name, places in lists.items() if place in places] == ([] if kind == "compared" else [kind])
    assert all(seen.values()), f"the example lacks a kind: {seen}"


def test_a_document_is_set_against_the_query_as_a_whole(index: Index) -> None:
    document = "XX-3-A1"
    answers = index.answers(QUERY, document)
    told = {answer.query.text.lower() for answer in answers.found}
    assert told
    assert not told & {place.text.lower() for place in answers.missing}
    explanations = [
        index.explain(QUERY, f"{document}/{part}") for part in ("abstract/p[1]", "claims/claim[1]", "claims/claim[2]")
    ]
    assert set(answers.missing) == set.intersection(*(set(one.unmatched) for one in explanations))
    for answer in answers.found:
        assert QUERY[answer.query.start : answer.query.end] == answer.query.text
        text = index.store.passage(index.store.find_passage(answer.passage) or 0).text
        assert answers.passages[answer.passage] == text
        assert text[answer.match.passage.start : answer.match.passage.end] == answer.match.passage.text
        strongest = max(
            m.contribution / m.query_weight
            for one in explanations
            for m in one.matches
            if m.center == answer.match.center
        )
        assert answer.match.contribution == pytest.approx(strongest * answer.match.query_weight)


def test_updates_show_at_once_here_and_after_a_refresh_elsewhere(
    own: Index, model: SparseCoverage, tiny_encoder: OpenVinoEncoder, tmp_path: Path
) -> None:
    other = Index.open(own.store.folder, encoder=tiny_encoder)
    assert own.add([PATENTS[4], PATENTS[5]]) == 2
    assert own.delete(["XX-1-A1"]) == 1
    assert own.add([patent(2, "A plunger of rubber.")], replace=True) == 1
    own.merge()
    assert set(names(other)) == {f"XX-{n}-A1" for n in range(4)}
    other.refresh()
    final = [PATENTS[0], PATENTS[3], PATENTS[4], PATENTS[5], patent(2, "A plunger of rubber.")]
    fresh = Index.build(tmp_path / "fresh", model, final)
    for updated in (own.ranked_by("combined"), other):
        assert updated.search(QUERY) == fresh.search(QUERY)
        assert updated.rerank_passages(QUERY, 3) == fresh.rerank_passages(QUERY, 3)
        assert updated.explain(QUERY, "XX-2-A1") == fresh.explain(QUERY, "XX-2-A1")


def test_a_failed_update_changes_nothing(own: Index) -> None:
    before = own.search(QUERY)
    with pytest.raises(InputError, match=r"Not in the index: XX-9-A1\. Nothing was deleted"):
        own.delete(["XX-0-A1", "XX-9-A1"])
    with pytest.raises(IndexStoreError, match="'XX-0-A1' is in the index already"):
        own.add([PATENTS[4], PATENTS[0]])
    own.refresh()
    assert own.search(QUERY) == before


def test_a_new_version_without_text_is_refused_and_changes_nothing(own: Index) -> None:
    before = own.search(QUERY)
    empty = Patent(id="XX-1-A1", title="")
    with pytest.raises(InputError, match="new version of 'XX-1-A1' has no text"):
        own.add([PATENTS[4], empty], replace=True)
    own.refresh()
    assert own.search(QUERY) == before
    assert own.add([PATENTS[4], Patent(id="XX-7-A1", title="")]) == 1, "a new document without text is passed over"


def test_another_index_in_the_place_of_this_one_is_noticed(own: Index, tiny_encoder: OpenVinoEncoder) -> None:
    folder = own.store.folder
    other = SparseCoverage.fit(PATENTS[:5], encoder=tiny_encoder, size=50)
    shutil.rmtree(folder)
    Index.build(folder, other, PATENTS[:2])
    with pytest.raises(MismatchError, match="Open the index again"):
        own.refresh()
    with pytest.raises(MismatchError, match="Open the index again"):
        own.add([PATENTS[4]])
    assert len(Index.open(folder, encoder=tiny_encoder).search(QUERY)) <= 2


def test_a_damaged_model_inside_an_index_is_reported_by_file(own: Index) -> None:
    folder = own.store.folder
    assert damaged_model_files(folder) == []
    random = np.random.default_rng(0)
    for path in sorted((folder / "model").iterdir()):
        content = path.read_bytes()
        # What searching depends on is covered; not the statistics about the centers.
        uncovered = {"vocabulary.json": b'"levels"'}.get(path.name)
        covered = content.index(uncovered) if uncovered else len(content)
        for place in random.choice(covered, size=min(covered, 15), replace=False).tolist():
            changed = bytearray(content)
            changed[place] ^= 1 << int(random.integers(8))
            path.write_bytes(changed)
            named = damaged_model_files(folder)
            # A checksum that changed in vocabulary.json speaks against the file it belongs to.
            assert f"model/{path.name}" in named or (path.name == "vocabulary.json" and named)
        path.unlink()
        assert damaged_model_files(folder) == [f"model/{path.name}"]
        path.write_bytes(content)


def test_an_interrupted_build_goes_on_where_it_stopped(
    model: SparseCoverage, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, added = tmp_path / "index", []
    really_add = IndexWriter.add

    def add_four(writer: IndexWriter, document: DocumentRecord, units: list[IndexedPassage]) -> None:
        if len(added) == 4:
            raise KeyboardInterrupt
        added.append(document.id)
        really_add(writer, document, units)

    with monkeypatch.context() as patch:
        patch.setattr(IndexWriter, "add", add_four)
        with pytest.raises(KeyboardInterrupt):
            build_index(folder, model, PATENTS, by="paragraph", seconds_between_commits=0)
    assert is_unfinished(folder)
    with pytest.raises(IndexStoreError, match=r"did not finish; 4 of 6 documents"):
        Index.open(folder, encoder=model.encoder).add(PATENTS)
    other = SparseCoverage.fit(PATENTS, encoder=model.encoder, size=50)
    with pytest.raises(MismatchError, match="another vocabulary"):
        Index.build(folder, other, PATENTS, by="paragraph")
    with pytest.raises(MismatchError, match="unfinished index by paragraph; this one would be by section"):
        Index.build(folder, model, PATENTS, by="section")
    added.clear()
    with monkeypatch.context() as patch:
        patch.setattr(IndexWriter, "add", add_four)
        finished = Index.build(folder, model, PATENTS)
    assert added == ["XX-4-A1", "XX-5-A1"]
    assert not is_unfinished(folder)
    assert finished.search(QUERY, ranking="centers") == index.search(QUERY)
    with pytest.raises(InputError, match="holds an index already"):
        Index.build(folder, model, PATENTS)


def test_texts_and_pairs_are_documents_too(model: SparseCoverage, tmp_path: Path) -> None:
    texts = Index.build(tmp_path / "texts", model, ABSTRACTS)
    assert sorted(hit.document for hit in texts.search(QUERY)) == [str(number) for number in range(len(ABSTRACTS))]
    pairs = Index.build(tmp_path / "pairs", model, ((f"note {n}", text) for n, text in enumerate(ABSTRACTS)))
    assert [hit.score for hit in pairs.search(QUERY)] == [hit.score for hit in texts.search(QUERY)]
    assert pairs.add([("note 9", "A plunger of rubber."), PATENTS[0]]) == 2
    found = pairs.search("A plunger of rubber.", 20)
    assert {"note 9", "note 0", "XX-0-A1"} <= {hit.document for hit in found}
    assert found[0].passages[0].text == "A plunger of rubber."


def test_what_is_no_document_is_refused(model: SparseCoverage, own: Index, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="read_patents"):
        Index.build(tmp_path / "none", model, "patents/")
    with pytest.raises(InputError, match=r"an \(id, text\) pair, not \{'id'"):
        own.add([PATENTS[4], {"id": "A"}])  # type: ignore[list-item]
    assert set(names(own)) == {f"XX-{n}-A1" for n in range(4)}
    with pytest.raises(InputError, match="read_patents"):
        SparseCoverage.fit("A valve.", encoder=model.encoder)


@pytest.mark.parametrize("ranking", ["combined", "centers"])
def test_a_search_and_its_reasons_are_of_one_state_though_the_index_is_refreshed_in_between(
    model: SparseCoverage, tmp_path: Path, ranking: str
) -> None:
    index = Index.build(tmp_path / "index", model, PATENTS[:4]).ranked_by(ranking)
    expected = index.search_explained(QUERY, 4)
    gone = expected.hits[0].document

    def changed_meanwhile(search, k):
        hits = search(k)
        index.delete([gone])
        return hits

    found = index.search_explained(QUERY, 4, group=changed_meanwhile)
    assert found == replace(expected, cost=found.cost)
    for hit in found.hits:
        for passage in hit.passages:
            assert found.explanations[passage.id].reasons.total == pytest.approx(passage.score, abs=1e-5)
    assert gone not in {hit.document for hit in index.search(QUERY, 4)}


def test_a_document_with_too_many_passages_is_left_out_and_told_and_the_others_indexed(
    model: SparseCoverage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys.modules["sparse_coverage.patents.passages"], "MOST_PASSAGES", 3)
    long = " ".join(["A valve closes the pump by a spring, and a sensor tells of it."] * 90)
    index = Index.build(
        tmp_path / "index", model, [("short", ABSTRACTS[0]), ("long", long), ("last", ABSTRACTS[1])], by="passage"
    )
    assert {hit.document for hit in index.search(QUERY, 9)} == {"short", "last"}
    assert "left out input: long: it has 7 passages" in caplog.text
    assert index.add([("longer", long), ("next", ABSTRACTS[4])]) == 1


@pytest.mark.parametrize(
    "asked", ["spring", "filter", "CO2", "CO\u2082", "sp\u00adring", "\ufb01lter", "\uff26ilter", "springs", "spr*"]
)
def test_words_with_soft_hyphens_ligatures_and_subscripts_are_found_by_words_and_filters(
    odd: Index, asked: str
) -> None:
    assert [hit.document for hit in odd.search(asked, 9, ranking="words", filter=f"text:{asked}")] == [
        "odd"
    ] or "*" in asked
    assert {hit.document for hit in odd.search(QUERY, 9, filter=asked)} == {"odd"}
    explanation = odd.explain("A spring, a filter and CO2.", "odd", ranking="words")
    assert {word.passage.text for word in explanation.reasons.words} == {"sp\u00adring", "\ufb01lter", "CO\u2082"}
