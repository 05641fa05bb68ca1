"""What the tests of pages share with those of the service, a real browser; and the script that fills ours."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "service"))
sys.path.append(str(Path(__file__).parent.parent.parent / "scripts"))
