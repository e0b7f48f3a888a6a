"""Screening on a GPU, through torch: products of many points and centers at once.

Whatever passes is decided by the canonical distance on the CPU, so the results are the same bits as without a GPU.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.kernels import Floats, Int32s
from sparse_coverage.kernels.dense import decide
from sparse_coverage.kernels.sizes import NORM_LIMIT
from sparse_coverage.vocabulary.quantised import Centers

ROWS, COLUMNS = 8192, 8192
"""Points and centers of one product: 256 MiB on the device."""
WORTHWHILE = 1_000_000_000
"""Fewer pairs of points and centers take the CPU a few seconds, no more than loading torch."""
ROUNDING = 2.0**-8


def find_gpu(points: int, centers: int) -> str | None:
    """Return the name of the GPU to use, if torch has one and there is enough work for it."""
    if points * centers < WORTHWHILE or find_spec("torch") is None:
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


def margin(dimension: int) -> float:
    """Return how much a product on the device may differ from the true one, at most.

    Depending on settings that are not ours to change, torch multiplies float32 as TF32 or bfloat16. The bound holds for
    the coarsest: each factor rounded to eight bits, then sums in float32, in any order.
    """
    return NORM_LIMIT**2 * (2 * ROUNDING + ROUNDING**2 + dimension * 2.0**-22) + 1e-6


class CentersOnGpu:
    """The centers' copy on a device. It follows them: centers that were added since the last call are copied first."""

    def __init__(self, centers: Centers, device: str) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError("Choosing centers on a GPU", "torch") from None
        self._torch: Any = torch
        self._centers = centers
        self._device = device
        self._rows = torch.empty(centers.rows.shape, dtype=torch.float32, device=device)
        self._copied = 0
        self._margin = margin(centers.rows.shape[1])

    def meet(self, rows: Floats, nearest: Int32s, distances: Floats, first: int, last: int) -> None:
        """Lower the rows' distances to the nearest of the centers `first` to `last`; a tie keeps the lower center."""
        torch, centers = self._torch, self._centers
        if self._copied < last:
            self._rows[self._copied : last] = torch.from_numpy(centers.rows[self._copied : last]).to(self._device)
            self._copied = last
        for top in range(0, len(rows), ROWS):
            part = slice(top, top + ROWS)
            block = torch.from_numpy(rows[part]).to(self._device)
            reach = torch.from_numpy(distances[part].copy()).to(self._device)  # the nearest center is no farther
            for left in range(first, last, COLUMNS):
                rough = 1 - self._products(block, self._rows[left : min(left + COLUMNS, last)])
                reach = torch.minimum(reach, rough.amin(dim=1) + self._margin)
                pairs = (rough <= reach[:, None] + self._margin).nonzero().cpu().numpy()  # by row, then by center
                decide(pairs, rows[part], left, centers.rows, nearest[part], distances[part])

    @staticmethod
    def _products(block: Any, centers: Any) -> Any:
        return block @ centers.T
