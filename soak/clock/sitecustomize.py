"""A clock that can be made to jump: Python loads this by itself where the folder is on its path, as it is for the processes of a soak.

The file that SOAK_CLOCK names holds one number, how many seconds the wall clock is off. Clocks that never jump (monotonic) are left alone.
"""

import datetime
import mmap
import os
import struct
import time

if "SOAK_CLOCK" in os.environ:
    with open(os.environ["SOAK_CLOCK"], "rb") as _file:  # noqa: PTH123 - quick to load
        _shown = mmap.mmap(_file.fileno(), 8, access=mmap.ACCESS_READ)

    def _off() -> float:
        return struct.unpack("<d", _shown[:8])[0]

    _time, _time_ns, _gmtime, _localtime = time.time, time.time_ns, time.gmtime, time.localtime
    _datetime, _date = datetime.datetime, datetime.date

    class _Broken:
        """A time in its parts. No plain function: `logging` keeps it as an attribute of a class, which would make it a method."""

        def __init__(self, parts):
            self._parts = parts

        def __call__(self, seconds=None):
            return self._parts(time.time() if seconds is None else seconds)

    class _JumpingDatetime(_datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls):
            return cls.now()

    class _JumpingDate(_date):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

    time.time = lambda: _time() + _off()
    time.time_ns = lambda: _time_ns() + int(_off() * 1e9)
    time.gmtime, time.localtime = _Broken(_gmtime), _Broken(_localtime)
    datetime.datetime, datetime.date = _JumpingDatetime, _JumpingDate
