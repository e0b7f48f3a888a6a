"""Write the versions that CI and contributors install (`.ci/locks/`): the newest that fit together today.

torch is left out: which build of it fits a machine is for that machine to say; its version is in TORCH.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = ROOT / ".ci" / "locks"
TORCH = "torch==2.13.0"

# Extras that go together, and what they are locked with. Those on torch want three versions of transformers.
SETS = {
    "development": ["dev", "qdrant", "ray", "pyterrier", "spacy", "ocr"],
    "torch": ["dev", "torch"],
    "late-interaction": ["dev"],
}
BESIDE = {
    "development": (ROOT / ".ci" / "tools.in").read_text(encoding="utf-8"),
    "torch": TORCH,
    # PyLate asks for a torch of its own: it is installed without what it asks for, and this is what it uses.
    "late-interaction": f"{TORCH}\nsentence-transformers==5.3.0\ndatasets\naccelerate\npandas\nscipy\nujson\nfastkmeans\n",
}


def lock(name: str) -> None:
    """Resolve one set for every supported Python and system, and write it."""
    uv = Path(sys.executable).parent / "uv"
    extras = [argument for extra in SETS[name] for argument in ("--extra", extra)]
    universal = ["--universal", "--python-version", "3.10"] if name == "development" else []
    command = [uv, "pip", "compile", "--quiet", "--upgrade", "--no-header", "--no-annotate", "--no-python-downloads"]
    command += [*universal, "--no-emit-package", "torch", *extras, "pyproject.toml", "-", "-o", LOCKS / f"{name}.txt"]
    # uv does not read pip's settings: a folder of wheels that pip knows (a CPU build of torch) is named here.
    env = {"UV_FIND_LINKS": os.environ.get("PIP_FIND_LINKS", "")} | os.environ
    subprocess.run(command, cwd=ROOT, env=env, input=BESIDE[name], text=True, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    LOCKS.mkdir(exist_ok=True)
    for name in SETS:
        lock(name)
        print(f"{LOCKS.relative_to(ROOT)}/{name}.txt: {len((LOCKS / f'{name}.txt').read_text().splitlines())} packages")
