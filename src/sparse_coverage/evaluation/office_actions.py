"""Collections made of what examiners wrote: FiNE-Patents (EPO search opinions) and PANORAMA (USPTO rejections).

Neither is shipped. FiNE-Patents is a folder `packaged` with a folder for each application (`breakdown.json`, `cited_patent.json`, …);
PANORAMA's tasks PAR4PC and PI4PC are files of rows, as JSON lines or parquet. Its third task, NOC4PC, asks for a verdict and not
for documents, so it is no collection.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Collection, Query, Relevance, judged_notes, spelled
from sparse_coverage.evaluation.trec import read_json_lines
from sparse_coverage.files import read_json
from sparse_coverage.patents import Claim, Paragraph, Patent
from sparse_coverage.patents.numbers import printed_id
from sparse_coverage.patents.patent import passage_id, passage_xpath

Level = Literal["feature", "claim"]
BREAKDOWN, CITED, REJECTED, METADATA = "breakdown.json", "cited_patent.json", "rejected_patent.json", "metadata.json"
_PLACES = {"paragraph": ("description", "p"), "claim": ("claims", "claim"), "abstract": ("abstract", "p")}


def is_fine_patents(folder: Path) -> bool:
    """Tell whether a folder holds applications as FiNE-Patents packages them."""
    return folder.is_dir() and next(folder.glob(f"*/{BREAKDOWN}"), None) is not None


def read_fine_patents(folder: Path, *, split: str = "test", level: Level = "feature") -> Collection:
    """Read one split of FiNE-Patents: features of claim 1 as queries, and the passages of the cited patent that disclose each.

    Or, by `claim`, the whole claim with the passages of all its features. Every cited patent of the split is a candidate, so
    documents can be ranked too; MAP(D) tells how well the passages of the right one are.
    """
    queries: list[Query] = []
    judgements: dict[str, Relevance] = {}
    patents: dict[str, Patent] = {}
    spellings: list[str] = []
    unplaced = 0
    for place in sorted(path.parent for path in folder.glob(f"*/{BREAKDOWN}")):
        if split != _record(place / METADATA).get("split"):
            continue
        cited = _record(place / CITED)
        number = str(cited.get("publication_number") or f"{place.name}-cited")
        patent = _patent(printed_id(number), cited, "fine-patents")
        patents.setdefault(patent.id, patent)
        spellings.append(number)
        found: dict[str, frozenset[str]] = {}
        for position, feature in enumerate(_record(place / BREAKDOWN).get("breakdown") or [], 1):
            passages = [_passage(patent.id, one) for one in feature.get("prior_art_passages", [])]
            unplaced += passages.count("")
            if ids := frozenset(filter(None, passages)):
                found[f"{place.name}-{position}"] = ids
                if level == "feature":
                    queries.append(Query(f"{place.name}-{position}", str(feature["feature"])))
        if level == "claim" and found:
            claims = _record(place / REJECTED).get("claims") or [""]
            queries.append(Query(place.name, str(claims[0] or ""), claims=1))
            found = {place.name: frozenset().union(*found.values())}
        judgements |= {query: Relevance({patent.id: 1}, {patent.id: ids}) for query, ids in found.items()}
    if not queries:
        raise InputError(f"{folder}: no application of the split '{split}' links a feature to a passage.")
    notes = judged_notes(tuple(queries), judgements)
    if unplaced:
        notes.append(f"{unplaced} links to figures, pages and the like are left out")
    return Collection(
        f"fine-patents {split} {level}s",
        lambda: iter(patents.values()),
        tuple(queries),
        judgements,
        "paragraph",
        notes=tuple(notes),
        candidates=len(patents),
        own_ids=lambda: spelled(spellings),
    )


def is_panorama(path: Path) -> bool:
    """Tell whether a file is called as a task of PANORAMA: `par4pc….jsonl`, or `PAR4PC/test.parquet`."""
    return path.suffix in (".jsonl", ".parquet") and _task(path) is not None


def read_panorama(path: Path) -> Collection:
    """Read a task of PANORAMA from a file of rows. A query chooses among its own options, as in the benchmark.

    PAR4PC: a claim and eight patents (title, abstract, claims), one or more of which were cited against it. PI4PC: a claim and
    five paragraphs of one patent, one of which was cited. What was cited against another claim (`silver`) is no candidate, so it
    counts neither for nor against a ranking. P@1 is the share of right first choices, Rprec that of right sets of that size.
    """
    task = _task(path)
    queries: dict[str, Query] = {}
    judgements: dict[str, Relevance] = {}
    choices: dict[str, frozenset[str]] = {}
    documents: dict[str, Patent] = {}
    for number, row in enumerate(_rows(path), 1):
        try:
            options: Mapping[str, Any] = _value(row["options"])
            claim = _claim(_value(row["context"])["claims"], int(row["claim_number"]))
            if task == "par4pc":
                read = {letter: _value(option) for letter, option in options.items() if option}
                kept = {letter: _patent(str(one["patent_id"]), one, "panorama") for letter, one in read.items()}
            else:
                of = str(_value(row["prior_art_specification"])["patent_id"])
                kept = {str(key): _paragraph(of, str(key), text) for key, text in options.items() if text}
            gold, silver = (_answers(row.get(f"{name}_answers")) for name in ("gold", "silver"))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: row {number} is none of {str(task).upper()} ({error!r}).") from None
        name = f"{row['application_number']}-{row['claim_number']}"
        id_ = name if task == "par4pc" else f"{name}-{of}"
        if id_ in queries:
            id_ = f"{id_}-{number}"
        queries[id_] = Query(id_, claim, claims=1)
        documents |= {one.id: one for one in kept.values() if one.id not in documents}
        choices[id_] = frozenset(one.id for letter, one in kept.items() if letter not in silver)
        judgements[id_] = Relevance({kept[letter].id: 1 for letter in gold if letter in kept})
    return Collection(
        f"panorama {task} {path.stem}",
        lambda: iter(documents.values()),
        tuple(queries.values()),
        judgements,
        "document",
        notes=(*judged_notes(tuple(queries.values()), judgements), "each query chooses among its own options"),
        candidates=len(documents),
        choices=choices,
    )


def _task(path: Path) -> str | None:
    named = f"{path.parent.name}/{path.name}".lower()
    return next((task for task in ("par4pc", "pi4pc") if task in named), None)


def _record(path: Path) -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict):
        raise InputError(f"{path}: expected an object.")
    return found


def _patent(id_: str, record: Mapping[str, Any], source: str) -> Patent:
    """Make a patent of lists of texts; a missing one leaves its number to itself."""
    description = enumerate(record.get("description") or [], 1)
    claims = enumerate(record.get("claims") or [], 1)
    abstract = str(record.get("abstract") or "")
    return Patent(
        id=id_,
        title=str(record.get("title") or ""),
        abstract=(Paragraph(abstract, passage_xpath("abstract", "p", 1)),) if abstract else (),
        description=tuple(Paragraph(text, passage_xpath("description", "p", n)) for n, text in description if text),
        claims=tuple(Claim(n, str(text), passage_xpath("claims", "claim", n)) for n, text in claims if text),
        format=source,
    )


def _passage(document: str, link: Mapping[str, Any]) -> str:
    """Return the id of the passage that a link names; nothing where it names a figure, a page or the like."""
    kind, number = link["reference"]
    if kind not in _PLACES:
        return ""
    return passage_id(document, passage_xpath(*_PLACES[kind], int(number or 1)))


def _paragraph(patent: str, key: str, text: Any) -> Patent:
    return Patent(
        id=f"{patent}-{key}", abstract=(Paragraph(str(text), passage_xpath("abstract", "p", 1)),), format="panorama"
    )


def _claim(claims: Any, number: int) -> str:
    """Return a claim by its number, from texts that begin with it, or from records that have it."""
    listed = list(claims)
    for claim in listed:
        if isinstance(claim, Mapping) and str(claim.get("claimNumber", claim.get("claim_number"))) == str(number):
            return str(claim.get("text") or claim.get("claimText") or "")
        if isinstance(claim, str) and claim.lstrip().startswith(f"{number}."):
            return claim.lstrip().removeprefix(f"{number}.").strip()
    if not 0 < number <= len(listed) or not isinstance(listed[number - 1], str):
        raise ValueError(f"there is no claim {number}")
    return str(listed[number - 1])


def _value(field: Any) -> Any:
    """Return what a field holds; parquet files keep some as JSON."""
    return json.loads(field) if isinstance(field, str) else field


def _answers(field: Any) -> frozenset[str]:
    """Return answers given as a list, or as letters and keys between commas."""
    listed: Iterable[Any] = field.replace(",", " ").split() if isinstance(field, str) else field or []
    return frozenset(str(one) for one in listed)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.suffix == ".jsonl":
        yield from (row for _, row in read_json_lines(path))
        return
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise InputError(
            f"{path}: reading parquet needs the package pyarrow. Install it with: pip install pyarrow"
        ) from None
    for batch in parquet.ParquetFile(path).iter_batches(256):
        yield from batch.to_pylist()
