"""What the page says of features: where a document has phrases of one, single words, or nothing; and each reason once."""

from __future__ import annotations

from sparse_coverage.index import DocumentRecord, PassageRecord
from sparse_coverage.present.page_view import document_view
from sparse_coverage.present.places import shared_words
from sparse_coverage.present.reasons import reason_rows
from sparse_coverage.search.results import Place, Reason, Reasons, WordReason
from sparse_coverage.workspace.results import ReadResult


def test_a_word_with_a_hyphen_is_there_where_a_part_of_it_is():
    title = "Multi-tool kitchen utensil kit, U-shaped"
    assert [place.text for place in shared_words("A hand tool for a kitchen", title)] == ["Multi-tool", "kitchen"]
    assert shared_words("a U-bolt", title) == []


def test_a_feature_without_a_phrase_goes_to_the_passage_with_most_of_its_words():
    texts = ["A frame.", "A foot plate pivots on the frame.", "A lid."]
    passages = tuple(PassageRecord(f"X/{n}", "X", "description", text, "") for n, text in enumerate(texts))
    read = ReadResult(DocumentRecord("X", "", {}), passages, {})
    view = document_view(read, "a frame; a plate on the frame; a wing nut", ["a plate on the frame", "a wing nut"])
    assert (dict(view.best), view.by_words) == ({0: "X/1"}, (0,))


def test_the_same_two_texts_are_one_reason_however_often_they_stand_there():
    first, later, other = Place("Frame", 0, 5), Place("frame", 20, 25), Place("rack", 30, 34)
    phrases = (Reason(first, first, 0.3), Reason(later, first, 0.1), Reason(later, other, 0.2))
    reasons = Reasons(phrases, words=(WordReason(later, later, 7, 0.5),))
    named = [(asked, found, round(adds, 6)) for asked, found, adds in reason_rows(reasons, 5)]
    assert named == [("frame", "frame (the same word, in 7 passages)", 0.9), ("frame", "rack", 0.2)]
    assert round(sum(adds for *_, adds in reason_rows(reasons, 1)), 6) == 1.1
