"""The end of the service: running requests are finished, new ones are not taken."""

import signal
import threading
import time

import pytest

from tests.support.service_process import Answer, Running, running, wait_until


def is_working(service: Running) -> bool:
    """Whether the service has begun with a request, beside that for the metrics."""
    return b"aspectlab_requests_in_flight 2" in service.ask("GET", "/metrics").body


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_service_finishes_running_requests_when_it_is_stopped(number: signal.Signals) -> None:
    answers: list[Answer] = []
    with running() as service:
        asking = threading.Thread(target=lambda: answers.append(service.analyze(["pause 2000 ms"])))
        asking.start()
        assert wait_until(lambda: is_working(service), 10)
        service.process.send_signal(number)
        asking.join()
        service.process.wait(timeout=10)
        _, errors = service.end()
    assert [answer.status for answer in answers] == [200]
    assert "Traceback" not in errors or number == signal.SIGINT  # who called `run` gets Ctrl-C as always


def test_service_takes_nothing_new_when_it_is_stopped() -> None:
    with running() as service:
        asking = threading.Thread(target=lambda: service.analyze(["pause 2000 ms"]))
        asking.start()
        assert wait_until(lambda: is_working(service), 10)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        with pytest.raises(ConnectionError):
            service.ask("GET", "/healthz")
        asking.join()


def test_client_that_goes_away_frees_the_place_of_its_report() -> None:
    with running(reports=1) as service:
        _send_and_leave(service)
        # noticed within a second, and given up before the next piece; the report itself takes 100 seconds
        end = time.monotonic() + 30
        while (answer := service.ask("POST", "/v1/report?name=a.txt", b"The fan is loud.\n")).status == 429:
            assert time.monotonic() < end
            time.sleep(0.5)
        assert answer.status == 200


def _send_and_leave(service: Running) -> None:
    import socket

    body = b"pause 5 ms\n" * 20_000
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        head = (
            f"POST /v1/report?name=a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        client.sendall(head.encode() + body)
        time.sleep(0.5)
