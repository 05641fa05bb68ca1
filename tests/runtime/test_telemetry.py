"""OpenVINO is imported without its reports: it sends nothing, and leaves nothing in the home folder."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from aspectlab.runtime.exported import import_openvino

pytest.importorskip("openvino_telemetry", reason="what is hidden is not there")

LOADING = (
    "from aspectlab.runtime import load_predictor; load_predictor(threads=1); import sys; print(*sys.modules)"
)


def test_loading_the_model_leaves_no_id_and_starts_no_reporter(tmp_path: Path) -> None:
    # OpenVINO itself keeps silent in CI, so this must not look like one
    kept = {
        name: value for name, value in os.environ.items() if name not in {"CI", "TF_BUILD", "JENKINS_URL"}
    }
    answer = subprocess.run(
        [sys.executable, "-c", LOADING],
        capture_output=True,
        text=True,
        env=kept | {"HOME": str(tmp_path)},
        check=True,
    )
    assert "openvino" in answer.stdout.split()
    assert "openvino_telemetry" not in answer.stdout.split()
    assert list(tmp_path.iterdir()) == []


def test_a_reporter_that_a_program_imported_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = ModuleType("openvino_telemetry")
    monkeypatch.setitem(sys.modules, "openvino_telemetry", theirs)
    import_openvino()
    assert sys.modules["openvino_telemetry"] is theirs
