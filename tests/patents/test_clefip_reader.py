"""CLEF-IP: one wrong index and recall is lost."""

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents import canonical_xpath, passages, section_text


def texts(parts):
    return {part.xpath.removeprefix("/patent-document/"): part.text for part in parts}


def test_the_parts_in_the_wanted_language_are_read(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    assert patent.title == "Valve with a plunger"
    assert texts(patent.abstract) == {"abstract/p[1]": "A valve.", "abstract/p[2]": "It closes."}
    assert [claim.text for claim in patent.claims][1:] == [
        "The valve of claim 1, wherein the spring is coiled.",
        "The valve of claim 2, made of steel.",
    ]
    assert patent.language == "en"


def test_another_language_gives_its_own_parts_and_any_gives_the_documents_own(read_one, xml_samples):
    german = read_one(xml_samples["marec"], "de")
    assert (german.title, [c.text for c in german.claims]) == (
        "Ventil",
        ["Ventil mit Kolben.", "Ventil nach Anspruch 1."],
    )
    assert german.claims[1].depends_on == (1,)
    assert len(german.description) == 3  # there is no German one
    own = read_one(xml_samples["marec"], "any")
    assert (own.title, own.abstract[0].text) == ("Ventil", "Ein Ventil.")
    assert own.description == german.description


def test_the_language_may_be_written_as_xml_lang(read_one):
    patent = read_one(
        '<patent-document ucid="EP-4-A1" xml:lang="DE"><abstract xml:lang="DE"><p>deutsch</p></abstract>'
        '<abstract xml:lang="EN"><p>english</p></abstract></patent-document>'
    )
    assert (patent.language, texts(patent.abstract)) == ("en", {"abstract/p[1]": "english"})


def test_an_id_with_white_space_inside_is_refused_and_around_it_dropped(read_one):
    document = '<patent-document ucid="{}" lang="EN"><abstract><p>x</p></abstract></patent-document>'
    assert read_one(document.format(" EP-1-A1 ")).id == "EP-1-A1"
    with pytest.raises(InputError, match="publication id 'EP-1 1-A1' holds white space"):
        read_one(document.format("EP-1 1-A1"))


def test_what_is_left_out_is_noted_once_with_the_reason(read_one, xml_samples):
    notes = []
    read_one(xml_samples["marec"], on_note=notes.append)
    (note,) = notes
    assert note.document == "EP-0100001-B1"
    assert note.cause == "left out: abstract (en); wanted: en"  # a second one in English; other languages are kept


def test_parts_in_other_languages_are_kept_and_say_which_they_are_in(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    places = {one.xpath: one.number for one in patent.translations}
    assert places["/patent-document/claims-de/claim[1]"] == "claim 1, in German"
    assert {place.split("/")[2] for place in places} == {"abstract-de", "claims-de", "claims-fr"}
    cut = {passage.id: passage for passage in passages(patent) if passage.section == "translation"}
    assert list(cut) == [f"{patent.id}{place.removeprefix('/patent-document')}" for place in places]
    joined = section_text(patent, "translation")
    assert all(joined[one.start : one.end] == one.text for one in cut.values())
    alone = []
    assert not read_one(xml_samples["marec"], language="only-en", on_note=alone.append).translations
    assert "left out: abstract (de, en), claims (de, fr)" in alone[0].cause


def test_an_empty_paragraph_makes_no_passage_but_counts_and_headings_do_neither(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    assert texts(patent.description) == {
        "description/p[1]": "The invention relates to valves for CO2 at 10³ Pa.",
        "description/p[3]": "The plunger (10) has a tip a stem",
        "description/p[5]": "It is 5 µm & round. Very.",
    }
    assert [p.number for p in patent.description] == ["0001", "0003", "0005"]


def test_nested_claim_texts_make_one_claim(read_one, xml_samples):
    claim = read_one(xml_samples["marec"]).claims[0]
    assert (claim.number, claim.text) == (1, "A valve comprising a plunger; and a spring.")
    assert claim.xpath == "/patent-document/claims/claim[1]"


def test_dependencies_are_direct_references(read_one, xml_samples):
    assert [claim.depends_on for claim in read_one(xml_samples["marec"]).claims] == [(), (1,), (2,)]


def test_bibliographic_data(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    assert (patent.id, patent.country, patent.kind, patent.family) == ("EP-0100001-B1", "EP", "B1", "9007")
    assert (patent.publication_date, patent.application_date) == ("2002-06-12", "1999-03-01")
    assert patent.priority_date == "1998-03-03"  # the earliest of two
    assert patent.ipc == ("F16K 31/06", "F16K 1/00")
    assert patent.applicants == ("VENTILWERK GMBH",)
    assert patent.citations == ("US-4000001-A",)


def test_citations_never_become_passages(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    for by in ("passage", "section", "document"):
        assert not any("4000001" in passage.text for passage in passages(patent, by))


def test_a_document_without_claims_or_without_bibliographic_data_is_read(read_one):
    bare = '<patent-document ucid="EP-1-A2" lang="EN"><abstract><p>Only this.</p></abstract></patent-document>'
    patent = read_one(bare)
    assert (patent.id, patent.claims, patent.abstract[0].text) == ("EP-1-A2", (), "Only this.")


def test_a_paragraph_in_a_subsection_keeps_its_own_path_and_does_not_shift_the_others(read_one):
    patent = read_one(
        '<patent-document ucid="US-1-A" lang="EN"><description><p>one</p><technical-field><p>inner</p></technical-field>'
        "<p>two<table><p>in a table</p></table></p></description></patent-document>"
    )
    assert texts(patent.description) == {
        "description/p[1]": "one",
        "description/technical-field[1]/p[1]": "inner",
        "description/p[2]": "two in a table",
    }


def test_an_abstract_without_paragraphs_is_its_first_paragraph(read_one):
    patent = read_one('<patent-document ucid="US-1-A" lang="EN"><abstract>Plain text.</abstract></patent-document>')
    assert texts(patent.abstract) == {"abstract/p[1]": "Plain text."}


def test_passage_ids_are_unique_and_name_document_and_place(read_one, xml_samples):
    found = list(passages(read_one(xml_samples["marec"]), by="paragraph"))
    ids = [passage.id for passage in found]
    assert len(set(ids)) == len(ids) == 12
    assert "EP-0100001-B1/description/p[3]" in ids
    assert not any(c.isspace() for identifier in ids for c in identifier)
    assert all(canonical_xpath(passage.xpath) == passage.xpath for passage in found)


@pytest.mark.parametrize(
    ("judged", "canonical"),
    [
        ("/patent-document/abstract/p[1]", "/patent-document/abstract/p[1]"),
        ("/patent-document/abstract/p", "/patent-document/abstract/p[1]"),
        ("/patent-document/abstract[1]/p[1]", "/patent-document/abstract/p[1]"),
        ("/patent-document[1]/description[1]/p[16]", "/patent-document/description/p[16]"),
        ("/patent-document/claims[2]/claim[3]", "/patent-document/claims/claim[3]"),
        ("/patent-document/claims/claim", "/patent-document/claims/claim[1]"),
        (" /patent-document/description/p[16]\n", "/patent-document/description/p[16]"),
        ("/patent-document/abstract/p[2]/", "/patent-document/abstract/p[2]"),
        ("//patent-document/abstract/p[2]", "/patent-document/abstract/p[2]"),
        ("description/p[007]", "/patent-document/description/p[7]"),
        ("/patent-document/description/technical-field/p", "/patent-document/description/technical-field[1]/p[1]"),
    ],
)
def test_judged_xpaths_are_found_in_both_spellings(judged, canonical):
    assert canonical_xpath(judged) == canonical


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "/",
        "//p",
        "p//",
        "/patent-document/description/p[0]",
        "p[last()]",
        "p[-1]",
        "a b",
        "/PATENT-DOCUMENT/abstract/p",
    ],
)
def test_something_else_is_not_taken_for_an_xpath(wrong):
    with pytest.raises(InputError, match="not an XPath"):
        canonical_xpath(wrong)


def test_claims_that_are_not_marked_as_elements_are_split_by_their_numbers(read_one):
    patent = read_one(
        '<patent-document ucid="EP-1-A1" lang="EN"><claims>We claim: 1. A pump. 2. The pump of claim 1.</claims></patent-document>'
    )
    assert [(claim.text, claim.depends_on) for claim in patent.claims] == [
        ("A pump.", ()),
        ("The pump of claim 1.", (1,)),
    ]
