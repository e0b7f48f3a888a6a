"""Collections made of what examiners wrote, in files of the shape that their authors give them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparse_coverage import Variant, evaluate, load_collection
from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import missing_passages, read_corpus
from sparse_coverage.evaluation.office_actions import read_fine_patents, read_panorama
from sparse_coverage.search import Hit


def link(kind: str, number: int | None) -> dict[str, Any]:
    return {
        "source_reference": {"document": "D1", "location": None},
        "reference": [kind, number],
        "text": "as it stands",
    }


def write_application(folder: Path, name: str, split: str, cited: dict[str, Any], features: list[Any]) -> None:
    place = folder / name
    place.mkdir(parents=True)
    breakdown = {
        "language": "EN",
        "prior_art_documents": [{"label": "D1", "type": "patent", "identifier": cited["publication_number"]}],
        "breakdown": [
            {"feature": text, "distinguishing_spans": [], "prior_art_passages": links} for text, links in features
        ],
        "reason_for_rejection": "novelty",
        "inventive_step_reasoning": None,
    }
    own = {
        "publication_number": f"{name}A1",
        "title": "T",
        "abstract": None,
        "description": ["x"],
        "claims": ["1. All of it."],
    }
    files = {"breakdown": breakdown, "cited_patent": cited, "rejected_patent": own, "granted_patent": own}
    files["metadata"] = {"split": split, "include_versions": ["rejected"]}
    for file, content in files.items():
        (place / f"{file}.json").write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def fine(tmp_path: Path) -> Path:
    folder = tmp_path / "packaged"
    cited = {
        "publication_number": "EP0049154A1",
        "title": "Valve",
        "abstract": "A valve with a spring.",
        "description": ["The field.", None, "The spring pushes the plunger."],
        "claims": ["1. A valve.", "2. The valve of claim 1 with a plunger."],
    }
    features = [
        ("a valve", [link("claim", 1), link("abstract", None)]),
        ("a plunger", [link("paragraph", 3), link("figure", 2)]),
        ("a novel thing", []),
    ]
    write_application(folder, "EP12000049", "test", cited, features)
    write_application(folder, "EP12000050", "train", {**cited, "publication_number": "EP0049155A1"}, features)
    return folder


def test_features_are_queries_whose_passages_are_those_of_the_cited_patent(fine: Path) -> None:
    collection = load_collection(str(fine))
    assert [(query.id, query.text) for query in collection.queries] == [
        ("EP12000049-1", "a valve"),
        ("EP12000049-2", "a plunger"),
    ]
    [patent] = collection.documents()
    assert patent.id == "EP-0049154-A1"
    assert collection.own_ids() == {"EP-0049154-A1": "EP0049154A1"}
    passages = {query: relevance.passages[patent.id] for query, relevance in collection.judgements.items()}
    assert passages["EP12000049-1"] == {"EP-0049154-A1/claims/claim[1]", "EP-0049154-A1/abstract/p[1]"}
    assert passages["EP12000049-2"] == {"EP-0049154-A1/description/p[3]"}  # counted with the missing second one
    assert "1 links to figures" in " ".join(collection.notes)


def test_every_linked_passage_is_in_the_corpus(fine: Path) -> None:
    collection = load_collection(str(fine))
    corpus = read_corpus(collection.documents(), collection.by)
    judged = {id_ for relevance in collection.judgements.values() for ids in relevance.passages.values() for id_ in ids}
    assert missing_passages(judged, corpus) == 0


def test_whole_claims_have_the_passages_of_all_their_features(fine: Path) -> None:
    collection = read_fine_patents(fine, split="train", level="claim")
    assert [query.text for query in collection.queries] == ["1. All of it."]
    assert len(collection.judgements["EP12000050"].passages["EP-0049155-A1"]) == 3
    with pytest.raises(InputError, match="split 'val'"):
        read_fine_patents(fine, split="val")


def option(number: int, text: str) -> dict[str, Any]:
    return {"patent_id": str(number), "title": text, "abstract": f"About a {text}.", "claims": [f"1. A {text}."]}


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def claims_row(number: int, gold: Any, silver: Any, options: Any) -> dict[str, Any]:
    context = {"title": "T", "abstract": "A", "claims": ["1. A valve.", "2. The valve with a spring."]}
    return {
        "application_number": 12347882,
        "claim_number": number,
        "context": json.dumps(context) if number == 2 else context,  # parquet files keep it as text
        "options": options,
        "gold_answers": gold,
        "silver_answers": silver,
        "negative_answers": "D",
    }


class Alphabetical:
    """Ranks everything, by id."""

    name = "alphabetical"

    def __init__(self, ids: list[str]) -> None:
        self.ids = sorted(ids)

    def search(self, query: str, k: int = 10, **_: object) -> list[Hit]:
        return [Hit(id_, "", 1.0 - place, {}, ()) for place, id_ in enumerate(self.ids)]


def test_a_claim_chooses_among_its_own_patents_and_silver_is_no_mistake(tmp_path: Path) -> None:
    options = {
        letter: option(100 + n, word)
        for n, (letter, word) in enumerate(zip("ABCD", ("pump", "spring", "valve", "lamp"), strict=True))
    }
    other = {
        letter: option(200 + n, word) for n, (letter, word) in enumerate(zip("AB", ("rubber", "valve"), strict=True))
    }
    path = write_rows(
        tmp_path / "PAR4PC" / "test.jsonl", [claims_row(1, "C,D", "A", options), claims_row(2, ["B"], [], other)]
    )
    collection = load_collection(str(path))
    assert {query.id: query.text for query in collection.queries} == {
        "12347882-1": "A valve.",
        "12347882-2": "The valve with a spring.",
    }
    assert collection.choices["12347882-1"] == {"101", "102", "103"}  # without the silver one
    assert collection.judgements["12347882-1"].grades == {"102": 1, "103": 1}
    ids = [patent.id for patent in collection.documents()]
    found = evaluate(collection, {"ours": Variant(Alphabetical(ids))}, ["MRR", "P@1"], cache=tmp_path / "cache")
    assert found.rows["ours"].values["MRR"] == {"12347882-1": 1 / 2, "12347882-2": 1 / 2}


def test_a_claim_chooses_among_paragraphs_of_one_patent(tmp_path: Path) -> None:
    row = claims_row(1, [3], [1], {"1": "A spring.", "3": "A valve.", "5": "A lamp."})
    row["prior_art_specification"] = json.dumps({"patent_id": "20070061301", "title": "T"})
    collection = read_panorama(write_rows(tmp_path / "PI4PC" / "validation.jsonl", [row, row]))
    assert [query.id for query in collection.queries] == ["12347882-1-20070061301", "12347882-1-20070061301-2"]
    assert collection.choices["12347882-1-20070061301"] == {"20070061301-3", "20070061301-5"}
    assert collection.judgements["12347882-1-20070061301"].documents == {"20070061301-3"}


def test_a_row_of_another_shape_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1 is none of PAR4PC"):
        read_panorama(write_rows(tmp_path / "par4pc.jsonl", [{"application_number": 1}]))
