"""The units: what counts as one span of a text. Tokens, noun phrases, noun phrases and the tokens between them, or a user's own."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import TokenVectors
from sparse_coverage.errors import InputError
from sparse_coverage.spans.span import Indices, Spans, SpanUnit, TokenPlaces, pooled, token_places

if TYPE_CHECKING:
    from sparse_coverage.spans.noun_phrases import NounPhraseExtractor, Phrases

"""The group in which an installed package names units of its own: each entry is a function without arguments that returns one."""


class TokenUnit(SpanUnit):
    """Each encoder token is a span, unless it is punctuation only."""

    name = "token"

    def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
        """Return a run of one for each token."""
        first = np.flatnonzero(places.lexical)
        return first, first + 1


class AllTokensUnit(SpanUnit):
    """Each encoder token is a span, punctuation included: the letter of the paper. `token` leaves punctuation out."""

    name = "all-tokens"

    def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
        """Return a run of one for each token that stands anywhere in the text."""
        first = np.flatnonzero(places.ends > places.starts)
        return first, first + 1


class PhraseUnit(SpanUnit):
    """Noun phrases as spans; with `rest`, also every token with a letter or digit that lies in no phrase.

    A phrase is the run of tokens whose characters lie inside it, and its offsets are theirs.
    """

    def __init__(self, extractor: NounPhraseExtractor, *, rest: bool) -> None:
        self._extractor = extractor
        self._rest = rest
        backend = "" if extractor.name == "embedded" else f"[{extractor.name}]"
        self.name = ("np+token" if rest else "np") + backend

    def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
        """Return the tokens of each phrase and, with `rest`, those between them one by one."""
        [phrases] = self._extractor.extract([text])
        return self._runs(phrases, places)

    def pool_many(self, texts: Iterable[str], tokens: Iterable[TokenVectors]) -> Iterator[Spans]:
        """Yield the spans of each text, in order. The extractor sees the texts as one stream, so that it can batch them."""
        to_extract, to_pool = itertools.tee(texts)
        for text, phrases, vectors in zip(to_pool, self._extractor.extract(to_extract), tokens, strict=True):
            places = token_places(text, vectors)
            yield pooled(self._runs(phrases, places), places, vectors)

    def _runs(self, phrases: Phrases, places: TokenPlaces) -> tuple[Indices, Indices]:
        starts, ends = phrases
        first = np.searchsorted(places.starts, starts, side="left")
        last = np.searchsorted(places.ends, ends, side="right")
        first[1:] = np.maximum(first[1:], last[:-1])
        first, last = _without_blanks(first, last, places.ends > places.starts)
        lexical_before = np.concatenate(([0], np.cumsum(places.lexical)))
        real = (first < last) & (lexical_before[last] > lexical_before[np.minimum(first, last)])
        first, last = first[real], last[real]
        if not self._rest:
            return first, last
        changes = np.zeros(len(places.lexical) + 1, dtype=np.intp)
        changes[first] += 1
        changes[last] -= 1  # runs are disjoint, so no index repeats within either line
        alone = np.flatnonzero(places.lexical & (np.cumsum(changes[:-1]) == 0))
        all_first = np.concatenate((first, alone))
        all_last = np.concatenate((last, alone + 1))
        order = np.argsort(all_first)
        return all_first[order], all_last[order]


def _without_blanks(first: Indices, last: Indices, ink: npt.NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Narrow each run so that it neither begins nor ends with a token of blanks only; it may become empty."""
    if ink.all():
        return first, last
    here = np.arange(len(ink))
    next_ink = np.minimum.accumulate(np.append(np.where(ink, here, len(ink)), len(ink))[::-1])[::-1]
    after_ink = np.maximum.accumulate(np.insert(np.where(ink, here + 1, 0), 0, 0))
    return next_ink[first], after_ink[last]


def _phrases(*, rest: bool) -> SpanUnit:
    from sparse_coverage.spans.noun_phrases import embedded_extractor

    return PhraseUnit(embedded_extractor(), rest=rest)


# A unit is made anew each time it is asked for, and what it needs is loaded only then.
UNITS: dict[str, Callable[[], SpanUnit]] = {
    "token": TokenUnit,
    "all-tokens": AllTokensUnit,
    "np": lambda: _phrases(rest=False),
    "np+token": lambda: _phrases(rest=True),
}
_BY_SPACY = re.compile(r"(?P<unit>np|np\+token)\[spacy(?P<raw>-raw)?(?::(?P<pipeline>[^\[\]]+))?\]")


def get_unit(unit: str | SpanUnit) -> SpanUnit:
    """Return the unit of that name: one of `UNITS`. A unit is returned as it is.

    Noun phrases come from the embedded extractor. `np[spacy]` takes them from the best spaCy pipeline installed,
    `np[spacy:en_core_sci_lg]` from the one named (both need the extra `[spacy]`), `np+token` likewise. `spacy-raw` in the place of
    `spacy` takes its chunks untrimmed. The `name` of the unit returned is complete: asked for again, it gives the same spans.

    >>> get_unit("token").name
    'token'
    """
    if isinstance(unit, SpanUnit):
        return unit
    if unit in UNITS:
        return UNITS[unit]()
    if by_spacy := _BY_SPACY.fullmatch(unit):
        from sparse_coverage.spans.noun_phrases import SpacyExtractor

        extractor = SpacyExtractor(by_spacy["pipeline"], raw=by_spacy["raw"] is not None)
        return PhraseUnit(extractor, rest=by_spacy["unit"] == "np+token")
    raise InputError(
        f"There is no span unit '{unit}'. The units are: {', '.join(UNITS)}. "
        "Noun phrases by spaCy: np[spacy], np+token[spacy:PIPELINE], np[spacy-raw:PIPELINE]. "
        "A unit of your own: give the object in Python."
    )
