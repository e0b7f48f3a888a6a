"""Write the pages and pictures that are made from the program itself: commands, errors, the reference, the figures of the method.

    python docs/generate.py

A test writes them again and compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from _generate import commands, errors, figures, readers, reference, terms  # noqa: E402


def files() -> dict[str, str]:
    """Return what is generated: a path below docs/, and its text."""
    made = {
        "commands.md": commands.page(),
        "errors.md": errors.page(),
        "patent-formats.md": readers.page(),
        "glossary.md": terms.page(),
        **reference.pages(),
        **figures.drawings(),
    }
    return {name: text.rstrip("\n") + "\n" for name, text in made.items()}


def main() -> None:
    """Write them, and remove pages of the reference whose package is gone."""
    made = files()
    for name, text in made.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_text(text, encoding="utf-8")
    for path in (HERE / "reference").glob("*.md"):
        if f"reference/{path.name}" not in made:
            path.unlink()


if __name__ == "__main__":
    main()
