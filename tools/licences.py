"""See that everything in an environment has a licence that a user of any kind can live with: python tools/licences.py build/base

A licence that is not in ALLOWED, or cannot be told from what the package says of itself, is refused. A package with another one can be
let through by name, with the reason.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "MIT-CMU", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
}  # fmt: skip
LET_THROUGH = {
    "certifi": (
        "MPL-2.0",
        "a list of certificates, used as it is; the licence asks for the source of changed files only",
    ),
    "tqdm": (
        "MPL-2.0 AND MIT",
        "used as it is by huggingface-hub; the licence asks for the source of changed files only",
    ),
}
ENVIRONMENT = {"pip", "setuptools", "wheel", "sparse-coverage"}  # what every environment has, and this project

# How packages of before the SPDX expressions name their licences, in the field or as a classifier.
SPELLINGS = {
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
}


def spdx(said: str) -> str:
    """Return a name of a licence as SPDX writes it.

    >>> spdx("OSI Approved :: Apache Software License")
    'Apache-2.0'
    """
    name = said.rsplit(" :: ", 1)[-1].strip()
    return SPELLINGS.get(name.lower(), name)


def licence(package: Distribution) -> str:
    """Return the licence of a package as it tells it: as an expression, in a word, or by classifiers, all of which then hold."""
    about = package.metadata
    if "License-Expression" in about:
        return about["License-Expression"]
    field = about["License"].strip() if "License" in about else ""
    classifiers = [spdx(text) for text in about.get_all("Classifier") or [] if text.startswith("License :: ")]
    if field and "\n" not in field and (spdx(field) in ALLOWED or not classifiers):
        return spdx(field)
    return " AND ".join(classifiers) or "unknown"


def is_allowed(expression: str) -> bool:
    """Evaluate an SPDX expression: of licences joined by OR one must be allowed, of those joined by AND all.

    >>> is_allowed("MIT AND (GPL-3.0-only OR BSD-3-Clause)"), is_allowed("MIT AND GPL-3.0-only")
    (True, False)
    """
    words = re.findall(r"[()]|\bAND\b|\bOR\b|(?:(?!\bAND\b|\bOR\b)[^()])+", expression)
    return _either(iter([word.strip() for word in words if word.strip()] + [")"]))


def _either(words: Iterator[str]) -> bool:
    """Evaluate up to the closing bracket."""
    some, every = False, True
    for word in words:
        if word == ")":
            return some or every
        if word == "OR":
            some, every = some or every, True
        elif word != "AND":
            every = (_either(words) if word == "(" else word in ALLOWED) and every
    raise ValueError("a bracket is missing")


def refused(packages: list[Distribution]) -> list[str]:
    """Return a line for each package whose licence is not allowed."""
    lines = []
    for package in packages:
        found = licence(package)
        if not is_allowed(found) and LET_THROUGH.get(package.name, ("",))[0] != found:
            lines.append(f"{package.name} {package.version}: {found}")
    return lines


def main(environment: str) -> int:
    """Print the licences of an environment; 1 where one is refused."""
    folders = sorted({str(path.resolve()) for path in Path(environment).glob("**/site-packages")})
    found = [package for package in distributions(path=folders) if package.name not in ENVIRONMENT]
    packages = sorted(found, key=lambda package: package.name.lower())
    if not packages:
        print(f"There is no environment with packages in {environment}", file=sys.stderr)
        return 1
    for package in packages:
        print(f"{package.name:<22} {package.version:<12} {licence(package)}")
    if lines := refused(packages):
        print("\nNot allowed (tools/licences.py):", *lines, sep="\n  ", file=sys.stderr)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
