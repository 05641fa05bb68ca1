"""The scripts of studies and benchmarks import each other by name."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path += [str(ROOT / "studies"), str(ROOT / "benchmarks")]
