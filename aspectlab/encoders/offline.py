"""Stay off the network where the user says so, with all that the library of the hub would ask there."""

from __future__ import annotations

import os
import sys
from importlib import import_module

_HUB = ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def is_offline() -> bool:
    """Return whether nothing may be fetched."""
    return "1" in (os.environ.get("ASPECTLAB_OFFLINE"), os.environ.get("HF_HUB_OFFLINE"))


def stay_offline() -> None:
    """Keep the library of the hub from the network if nothing may be fetched.

    It asks the hub for more than files, such as which programs to count, also where these must be local.
    """
    if not is_offline():
        return
    os.environ.update(dict.fromkeys(_HUB, "1"))
    # it reads them once, when it is imported, which another part of a program may have done
    if "huggingface_hub" in sys.modules:
        constants = import_module("huggingface_hub.constants")
        for name in _HUB:
            setattr(constants, name, True)
