"""Every compiled function, by what it works on, and threads. Nothing else in the project imports Numba.

| file | holds |
| --- | --- |
| `dense.py`, `traversal.py` | distances, screening, nearest and covering centers; steps of farthest-first |
| `postings.py`, `scoring.py`, `shortlist.py` | packing, checking and merging of lists; scores; the best of them |
| `tagging.py` | parts of speech |
| `instructions.py` | what is written as machine instructions, for the kernels above |
| `compiling.py`, `threads.py`, `arrays.py` | how kernels are compiled and cached; cores and threads; types |

Kernels read nothing from other packages, so the machine code depends on these files alone.
"""
