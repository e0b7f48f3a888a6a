"""Patents in: every format, read safely and exactly.

Readers and claims are loaded when they are first used: whoever only searches needs neither.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sparse_coverage.patents.passages import passages, section_text
from sparse_coverage.patents.patent import Claim, Paragraph, Passage, Patent, Problem
from sparse_coverage.patents.xpath import canonical_xpath

if TYPE_CHECKING:
    from sparse_coverage.patents.claims import claim_elements, expand_claim
    from sparse_coverage.patents.reading.context import Limits
    from sparse_coverage.patents.reading.read import read_patents

__all__ = [
    "Claim",
    "Limits",
    "Paragraph",
    "Passage",
    "Patent",
    "Problem",
    "canonical_xpath",
    "claim_elements",
    "expand_claim",
    "passages",
    "read_patents",
    "section_text",
]

_LATER = {
    "claim_elements": "claims",
    "expand_claim": "claims",
    "Limits": "reading.context",
    "read_patents": "reading.read",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
