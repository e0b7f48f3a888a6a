"""The verdicts of a chart: the one list that tables, pages, office files, REST and documentation take names, labels and colours from."""

from __future__ import annotations

from enum import Enum


class Verdict(str, Enum):
    """What a document says to an element, best first.

    `label` is what people read, `credit` how much of the element it counts for, `fill` the ground of a cell (RGB) and `style` its
    look in a terminal. A verdict is the text of its value wherever one is written.
    """

    label: str
    credit: float
    fill: str
    style: str

    DISCLOSED = "disclosed", "disclosed", 1.0, "CDEBCF", "bold green"
    PARTLY = "partly", "partly", 0.5, "FBEBC0", "yellow"
    NOT_FOUND = "not found", "not found", 0.0, "F6D5D1", "red"

    def __new__(cls, value: str, label: str, credit: float, fill: str, style: str) -> Verdict:
        """Make a verdict that equals its value."""
        made = str.__new__(cls, value)
        made._value_ = value
        made.label, made.credit, made.fill, made.style = label, credit, fill, style
        return made

    def __str__(self) -> str:
        return str(self.value)

    @property
    def rank(self) -> int:
        """0 for the best verdict."""
        return list(Verdict).index(self)


STRENGTHS = (("strong", 0.8), ("fair", 0.5), ("weak", 0.0))
"""What evidence between 0 and 1 is called for people: the first whose least it reaches."""


def strength(evidence: float) -> str:
    """Return what evidence is called.

    >>> strength(0.99), strength(0.6), strength(0.1)
    ('strong', 'fair', 'weak')
    """
    return next(name for name, least in STRENGTHS if evidence >= least or not least)
