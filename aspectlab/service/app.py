"""The application: routes of the REST interface and of the web page, behind the guard."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import FastAPI, Query, Request
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from aspectlab.runtime import Predictor
from aspectlab.service.access import Access, list_public, public
from aspectlab.service.fairness import Room, name_client
from aspectlab.service.filereport import Reports
from aspectlab.service.guard import BodyRule, Guard
from aspectlab.service.inference import Inference, Queue
from aspectlab.service.limits import Limits
from aspectlab.service.metrics import CONTENT_TYPE, Metrics
from aspectlab.service.pages import REPORT_POLICY, add_pages
from aspectlab.service.problems import Problem, add_answers
from aspectlab.service.schemas import (
    FORMS,
    AnalyzeRequest,
    AnalyzeResponse,
    ErrorBody,
    Health,
    Readiness,
    ReportQuery,
    Work,
)
from aspectlab.version import VERSION

ANALYZE, REPORT, METRICS = "/v1/analyze", "/v1/report", "/metrics"

_MEANINGS = {
    400: "The body is no JSON, or incomplete.",
    401: "The token is missing or wrong.",
    403: "A page of another site made the request.",
    408: "The body did not come in time.",
    413: "The body, the texts or the file are too large.",
    414: "The query is too long.",
    415: "The body is of a wrong type, or packed.",
    421: "The service does not know itself by this name.",
    422: "The body is not what the interface says, or the file cannot be read.",
    429: "Busy: try again after Retry-After seconds.",
    503: "Not ready, or given up.",
    504: "The work took too long.",
}

Responses = dict[int | str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Service:
    """What the routes share."""

    model: str
    limits: Limits
    metrics: Metrics
    queue: Queue
    reports: Reports


def add_routes(app: FastAPI, service: Service) -> None:
    """Add the REST interface to an application."""
    _add_analyze(app, service)
    _add_report(app, service)
    _add_checks(app, service)


def _add_analyze(app: FastAPI, service: Service) -> None:
    @app.post(
        ANALYZE,
        summary="Analyse texts",
        responses=_errors(400, 401, 403, 408, 413, 414, 415, 421, 422, 429, 504),
    )
    async def analyze(body: AnalyzeRequest, request: Request) -> Response:
        """Find the opinions of some texts; the results come in the order of the texts."""
        work = Work(body.texts, body.options)
        if work.chars > service.limits.request_chars:
            message = f"the texts have more than {service.limits.request_chars:,} characters together"
            raise Problem(413, "too_much_text", message, "send them in several requests")
        results = await work_while_connected(request, service.queue.analyze(work, _name(request)))
        sentences = [sentence for result in results for sentence in result.sentences]
        opinions = sum(len(sentence.opinions) for sentence in sentences)
        service.metrics.add(texts=len(body.texts), sentences=len(sentences), opinions=opinions)
        # a long answer takes a tenth of a second to write
        answer = AnalyzeResponse(model=service.model, results=results)
        return Response(await asyncio.to_thread(_write, answer), media_type="application/json")


def _add_report(app: FastAPI, service: Service) -> None:
    text = {"schema": {"type": "string"}}
    page = {
        "content": {"text/html": text, "text/csv": text, "application/json": {"schema": {"type": "object"}}},
        "description": "The report, a page; its counts as JSON; or the opinions as CSV.",
    }
    upload = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}

    @app.post(
        REPORT,
        summary="Analyse a file of reviews",
        response_class=HTMLResponse,
        responses={200: page, **_errors(400, 401, 403, 408, 413, 414, 415, 421, 422, 429, 503, 504)},
        openapi_extra={"requestBody": {**upload, "required": True, "description": "The file as it is."}},
    )
    async def report(query: Annotated[ReportQuery, Query()], request: Request) -> Response:
        """Analyse a file of reviews and give the report as one page that needs nothing beside it."""
        # only one may read what the client sends: first the file, then whether it is still there
        form = query.choose_form(request.headers.get("accept", ""))
        query = query.model_copy(update={"format": form})
        upload = await service.reports.take(request.stream(), query)
        content, aggregate = await work_while_connected(request, service.reports.make(upload, _name(request)))
        found = aggregate.totals
        service.metrics.add(
            reports=1, texts=found.reviews, sentences=found.sentences, opinions=found.opinions
        )
        if form != "html":
            return Response(content, media_type=next(kind for kind, name in FORMS.items() if name == form))
        return HTMLResponse(content, headers={"Content-Security-Policy": REPORT_POLICY})


def _add_checks(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", summary="Is the service alive?")
    @public
    async def health() -> Health:
        """Report that the service runs."""
        return Health(status="ok", version=VERSION)

    @app.get(
        "/readyz",
        summary="Can the service take work?",
        responses={503: {"model": ErrorBody, "description": _MEANINGS[503]}},
    )
    @public
    async def readiness() -> Readiness:
        """Report whether the queue has room."""
        if service.queue.is_full:
            raise Problem(503, "not_ready", "too many texts wait for the model", "try again later")
        return Readiness(status="ready", model=service.model)

    @app.get(METRICS, summary="Metrics", response_class=PlainTextResponse, responses=_errors(401, 421))
    async def metrics() -> Response:
        """Return counts of requests and texts, and request durations, in the format of Prometheus."""
        gauges = {"waiting_characters": service.queue.chars, "reports_in_flight": service.reports.busy}
        return Response(service.metrics.render(gauges), media_type=CONTENT_TYPE)


def _errors(*statuses: int) -> Responses:
    # not `model`: errors are JSON also where the answer is a page
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}}}
    return {status: {"content": content, "description": _MEANINGS[status]} for status in statuses}


def _write(answer: BaseModel) -> bytes:
    return answer.model_dump_json().encode()


def _name(request: Request) -> str:
    return name_client(request.client.host) if request.client else ""


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
