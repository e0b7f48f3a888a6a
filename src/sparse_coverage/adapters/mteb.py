"""Sparse Coverage in MTEB's retrieval tasks (extra [mteb]): the search interface of mteb 2."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.model import SparseCoverage
from sparse_coverage.package import __version__
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.patents.patent import passage_xpath
from sparse_coverage.search import Index, ScoringConfig

try:
    from mteb.models.model_meta import ModelMeta
except ImportError:
    raise MissingExtraError("The MTEB adapter", "mteb") from None


class SparseCoverageSearch:
    """Learns a vocabulary from each task's corpus, indexes it by document, and searches it.

        import mteb
        from sparse_coverage.adapters.mteb import SparseCoverageSearch

        mteb.evaluate(SparseCoverageSearch(size=10_000), mteb.get_tasks(["SciFact"]))

    With a `model` that was fitted elsewhere, nothing is learned from the corpus. Only texts, and no reranking: a task that
    hands over candidates is refused.
    """

    def __init__(
        self,
        *,
        model: SparseCoverage | None = None,
        encoder: str | Encoder = DEFAULT_ENCODER,
        size: int | None = None,
        scoring: ScoringConfig | None = None,
        seed: int = 0,
    ) -> None:
        self._model = model
        self._encoder = encoder
        self._size = size
        self._scoring = scoring
        self._seed = seed
        self._index: Index | None = None

    @property
    def mteb_model_meta(self) -> Any:
        """What MTEB notes beside results."""
        encoder = self._encoder if isinstance(self._encoder, str) else self._encoder.name
        named = encoder if self._model is None else self._model.encoder.name
        name = f"sparse-coverage/{named.replace('/', '-')}"
        return ModelMeta.create_empty({"name": name, "revision": __version__, "framework": []})

    def index(self, corpus: Iterable[Mapping[str, Any]], **_: Any) -> None:
        """Index a corpus of `id`, `title` and `text`."""
        patents = [_patent(row) for row in corpus]
        model = self._model or SparseCoverage.fit(patents, encoder=self._encoder, size=self._size, seed=self._seed)
        folder = Path(tempfile.mkdtemp(prefix="sparse-coverage-mteb-"))
        # The index lives as long as this object, or until the next corpus takes its place.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._index = Index.build(folder / "index", model, patents, by="document", scoring=self._scoring)

    def search(
        self, queries: Iterable[Mapping[str, Any]], *, top_k: int, top_ranked: Any = None, **_: Any
    ) -> dict[str, dict[str, float]]:
        """Return the scores of the best documents of each query."""
        if self._index is None:
            raise InputError("There is no corpus yet: call index before search.")
        if top_ranked is not None:
            raise InputError("This task hands over candidates to rerank, which this adapter does not do.")
        rows = list(queries)
        found = self._index.search([str(row["text"]) for row in rows], top_k, passages=1)
        return {
            str(row["id"]): {hit.document: hit.score for hit in hits} for row, hits in zip(rows, found, strict=True)
        }


def _patent(row: Mapping[str, Any]) -> Patent:
    title = " ".join(str(row.get("title") or "").split())
    body = " ".join(str(row.get("text") or row.get("body") or "").split())
    text = (Paragraph(body, passage_xpath("abstract", "p", 1)),) if body else ()
    return Patent(id=str(row["id"]), title=title, abstract=text, format="mteb")
