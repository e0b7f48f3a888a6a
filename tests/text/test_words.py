"""One notion of a word: filters, explanations and charts compare the same stems."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparse_coverage.text import (
    comparable,
    content_words,
    folded,
    function_words,
    guess_language,
    idf,
    index_terms,
    stem,
    stems,
    stems_of,
    term_places,
    word_forms,
    words,
)
from sparse_coverage.text.letters import aligned

LATIN = st.text(st.characters(codec="latin-1", categories=["L", "Nd"]), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("batteries", "Battery", "en"),
        ("heating", "heated", "en"),
        ("Ventile", "Ventil", "de"),
        ("Gehäuses", "Gehause", "de"),
        ("soupapes", "soupape", "fr"),
        ("válvulas", "valvula", "es"),
        ("valvole", "valvola", "it"),
        ("kleppen", "klep", "nl"),
        ("válvulas", "válvula", "pt"),
        ("клапана", "клапан", "ru"),
        ("弁", "弁", "ja"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str, language: str) -> None:
    assert stem(one, language) == stem(other, language)


def test_words_that_only_look_alike_have_different_stems() -> None:
    assert len({stem(word) for word in ("universe", "news", "new", "valve", "value", "pump", "plunger")}) == 7


def test_a_compound_is_one_word_to_show_and_its_parts_to_compare() -> None:
    assert [word.text for word in content_words("a lead-acid battery's 2-layer H2O2 cell 12a")] == [
        "lead-acid",
        "battery's",
        "2-layer",
        "H2O2",
        "cell",
    ]
    assert stems_of("Lead-acid") == tuple(stem(word) for word in word_forms("lead acid"))


def test_the_function_words_of_the_language_of_a_text_are_left_out() -> None:
    text = "Ventil mit einem Gehäuse und einem Kolben, wobei der Kolben durch eine Feder belastet ist"
    assert stems(text) == {stem(word, "de") for word in ("Ventil", "Gehäuse", "Kolben", "Feder", "belastet")}
    assert "die" in function_words("de")
    assert "die" not in function_words("en")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "nl", "pt", "ru"])
def test_function_words_are_listed_once_and_in_small_letters(language: str) -> None:
    assert len(function_words(language)) > 120
    assert all(word == word.lower() and len(words(word)) == 1 for word in function_words(language))


@given(LATIN)
def test_words_are_folded_as_the_filter_folds_them(word: str) -> None:
    assert [folded(word)] == word_forms(word)


def test_rare_words_weigh_more() -> None:
    assert idf(1, 100) > idf(50, 100) > idf(100, 100) > 0


def test_east_asian_texts_are_found_by_any_part_of_them() -> None:
    """Pairs of letters: 二次電池 is found by 電池, whatever stands around it; words in Latin letters stay whole."""
    text = "正極を備えるLi二次電池である。"
    assert set(index_terms("二次電池")) <= set(index_terms(text))
    assert "li" in index_terms(text)
    assert index_terms("弁") == ["弁"]
    assert [word.text for word in words("이차전지 valve")] == ["이차", "차전", "전지", "valve"]
    assert all(word.text == text[word.start : word.end] for word in words(text))
    assert word_forms("固体 電解質") == ["固体", "電解", "解質"]


def test_pairs_of_east_asian_letters_stand_where_they_are_said_to() -> None:
    for text in ("ばねで付勢されたプランジャを備える電磁弁。", "Li 二次電池、電池 of 電池", "배터리 valve 배터리"):
        for term, places in term_places(text).items():
            for place in places:
                assert text[place.start : place.end] == place.text
                assert term == stem(place.text, guess_language(text))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("sp\u00adring", "spring"),
        ("spr\u200bing", "spring"),
        ("s\u200cp\u200dring\ufeff", "spring"),
        ("\ufeffspring", "spring"),
        ("\ufb01lter", "filter"),
        ("\uff33\uff30\uff32\uff29\uff2e\uff27", "spring"),
        ("CO\u2082", "CO2"),
        ("m\u00b2", "m2"),
        ("e\u0301tage", "étage"),
        ("lead-ac\u00adid", "lead-acid"),
    ],
)
def test_a_word_is_the_same_however_its_letters_are_spelled(written, meant):
    text = f"A pump (12) with a {written} valve\u2122."
    start = text.index(written) + (written[0] == "\ufeff")
    whole = slice(start, text.index(" valve"))
    assert text[whole] in {word.text for word in words(text)}
    assert text[whole] in {word.text for word in content_words(text)}
    assert index_terms(text) == index_terms(text.replace(written, meant))
    assert stems(text) == stems(text.replace(written, meant))
    assert word_forms(text) == word_forms(text.replace(written, meant))
    assert stems_of(written) == stems_of(meant)
    for places in term_places(text).values():
        for place in places:
            assert text[place.start : place.end] == place.text
    assert set(term_places(text)) == set(index_terms(text))
    [first] = term_places(text)[index_terms(meant)[0]]
    assert first.start == start


def test_signs_and_fractions_stay_what_they_are():
    assert word_forms("Velcro\u2122 of 2\u00bd inches, 5 \u2126") == ["velcro", "of", "2\u00bd", "inches", "5", "ω"]


@example("\xf5\u0345\ufb01 e\u0345\u0301")
@example("\u0a33\u1e9b\u0323\u4e8c")
@example("\u0e50\u0345\ufe29\u295f")
@example("\u0f57\u200b\ufb01")
@example("\u1100\u1161 \u09c7\u09be")
@given(st.text(st.sampled_from("a\u00ade\u0301\u200b \ufb01\u2082-'\uff21Z二\u2122\ufeff\u00bd")))
def test_words_stand_where_they_say_and_are_those_that_are_compared(text):
    plain, places = aligned(text)
    assert plain == comparable(text)
    assert places is None or (len(places) == len(plain) + 1 and places == sorted(places))
    found = words(text)
    assert all(text[word.start : word.end] == word.text for word in found)
    assert all(word.text for word in found)
    assert len(found) == len(words(comparable(text)))
    terms = [word for places in term_places(text).values() for word in places]
    assert len(terms) == len(index_terms(text))
