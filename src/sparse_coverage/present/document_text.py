"""A document in full for people: title, facts, abstract, description with its printed numbers, claims; matches marked."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from sparse_coverage.index import PassageRecord
from sparse_coverage.present.places import listed, printed_number
from sparse_coverage.search.results import Reasons
from sparse_coverage.workspace import ReadResult
from sparse_coverage.workspace.links import public_links

_SECTIONS = {
    "title+abstract": "Title and abstract",
    "abstract": "Abstract",
    "translation": "In other languages",
    "description": "Description",
    "claims": "Claims",
}
_FACTS = {
    "publication_date": "published", "priority_date": "priority", "application_date": "filed", "applicants": "applicants",
    "inventors": "inventors", "ipc": "IPC", "cpc": "CPC", "family": "family", "family_members": "family members",
    "citations": "cites", "language": "language", "source": "read from",
}  # fmt: skip


def document_text(result: ReadResult) -> Group:
    """Return the document; passages that a claim found have their rank and score before them, their phrases stand out."""
    document = result.document
    lines: list[RenderableType] = [Text.assemble((document.id, "bold"), f"  {document.title}")]
    lines += [
        Text.assemble((f"{name}: ", "dim"), listed(document.metadata[key]))
        for key, name in _FACTS.items()
        if document.metadata.get(key)
    ]
    lines += [Text.assemble((f"{name}: ", "dim"), link) for name, link in public_links(document.id).items()]
    ordered = sorted(result.explanations, key=lambda id_: -result.explanations[id_].score)
    ranks = {id_: rank for rank, id_ in enumerate(ordered, 1)}
    section = ""
    for passage in result.passages:
        if passage.section != section:
            section = passage.section
            lines.append(Text(f"\n{_SECTIONS.get(section, section.capitalize())}", style="bold underline"))
        score = result.explanations[passage.id].score if passage.id in ranks else 0.0
        lines.append(_passage(passage, result.reasons(passage), ranks.get(passage.id), score))
    return Group(*lines)


def _passage(passage: PassageRecord, reasons: Reasons | None, rank: int | None, score: float) -> Text:
    number = printed_number(passage.section, passage.number)
    text, shown = Text(f"{number} " if number else ""), Text(passage.text)
    if reasons is not None:
        text.append(f"▶ match {rank}, {score:.3f}  ", style="green")
        for reason in reasons.phrases:
            shown.stylize("bold yellow", reason.passage.start, reason.passage.end)
    return text.append_text(shown)
