"""The units by name: what counts as one span of a text."""

from __future__ import annotations

import re
from collections.abc import Callable

from sparse_coverage.errors import InputError
from sparse_coverage.spans.span import SpanUnit
from sparse_coverage.spans.token_unit import TokenUnit


def _phrases(*, rest: bool) -> SpanUnit:
    from sparse_coverage.spans.noun_phrases.extractor import embedded_extractor
    from sparse_coverage.spans.phrase_units import PhraseUnit

    return PhraseUnit(embedded_extractor(), rest=rest)


# A new unit is one file and one line here. It is made anew each time it is asked for, and loaded only then.
UNITS: dict[str, Callable[[], SpanUnit]] = {
    "token": TokenUnit,
    "np": lambda: _phrases(rest=False),
    "np+token": lambda: _phrases(rest=True),
}
_BY_SPACY = re.compile(r"(?P<unit>np|np\+token)\[spacy(?P<raw>-raw)?(?::(?P<pipeline>[^\[\]]+))?\]")


def get_unit(name: str) -> SpanUnit:
    """Return the unit of that name, one of `UNITS`.

    Noun phrases come from the embedded extractor. `np[spacy]` takes them from the best spaCy pipeline installed,
    `np[spacy:en_core_sci_lg]` from the one named (both need the extra `[spacy]`), `np+token` likewise. `spacy-raw` in the place of
    `spacy` takes its chunks untrimmed. The `name` of the unit returned is complete: asked for again, it gives the same spans.

    >>> get_unit("token").name
    'token'
    """
    if name in UNITS:
        return UNITS[name]()
    if by_spacy := _BY_SPACY.fullmatch(name):
        from sparse_coverage.spans.noun_phrases.spacy_phrases import SpacyExtractor
        from sparse_coverage.spans.phrase_units import PhraseUnit

        extractor = SpacyExtractor(by_spacy["pipeline"], raw=by_spacy["raw"] is not None)
        return PhraseUnit(extractor, rest=by_spacy["unit"] == "np+token")
    raise InputError(
        f"There is no span unit '{name}'. The units are: {', '.join(UNITS)}. "
        "Noun phrases by spaCy: np[spacy], np+token[spacy:PIPELINE], np[spacy-raw:PIPELINE]."
    )
