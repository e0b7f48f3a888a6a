"""The table of terms in `docs/glossary.md`, from the words that the page and the reports use."""

from __future__ import annotations

from pathlib import Path

from sparse_coverage.present.terms import TERMS

BEGINS, ENDS = "<!-- terms: made by docs/generate.py -->\n", "<!-- end of terms -->\n"
PAGE = Path(__file__).parents[1] / "glossary.md"


def page() -> str:
    """Return the page with the table as it is today."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGINS)
    rows = [f"| {term} | {meaning} |" for term, meaning in TERMS.items()]
    return (
        before
        + BEGINS
        + "\n".join(["| term | meaning |", "| --- | --- |", *rows])
        + "\n"
        + ENDS
        + rest.partition(ENDS)[2]
    )
