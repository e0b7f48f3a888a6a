"""The one CPU runtime, imported so that it stays silent."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def openvino() -> ModuleType:
    """Import OpenVINO without its telemetry: its import would otherwise send a usage event.

    OpenVINO falls back to a stub that does nothing when `openvino_telemetry` cannot be imported, so the import is made
    to fail. Nothing else needs that package.
    """
    if "openvino" not in sys.modules:
        modules: dict[str, Any] = sys.modules
        modules["openvino_telemetry"] = None
    import openvino as ov

    return ov  # type: ignore[no-any-return]
