"""Options of `engine`: which foreign search server, where it is, and what it is asked."""

from __future__ import annotations

import click

from sparse_coverage.cli.options.choices import NamesIn, together

engine_options = together(
    click.option(
        "--to",
        "engine",
        type=click.Choice(["qdrant", "milvus"]),
        required=True,
        help="Which engine: an extra of the same name installs its client.",
    ),
    click.option(
        "--url",
        "urls",
        multiple=True,
        required=True,
        help="Its address, or a milvus-lite file (*.db). Repeat it for the nodes of a Qdrant cluster.",
    ),
    click.option("--collection", default="patents", show_default=True, help="The name of the collection there."),
    click.option("--api-key", envvar="SPARSE_COVERAGE_ENGINE_KEY", help="The key or token, where one is needed."),
    click.option("--patience", default=60.0, show_default=True, help="Seconds to go on trying while a node is away."),
)
flavor_option = click.option(
    "--for", "flavor", type=NamesIn("engines.bulk:Flavor", what="engine"), required=True, help="Which engine."
)
baked_gamma_option = click.option(
    "--gamma",
    type=float,
    help="Exponent of the length normalisation, which becomes part of the vectors [that of the model].",
)
