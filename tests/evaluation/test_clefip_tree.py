"""CLEF-IP 2013 from a tree in its genuine layout, traps included."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.clefip import ClefIp, check, find_layout, read_clefip
from sparse_coverage.evaluation.clefip_pool import (
    PoolConfig,
    Surveyed,
    reference_classes,
    sample_pool,
    survey,
    tier_of,
)
from sparse_coverage.evaluation.collection import read_corpus

Tree = tuple[Path, Any]


@pytest.fixture(scope="module")
def read(clefip_tree: Tree) -> ClefIp:
    return read_clefip(clefip_tree[0], PoolConfig(size=200))


def test_topics_that_cannot_be_used_are_left_out_with_the_cause(clefip_tree: Tree, read: ClefIp) -> None:
    facts = clefip_tree[1]
    assert [query.id for query in read.collection.queries] == facts.usable_topics
    assert set(read.left_out) == set(facts.unusable_topics)
    assert "no claims" in read.left_out["PSG-3"]
    assert "not there" in read.left_out["PSG-5"]


def test_a_dependent_claim_is_preceded_by_its_ancestors(read: ClefIp) -> None:
    """Topic 6 asks for claims 1 and 3; claim 3 depends on 2, which depends on 1."""
    [query] = [query for query in read.collection.queries if query.id == "PSG-6"]
    lines = query.text.split("\n")
    assert query.claims == len(lines) == 3
    assert "according to claim 1" in lines[1]
    assert "according to claim 2" in lines[2]


def test_independent_ancestors_alone_precede_a_dependent_claim_by_choice(clefip_tree: Tree, read: ClefIp) -> None:
    """Topic 6 asks for claims 1 and 3: claim 2, a dependent ancestor of 3, is left out, and this is told."""
    letter = read_clefip(clefip_tree[0], PoolConfig(size=200), ancestors="independent").collection
    [query] = [query for query in letter.queries if query.id == "PSG-6"]
    [ours] = [query for query in read.collection.queries if query.id == "PSG-6"]
    assert query.text.split("\n") == [ours.text.split("\n")[0], ours.text.split("\n")[2]]
    assert query.claims == 2
    assert any("independent ancestors only" in note for note in letter.notes)
    assert not any("ancestors" in note for note in read.collection.notes)


@pytest.mark.parametrize(
    ("topic", "reference"), [("PSG-9", "claims 1 and 2"), ("PSG-12", "any one of the preceding claims")]
)
def test_a_claim_that_refers_to_several_is_preceded_by_all_of_them(read: ClefIp, topic: str, reference: str) -> None:
    [query] = [query for query in read.collection.queries if query.id == topic]
    lines = query.text.split("\n")
    assert len(lines) == 3
    assert reference in lines[2]


def test_all_relevant_documents_are_candidates_and_missing_ones_are_named(clefip_tree: Tree, read: ClefIp) -> None:
    facts = clefip_tree[1]
    held = {document.id for document in read.pool.documents}
    assert set(facts.relevant) <= held
    assert list(read.pool.missing) == facts.missing_documents


def test_judged_passages_that_the_corpus_lacks_stay_as_misses(clefip_tree: Tree, read: ClefIp) -> None:
    facts = clefip_tree[1]
    units = read_corpus(read.collection.documents(), "passage")
    judged = {p for r in read.collection.judgements.values() for ids in r.passages.values() for p in ids}
    assert judged - set(units.ids) == {*facts.missing_passages, "EP-9999999-A1/description/p[1]"}


def test_every_spelling_of_an_xpath_finds_its_passage(read: ClefIp) -> None:
    """The second paragraph is empty and counts: p[3] and p[5] are the ones that name the topic's term."""
    passages = read.collection.judgements["PSG-1"].passages["EP-0700010-A2"]
    places = {passage.removeprefix("EP-0700010-A2") for passage in passages}
    assert {"/description/p[3]", "/description/p[5]", "/abstract/p[1]", "/claims/claim[1]"} <= places
    text = {p.id: p.text for p in _passages(read, "EP-0700010-A2")}
    terms = " ".join(read.collection.queries[0].text.split()[1:3])
    assert all(terms in text[f"EP-0700010-A2{place}"] for place in ("/description/p[3]", "/description/p[5]"))


def _passages(read: ClefIp, document: str) -> list[Any]:
    from sparse_coverage.patents import passages

    [patent] = [patent for patent in read.collection.documents() if patent.id == document]
    return list(passages(patent))


def test_passages_are_english_and_have_their_own_ids(read: ClefIp) -> None:
    units = read_corpus(read.collection.documents(), "passage")
    assert len(set(units.ids)) == len(units.ids)
    texts = " ".join(p.text for patent in read.collection.documents() for p in (*patent.abstract, *patent.claims))
    assert "Vorrichtung" not in texts
    assert "dispositif" not in texts


def test_a_topic_never_meets_its_own_family(clefip_tree: Tree) -> None:
    everything = read_clefip(clefip_tree[0], PoolConfig(size=100_000)).collection
    for topic, family in clefip_tree[1].family.items():
        if topic in everything.excluded:
            assert set(family) == everything.excluded[topic]
            assert not everything.judgements[topic].documents & everything.excluded[topic]


def test_documents_without_text_or_not_well_formed_are_no_candidates(clefip_tree: Tree) -> None:
    facts = clefip_tree[1]
    everything = read_clefip(clefip_tree[0], PoolConfig(size=100_000))
    units = read_corpus(everything.collection.documents(), "passage")
    assert everything.unreadable == len(facts.malformed) > 0
    assert set(units.documents).isdisjoint(facts.malformed)
    assert set(units.documents).isdisjoint(facts.without_text)
    assert len(facts.without_text) > 0


def test_the_pool_meets_its_quotas(clefip_tree: Tree, read: ClefIp) -> None:
    """200 documents: 22 relevant, 178 negatives, of which 75 % (134) hard, a third from each tier, 44 uniform."""
    counts = read.pool.counts()
    assert counts == {"relevant": 22, "subgroup": 45, "maingroup": 45, "subclass": 44, "uniform": 44}
    assert len(read.pool.documents) == 200
    assert read.collection.name == "clef-ip-2013 (200 documents, seed 0)"
    assert read.collection.candidates == 200


def test_the_tiers_are_what_the_classes_say(clefip_tree: Tree, read: ClefIp) -> None:
    """The generator knows why it gave a document its class; a relevant document's class can only bring it nearer."""
    facts = clefip_tree[1]
    order = ["subgroup", "maingroup", "subclass", "none"]
    seen = Counter()
    for document, tier in read.pool.tiers.items():
        if tier in order and document in facts.tiers:
            assert order.index(tier) <= order.index(facts.tiers[document])
            seen[tier] += tier == facts.tiers[document]
    assert all(seen[tier] > 10 for tier in ("subgroup", "maingroup", "subclass"))


def test_only_english_negatives_are_drawn(clefip_tree: Tree, read: ClefIp) -> None:
    assert {document.language for document in read.pool.documents} == {"en"}


def test_same_seed_same_pool_on_a_shuffled_file_system(clefip_tree: Tree, tmp_path: Path, read: ClefIp) -> None:
    """Copy the documents in another order into folders of other names; ids and seed alone decide."""
    source = find_layout(clefip_tree[0]).documents
    assert source is not None
    files = sorted(source.rglob("*.xml"))
    shutil.copytree(clefip_tree[0] / "02_topics", tmp_path / "02_topics")
    for number, place in enumerate(np.random.default_rng(3).permutation(len(files))):
        target = tmp_path / "docs" / "EP" / f"{(number * 7919) % 31:02d}"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files[place], target / files[place].name)
    again = read_clefip(tmp_path, PoolConfig(size=200))
    assert again.pool.tiers == read.pool.tiers
    first, second = (read_corpus(one.collection.documents(), "passage") for one in (read, again))
    assert first.fingerprint == second.fingerprint


def test_a_survey_is_kept_until_a_file_changes(clefip_tree: Tree, tmp_path: Path) -> None:
    documents = tmp_path / "EP"
    documents.mkdir()
    source = find_layout(clefip_tree[0]).documents
    assert source is not None
    for path in sorted(source.rglob("EP-08*.xml"))[:20]:
        shutil.copyfile(path, documents / path.name)
    first = survey(documents, tmp_path / "cache")
    assert survey(documents, tmp_path / "cache") == first == survey(documents)
    [kept] = (tmp_path / "cache").iterdir()
    kept.write_text("0\n", encoding="utf-8")  # were it read, nothing would be found
    assert survey(documents, tmp_path / "cache") == ([], 0)
    changed = documents / first[0][0].file
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace('lang="EN"', 'lang="DE"', 1), encoding="utf-8")  # as long as before
    assert survey(documents, tmp_path / "cache")[0][0].language == "de"
    changed.write_text(text, encoding="utf-8")
    shutil.copyfile(documents / first[0][0].file, documents / "EP-0000001-A1.xml")
    assert len(survey(documents, tmp_path / "cache")[0]) == len(
        first[0]
    )  # a second file of one id does not count twice


def surveyed(id_: str, *ipc: str, language: str = "en") -> Surveyed:
    return Surveyed(id_, f"{id_}.xml", language, ipc, "")


def test_the_nearest_tier_counts() -> None:
    near = reference_classes(["H04N 5/44", "G10L"])
    assert tier_of(surveyed("a", "G06F 1/00", "H04N 5/44"), near) == "subgroup"
    assert tier_of(surveyed("b", "H04N 5/00"), near) == "maingroup"
    assert tier_of(surveyed("c", "H04N 51/44"), near) == "subclass"
    assert tier_of(surveyed("d", "G10L 21/02"), near) == "subclass"
    assert tier_of(surveyed("e", "G06F 1/00"), near) is None


def test_what_a_tier_lacks_the_next_one_gives() -> None:
    documents = [surveyed("r", "H04N 5/44"), surveyed("s1", "H04N 5/44")]
    documents += [surveyed(f"m{n}", "H04N 5/10") for n in range(20)]
    documents += [surveyed(f"u{n}", "A01B 1/00") for n in range(20)]
    documents += [surveyed("x", "H04N 5/44", language="de")]
    pool = sample_pool(documents, {"r"}, [], PoolConfig(size=13, hard=0.75))
    # 12 negatives, 9 hard, 3 a tier: one subgroup there is, so 5 main groups; no subclass, so 3 more uniform ones.
    assert pool.counts() == {"relevant": 1, "subgroup": 1, "maingroup": 5, "subclass": 0, "uniform": 6}


def test_a_pool_larger_than_the_collection_takes_all_of_it() -> None:
    documents = [surveyed("r", "H04N 5/44"), surveyed("a", "A01B 1/00"), surveyed("b")]
    assert [d.id for d in sample_pool(documents, {"r"}, [], PoolConfig(size=99)).documents] == ["a", "b", "r"]


def test_impossible_pools_are_refused() -> None:
    with pytest.raises(InputError):
        PoolConfig(size=0)
    with pytest.raises(InputError):
        PoolConfig(hard=1.5)


def test_check_says_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    findings = {finding.part: finding for finding in check(tmp_path)}
    assert not any(finding.present for finding in findings.values())
    assert "02_topics.tgz" in findings["topics"].remedy
    assert "01_document_collection.tgz" in findings["documents"].remedy
    (tmp_path / "02_topics.tgz").write_bytes(b"half a download")
    assert "damaged" in {finding.part: finding for finding in check(tmp_path)}["topics"].remedy
    (tmp_path / "ep0.7z.001").touch()
    assert "ep0.7z.001" in {finding.part: finding for finding in check(tmp_path)}["documents"].remedy


def test_without_its_parts_a_folder_is_a_kind_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="coverage clefip"):
        read_clefip(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        read_clefip(tmp_path / "nowhere")
