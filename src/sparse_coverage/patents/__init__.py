"""Patents in: every format, read safely and exactly."""

from sparse_coverage.patents.claims.elements import claim_elements
from sparse_coverage.patents.claims.splitting import expand_claim
from sparse_coverage.patents.passages import passages, section_text
from sparse_coverage.patents.patent import Claim, Paragraph, Passage, Patent, Problem
from sparse_coverage.patents.reading.read import read_patents
from sparse_coverage.patents.xpath import canonical_xpath

__all__ = [
    "Claim",
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
