"""Texts in, contextual token vectors with character offsets out."""

from sparse_coverage.encoding.encoder import Encoder, Tokens, TokenVectors
from sparse_coverage.encoding.load import DEFAULT_ENCODER, load_encoder

__all__ = ["DEFAULT_ENCODER", "Encoder", "TokenVectors", "Tokens", "load_encoder"]
