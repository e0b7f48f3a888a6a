"""Patents in: every format, read safely and exactly.

Readers and claims are loaded when they are first used: whoever only searches needs neither.
"""

from typing import TYPE_CHECKING

from sparse_coverage.later import loaded_later
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

__getattr__ = loaded_later(
    __name__,
    {"claims": "claim_elements expand_claim", "reading.context": "Limits", "reading.read": "read_patents"},
)
