"""Read every file of a folder of exports and count what came of each: documents, fields found, columns that were not used.

    python tools/read_exports.py FOLDER

The exit status is 1 if a file gives no document, or anything in it could not be read.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from sparse_coverage.patents import Problem, read_patents
from sparse_coverage.patents.readers.records import to_record
from sparse_coverage.patents.reading.context import UNUSED


def main(folder: Path) -> int:
    """Read all files and print what came of each."""
    failed = False
    for path in sorted(path for path in folder.iterdir() if path.is_file() and path.name != "README.md"):
        problems: list[Problem] = []
        notes: list[Problem] = []
        fields: Counter[str] = Counter()
        begun = time.perf_counter()
        patents = list(read_patents(path, language="any", on_problem=problems.append, on_note=notes.append))
        spent = time.perf_counter() - begun
        for patent in patents:
            fields.update(name for name, value in to_record(patent).items() if value)
        unused = [note.cause.removeprefix(UNUSED) for note in notes if note.cause.startswith(UNUSED)]
        formats = ", ".join(sorted({patent.format for patent in patents}))
        speed = path.stat().st_size / 1e6 / max(spent, 1e-9)
        print(f"{path.name}: {len(patents)} documents ({formats}), {speed:.1f} MB/s")
        print("  " + ", ".join(f"{name} {count}" for name, count in fields.items()))
        for line in (*(f"not used: {one}" for one in unused), *(f"PROBLEM {problem}" for problem in problems)):
            print(f"  {line}")
        failed = failed or not patents or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
