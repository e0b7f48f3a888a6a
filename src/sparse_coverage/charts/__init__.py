"""Claim charts: which elements of a claim a document discloses, and which few documents disclose all of them."""
