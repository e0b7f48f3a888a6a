"""References for other programs: what they must read, and that no text breaks out of its field."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.present.citations import Publication, bibtex, ris

VALVE = Publication(
    "EP-0049154-A1",
    "Solenoid valve",
    {
        "applicants": ["Acme & Sons"],
        "inventors": ["Doe, Jane", "Roe, Richard"],
        "publication_date": "1982-04-07",
        "ipc": ["F16K 31/06"],
    },
    "closest so far",
)


def test_ris_holds_the_bibliography_and_the_note():
    assert ris([VALVE]).split("\r\n") == [
        "TY  - PAT",
        "TI  - Solenoid valve",
        "AU  - Doe, Jane",
        "AU  - Roe, Richard",
        "PB  - Acme & Sons",
        "PY  - 1982",
        "DA  - 1982/04/07/",
        "PP  - EP",
        "SN  - EP-0049154-A1",
        "KW  - F16K 31/06",
        "UR  - https://worldwide.espacenet.com/patent/search?q=pn%3DEP0049154A1",
        "UR  - https://patents.google.com/patent/EP0049154A1",
        "N1  - closest so far",
        "ER  - ",
        "",
        "",
    ]


def test_bibtex_holds_the_bibliography_and_the_note():
    assert bibtex([VALVE]) == (
        "@misc{EP-0049154-A1,\n"
        "  title = {{Solenoid valve}},\n"
        "  author = {{Doe, Jane} and {Roe, Richard}},\n"
        "  howpublished = {Patent EP 0049154 A1},\n"
        "  holder = {{Acme \\& Sons}},\n"
        "  year = {1982},\n"
        "  date = {1982-04-07},\n"
        "  keywords = {F16K 31/06},\n"
        "  url = {https://worldwide.espacenet.com/patent/search?q=pn%3DEP0049154A1},\n"
        "  note = {closest so far},\n"
        "}\n"
    )


def test_two_documents_of_one_key_are_two_entries():
    assert [line for line in bibtex([VALVE, VALVE]).splitlines() if line.startswith("@")] == [
        "@misc{EP-0049154-A1,",
        "@misc{EP-0049154-A1-2,",
    ]


@given(st.text(), st.text(), st.lists(st.text()))
def test_no_text_ends_its_field_or_record(title, note, names):
    given_ = Publication("X-1", title, {"inventors": names}, note)
    lines = ris([given_]).split("\r\n")
    assert all(line[2:6] == "  - " for line in lines[:-2])
    assert [line for line in lines if line.startswith("ER  - ")] == ["ER  - "]
    depth = 0
    text = bibtex([given_])
    for place, sign in enumerate(text):
        escaped = (len(text[:place]) - len(text[:place].rstrip("\\"))) % 2
        depth += 0 if escaped else {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
        assert depth > 0 or sign in "@misc}\n"
    assert depth == 0
