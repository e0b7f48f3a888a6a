"""Scanned pages: words with their spaces, columns in order, the page as the place."""

from __future__ import annotations

import difflib
import io
from pathlib import Path

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Problem, read_patents
from sparse_coverage.patents.readers.pdf_file import Box, in_reading_order, wanted_pages

COLUMNS = (
    [
        "the valve comprises a housing",
        "with an inlet and an outlet",
        "wherein a plunger is biased",
        "by a spring against a seat",
    ],
    [
        "the pressure chamber is closed",
        "through a passage which damps",
        "the movement of the armature",
        "and reduces its noise",
    ],
)


def line(left: float, middle: float, text: str, width: float = 400) -> Box:
    return Box(left, left + width, middle, 30, text, 0.9)


def test_two_columns_are_read_one_after_the_other_without_the_numbers_between_them() -> None:
    boxes = [line(420, 10, "US 6,543,210 B2", 200)]
    for column, lines in enumerate(COLUMNS):
        boxes += [line(100 + 520 * column, 60 + 40 * n, text) for n, text in enumerate(lines)]
    boxes.append(Box(545, 575, 100, 30, "5", 0.9))
    assert [one.text for one in in_reading_order(boxes)] == ["US 6,543,210 B2", *COLUMNS[0], *COLUMNS[1]]


def numbered_page() -> list[Box]:
    """Two columns of 12 lines, numbered 3 and 4, with 5 and 10 between them."""
    boxes = [line(290, 20, "3", 20), line(810, 20, "4", 20)]
    for column in range(2):
        boxes += [line(100 + 520 * column, 60 + 40 * n, f"column {column} line {n + 1} of text") for n in range(12)]
    return [*boxes, Box(545, 575, 60 + 40 * 4, 30, "5", 0.9), Box(545, 575, 60 + 40 * 9, 30, "10", 0.9)]


def test_printed_numbers_of_columns_and_lines_are_places() -> None:
    lines = in_reading_order(numbered_page())
    assert [(one.text, one.place) for one in lines[:2]] == [
        ("column 0 line 1 of text", "column 3, line 1"),
        ("column 0 line 2 of text", "column 3, line 2"),
    ]
    assert lines[-1] == ("column 1 line 12 of text", "column 4, line 12")


def test_one_column_is_read_from_top_to_bottom() -> None:
    boxes = [line(100, 60 + 40 * n, text, 900) for n, text in enumerate(COLUMNS[0])]
    assert [one.text for one in in_reading_order(boxes[::-1])] == COLUMNS[0]


def test_pages_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Pages are 'all', or numbers"):
        wanted_pages("some", 3)
    with pytest.raises(InputError, match="Pages are 'all', or numbers"):
        read_patents(tmp_path, ocr="some")


def test_a_scan_with_noise_and_skew_is_read(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr_onnxruntime", reason="the extra [ocr] is not installed")
    pytest.importorskip("pypdfium2", reason="the extra [ocr] is not installed")
    np = pytest.importorskip("numpy")
    image_module = pytest.importorskip("PIL.Image")
    draw_module = pytest.importorskip("PIL.ImageDraw")
    serif = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"
    font = pytest.importorskip("PIL.ImageFont").truetype(str(serif), 28)
    page = image_module.new("L", (1100, 300), 255)
    draw = draw_module.Draw(page)
    for column, lines in enumerate(COLUMNS):
        for number, text in enumerate(lines):
            draw.text((60 + 540 * column, 40 + 50 * number), text, font=font, fill=0)
    page = page.rotate(0.6, fillcolor=255, resample=image_module.Resampling.BICUBIC)
    noisy = np.asarray(page) + np.random.default_rng(3).normal(0, 15, (300, 1100))
    made = io.BytesIO()
    image_module.fromarray(noisy.clip(0, 255).astype("uint8")).save(made, "PDF", resolution=200)
    path = tmp_path / "EP1234567A1.pdf"
    path.write_bytes(made.getvalue())
    problems: list[Problem] = []
    assert list(read_patents(path, on_problem=problems.append)) == []
    assert "--ocr all" in problems[0].cause
    notes: list[Problem] = []
    [patent] = read_patents(path, ocr="all", on_note=notes.append)
    assert (patent.id, patent.format) == ("EP-1234567-A1", "PDF by OCR")
    assert {paragraph.number for paragraph in patent.description} == {"page 1"}
    wanted = " ".join(text for lines in COLUMNS for text in lines).split()
    got = " ".join(paragraph.text for paragraph in patent.description).split()
    same = difflib.SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in same) >= 0.98 * len(wanted), " ".join(got)
    assert "mean confidence" in notes[0].cause
