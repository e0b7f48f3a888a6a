"""Without its library an adapter says which extra to install."""

from __future__ import annotations

import importlib
import sys

import pytest
from adapted_index import QUERY

from sparse_coverage.adapters import find
from sparse_coverage.errors import InputError, MissingExtraError

LIBRARIES = {"pyterrier": "pyterrier"}


@pytest.mark.parametrize("adapter", LIBRARIES)
def test_the_error_names_the_extra(adapter, monkeypatch):
    library, name = LIBRARIES[adapter], f"sparse_coverage.adapters.{adapter}"
    for module in [module for module in sys.modules if module == library or module.startswith(f"{library}.")]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(MissingExtraError, match=rf"\[{adapter}\]"):
        importlib.import_module(name)


def test_a_retriever_of_documents_alone_is_not_asked_for_passages(adapted):
    class DocumentsOnly:
        def search(self, queries, k=10, *, filter=None):  # noqa: A002
            return adapted.search(queries, k, filter=filter)

    (found,) = find(DocumentsOnly(), [QUERY], 2, passages=False, condition=None)
    assert [hit.id for hit in found] == [hit.document for hit in adapted.search(QUERY, k=2)]
    with pytest.raises(InputError, match="DocumentsOnly ranks documents only"):
        find(DocumentsOnly(), [QUERY], 2, passages=True, condition=None)
