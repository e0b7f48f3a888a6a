"""A document in full for people: title, facts, abstract, description with its printed numbers, claims; matches marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from sparse_coverage.index import DocumentRecord, IndexStore, PassageRecord
from sparse_coverage.present.links import public_links
from sparse_coverage.present.places import listed
from sparse_coverage.search import Index
from sparse_coverage.search.results import Explanation, Place, Reasons
from sparse_coverage.search.stored import require_document, stored_passages

_SECTIONS = {
    "title+abstract": "Title and abstract",
    "abstract": "Abstract",
    "description": "Description",
    "claims": "Claims",
}
_FACTS = {
    "publication_date": "published", "priority_date": "priority", "application_date": "filed", "applicants": "applicants",
    "inventors": "inventors", "ipc": "IPC", "cpc": "CPC", "family": "family", "family_members": "family members",
    "citations": "cites", "language": "language", "source": "read from",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """A document with all its passages in order, and explanations of those that a claim found, by passage id."""

    document: DocumentRecord
    passages: Sequence[PassageRecord]
    explanations: Mapping[str, Explanation] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        document = self.document
        texts = {passage.id: passage.text for passage in self.passages}
        matched = {
            id_: {"score": one.score, "reasons": _moved(one.reasons, _offset(texts[id_], one))}
            for id_, one in self.explanations.items()
        }
        return {
            "document": document.id,
            "title": document.title,
            "metadata": dict(document.metadata),
            "links": public_links(document.id),
            "passages": self.passages,
            "matched": matched,
        }


def read_document(store: IndexStore, id_: str, index: Index | None, claim: str, matches: int) -> Reading:
    """Return a document in full; with the index that searches it, also why its passages are found that score best."""
    number = require_document(store, id_)
    passages = stored_passages(store, number)
    if index is None:
        return Reading(store.document(number), passages)
    # A paragraph that was cut is explained by its best piece, whose places are set off by what stands before it.
    return Reading(store.document(number), passages, index.explain_best(claim, id_, matches))


def reading_text(reading: Reading) -> Group:
    """Return the document; passages that a claim found have their rank and score before them, their phrases stand out."""
    document = reading.document
    lines: list[RenderableType] = [Text.assemble((document.id, "bold"), f"  {document.title}")]
    lines += [
        Text.assemble((f"{name}: ", "dim"), listed(document.metadata[key]))
        for key, name in _FACTS.items()
        if document.metadata.get(key)
    ]
    lines += [Text.assemble((f"{name}: ", "dim"), link) for name, link in public_links(document.id).items()]
    ordered = sorted(reading.explanations, key=lambda id_: -reading.explanations[id_].score)
    ranks = {id_: rank for rank, id_ in enumerate(ordered, 1)}
    section = ""
    for passage in reading.passages:
        if passage.section != section:
            section = passage.section
            lines.append(Text(f"\n{_SECTIONS.get(section, section.capitalize())}", style="bold underline"))
        lines.append(_passage(passage, reading.explanations.get(passage.id), ranks.get(passage.id)))
    return Group(*lines)


def _passage(passage: PassageRecord, explanation: Explanation | None, rank: int | None) -> Text:
    text = Text(_number(passage))
    if explanation is not None:
        text.append(f"▶ match {rank}, {explanation.score:.3f}  ", style="green")
    shown = Text(passage.text)
    if explanation is not None:
        offset = _offset(passage.text, explanation)
        for reason in explanation.reasons.phrases:
            shown.stylize("bold yellow", offset + reason.passage.start, offset + reason.passage.end)
    return text.append_text(shown)


def _offset(text: str, explanation: Explanation) -> int:
    """Return where in a paragraph the piece of it begins that was explained."""
    return max(text.find(explanation.passage.text), 0)


def _moved(reasons: Reasons, offset: int) -> Reasons:
    """Return reasons whose places in the passage are so many characters further on."""
    if not offset:
        return reasons
    phrases = tuple(
        replace(one, passage=Place(one.passage.text, one.passage.start + offset, one.passage.end + offset))
        for one in reasons.phrases
    )
    return replace(reasons, phrases=phrases)


def _number(passage: PassageRecord) -> str:
    if passage.number and passage.section == "claims":
        return f"{passage.number}. "
    return f"[{passage.number}] " if passage.number else ""
