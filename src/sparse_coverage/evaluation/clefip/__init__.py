"""CLEF-IP 2013, claims to passages: topics, judgements, the candidate pool, and whether it is all there."""

from sparse_coverage.evaluation.clefip.check import Finding, check
from sparse_coverage.evaluation.clefip.collection import ClefIp, read_clefip
from sparse_coverage.evaluation.clefip.layout import Layout, find_layout, is_clefip
from sparse_coverage.evaluation.clefip.pool import Pool, PoolConfig, sample_pool
from sparse_coverage.evaluation.clefip.survey import Surveyed, survey
from sparse_coverage.evaluation.clefip.topics import (
    Judgement,
    Topic,
    read_judgements,
    read_topics,
    relevance_by_topic,
    topic_claims,
    topic_document,
    topic_query,
)

__all__ = [
    "ClefIp",
    "Finding",
    "Judgement",
    "Layout",
    "Pool",
    "PoolConfig",
    "Surveyed",
    "Topic",
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
