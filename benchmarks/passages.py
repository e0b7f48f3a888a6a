"""How long passages are: paragraphs as a file has them, and passages as they are indexed.

python benchmarks/passages.py path/to/fulltext/corpus.jsonl path/to/pap2pat/papers-to-patents/documents.jsonl
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from sparse_coverage.patents import passages, read_patents
from sparse_coverage.patents.passages import LONGEST, By

CUTS: tuple[By, ...] = ("paragraph", "passage")


def main() -> None:
    columns = (
        "by",
        "documents",
        "passages",
        "longest",
        "median",
        f"over {LONGEST} words",
        "words in these",
        "under 10",
    )
    table = Table("collection", *columns, title="Words a passage")
    for path in sys.argv[1:]:
        patents = list(read_patents(path, on_problem=lambda problem: None))
        for by in CUTS:
            sizes = np.array([len(one.text.split()) for patent in patents for one in passages(patent, by=by)])
            long = sizes > LONGEST
            table.add_row(
                "/".join(Path(path).parts[-2:]), by, f"{len(patents):,}", f"{len(sizes):,}", f"{sizes.max():,}",
                f"{np.median(sizes):.0f}", f"{long.mean():.1%}", f"{sizes[long].sum() / sizes.sum():.1%}",
                f"{(sizes < 10).mean():.1%}",
            )  # fmt: skip
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
