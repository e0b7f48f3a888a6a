"""Claims in German and French: 40 each, split by hand (`claims/de.txt`, `fr.txt`), are split like that by the program.

An element stands in braces. The rules were made with the first, third, … claim of each file; the others were looked at once, when
this was measured.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from sparse_coverage.patents.claims import added_elements, claim_elements
from sparse_coverage.text import sentence_ends

FOLDER = Path(__file__).parent / "claims"
MEASURED = {"de": 0.976, "fr": 0.977}
"""F1 of whole elements on the half that no rule was made with."""


def claims(language: str) -> list[tuple[str, Counter[str]]]:
    lines = (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [(re.sub("[{}]", "", line), counted(re.findall(r"\{([^}]*)\}", line))) for line in lines]


def counted(texts: list[str]) -> Counter[str]:
    return Counter(text.strip(" ;:,.") for text in texts)


def f1(chosen: list[tuple[str, Counter[str]]]) -> float:
    right = total = 0
    for text, gold in chosen:
        found = counted([element.text for element in claim_elements(text)])
        right += (gold & found).total()
        total += gold.total() + found.total()
    return 2 * right / total


@pytest.mark.parametrize("language", ["de", "fr"])
def test_elements_agree_with_those_set_by_hand(language: str) -> None:
    every = claims(language)
    assert len(every) == 40
    assert f1(every[1::2]) >= MEASURED[language] - 0.002
    assert f1(every[::2]) >= 0.99


@pytest.mark.parametrize("text", [text for language in ("de", "fr") for text, _ in claims(language)])
def test_elements_are_pieces_of_the_claim_in_order(text: str) -> None:
    place = 0
    for element in claim_elements(text):
        assert element.text == text[element.start : element.end]
        assert element.start >= place
        place = element.end
    assert text[place:].strip(" .,;") == ""


def test_what_a_dependent_claim_adds() -> None:
    german = added_elements("Pumpe nach Anspruch 1 oder 2, wobei das Rad rund ist und wobei die Welle hohl ist.")
    assert [element.text for element in german] == [
        "Pumpe nach Anspruch 1 oder 2",
        "wobei das Rad rund ist",
        "wobei die Welle hohl ist.",
    ]
    french = added_elements("Pompe selon la revendication 1, caractérisée en ce que la roue est ronde.")
    assert [(element.role, element.text) for element in french][1:] == [("characterising", "la roue est ronde.")]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Gemäß Abb. 2 ist z. B. ein Kolben (3) vorgesehen. Er ist hohl.", 2),
        ("Das Ventil, vgl. Fig. 3, hat ca. 5 mm Hub. Die Feder bzw. der Kolben ist aus Stahl usw. gefertigt.", 2),
        ("Nach Fig. 1 liegt d. h. ruht der Kolben. Am 3. Mai 2002 wurde Nr. 5 geprüft.", 2),
        ("La soupape, cf. fig. 2, est fermée. Elle mesure env. 5 mm, c.-à-d. peu.", 2),
        ("Voir p. ex. la fig. 3. Le piston est creux.", 2),
    ],
)
def test_sentences_do_not_end_at_abbreviations(text: str, sentences: int) -> None:
    assert len(sentence_ends(text)) == sentences
