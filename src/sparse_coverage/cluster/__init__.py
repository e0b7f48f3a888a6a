"""Building on a Ray cluster (extra `[ray]`): the same vocabulary and the same index as on one machine, sooner."""

from sparse_coverage.cluster.connection import Cluster, ClusterError, connect
from sparse_coverage.cluster.fitting import fit_on_cluster
from sparse_coverage.cluster.indexing import build_on_cluster

__all__ = ["Cluster", "ClusterError", "build_on_cluster", "connect", "fit_on_cluster"]
