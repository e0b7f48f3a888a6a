"""EPO, USPTO of all generations and WIPO: the same patent whatever file it came from."""

import pytest

from sparse_coverage.errors import InputError


def texts(parts):
    return {part.xpath.removeprefix("/patent-document/"): part.text for part in parts}


def test_epo_specification(read_one, xml_samples):
    patent = read_one(xml_samples["ep"])
    assert (patent.id, patent.kind, patent.title, patent.format) == ("EP-2000001-B1", "B1", "DISPLAY", "EPO ST.36")
    assert texts(patent.description) == {"description/p[1]": "A display.", "description/p[2]": "It is bright and flat."}
    assert [claim.depends_on for claim in patent.claims] == [(), (1,)]
    assert (patent.publication_date, patent.application_date, patent.priority_date) == (
        "2011-03-02",
        "2009-01-05",
        "2008-01-01",
    )
    assert patent.ipc == ("B60R 7/06",)
    assert patent.applicants == ("Display Works",)
    assert patent.citations == ("EP-1234567-A1", "WO-03008444-A", "JP-H051234-A", "GB 1 234")  # the book is no patent


def test_parts_in_the_wanted_language_and_what_there_is_in_another_alone(read_one, xml_samples):
    english = read_one(xml_samples["ep"])
    german = read_one(xml_samples["ep"], "de")
    assert (german.title, [claim.text for claim in german.claims]) == ("ANZEIGE", ["Anzeige."])
    french = read_one(xml_samples["ep"], "fr")
    assert (french.title, french.claims) == ("AFFICHAGE", english.claims)
    assert english.description == german.description == french.description != ()
    assert read_one(xml_samples["ep"], "es").title == english.title


def test_uspto_grant_numbers_nested_paragraphs_in_document_order(read_one, xml_samples):
    patent = read_one(xml_samples["us_grant"])
    assert (patent.id, patent.title, patent.language) == ("US-9000001-B2", "Hand truck", "en")
    assert texts(patent.description) == {
        "description/p[1]": "Trucks are known.",
        "description/p[2]": "FIG. 1 is a view.",
        "description/p[3]": "The wheel 12 turns.",
    }


def test_uspto_grant_metadata_is_its_own_and_not_that_of_its_citations(read_one, xml_samples):
    patent = read_one(xml_samples["us_grant"])
    assert (patent.ipc, patent.cpc) == (("A01B 1/24",), ("A01B 1/243",))
    assert (patent.publication_date, patent.application_date, patent.priority_date) == (
        "2021-10-19",
        "2018-12-26",
        "2017-12-01",
    )
    assert patent.applicants == ("Trucks Inc.", "Holding Ltd.")
    assert patent.citations == ("US-554139-A",)


def test_uspto_claims_keep_their_numbers_after_cancelled_ones(read_one, xml_samples):
    claims = read_one(xml_samples["us_grant"]).claims
    assert [(c.number, c.depends_on, c.xpath[-8:]) for c in claims] == [
        (1, (), "claim[1]"),
        (20, (), "claim[2]"),
        (21, (20,), "claim[3]"),
    ]
    assert claims[1].text == "A truck comprising: (a) a plate; and (b) a wheel."  # the printed number is not text


def test_uspto_application_has_the_same_layout(read_one, xml_samples):
    content = (
        xml_samples["us_grant"]
        .replace("us-patent-grant", "us-patent-application")
        .replace("data-grant", "data-application")
    )
    patent = read_one(content)
    assert (patent.id, patent.format, len(patent.description)) == ("US-9000001-B2", "USPTO application", 3)


def test_uspto_grant_of_sgml_days(read_one, xml_samples):
    patent = read_one(xml_samples["us_grant_sgml"])
    assert (patent.id, patent.title, patent.kind) == ("US-6000001-B1", "Faucet", "B1")
    assert texts(patent.description) == {"description/p[1]": "At Δt of 5 × 10³ s.", "description/p[2]": "Detail."}
    assert [(c.text, c.depends_on) for c in patent.claims] == [
        ("A tap comprising: a seat;", ()),
        ("A tap as in claim 1, new.", (1,)),
    ]
    assert patent.ipc == ("E03C 1/04", "A61K")  # A61K 31505 could be 31/505 or 315/05: no guess
    assert (patent.application_date, patent.priority_date) == ("2000-04-24", "1997-10-22")
    assert (patent.applicants, patent.citations) == (("Taps Co.",), ("US-3669141-A",))


def test_uspto_application_of_the_first_generation(read_one, xml_samples):
    patent = read_one(xml_samples["us_application_v1"])
    assert (patent.id, patent.title) == ("US-20010000009-A1", "Paper")
    assert texts(patent.description) == {"description/p[1]": "Known: g/m² per web.", "description/p[2]": "More."}
    assert [claim.text for claim in patent.claims] == ["A web, with fibres."]
    assert (patent.ipc, patent.applicants, patent.priority_date) == (("D21C 11/12",), ("Paper AG",), "1997-08-02")


@pytest.mark.parametrize("name", ["us_grant_sgml", "us_application_v1", "us_grant"])
def test_american_patents_are_english(name, read_one, xml_samples):
    assert read_one(xml_samples[name], "any").language == read_one(xml_samples[name], "de").language == "en"


def test_wipo_application(read_one, xml_samples):
    english = read_one(xml_samples["wipo"])
    assert (english.id, english.title, [p.text for p in english.abstract]) == ("WO-2010000001-A1", "Lamp", ["A lamp."])
    assert [claim.text for claim in english.claims][:1] == ["Lampe."]  # there are no English ones
    french = read_one(xml_samples["wipo"], "fr")
    assert (french.title, [c.depends_on for c in french.claims]) == ("Lampe", [(), (1,)])
    assert (french.publication_date, french.application_date, french.priority_date) == (
        "2010-01-07",
        "2009-07-01",
        "2008-07-02",
    )
    assert french.applicants == ("LUMIERE SA",)


def test_parts_that_are_page_images_are_noted(read_one, xml_samples):
    content = xml_samples["wipo"].replace("<p>Une lampe connue.</p>", '<doc-page file="1.tif"/>')
    notes = []
    assert read_one(content, "fr", on_note=notes.append).description == ()
    assert any("page images" in note.cause for note in notes)


def test_an_unknown_document_is_reported_with_what_is_known(read_one):
    with pytest.raises(InputError, match=r"unknown document <fault>. Known are patent-document"):
        read_one("<fault><p>no patent</p></fault>")


def test_a_document_without_a_number_is_reported(read_one):
    with pytest.raises(InputError, match="no publication number"):
        read_one("<us-patent-grant><abstract><p>x</p></abstract></us-patent-grant>")


def test_formulae_keep_their_meaning(read_one):
    patent = read_one(
        '<patent-document ucid="EP-1-A1" lang="en"><abstract><p>Let <maths><math><msup><mi>x</mi><mn>2</mn></msup>'
        "<mo>\u2062</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></math></maths> be 10<sup>-3</sup>, note<sup>see</sup>.</p>"
        "</abstract></patent-document>"
    )
    assert patent.abstract[0].text == "Let x²a/b be 10⁻³, notesee."


def test_named_characters_of_unloaded_dtds_are_read_and_unknown_names_are_kept(read_one):
    patent = read_one(
        '<!DOCTYPE patent-document SYSTEM "x.dtd"><patent-document ucid="EP-1-A1" lang="en"><abstract>'
        "<p>&agr;&THgr;&ohgr;&alpha;&frac15;&lsqb;&nowhere;</p></abstract></patent-document>"
    )
    assert patent.abstract[0].text == "αΘωα⅕[&nowhere;"
