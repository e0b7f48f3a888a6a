"""The encoder's own tokenizer, with whatever truncation and padding was baked into its file switched off."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from sparse_coverage.encoding.encoder import Tokens
from sparse_coverage.errors import ModelError
from sparse_coverage.files import read_json

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class TextTokenizer:
    """Cuts a text into encoder tokens with character offsets; the same text gives the same tokens whatever its length."""

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        sample = tokenizer.encode("a", add_special_tokens=True)
        inside = [place for place, special in enumerate(sample.special_tokens_mask) if not special]
        self.prefix: list[int] = sample.ids[: inside[0]] if inside else []
        self.suffix: list[int] = sample.ids[inside[-1] + 1 :] if inside else []

    @classmethod
    def from_folder(cls, folder: Path) -> TextTokenizer:
        """Load `tokenizer.json`, or build the BERT tokenizer from an older checkpoint's `vocab.txt`."""
        try:
            if (folder / "tokenizer.json").is_file():
                return cls(Tokenizer.from_file(str(folder / "tokenizer.json")))
            if (folder / "vocab.txt").is_file():
                return cls(_from_vocabulary(folder))
        except ModelError:
            raise
        except Exception as error:  # the library raises bare Exception for a damaged file
            raise ModelError(f"{folder}: the tokenizer cannot be read ({error}).") from None
        raise ModelError(
            f"{folder}: there is no tokenizer.json (nor a vocab.txt). Copy the tokenizer's files from where the model came from."
        )

    def __call__(self, text: str) -> Tokens:
        """Return the tokens of a text without special tokens."""
        # A lone surrogate is not text and the tokenizer refuses it; its replacement keeps every offset.
        encoding = self._tokenizer.encode(_LONE_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        offsets = np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2)
        return Tokens(
            ids=np.asarray(encoding.ids, dtype=np.int32),
            starts=np.ascontiguousarray(offsets[:, 0]),
            ends=np.ascontiguousarray(offsets[:, 1]),
        )


def _from_vocabulary(folder: Path) -> Any:
    settings = read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = {word: number for number, word in enumerate(words)}
    for special in ("[UNK]", "[CLS]", "[SEP]"):
        if special not in vocabulary:
            raise ModelError(f"{folder}: vocab.txt has no {special}, so it is not a BERT vocabulary.")
    tokenizer: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=bool(settings.get("do_lower_case", True)))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    )
    return tokenizer
