"""Words for people are said in one place: the page, the reports, the docs and the README take them from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparse_coverage.present.terms import NOTICE, NOTICE_HERE, TERMS
from sparse_coverage.systems import PARTS, label_of

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "sparse_coverage" / "server" / "page" / "static"
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_the_docs_explain_every_term_as_it_is_meant():
    for term, meaning in TERMS.items():
        assert f"| {term} | {meaning} |" in GLOSSARY


def test_the_default_ranking_has_one_name_and_the_docs_say_what_each_is_called():
    rankings = ("combined", *PARTS)
    labels, names = (", ".join(map(name, rankings)) for name in (label_of, lambda one: f"`{one}`"))
    assert label_of("combined") == "combined"
    assert f"| {labels} | the four rankings, the first by default; in commands {names} |" in GLOSSARY


@pytest.mark.parametrize("file", ["README.md", "docs/page.md"])
def test_the_notice_stands_where_a_reader_looks(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    for sentence in (*NOTICE, *NOTICE_HERE):
        assert sentence in text


def test_the_page_names_no_option_of_the_command_line_and_calls_features_so():
    for script in STATIC.glob("*.js"):
        shown = script.read_text(encoding="utf-8")
        assert "(--" not in shown
        assert "'Elements'" not in shown
