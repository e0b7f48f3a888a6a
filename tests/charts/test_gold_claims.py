"""Claims split by hand are split like that by the program."""

from pathlib import Path

from sparse_coverage.patents.claims import claim_elements

GOLD = Path(__file__).parent / "gold_claims.txt"


def gold_claims():
    """Yield each claim with the places where its elements begin."""
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "#[":
            pieces = line.split("|")
            yield "".join(pieces), {sum(map(len, pieces[:number])) for number in range(1, len(pieces))}


def boundary_f1(claims, split):
    """Return the harmonic mean of precision and recall of the beginnings of elements."""
    right = found = wanted = 0
    for text, gold in claims:
        starts = {element.start for element in split(text)} - {0}
        right, found, wanted = right + len(starts & gold), found + len(starts), wanted + len(gold)
    return 2 * right / (found + wanted)


def test_the_boundaries_of_elements_agree_with_those_set_by_hand():
    claims = list(gold_claims())
    assert len(claims) >= 189
    assert boundary_f1(claims, claim_elements) >= 0.990  # 0.992 when this was written


def between(text):
    """Tell whether a text is only what may stand between two elements."""
    joints = {
        "and",
        "and/or",
        "or",
        "und",
        "et",
        "wherein",
        "the",
        "improvement",
        "comprises",
        "comprising",
        "dadurch",
        "gekennzeichnet",
        "dass",
    }
    joints |= {"characterised", "characterized", "in", "that", "by", "caractérisé", "en", "ce", "que"}
    return set(text.replace(",", " ").replace(";", " ").replace(":", " ").split()) <= joints
