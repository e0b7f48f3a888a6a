"""The embedded extractor against sentences marked by hand."""

from __future__ import annotations

import re
from pathlib import Path

GOLD = Path(__file__).with_name("gold_noun_phrases.txt")


def read_gold() -> list[tuple[str, set[tuple[int, int]]]]:
    """Return each sentence without its braces, and where the braces were."""
    sentences = []
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        text, places, start = "", set(), 0
        for part in re.split(r"([{}])", line):
            if part == "{":
                start = len(text)
            elif part == "}":
                places.add((start, len(text)))
            else:
                text += part
        sentences.append((text, places))
    return sentences


def test_phrases_match_exactly_as_often_as_the_documentation_says(extractor):
    sentences = read_gold()
    assert len(sentences) == 60
    right = found = wanted = 0
    for (text, gold), (starts, ends) in zip(sentences, extractor.extract([text for text, _ in sentences]), strict=True):
        got = set(zip(starts.tolist(), ends.tolist(), strict=True))
        right, found, wanted = right + len(got & gold), found + len(got), wanted + len(gold)
        for label, places in (("not a phrase", got - gold), ("missed", gold - got)):
            for start, end in sorted(places):
                print(f"{label:>12}: [{text[start:end]}] in: {text}")
    precision, recall = right / found, right / wanted
    f1 = 2 * precision * recall / (precision + recall)
    print(
        f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  ({wanted} phrases in {len(sentences)} sentences)"
    )
    assert round(f1, 3) >= 0.969
