"""How the pages read: words a page, words a sentence, and the share of long sentences (over 25 words), in README.md and docs/.

    python tools/readability.py                  # as they are
    python tools/readability.py --before REV     # beside a revision

Counted are sentences in running text and lists. Code, tables, headings, pictures and generated pages are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

LONG = 25  # words; a sentence with more is called long
GENERATED = ("docs/commands.md", "docs/reference/", "docs/tutorial-files/")
_LEFT_OUT = re.compile(r"^```.*?^```[^\n]*$|<!--.*?-->|^---\n.*?^---$|!\[[^\]]*\]\([^)]*\)", re.M | re.S)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`+[^`]+`+")
_NEW_BLOCK = re.compile(r"\s*(?:[-*] |\d+\. |> |!!! |#|\||--8<--)")
_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_]*[A-Z0-9`])")
_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Reading:
    """The sentences of one or more pages, by their number of words."""

    lengths: tuple[int, ...]

    @property
    def words(self) -> int:
        """All words."""
        return sum(self.lengths)

    @property
    def mean(self) -> float:
        """Words a sentence."""
        return self.words / max(1, len(self.lengths))

    @property
    def long(self) -> float:
        """The share of sentences with more than 25 words."""
        return sum(length > LONG for length in self.lengths) / max(1, len(self.lengths))

    def __str__(self) -> str:
        return f"{self.words:>7,} {self.mean:>6.1f} {self.long:>6.0%}"


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page in Markdown.

    >>> list(sentences("# Title\\n\\nOne `a b` two. Then [three](x.md)!\\n\\n| a | b |\\n\\n- a point"))
    ['One code two.', 'Then three!', 'a point']
    """
    text = _CODE.sub("code", _LINK.sub(r"\1", _LEFT_OUT.sub("", text)))
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if not line.strip() or _NEW_BLOCK.match(line):
            yield from (one.strip() for one in _END.split(" ".join(block)) if _WORD.search(one))
            block = []
        if not re.match(r"\s*(?:#|\||--8<--)", line):
            block.append(re.sub(r"^\s*(?:[-*] |\d+\. |> )", "", line).strip())


def read(text: str) -> Reading:
    """Return how a page reads."""
    return Reading(tuple(sum(bool(_WORD.search(word)) for word in one.split()) for one in sentences(text)))


def together(readings: Iterable[Reading]) -> Reading:
    """Return several pages as one."""
    return Reading(tuple(length for one in readings for length in one.lengths))


def readings(texts: Mapping[str, str]) -> dict[str, Reading]:
    """Return how each page reads that people write."""
    wanted = {name for name in texts if name == "README.md" or (name.startswith("docs/") and name.endswith(".md"))}
    return {name: read(texts[name]) for name in sorted(wanted) if not name.startswith(GENERATED)}


def at_revision(root: Path, revision: str) -> dict[str, str]:
    """Return the pages as they were."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout

    names = git("ls-tree", "-r", "--name-only", revision, "README.md", "docs").splitlines()
    return {name: git("show", f"{revision}:{name}") for name in names if name.endswith(".md")}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", metavar="REV", help="a revision of git to compare with")
    revision, root = parser.parse_args().before, Path(__file__).parents[1]
    paths = [root / "README.md", *(root / "docs").rglob("*.md")]
    now = readings({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths})
    print(f"{'page':<32}   words   mean   long")
    for name, reading in now.items():
        print(f"{name:<32} {reading}")
    if revision:
        _print_all("before", readings(at_revision(root, revision)))
    _print_all("now", now)


def _print_all(title: str, found: Mapping[str, Reading]) -> None:
    print(f"{f'{title}: {len(found)} pages':<32} {together(found.values())}")


if __name__ == "__main__":
    main()
