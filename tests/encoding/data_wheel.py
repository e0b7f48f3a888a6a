"""A wheel that carries data, made by hand; running any of it would end the process."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from sparse_coverage.encoding.catalogue import Package


def write_data_wheel(folder: Path, files: dict[str, bytes]) -> Package:
    """Write `carrier` 1.0, with the files in its folder `carrier/model`, and return it as pinned."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / "carrier-1.0-py3-none-any.whl"
    content = {f"carrier/model/{name}": data for name, data in files.items()} | {
        "carrier/__init__.py": b"raise SystemExit('a data wheel must never be imported')",
        "carrier-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n",
        "carrier-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nTag: py3-none-any\nRoot-Is-Purelib: true\n",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
        archive.writestr("carrier-1.0.dist-info/RECORD", "".join(f"{name},,\n" for name in content))
    return Package("pypi", "carrier", "1.0", hashlib.sha256(wheel.read_bytes()).hexdigest(), "carrier/model/")
