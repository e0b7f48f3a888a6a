"""The encoder of the base install: checkpoints of the BERT family and any ONNX encoder, on the CPU, without torch."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from sparse_coverage.encoding.batching import ChunkEncoder, Hidden, Ids
from sparse_coverage.encoding.graphs import FAMILY, HIDDEN_STATES, BertConfig, Weights, build_bert, openvino, read_onnx
from sparse_coverage.encoding.weights import cache_folder, model_config, weights_file
from sparse_coverage.errors import InputError, ModelError
from sparse_coverage.files import read_json, write_bytes
from sparse_coverage.kernels.choosing import machine

PRECISIONS = ("auto", "fp32", "bf16", "int8")
LONGEST_CHUNK = 512
"""More tokens are not encoded at once, even where a model could: attention grows with their square."""
GROUP = 128
"""How many numbers share a scale, at most, where int8 is computed in: more are quicker and less exact (`benchmarks/encoder.py`)."""
SMALLEST_GROUP = 64
"""With groups of 32 and two threads, OpenVINO 2026.4 gives wrong vectors on CPUs with AMX."""


class OpenVinoEncoder(ChunkEncoder):
    """Runs a checkpoint folder on OpenVINO: `tokenizer.json` and `onnx/model.onnx`, or `config.json` and `model.safetensors`.

    Safetensors of the BERT family are preferred where both are there: `int8` needs them.
    `precision`: `auto` is bf16 where the CPU computes in it and fp32 elsewhere; `int8` stores weights in 8 bits and, where the
    CPU multiplies bytes (VNNI), rounds what meets them to 8 bits too, in groups that each have a scale of their own.
    `threads`: how many cores to use, all by default. Each batch is computed by one thread, so the vectors are the same
    on one core or many.
    """

    def __init__(self, folder: Path, *, name: str = "", precision: str = "auto", threads: int | None = None) -> None:
        if precision not in PRECISIONS:
            raise InputError(f"There is no precision '{precision}'. Choose one of: {', '.join(PRECISIONS)}.")
        weights = weights_file(folder)
        is_onnx = weights.suffix == ".onnx"
        said = model_config(folder)
        config = None if is_onnx else BertConfig.from_json(said, str(folder))
        graph = read_onnx(weights, HIDDEN_STATES, 3) if is_onnx else None
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
            dimension=_last_dimension(graph, weights) if config is None else config.hidden_size,
            limit=_limit(folder, said) if config is None else min(config.positions, LONGEST_CHUNK),
            pad_id=int(said.get("pad_token_id", 0)),
            threads=threads,
            vocabulary=said.get("vocab_size"),
        )
        threads = self.threads
        self._local = threading.local()
        settings = {
            "INFERENCE_PRECISION_HINT": "bf16" if precision != "fp32" and can_bf16 else "f32",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": threads,
        }
        if precision == "int8":
            if config is None:
                raise InputError(
                    f"{folder}: int8 needs model.safetensors; this is an ONNX graph. Use precision 'auto'."
                )
            # Groups that do not fill a row would fall back to arithmetic that depends on the other texts of a batch.
            group = gcd(GROUP, config.hidden_size, config.inner_size)
            if group < SMALLEST_GROUP:
                raise InputError(
                    f"{folder}: int8 needs layers whose sizes are multiples of {SMALLEST_GROUP}; these are {config.hidden_size} and "
                    f"{config.inner_size}. Use precision 'auto'."
                )
            settings["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = group

        def build() -> Any:
            return graph if config is None else build_bert(config, _read(weights), int8=precision == "int8")

        kept_as = f"{self.fingerprint}-{precision}"
        self._compiled, self._memory = compiled_model(ov, core, kept_as, weights, settings, build)

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
        if not np.isfinite(hidden).all() and not np.isfinite(hidden[batch[1] == 1]).all():
            raise ModelError(
                f"{self.name}: the model gives vectors that are not numbers, in {self.precision}. Its weights are damaged, or it needs "
                "more range: try precision 'fp32'."
            )
        return hidden


def _last_dimension(graph: Any, path: Path) -> int:
    shape = graph.outputs[0].get_partial_shape()
    if not shape[2].is_static:
        raise ModelError(
            f"{path}: the graph does not say how long its vectors are. Export it with a fixed hidden size."
        )
    return int(shape[2].get_length())


def _limit(folder: Path, config: Mapping[str, Any]) -> int:
    """Return how many tokens a chunk may have: what config.json or the tokenizer's settings say, or 512."""
    if "max_position_embeddings" in config:
        offset = 0 if config.get("model_type") not in FAMILY[1:] else int(config.get("pad_token_id") or 0) + 1
        return min(int(config["max_position_embeddings"]) - offset, LONGEST_CHUNK)
    path = folder / "tokenizer_config.json"
    said = read_json(path).get("model_max_length", 512) if path.is_file() else 512
    return min(int(said), 512)


def _read(weights: Path) -> Weights:
    try:
        return load_file(weights)
    except (SafetensorError, OSError, TypeError, KeyError) as error:
        raise ModelError(f"{weights}: cannot be read ({error}). Fetch it again.") from None


SMALLEST = 16 << 20
"""Models with fewer bytes of weights are compiled in no time."""


def compiled_model(
    ov: Any, core: Any, name: str, weights: Path, settings: Mapping[str, Any], build: Callable[[], Any]
) -> tuple[Any, Any]:
    """Return a compiled model: the kept one of that name, or what `build` gives, compiled with some settings and kept.

    Beside it comes the memory that it lives in, which must live as long.
    """
    path = _path(ov, name, settings) if weights.stat().st_size >= SMALLEST else None
    if path is not None and path.exists():
        with suppress(RuntimeError, OSError, ValueError):
            # Copied on writing, though nobody writes: the runtime takes no memory that can only be read.
            content = np.memmap(path, dtype=np.uint8, mode="c")
            tensor = ov.Tensor(np.asarray(content), shared_memory=True)
            return core.import_model(tensor, "CPU", dict(settings)), (content, tensor)
    made = core.compile_model(build(), "CPU", dict(settings))
    if path is not None:
        _keep(made, path, name)
    return made, None


def _path(ov: Any, name: str, settings: Mapping[str, Any]) -> Path:
    source = (Path(__file__).parent / "graphs.py").read_bytes()
    facts = f"{ov.get_version()} {machine()} {sorted(settings.items())} {hashlib.sha256(source).hexdigest()}"
    return cache_folder() / "compiled" / f"{name}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}.blob"


def _keep(made: Any, path: Path, name: str) -> None:
    with suppress(OSError, RuntimeError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        made.export_model(content)
        for older in sorted(path.parent.glob(f"{name}-*.blob"), key=lambda one: one.stat().st_mtime)[:-3]:
            older.unlink(missing_ok=True)  # of earlier versions, or other numbers of threads
        write_bytes(path, content.getvalue())
