from __future__ import annotations

import csv
import re
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest

from sparse_coverage.experiments.evaluation import tells_apart
from sparse_coverage.experiments.figures import (
    COLORS,
    COLUMN,
    PAGE,
    FigurePoint,
    _looks,
    draw_curves,
    draw_differences,
    draw_histograms,
    draw_scatter,
)
from sparse_coverage.present.tables import Table, TableCell, latex_table

TABLE = Table(
    "small",
    "A & B",
    ("Model", "V", "R@100"),
    (
        ("BM25", "–", TableCell(50.0, 85.9, (40.0, 60.0))),
        ("x_y|z", "2,000", TableCell(None, 10.0)),
        ("only", "5", TableCell(1.234)),
    ),
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


def test_latex_is_booktabs_with_its_characters_escaped() -> None:
    text = latex_table(TABLE)
    assert text.count("\\toprule") == text.count("\\midrule") == text.count("\\bottomrule") == 1
    assert "A \\& B" in text
    assert "x\\_y" in text
    assert "100 \\% invented" in text
    assert "{\\scriptsize (85.90, $-$35.90)}" in text


def test_latex_knows_every_special_character() -> None:
    text = latex_table(Table("t", "t", ("a",), (("{a}~b^c\\d|e<f>",),)))
    assert (
        r"\{a\}\textasciitilde{}b\textasciicircum{}c\textbackslash{}d\textbar{}e\textless{}f\textgreater{} \\" in text
    )


def test_the_terminal_says_each_group_once() -> None:
    table = Table(
        "t",
        "t",
        ("Group", "R@100"),
        (("A", TableCell(1.0)), ("A", TableCell(2.0)), ("B", TableCell(3.0)), ("A", TableCell(4.0))),
    )
    assert list(table.rich().columns[0].cells) == ["A", "", "B", "A"]


def test_html_escapes_and_tells_the_interval() -> None:
    text = TABLE.html()
    assert "40.00 to 60.00" in text
    assert "<script" not in Table("t", "t", ("a",), (("<script>",),)).html()


def test_latex_marks_the_best_and_the_second_and_says_groups_once() -> None:
    """Three groups as headings, the best value bold, the second underlined, among equal ones all of them."""
    rows = (
        ("A", "x", TableCell(10.0)),
        ("A", "y", TableCell(30.001)),
        ("B", "z", TableCell(30.0)),
        ("B", "w", TableCell(20.0, 19.0)),
    )
    text = latex_table(Table("t", "t", ("Group", "Model", "R@100"), rows, best=(2,)))
    assert text.count("\\textit{A}") == text.count("\\textit{B}") == 1
    assert text.count("\\textbf{30.00}") == 2  # equal as printed
    assert "\\underline{20.00} {\\scriptsize (19.00, +1.00)}" in text
    assert "z & \\textbf{30.00}" in text
    assert "\\begin{tabular}{@{}lr@{}}" in text
    plain = Table("t", "t", ("Model", "R@100"), (("x", TableCell(10.0)), ("y", TableCell(30.0))))
    assert "textbf{30" not in latex_table(plain)


def test_a_caption_ends_as_its_title_does() -> None:
    for title, caption in (("How many?", r"\caption{How many?"), ("Main results", r"\caption{Main results.")):
        assert f"{caption}}}" in latex_table(Table("t", title, ("Model", "MAP"), (("x", TableCell(1.0)),)))


def test_the_best_of_a_factor_is_the_best_within_it() -> None:
    rows = (
        ("a", "1", TableCell(1.0)),
        ("a", "2", TableCell(2.0)),
        ("b", "1", TableCell(5.0)),
        ("b", "2", TableCell(9.0)),
    )
    table = Table("t", "t", ("Factor", "Setting", "R"), rows, best=(2,), within=0)
    assert table.leaders(2) == {0: 2, 1: 1, 2: 2, 3: 1}
    assert table.leaders(1) == {}
    assert "**2.00**" in table.markdown()
    assert "**5.00**" not in table.markdown()
    assert latex_table(table).count("\\midrule") == 2


def test_a_table_wider_than_a_column_takes_both_and_numbers_are_aligned_to_the_right() -> None:
    few = Table(
        "t", "t", ("Model", "V/d", "R@100"), (("BM25", "–", TableCell(1.0)), ("MiniLM", "2,000", TableCell(2.0)))
    )
    assert "\\begin{table}\n" in latex_table(few)
    assert "{@{}lrr@{}}" in latex_table(few)  # V is a count, though it is written as a text
    names = ("Encoder", "Unit", "V", "Median radius", "Activation rate", "Posting-list skew")
    wide = Table("t", "t", names, (("MiniLM", "NP+tok.", "2,000", TableCell(1.0), TableCell(2.0), TableCell(3.0)),))
    assert "\\begin{table*}\n" in latex_table(wide)


def test_latex_says_a_factor_once() -> None:
    rows = (("alpha", "0", TableCell(10.0)), ("alpha", "1", TableCell(30.0)), ("gamma", "0", TableCell(20.0)))
    text = latex_table(Table("t", "t", ("Factor", "Setting", "MAP"), rows, best=(2,), within=0))
    assert text.count("alpha") == text.count("gamma") == 1
    assert "\n & 1 & \\textbf{30.00}" in text


def test_spread_and_significance_stand_beside_a_value_in_every_format() -> None:
    cell = TableCell(79.0, 80.0, (70.0, 85.0), deviation=0.42, p=0.01)
    table = Table("t", "t", ("Model", "R@100"), (("x", cell), ("y", TableCell(1.0, p=0.2))))
    assert "79.00±0.42† (80.00, -1.00)" in table.markdown()
    assert "79.00$\\pm$0.42$^{\\dagger}$" in latex_table(table)
    [row, other] = csv.DictReader(table.csv().splitlines())
    assert (row["R@100 deviation"], row["R@100 p"]) == ("0.42", "0.01")
    assert other["R@100 deviation"] == ""
    assert "1.00†" not in table.markdown()


def test_an_encoder_has_one_color_in_every_figure_whatever_else_is_in_it() -> None:
    alone = _looks([("PaECTER", "NP")])
    among = _looks([("MiniLM", "NP"), ("BM25", ""), ("my-encoder", "NP"), ("PaECTER", "NP"), ("PaECTER", "enc. tok.")])
    assert alone["PaECTER", "NP"] == among["PaECTER", "NP"]
    assert among["PaECTER", "enc. tok."][0] == COLORS["PaECTER"]
    assert len({color for color, _, _ in among.values()}) == 4
    assert among["my-encoder", "NP"][0] not in COLORS.values()


FIGURES = {
    "curves": (PAGE, lambda path: draw_curves(path, {"one": CURVES, "two": CURVES}, "V", log_x=True)),
    "curve": (COLUMN, lambda path: draw_curves(path, {"one": CURVES}, "V")),
    "scatter": (COLUMN, lambda path: draw_scatter(path, MANY, "postings scanned per query", "R@100")),
    "histograms": (PAGE, lambda path: draw_histograms(path, {"words": [3, 5, 5, 9, 400], "claims": [1, 1, 1]})),
    "differences": (COLUMN, lambda path: draw_differences(path, {"a": 2.0, "b": -1.0, "c": 0.0}, "MAP: x minus y")),
}
CURVES = {
    ("MiniLM", unit): [FigurePoint(10.0, 1.0, (0.5, 1.5)), FigurePoint(20.0, 2.0)] for unit in ("NP", "enc. tok.")
}
MANY = {(f"encoder {e}", f"unit {u}"): [FigurePoint(10.0 * e + 1, u + 1.0)] for e in range(3) for u in range(3)}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_pdf_svg_and_png_at_the_width_of_a_column_or_a_page_and_the_same_each_time(
    tmp_path: Path, name: str
) -> None:
    pytest.importorskip("matplotlib")
    width, draw = FIGURES[name]
    first = draw(tmp_path / "a" / name)
    assert [path.suffix for path in first] == [".pdf", ".svg", ".png"]
    assert all(path.stat().st_size > 2000 for path in first)
    if name == "curve":
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in draw(tmp_path / "b" / name)]
    points = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", first[0].read_bytes())
    assert points
    assert float(points[1]) == pytest.approx(72 * width, abs=1)


LONG = {
    (f"BERT-for-Patents {n}", u): [FigurePoint(1.0, 2.0, (1.0, 3.0))]
    for n in range(3)
    for u in ("NP", "NP+tok.", "dense")
}
STRANGE = {("my/encoder", f"NP (spacy:en_core_sci_lg-{n})"): [FigurePoint(1.0, 1.0)] for n in range(4)}
CROWDED = {
    "curves": lambda path: draw_curves(path, dict.fromkeys(("R@100", "MAP", "PRES@100"), LONG), "vocabulary size V"),
    "curve": lambda path: draw_curves(path, {"R@100": LONG}, "vocabulary size V"),
    "scatter": lambda path: draw_scatter(path, {**LONG, ("BM25", ""): [FigurePoint(9.0, 1.0)]}, "postings per query", "R@100"),
    "strange": lambda path: draw_scatter(path, STRANGE, "x", "y"),
    "near": lambda path: draw_scatter(path, {("BM25", ""): [FigurePoint(400.0 * 1.2**n, 1.0 * n) for n in range(15)]}, "x", "y"),
    "differences": lambda path: draw_differences(path, {f"PSG-{n}": n - 9.0 for n in range(25)}, "MAP: " + "long words " * 12),
    "histograms": lambda path: draw_histograms(path, {"words per query": [3, 5, 4000], "claims per query": [1, 2, 30]}),
}  # fmt: skip


@pytest.mark.parametrize("name", CROWDED)
def test_no_word_of_a_figure_is_cut_off_or_printed_over_another(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measured as it is printed, with names as long as the paper's."""
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr("sparse_coverage.experiments.figures._save", lambda plots, figure, path: drawn.append(figure))
    CROWDED[name](tmp_path / name)
    [figure] = drawn
    figure.canvas.draw()
    held = figure.get_tightbbox()  # of all that is drawn, in inches
    assert min(held.x0, held.y0) >= -0.01
    assert held.x1 <= figure.get_figwidth() + 0.01
    assert held.y1 <= figure.get_figheight() + 0.01
    legends = [*figure.legends, *(axis.get_legend() for axis in figure.axes if axis.get_legend())]
    words = [word for legend in legends for word in legend.get_texts()]
    for axis in figure.axes:
        words += [axis.xaxis.label, axis.yaxis.label, axis._left_title]
        for one in (axis.xaxis, axis.yaxis):
            low, high = sorted(one.get_view_interval())
            ticks = [*one.get_major_ticks(), *one.get_minor_ticks()]
            words += [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]  # others are hidden
    boxes = [(word.get_text(), word.get_window_extent()) for word in words if word.get_text()]
    for (said, one), (also, other) in combinations(boxes, 2):
        width, height = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)
        assert width <= 1 or height <= 1, (said, also)


def test_panels_have_letters_and_text_is_large_enough_to_read(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = FIGURES["curves"][1](tmp_path / "curves")[1].read_text(encoding="utf-8")
    assert "(a) one" in text
    assert "(b) two" in text
    matplotlib = pytest.importorskip("matplotlib")
    kinds = ("font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")
    assert min(matplotlib.rcParams[kind] for kind in kinds) >= 7


@pytest.mark.parametrize(
    ("measure", "tells"),
    [
        ("R@10", False), ("R@9", True), ("P@10", False), ("Success@12", False), ("P@5", True),
        ("RBP@10", True), ("SDCG@10", True), ("RR@10", True), ("MAP", True), ("nDCG@10", True),
    ],
)  # fmt: skip
def test_a_measure_of_the_whole_collection_tells_nothing_apart_unless_it_counts_the_order(measure, tells):
    found = [SimpleNamespace(values={measure: {}}, means=lambda value=value: {measure: value}) for value in (0.1, 0.2)]
    assert tells_apart(measure, found, (10, 1000)) == tells
