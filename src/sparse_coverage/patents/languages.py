"""Choosing the parts of a patent that are in the wanted language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sparse_coverage.patents.context import ANY_LANGUAGE

T = TypeVar("T")


def language_code(value: str | None) -> str:
    """Return a language attribute in one form: `EN`, `en-US` and `en` are `en`; nothing is an empty string."""
    return (value or "").strip().lower().replace("_", "-").partition("-")[0]


def accepts(wanted: str, language: str) -> bool:
    """Tell whether a text in `language` is wanted. A text that names no language cannot be excluded."""
    return wanted == ANY_LANGUAGE or not language or language == wanted


def choose_part(parts: Sequence[tuple[str, T]], wanted: str, document_language: str) -> int | None:
    """Return which of several (language, part) pairs to read, or None.

    The first one in the wanted language; when any language will do, the first one in the document's own.
    """
    preferred = document_language if wanted == ANY_LANGUAGE else wanted
    for position, (language, _) in enumerate(parts):
        if language == preferred:
            return position
    for position, (language, _) in enumerate(parts):
        if accepts(wanted, language):
            return position
    return None
