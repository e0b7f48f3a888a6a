"""A user who marks, notes and overrules as fast as the disk allows, in a process that is killed at some moment."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sparse_coverage.projects import Mark, ProjectFolder, Ruling, StaleError


def write(folder: Path, id_: str, log: Path) -> None:
    """Change a project until the end, and write the number of each change to a file once it is acknowledged."""
    told = os.open(log, os.O_WRONLY | os.O_APPEND)
    with ProjectFolder(folder).open(id_) as project:
        mark = next(iter(project.content().marks), Mark("demo", "EP-1-A1", "EP-1-A1", None))
        number = int(mark.note or 0)
        while True:
            number += 1
            with suppress(StaleError):  # it was written, and the process before this one killed before it could say so
                project.overrule(Ruling("demo", f"element {number}", "EP-1-A1", "partly", str(number)))
            mark = project.set_mark(replace(mark, note=str(number), mark="relevant" if number % 2 else "not"))
            os.write(told, f"{number}\n".encode())
