"""Every public name is on the page `docs/api.md`, with examples that run."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_bert import write_checkpoint

import sparse_coverage

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
ABSTRACTS = (
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump and a valve.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "A plunger biased by a spring seals the housing of the pump.",
)


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_checkpoint(tmp_path / "my-checkpoint")
    Path("patents").mkdir()
    records = (
        {
            "id": f"XX-{number}-A1",
            "title": f"Title {number}",
            "abstract": text,
            "publication_date": f"200{number}-06-15",
        }
        for number, text in enumerate(ABSTRACTS)
    )
    lines = "".join(json.dumps(record) + "\n" for record in records)
    Path("patents", "all.jsonl").write_text(lines, encoding="utf-8")
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=told.append)
    assert not result.failed, "".join(told)
    assert result.attempted > 30


def test_every_public_name_has_a_heading_and_an_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = {name for line in re.findall(r"^### .*$", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", line)}
    code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) .*$", page, re.MULTILINE))
    assert headings == set(sparse_coverage.__all__)
    assert [name for name in sparse_coverage.__all__ if not re.search(rf"\b{name}\b", code)] == []


def test_every_public_name_can_be_imported_and_importing_the_package_stays_light() -> None:
    for name in sparse_coverage.__all__:
        assert getattr(sparse_coverage, name) is not None
        assert name in dir(sparse_coverage)
    with pytest.raises(AttributeError, match="nothing"):
        _ = sparse_coverage.nothing
    heavy = "import sys, sparse_coverage; print({'numpy', 'numba', 'openvino'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
