"""An index inside other people's pipelines. Each adapter is one file, imported by its own name, since each needs another library.

| file | gives | extra |
| --- | --- | --- |
| `pyterrier` | `SparseCoverageRetriever`, a transformer | [pyterrier] |
| `langchain` | `SparseCoverageRetriever`, a `BaseRetriever` | [langchain] |
| `haystack` | `SparseCoverageRetriever`, a component | [haystack] |
| `mteb` | `SparseCoverageSearch`, MTEB's search interface | [mteb] |
| `pisa` | `open_ciff_in_pisa`, an exported index in PISA | [pisa] |
| `ir_datasets` | `CollectionDataset`, a collection with that library's iterators | none |
"""
