"""A tiny random BERT that needs no download: the same files, builder and code path as a real encoder."""

from __future__ import annotations

import json
import string
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 32, 2, 4, 64, 64


def write_checkpoint(folder: Path, *, seed: int = 0, **overrides: object) -> Path:
    """Write a random BERT checkpoint: config.json, model.safetensors, tokenizer.json."""
    folder.mkdir(parents=True, exist_ok=True)
    characters = string.ascii_lowercase + string.digits + string.punctuation
    words = (
        "the a of valve spring plunger sensor pump housing claim wherein comprising method device noise rubber".split()
    )
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters), *words]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    config = {
        "model_type": "bert",
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "vocab_size": len(vocabulary),
        "type_vocab_size": 2,
        "pad_token_id": 0,
        "architectures": ["BertModel"],
        **overrides,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = random_weights(len(vocabulary), seed, int(config["hidden_size"]), int(config["intermediate_size"]))
    save_file(weights, folder / "model.safetensors")
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(vocabulary)), encoding="utf-8")
    return folder


def random_weights(vocabulary: int, seed: int, hidden: int = HIDDEN, inner: int = INNER) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return random.normal(0, 0.15, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": normal(vocabulary, hidden) * 4,
        "embeddings.position_embeddings.weight": normal(POSITIONS, hidden),
        "embeddings.token_type_embeddings.weight": normal(2, hidden),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        shapes = {
            "attention.self.query": (hidden, hidden),
            "attention.self.key": (hidden, hidden),
            "attention.self.value": (hidden, hidden),
            "attention.output.dense": (hidden, hidden),
            "intermediate.dense": (inner, hidden),
            "output.dense": (hidden, inner),
        }
        for name, shape in shapes.items():
            weights[f"{layer}.{name}.weight"] = normal(*shape)
            weights[f"{layer}.{name}.bias"] = normal(shape[0])
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        weights[f"{name}.weight"] = 1 + normal(hidden)
        weights[f"{name}.bias"] = normal(hidden)
    return weights


def _tokenizer(vocabulary: dict[str, int]) -> dict[str, object]:
    specials = {"[CLS]": vocabulary["[CLS]"], "[SEP]": vocabulary["[SEP]"]}
    return {
        "version": "1.0",
        # Baked-in truncation and padding, as the real file has: they must have no effect.
        "truncation": {"max_length": 16, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 16},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": [
            {"id": vocabulary[name], "content": name, "special": True, "single_word": False}
            | {"lstrip": False, "rstrip": False, "normalized": False}
            for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {name: {"id": name, "ids": [id_], "tokens": [name]} for name, id_ in specials.items()},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }
