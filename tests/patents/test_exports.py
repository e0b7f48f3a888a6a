"""Files as services and offices give them out (written for these tests): each is read to the records that lie beside it.

`python tests/patents/test_exports.py` writes the records anew; look at what changed.
"""

import json
from pathlib import Path

import pytest

from sparse_coverage.patents import Problem, read_patents
from sparse_coverage.patents.readers.records import to_record

FOLDER = Path(__file__).parent / "exports"
GOLDEN = FOLDER / "records.json"
FILES = sorted(path.name for path in FOLDER.iterdir() if path != GOLDEN)


def read(path: Path) -> dict[str, object]:
    problems: list[Problem] = []
    notes: list[Problem] = []
    patents = list(read_patents(path, language="any", on_problem=problems.append, on_note=notes.append))
    return {
        "format": sorted({patent.format for patent in patents}),
        "records": [to_record(patent) for patent in patents],
        "unused": [", ".join(note.names) for note in notes if note.kind == "unused"],
        "problems": [problem.cause for problem in problems],
    }


@pytest.mark.parametrize("name", FILES)
def test_an_export_is_read_to_its_records(name: str) -> None:
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert read(FOLDER / name) == expected[name]


def test_each_is_recognised_in_one_folder_without_its_ending(tmp_path: Path) -> None:
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for number, name in enumerate(FILES):
        (tmp_path / f"{number:02}").write_bytes((FOLDER / name).read_bytes())
    for number, name in enumerate(FILES):
        assert read(tmp_path / f"{number:02}")["format"] == expected[name]["format"], name


if __name__ == "__main__":
    made = {name: read(FOLDER / name) for name in FILES}
    GOLDEN.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
