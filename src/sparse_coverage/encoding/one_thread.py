"""NumPy on one thread: the same digits on any machine, and no threads that wait for one another over small products."""

from __future__ import annotations

import threading

from threadpoolctl import threadpool_limits


class OneThread:
    """While anybody is within, NumPy computes each product on one thread: on several, its last digits are others."""

    def __init__(self) -> None:
        self._lock, self._within = threading.Lock(), 0
        self._limits: threadpool_limits | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._within += 1
            if self._limits is None:
                self._limits = threadpool_limits(1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._within -= 1
            if not self._within and self._limits is not None:
                self._limits.restore_original_limits()
                self._limits = None


ONE_THREAD = OneThread()
