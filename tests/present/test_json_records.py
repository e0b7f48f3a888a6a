"""The JSON that programs read: every key of it is written down here."""

from __future__ import annotations

import json

from sparse_coverage.dataclass_json import to_json
from sparse_coverage.search import PassageHit

PASSAGE = PassageHit("XX-1-A1/claims/claim[1]", "XX-1-A1", "claims", "A valve", 1.5, "1")


def test_letters_are_written_as_they_are_and_what_utf8_cannot_hold_as_its_escape() -> None:
    text = to_json({"title": "γ-alumina", "path": "dr\udcfcm"})
    assert text == '{"title": "γ-alumina", "path": "dr\\udcfcm"}'
    assert json.loads(text.encode("utf-8"))["path"] == "dr\udcfcm"
