"""Every option that more than one command has, by topic. None is defined twice; choices come from the registries."""

from sparse_coverage.cli.options.choices import NamesIn, together
from sparse_coverage.cli.options.general import (
    count_option,
    fresh_option,
    index_argument,
    json_option,
    output_option,
    path_option,
    seed_option,
    threads_option,
    weight_bits_option,
)
from sparse_coverage.cli.options.inputs import (
    ProblemLog,
    language_option,
    paths_argument,
    processes_option,
    query_argument,
    read_query,
)

__all__ = [
    "NamesIn",
    "ProblemLog",
    "count_option",
    "fresh_option",
    "index_argument",
    "json_option",
    "language_option",
    "output_option",
    "path_option",
    "paths_argument",
    "processes_option",
    "query_argument",
    "read_query",
    "seed_option",
    "threads_option",
    "together",
    "weight_bits_option",
]
