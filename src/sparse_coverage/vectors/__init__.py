"""Spans and a vocabulary in, sparse vectors with provenance out."""

from sparse_coverage.vectors.activation import (
    ActivationConfig,
    Activations,
    SparseVector,
    Traced,
    activate,
    aggregate,
    trace,
)

__all__ = ["ActivationConfig", "Activations", "SparseVector", "Traced", "activate", "aggregate", "trace"]
