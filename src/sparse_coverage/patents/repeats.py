"""Documents that come again in one input: the first is kept, or the last, or it is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.survey import Duplicates

OnDuplicate = Literal["keep", "replace", "error"]
"""What becomes of a document whose id came before: the first is kept, the later one replaces it, or the run ends."""


class Repeats:
    """Tells which documents come again, in bounded memory, and to whom it may concern. One without any text does not count."""

    def __init__(self, rule: OnDuplicate = "error", on_repeat: Callable[[Patent], None] | None = None) -> None:
        if rule not in ("keep", "replace", "error"):
            raise InputError(f"A document that comes twice can be met with keep, replace or error, not '{rule}'.")
        self.rule = rule
        self._report = on_repeat
        self._seen = Duplicates()

    def again(self, patent: Patent) -> bool:
        """Take note of a document; return whether one with its id came before."""
        if not (patent.title or patent.abstract or patent.claims or patent.description):
            return False
        again = self._seen.add(patent.id)
        if again and self.rule == "error":
            place = f" (the second time in {patent.source})" if patent.source else ""
            raise InputError(
                f"The document '{patent.id}' comes twice in the input{place}. Leave one out, give it another id, or say which one "
                "counts: --on-duplicate keep (the first) or replace (the last)."
            )
        if again and self._report is not None:
            self._report(patent)
        return again

    def close(self) -> None:
        """Let go of the temporary file."""
        self._seen.close()
