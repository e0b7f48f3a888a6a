"""How many examples a property draws, where it is not as many as the others."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> int:
    """As many as given in `make test`, and as many times more in `make explore` as every other property draws there."""
    return count * settings().max_examples // settings.get_profile("fixed").max_examples
