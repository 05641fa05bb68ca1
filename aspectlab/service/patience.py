"""Work for a client only as long as that client is there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect

_LOOK_EVERY_S = 1.0

Result = TypeVar("Result")


async def work_while_connected(request: Request, work: Coroutine[None, None, Result]) -> Result:
    """Wait for some work, and cancel it when the client goes away."""
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait({task}, timeout=_LOOK_EVERY_S))[0]:
            if await request.is_disconnected():
                raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
