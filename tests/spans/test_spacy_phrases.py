"""Noun phrases from spaCy. A trained pipeline cannot be had from the package index, so the parse comes from a component made here."""

from __future__ import annotations

import numpy as np
import pytest

from sparse_coverage.errors import InputError, MissingExtraError, ModelError
from sparse_coverage.spans import get_unit
from sparse_coverage.spans import noun_phrases as spacy_phrases
from sparse_coverage.spans.noun_phrases import SpacyExtractor
from sparse_coverage.spans.units import PhraseUnit

PARTS_OF_SPEECH = {"the": "DET", "a": "DET", "said": "DET", "at": "ADP", "least": "ADJ", "one": "NUM", "rotating": "ADJ"} | {
    "it": "PRON", "turns": "VERB", "holds": "VERB", ".": "PUNCT", "(": "PUNCT", ")": "PUNCT", "10": "NUM", "two": "NUM",
}  # fmt: skip


@pytest.fixture(scope="module")
def pipeline():
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra [spacy])")
    from spacy.language import Language

    @Language.component("small_parser")
    def small_parser(document):
        """Every word before a noun belongs to it; the nouns belong to the first word of the text."""
        noun = None
        for token in reversed(list(document)):
            token.pos_ = PARTS_OF_SPEECH.get(token.lower_, "NOUN")
            token.tag_ = "NNS" if token.pos_ == "NOUN" and token.text.endswith("s") else "NN"
            if token.pos_ in ("NOUN", "PRON") and (noun is None or token.i + 1 != noun.i):
                noun, token.head, token.dep_ = token, document[0], "dobj"
            elif noun is not None and token.pos_ in ("DET", "ADJ", "NUM", "NOUN", "ADP"):
                token.head, token.dep_ = noun, "compound"
            else:
                noun, token.head, token.dep_ = None, document[0], "dep"
        return document

    @Language.component("ner_that_must_not_run")
    def ner(document):
        raise AssertionError("this component is not needed")

    nlp = spacy.blank("en")
    nlp.add_pipe("small_parser")
    return nlp


def strings(extractor, texts):
    return [
        [text[a:b] for a, b in zip(starts, ends, strict=True)]
        for text, (starts, ends) in zip(texts, extractor.extract(texts), strict=True)
    ]


def test_noun_chunks_lose_what_the_lists_leave_out(pipeline):
    texts = ["It holds at least one sensor .", "", "It turns said rotating drum ( 10 ) .", "It holds two lamps ."]
    assert strings(SpacyExtractor(pipeline), texts) == [["sensor"], [], ["rotating drum"], ["lamps"]]


def test_raw_chunks_are_as_spacy_has_them(pipeline):
    texts = ["It holds at least one sensor .", "", "It turns said rotating drum ( 10 ) .", "It holds two lamps ."]
    expected = [[chunk.text for chunk in document.noun_chunks] for document in pipeline.pipe(texts)]
    raw = SpacyExtractor(pipeline, raw=True)
    assert strings(raw, texts) == expected != strings(SpacyExtractor(pipeline), texts)
    assert "at least one sensor" in expected[0]
    assert PhraseUnit(raw, rest=False).name == "np[spacy-raw:en_pipeline]"


def test_a_raw_unit_is_asked_for_by_its_name(pipeline, monkeypatch):
    import spacy

    monkeypatch.setattr(spacy, "load", lambda name: pipeline)
    assert get_unit("np[spacy-raw:en_core_sci_lg]").name == "np[spacy-raw:en_core_sci_lg]"
    assert get_unit("np+token[spacy-raw:en_core_sci_lg]").name == "np+token[spacy-raw:en_core_sci_lg]"


def test_long_streams_give_the_same_in_batches_and_in_several_processes(pipeline, monkeypatch):
    texts = [f"It holds a drum{number} ." for number in range(20)]
    expected = [[f"drum{number}"] for number in range(20)]
    monkeypatch.setattr(spacy_phrases, "BATCH", 6)
    assert strings(SpacyExtractor(pipeline), texts) == expected
    assert strings(SpacyExtractor(pipeline, processes=2), texts) == expected


def test_components_that_noun_phrases_do_not_need_do_not_run(pipeline):
    extractor = SpacyExtractor(pipeline)
    pipeline.add_pipe("ner_that_must_not_run", name="ner")
    try:
        assert strings(extractor, ["It holds a lamp ."]) == [["lamp"]]
        assert pipeline.pipe_names == ["small_parser", "ner"]  # the pipeline itself is left as it was
    finally:
        pipeline.remove_pipe("ner")


def test_the_unit_is_named_after_the_pipeline(pipeline, word_tokens, vectors_for):
    unit = PhraseUnit(SpacyExtractor(pipeline), rest=True)
    assert unit.name == "np+token[spacy:en_pipeline]"
    text = "It holds a rotating drum ."
    spans = unit.pool(text, vectors_for(word_tokens(text)))
    found = [text[a:b] for a, b in zip(spans.starts, spans.ends, strict=True)]
    assert found == ["It", "hold", "s", "a", "rotating drum"]
    np.testing.assert_allclose(np.linalg.norm(spans.vectors, axis=1), 1, rtol=1e-5)


def test_a_pipeline_without_a_parser_is_refused():
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra [spacy])")
    with pytest.raises(ModelError, match="no parser"):
        SpacyExtractor(spacy.blank("en"))


def test_a_pipeline_that_is_not_installed_is_an_error_that_lists_those_that_are():
    pytest.importorskip("spacy", reason="spaCy is not installed (extra [spacy])")
    with pytest.raises(ModelError, match=r"'no_such_pipeline'.*Installed are:"):
        get_unit("np[spacy:no_such_pipeline]")


def test_a_text_beyond_spacys_limit_is_an_error_that_says_what_to_do(pipeline, monkeypatch):
    monkeypatch.setattr(pipeline, "max_length", 50)
    extractor = SpacyExtractor(pipeline)
    with pytest.raises(InputError, match="Split it into passages"):
        list(extractor.extract(["It holds a drum . " * 10]))


def test_the_papers_pipeline_is_preferred():
    installed = ["de_core_news_sm", "en_core_web_sm", "en_core_sci_lg", "en_core_web_lg"]
    assert spacy_phrases._best_installed(installed) == "en_core_sci_lg"
    with pytest.raises(ModelError, match="en_core_sci_lg"):
        spacy_phrases._best_installed(["de_core_news_sm"])


def test_without_spacy_the_error_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"\[spacy\]"):
        get_unit("np[spacy]")
