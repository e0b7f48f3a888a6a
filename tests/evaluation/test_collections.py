"""Readers: what a user points at becomes one kind of collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.beir import read_beir
from sparse_coverage.evaluation.clefip import read_judgements, read_topics, topic_query
from sparse_coverage.evaluation.collections import load_collection
from sparse_coverage.evaluation.exclusions import same_application
from sparse_coverage.evaluation.ir_datasets_reader import from_dataset
from sparse_coverage.evaluation.trec import read_qrels
from sparse_coverage.evaluation.units import read_units

PUMP = {"_id": "EP1", "title": "A pump", "text": "A pump with a valve.", "family": ["EP1", "WO9"]}
SAME = {"_id": "WO9", "title": "Pump", "text": "The same pump."}
OTHER = {"_id": "EP2", "title": "A lamp", "text": "A lamp that glows."}


def beir(folder: Path, queries: list[dict[str, str]], qrels: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    corpus = "".join(json.dumps(record) + "\n" for record in (PUMP, SAME, OTHER))
    (folder / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_a_beir_folder(tmp_path: Path) -> None:
    folder = beir(
        tmp_path / "pumps", [{"_id": "q1", "text": "glowing"}], "query-id\tcorpus-id\tscore\nq1\tEP2\t2\nq1\tEP1\t0\n"
    )
    collection = load_collection(str(folder))
    assert collection.name == "pumps"
    assert collection.by == "document"
    assert [query.text for query in collection.judged] == ["glowing"]
    assert collection.judgements["q1"].documents == {"EP2"}
    assert read_units(collection.documents(), collection.by).documents == ("EP1", "WO9", "EP2")


def test_a_query_that_is_a_document_is_not_shown_itself_or_its_family(tmp_path: Path) -> None:
    query = {"_id": "EP1", "title": "A pump", "text": "A pump with a valve."}
    collection = read_beir(beir(tmp_path / "c", [query], "EP1\tEP2\t1\nEP1\tWO9\t1\n"))
    assert collection.excluded == {"EP1": {"EP1", "WO9"}}
    assert collection.judgements["EP1"].documents == {"EP2"}
    assert any("1 judgements" in note for note in collection.notes)


def test_equal_ids_alone_do_not_make_a_query_a_document(tmp_path: Path) -> None:
    collection = read_beir(beir(tmp_path / "c", [{"_id": "EP1", "text": "something else"}], "EP1\tEP1\t1\n"))
    assert collection.excluded == {}
    assert collection.judgements["EP1"].documents == {"EP1"}


@pytest.mark.parametrize(
    ("queries", "qrels", "cause"),
    [
        ([{"_id": "q", "text": "a"}], "q\tEP1\n", "separated by tabs"),
        ([{"_id": "q", "text": "a"}], "p\tEP1\t1\n", "does not hold"),
        ([{"text": "a"}], "q\tEP1\t1\n", "_id"),
    ],
)
def test_a_broken_beir_folder_says_where(tmp_path: Path, queries: list[dict[str, str]], qrels: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        read_beir(beir(tmp_path / "c", queries, qrels))


def test_another_split_is_named_when_the_wanted_one_is_not_there(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [{"_id": "q", "text": "a"}], "q\tEP1\t1\n")
    with pytest.raises(InputError, match="There are: test"):
        read_beir(folder, split="dev")


def test_a_collection_described_in_toml(tmp_path: Path) -> None:
    beir(tmp_path / "c", [], "")
    (tmp_path / "topics.txt").write_text("7\tglowing lamp\n8\tnobody judged this\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("7 0 EP2 1\n7 0 EP1 -1\n", encoding="utf-8")
    description = 'documents = "c/corpus.jsonl"\ntopics = "topics.txt"\nqrels = "qrels.txt"\nby = "document"\n'
    (tmp_path / "lamps.toml").write_text(description, encoding="utf-8")
    collection = load_collection(str(tmp_path / "lamps.toml"))
    assert collection.name == "lamps"
    assert [query.id for query in collection.judged] == ["7"]
    assert collection.judgements["7"].grades == {"EP2": 1, "EP1": 0}


def test_topics_that_are_patents_leave_out_their_own_publication(tmp_path: Path) -> None:
    """As in CLEF-IP 2009 to 2011: a topic is a whole document, its file named after both, judged by document."""
    (tmp_path / "topics").mkdir()
    record = {"id": "EP-1000001-A1", "title": "Lamp", "abstract": "It glows.", "claims": ["1. A lamp."]}
    (tmp_path / "topics" / "PAC-1_EP-1000001-A1.jsonl").write_text(json.dumps(record), encoding="utf-8")
    corpus = [{"id": "EP-1000001-B1", "title": "Lamp granted"}, {"id": "EP-0971326-B1", "title": "Another lamp"}]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(c) + "\n" for c in corpus), encoding="utf-8")
    (tmp_path / "qrels").write_text("PAC-1 0 EP-0971326-B1 1 EN\nPAC-1 0 EP-1000001-B1 1 EN\n", encoding="utf-8")
    description = 'documents = "docs.jsonl"\ntopics = "topics"\nqrels = "qrels"\ntopic_fields = ["title", "claims"]\n'
    (tmp_path / "pac.toml").write_text(description, encoding="utf-8")
    collection = load_collection(str(tmp_path / "pac.toml"))
    [query] = collection.judged
    assert (query.id, query.text) == ("PAC-1", "Lamp\nA lamp.")
    assert collection.excluded == {"PAC-1": {"EP-1000001-B1"}}
    assert collection.judgements["PAC-1"].documents == {"EP-0971326-B1"}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('documents = "x"\n', "topics"),
        ('documents = "x"\ntopics = "t"\nqrels = "q"\nby = "page"\n', "by is"),
        ('document = "x"\n', "means nothing"),
        ("documents = \n", "TOML"),
    ],
)
def test_a_mistake_in_a_description_is_named(tmp_path: Path, text: str, cause: str) -> None:
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        load_collection(str(tmp_path / "c.toml"))


def test_what_is_no_collection_says_what_one_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="corpus"):
        load_collection(str(tmp_path))
    with pytest.raises(InputError, match="no collection"):
        load_collection(str(tmp_path / "nowhere"))


def test_the_demo_is_a_collection() -> None:
    collection = load_collection("demo")
    assert len(collection.judged) == 12
    assert collection.has_passages
    assert len(read_units(collection.documents(), collection.by).documents) == 68


class Dataset:
    """What `ir_datasets` gives, as far as it is used."""

    class Document:
        def __init__(self, doc_id: str, title: str, text: str) -> None:
            self.doc_id, self.title, self.text = doc_id, title, text

    class Query:
        query_id = "q1"

        def default_text(self) -> str:
            return "lamps"

    class Judgement:
        query_id, doc_id, relevance = "q1", "d2", 2

    def has_docs(self) -> bool:
        return True

    has_queries = has_qrels = has_docs

    def docs_iter(self) -> list[Document]:
        return [self.Document("d1", "Pump", "It pumps."), self.Document("d2", "Lamp", "It glows.")]

    def queries_iter(self) -> list[Query]:
        return [self.Query()]

    def qrels_iter(self) -> list[Judgement]:
        return [self.Judgement()]


def test_an_ir_dataset() -> None:
    collection = from_dataset(Dataset(), "tiny")
    assert [patent.title for patent in collection.documents()] == ["Pump", "Lamp"]
    assert [patent.abstract[0].text for patent in collection.documents()] == ["It pumps.", "It glows."]
    assert collection.judgements["q1"].grades == {"d2": 2}
    assert collection.judged[0].text == "lamps"


def test_an_unknown_ir_dataset_is_a_kind_error() -> None:
    pytest.importorskip("ir_datasets")
    with pytest.raises(InputError, match="no collection"):
        load_collection("ir_datasets:there-is-no-such-thing")


def test_document_judgements_of_earlier_years(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(
        "PAC-1 0 EP-0971326-B1 1 EN\nPAC-1 0 EP-1160749-A3 1 EN\nPAC-2 0 EP-1184822-A3 1 DE\n", encoding="utf-8"
    )
    found = read_qrels(path)
    assert found["PAC-1"].documents == {"EP-0971326-B1", "EP-1160749-A3"}
    assert found["PAC-2"].documents == {"EP-1184822-A3"}


def test_judgements_are_split_at_commas_or_blanks(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("PSG-7,EP-1-A1,/patent-document/abstract[1]/p\nPSG-7 EP-1-A1 description/p[16]\n", encoding="utf-8")
    assert [judgement.xpath for judgement in read_judgements(path)] == [
        "/patent-document/abstract/p[1]",
        "/patent-document/description/p[16]",
    ]
    path.write_text("PSG-7,EP-1-A1\n", encoding="utf-8")
    with pytest.raises(InputError, match=":1:"):
        list(read_judgements(path))


def test_a_topic_block_without_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("<tid>PSG-1</tid>\n<tclaims>/patent-document/claims/claim[1]</tclaims>\n", encoding="utf-8")
    with pytest.raises(InputError, match="block 1 has no <tfile>"):
        read_topics(path)


def test_the_query_is_the_claims_with_their_ancestors_each_once() -> None:
    from sparse_coverage.demo import TOPICS_FILE, demo_topics
    from sparse_coverage.evaluation.clefip import topic_claims, topic_document

    for topic in demo_topics():
        document = topic_document(topic, TOPICS_FILE)
        numbers = [claim.number for claim in topic_claims(topic, document)]
        assert numbers == sorted(set(numbers))
        for claim in topic_claims(topic, document):
            assert set(claim.depends_on) <= set(numbers)
            assert claim.text in topic_query(topic, document)


def test_publications_of_one_application() -> None:
    assert same_application("EP-1246167-A1") == same_application("EP-1246167-B2") == "EP-1246167"
    assert same_application("US20030230122A1") == "US20030230122A1"
