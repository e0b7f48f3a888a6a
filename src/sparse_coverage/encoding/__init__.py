"""Texts in, contextual token vectors with character offsets out."""

from sparse_coverage.encoding.load import DEFAULT_ENCODER, load_encoder
from sparse_coverage.encoding.types import Encoder, Tokens, TokenVectors

__all__ = ["DEFAULT_ENCODER", "Encoder", "TokenVectors", "Tokens", "load_encoder"]
