"""Spans: the pieces of a text that are compared with centers (tokens, noun phrases, or both)."""

from sparse_coverage.spans.noun_phrases.extractor import EmbeddedExtractor, NounPhraseExtractor
from sparse_coverage.spans.noun_phrases.spacy_phrases import SpacyExtractor
from sparse_coverage.spans.pooling import Spans
from sparse_coverage.spans.units import SpanUnit, get_unit

__all__ = ["EmbeddedExtractor", "NounPhraseExtractor", "SpacyExtractor", "SpanUnit", "Spans", "get_unit"]
