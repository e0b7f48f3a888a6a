"""Names for people: encoders, units and measures as the paper prints them."""

from __future__ import annotations

from sparse_coverage.experiments.definition import Row
from sparse_coverage.experiments.systems import is_sparse

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
