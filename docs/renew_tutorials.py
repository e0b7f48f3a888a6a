"""Run the sessions of the tutorials again and write what they print, and the figure they draw, into the pages.

    python docs/renew_tutorials.py                             both pages; a few minutes, with the default encoder
    python docs/renew_tutorials.py tutorial-researchers.md     one of them

A line `...` stands for what is left out: as many lines before and after it are shown as the page has. Sentences that quote figures are
written by hand, so read the difference. Tests run the same sessions and compare.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGES = ("tutorial.md", "tutorial-researchers.md")
FIGURE = ("report/sizes/vocabulary-size.svg", "images/tutorial-sizes.svg")
_PROGRESS = re.compile(r"^[A-Z][a-z]+ing\b.*\n", re.M)


def shown(told: str, before: str) -> str:
    """Return what a command told, left out where the page left out."""
    lines, kept = told.splitlines(), before.splitlines()
    if "..." not in kept:
        return told
    place = kept.index("...")
    after = len(kept) - place - 1
    return "\n".join([*lines[:place], "...", *lines[len(lines) - after :]]) + "\n"


def renewed(text: str, work: Path) -> str:
    """Return a page with what its commands print now, each run after the other in a copy of the tutorial's files."""
    shutil.copytree(HERE / "tutorial-files", work)
    program = work.parent / "bin" / "sparse-coverage"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sparse_coverage "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}

    def session(block: re.Match[str]) -> str:
        first, *parts = re.split(r"^\$ (.*)\n", block[1], flags=re.M)
        made = first
        for command, before in zip(parts[::2], parts[1::2], strict=True):
            print(f"$ {command}", flush=True)
            done = subprocess.run(
                ["sh", "-c", command], cwd=work, env=environment, capture_output=True, encoding="utf-8"
            )
            made += f"$ {command}\n{shown(_PROGRESS.sub('', done.stderr) + done.stdout, before)}"
        return f"```console\n{made}```"

    return re.sub(r"```console\n(.*?)```", session, text, flags=re.S)


def main() -> None:
    """Renew the pages that are named, or all."""
    for page in sys.argv[1:] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder) / "files"
            text = renewed((HERE / page).read_text(encoding="utf-8"), work)
            (HERE / page).write_text(text, encoding="utf-8")
            if (work / FIGURE[0]).is_file():
                shutil.copyfile(work / FIGURE[0], HERE / FIGURE[1])


if __name__ == "__main__":
    main()
