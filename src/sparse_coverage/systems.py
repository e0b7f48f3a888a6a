"""The names of what can rank an index, apart from what they name: `retrievers`, which takes much longer to load."""

from typing import Literal

KINDS = ("bm25", "dense", "splade", "colbert")
"""The sides that an index can have: what other systems than Sparse Coverage need."""
SYSTEMS = ("coverage", *KINDS, "hybrid")
"""What can rank the documents of an index: Sparse Coverage, a side of the index, or three of them joined."""
RERANKERS = (*KINDS, "chart")
"""What can rank the best documents of a search again: a side of the index, or the coverage of the elements of the claim."""
HYBRID = ("bm25", "dense")
"""The sides that `hybrid` joins with Sparse Coverage."""

FusionRule = Literal["rrf", "weighted"]
FusionLevel = Literal["document", "passage"]
