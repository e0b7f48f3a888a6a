"""The encoder of the base install: any BERT checkpoint on the CPU, without torch."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from math import gcd
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load_file

from sparse_coverage.encoding.batching import Hidden, Ids
from sparse_coverage.encoding.bert_graph import BertConfig, Weights, build_bert, openvino
from sparse_coverage.encoding.chunk_encoder import ChunkEncoder
from sparse_coverage.encoding.compiled_models import compiled_model
from sparse_coverage.errors import InputError, ModelError
from sparse_coverage.files import read_json

PRECISIONS = ("auto", "fp32", "bf16", "int8")
GROUP = 128
"""How many numbers share a scale, at most, where int8 is computed in: more are quicker and less exact (`benchmarks/encoder.py`)."""


class OpenVinoEncoder(ChunkEncoder):
    """Runs a BERT checkpoint folder (`config.json`, `model.safetensors`, `tokenizer.json`) on OpenVINO.

    `precision`: `auto` is bf16 where the CPU computes in it and fp32 elsewhere; `int8` stores weights in 8 bits and, where the
    CPU multiplies bytes (VNNI), rounds what meets them to 8 bits too, in groups that each have a scale of their own.
    `threads`: how many cores to use, all by default. Each batch is computed by one thread, so the vectors are the same
    on one core or many.
    """

    def __init__(self, folder: Path, *, name: str = "", precision: str = "auto", threads: int | None = None) -> None:
        if precision not in PRECISIONS:
            raise InputError(f"There is no precision '{precision}'. Choose one of: {', '.join(PRECISIONS)}.")
        for needed in ("config.json", "model.safetensors"):
            if not (folder / needed).is_file():
                raise ModelError(
                    f"{folder}: there is no {needed}. An encoder folder holds config.json, model.safetensors and tokenizer.json."
                )
        config = BertConfig.from_json(read_json(folder / "config.json"), str(folder))
        ov = openvino()
        core = ov.Core()
        can_bf16 = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        if precision == "bf16" and not can_bf16:
            raise InputError("This CPU does not compute in bf16. Use precision 'fp32' or 'auto'.")
        if precision == "auto":
            precision = "bf16" if can_bf16 else "fp32"
        super().__init__(
            folder,
            name=name,
            precision=precision,
            dimension=config.hidden_size,
            limit=config.positions,
            pad_id=config.pad_id,
            threads=threads,
        )
        threads = self.threads
        self._local = threading.local()
        settings = {
            "INFERENCE_PRECISION_HINT": "bf16" if precision != "fp32" and can_bf16 else "f32",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": threads,
        }
        if precision == "int8":
            # Groups that do not fill a row would fall back to arithmetic that depends on the other texts of a batch.
            settings["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = gcd(GROUP, config.hidden_size, config.inner_size)
        weights = folder / "model.safetensors"
        kept_as = f"{self.fingerprint}-{precision}"
        self._compiled, self._memory = compiled_model(
            ov, core, kept_as, weights, settings, lambda: build_bert(config, _read(weights), int8=precision == "int8")
        )

    def _run(self, batches: Iterable[tuple[Ids, Ids]]) -> Iterable[tuple[int, Hidden]]:
        # Plain calls on threads of our own. OpenVINO's queue calls back into Python from its threads, and whoever drops the
        # model at that moment, as the garbage collector may, waits for a thread that waits for the interpreter.
        # A short query is one batch: a thread that asks again and again, as those of a server do, computes it itself.
        batches = iter(batches)
        first = list(islice(batches, 2))
        batches = chain(first, batches)
        if self.threads == 1 or len(first) < 2:
            return [(number, self._infer(batch)) for number, batch in enumerate(batches)]
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="encoder")
        try:
            return list(enumerate(pool.map(self._infer, batches)))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _infer(self, batch: tuple[Ids, Ids]) -> Hidden:
        if not hasattr(self._local, "request"):
            self._local.request = self._compiled.create_infer_request()
        request: Any = self._local.request
        request.infer({0: batch[0], 1: batch[1]})
        hidden: Hidden = request.get_output_tensor(0).data.copy()
        return hidden


def _read(weights: Path) -> Weights:
    try:
        return load_file(weights)
    except (SafetensorError, OSError, TypeError, KeyError) as error:
        raise ModelError(f"{weights}: cannot be read ({error}). Fetch it again.") from None
