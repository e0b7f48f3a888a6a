"""Options of the method: encoder, spans, vocabulary, activation. Defaults are those of the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from sparse_coverage.cli.options import F, NamesIn, count_option

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
