"""Build what is released, and see that it is whole: python tools/release.py dist

The wheel is made from the source distribution. Both are made a second time from what the first one holds, in another folder with other
file times, and must be the same bytes. The source distribution holds every file of the repository; the wheel holds every file of the
package and no other, and is pure Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


class NotWholeError(Exception):
    """Something is missing in what would be released, or should not be there."""


def build(source: Path, to: Path) -> tuple[Path, Path]:
    """Make a source distribution, and a wheel from it. Where there is a uv, it sets up what builds them, which is quicker."""
    quicker = ["--installer", "uv"] if shutil.which("uv") else []
    done = subprocess.run(
        [sys.executable, "-m", "build", *quicker, "--outdir", to, source], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotWholeError(done.stdout + done.stderr)
    [sdist], [wheel] = to.glob("*.tar.gz"), to.glob("*.whl")
    return sdist, wheel


def differences(what: str, held: set[str], wanted: set[str]) -> None:
    """Refuse files that are missing or too many."""
    told = [f"{what} lacks {name}" for name in sorted(wanted - held)]
    told += [f"{what} should not hold {name}" for name in sorted(held - wanted)]
    if told:
        raise NotWholeError("\n".join(told))


def tracked() -> set[str]:
    """Return the files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


def check_sdist(sdist: Path, wanted: set[str]) -> None:
    """See that a source distribution holds the repository."""
    with tarfile.open(sdist) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames()}
    differences("the source distribution", held, wanted | {"PKG-INFO"})


def check_wheel(wheel: Path, wanted: set[str]) -> None:
    """See that a wheel holds the package, and runs everywhere."""
    if not wheel.name.endswith("-py3-none-any.whl"):
        raise NotWholeError(f"{wheel.name} is not a wheel for every system")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    differences("the wheel", held, wanted)


def check_again(sdist: Path, wheel: Path) -> None:
    """Make both once more from the source distribution, and compare the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        [source] = Path(folder).iterdir()
        (source / "PKG-INFO").unlink()  # it is made, not kept
        for path in source.rglob("*"):
            path.touch()
        for first, second in zip((sdist, wheel), build(source, Path(folder) / "again"), strict=True):
            if first.read_bytes() != second.read_bytes():
                raise NotWholeError(f"{first.name} is not the same when it is made again")


def main(folder: str) -> int:
    """Build and check into a folder, which is emptied before."""
    to = Path(folder).resolve()
    shutil.rmtree(to, ignore_errors=True)
    files = tracked()
    package = {name.removeprefix("src/") for name in files if name.startswith("src/sparse_coverage/")}
    try:
        sdist, wheel = build(ROOT, to)
        check_sdist(sdist, files)
        check_wheel(wheel, package)
        check_again(sdist, wheel)
    except NotWholeError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB, {len(files)} files; the same bytes when made again")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(package)} files; the same bytes when made again")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
