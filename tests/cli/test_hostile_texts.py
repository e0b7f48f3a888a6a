"""Whatever a document holds, it does nothing to the terminal of who looks at it: every command that prints, on a pseudo-terminal."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
from itertools import cycle, islice, product
from pathlib import Path

import pytest
from made_documents_for_charts import made_calibration

from sparse_coverage import Index, SparseCoverage, read_patents
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.printing import VisibleFormatter

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
TRICKS = (
    *("\x1b[2J", "\x1b[1A\x1b[2K", "\x1b]0;owned\x07", "\x1b]8;;http://evil.example\x1b\\", "\x1bc", "\x1b[8m", "\x1b[6n"),
    *("\x1b]52;c;ZXZpbA==\x07", "\x1b[?1049h", "\x1bP$q\x1b\\", "\x1b[31;7;5m", "\x9b2J", "\x9d0;owned\x9c", "\x90", "\x85"),
    *("\x00", "\x07", "\x08\x08\x08", "\x0b", "\x0c", "\x0e", "\x7f", "\r", "\u202e", "\u202d", "\u2066", "\u2068", "\u2028"),
    *("[link=http://evil.example]", "[/]", "[blink]", "\U000e0041", "\u202a", "\x1b(0"),
)  # fmt: skip
FORMS = ("{}valve", "val{}ve", "valve{}", "{0}valve{0}", "a {} b", "spring {} pump {}")
STRINGS = [form.format(trick, trick) for form, trick in product(FORMS, TRICKS)][:200]
TOLD = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]|\r(?!\n)"
)
OURS = re.compile(r"\x1b\[(?!31;7;5)(?:[0-9;]*m|\?25[hl]|2K|1A)|\r")
"""What rich sends by itself: colours, the cursor of a bar."""
CLAIM = "A pump comprising a valve with a spring; a plunger."


def documents() -> list[dict[str, object]]:
    each = cycle(STRINGS)
    made = []
    for number in range(len(STRINGS) // 4):
        title, text, claim, name = islice(each, 4)
        made.append({
            "id": f"EP-10{number:05}-A1" if number % 8 else f"{name} {number}",
            "title": f"{title}\n  1. EP-FORGED-A1  9.999",
            "abstract": f"A pump with a {text} and a plunger biased by a spring.",
            "description": [f"The {text} moves the spring. [0001] {title}", f"A plunger of the pump. {name}"],
            "claims": [f"1. A pump comprising a valve with a {claim} spring; a plunger."],
            "applicants": [name], "inventors": [title], "ipc": [f"F16K {text}"], "language": f"en{name}" if number % 7 == 1 else "en",
            "kind": name, "country": title, "publication_date": "2001-05-17", "family": name, name: text,
        })  # fmt: skip
    return made


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy: some of the commands write."""
    return shutil.copytree(made, tmp_path / "place")


@pytest.fixture(scope="module")
def made(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    lines = [json.dumps(one) for one in documents()]
    (folder / "all.jsonl").write_text("\n".join([*lines, f'{{"id": "{STRINGS[9]}", no json']), encoding="utf-8")
    (folder / "queries.jsonl").write_text(
        "\n".join(json.dumps({"id": f"q{n}{one}", "text": f"{CLAIM} {one}"}) for n, one in enumerate(STRINGS[::20])),
        encoding="utf-8",
    )
    (folder / "claim.txt").write_text(f"{CLAIM} {' '.join(STRINGS[:40])}", encoding="utf-8")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = list(read_patents(folder / "all.jsonl", on_problem=lambda problem: None, language="any"))
    assert len(patents) > 40
    Index.build(folder / "index", SparseCoverage.fit(patents, encoder=encoder, size=60), patents)
    made_calibration(encoder).save(folder / "calibration.json")
    typed = [[word for word in one if "\0" not in word] for one in commands()]
    (folder / "commands.json").write_text(json.dumps(typed), encoding="utf-8")
    return folder


def commands() -> list[list[str]]:
    ids = [str(one["id"]) for one in documents()]
    chart = ["index", "@claim.txt", "--calibration", "calibration.json"]
    return [
        *(["search", "index", CLAIM, "-k", "50", "--ranking", one] for one in ("combined", "centers", "words", "vectors")),
        ["search", "index", CLAIM, "-k", "50", "--json"],
        ["search", "index", "--filter", "valve or pump", "-k", "50"],
        ["search", "index", "--queries", "queries.jsonl", "-k", "9"],
        ["search", "index", CLAIM, "--rerank", "passages", "-k", "40"],
        ["search", "index", "--like", ids[0]],
        *(["show", "index", id_] for id_ in ids[:30]),
        *(["show", "index", id_, "--claim", CLAIM] for id_ in ids[:6]),
        ["show", "index", ids[1], "--json"],
        *(["explain", "index", "@claim.txt", id_] for id_ in ids[:9]),
        *(["explain", "index", "@claim.txt", id_, "--whole"] for id_ in ids[:9]),
        ["explain", "index", CLAIM, f"none {STRINGS[0]}"],
        ["chart", *chart, "-k", "30"],
        ["chart", *chart, "-k", "5", "--json"],
        ["combine", *chart],
        ["info", "index"],
        ["info", "index", "--json"],
        ["watch", "index", "@claim.txt"],
        ["inspect", "all.jsonl", "--notes", "--language", "any"],
        ["inspect", "all.jsonl", "--json"],
        ["convert", "all.jsonl"],
        ["index", "add", "index", "all.jsonl"],
        ["index", "delete", "index", *STRINGS[1:9]],
        ["index", "verify", "index"],
        ["vocabulary", "show", "index/model"],
        ["fit", "all.jsonl", "-o", "model", "--encoder", "none such"],
    ]  # fmt: skip


SCRIPT = """
import json, os, sys
from sparse_coverage.cli import main

os.chdir(sys.argv[1])
for words in json.load(open("commands.json", encoding="utf-8")):
    sys.argv = ["sparse-coverage", *words]
    print("@@", words[0], flush=True)
    try:
        main()
    except SystemExit:
        pass
"""


def seen(folder: Path, terminal: str) -> str:
    """Return all that the commands send to a terminal, each in this process' child."""
    pid, end = pty.fork()
    if not pid:  # pragma: no cover
        os.environ.update(TERM=terminal, COLUMNS="100", PYTHONUTF8="1")
        os.execv(sys.executable, [sys.executable, "-c", SCRIPT, str(folder)])
    parts = []
    while True:
        try:
            part = os.read(end, 1 << 16)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(end)
    assert os.waitpid(pid, 0)[1] == 0, b"".join(parts)[-2000:]
    text = b"".join(parts).decode()
    assert "Traceback" not in text, text[-3000:]
    assert text.count("@@ ") == len(commands())
    return text


@pytest.mark.parametrize("terminal", ["dumb", "xterm-256color"])
def test_no_hostile_string_of_two_hundred_arrives_at_the_terminal(place: Path, terminal: str) -> None:
    text = seen(place, terminal)
    if terminal != "dumb":
        text = OURS.sub("", text)
    arrived = sorted({(found[0], text[max(0, found.start() - 60) : found.end() + 30]) for found in TOLD.finditer(text)})
    assert not arrived, arrived[:5]
    assert "\x1b" not in text, repr(text[max(0, text.index("\x1b") - 200) : text.index("\x1b") + 50])
    assert not re.search(r"^ +1\. EP-FORGED", text, re.M)
    assert "val[2Jve" in text  # what is told is still told
    assert "\\u001b[2J" in text


def test_a_record_of_a_log_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    record = logging.LogRecord("server", logging.INFO, "", 0, "query: %s", ("a\n2026 forged\x1b[2J\u202e",), None)
    assert VisibleFormatter("%(message)s").format(record) == "query: a\\n2026 forged\\u001b[2J\\u202e"
