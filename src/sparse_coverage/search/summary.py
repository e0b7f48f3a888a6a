"""What an index holds, counted: documents by country, kind, language and year, passages by section, sizes on disk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.index import IndexStore
from sparse_coverage.index.columns import DATES, TERM_FIELDS
from sparse_coverage.kernels import Mask
from sparse_coverage.search.own_model import MODEL_FOLDER

FIELDS = tuple(name for name, field in TERM_FIELDS.items() if field.counted)


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The counts. `encoded` documents are found by more than their words. `years` are those of publication.

    `undated` documents have no date of publication. Sizes are in bytes.
    """

    documents: int
    encoded: int
    passages: int
    deleted: int
    segments: int
    generation: int
    by: str
    first_date: str
    last_date: str
    undated: int
    years: dict[str, int]
    fields: dict[str, dict[str, int]]
    classes: dict[str, int]
    sections: dict[str, int]
    sizes: dict[str, int]


def summary_of(store: IndexStore) -> IndexSummary:
    """Count what an index holds; deleted documents do not count."""
    dates: list[int] = []
    fields: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    classes: Counter[str] = Counter()
    sections: Counter[str] = Counter()
    for segment in store.segments:
        live = segment.live_documents
        dates += segment.facts.dates[live, DATES.index("publication_date")].tolist()
        seen: dict[str, set[int]] = {}
        for term, documents in _terms(segment.facts, live):
            name, _, value = term.partition("=")
            if name in fields:
                fields[name][value] += len(documents)
            elif name in ("ipc", "cpc"):
                seen.setdefault(value[:4], set()).update(documents)
        classes.update({symbol: len(documents) for symbol, documents in seen.items()})
        counts = np.bincount(segment.sections[segment.live_passages], minlength=len(segment.section_names))
        sections.update(dict(zip(segment.section_names, counts.tolist(), strict=True)))
    known = sorted(date for date in dates if date)
    return IndexSummary(
        documents=store.state.documents,
        encoded=store.state.encoded_documents,
        passages=store.state.passages,
        deleted=sum(entry.deleted_documents for entry in store.state.segments),
        segments=len(store.segments),
        generation=store.state.generation,
        by=str(store.state.about.get("by", "")),
        first_date=_iso(known[0]) if known else "",
        last_date=_iso(known[-1]) if known else "",
        undated=len(dates) - len(known),
        years={str(year): count for year, count in sorted(Counter(date // 10_000 for date in known).items())},
        fields={name: dict(counts.most_common()) for name, counts in fields.items()},
        classes=dict(classes.most_common()),
        sections={name: count for name, count in sections.most_common() if count},
        sizes=_sizes(store.folder),
    )


def _terms(facts: Any, live: Mask) -> Any:
    """Yield the terms that filters look up, each with its live documents."""
    for place, term in enumerate(facts.terms):
        documents = facts.term_documents[facts.term_offsets[place] : facts.term_offsets[place + 1]]
        yield term, documents[live[documents]].tolist()


def _iso(date: int) -> str:
    return f"{date // 10_000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"


def _sizes(folder: Path) -> dict[str, int]:
    """Return the bytes of the segments, the model and each side."""
    places = {"segments": folder / "segments", "model": folder / MODEL_FOLDER}
    places |= {f"{path.name} side": path for path in sorted((folder / "sides").glob("*")) if path.is_dir()}
    return {
        name: sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) for name, place in places.items()
    }
