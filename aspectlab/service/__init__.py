"""The service: opinions over HTTP, and a web page; see `aspectlab serve`."""

from aspectlab.service.app import build_app
from aspectlab.service.limits import Limits

__all__ = ["Limits", "build_app"]
