"""Spans and a vocabulary in, sparse vectors with provenance out."""

from sparse_coverage.vectors.activation import Activations, activate
from sparse_coverage.vectors.aggregation import aggregate
from sparse_coverage.vectors.sparse_vector import ActivationConfig, SparseVector

__all__ = ["ActivationConfig", "Activations", "SparseVector", "activate", "aggregate"]
