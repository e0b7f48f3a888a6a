"""An index inside other people's pipelines. Each adapter is one file, imported by its own name, since each needs another library.

| file | gives | extra |
| --- | --- | --- |
| `pyterrier` | `SparseCoverageRetriever`, a transformer | [pyterrier] |
| `pyterrier_chart` | `ClaimChart`, a transformer that charts what was found | [pyterrier] |
| `langchain` | `SparseCoverageRetriever`, a `BaseRetriever` | [langchain] |
| `haystack` | `SparseCoverageRetriever`, a component | [haystack] |
| `mteb` | `SparseCoverageSearch`, MTEB's search interface | [mteb] |
| `pisa` | `open_ciff_in_pisa`, an exported index in PISA | [pisa] |
| `ir_datasets` | `CollectionDataset`, a collection with that library's iterators | none |
| `ir_datasets_catalogue` | `register_clefip`: CLEF-IP 2013 in that library's catalogue | [eval] |
"""
