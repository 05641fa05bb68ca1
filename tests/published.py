"""Where the published data sets would be; they are never part of the project."""

import os
from pathlib import Path


def published_folder() -> Path:
    """Give the folder that ASPECTLAB_DATA names, or the usual place beside the checkout."""
    return Path(os.environ.get("ASPECTLAB_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
