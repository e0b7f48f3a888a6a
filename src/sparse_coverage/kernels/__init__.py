"""Every compiled function, by what it works on, and threads. Nothing else in the project imports Numba.

| file | holds |
| --- | --- |
| `screening.py` | which pairs of vectors are worth an exact distance, by products in 8 and 16 bits |
| `dense.py`, `traversal.py` | distances, nearest and covering centers; steps of farthest-first |
| `postings.py`, `scoring.py`, `shortlist.py` | packing, checking and merging of lists; scores; the best of them |
| `tagging.py` | parts of speech |
| `instructions.py` | what is written as machine instructions, for the kernels above |
| `plain.py`, `choosing.py` | what a search needs in NumPy; which of both a process takes |
| `compiling.py`, `keeping.py`, `threads.py` | how kernels are compiled and kept; cores and threads |
| `sizes.py` | how they lay out what they work on |

Kernels read nothing from other packages, so the machine code depends on these files alone. The arrays
that they take and give are named here, by the numbers they hold.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Uint16s = npt.NDArray[np.uint16]
Uint32s = npt.NDArray[np.uint32]
Uint64s = npt.NDArray[np.uint64]
