"""Studies over collections: systems evaluated, the tables and figures of the paper reproduced, nothing computed twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparse_coverage.package import lazy_names

if TYPE_CHECKING:
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.experiments.comparison import Output, Results, evaluate
    from sparse_coverage.experiments.evaluation import Evaluation
    from sparse_coverage.experiments.options import Variant
    from sparse_coverage.experiments.sweep import split_queries

__all__ = ["Evaluation", "Output", "Results", "Variant", "Workbench", "evaluate", "split_queries"]

__getattr__ = lazy_names(
    __name__,
    {
        "bench": "Workbench",
        "comparison": "Output Results evaluate",
        "evaluation": "Evaluation",
        "options": "Variant",
        "sweep": "split_queries",
    },
)
