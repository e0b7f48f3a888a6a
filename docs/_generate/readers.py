"""The table of formats in `docs/patent-formats.md`, from the registry of readers."""

from __future__ import annotations

from pathlib import Path

from sparse_coverage.patents.readers import BUILT_IN

BEGINS, ENDS = "<!-- formats: made by docs/generate.py -->\n", "<!-- end of formats -->\n"
PAGE = Path(__file__).parents[1] / "patent-formats.md"


def page() -> str:
    """Return the page with the table as it is today."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGINS)
    return before + BEGINS + table() + ENDS + rest.partition(ENDS)[2]


def table() -> str:
    """Return a row for each format of each reader."""
    rows = ["| format | recognised by | `--format` | extra | notes |", "| --- | --- | --- | --- | --- |"]
    for reader in BUILT_IN:
        extra = f"`[{reader.extra}]`" if reader.extra else ""
        rows += [f"| {one.label} | {one.sign} | `{reader.name}` | {extra} | {one.notes} |" for one in reader.formats]
    return "\n".join(rows) + "\n"
