"""CLEF-IP 2013, claims to passages: topics, judgements, the candidate pool, and whether it is all there."""

from sparse_coverage.evaluation.clefip.distribution import (
    ClefIp,
    Finding,
    Layout,
    check,
    find_layout,
    is_clefip,
    read_clefip,
)
from sparse_coverage.evaluation.clefip.pool import Pool, PoolConfig, Surveyed, sample_pool, survey
from sparse_coverage.evaluation.clefip.topics import (
    ClefIpTopic,
    Judgement,
    read_judgements,
    read_topics,
    relevance_by_topic,
    topic_claims,
    topic_document,
    topic_query,
)

__all__ = [
    "ClefIp",
    "ClefIpTopic",
    "Finding",
    "Judgement",
    "Layout",
    "Pool",
    "PoolConfig",
    "Surveyed",
    "check",
    "find_layout",
    "is_clefip",
    "read_clefip",
    "read_judgements",
    "read_topics",
    "relevance_by_topic",
    "sample_pool",
    "survey",
    "topic_claims",
    "topic_document",
    "topic_query",
]
