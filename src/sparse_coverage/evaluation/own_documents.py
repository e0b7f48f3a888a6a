"""Queries that are documents of the corpus, as in a collection of patents and their citations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sparse_coverage.evaluation.exclusions import Families
from sparse_coverage.patents import Patent


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """Title and text of a query, to be found again in the document it was taken from."""

    title: str
    text: str

    @property
    def joined(self) -> str:
        """The query: title and text, whichever there are."""
        return "\n".join(part for part in (self.title, self.text) if part)

    def is_from(self, patent: Patent) -> bool:
        """Tell whether a document of the same id is where the query comes from: it has its title or its text."""
        title, text = " ".join(self.title.split()), " ".join(self.text.split())
        own = " ".join(" ".join(part.text for part in patent.abstract).split())
        return bool(title and title == patent.title) or bool(text and text == own)


def own_families(
    queries: Mapping[str, OwnDocument], documents: Callable[[], Iterator[Patent]]
) -> dict[str, frozenset[str]]:
    """Return, for each query that is a document, that document and its family.

    Such a query has the id of a document and its title or text; equal ids alone say nothing (Cranfield's queries 1, 2, 3
    are not its documents 1, 2, 3).
    """
    own = {patent.id: patent for patent in documents() if patent.id in queries and queries[patent.id].is_from(patent)}
    if not own:
        return {}
    families = Families(documents())
    return {id_: families.of(patent) for id_, patent in own.items()}
