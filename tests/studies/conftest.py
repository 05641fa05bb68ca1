"""The scripts of studies/ are no package: tests find them by their folder."""

import sys
from pathlib import Path

# at the end: their short names must not hide any other module
sys.path.append(str(Path(__file__).parent.parent.parent / "studies"))
