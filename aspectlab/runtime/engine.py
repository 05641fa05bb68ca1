"""OpenVINO, imported so that it tells nobody."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import cast

_REPORTER = "openvino_telemetry"


def import_openvino() -> ModuleType:
    """Import the engine without its reports.

    While it is imported, OpenVINO leaves an id in the home folder and sends it to its makers, unasked. It
    does neither where the package that reports is not installed, so that is hidden until the import is over.
    """
    reporter = sys.modules.get(_REPORTER)
    sys.modules[_REPORTER] = cast(ModuleType, None)  # Python takes None for a module that is absent
    try:
        return import_module("openvino")
    finally:
        sys.modules.pop(_REPORTER, None)
        if reporter is not None:
            sys.modules[_REPORTER] = reporter
