"""Patents in: every format, read safely and exactly.

Readers and claims are loaded when they are first used: whoever only searches needs neither.
"""

from typing import TYPE_CHECKING

from sparse_coverage.package import lazy_names
from sparse_coverage.patents.passages import passages, section_text
from sparse_coverage.patents.patent import Claim, Paragraph, Passage, Patent, Problem, canonical_xpath

if TYPE_CHECKING:
    from sparse_coverage.patents.claims import claim_elements, expand_claim
    from sparse_coverage.patents.reading.context import Limits, raise_problem
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
    "raise_problem",
    "read_patents",
    "section_text",
]

__getattr__ = lazy_names(
    __name__,
    {
        "claims": "claim_elements expand_claim",
        "reading.context": "Limits raise_problem",
        "reading.read": "read_patents",
    },
)
