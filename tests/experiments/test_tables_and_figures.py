from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sparse_coverage.experiments.figures import draw_curves, draw_histograms, draw_scatter
from sparse_coverage.present.tables import Cell, Table

TABLE = Table(
    "small",
    "A & B",
    ("Model", "V", "R@100"),
    (("BM25", "–", Cell(50.0, 85.9, (40.0, 60.0))), ("x_y|z", "2,000", Cell(None, 10.0)), ("only", "5", Cell(1.234))),
    ("100 % invented.",),
)


def test_csv_has_a_column_for_each_number() -> None:
    rows = list(csv.DictReader(TABLE.csv().splitlines()))
    assert rows[0]["R@100"] == "50.0"
    assert rows[0]["R@100 paper"] == "85.9"
    assert float(rows[0]["R@100 difference"]) == pytest.approx(-35.9)
    assert (rows[0]["R@100 low"], rows[0]["R@100 high"]) == ("40.0", "60.0")
    assert rows[1]["R@100"] == ""
    assert rows[1]["V"] == "2000"


def test_markdown_shows_ours_paper_and_difference() -> None:
    text = TABLE.markdown()
    assert "| BM25 | – | 50.00 (85.90, -35.90) |" in text
    assert "x_y\\|z" in text
    assert "– (10.00)" in text
    assert "| 1.23 |" in text


def test_latex_is_booktabs_with_its_characters_escaped() -> None:
    text = TABLE.latex()
    assert text.count("\\toprule") == text.count("\\midrule") == text.count("\\bottomrule") == 1
    assert "A \\& B" in text
    assert "x\\_y" in text
    assert "100 \\% invented" in text
    assert "{\\scriptsize (85.90, $-$35.90)}" in text


def test_latex_knows_every_special_character() -> None:
    text = Table("t", "t", ("a",), (("{a}~b^c\\d|e<f>",),)).latex()
    assert (
        r"\{a\}\textasciitilde{}b\textasciicircum{}c\textbackslash{}d\textbar{}e\textless{}f\textgreater{} \\" in text
    )


def test_the_terminal_says_each_group_once() -> None:
    table = Table(
        "t", "t", ("Group", "R@100"), (("A", Cell(1.0)), ("A", Cell(2.0)), ("B", Cell(3.0)), ("A", Cell(4.0)))
    )
    assert list(table.rich().columns[0].cells) == ["A", "", "B", "A"]


def test_html_escapes_and_tells_the_interval() -> None:
    text = TABLE.html()
    assert "40.00 to 60.00" in text
    assert "<script" not in Table("t", "t", ("a",), (("<script>",),)).html()


def test_the_terminal_gets_every_row() -> None:
    assert TABLE.rich().row_count == 3


def test_figures_are_written_as_svg_and_png_and_are_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    curves = {("MiniLM", unit): [(10.0, 1.0), (20.0, 2.0)] for unit in ("NP", "enc. tok.")}
    many = {(f"encoder {e}", f"unit {u}"): [(10.0 * e + 1, u + 1.0)] for e in range(3) for u in range(3)}
    for name, draw in {
        "curves": lambda path: draw_curves(path, {"(a)": curves, "(b)": curves}, "V", log_x=True),
        "scatter": lambda path: draw_scatter(path, many, "cost", "R@100"),
        "histograms": lambda path: draw_histograms(path, {"words": [3, 5, 5, 9, 400], "claims": [1, 1, 1]}),
    }.items():
        first, second = draw(tmp_path / "a" / name), draw(tmp_path / "b" / name)
        assert [path.suffix for path in first] == [".svg", ".png"]
        assert all(path.stat().st_size > 2000 for path in first)
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
