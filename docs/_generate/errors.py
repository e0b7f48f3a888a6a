"""The page of errors: what each says, why it comes up, and what to do."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from _generate.messages import Message, messages

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WHERE = {
    "patents": "reading patents", "encoding": "encoders", "spans": "spans", "vocabulary": "vocabularies", "vectors": "vectors",
    "index": "index files and filters", "search": "searching", "retrievers": "baselines, fusion, remote servers",
    "charts": "claim charts", "present": "reports", "evaluation": "test collections", "experiments": "experiments",
    "cli": "commands", "server": "the server", "engines": "engines", "cluster": "clusters", "formats": "exports and imports",
    "adapters": "adapters", "kernels": "compiled code", "projects": "projects", "workspace": "requests",
    "dataclass_json": "projects",
}  # fmt: skip
_ABOUT = """# Errors

Every error that you can meet, by what you were doing: what it says, why, and what to do. `…` stands for what the message names.
What to do stands *in italics* where the message itself goes on with it. In Python every error but those of options is a subclass of
`SparseCoverageError`; the command line prints the message without a traceback and ends with status 1 (2 for options). The service
answers with `{"error": {"message": …, "what_to_do": …}}`; rows with a status, such as 413, are its own.
"""


def rules() -> dict[str, Any]:
    """Return the reasons and advices."""
    return tomllib.loads((Path(__file__).parent / "errors.toml").read_text(encoding="utf-8"))


def reason_and_advice(message: Message, known: dict[str, Any]) -> tuple[str, str]:
    """Return why an error comes up and what to do; empty where nothing is known."""
    own = f"*{_shown(message.remedy)}*" if message.remedy else ""
    for rule in known["rule"] if message.kind != "MissingExtraError" else ():
        if rule.get("area", message.area) == message.area and re.search(rule["says"], message.text):
            return rule["why"], own or rule["do"]
    return known["kind"].get(message.kind, ""), own


def page() -> str:
    """Return every error that the package raises on purpose."""
    known = rules()
    rows: dict[str, set[tuple[str, str, str]]] = {}
    for message in messages()[0]:
        where = WHERE.get(message.area, "everything")
        rows.setdefault(where, set()).add((_shown(message.text), *reason_and_advice(message, known)))
    lines = [_ABOUT]
    for where in sorted(rows):
        lines += [f"## {where[0].upper()}{where[1:]}", "", "| what it says | why | what to do |", "| --- | --- | --- |"]
        lines += [f"| {' | '.join(row)} |" for row in sorted(rows[where])]
        lines.append("")
    return "\n".join(lines)


def _shown(text: str) -> str:
    plain = re.sub(r"(?:…\s*){2,}", "… ", text.replace("\n", " ")).replace("|", "\\|")
    return re.sub(r"([<>*_`\[\]])", r"\\\1", plain).strip()
