"""Patents in: every format, read safely and exactly."""

from sparse_coverage.patents.claims import claim_elements, expand_claim
from sparse_coverage.patents.passages import passages, section_text
from sparse_coverage.patents.patent import Claim, Paragraph, Passage, Patent, Problem
from sparse_coverage.patents.reading.context import Limits
from sparse_coverage.patents.reading.read import read_patents
from sparse_coverage.patents.xpath import canonical_xpath

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
