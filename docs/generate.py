"""Write the pages and pictures that are made from the program itself.

    python docs/generate.py

The commands and the reference are made whenever the site is built, and are not committed. Tables inside written pages and the figures
of the method are committed; a test makes them again and compares.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from _generate import commands, figures, readers, reference, terms  # noqa: E402


def committed() -> dict[str, str]:
    """Return what is generated and committed: a path below docs/, and its text."""
    return _ended({"patent-formats.md": readers.page(), "glossary.md": terms.page(), **figures.drawings()})


def built() -> dict[str, str]:
    """Return what is generated for the site alone: the page of commands and the reference."""
    return _ended({"commands.md": commands.page(), **reference.pages()})


def _ended(made: dict[str, str]) -> dict[str, str]:
    return {name: text.rstrip("\n") + "\n" for name, text in made.items()}


def main() -> None:
    """Write them, in the place of an earlier reference."""
    shutil.rmtree(HERE / "reference", ignore_errors=True)
    for name, text in (committed() | built()).items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
