"""Readers: what a user points at becomes one kind of collection."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.clefip import read_judgements, read_topics, topic_query
from sparse_coverage.evaluation.collection import Collection, Query, read_corpus
from sparse_coverage.evaluation.loading import load_collection, read_beir
from sparse_coverage.evaluation.trec import read_qrels
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.comparison import evaluate

PUMP = {"_id": "EP1", "title": "A pump", "text": "A pump with a valve.", "family": ["EP1", "WO9"]}
SAME = {"_id": "WO9", "title": "Pump", "text": "The same pump."}
OTHER = {"_id": "EP2", "title": "A lamp", "text": "A lamp that glows.", "kind": "A"}  # no part of its id


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
    assert read_corpus(collection.documents(), collection.by).documents == ("EP1", "WO9", "EP2")


def test_a_query_that_is_a_document_is_not_shown_itself_or_its_family(tmp_path: Path) -> None:
    query = {"_id": "EP1", "title": "A pump", "text": "A pump with a valve."}
    collection = read_beir(beir(tmp_path / "c", [query], "EP1\tEP2\t1\nEP1\tWO9\t1\n"))
    assert collection.excluded == {"EP1": {"EP1", "WO9"}}
    assert collection.judgements["EP1"].documents == {"EP2"}
    assert any("1 judgement of" in note for note in collection.notes)


def test_equal_ids_alone_do_not_make_a_query_a_document(tmp_path: Path) -> None:
    collection = read_beir(beir(tmp_path / "c", [{"_id": "EP1", "text": "something else"}], "EP1\tEP1\t1\n"))
    assert collection.excluded == {}
    assert collection.judgements["EP1"].documents == {"EP1"}


@pytest.mark.parametrize(
    ("queries", "qrels", "cause"),
    [
        ([{"_id": "q", "text": "a"}], "q\tEP1\n", "separated by tabs"),
        ([{"text": "a"}], "q\tEP1\t1\n", "_id"),
    ],
)
def test_a_broken_beir_folder_says_where(tmp_path: Path, queries: list[dict[str, str]], qrels: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        read_beir(beir(tmp_path / "c", queries, qrels))


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
        ('documents = "x"\ntopics = "t"\nqrels = "q"\ntopic_fields = "title"\n', "list of names"),
        ('documents = "x"\ntopics = "t"\nqrels = "q"\nlanguage = 5\n', "language"),
    ],
)
def test_a_mistake_in_a_description_is_named(tmp_path: Path, text: str, cause: str) -> None:
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        load_collection(str(tmp_path / "c.toml"))


def test_what_is_no_collection_says_what_one_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="corpus"):
        load_collection(str(tmp_path))
    with pytest.raises(
        InputError, match=r"no collection 'cranfield': only `demo` is built in.* path: .*path/to/cranfield"
    ):
        load_collection("cranfield")


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Registers small collections with the real library, from files, and takes them out again."""
    ir_datasets = pytest.importorskip("ir_datasets")
    formats, download = ir_datasets.formats, ir_datasets.util.LocalDownload
    registered = []

    def register(name: str, docs: str, queries: str, qrels: str, doc_class: type | None = None) -> str:
        files = {}
        for kind, text in (("docs", docs), ("queries", queries), ("qrels", qrels)):
            path = tmp_path / name.replace("/", "-") / f"{kind}.tsv"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            files[kind] = download(path)
        parts = [
            formats.TsvDocs(files["docs"], doc_class or formats.GenericDoc),
            formats.TsvQueries(files["queries"]),
            formats.TrecQrels(files["qrels"], {1: "relevant"}),
        ]
        given = [part for part, text in zip(parts, (docs, queries, qrels), strict=True) if text]
        ir_datasets.registry.register(name, ir_datasets.datasets.base.Dataset(*given))
        registered.append(name)
        return f"ir_datasets:{name}"

    yield register
    for name in registered:
        del ir_datasets.registry._registered[name]


class PlainDoc(NamedTuple):
    """A few of the catalogue's documents have no text of the library's own."""

    doc_id: str
    title: str
    summary: str


def test_an_ir_dataset_without_titles_and_one_without_texts_of_the_librarys(catalogue: Callable[..., str]) -> None:
    plain = load_collection(catalogue("sc/plain", "d1\tIt pumps.\n", "q1\tpumps\n", "q1 0 d1 1\n"))
    assert [(patent.title, patent.abstract[0].text) for patent in plain.documents()] == [("", "It pumps.")]
    other = load_collection(catalogue("sc/other", "d1\tPump\tIt pumps.\n", "q1\tpumps\n", "q1 0 d1 1\n", PlainDoc))
    assert [(patent.title, patent.abstract[0].text) for patent in other.documents()] == [("Pump", "It pumps.")]


def test_an_ir_dataset_whose_queries_are_documents_leaves_them_out(catalogue: Callable[..., str]) -> None:
    docs, queries = "d1\tIt pumps.\nd2\tIt glows.\n", "d1\tIt pumps.\nd2\tsomething else\n"
    collection = load_collection(catalogue("sc/own", docs, queries, "d1 0 d1 1\nd1 0 d2 1\nd2 0 d1 1\n"))
    assert collection.excluded == {"d1": {"d1"}}
    assert collection.judgements["d1"].documents == {"d2"}


def test_an_ir_dataset_without_judgements_names_its_subsets(catalogue: Callable[..., str]) -> None:
    catalogue("sc/half/test", "d1\tIt pumps.\n", "q1\tpumps\n", "q1 0 d1 1\n")
    with pytest.raises(InputError, match=r"no qrels.*sc/half/test"):
        load_collection(catalogue("sc/half", "d1\tIt pumps.\n", "q1\tpumps\n", ""))


def test_an_ir_dataset_that_cannot_be_fetched_is_a_kind_error(catalogue: Callable[..., str], tmp_path: Path) -> None:
    name = catalogue("sc/gone", "d1\tIt pumps.\n", "q1\tpumps\n", "q1 0 d1 1\n")
    (tmp_path / "sc-gone" / "qrels.tsv").unlink()
    with pytest.raises(InputError, match="cannot get 'sc/gone'"):
        load_collection(name)


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
    from sparse_coverage.evaluation.clefip import topic_claims, topic_document
    from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_topics

    for topic in demo_topics():
        document = topic_document(topic, TOPICS_FILE)
        numbers = [claim.number for claim in topic_claims(topic, document)]
        assert numbers == sorted(set(numbers))
        for claim in topic_claims(topic, document):
            assert set(claim.depends_on) <= set(numbers)
            assert claim.text in topic_query(topic, document)


@pytest.mark.parametrize(
    "qrels", ["\nquery-id\tcorpus-id\tscore\nq\tEP2\t1\n", "q\tEP2\t1\r\nq\tEP2\t0\r\n", "q \t EP2 \t 1 \n"]
)
def test_judgements_with_and_without_names_of_columns(tmp_path: Path, qrels: str) -> None:
    """Blank lines, other line ends and blanks around a value change nothing; a pair judged twice keeps its higher grade."""
    collection = read_beir(beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}], qrels))
    assert collection.judgements["q"].grades == {"EP2": 1}


@pytest.mark.parametrize("line", ["q\t0\tEP2\t1", "q\tEP2\t1.0", "q\tEP2\t²", "q EP2 1", "q\tEP2"])
def test_a_broken_beir_judgement_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"test.tsv:2: expected"):
        read_beir(beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}], f"q\tEP2\t1\n{line}\n"))


def test_a_text_may_hold_any_separator_that_is_no_line_break(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [], "q\tEP2\t1\n")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "lamps\u2028and\u0085more"}\n', encoding="utf-8")
    assert read_beir(folder).queries[0].text == "lamps\u2028and\u0085more"


def test_other_judgements_of_a_beir_folder_by_their_file(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}], "q\tEP2\t1\n")
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "dev.tsv")
    with pytest.raises(InputError, match=r"qrels/dev\.tsv"):
        load_collection(str(folder))
    collection = load_collection(str(folder / "qrels" / "dev.tsv"))
    assert (collection.name, len(collection.judged)) == ("c dev", 1)


def test_a_document_without_text_is_counted_as_left_out(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}], "q\tEP2\t1\n")
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write('{"_id": "EP9", "title": "", "text": " "}\n')
    with Workbench(read_beir(folder), tmp_path / "cache") as bench:
        held = len(bench.corpus.documents)
        assert f"1 of {held + 1} documents is left out for want of readable text." in bench.notes()


def test_a_judged_query_without_text_is_told(tmp_path: Path) -> None:
    """Whether its text is empty or the queries do not name it, and whatever kind of collection it is."""
    queries = [{"_id": "q", "text": "lamps"}, {"_id": "r", "text": " "}, {"_id": "s", "text": "not judged"}]
    folder = beir(tmp_path / "c", queries, "q\tEP2\t1\nr\tEP2\t1\nt\tEP2\t1\nu\tEP2\t0\n")
    expected = ("2 queries, 1 of them with relevant documents", "2 more judged queries without a text: left out")
    assert read_beir(folder).notes == expected
    (folder / "topics.tsv").write_text("q\tlamps\ns\tnot judged\n", encoding="utf-8")
    (folder / "qrels.txt").write_text("q 0 EP2 1\nr 0 EP2 1\nt 0 EP2 1\nu 0 EP2 0\n", encoding="utf-8")
    (folder / "c.toml").write_text('documents = "corpus.jsonl"\ntopics = "topics.tsv"\nqrels = "qrels.txt"\n')
    assert load_collection(folder / "c.toml").notes == expected


def test_judgements_of_other_documents_are_refused(tmp_path: Path) -> None:
    """A few misses are told; where nothing that is judged is there, every measure would be 0 for every system."""
    folder = beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}], "q\tEP2\t1\nq\tUS7\t1\n")
    with Workbench(load_collection(folder), tmp_path / "cache") as bench:
        bench.require_relevant()
        assert "1 of 2 relevant documents is not in the corpus: counted as missed." in bench.notes()
    (folder / "qrels" / "test.tsv").write_text("q\tUS7\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'US7' is judged.*same ids\?"):
        evaluate(load_collection(folder), "bm25", cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        ({"_id": "q", "text": "again"}, "second time"),
        ({"_id": None, "text": "x"}, "_id"),
        ({"_id": "r", "text": ["x"]}, "are texts"),
    ],
)
def test_a_broken_beir_query_is_named_by_its_line(tmp_path: Path, record: dict[str, object], cause: str) -> None:
    with pytest.raises(InputError, match=f"queries.jsonl:2: .*{cause}"):
        read_beir(beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}, record], "q\tEP2\t1\n"))


def test_a_collection_without_any_relevant_document_is_refused(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [{"_id": "q", "text": "lamps"}], "q\tEP2\t0\n")
    with pytest.raises(InputError, match="no query with a relevant document"):
        load_collection(str(folder))


def test_a_query_that_comes_twice_is_refused() -> None:
    with pytest.raises(InputError, match="'q' comes twice"):
        Collection("c", lambda: iter(()), (Query("q", "a"), Query("q", "b")), {})


def test_a_query_id_that_no_run_could_hold_is_refused(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [{"_id": "q 1", "text": "lamps"}], "q 1\tEP2\t1\n")
    with pytest.raises(InputError, match="The query id 'q 1' of the collection 'c' holds white space"):
        load_collection(folder)


def test_what_could_not_be_read_is_kept_to_be_told(tmp_path: Path) -> None:
    folder = beir(tmp_path / "c", [], "")
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{broken\n")
    (tmp_path / "topics.txt").write_text("7\tlamps\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("7 0 EP2 1\n", encoding="utf-8")
    description = 'documents = "c/corpus.jsonl"\ntopics = "topics.txt"\nqrels = "qrels.txt"\n'
    (tmp_path / "lamps.toml").write_text(description, encoding="utf-8")
    collection = load_collection(str(tmp_path / "lamps.toml"))
    for _ in range(2):  # a second reading tells nothing new
        assert len(list(collection.documents())) == 3
    [problem] = collection.problems
    assert "corpus.jsonl:4" in problem


def test_a_broken_xpath_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("PSG-7,EP-1-A1,abstract/p\nPSG-7,EP-1-A1,abstract/p[0]\n", encoding="utf-8")
    with pytest.raises(InputError, match="qrels:2: not an XPath"):
        list(read_judgements(path))
    topics = "<tid>PSG-1</tid>\n<tfile>a.xml</tfile>\n<tclaims>/patent-document/claims/claim[0]</tclaims>\n"
    path.write_text(topics, encoding="utf-8")
    with pytest.raises(InputError, match="topic PSG-1: not an XPath"):
        read_topics(path)


def test_lists_of_numbers_are_judgements(tmp_path: Path) -> None:
    """One list for the one topic there is, or a list for each topic, in any spelling."""
    beir(tmp_path / "c", [], "")
    (tmp_path / "topics.txt").write_text("7\tglowing lamp\n", encoding="utf-8")
    (tmp_path / "relevant.txt").write_text("EP 1 000 001 A1; US 5,700,647\n", encoding="utf-8")
    description = 'documents = "c/corpus.jsonl"\ntopics = "topics.txt"\nqrels = "relevant.txt"\n'
    (tmp_path / "lamps.toml").write_text(description, encoding="utf-8")
    collection = load_collection(str(tmp_path / "lamps.toml"))
    assert collection.judgements["7"].grades == {"EP-1000001-A1": 1, "US-5700647": 1}
    (tmp_path / "topics.txt").write_text("7\tglowing lamp\n8\tother lamp\n", encoding="utf-8")
    with pytest.raises(InputError, match="2 topics"):
        load_collection(str(tmp_path / "lamps.toml"))
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "8.csv").write_text("Publication Number,Title\nEP1000002B1,Lamp\n", encoding="utf-8")
    (tmp_path / "lamps.toml").write_text(description.replace("relevant.txt", "lists"), encoding="utf-8")
    assert load_collection(str(tmp_path / "lamps.toml")).judgements["8"].grades == {"EP-1000002-B1": 1}


def test_judgements_of_publication_numbers_are_no_list_of_numbers(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("Q1\ta valve\nQ2\ta pump\n", encoding="utf-8")
    judged = "Q1 0 EP-9118590-A1 1\nQ1 0 EP-9110112-A1 1\nQ2 0 EP-9113351-A1 1\n"
    (tmp_path / "qrels.txt").write_text(judged, encoding="utf-8")
    (tmp_path / "documents.jsonl").write_text('{"id": "EP-9118590-A1", "abstract": "A valve."}\n', encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text('documents = "documents.jsonl"\ntopics = "topics.tsv"\nqrels = "qrels.txt"\n', encoding="utf-8")
    judgements = load_collection(str(own)).judgements
    assert judgements["Q1"].documents == {"EP-9118590-A1", "EP-9110112-A1"}
    assert judgements["Q2"].documents == {"EP-9113351-A1"}


def test_documents_are_called_as_the_judgements_call_them_whatever_kind_is_beside(tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "US5239446", "kind": "A", "title": "Casing", "text": "A casing."}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "a casing"}\n')
    (folder / "qrels" / "test.tsv").write_text("q\tUS5239446\t1\n")
    collection = load_collection(str(folder))
    [patent] = collection.documents()
    assert {patent.id} == collection.judgements["q"].documents
    assert patent.kind == "A"
