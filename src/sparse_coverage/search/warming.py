"""Compiles every kernel for the arrays that users have, so that processes started afterwards only load the code."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from sparse_coverage.index.pages import GuardedArray, page_sums
from sparse_coverage.index.passage_parts import pack_vectors
from sparse_coverage.index.postings import (
    EVERYTHING,
    Lists,
    Postings,
    PostingsBuffer,
    PostingsScorer,
    live_frequencies,
    merge_postings,
)
from sparse_coverage.kernels import dense as dense_kernels
from sparse_coverage.kernels import postings as list_kernels
from sparse_coverage.kernels.choosing import is_compiled, marker, use
from sparse_coverage.kernels.dense import best_products
from sparse_coverage.kernels.scoring import add_word, best_documents
from sparse_coverage.kernels.screening import fill_limits
from sparse_coverage.kernels.tagging import tag_words
from sparse_coverage.progress import waiting
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.points import Centers, Points, quantise


def warm_up() -> bool:
    """Compile every kernel, unless that was done before; tell whether the code could be kept for other processes."""
    if is_compiled():
        return True
    before = use("machine")
    try:
        with waiting("Compiling"):
            for step in (compile_dense, compile_lists):
                with interrupts_held():
                    step()
    finally:
        use(before)
    try:
        marker().parent.mkdir(parents=True, exist_ok=True)
        marker().touch()
    except OSError:
        return False
    return True


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let an interrupt wait until the end: raised in the middle of compiling, it would end in a callback of the compiler, unheard."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


def warm_up_in_background() -> None:
    """Compile every kernel at a low priority, unless another process does so already."""
    path = marker().with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path, timeout=0):
            if hasattr(os, "nice"):
                os.nice(10)
            warm_up()
    except (Timeout, OSError):
        return


def frozen(array: Any) -> Any:
    """The same array as it comes from a mapped file: Numba compiles for it once more."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def compile_dense() -> None:
    """Compile what works on dense vectors."""
    rows = np.random.default_rng(0).normal(size=(40, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for points in (rows, rows.astype(np.float16), frozen(rows.astype(np.float16))):
        farthest_first(Points(points), 20, threads=1)
    packed = Centers.of(rows)
    nearest_centers(rows, packed, threads=1, quiet=True)
    distances, limits = np.ones(40, np.float32), np.zeros(48, np.int32)
    for points, radii in ((rows, distances), (frozen(rows), frozen(distances))):
        dense_kernels.canonical_distance(points[0], points[1])
        fill_limits(radii, packed.margin, limits)
        shared = points, quantise(points), packed.rows, packed.panels, radii, limits, packed.margin
        dense_kernels.cover(*shared, np.zeros((40, 2), np.int32), np.ones((40, 2), np.float32))
        dense_kernels.count_covering_centers(*shared, np.zeros(40, np.int64))


def compile_lists() -> None:
    """Compile what works on inverted lists, and the tagger."""
    one = np.zeros(1, np.int32)
    vector = SparseVector(one, np.full(1, 0.5, np.float32), one, one, one + 1, 1, 0)
    everyone, nobody = np.ones(1, bool), np.zeros(1, bool)
    scores, starts = np.ones(5, np.float32), np.array([0, 2, 5])
    buffer = PostingsBuffer(1)
    buffer.add(buffer.prepare(vector))
    made = buffer.build()
    for packed in (made.packed, frozen(made.packed)):
        read = Postings(made.offsets, packed, made.spans if packed is made.packed else frozen(made.spans), made.far)
        guarded = GuardedArray(packed, page_sums(made.packed), Path("postings.bin"))
        guarded.check_runs(made.offsets, np.zeros(1, np.int64))
        guarded.check_all()
        scorer = PostingsScorer([Lists(made.offsets, guarded, 1)], np.ones(1), np.ones(1, np.float32))
        scorer.score(vector, EVERYTHING, range(1), scores[:1])
        scorer.best(vector, EVERYTHING, range(1), 1)
        merge_postings([(read, np.zeros(1, np.int64))], 1)
        live_frequencies(read, nobody)
    list_kernels.spread(np.array([0, 1], np.uint32), everyone, nobody.copy())
    for wide in (np.zeros(1, np.uint32), frozen(np.zeros(1, np.uint32))):
        list_kernels.postings_of(wide, np.uint32(0), np.zeros(1, np.int64))
    for taken in (1, 2):
        best_documents(scores, starts, taken, 1, EVERYTHING)
    whole = pack_vectors(np.ones((1, 8), np.float32))
    for scales in (whole.scales, frozen(whole.scales)):
        best_products(frozen(whole.rows), scales, np.ones(whole.rows.shape, np.int16), 1.0, EVERYTHING, scores)
    add_word(frozen(np.zeros(1, np.uint32)), 1.0, np.ones(1), scores)
    row, table = np.zeros((1, 11), np.int32), np.zeros((1, 1), np.int32)
    tag_words(
        row, np.ones(1, np.intp), row, 0, 0, 1, np.zeros(2, np.int32), np.zeros(1, np.uint8), one, table, one, one, table, 0
    )  # fmt: skip
