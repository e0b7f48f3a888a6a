"""A hundred expressions with what they find in ten small patents, each held against a plain scan; and the page that explains them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from plain_words import STEMS, PlainDocument, meets
from test_index_words import found, write

from sparse_coverage.index import IndexStore, open_store, parse_filter
from sparse_coverage.index.filter_syntax import FilterError, field_names, filter_text
from sparse_coverage.text import stem, word_forms

PAGE = Path(__file__).parents[2] / "docs" / "expressions.md"
DOCUMENTS = [
    PlainDocument(
        "Lithium battery", ["A battery with a lithium anode and a separator."], ["The cell is sealed. Batteries of this kind last."],
        ["Bosch GmbH"], ["Müller, Eva"], ["A lithium battery that changes phase."],
        {"publication_date": "1999-05-17", "priority_date": "1998-05-18", "country": "EP", "kind": "A1", "language": "en",
         "ipc": ["H01M 10/0525", "H01M 4/38"], "cpc": ["H01M 10/0525"]},
    ),
    PlainDocument(
        "Lead-acid accumulator", ["An accumulator with lead plates in acid."], ["Unlike lithium cells it is heavy. It leads the market."],
        ["Varta AG"], ["Schmidt, Adam"], ["A heavy accumulator."],
        {"publication_date": "2001-01-02", "country": "DE", "kind": "C2", "language": "de", "ipc": ["H01M 10/06"]},
    ),
    PlainDocument(
        "Valve", ["A valve that is closed by a spring.", "The valve of claim 1 with a seal."], ["A spring closes the valve body."],
        ["Robert Bosch"], ["Eva, Adam"], ["A spring-loaded valve."],
        {"publication_date": "2001-12-31", "country": "US", "kind": "B2", "language": "en", "ipc": ["F16K 31/06"], "cpc": ["F16K 1/00"]},
    ),
    PlainDocument(
        "Method of closing valves", ["A method in which a spring is stretched until the valve closes."], ["Steel springs."],
        ["Valve Works Inc"], [], ["Closing of valves by springs."],
        {"publication_date": "2003-03-03", "priority_date": "2002", "country": "WO", "kind": "A2", "language": "en", "ipc": ["F16K 31"]},
    ),
    PlainDocument(
        "Query processing", ["A computer that indexes documents by words."], ["Search engines rank documents. The index is sorted."],
        ["Search Corp"], ["Lee, Ann"], ["Documents are indexed."],
        {"publication_date": "2010-06-01", "country": "US", "kind": "A1", "language": "en", "cpc": ["G06F 16/22", "G06F 16/2228"]},
    ),
    PlainDocument(
        "Search in databases", ["A database that finds rows by an index of trees."], ["Trees are balanced. Sorting takes time."],
        ["Search Corp"], ["Lee, Ann", "Müller, Jan"], ["Index structures."],
        {"publication_date": "2012-06-01", "country": "US", "kind": "B1", "language": "en", "cpc": ["G06F 16/31"]},
    ),
    PlainDocument(
        "Phase change memory", ["A memory cell with a phase change material."], ["The change of the phase takes nanoseconds."],
        ["Intel"], ["Kim, Su"], ["A memory."],
        {"publication_date": "2005-07-08", "country": "US", "kind": "A1", "language": "en", "ipc": ["G11C 13/00"]},
    ),
    PlainDocument(
        "Polymerisation of olefins", ["A polymerization catalyst."], ["Polymers and copolymers, colour and color, women and woman."],
        ["BASF SE"], ["Weiß, Karl"], ["Polymerising olefins."],
        {"publication_date": "1985-02-03", "country": "EP", "kind": "B1", "language": "en", "ipc": ["C08F 10/00", "C08F 4/64"]},
    ),
    PlainDocument("Undated pump", ["A pump."], ["It feeds batteries and cells."], [], [], [], {}),
    PlainDocument(
        "Étage with AND gate", ["A stage near a gate, not in it."], ["This or that, near and far."],
        ["Étage SA"], [], ["An étage."], {"publication_date": "1990", "country": "FR", "language": "fr"},
    ),
]  # fmt: skip
# fmt: off
EXPRESSIONS = [
    # words and their forms
    ("battery", "0 8"), ("BATTERIES", "0 8"), ('"batteries"', "0 8"), ('"battery"', "0"), ("text:battery", "0 8"),
    ("accumulator", "1"), ("lead", "1"), ('"lead"', "1"), ('"leads"', "1"), ("closing", "2 3"),
    ("etage", "9"), ("ÉTAGE", "9"), ("nothingofthekind", ""), ("lead-acid", "1"), ('"lead acid"', "1"),
    # truncation
    ("batter*", "0 8"), ("polymeri?ation", "7"), ("*polymer*", "7"), ("colo*r", "7"), ("wom?n", "7"), ("?tage", "9"),
    ("polymer?", "7"), ("poly*ation", "7"), ('"memory ce*"', "6"), ("ti:polymer*", "7"), ("cl:polymeri?ation", "7"), ("in:lee*", "4 5"),
    # phrases
    ('"phase change"', "6"), ('"change phase"', ""), ('"phase change memory"', "6"), ('"changes phase"', "0"),
    ('"sealed batteries"', "0"), ('"valve body"', "2"), ('"claim 1"', "2"), ('"and"', "0 7 8 9"), ('"near and far"', "9"),
    # and, or, not, brackets
    ("lithium battery", "0"), ("lithium and battery", "0"), ("lithium AND cell", "0 1"), ("battery or accumulator", "0 1 8"),
    ("battery OR accumulator OR valve", "0 1 2 3 8"), ("not valve", "0 1 4 5 6 7 8 9"), ("lithium not battery", "1"),
    ("lithium AND NOT battery", "1"), ("(battery or accumulator) lithium", "0 1"), ("battery or accumulator and lithium", "0 1 8"),
    ("not (battery or valve or search)", "1 6 7 9"), ("not not battery", "0 8"), ("battery,accumulator", "0 1 8"),
    ("((lithium))", "0 1"), ("cell (battery or memory)", "0 6 8"),
    # near and adj
    ("spring near/3 valve", "2 3"), ("spring near/6 valve", "2 3"), ("spring adj/2 valve", "2"), ("valve adj/2 spring", "3"),
    ("valve adj/6 spring", "2 3"), ("phase near/1 change", "0 6"), ("phase adj/1 change", "6"), ("change adj/1 phase", "0"),
    ("change adj/3 phase", "0 6"), ("(battery or accumulator) near/3 (lithium or lead)", "0 1"), ('"lithium anode" near/4 separator', "0"),
    ("battery near/5 lithium near/5 separator", "0"), ("battery near/5 sealed", "0"), ("polymer* near/2 copolymer*", "7"),
    ("a near/2 valve", "2"), ("valve near/9 valve", ""), ("not spring near/3 valve", "0 1 4 5 6 7 8 9"),
    ("spring NEAR/3 valve and seal", "2"), ("ti:(lithium adj/1 battery)", "0"), ("cl:spring near/5 cl:valve", "3"),
    # fields of texts
    ("ti:battery", "0"), ("title:valve", "2 3"), ("ab:battery", "0"), ("ab:valve", "2 3"), ("cl:lithium", "0"), ("desc:lithium", "1"),
    ("description:(lithium or spring)", "1 2 3"), ("cl:(spring and seal)", "2"), ("ti:index", ""), ("ti:(search or query)", "4 5"),
    ("claims:valve,pump", "2 3 8"),
    # names
    ("pa:bosch", "0 2"), ('pa:"robert bosch"', "2"), ("pa:valve", "3"), ("pa:valves", ""), ("in:muller", "0 5"), ('in:"müller, eva"', "0"),
    ("in:(lee and muller)", "5"), ("applicant:search and inventor:jan", "5"), ("pa:search not in:jan", "4"), ("in:eva near/1 in:adam", "2"),
    # classes
    ("ipc:H01M", "0 1"), ("ipc:H01M10", "0 1"), ("ipc:H01M 10/06", "1"), ('ipc:"H01M 10/05*"', "0"), ("ipc:H01M10/05*", "0"),
    ("ipc:H01M10/05", ""), ("cpc:G06F16/2*", "4"), ("cpc:G06F16/22", "4"), ("cpc:G06F16", "4 5"), ("class:F16K", "2 3"),
    ("cpc:G06F1*", "4 5"), ("ipc:(H01M4 or C08F)", "0 7"), ("ipc:H01M,C08F4", "0 1 7"), ("ipc:H not ipc:H01M10/06", "0"),
    # dates and the rest
    ("pd<2001", "0 7"), ("pd:2001", "1 2"), ("pd:1999..2001", "0 1 2"), ("pd:2005..", "4 5 6"), ("pd:..1985", "7"),
    ("pd>=2001-12-31 and pd<=2003-03-03", "2 3"), ("pd:2001-01..2001-06", "1"), ("pd:none", "8 9"), ("pd:(1985 or 2010)", "4 7"),
    ("pr<2000", "0"), ("priority:1998", "0"), ("country:EP,WO", "0 3 7"), ("cc:(US or DE)", "1 2 4 5 6"), ("kind:A", "0 3 4 6"),
    ("la:de,fr", "1 9"), ("battery near/5 lithium and pd<2001 and ipc:H01M10/0* not cc:US", "0"), ("pn:D7", "7"),
]
# fmt: on


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> IndexStore:
    folder = tmp_path_factory.mktemp("expressions") / "index"
    write(folder, DOCUMENTS, every=3).close()
    return open_store(folder)


def test_there_are_a_hundred_and_all_differ() -> None:
    assert len({text for text, _ in EXPRESSIONS}) == len(EXPRESSIONS) >= 100


@pytest.fixture(autouse=True)
def stems_of_all_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scan knows the stems of a few words by heart; here it is told those of all, in both languages of the index."""
    for document in DOCUMENTS:
        for name in ("text", "applicant", "inventor"):
            for text in document.texts(name):
                for word in word_forms(text):
                    monkeypatch.setitem(STEMS, word, stem(word))


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_an_expression_finds_what_it_says(ten: IndexStore, text: str, expected: str) -> None:
    ids = [f"D{number}" for number in expected.split()]
    assert found(ten, text) == ids
    filter_ = parse_filter(text)
    for asked in (filter_, parse_filter(filter_text(filter_))):
        assert [f"D{n}" for n, one in enumerate(DOCUMENTS) if meets(f"D{n}", one, asked)] == ids


@pytest.mark.parametrize(
    ("text", "complaint", "at"),
    [
        ("battery near lithium", r"near needs a number, as in near/5; the word itself is \"near\"", "near"),
        ("battery near/0 lithium", "1 to 99 apart", "near/0"),
        ("battery near/5", "a word is expected", ""),
        ("near/5 battery", "expected before 'near/5'", "near/5"),
        ("(a and b) near/5 c", "near and adj join words and phrases of one field", "(a"),
        ("ti:a near/5 ab:b", "joins words of one field, not of title and abstract", "ab:b"),
        ("a and or b", "expected before 'or'", "or b"),
        ("colour:red", r"no field 'colour'; there are text, title \(ti\), abstract \(ab\)", "colour"),
        ("ti:(a ab:b)", "a field inside the brackets of title", "ab:b"),
        ("pd:soon", "'soon' is not a date", "soon"),
        ("battery and pd<2001-13-01", "'2001-13-01' is not a date", "2001-13"),
        ("ipc:X99", "'X99' is not a class", "X99"),
        ("battery *", r"'\*' holds no word", "*"),
        ("(battery", "a bracket that nothing closes", ""),
        ("battery)", r"'\)' is not expected here", ")"),
        ('say "battery', "a quotation mark that nothing closes", '"battery'),
        ("ti<5", "after 'ti' one of : = is expected", "<5"),
        ("battery and", "a word is expected", ""),
        ("(" * 60 + "a" + ")" * 60, "more than 50 brackets", None),
    ],
)
def test_an_expression_that_cannot_be_read_points_at_the_place(text: str, complaint: str, at: str | None) -> None:
    with pytest.raises(FilterError, match=complaint) as raised:
        parse_filter(text)
    if at is not None:
        assert text[raised.value.place :].startswith(at)
        assert raised.value.place == (text.index(at) if at else len(text))
        assert str(raised.value).splitlines()[-1].index("^") == raised.value.place + 2


def test_a_long_row_of_words_is_no_deep_one(ten: IndexStore) -> None:
    assert found(ten, "a " * 1_000) == found(ten, "a")
    assert found(ten, " or ".join(["battery"] * 500)) == found(ten, "battery")


def test_the_page_names_every_field_and_its_examples_are_among_the_hundred() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, short in field_names().items():
        assert f"`{name}:`" in page, name
        assert not short or f"`{short}:`" in page, short
    rows = re.findall(r"^\| (\d+) \| `(.+?)` \|", page, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 21))
    known = {text for text, _ in EXPRESSIONS}
    assert [text for _, text in rows if text not in known] == []
