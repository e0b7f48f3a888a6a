"""Fuzz one target with atheris, guided by which code an input reaches.

    python fuzz/run.py readers --minutes 10

It begins with the inputs in fuzz/corpus/NAME. An input that raises anything but an error of the package, that takes over 10 seconds or
2 GiB, is written to fuzz/found/ and ends the run with an error; `python fuzz/run.py NAME --input FILE` runs it again.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--input", type=Path, help="run this input once")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if options.input:
        from targets import run

        run(options.target, options.input.read_bytes())
        return

    import atheris

    from sparse_coverage import kernels

    for module in pkgutil.iter_modules(kernels.__path__):  # loaded before: what Numba compiles stays as it is
        importlib.import_module(f"sparse_coverage.kernels.{module.name}")
    with atheris.instrument_imports(include=["sparse_coverage"]):
        import targets
    corpus = Path(tempfile.mkdtemp(prefix=f"fuzz-{options.target}-"))
    seeds = HERE / "corpus" / options.target
    if seeds.is_dir():
        shutil.copytree(seeds, corpus, dirs_exist_ok=True)
    for seed in sorted(corpus.iterdir()):  # the first of them makes what the target needs, however long that takes
        targets.run(options.target, seed.read_bytes())
    (HERE / "found").mkdir(exist_ok=True)
    arguments = [
        sys.argv[0],
        f"-max_total_time={round(options.minutes * 60)}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=20000",
        "-print_final_stats=1",
        f"-artifact_prefix={HERE / 'found'}/{options.target}-",
        str(corpus),
    ]
    atheris.Setup(arguments, lambda data: targets.run(options.target, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
