"""How results were made: versions and machine, and a paragraph for a paper's section on methods with the works it cites."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from sparse_coverage.experiments.cache import code_key
from sparse_coverage.experiments.evaluation import stamped
from sparse_coverage.experiments.options import SystemOptions, Variant, is_sparse, reads
from sparse_coverage.experiments.paper import FREE, SYSTEMS, encoder_name, known_encoder, unit_name
from sparse_coverage.experiments.sweep import Result
from sparse_coverage.kernels import usable_cores
from sparse_coverage.package import __version__
from sparse_coverage.present.tables import escaped
from sparse_coverage.systems import system_of

_PACKAGES = ("numpy", "numba", "openvino", "tokenizers", "bm25s", "ir-measures", "matplotlib", "torch", "transformers")
_SETTINGS = {"k": "$K={}$", "alpha": r"$\alpha={}$", "gamma": r"$\gamma={}$", "rho": r"$\rho={}$", "tau": r"$\tau={}$"}
_DEPARTURES = {
    "assignment": "{} assignment",
    "common": "the mean and {} common direction removed from spans",
    "repeats": "a center that $n$ spans of a query activate counted $n^{{{}}}$ times",
    "passage_repeats": "the weight of a center that $n$ spans of a passage activate taken to the power $1/n^{{{}}}$",
    "smoothing": "{} added to the number of spans that divides weights",
    "rank": "documents ranked by {}",
    "learn": "centers learned from {}",
}
"""Settings in which a row may leave the published method, and how that is said."""


_TITLES = {
    **SYSTEMS,
    "paper": "Sparse Coverage as published",
    "default": "Sparse Coverage (preset default)",
    "dense": "dense retrieval",
    "combined": "the sum of Sparse Coverage, BM25 and dense retrieval, each scaled to 0..1 (combined)",
}


def surroundings() -> dict[str, Any]:
    """Return versions and machine."""
    return {
        "sparse-coverage": __version__,
        "code": code_key("."),
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "machine": {"system": platform.platform(), "processor": _processor(), "cores": usable_cores()},
    }


def methods(result: Result, about: dict[str, Any]) -> tuple[str, str]:
    """Write down what was run, on what, with which seeds and versions: every word from the configuration.

    Return the paragraph, in LaTeX, and the BibTeX entries that it cites.
    """
    rows = result.definition.rows
    cited = ["sparse-coverage"]
    parts = [_collection(about, cited)]
    if rows:
        parts.append(_systems(result, cited))
        sparse = [row for row in rows if row.is_sparse]
        if sparse:
            parts.append(_vocabularies(sparse, about, cited))
    if result.rows:
        parts.append(_statistics(result, about, cited))
    machine, packages = about["machine"], ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    parts.append(
        f"All runs used sparse-coverage {about['sparse-coverage']} (code {about['code']}) under Python {about['python']} "
        f"({escaped(packages)}) on "
        f"{escaped(machine['processor'])} with {machine['cores']} cores{_precisions(rows, about)}."
    )
    text = "% Every statement is taken from configuration.json; see references.bib for the works cited.\n" + "\n".join(
        parts
    )
    return text + "\n", bibliography(cited)


def _precisions(rows: Sequence[Variant], about: dict[str, Any]) -> str:
    """Say what the encoders of some rows computed in: it moves values as another seed does."""
    used = dict.fromkeys(row.options.encoder for row in rows if "encoder" in row.reads)
    known = {name: about["encoders"][name]["precision"] for name in used if name in about["encoders"]}
    said = [f"{escaped(encoder_name(name))} in {escaped(precision)}" for name, precision in known.items()]
    return f", {_listed(said)}" if said else ""


def bibliography(keys: Sequence[str]) -> str:
    """Return the BibTeX entries of some works, in the order of the file."""
    text = (resources.files("sparse_coverage.experiments") / "references.bib").read_text(encoding="utf-8")
    entries = {match[1]: match[0] for match in re.finditer(r"@\w+\{([\w-]+),.*?\n\}\n", text, re.DOTALL)}
    return "\n".join(entry for key, entry in entries.items() if key in keys)


def _cite(cited: list[str], *keys: str) -> str:
    cited += [key for key in keys if key not in cited]
    return f"~\\cite{{{','.join(keys)}}}"


def _collection(about: dict[str, Any], cited: list[str]) -> str:
    name = about["collection"]
    source = _cite(cited, "clef-ip-2013") if name.startswith("clef-ip-2013") else ""
    text = (
        f"We evaluate on {escaped(name)}{source}: {about['queries']} judged queries, {about['documents']:,} documents"
    )
    kind = {"document": "each indexed as one text"}.get(
        about["by"], f"cut by {about['by']} into {about['passages']:,} passages"
    )
    return f"{text}, {kind}."


def _systems(result: Result, cited: list[str]) -> str:
    rows = result.definition.rows
    named = []
    for system in dict.fromkeys(row.name for row in rows):
        mine = [row.options for row in rows if row.name == system]
        encoders = list(dict.fromkeys(known_encoder(one.encoder) for one in mine)) if "encoder" in reads(system) else []
        known = [key for key in encoders if key in ("minilm", "bert-for-patents", "paecter", "patentmap", "specter2")]
        with_encoders = f" with {_listed([encoder_name(one) for one in encoders])}" if encoders else ""
        title = _title(system, mine)
        works = (
            *(row.cited if (row := system_of(system)) else ()),
            *(("sparse-coverage",) if is_sparse(system) else ()),
            *known,
        )
        named.append(f"{escaped(title)}{escaped(with_encoders)}{_cite(cited, *works) if works else ''}")
    return f"The systems are {_listed(named)}."


def _vocabularies(rows: Sequence[Variant], about: dict[str, Any], cited: list[str]) -> str:
    options = [row.options for row in rows]
    units = _listed([escaped(unit_name(unit)) for unit in dict.fromkeys(one.unit for one in options)])
    sizes = sorted({one.size for one in options if one.size})
    learned = about["learned_from"]
    source = (
        "the collection itself" if isinstance(learned, str) else ", ".join(escaped(Path(one).name) for one in learned)
    )
    restricted = "".join(f" ({escaped(note)})" for note in about.get("restricted", []))
    ways = list(dict.fromkeys(one.selection for one in options))
    traversal = _cite(cited, "gonzalez1985") if "farthest-first" in ways else ""
    selections = _listed([escaped(one) for one in ways])
    text = f"Vocabularies of {units} are learned from {source}{restricted} by {selections} selection{traversal}"
    if sizes:
        listed = ", ".join(f"{size:,}".replace(",", "{,}") for size in sizes)
        text += f", $V={listed}$" if len(sizes) == 1 else f", $V\\in\\{{{listed}\\}}$"
    if any(one.unit.endswith("en_core_sci_lg]") for one in options):
        text += f"; noun phrases by SciSpaCy{_cite(cited, 'scispacy')}"
    by_system = {
        _title(row.name, [o.options for o in rows if o.name == row.name]): _fixed(
            [o.options for o in rows if o.name == row.name]
        )
        for row in rows
    }
    said = {values for values in by_system.values() if values}
    if len(by_system) == 1 or (len(said) == 1 and all(by_system.values())):
        return "; ".join([text, *said]) + "."
    return "; ".join([text, *(f"{escaped(name)}: {values}" for name, values in by_system.items() if values)]) + "."


def _title(system: str, options: Sequence[SystemOptions]) -> str:
    """Return what a system is called; "as published" only where every row of it is."""
    departures = sorted({name for one in options for name in one.differences()} - FREE)
    if system == "paper" and departures:
        return f"Sparse Coverage (as published but for {_listed(departures)})"
    return _TITLES.get(system, system)


def _fixed(options: Sequence[SystemOptions]) -> str:
    """Return the settings that all of some rows share: the numbers of the published method, then every departure from it."""
    shared = {
        name: values.pop()
        for name in (*_SETTINGS, *_DEPARTURES)
        if len(values := {getattr(one, name) for one in options}) == 1
    }
    said = [form.format(f"{shared[name]:g}") for name, form in _SETTINGS.items() if name in shared]
    plain = SystemOptions()
    for name, form in _DEPARTURES.items():
        if name in shared and shared[name] != getattr(plain, name):
            value = shared[name]
            said.append(form.format(f"{value:g}" if isinstance(value, int | float) else escaped(str(value))))
    return ", ".join(said)


def _statistics(result: Result, about: dict[str, Any], cited: list[str]) -> str:
    seeds = about["seeds"]
    spread = "the mean" if result.definition.split else "mean and standard deviation"
    listed = f"the seeds {seeds[0]} to {seeds[-1]}, of which we give {spread}" if len(seeds) > 1 else ""
    text = f"Vocabularies were drawn with {listed or f'seed {seeds[0]}'}. "
    used = [one for one in result.rows.values() if not one.failure]
    if sizes := stamped(used, "V"):
        text += f"They have {_between(sizes)} centers, chosen from {_between(stamped(used, 'spans'))} spans. "
    if (split := result.definition.split) is not None:
        if isinstance(split.tuned, float):
            part = f"{100 * split.tuned:g}\\,\\% of the queries (seed {split.seed})"
        else:
            part = f"{len(split.tuned)} named queries"
        text += f"Settings were chosen by {escaped(split.measure)} on {part} and are reported on the others. "
    if depths := {one.depth for one in used if one.depth}:
        text += f"The first {_between(sorted(depths))} documents of each ranking count. "
    text += f"Intervals are 95\\,\\% percentile bootstrap intervals over queries (10{{,}}000 resamples){_cite(cited, 'bootstrap')}"
    if any("PRES" in column for column in result.table.columns):
        text += f"; PRES follows{_cite(cited, 'pres')}"
    if result.comparisons:
        tests = _cite(cited, "randomisation-test")
        text += f"; differences were tested with paired randomisation tests{tests}, corrected after Holm{_cite(cited, 'holm1979')}"
    return f"{text}."


def _between(numbers: Sequence[int | None]) -> str:
    known = [number for number in numbers if number is not None]
    ends = dict.fromkeys(f"{number:,}".replace(",", "{,}") for number in (known[0], known[-1]))
    return "--".join(ends)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
