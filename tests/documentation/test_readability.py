"""The figures of tools/readability.py, on a page whose sentences can be counted by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from readability import at_revision, read, readings, sentences, together  # noqa: E402

PAGE = """# A heading is no sentence

Two words. A version 1.5 ends nothing; a `piece of code` is one word. See [the page](docs/page.md "title")!

```bash
sparse-coverage search index "Code is not read. At all."
```

| a table | is not. Read |
| --- | --- |

<!-- nor a comment. -->
- a point
  on two lines
- another. With two sentences.
"""


def test_sentences_are_those_of_running_text_and_lists() -> None:
    assert list(sentences(PAGE)) == [
        "Two words.",
        "A version 1.5 ends nothing; a code is one word.",
        "See the page!",
        "a point on two lines",
        "another.",
        "With two sentences.",
    ]
    assert read(PAGE).lengths == (2, 10, 3, 5, 1, 3)


def test_a_sentence_of_more_than_25_words_is_long() -> None:
    reading = read("Word " * 25 + "end. Short one. " + "Word " * 24 + "end.")
    assert reading.lengths == (25 + 1, 2, 25)
    assert reading.long == 1 / 3
    assert together([reading, read("One.")]).mean == (26 + 2 + 25 + 1) / 4


def test_generated_pages_are_left_out_and_a_revision_is_read_from_git(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/search.md", "docs/commands.md", "docs/notes.txt"):
        (tmp_path / name).write_text("As it was.\n", encoding="utf-8")
    mail = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*mail, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    (tmp_path / "docs" / "search.md").write_text("As it is now, longer.\n", encoding="utf-8")
    then = readings(at_revision(tmp_path, "HEAD"))
    assert {name: reading.words for name, reading in then.items()} == {"README.md": 3, "docs/search.md": 3}
