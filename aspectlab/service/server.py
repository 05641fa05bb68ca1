"""Server: the service on a socket, with its time limits."""

import asyncio
import errno
import math
import socket
import sys
import time
from ipaddress import ip_address
from typing import ClassVar

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

from aspectlab.errors import ConfigError
from aspectlab.service.fairness import name_client
from aspectlab.service.limits import Limits
from aspectlab.service.problems import render_error

_BACKLOG = 1024
_ACCEPTED_AT_ONCE = 8
"""Connections that are taken before requests go on; asyncio takes as many as may wait."""

_KEEP_ALIVE_S = 5
_READ_BYTES = 4 << 10
"""What is read of one client before the others come: a megabyte in chunks of a byte takes half a second."""

_LONG_S, _REST = 0.001, 9
"""Who keeps the parser busy for longer than that is not read from for so many times as long."""

_SMALL_BYTES = 256
_CROWD = 1 / 8
"""Of the connections that may be; with as many, who sends in small pieces is read from only now and then. A
thousand clients that send a byte each from time to time would else keep the others waiting."""

_REST_S, _LONGEST_REST_S = 0.25, 2.5

_TURN_S = 0.0005
"""How long a thread may keep Python to itself: a request passes through five, and waits in each."""

_REASONS = {
    errno.EADDRINUSE: "is in use: stop the other program, or choose another --port",
    errno.EACCES: "may not be used by this user: choose a --port above 1023",
}


def open_socket(host: str, port: int) -> socket.socket:
    """Listen at an address before anything is loaded, so that it is known to be free; port 0: any."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # a name that cannot be written for the network raises a UnicodeError
    except (socket.gaierror, UnicodeError):
        raise ConfigError(f"--host {host!r}: no such address; try 127.0.0.1") from None
    try:
        return socket.create_server(address, family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, f"cannot be used: {error.strerror}: choose another --host")
        raise ConfigError(f"--host {host} --port {port}: {reason}") from None


def name_address(listener: socket.socket) -> str:
    """Return the address for a browser, on any machine that the service listens to."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: ASGIApp, listener: socket.socket, limits: Limits | None = None) -> None:
    """Serve until SIGINT or SIGTERM; then nothing new is taken, and what runs is finished."""
    chosen = limits or Limits()
    config = uvicorn.Config(
        app,
        http=limit_protocol(chosen),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="error",  # what is no HTTP would else fill the log
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=math.ceil(min(_KEEP_ALIVE_S, chosen.silence_s)),
        # every request ends by itself within its limit
        timeout_graceful_shutdown=math.ceil(
            max(chosen.analyze_s, chosen.turn_s + chosen.report_s) + chosen.write_s
        ),
        h11_max_incomplete_event_size=chosen.header_bytes,
        backlog=_ACCEPTED_AT_ONCE,
    )
    sys.setswitchinterval(_TURN_S)
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Lets more clients wait than are taken at once."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)


class _Flow(FlowControl):
    """Reading and writing of a connection, of which reading may rest for a while, whoever would resume it."""

    _is_resting = False
    _resumes = False

    def rest(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        """Read nothing for so long."""
        self._resumes = not self.read_paused
        self._is_resting = True
        super().pause_reading()
        loop.call_later(seconds, self._end_rest)

    def pause_reading(self) -> None:
        """Stop to read, also after the rest."""
        self._resumes = False
        super().pause_reading()

    def resume_reading(self) -> None:
        """Read on, after the rest if there is one."""
        self._resumes = True
        if not self._is_resting:
            super().resume_reading()

    def _end_rest(self) -> None:
        self._is_resting = False
        if self._resumes:
            super().resume_reading()


class Patience:
    """The connections that keep the service waiting, by client, the longest first."""

    def __init__(self) -> None:
        self._clients: dict[str, dict[TimedProtocol, None]] = {}

    def add(self, connection: "TimedProtocol") -> None:
        """Note that it is a client's turn to send or to take something."""
        self._clients.setdefault(connection.owner, {})[connection] = None

    def remove(self, connection: "TimedProtocol") -> None:
        """Note that it is the service's turn, or that the connection is closed."""
        waiting = self._clients.get(connection.owner, {})
        waiting.pop(connection, None)
        if not waiting:
            self._clients.pop(connection.owner, None)

    def lose(self) -> bool:
        """Drop the oldest connection of the client that has most of them."""
        if not self._clients:
            return False
        # the longest: what has just connected, whoever it is, shall have the time to send its request
        most = max(self._clients.values(), key=len)
        chosen = next(iter(most))
        self.remove(chosen)
        chosen.transport.abort()
        return True


class TimedProtocol(H11Protocol):
    """One connection."""

    limits: ClassVar[Limits] = Limits()
    patience: ClassVar[Patience] = Patience()
    owner = ""
    _flow: _Flow
    _is_refused = False
    _small_pieces = 0
    _request_timer: asyncio.TimerHandle | None = None
    _answer_timer: asyncio.TimerHandle | None = None

    @property
    def is_serving(self) -> bool:
        """Return whether a request has begun that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; where there are too many clients, one makes room."""
        super().connection_made(transport)
        # asyncio sets this only where a socket names its protocol, which an accepted one need not: the body
        # would wait for the client to confirm the head, which takes 40 ms on a connection that is kept open
        if connection := transport.get_extra_info("socket"):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # with no room between "all is sent" and "paused", a client that takes nothing is always noticed
        transport.set_write_buffer_limits(high=0)
        transport.max_size = _READ_BYTES  # type: ignore[attr-defined]
        self.flow = self._flow = _Flow(transport)
        self.owner = name_client(self.client[0]) if self.client else ""
        if len(self.connections) > self.limits.connections and not self.patience.lose():
            self._refuse(503, "too_many_connections", "too many clients are connected", "try again later")
        self.patience.add(self)
        self._request_timer = self.loop.call_later(self.limits.silence_s, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take bytes; while no request is being served, a time limit runs for its headers to be complete."""
        if self._is_refused:
            return
        is_small = len(data) < _SMALL_BYTES  # and quickly parsed: to look at this clock takes as long
        began = 0.0 if is_small else time.thread_time()
        super().data_received(data)
        busy = 0.0 if is_small else time.thread_time() - began
        is_complete = self.is_serving and not self.cycle.more_body
        self._small_pieces = 0 if is_complete or not is_small else self._small_pieces + 1
        if busy > _LONG_S:
            self._flow.rest(self.loop, _REST * busy)
        elif self._small_pieces > 1 and len(self.connections) > _CROWD * self.limits.connections:
            self._flow.rest(self.loop, self._choose_rest())
        if self.is_serving:
            self._stop_request_timer()
            if is_complete:
                self.patience.remove(self)
        elif self._request_timer is None:
            self._request_timer = self.loop.call_later(self.limits.silence_s, self.transport.abort)

    def _choose_rest(self) -> float:
        """Return how long to read nothing of what comes in small pieces: longer with each of them."""
        doubled: float = _REST_S * 2 ** min(self._small_pieces - 2, 10)
        # not all at once: they end at different times
        spread = 0.5 + hash(self.client) % 64 / 64
        return min(doubled, _LONGEST_REST_S, self.limits.silence_s / 4) * spread

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        if not self.transport.is_closing():
            self.patience.add(self)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers with the connection."""
        self.patience.remove(self)
        self._stop_request_timer()
        self._stop_answer_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for the client to take what was sent."""
        super().pause_writing()
        self.patience.add(self)
        self._answer_timer = self.loop.call_later(self.limits.write_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that the client took all of it."""
        super().resume_writing()
        if self.is_serving and not self.cycle.more_body:
            self.patience.remove(self)
        self._stop_answer_timer()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, unless an answer is under way."""
        if self.is_serving and self.cycle.response_started:
            self.transport.close()
        elif len(self.conn.trailing_data[0]) > self.limits.header_bytes:
            found = f"the address and the headers have more than {self.limits.header_bytes:,} bytes"
            self._write_problem(431, "head_too_long", found, "send only what /docs names")
            # what still comes is dropped, or the client might never see why; the timer ends that
            self._is_refused = True
            self.transport.write_eof()
        else:
            self._refuse(400, "not_http", "the request is not valid HTTP/1.1", "check the client")

    def _refuse(self, status: int, code: str, message: str, remedy: str) -> None:
        self._write_problem(status, code, message, remedy)
        self.transport.close()

    def _write_problem(self, status: int, code: str, message: str, remedy: str) -> None:
        body = render_error(code, message, remedy)
        head = (
            f"HTTP/1.1 {status} {code}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_answer_timer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None


def limit_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """Return the protocol with these limits as a class, which is what the server takes."""
    members: dict[str, object] = {"limits": limits, "patience": Patience()}
    return type("LimitedProtocol", (TimedProtocol,), members)
