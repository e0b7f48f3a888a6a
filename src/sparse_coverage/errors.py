"""The errors a user can act on. Each says what was wrong, where, and what to do; the command line shows them without a traceback."""

from __future__ import annotations

import sys
from importlib.util import find_spec


class SparseCoverageError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(SparseCoverageError):
    """A file, a text or an argument given by the user cannot be used."""


class NoDocumentError(InputError):
    """An index does not hold the document or passage that was asked for."""


class ModelError(SparseCoverageError):
    """An encoder cannot be found, fetched, verified or built."""


class VocabularyError(SparseCoverageError):
    """A vocabulary cannot be built, or its files are damaged."""


class IndexStoreError(SparseCoverageError):
    """An index cannot be built, opened or trusted."""


class NoIndexError(IndexStoreError):
    """A folder holds no index."""

    def __init__(self, folder: object) -> None:
        super().__init__(f"{folder}: there is no index here (no manifest.json). Build one with: sparse-coverage index")


class AlreadyThereError(IndexStoreError):
    """A document that is to be added is in the index already."""


class MismatchError(SparseCoverageError):
    """Two things that must fit were made differently; the message names both sides."""


class MissingExtraError(SparseCoverageError):
    """A feature needs packages that the base install leaves out."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra [{extra}]. {how_to_install(extra)}")


def require_package(package: str, feature: str, extra: str) -> None:
    """Refuse a feature whose package is not installed, before any work is done for it."""
    known = sys.modules[package] is not None if package in sys.modules else find_spec(package) is not None
    if not known:
        raise MissingExtraError(feature, extra)


def how_to_install(extra: str) -> str:
    """Return the sentence that says how an extra is installed; the package is on no package index yet."""
    return f"Install it in the folder of the source with: pip install '.[{extra}]'"
