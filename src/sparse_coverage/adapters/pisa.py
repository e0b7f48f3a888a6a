"""An exported index in PISA (extra [pisa]): a CIFF file turned into the files that `pyterrier-pisa` opens.

`PisaIndex.from_ciff` does the same where the package `pyciff` is installed, which has no wheels and is compiled with Rust.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.files import new_folder
from sparse_coverage.formats.ciff import open_ciff
from sparse_coverage.kernels import Array
from sparse_coverage.progress import tracked

META = {"type": "sparse_index", "format": "pisa", "package_hint": "pyterrier-pisa", "stemmer": "none"}


def open_ciff_in_pisa(ciff: str | Path, folder: str | Path) -> Any:
    """Write a CIFF file as a PISA index into a new folder and return it as a `PisaIndex`.

        pisa = open_ciff_in_pisa("my-ciff/index.ciff", "my-pisa")
        ranked = pisa.quantized(toks_scale=1.0)(frame_with_qid_and_query_toks)

    Its scorer is `quantized`, the plain dot product; query weights go into the column `query_toks` as dictionaries, and must
    be whole numbers, as `queries.jsonl` has them: PISA repeats a term as often as it weighs, and cuts off what is behind the
    point.
    """
    try:
        pisa: Any = import_module("pyterrier_pisa")
    except ImportError:
        raise MissingExtraError("Opening an index in PISA", "pisa") from None
    with new_folder(Path(folder)) as partial:
        write_pisa(Path(ciff), partial)
        for text, lexicon in (("fwd.documents", "fwd.doclex"), ("fwd.terms", "fwd.termlex")):
            pisa._pisathon.build_binlex(str(partial / text), str(partial / lexicon))
        (partial / "pt_meta.json").write_text(json.dumps(META), encoding="utf-8")
    return pisa.PisaIndex(str(folder), stemmer="none", stops="none")


def write_pisa(ciff: Path, folder: Path) -> None:
    """Write PISA's uncompressed index: sequences of 32-bit numbers, each preceded by its length.

    `inv.docs` (first the number of documents), `inv.freqs` and `inv.sizes`; terms and documents as lines in `fwd.terms` and
    `fwd.documents`.
    """
    with (
        open_ciff(ciff) as (header, lists, documents),
        (folder / "inv.docs").open("wb") as docs,
        (folder / "inv.freqs").open("wb") as impacts,
        (folder / "fwd.terms").open("w", encoding="utf-8", newline="\n") as terms,
    ):
        _put(docs, np.asarray([header.documents]))
        for one in tracked(lists, "PISA takes lists", header.lists):
            terms.write(f"{one.term}\n")
            _put(docs, one.documents)
            _put(impacts, one.impacts)
        read = list(documents)
    with (folder / "inv.sizes").open("wb") as sizes:
        _put(sizes, np.asarray([document.length for document in read]))
    (folder / "fwd.documents").write_text("".join(f"{document.id}\n" for document in read), encoding="utf-8")


def _put(out: BinaryIO, numbers: Array) -> None:
    out.write(np.concatenate(([len(numbers)], numbers)).astype("<u4").tobytes())
