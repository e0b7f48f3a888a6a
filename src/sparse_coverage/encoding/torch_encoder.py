"""The encoder of the extra [torch]: any transformers checkpoint, adapters too, on a GPU where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from sparse_coverage.encoding.batching import ChunkEncoder, Hidden, Ids
from sparse_coverage.encoding.weights import fingerprint_of
from sparse_coverage.errors import InputError, MissingExtraError, ModelError

PRECISIONS = ("auto", "fp32", "bf16", "fp16")
_FALLBACK_LIMIT = 512


class TorchEncoder(ChunkEncoder):
    """Runs a checkpoint folder on torch and transformers.

    `precision`: `auto` is fp16 on a GPU and fp32 on the CPU. `adapter`: a folder with adapter weights to activate on top
    of the model (SPECTER2's retrieval adapter).
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str = "",
        precision: str = "auto",
        threads: int | None = None,
        adapter: Path | None = None,
    ) -> None:
        try:
            import torch
            from transformers import AutoModel
        except ImportError:
            raise MissingExtraError("The torch encoder", "torch") from None
        if precision not in PRECISIONS:
            raise InputError(f"There is no precision '{precision}' on torch. Choose one of: {', '.join(PRECISIONS)}.")
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        if precision == "auto":
            precision = "fp32" if device == "cpu" else "fp16"
        if threads:
            torch.set_num_threads(threads)
        try:
            model = AutoModel.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{folder}: transformers cannot load this checkpoint ({error}).") from None
        if adapter is not None:
            _activate_adapter(model, adapter)
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[precision]
        self._torch = torch
        self._device = device
        self._model = model.to(device=device, dtype=dtype).eval()
        limit = int(getattr(model.config, "max_position_embeddings", _FALLBACK_LIMIT))
        if model.config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
            limit -= 2  # these count positions from the padding id on
        super().__init__(
            folder,
            name=name,
            precision=precision,
            dimension=int(model.config.hidden_size),
            limit=limit,
            pad_id=int(model.config.pad_token_id or 0),
            suffix=f"+{fingerprint_of(adapter)}" if adapter else "",
            padded=device != "cpu",
            threads=threads,
        )

    def _run(self, batches: Iterable[tuple[Ids, Ids]]) -> Iterator[tuple[int, Hidden]]:
        torch = self._torch
        for number, (ids, mask) in enumerate(batches):
            with torch.inference_mode():
                output = self._model(
                    input_ids=torch.from_numpy(ids).to(self._device),
                    attention_mask=torch.from_numpy(mask).to(self._device),
                )
            yield number, np.asarray(output.last_hidden_state.float().cpu().numpy())


def _activate_adapter(model: object, adapter: Path) -> None:
    try:
        import adapters
    except ImportError:
        raise MissingExtraError("An adapter", "torch") from None
    adapters.init(model)
    loaded = model.load_adapter(str(adapter), set_active=True)  # type: ignore[attr-defined]
    model.set_active_adapters(loaded)  # type: ignore[attr-defined]
