"""Which documents a vocabulary may be learned from, and that the model remembers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sparse_coverage import Sampling, SparseCoverage, load_encoder
from sparse_coverage.cli import cli
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.search.own_model import digest_of
from sparse_coverage.vocabulary.sampling import EVERYTHING, Restriction, sample_by_year


def patent(number: int, year: int, language: str = "en", text: str = "A valve with a spring and a plunger.") -> Patent:
    place = "/patent-document/abstract/p[1]"
    body = (Paragraph(f"{text} Number {number}.", place),) if text else ()
    date = f"{year}-05-01" if year else ""
    return Patent(f"EP-{number}-A1", f"Valve {number}", body, language=language, publication_date=date)


PATENTS = [
    patent(1, 1999),
    patent(2, 2000),
    patent(3, 2005, "de"),
    patent(4, 2010),
    patent(5, 2011),
    patent(6, 2005, text=""),
    patent(7, 0),
    patent(8, 2004, ""),
]


@pytest.mark.parametrize(
    ("only", "kept"),
    [
        (Restriction(), [1, 2, 3, 4, 5, 6, 7, 8]),
        (Restriction("2000-2010"), [2, 3, 4, 6, 8]),
        (Restriction("2005"), [3, 6]),
        (Restriction("2000-2010", "en"), [2, 4, 6, 8]),
        (Restriction("2000-2010", "en", with_text=True), [2, 4, 8]),
        (Restriction(language="any"), [1, 2, 3, 4, 5, 6, 7, 8]),
        (Restriction(with_text=True), [1, 2, 3, 4, 5, 7, 8]),
    ],
)
def test_years_language_and_titles_alone(only: Restriction, kept: list[int]) -> None:
    assert [document.id for document in only.of(PATENTS)] == [f"EP-{n}-A1" for n in kept]  # type: ignore[union-attr]
    assert bool(only) == (str(only) != "")


@pytest.mark.parametrize("years", ["2010-2000", "05", "2000-", "2000-10", "later"])
def test_impossible_years_are_refused(years: str) -> None:
    with pytest.raises(InputError, match="2000-2010"):
        Restriction(years)


def test_a_sample_by_year_draws_from_what_is_allowed() -> None:
    chosen = list(sample_by_year(PATENTS, 2, 0, Restriction("2000-2010", "en", with_text=True)))
    assert len(chosen) == 2
    assert {document.id for document in chosen} <= {"EP-2-A1", "EP-4-A1", "EP-8-A1"}  # type: ignore[union-attr]


def test_the_model_remembers_and_other_models_are_as_before(tiny_checkpoint: Path, tmp_path: Path) -> None:
    encoder = load_encoder(str(tiny_checkpoint), threads=1)
    only = Restriction("2000-2010", with_text=True)
    work = tmp_path / "work"
    model = SparseCoverage.fit(PATENTS, encoder=encoder, size=5, sampling=Sampling(only=only), work=work)
    assert model.vocabulary.config.documents == 4
    assert {anchor.document for anchor in model.vocabulary.anchors} <= {"EP-2-A1", "EP-3-A1", "EP-4-A1", "EP-8-A1"}
    model.save(tmp_path / "model")
    again = SparseCoverage.load(tmp_path / "model", encoder=encoder)
    assert again.vocabulary.config.only == "published 2000-2010, no titles alone"
    with pytest.raises(MismatchError, match="only"):  # not the sample of other documents
        SparseCoverage.fit(PATENTS, encoder=encoder, size=5, work=work)
    plain = SparseCoverage.fit(PATENTS, encoder=encoder, size=5)
    assert plain.vocabulary.config.only == str(EVERYTHING) == ""
    # What identifies a model without restrictions does not know of them: indexes made before still open.
    header = json.loads((tmp_path / "model" / "vocabulary.json").read_text(encoding="utf-8"))
    assert header["config"]["only"]
    assert digest_of(plain.vocabulary, plain.activation, "") != digest_of(model.vocabulary, model.activation, "")


def test_fit_takes_years(tiny_checkpoint: Path, tmp_path: Path) -> None:
    lines = [
        {"id": one.id, "title": one.title, "abstract": one.abstract[0].text, "publication_date": one.publication_date}
        for one in PATENTS
        if one.abstract
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    words = ["fit", tmp_path / "p.jsonl", "-o", tmp_path / "m", "--encoder", tiny_checkpoint, "-V", 4, "--threads", 1]
    result = CliRunner().invoke(cli, [*map(str, words), "--years", "2000-2010", "--json"], standalone_mode=False)
    assert result.exception is None
    found = json.loads(result.stdout)
    assert (found["documents"], found["only"]) == (4, "published 2000-2010, in en")
    shown = CliRunner().invoke(cli, ["vocabulary", "show", str(tmp_path / "m")], standalone_mode=False)
    assert "learned from documents published 2000-2010, in en" in shown.output
    words[3] = tmp_path / "n"
    refused = CliRunner().invoke(cli, [*map(str, words), "--years", "2010-2000"], standalone_mode=False)
    assert "the earlier first" in str(refused.exception)
