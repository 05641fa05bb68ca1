"""The command `aspectlab`."""

from aspectlab.cli.main import main

__all__ = ["main"]
