"""Charts: quotations are verbatim, numbers and negations count, files hold what the chart says."""

import json
from dataclasses import replace

import numpy as np
import pytest
from drawing import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_documents_for_charts import claim_of, claims_and_elements, document, features

from sparse_coverage.charts.calibration import Calibration, calibration_for
from sparse_coverage.charts.chart import ChartDocument
from sparse_coverage.charts.claims import Sentences, encode_claims
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart, read_documents
from sparse_coverage.dataclass_json import to_json
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.index import PassageRecord
from sparse_coverage.present.chart_files import chart_page
from sparse_coverage.present.chart_text import chart_text


@pytest.fixture(scope="module")
def chart(encoder, calibration):
    chance = np.random.default_rng(5)
    wanted = features(chance, 4)
    claims, elements = claims_and_elements(claim_of(wanted))
    encoded = encode_claims(claims, elements, encoder, calibration)
    documents = [document("EP-1-A1", wanted), document("EP-2-A1", wanted[:2]), document("EP-3-A1", features(chance, 3))]
    return make_chart(encoded, documents, encoder, calibration), documents


def test_every_quotation_is_a_verbatim_piece_of_its_passage(chart):
    made, documents = chart
    texts = {passage.id: passage for one in documents for passage in one.passages}
    quotes = [quote for row in made.cells for cell in row for quote in cell.quotes]
    assert quotes
    for quote in quotes:
        source = texts[quote.passage]
        assert quote.text == source.text[quote.start : quote.end]
        assert quote.number == source.number


PIECES = [
    "The branclodri folgrahin",
    "is",
    "3.5 mm",
    "long.",
    "E.g.",
    "no",
    "plunger;",
    "(12)",
    "αβ",
    "\n",
    " ",
    "\u00a0",
    "…",
    "e\u0301",
    "Fig. 2.",
]


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map(" ".join), min_size=1, max_size=4))
def test_whatever_a_document_says_quotations_and_phrases_are_verbatim(encoder, calibration, texts):
    claims, elements = claims_and_elements("A device comprising: a branclodri folgrahin of 3 to 4 mm; a plunger.")
    passages = tuple(PassageRecord(f"X/p[{n}]", "X", "description", text, f"{n:04}") for n, text in enumerate(texts))
    encoded = encode_claims(claims, elements, encoder, calibration)
    made = make_chart(encoded, [ChartDocument("X", "", passages)], encoder, calibration)
    source = {passage.id: passage.text for passage in passages}
    for element, (cell,) in zip(made.elements, made.cells, strict=True):
        for quote in cell.quotes:
            assert quote.text
            assert quote.text == source[quote.passage][quote.start : quote.end]
        for pair in cell.pairs:
            assert pair.passage.text == cell.quotes[pair.quote].text[pair.passage.start : pair.passage.end]
            assert pair.element.text == element.text[pair.element.start : pair.element.end]
        for place in cell.missing:
            assert place.text == element.text[place.start : place.end]


def test_evidence_is_between_0_and_1_and_fits_its_word(chart, calibration):
    for row in chart[0].cells:
        for cell in row:
            assert 0 <= cell.evidence <= 1
            assert cell.verdict == calibration.verdict(cell.evidence)


def test_documents_that_cover_more_come_first(chart):
    shares = [column.share for column in chart[0].best_first().documents]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(1.0)


def test_page_text_and_json_hold_each_element_and_word(chart):
    made, _ = chart
    page = chart_page(made)
    for element in made.elements:
        assert element.text in page
    assert all(f"Claim {claim.number}.</b> {claim.text}" in page for claim in made.claims)
    assert page.count('class="cell') == len(made.elements) * len(made.documents)
    assert json.loads(to_json(made))["elements"][0]["label"] == made.elements[0].label
    from rich.console import Console

    console = Console(record=True, width=200)
    console.print(chart_text(made))
    assert "4 of 4 features found" in console.export_text()


def test_a_narrow_terminal_shows_every_feature_and_every_number_whole(chart):
    from rich.console import Console

    made, _ = chart
    ids = [f"US-2023000{number}869-A1" for number in range(5)]
    first = made.documents[0]
    wide = replace(
        made,
        documents=tuple(replace(first, id=id_) for id_ in ids),
        cells=tuple(tuple(replace(row[0], document=id_) for id_ in ids) for row in made.cells),
    )
    console = Console(record=True, width=80)
    console.print(chart_text(wide, quotations=False))
    shown = console.export_text()
    assert "…" not in shown
    assert all(id_ in shown and id_.split("-")[1] in shown.partition("Claim chart")[2] for id_ in ids)
    assert all(element.text.split()[-1] in shown for element in made.elements)


def test_five_documents_on_a_narrow_page_are_two_tables_of_about_equal_width(chart):
    from sparse_coverage.present.chart_files import write_matrix

    made, _ = chart
    five = [made.documents[0]] * 5
    wide = replace(made, documents=tuple(five), cells=tuple((row[0],) * 5 for row in made.cells))
    headers = []

    class Page:
        def table(self, header, rows, widths):
            assert sum(widths) == pytest.approx(17)
            headers.append(header)

    write_matrix(Page(), wide, 17)
    assert [len(header) - 1 for header in headers] == [3, 2]


def test_a_cell_of_the_page_opens_only_where_it_has_quotations(chart):
    made, _ = chart
    page = chart_page(made)
    quoted = sum(bool(cell.quotes) and bool(cell.verdict.credit) for row in made.cells for cell in row)
    assert 0 < quoted < page.count('class="cell')
    assert page.count("<details>") == page.count("</details>") == quoted


def _marked(cell):
    return [run for paragraph in cell.paragraphs for run in paragraph.runs if "w:shd" in run._r.xml]


def test_word_and_excel_files_quote_verbatim(chart):
    docx, openpyxl = pytest.importorskip("docx"), pytest.importorskip("openpyxl")
    import io

    from sparse_coverage.present.chart_files import chart_workbook
    from sparse_coverage.present.export_kinds import CHART_EXPORTS

    made, documents = chart
    word = docx.Document(io.BytesIO(CHART_EXPORTS["docx"].make(made)))
    told = " ".join(cell.text for table in word.tables for row in table.rows for cell in row.cells)
    assert len(word.tables) == 2 + len(made.elements)
    assert documents[0].passages[0].text in told
    marked = [run.text for table in word.tables for row in table.rows for run in _marked(row.cells[-1])]
    assert marked
    assert set(marked) <= {pair.passage.text for row in made.cells for cell in row for pair in cell.pairs}
    book = openpyxl.load_workbook(io.BytesIO(chart_workbook(made)))
    texts = {passage.text for one in documents for passage in one.passages}
    quoted = [row[5] for row in book["Quotations"].iter_rows(min_row=2, values_only=True)]
    assert quoted
    assert all(quote in texts for quote in quoted)
    assert book["Claim chart"].max_row == 1 + len(made.elements)


def one_passage(encoder, calibration, claim, *texts):
    claims, elements = claims_and_elements(claim)
    encoded = encode_claims(claims, elements, encoder, calibration)
    return make_chart(encoded, [ChartDocument.of_texts("X", texts)], encoder, calibration).cells[0][0]


def test_a_passage_that_denies_a_thing_is_no_evidence_for_it(encoder, calibration):
    claim = "A device comprising: a branclodri folgrahin."
    there = one_passage(encoder, calibration, claim, "The device has a branclodri folgrahin on the frame.")
    denied = one_passage(encoder, calibration, claim, "The device works without a branclodri folgrahin on the frame.")
    assert there.verdict == "disclosed"
    assert denied.verdict == "not found"
    assert [place.text for place in denied.missing] == ["branclodri folgrahin"]


def test_a_thing_that_another_passage_says_is_not_there_is_not_there(encoder, calibration):
    claim = "A device comprising: a housing."
    denied = one_passage(encoder, calibration, claim, "The device has a frame.", "It works without any housing at all.")
    assert [place.text for place in denied.missing] == ["housing"]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("The device has a branclodri near a folgrahin of a kelmortav.", []),
        ("The device has a branclodri near a folgrahin.", ["kelmortav"]),
        ("The device has a folgrahin of a kelmortav.", ["branclodri"]),
        ("The device has a silrudpol.", ["branclodri", "folgrahin", "kelmortav"]),
    ],
)
def test_what_is_missing_is_named_and_lowers_the_evidence(text, missing, encoder, calibration):
    claim = "A device comprising: a branclodri near a folgrahin of a kelmortav."
    whole = one_passage(encoder, calibration, claim, "The device has a branclodri near a folgrahin of a kelmortav.")
    cell = one_passage(encoder, calibration, claim, text)
    assert [place.text for place in cell.missing] == missing
    assert cell.evidence == whole.evidence if not missing else cell.evidence < whole.evidence
    assert whole.verdict == "disclosed"


def test_phrases_are_looked_for_in_all_quotations_that_are_shown(encoder, calibration):
    claim = "A device comprising: a branclodri near a folgrahin."
    texts = ("The device has a branclodri on the frame.", "On the frame there is a folgrahin.")
    cell = one_passage(encoder, calibration, claim, *texts)
    assert {(pair.element.text, cell.quotes[pair.quote].text) for pair in cell.pairs} == {
        ("branclodri", texts[0]),
        ("folgrahin", texts[1]),
    }


def test_a_number_that_contradicts_the_claim_is_shown_and_keeps_it_from_being_disclosed(encoder, calibration):
    claim = "A device comprising: a branclodri folgrahin of 12 to 20 mm."
    inside = one_passage(encoder, calibration, claim, "The device has a branclodri folgrahin of 12 to 20 mm.")
    outside = one_passage(encoder, calibration, claim, "The device has a branclodri folgrahin of 12 to 20 cm.")
    assert inside.verdict == "disclosed"
    assert all(number.agrees for number in inside.numbers)
    assert outside.verdict == "partly"
    assert not all(number.agrees for number in outside.numbers)
    assert outside.numbers[0].found == "12 to 20 cm"


def easy_chart(encoder, calibration, claim, texts):
    """Return the cells of a claim where only what caps a verdict counts, by the words of their features."""
    easy = replace(calibration, score=replace(calibration.score, thresholds=(1e-6, 1e-6)))
    claims = read_claims(claim)
    encoded = encode_claims(claims, chart_elements(claims), encoder, easy)
    made = make_chart(encoded, [ChartDocument.of_texts("X", texts)], encoder, easy)
    return {element.text.strip(" .;"): row[0] for element, row in zip(made.elements, made.cells, strict=True)}


LONG = ["The frame is painted in a colour. " * 300]
TEXTS = ["The device has a branclodri folgrahin on the frame.", "The frame holds a krell of steel.", *LONG]


@pytest.mark.parametrize(
    ("feature", "verdict", "missing"),
    [
        ("the frame holds a krell", "disclosed", []),
        ("the frame holds a krell of steel by a morhindru", "partly", ["morhindru"]),
        ("the morhindru holds a quorneplum", "not found", ["morhindru", "quorneplum"]),
    ],
)
def test_a_feature_has_one_verdict_alone_as_a_dependent_claim_and_among_thirty(
    feature, verdict, missing, encoder, calibration
):
    many = "; ".join(f"a branclodri folgrahin {number} on the frame" for number in range(2, 30))
    forms = (
        f"A device, wherein {feature}.",
        f"1. A device comprising a frame.\n2. The device of claim 1, wherein {feature}.",
        f"A device comprising: {many}; and wherein {feature}.",
    )
    for claim in forms:
        cells = easy_chart(encoder, calibration, claim, TEXTS)
        [cell] = [cell for text, cell in cells.items() if feature in text]
        assert (cell.verdict, [place.text for place in cell.missing]) == (verdict, missing)


def test_a_document_in_another_language_is_not_held_against_english_terms(encoder, calibration):
    said = "Die Vorrichtung hat einen Rahmen, und der Rahmen ist mit einer Feder an der Wand und dem Boden befestigt."
    german = [said] * 20
    for claim, texts in (
        ("A device, wherein the frame holds a krell of steel by a morhindru.", german),
        ("Vorrichtung, wobei der Rahmen mit der Feder an der Wand und an einem Morhindru befestigt ist.", TEXTS),
    ):
        assert not any(cell.missing for cell in easy_chart(encoder, calibration, claim, texts).values())


def test_a_figure_that_a_document_does_not_have_is_named_and_keeps_a_feature_from_being_disclosed(encoder, calibration):
    cells = easy_chart(encoder, calibration, "A device, wherein the frame holds a krell 12 mm wide.", TEXTS)
    [cell] = [cell for text, cell in cells.items() if "krell" in text]
    assert (cell.verdict, [(one.claimed, one.found, one.agrees) for one in cell.numbers]) == (
        "partly",
        [("12 mm", "", False)],
    )


@pytest.mark.parametrize(
    ("said", "verdict"),
    [("The branclodri folgrahin is free of krell.", "disclosed"), ("A branclodri folgrahin has a krell.", "partly")],
)
def test_what_a_feature_excludes_must_be_excluded_somewhere(said, verdict, encoder, calibration):
    texts = ["The device has a branclodri folgrahin on the frame.", said, *LONG]
    claim = "A device, wherein the branclodri folgrahin is free of krell."
    [cell] = [cell for text, cell in easy_chart(encoder, calibration, claim, texts).items() if "free of" in text]
    assert (cell.verdict, cell.missing, cell.doubt) == (verdict, (), "" if verdict == "disclosed" else "excluded")


def test_words_that_stand_apart_do_not_disclose_that_one_is_the_others(encoder, calibration):
    claim = "A device, wherein the krell silrudpol is a branclodri folgrahin kelmortav of neplumrud."
    said = "the krell silrudpol is a branclodri folgrahin kelmortav of neplumrud"
    apart = ["It has a krell silrudpol.", *LONG, "A wheel is a branclodri folgrahin kelmortav of neplumrud."]
    together = ["Here the krell silrudpol is a branclodri folgrahin kelmortav of neplumrud.", *LONG]
    verdicts = [
        next(cell.verdict for text, cell in easy_chart(encoder, calibration, claim, texts).items() if said in text)
        for texts in (apart, together)
    ]
    assert verdicts == ["partly", "disclosed"]


def test_windows_are_two_sentences_of_one_passage():
    texts = ["One pump. Two rotors. Three. --", "Four valves.", "…"]
    found = Sentences.of(ChartDocument.of_texts("X", texts), ["rotor", "wheel"])
    assert found.passages.tolist() == [0, 0, 0, 1]
    assert found.last.tolist() == [1, 2, 2, 3]
    assert found.places == {"rotor": [1], "wheel": []}


def test_a_chart_is_the_same_when_vectors_of_its_passages_are_kept(encoder, calibration):
    claims, elements = claims_and_elements("A device comprising: a branclodri near a folgrahin; a kelmortav.")
    encoded = encode_claims(claims, elements, encoder, calibration)
    documents = [ChartDocument.of_texts("X", ["It has a branclodri.", "It has a folgrahin near it."])]
    vectors = KeptTokenVectors(encoder)
    made = [make_chart(encoded, documents, encoder, calibration, vectors=vectors) for _ in range(2)]
    assert made[0] == made[1] == make_chart(encoded, documents, encoder, calibration)


def test_only_the_passages_with_the_words_of_an_element_are_read(encoder, calibration):
    claims, elements = claims_and_elements("A device comprising: a branclodri folgrahin.")
    encoded = encode_claims(claims, elements, encoder, calibration)
    texts = [f"Sentence {number} is about nothing of it." for number in range(40)]
    texts[30] = "It has a branclodri folgrahin."
    read: list[str] = []

    class Watched(KeptTokenVectors):
        def of(self, texts):
            read.extend(texts)
            return super().of(texts)

    chart = make_chart(encoded, [ChartDocument.of_texts("X", texts)], encoder, calibration, vectors=Watched(encoder))
    assert len(read) <= 6
    assert chart.cells[0][0].quotes[0].text == texts[30]


def test_what_names_the_first_thing_of_an_element_is_read_and_quoted_first(encoder, calibration):
    claims, elements = claims_and_elements("A device comprising: a plosk near a krell and a vimter.")
    encoded = encode_claims(claims, elements, encoder, calibration)
    others = [f"Wheel {number} has a krell and a vimter." for number in range(20)]
    crowded, even = [*others, "It has a plosk."], ["It has a krell.", "It has a plosk."]
    documents = [ChartDocument.of_texts("crowded", crowded), ChartDocument.of_texts("even", even)]
    made = make_chart(encoded, documents, encoder, calibration)
    assert "plosk" not in {place.text for place in made.cells[-1][0].missing}
    read = [rows for _, rows in read_documents(encoded, documents, KeptTokenVectors(encoder), calibration)]
    assert read[0].rows.tolist()[-1] == 20
    assert made.cells[-1][1].quotes[0].text == "It has a plosk."


def test_a_calibration_is_written_and_read_and_belongs_to_its_encoder(tmp_path, encoder, calibration, tiny_encoder):
    path = tmp_path / "calibration.json"
    calibration.save(path)
    again = Calibration.load(path)
    assert again.disclosed == calibration.disclosed
    assert again.figures == calibration.figures
    assert calibration_for(encoder, path).partly == calibration.partly
    with pytest.raises(MismatchError, match="hash"):
        calibration_for(tiny_encoder, path)
    with pytest.raises(InputError, match="calibrate"):
        calibration_for(tiny_encoder)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="no calibration"):
        Calibration.load(path)
