"""Claims: split, numbered, with their dependencies and elements."""

from sparse_coverage.patents.claims.elements import ClaimElement, added_elements, claim_elements, without_reference
from sparse_coverage.patents.claims.splitting import (
    as_amended,
    begins_with_number,
    expand_claim,
    is_cancelled,
    make_claims,
    missing_parents,
    numbered_claims,
    referenced_claims,
    split_claims,
)

__all__ = [
    "ClaimElement",
    "added_elements",
    "as_amended",
    "begins_with_number",
    "claim_elements",
    "expand_claim",
    "is_cancelled",
    "make_claims",
    "missing_parents",
    "numbered_claims",
    "referenced_claims",
    "split_claims",
    "without_reference",
]
