"""Texts as words for BM25: lower case, without stopwords, stemmed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable

from sparse_coverage.errors import MissingExtraError

_WORD = re.compile(r"\b\w\w+\b")
STOPWORDS = frozenset(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
    was will with""".split()
)


def word_reader() -> Callable[[str], list[str]]:
    """Return the function that gives the stems of a text, in order, each as often as it stands there."""
    try:
        stem: Callable[[str], str] = importlib.import_module("Stemmer").Stemmer("english").stemWord
    except ImportError:
        raise MissingExtraError("BM25", "baselines") from None

    def read(text: str) -> list[str]:
        return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOPWORDS]

    return read
