"""Options of research: the method (encoder, spans, vocabulary), and how a collection is read and worked on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import F, NamesIn, count_option, gathered, path_option, threads_option

if TYPE_CHECKING:
    from sparse_coverage.evaluation.clefip_pool import PoolConfig
    from sparse_coverage.evaluation.collection import Collection
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.vocabulary.sampling import Restriction

preset_option = click.option(
    "--preset",
    type=NamesIn("presets:PRESETS", what="preset"),
    default="default",
    help="How the method is set: default finds more, paper is exactly as published.",
)
runtime_option = click.option(
    "--runtime",
    type=NamesIn("encoding:RUNTIMES", what="runtime"),
    default="auto",
    help="What runs the encoder: openvino on the CPU, torch (extra) on a GPU or for other architectures.",
)
precision_option = click.option(
    "--precision", default="auto", help="auto, fp32, bf16, int8 (openvino) or fp16 (torch)."
)
selection_option = click.option(
    "--selection",
    type=NamesIn("vocabulary.build:SELECTIONS", what="selection"),
    default="farthest-first",
    help="How centers are chosen.",
)
tau_option = click.option("--tau", default=99.0, help="Percentile of the distances in a cell that sets its radius.")
max_documents_option = count_option(
    "--max-documents",
    help="Learn from a sample of this many documents, each publication year in proportion; the paper: 300,000 [all].",
)
years_option = click.option(
    "--years",
    default="",
    help="Learn from documents published in these years only, as 2000-2010; the paper: 2000-2010 [all].",
)
with_text_option = click.option(
    "--with-text",
    is_flag=True,
    help="Learn from no document that has nothing but a title, as German and French ones where English is read.",
)
max_spans_option = count_option(
    "--max-spans",
    help="How many spans to sample the centers from [30 for each center, 300,000 at least; 5,000,000 for the preset paper].",
)


def encoder_option(
    default: str | tuple[str, ...] | None = "minilm",
    help: str = "A known name (see `models`), a local folder or a hub id.",  # noqa: A002
    **settings: Any,
) -> Callable[[F], F]:
    """Return the option that names an encoder."""
    return click.option("--encoder", metavar="NAME", default=default, help=help, **settings)


def unit_option(
    default: str | tuple[str, ...] | None = "token",
    help: str = "What counts as a span; np[spacy] and np+token[spacy] take the noun phrases from spaCy.",  # noqa: A002
    **settings: Any,
) -> Callable[[F], F]:
    """Return the option that names a unit of spans."""
    names = NamesIn("spans.units:UNITS", open=True)
    return click.option("--unit", type=names, default=default, help=help, **settings)


def size_option(help: str, **settings: Any) -> Callable[[F], F]:  # noqa: A002
    """Return the option for the number of centers."""
    return count_option("-V", "--size", help=help, **settings)


POOL = 25_000


@dataclass(frozen=True, slots=True)
class CollectionOptions:
    """How a collection is read: the candidate pool and the queries of CLEF-IP, how documents are cut, and where what was seen is kept."""

    pool: int
    pool_seed: int
    cache: Path
    ancestors: str = "all"
    by: str | None = None

    @property
    def pool_config(self) -> PoolConfig:
        """The pool to draw."""
        from sparse_coverage.evaluation.clefip_pool import PoolConfig

        return PoolConfig(self.pool, seed=self.pool_seed)

    def collection(self, spec: str) -> Collection:
        """Return the collection that the user names."""
        from sparse_coverage.evaluation.loading import load_collection

        ancestors: Any = self.ancestors
        by: Any = self.by
        return load_collection(spec, pool=self.pool_config, cache=self.cache, ancestors=ancestors, by=by)


@dataclass(frozen=True, slots=True)
class Means:
    """What work on a collection is done with: where vocabularies are learned, what encoders compute in, and on how many cores."""

    reading: CollectionOptions
    learn_from: tuple[str, ...]
    max_documents: int | None
    threads: int | None
    years: str = ""
    with_text: bool = False
    precision: str = "auto"
    as_published: bool = False

    def __post_init__(self) -> None:
        if not self.as_published:
            return
        from sparse_coverage.experiments.paper import LEARNED, YEARS

        by = self.reading.by or "title+paragraph"
        object.__setattr__(self, "reading", replace(self.reading, ancestors="independent", by=by))
        if self.learn_from:
            object.__setattr__(self, "years", self.years or YEARS)
            object.__setattr__(self, "with_text", True)
            object.__setattr__(self, "max_documents", self.max_documents or LEARNED)

    def units(self, given: Sequence[str]) -> tuple[str, ...]:
        """Return units as they are, or as the paper has them."""
        from sparse_coverage.experiments.paper import published_unit

        return tuple(map(published_unit, given)) if self.as_published else tuple(given)

    @property
    def only(self) -> Restriction:
        """Which documents vocabularies are learned from. Other documents than the collection's are read in English, as by `fit`."""
        from sparse_coverage.vocabulary.sampling import Restriction

        language = "en" if self.learn_from and (self.years or self.with_text) else ""
        return Restriction(self.years, language, self.with_text)

    def workbench(self, collection: Collection) -> Workbench:
        """Return a workbench on a collection."""
        from sparse_coverage.experiments.bench import Workbench

        settings: dict[str, Any] = {"threads": self.threads, "learn_from": self.learn_from, "only": self.only}
        return Workbench(collection, self.reading.cache, precision=self.precision, **settings)

    def as_typed(self, spec: str) -> str:
        """Return collection and options as typed in a command that shall find the same things."""
        words = [spec, *(word for path in self.learn_from for word in ("--learn-from", path))]
        words += ["--pool", str(self.reading.pool)] if self.reading.pool != POOL else []
        words += ["--pool-seed", str(self.reading.pool_seed)] if self.reading.pool_seed else []
        words += ["--as-published"] if self.as_published else []
        words += ["--by", self.reading.by] if self.reading.by and not self.as_published else []
        words += ["--precision", self.precision] if self.precision != "auto" else []
        return shlex.join(words)


def _default_cache() -> Path:
    from sparse_coverage.experiments.cache import default_cache

    return default_cache()


reading_options = gathered(
    "reading",
    CollectionOptions,
    count_option("--pool", default=POOL, help="CLEF-IP: size of the candidate pool."),
    count_option("--pool-seed", default=0, least=0, help="CLEF-IP: seed of the candidate pool."),
    click.option(
        "--by",
        type=NamesIn("patents.passages:By"),
        help="How documents are cut into passages; title+paragraph adds titles [as the collection says].",
    ),
    path_option(
        "--cache",
        file_okay=False,
        default=_default_cache,
        show_default=False,
        help="Where encodings, vocabularies and indexes are kept [the user's cache].",
    ),
)
bench_options = gathered(
    "means",
    Means,
    click.option(
        "--learn-from",
        multiple=True,
        help="Patents to learn vocabularies from (files, folders; may be repeated) [the collection itself].",
    ),
    max_documents_option,
    precision_option,
    threads_option,
    click.option(
        "--as-published",
        is_flag=True,
        help="The letter of the paper: all encoder tokens, titles as passages, independent ancestors, SciSpaCy's chunks "
        "where installed; of --learn-from, 300,000 documents of 2000-2010 with text.",
    ),
    reading_options,
)
