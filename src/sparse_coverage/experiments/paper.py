"""What the paper reports on CLEF-IP 2013, in percent, and beside which of our rows it may stand.

A value of the paper stands only beside a row of the same system, encoder, unit and V, measured on the paper's collection. Where it
does not, `reason` says what differs, and a note below the table says it too.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from importlib.util import find_spec

from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.experiments.options import Variant

Values = dict[str, float]

BENCHMARK = "clef-ip-2013"
POOL, QUERIES = 25_000, 48
"""How many candidates the paper draws, and how many topics it can use."""
TAGGER = "spacy:en_core_sci_lg"
"""What finds the paper's noun phrases."""
YEARS, LEARNED = "2000-2010", 300_000
"""The paper's vocabularies: English EPO documents of these years, so many of them."""


def published_unit(unit: str) -> str:
    """Return a unit as the paper has it: all encoder tokens, punctuation included, and SciSpaCy's raw chunks where it is installed.

    >>> published_unit("token")
    'all-tokens'
    """
    if unit == "token":
        return "all-tokens"
    installed = find_spec("spacy") is not None and find_spec("en_core_sci_lg") is not None
    return f"{unit}[spacy-raw:en_core_sci_lg]" if unit in ("np", "np+token") and installed else unit


def paper_unit(unit: str) -> str:
    """Return what the paper calls a unit: `token`, `np` or `np+token`."""
    kind = unit.partition("[")[0]
    return "token" if kind == "all-tokens" else kind


FREE = {"encoder", "unit", "size", "seed", "max_documents"}
"""Settings that do not make another configuration: the first three are compared by themselves."""


@cache
def paper_table(name: str) -> dict[str, Values]:
    """Return one of the paper's tables (`main`, `full`, `ablations`, `statistics`): rows of values by column."""
    text = (resources.files("sparse_coverage.experiments") / "paper" / f"{name}.csv").read_text(encoding="utf-8")
    return {
        row.pop("row"): {column: float(value) for column, value in row.items() if value}
        for row in csv.DictReader(text.splitlines())
    }


def other_collection(collection: Collection) -> str:
    """Say how a collection differs from the paper's; nothing where it does not.

    The paper's 25,000 candidates themselves cannot be drawn again: neither its seed nor the shares of its tiers are published.
    """
    if not collection.name.startswith(BENCHMARK):
        return f"the collection is {collection.name}, not CLEF-IP 2013"
    facts = []
    if collection.candidates != POOL:
        facts.append(f"{collection.candidates or 0:,} candidates, not {POOL:,}")
    if len(collection.judged) != QUERIES:
        facts.append(f"{len(collection.judged)} topics, not {QUERIES}")
    return f"the collection has {' and '.join(facts)}" if facts else ""


def reason(row: Variant) -> str:
    """Say why the paper has no value for a row, whatever the collection; nothing where it has one."""
    encoder, unit = known_encoder(row.options.encoder), paper_unit(row.options.unit)
    if row.factor:
        return "the paper has no such setting" if f"{row.factor} {row.setting}" not in paper_table("ablations") else ""
    if row.is_sparse:
        if row.name != "paper":
            return f"the system is {row.name}, not the paper's"
        if changed := sorted(row.options.differences().keys() - FREE):
            return f"other settings ({', '.join(changed)})"
        if not any(name.startswith(f"{encoder} ") for name in paper_table("full")):
            return f"another encoder ({encoder_name(encoder)})"
        if f"{encoder} {unit} {row.options.size}" not in paper_table("full"):
            size = f"{row.options.size:,}" if row.options.size else "by the number of spans"
            return f"another V ({size})"
        return ""
    if row.options.rank != "best":
        return f"documents by {row.options.rank}, not by their best passage"
    if row.name == "colbert":
        return "exact MaxSim, not PLAID over texts cut at 512 tokens"
    if _baseline(row) not in paper_table("main"):
        return f"another encoder ({encoder_name(encoder)})" if row.name == "dense" else f"no {row.name} in the paper"
    return ""


def paper_values(row: Variant, collection: Collection) -> Values:
    """Return what the paper reports for a row measured on this collection; nothing where it has no such row."""
    if reason(row) or other_collection(collection):
        return {}
    if row.factor:
        return paper_table("ablations")[f"{row.factor} {row.setting}"]
    if row.is_sparse:
        unit = paper_unit(row.options.unit)
        return paper_table("full")[f"{known_encoder(row.options.encoder)} {unit} {row.options.size}"]
    return paper_table("main")[_baseline(row)]


def notes_on_the_paper(rows: Sequence[Variant], collection: Collection, *, learned_here: bool) -> tuple[str, ...]:
    """Say which rows the paper's values do not stand beside, and why; and what else differs where they do."""
    if cause := other_collection(collection):
        return (f"Without the paper's values: {cause}.",)
    causes = Counter(why for row in rows if (why := reason(row)))
    notes = []
    if causes:
        listed = "; ".join(f"{cause}: {count:,}" for cause, count in causes.items())
        notes.append(f"Without the paper's values are {causes.total():,} of {len(rows):,} rows: {listed}.")
    beside = [row for row in rows if not reason(row)]
    sparse = [row for row in beside if row.is_sparse]
    if sparse and learned_here:
        notes.append(
            "Vocabularies are learned from the candidates, the paper's from 300,000 EPO documents of 2000 to 2010."
        )
    if others := sorted({tagger for row in sparse if (tagger := _other_tagger(row.options.unit))}):
        notes.append(f"Noun phrases are those of {', '.join(others)}, the paper's those of SciSpaCy (en_core_sci_lg).")
    return tuple(notes)


def papers_ablations(places: set[tuple[str, str, int | None]]) -> str:
    """Say how the configurations that an ablation averages over differ from the paper's twenty; nothing where they do not."""
    ours = {(known_encoder(encoder), paper_unit(unit), size) for encoder, unit, size in places}
    theirs = {
        (encoder, unit, size)
        for encoder in ("paecter", "patentmap")
        for unit in ("token", "np")
        for size in range(10_000, 60_000, 10_000)
    }
    if ours == theirs:
        return ""
    encoders = ", ".join(sorted({encoder_name(encoder) for encoder, _, _ in ours})) or "none"
    return f"the averages here are over {len(ours)} configurations of {encoders}, the paper's over 20 of PaECTER and PatentMap-V0"


def known_encoder(encoder: str) -> str:
    """Return the short name of an encoder that is given by its hub id.

    >>> known_encoder("mpi-inno-comp/paecter")
    'paecter'
    """
    return next((model.name for model in CATALOGUE.values() if encoder == model.hub), encoder)


def _baseline(row: Variant) -> str:
    if row.name == "colbert-plaid":
        return "colbert"
    return f"dense {known_encoder(row.options.encoder)}" if row.name == "dense" else row.name


def _other_tagger(unit: str) -> str:
    """Return what finds a unit's noun phrases, where that is not the paper's."""
    kind, _, tagger = unit.rstrip("]").partition("[")
    if kind in ("token", "all-tokens") or tagger.replace("spacy-raw:", "spacy:") == TAGGER:
        return ""
    return tagger or "our own tagger"


ENCODERS = {
    "bert-for-patents": "BERT-for-Patents",
    "paecter": "PaECTER",
    "patentmap": "PatentMap-V0",
    "specter2": "SPECTER2",
    "minilm": "MiniLM",
}
UNITS = {"token": "enc. tok.", "all-tokens": "all enc. tok.", "np": "NP", "np+token": "NP+tok."}
SYSTEMS = {"bm25": "BM25", "splade": "SPLADE-v2", "colbert": "ColBERTv2", "colbert-plaid": "ColBERTv2 (PLAID)"}


def encoder_name(encoder: str) -> str:
    """Return an encoder's name as printed."""
    return ENCODERS.get(known_encoder(encoder), encoder)


def unit_name(unit: str) -> str:
    """Return a unit's name as printed, with what finds its noun phrases where it is not ours.

    >>> unit_name("np[spacy:en_core_sci_lg]")
    'NP (spacy:en_core_sci_lg)'
    """
    kind, _, tagger = unit.rstrip("]").partition("[")
    name = UNITS.get(kind, kind)
    return f"{name} ({tagger})" if tagger else name


def model_name(row: Variant) -> str:
    """Return what the column "Model" says of a row."""
    if row.name == "dense" or row.is_sparse:
        name = encoder_name(row.options.encoder)
        return name if row.name in ("dense", "paper") else f"{name} ({row.name})"
    return SYSTEMS.get(row.name, row.name)
