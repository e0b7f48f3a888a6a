"""What the paper reports on CLEF-IP 2013, in percent, to stand beside our values; and encoders, units and systems as it prints them."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

from sparse_coverage.experiments.definition import Row
from sparse_coverage.experiments.systems import is_sparse

Values = dict[str, float]


@cache
def paper_table(name: str) -> dict[str, Values]:
    """Return one of the paper's tables (`main`, `full`, `ablations`, `statistics`): rows of values by column."""
    text = (resources.files("sparse_coverage.experiments") / "paper" / f"{name}.csv").read_text(encoding="utf-8")
    return {
        row.pop("row"): {column: float(value) for column, value in row.items() if value}
        for row in csv.DictReader(text.splitlines())
    }


def paper_values(row: Row) -> Values:
    """Return what the paper reports for a configuration; nothing where it has no such row."""
    if row.factor:
        return paper_table("ablations").get(f"{row.factor} {row.setting}", {})
    if is_sparse(row.system):
        if row.options.differences().keys() - {"encoder", "unit", "size", "seed", "max_documents"}:
            return {}
        return paper_table("full").get(f"{row.options.encoder} {row.options.unit} {row.options.size}", {})
    return paper_table("main").get(f"dense {row.options.encoder}" if row.system == "dense" else row.system, {})


ENCODERS = {
    "bert-for-patents": "BERT-for-Patents",
    "paecter": "PaECTER",
    "patentmap": "PatentMap-V0",
    "specter2": "SPECTER2",
    "minilm": "MiniLM",
}
UNITS = {"token": "enc. tok.", "np": "NP", "np+token": "NP+tok."}
SYSTEMS = {"bm25": "BM25", "splade": "SPLADE-v2", "colbert": "ColBERTv2"}


def encoder_name(encoder: str) -> str:
    """Return an encoder's name as printed."""
    return ENCODERS.get(encoder, encoder)


def unit_name(unit: str) -> str:
    """Return a unit's name as printed."""
    return UNITS.get(unit, unit)


def model_name(row: Row) -> str:
    """Return what the column "Model" says of a row."""
    if row.system == "dense" or is_sparse(row.system):
        name = encoder_name(row.options.encoder)
        return name if row.system in ("dense", "paper") else f"{name} ({row.system})"
    return SYSTEMS.get(row.system, row.system)
