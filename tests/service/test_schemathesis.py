"""What OpenAPI promises holds: requests drawn from it, right and wrong ones, find no contradiction."""

import subprocess
import sys
from pathlib import Path

import pytest
from running import running

pytestmark = pytest.mark.slow

# 413 is the right answer to a body that is too large as well as wrong; and no schema can say which bytes are
# a file of reviews, so a file that cannot be read is no contradiction
CONFIG = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 428, 429]

[[operations]]
include-path = "/v1/report"
checks.positive_data_acceptance.expected-statuses = ["2xx", 413, 422, 429]
"""


def test_openapi_promises_hold(tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install schemathesis")
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG, encoding="utf-8")
    program = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", "--seed", "1"]
    with running(reports=8) as service:
        address = f"http://127.0.0.1:{service.port}/openapi.json"
        options = ["--checks", "all", "-n", "100", "--generation-database", "none", "--continue-on-failure"]
        answer = subprocess.run([*program, *options, address], capture_output=True, text=True, cwd=tmp_path)
        assert answer.returncode == 0, answer.stdout[-5000:] + answer.stderr[-1000:]
        assert " 5 tested" in answer.stdout or "Tested: 5" in answer.stdout
        assert "Traceback" not in service.end()[1]
