"""Spans and a vocabulary in, sparse vectors with provenance out."""

from sparse_coverage.vectors.activation import Activations, activate
from sparse_coverage.vectors.sparse_vector import ActivationConfig, SparseVector
from sparse_coverage.vectors.tracing import Traced, aggregate, trace

__all__ = ["ActivationConfig", "Activations", "SparseVector", "Traced", "activate", "aggregate", "trace"]
