"""A whole search, from the number of a patent to reports in Word and PDF that say the same."""

from __future__ import annotations

import io

import pytest


def test_from_a_number_to_a_report_in_word_and_pdf(keeping):
    docx, pypdf = pytest.importorskip("docx"), pytest.importorskip("pypdf")
    pytest.importorskip("reportlab")
    project = keeping.post("/v1/projects", json={"name": "Whole"}).json()["head"]["id"]
    ready = keeping.post("/v1/indexes/devices/prepare", json={"text": "EP 1000012", "form": {}}).json()
    elements = [{"label": one["label"], "text": one["text"]} for one in ready["elements"]]
    search = {"query": ready["text"], "k": 5, "filters": ready["filters"], "elements": elements}
    told = f"the {ready['date']} of {ready['publication']}"
    body = {"index": "devices", "search": search, "automatic": ready["automatic"]}
    found = keeping.post(f"/v1/projects/{project}/searches", json=body).json()["view"]
    assert found["told"] == "5 shown of 9"
    first, second, *_ = (hit["document"] for hit in found["hits"])
    for id_, mark in ((first, "relevant"), (second, "not")):
        path = f"/v1/projects/{project}/marks/devices/{id_}"
        assert keeping.put(path, json={"mark": mark, "note": f"a note on {id_}", "version": 0}).status_code == 200
    chart = {"claim": ready["charted"], "documents": [first, second], "elements": elements}
    made = keeping.post(f"/v1/projects/{project}/charts", json={"index": "devices", "chart": chart})
    assert made.status_code == 200, made.text

    word = docx.Document(io.BytesIO(keeping.get(f"/v1/projects/{project}/report.docx").content))
    cells = [cell.text for one in word.tables for row in one.rows for cell in row.cells]
    in_word = " ".join(" ".join([*(one.text for one in word.paragraphs), *cells]).split())
    pages = pypdf.PdfReader(io.BytesIO(keeping.get(f"/v1/projects/{project}/report.pdf").content)).pages
    in_pdf = " ".join(" ".join(page.extract_text() for page in pages).split())
    said = [
        told,
        "5 shown of 9",
        first,
        f"a note on {first}",
        f"a note on {second}",
        "paragraph [000",
        "no proof of novelty",
    ]
    for words in [*said, *(one["label"] for one in elements)]:
        assert words in in_word, words
        assert words.replace(" ", "") in in_pdf.replace(" ", ""), words
