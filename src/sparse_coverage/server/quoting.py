"""Answers for an assistant, which is to quote: short, and each quotation with the id of its passage and its offsets in it.

The offsets of a quotation count characters of the passage's text as `read_passage` gives it, from 0; the end is not included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparse_coverage.charts.chart import strength
from sparse_coverage.search.stored import require_document
from sparse_coverage.workspace import OpenIndex
from sparse_coverage.workspace.related import public_links

_KNOWN = ("publication_date", "priority_date", "applicants", "ipc")


def found_documents(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a search: documents, and of each the passages that were found, with the phrases that matched."""
    documents = [
        {
            "document": hit["document"],
            "title": hit["title"],
            "score": round(hit["score"], 3),
            **known(hit["metadata"]),
            "links": public_links(hit["document"]),
            "passages": [_quoted(passage, answer["reasons"].get(passage["id"])) for passage in hit["passages"]],
        }
        for hit in answer["hits"]
    ]
    return {"documents": documents, "notes": answer["notes"]}


def charted(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim chart: elements, and of each what every document has for it, in the words of the document."""
    columns = [
        {
            "document": column["id"],
            "title": column["title"],
            "share": round(column["share"], 3),
            **known(column["metadata"]),
        }
        for column in answer["documents"]
    ]
    rows = [
        {
            "label": element["label"],
            "element": element["text"],
            "cells": [
                {
                    "document": cell["document"],
                    "verdict": cell["verdict"],
                    "evidence": strength(cell["evidence"]),
                    "quotations": [
                        {name: quote[name] for name in ("passage", "number", "start", "end", "text")}
                        for quote in cell["quotes"]
                    ],
                    "missing": [place["text"] for place in cell["missing"]],
                }
                for cell in row
            ],
        }
        for element, row in zip(answer["elements"], answer["cells"], strict=True)
    ]
    return {"documents": columns, "elements": rows, "about": answer["about"]}


def passage_and_neighbours(opened: OpenIndex, id_: str, around: int) -> dict[str, Any]:
    """Return a passage by id, or the first of a document, and so many passages before and after it."""
    store = opened.store
    number = store.find_passage(id_)
    document = require_document(store, id_ if number is None else store.passage(number).document)
    own = store.passages_of(document)
    place = own.start if number is None else number
    record = store.document(document)
    shown = range(max(own.start, place - around), min(own.stop, place + around + 1))
    return {
        "document": record.id,
        "title": record.title,
        **known(record.metadata),
        "links": public_links(record.id),
        "passages": [
            {
                "passage": one.id,
                "section": one.section,
                "number": one.number,
                "start": 0,
                "end": len(one.text),
                "text": one.text,
            }
            for one in map(store.passage, shown)
        ],
        "before": shown.start - own.start,
        "after": own.stop - shown.stop,
    }


def known(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what one cites a document with."""
    return {name: metadata[name] for name in _KNOWN if metadata.get(name)}


def _quoted(passage: Mapping[str, Any], reasons: Mapping[str, Any] | None) -> dict[str, Any]:
    phrases = [reason["passage"] for reason in (reasons or {}).get("phrases", ())]
    return {
        "passage": passage["id"],
        "section": passage["section"],
        "number": passage["number"],
        "score": round(passage["score"], 3),
        "start": 0,
        "end": len(passage["text"]),
        "text": passage["text"],
        "matched": [{"start": one["start"], "end": one["end"], "text": one["text"]} for one in phrases],
    }
