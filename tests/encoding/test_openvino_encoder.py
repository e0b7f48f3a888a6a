from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_bert import last_hidden_state
from safetensors.numpy import load_file, save_file
from tiny_bert import write_checkpoint

from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, ModelError

TEXTS = [
    "A valve comprising a spring and a plunger, wherein the plunger is biased.",
    "",
    "pump",
    "The noise of the rubber device; " * 20,
    "Ventil für Flüssigkeiten – Öl (10a)",
]


def reference_vectors(folder: Path, encoder: OpenVinoEncoder, text: str) -> np.ndarray:
    """Encode each chunk of a text with the plain reference and join what belongs to the text's own tokens."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = load_file(folder / "model.safetensors")
    tokens = encoder.tokenize(text)
    encoded = next(encoder.encode([text]))
    rows = []
    for chunk in range(encoded.chunks.max(initial=-1) + 1):
        ids = [2, *tokens.ids[encoded.chunks == chunk].tolist(), 3]
        rows.append(last_hidden_state(ids, weights, config)[1:-1])
    return np.concatenate(rows) if rows else np.zeros((0, encoder.dimension))


@pytest.mark.parametrize("act", ["gelu", "gelu_new", "relu"])
def test_token_vectors_equal_the_plain_reference(tmp_path: Path, act: str) -> None:
    folder = write_checkpoint(tmp_path, hidden_act=act)
    encoder = OpenVinoEncoder(folder, precision="fp32", threads=1)
    for text, encoded in zip(TEXTS, encoder.encode(TEXTS), strict=True):
        np.testing.assert_allclose(encoded.vectors, reference_vectors(folder, encoder, text), atol=1e-4, rtol=0)


def test_the_precision_of_this_machine_points_where_the_reference_does(tiny_checkpoint: Path) -> None:
    """In bf16 where the CPU computes in it; OpenVINO before 2026.0 gave other vectors there, without an error."""
    encoder = OpenVinoEncoder(tiny_checkpoint, precision="auto", threads=1)
    for text, encoded in zip(TEXTS, encoder.encode(TEXTS), strict=True):
        wanted = reference_vectors(tiny_checkpoint, encoder, text)
        cosines = (encoded.vectors * wanted).sum(axis=1) / np.linalg.norm(encoded.vectors, axis=1)
        assert np.all(cosines / np.linalg.norm(wanted, axis=1) > 0.99)


def test_prefixed_and_old_weight_names_are_understood(tmp_path: Path, tiny_checkpoint: Path) -> None:
    folder = write_checkpoint(tmp_path)
    weights = load_file(folder / "model.safetensors")
    renamed = {
        f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in weights.items()
    }
    save_file(renamed, folder / "model.safetensors")
    new = next(OpenVinoEncoder(folder, precision="fp32").encode(TEXTS[:1]))
    old = next(OpenVinoEncoder(tiny_checkpoint, precision="fp32").encode(TEXTS[:1]))
    np.testing.assert_array_equal(new.vectors, old.vectors)


def test_int8_stays_close_and_says_so(wide_checkpoint: Path) -> None:
    encoder = OpenVinoEncoder(wide_checkpoint, precision="int8")
    assert encoder.precision == "int8"
    plain = OpenVinoEncoder(wide_checkpoint, precision="fp32")
    exact, rounded = (next(e.encode(TEXTS[:1])).vectors for e in (plain, encoder))
    cosine = (exact * rounded).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(rounded, axis=1)
    assert cosine.min() > 0.99
    assert not np.array_equal(exact, rounded)


def test_int8_is_refused_where_the_runtime_would_compute_it_wrongly(tiny_checkpoint: Path) -> None:
    with pytest.raises(InputError, match="multiples of 64; these are 32 and 64"):
        OpenVinoEncoder(tiny_checkpoint, precision="int8")


@pytest.mark.parametrize("precision", ["auto", "fp32", "int8"])
def test_threads_and_neighbours_do_not_change_a_bit(wide_checkpoint: Path, precision: str) -> None:
    one, two = (OpenVinoEncoder(wide_checkpoint, precision=precision, threads=n) for n in (1, 2))
    together = list(one.encode(TEXTS * 5))
    alone = [vectors for text in TEXTS * 5 for vectors in one.encode([text])]
    for a, b, c in zip(together, two.encode(TEXTS * 5), alone, strict=True):
        np.testing.assert_array_equal(a.vectors, b.vectors)
        np.testing.assert_array_equal(a.vectors, c.vectors)


@settings(max_examples=examples(30))
@given(texts=st.lists(st.text(max_size=120), min_size=1, max_size=4))
def test_any_text_is_encoded_whole_with_offsets(tiny_encoder: OpenVinoEncoder, texts: list[str]) -> None:
    for text, encoded in zip(texts, tiny_encoder.encode(texts), strict=True):
        tokens = tiny_encoder.tokenize(text)
        assert len(encoded) == len(tokens)
        assert np.isfinite(encoded.vectors).all()
        assert (np.diff(encoded.chunks) >= 0).all()
        assert ((encoded.starts >= 0) & (encoded.starts <= encoded.ends) & (encoded.ends <= len(text))).all()


@given(
    words=st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789()-,.;", min_size=1, max_size=12), max_size=12)
)
def test_offsets_give_back_the_surface_of_each_token(tiny_encoder: OpenVinoEncoder, words: list[str]) -> None:
    text = "  ".join(words).upper()
    tokens = tiny_encoder.tokenize(text)
    surfaces = [text[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True)]
    assert "".join(surfaces) == text.replace(" ", "")


def test_truncation_and_padding_of_the_tokenizer_file_are_off(tiny_encoder: OpenVinoEncoder) -> None:
    assert len(tiny_encoder.tokenize("valve " * 500)) == 500
    assert len(tiny_encoder.tokenize("valve")) == 1


def test_a_long_claim_streams_through(tiny_encoder: OpenVinoEncoder) -> None:
    text = "wherein the valve comprising a spring, " * 14_300  # 100,100 words
    encoded = next(tiny_encoder.encode([text]))
    assert len(encoded) == len(tiny_encoder.tokenize(text))
    assert np.isfinite(encoded.vectors).all()


def test_lone_surrogates_and_control_characters_keep_their_place(tiny_encoder: OpenVinoEncoder) -> None:
    text = "valve \ud800 \x00\x07 spring"
    encoded = next(tiny_encoder.encode([text]))
    assert text[encoded.starts[-1] : encoded.ends[-1]] == "spring"


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_folder_with_a_file_missing_is_a_clear_error(tmp_path: Path, missing: str) -> None:
    folder = write_checkpoint(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=missing.replace(".", r"\.")):
        OpenVinoEncoder(folder)


def test_a_folder_with_only_vocab_txt_gives_the_same_tokens(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    folder = write_checkpoint(tmp_path)
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    (folder / "tokenizer.json").unlink()
    rebuilt = OpenVinoEncoder(folder)
    for text in TEXTS:
        np.testing.assert_array_equal(rebuilt.tokenize(text).ids, tiny_encoder.tokenize(text).ids)


def test_damaged_files_are_clear_errors(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path)
    (folder / "model.safetensors").write_bytes(b"not a checkpoint")
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        OpenVinoEncoder(folder)
    folder = write_checkpoint(tmp_path)
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="tokenizer"):
        OpenVinoEncoder(folder)
    folder = write_checkpoint(tmp_path)
    (folder / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"config\.json"):
        OpenVinoEncoder(folder)


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        ({"model_type": "t5"}, "t5"),
        ({"hidden_act": "silu"}, "silu"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
    ],
)
def test_what_the_graph_would_compute_wrongly_is_refused(tmp_path: Path, overrides: dict[str, str], named: str) -> None:
    with pytest.raises(ModelError, match=named):
        OpenVinoEncoder(write_checkpoint(tmp_path, **overrides))


def test_an_unknown_precision_is_refused_with_the_choices(tiny_checkpoint: Path) -> None:
    with pytest.raises(InputError, match="fp32"):
        OpenVinoEncoder(tiny_checkpoint, precision="fp64")


def test_the_runtime_does_not_load_its_telemetry() -> None:
    import sys

    from sparse_coverage.encoding.graphs import openvino

    openvino()
    assert sys.modules.get("openvino_telemetry") is None


@settings(max_examples=examples(15))
@given(
    texts=st.lists(st.text(alphabet="ab vlepr.,", max_size=150), min_size=2, max_size=12),
    threads=st.sampled_from([1, 2]),
)
def test_a_text_has_the_same_vectors_alone_and_among_others(
    tiny_checkpoint: Path, texts: list[str], threads: int
) -> None:
    encoder = _encoder(tiny_checkpoint, threads)
    together = list(encoder.encode([*texts, *reversed(texts)]))
    for text, encoded, again in zip(texts, together, reversed(together), strict=False):
        [alone] = encoder.encode([text])
        np.testing.assert_array_equal(alone.vectors, encoded.vectors)
        np.testing.assert_array_equal(alone.vectors, again.vectors)


@lru_cache
def _encoder(folder: Path, threads: int) -> OpenVinoEncoder:
    return OpenVinoEncoder(folder, precision="fp32", threads=threads)
