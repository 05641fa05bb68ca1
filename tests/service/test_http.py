"""What every path has in common: headers, methods, errors, checks, metrics, the description."""

import http.client
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from aspectlab.service.metrics import BOUNDS_S, Metrics
from tests.support.service_process import HEADERS, Running

PATHS = ["/", "/page.css", "/page.js", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics", "/no"]


@pytest.mark.parametrize("path", PATHS)
def test_answer_has_security_headers(service: Running, path: str) -> None:
    headers = service.ask("GET", path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert not {"server", "x-powered-by", "access-control-allow-origin"} & set(headers)


@pytest.mark.parametrize("path", PATHS[:-1])
def test_head_gives_the_headers_of_get_without_a_body(service: Running, path: str) -> None:
    got, head = service.ask("GET", path), service.ask("HEAD", path)
    assert (got.status, head.status, head.body) == (200, 200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/v1/analyze", 405, "POST"),
        ("HEAD", "/v1/report", 405, "POST"),
        ("DELETE", "/healthz", 405, "GET"),
        ("TRACE", "/", 405, "GET"),
        ("BREW", "/", 405, "GET"),
        ("OPTIONS", "/v1/analyze", 204, "POST"),
        ("OPTIONS", "/healthz", 204, "GET"),
    ],
)
def test_method_that_a_path_does_not_know_is_told(
    service: Running, method: str, path: str, status: int, allow: str
) -> None:
    answer = service.ask(method, path)
    assert (answer.status, answer.headers["allow"]) == (status, allow)


@pytest.mark.parametrize(
    "path", ["/no", "/v1", "/v1/analyze/", "/%00", "/../../etc/passwd", "/docs%2f..", "//"]
)
def test_unknown_path_is_not_found(service: Running, path: str) -> None:
    answer = service.ask("GET", path)
    assert (answer.status, answer.code) == (404, "not_found")


def test_checks_say_that_the_service_is_alive_and_ready(service: Running) -> None:
    assert service.ask("GET", "/healthz").json()["status"] == "ok"
    assert service.ask("GET", "/readyz").json() == {"status": "ready", "model": "keywords"}


def test_openapi_documents_every_path_with_examples(service: Running) -> None:
    document = service.ask("GET", "/openapi.json").json()
    assert set(document["paths"]) == {"/v1/analyze", "/v1/report", "/healthz", "/readyz", "/metrics"}
    schemas = document["components"]["schemas"]
    assert schemas["AnalyzeRequest"]["examples"]
    assert schemas["AnalyzeRequest"]["properties"]["texts"]["maxItems"] == 256
    assert {"413", "422", "429", "504"} < set(document["paths"]["/v1/analyze"]["post"]["responses"])


def test_openapi_example_is_accepted(service: Running) -> None:
    document = service.ask("GET", "/openapi.json").json()
    example = document["components"]["schemas"]["AnalyzeRequest"]["examples"][0]
    assert service.analyze(example["texts"], **example["options"]).status == 200


def test_metrics_count_requests_texts_and_time(service: Running) -> None:
    before = _read_metrics(service)
    service.analyze(["The fan is loud. The tea was plain.", "x"])
    service.ask("GET", "/some/path/of/a/scanner")
    after = _read_metrics(service)
    grown = {name: value - before.get(name, 0) for name, value in after.items()}
    assert grown["aspectlab_texts_total"] == 2
    assert grown["aspectlab_sentences_total"] == 3
    assert grown["aspectlab_opinions_total"] == 2
    assert grown['aspectlab_requests_total{method="POST",path="/v1/analyze",status="200"}'] == 1
    assert grown['aspectlab_requests_total{method="GET",path="other",status="404"}'] == 1
    assert grown['aspectlab_request_seconds_count{path="/v1/analyze"}'] == 1
    assert grown['aspectlab_request_seconds_bucket{le="+Inf",path="/v1/analyze"}'] == 1
    # the request for the metrics themselves
    assert after["aspectlab_requests_in_flight"] == 1


def _read_metrics(service: Running) -> dict[str, float]:
    answer = service.ask("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
    # the grammar of the Prometheus text format: name, labels, value
    pattern = re.compile(r'([a-z_]+(?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})?) (\S+)')
    found = [pattern.fullmatch(line) for line in lines]
    assert all(found)
    return {match[1]: float(match[2]) for match in found if match}


def test_metrics_histogram_counts_up_to_each_bound() -> None:
    metrics = Metrics()
    metrics.record("GET", "/a", 200, BOUNDS_S[0])
    metrics.record("GET", "/a", 200, 1000.0)
    text = metrics.render({}).decode()
    # a bucket holds what is at most its bound, and all that the smaller ones hold
    assert f'aspectlab_request_seconds_bucket{{le="{BOUNDS_S[0]}",path="/a"}} 1.0\n' in text
    assert f'aspectlab_request_seconds_bucket{{le="{BOUNDS_S[-1]}",path="/a"}} 1.0\n' in text
    assert 'aspectlab_request_seconds_bucket{le="+Inf",path="/a"} 2.0\n' in text


@pytest.mark.parametrize("method", ["X" * 30, "get"])
def test_metrics_do_not_grow_with_what_clients_invent(method: str) -> None:
    metrics = Metrics()
    metrics.record(method, "other", 405, 0.1)
    assert b'method="other"' in metrics.render({})


def test_request_of_another_sites_page_is_refused(service: Running) -> None:
    answer = service.analyze(["x"], {"Sec-Fetch-Site": "cross-site"})
    assert (answer.status, answer.code) == (403, "cross_site")


def test_failure_tells_the_client_nothing_of_the_code(service: Running) -> None:
    answer = service.ask("POST", "/v1/analyze", '{"texts": ["fail"]}', HEADERS)
    assert (answer.status, answer.code) == (500, "internal_error")
    assert b"Traceback" not in answer.body
    assert b"keywords" not in answer.body
    assert service.analyze(["x"]).status == 200


def test_failure_of_one_request_spoils_no_other(service: Running) -> None:
    texts = ["pause 300 ms", *["fail" if number % 4 == 0 else "The fan is loud." for number in range(12)]]
    with ThreadPoolExecutor(13) as pool:
        # the first keeps the model busy, so that the others come into one batch
        first = pool.submit(service.analyze, texts[:1])
        time.sleep(0.1)
        answers = list(pool.map(lambda text: service.analyze([text]), texts[1:]))
    assert first.result().status == 200
    assert [answer.status for answer in answers] == [500, 200, 200, 200] * 3


def test_answers_over_one_connection_do_not_wait_for_each_other(service: Running) -> None:
    """Head and body are sent apart: unless told, a system holds the body back until the head is confirmed."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    times = []
    for _ in range(30):
        began = time.perf_counter()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        times.append(time.perf_counter() - began)
    connection.close()
    # Linux confirms after 40 ms, but for the first few
    assert min(times[15:]) < 0.03
