"""What OpenAPI promises holds: requests drawn from it, right and wrong ones, find no contradiction."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.service_process import Running, running

pytest.importorskip("schemathesis", reason="schemathesis is not installed: it is in the extra 'dev'")

import schemathesis
from schemathesis import Case, GenerationMode
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi import checks

# 413 and 414 are right for what is too large, wrong or not; and no schema can say which bytes are a file of
# reviews, so a file that cannot be read is no contradiction
CONFIG = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 422, 428, 429]

[[operations]]
include-path = "/v1/report"
checks.positive_data_acceptance.expected-statuses = ["2xx", 413, 414, 422, 429]
"""
OPERATIONS = dict.fromkeys(["/v1/analyze", "/v1/report"], "post")
OPERATIONS |= dict.fromkeys(["/healthz", "/readyz", "/metrics"], "get")
RIGHT, WRONG = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
UNDECIDED = {"/v1/report": [checks.positive_data_acceptance]}


@pytest.fixture(scope="module")
def schema(service: Running) -> BaseSchema:
    config = schemathesis.Config.from_str(CONFIG)
    return schemathesis.openapi.from_url(f"http://127.0.0.1:{service.port}/openapi.json", config=config)


def test_openapi_names_the_operations_that_are_tried(schema: BaseSchema) -> None:
    found = [operation.ok() for operation in schema.get_all_operations()]
    assert {each.path: each.method for each in found} == OPERATIONS


# nothing can be wrong with a request that has neither body nor parameters
@pytest.mark.parametrize(
    ("path", "mode"), [*((path, RIGHT) for path in OPERATIONS), ("/v1/analyze", WRONG), ("/v1/report", WRONG)]
)
def test_openapi_promises_hold_for_a_few_requests(
    schema: BaseSchema, path: str, mode: GenerationMode
) -> None:
    @settings(
        max_examples=15, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck]
    )
    @given(case=schema[path][OPERATIONS[path]].as_strategy(generation_mode=mode))
    def ask(case: Case) -> None:
        case.call_and_validate(excluded_checks=UNDECIDED.get(path))

    ask()


@pytest.mark.slow
def test_openapi_promises_hold(tmp_path: Path) -> None:
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
