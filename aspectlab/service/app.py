"""The application: routes of the REST interface and of the web page, behind the guard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI

from aspectlab.runtime import Predictor
from aspectlab.service.access import Access, list_public
from aspectlab.service.fairness import Room
from aspectlab.service.filereport import Reports
from aspectlab.service.guard import BodyRule, Guard
from aspectlab.service.inference import Inference, Queue
from aspectlab.service.limits import Limits
from aspectlab.service.metrics import Metrics
from aspectlab.service.pages import add_pages
from aspectlab.service.problems import add_answers
from aspectlab.service.routes import ANALYZE, REPORT, Service, add_routes
from aspectlab.version import VERSION

_ABOUT = """Finds what texts praise and blame: aspects, the words of opinion about them, and the polarity.

Offsets count characters (Unicode code points) of the text, end exclusive. Every error has the body
`{"error": {"code", "message", "remedy"}}`."""


def build_app(predictor: Predictor, *, limits: Limits | None = None, access: Access | None = None) -> Guard:
    """Assemble the service around a model; with a token, all routes require it but those declared public."""
    chosen, metrics, inference = limits or Limits(), Metrics(), Inference(predictor)
    service = Service(
        model=predictor.identity,
        limits=chosen,
        metrics=metrics,
        queue=Queue(inference, chosen),
        reports=Reports(inference, chosen),
    )

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncIterator[None]:
        service.reports.open()
        turn = asyncio.create_task(service.queue.run())
        yield
        turn.cancel()
        with suppress(asyncio.CancelledError):
            await turn
        service.reports.close()
        service.queue.close()

    # the pages that FastAPI brings load their scripts from a network; ours is under /docs
    app = FastAPI(
        title="aspectlab",
        version=VERSION,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=live,
    )
    add_answers(app)
    add_routes(app, service)
    add_pages(app)
    rules = {
        ANALYZE: BodyRule(chosen.body_bytes, Room(chosen.buffered_bytes), "application/json"),
        REPORT: BodyRule(chosen.upload_bytes, Room(chosen.uploads * chosen.upload_bytes)),
    }
    # the description is a route of FastAPI's own
    public = list_public(app.routes) | {("GET", str(app.openapi_url))}
    return Guard(app, rules=rules, public=public, access=access or Access(), limits=chosen, metrics=metrics)
