"""Spans: the pieces of a text that are compared with centers (tokens, noun phrases, or both)."""

from sparse_coverage.spans.span import Spans, SpanUnit
from sparse_coverage.spans.units import get_unit

__all__ = ["SpanUnit", "Spans", "get_unit"]
