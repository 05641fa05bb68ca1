"""Run the service: its socket, its server, and an end that lets running requests finish."""

from __future__ import annotations

import errno
import math
import socket

import uvicorn
from starlette.types import ASGIApp

from aspectlab.errors import ConfigError
from aspectlab.service.limits import Limits
from aspectlab.service.protocol import limit_protocol

_BACKLOG = 1024
_KEEP_ALIVE_S = 5
_MAX_HEADER_BYTES = 32 << 10
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
        raise ConfigError(f"--host {host!r}: no such address: try 127.0.0.1") from None
    try:
        return socket.create_server(address, family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, f"cannot be used: {error.strerror}: choose another --host")
        raise ConfigError(f"--host {host} --port {port}: {reason}") from None


def name_address(listener: socket.socket) -> str:
    """Give the address for a browser."""
    host, port = listener.getsockname()[:2]
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
        timeout_graceful_shutdown=math.ceil(max(chosen.analyze_s, chosen.report_s) + chosen.write_s),
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        backlog=_BACKLOG,
    )
    uvicorn.Server(config).run(sockets=[listener])
