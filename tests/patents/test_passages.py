"""From a patent to passages, sections and documents."""

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent, passages, section_text
from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.values import class_symbol, iso_date


def test_offsets_lead_into_the_text_of_the_section(read_one, xml_samples):
    for content in xml_samples.values():
        patent = read_one(content, "any")
        for by in ("passage", "section", "document"):
            found = list(passages(patent, by))
            assert found
            assert len({passage.id for passage in found}) == len(found)
            for passage in found:
                assert section_text(patent, passage.section)[passage.start : passage.end] == passage.text


def test_sections_are_title_and_abstract_claims_and_description(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    sections = list(passages(patent, "section"))
    assert [s.id for s in sections] == ["EP-0100001-B1/abstract", "EP-0100001-B1/claims", "EP-0100001-B1/description"]
    assert [s.section for s in sections] == ["title+abstract", "claims", "description"]
    assert sections[0].text == "Valve with a plunger\nA valve.\nIt closes."
    assert sections[1].text.count("\n") == 2


def test_a_document_is_everything_in_one_text(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    (whole,) = passages(patent, "document")
    assert (whole.id, whole.section) == ("EP-0100001-B1", "document")
    assert whole.text == "\n".join(s.text for s in passages(patent, "section"))


def test_a_patent_with_nothing_but_a_title_gives_its_title():
    patent = Patent("X-1", title="Pump")
    for by, identifier in [("passage", "X-1/title"), ("section", "X-1/title"), ("document", "X-1")]:
        (passage,) = passages(patent, by)
        assert (passage.id, passage.text) == (identifier, "Pump")
    assert list(passages(Patent("X-2"))) == []


def test_titles_are_passages_by_choice(read_one, xml_samples):
    patent = read_one(xml_samples["marec"])
    without = list(passages(patent, "paragraph"))
    title, *rest = passages(patent, "title+paragraph")
    assert rest == without
    assert (title.id, title.section, title.text) == ("EP-0100001-B1/title", "title", "Valve with a plunger")
    assert [p.id for p in passages(Patent("X-1", title="Pump"), "title+paragraph")] == ["X-1/title"]


def test_an_unknown_unit_is_an_error():
    with pytest.raises(InputError, match="not cut by 'page'"):
        passages(Patent("X"), "page")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("20020612", "2002-06-12"),
        ("2002-06-12", "2002-06-12"),
        ("19740600", "1974-06-01"),
        ("CACM 1958", ""),
        ("20021312", ""),
        ("2021-02-31", ""),
        ("20240229", "2024-02-29"),
        ("00000000", ""),
        (None, ""),
    ],
)
def test_dates(value, expected):
    assert iso_date(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("H04N   5/44        20060101AFI", "H04N 5/44"),
        (" 7C 07C  29/44   A", "C07C 29/44"),
        ("A01B 2202/70", "A01B 2202/70"),
        ("G06F-003/06/44", "G06F 3/0644"),
        ("Y02E 10/00", "Y02E 10/00"),
        ("H04N", "H04N"),
        ("E03C 104", "E03C"),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_classes(value, expected):
    assert class_symbol(value) == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("US", "D0456789", "S1"), "US-D456789-S1"),
        (("US", "20210267109", "A1"), "US-20210267109-A1"),
        (("EP", "0000001", "A1"), "EP-0000001-A1"),
        (("EP", "", "A1"), ""),
    ],
)
def test_publication_ids(parts, expected):
    assert publication_id(*parts) == expected
