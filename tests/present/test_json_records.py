"""The JSON that programs read: every key of it is written down here."""

from __future__ import annotations

import json

from sparse_coverage.dataclass_json import record, to_json
from sparse_coverage.search import Answers, Explanation, Hit, Match, PassageHit, ScoringConfig
from sparse_coverage.search.results import Answer, Place, QueryCost, Reason, Reasons, Unsearched

PLACE = Place("valve", 2, 7)
PASSAGE = PassageHit("XX-1-A1/claims/claim[1]", "XX-1-A1", "claims", "A valve", 1.5, "1")
REASONS = Reasons((Reason(PLACE, PLACE, 1.5),), 0.5, 0.25)
MATCH = Match(3, "valves", PLACE, PLACE, 0.5, 0.25, 2.0, 1.5, "XX-2-A1/p[1]")

A_PLACE = {"text": "valve", "start": 2, "end": 7}
A_PASSAGE = {
    "id": "XX-1-A1/claims/claim[1]",
    "document": "XX-1-A1",
    "section": "claims",
    "text": "A valve",
    "score": 1.5,
    "number": "1",
}
A_MATCH = {
    "center": 3,
    "anchor": "valves",
    "query": A_PLACE,
    "passage": A_PLACE,
    "query_weight": 0.5,
    "passage_weight": 0.25,
    "idf": 2.0,
    "contribution": 1.5,
    "lender": "XX-2-A1/p[1]",
}


def through_json(result: object) -> object:
    """What a program reads; the order of the keys is the one that is written."""
    return json.loads(to_json(result))


def test_a_hit_has_its_passages_within() -> None:
    hit = Hit("XX-1-A1", "Valve", 1.5, {"ipc": ("F16K 31/06",), "country": "XX"}, (PASSAGE,))
    assert through_json([hit]) == [
        {
            "document": "XX-1-A1",
            "title": "Valve",
            "score": 1.5,
            "metadata": {"ipc": ["F16K 31/06"], "country": "XX"},
            "passages": [A_PASSAGE],
            "members": [],
            "closeness": "",
        }
    ]


def test_an_explanation_begins_with_its_score() -> None:
    explanation = Explanation("A valve", PASSAGE, (MATCH,), (PLACE,), Unsearched((), (PLACE,)), REASONS)
    expected = {
        "score": 1.5,
        "query": "A valve",
        "passage": A_PASSAGE,
        "matches": [A_MATCH],
        "unmatched": [A_PLACE],
        "unsearched": {"uncovered": [], "common": [A_PLACE]},
        "reasons": {
            "phrases": [{"query": A_PLACE, "passage": A_PLACE, "contribution": 1.5}],
            "similarity": 0.5,
            "feedback": 0.25,
            "words": [],
            "whole": 0.0,
        },
        "parts": [],
    }
    assert through_json(explanation) == expected
    assert list(record(explanation)) == list(expected)


def test_answers_name_the_passage_of_each_match() -> None:
    answers = Answers(
        "A valve", "XX-1-A1", (Answer(PLACE, PASSAGE.id, MATCH),), (PLACE,), Unsearched(), {"p": "A valve"}
    )
    assert through_json(answers) == {
        "query": "A valve",
        "document": "XX-1-A1",
        "found": [{"query": A_PLACE, "passage": "XX-1-A1/claims/claim[1]", "match": A_MATCH}],
        "missing": [A_PLACE],
        "unsearched": {"uncovered": [], "common": []},
        "passages": {"p": "A valve"},
        "numbers": {},
    }


def test_costs_and_settings_are_flat() -> None:
    cost = QueryCost(1, 2, 3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 2.1)
    assert through_json({"cost": cost}) == {
        "cost": {
            "centers": 1,
            "stop_centers": 2,
            "postings": 3,
            "encoding": 0.1,
            "filtering": 0.2,
            "feedback": 0.3,
            "scoring": 0.4,
            "selecting": 0.5,
            "reading": 0.6,
            "total": 2.1,
            "vectors": 0,
        }
    }
    assert record(ScoringConfig(gamma=0.25))["gamma"] == 0.25


def test_letters_are_written_as_they_are_and_what_utf8_cannot_hold_as_its_escape() -> None:
    text = to_json({"title": "γ-alumina", "path": "dr\udcfcm"})
    assert text == '{"title": "γ-alumina", "path": "dr\\udcfcm"}'
    assert json.loads(text.encode("utf-8"))["path"] == "dr\udcfcm"
