"""Client: ask a chat model over HTTP, wait where it is busy, try again, and read its reply."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from random import Random
from ssl import SSLCertVerificationError
from threading import Event, Lock

from aspectlab.errors import AspectlabError, ConfigError, DataError, EndpointError
from aspectlab.llm.chat import ChatAnswer, Message
from aspectlab.llm.endpoint import Endpoint, Response, post
from aspectlab.untrusted import parse_json

_SHOWN = 200


def read_answer(body: str) -> ChatAnswer:
    """Take the answer out of a chat completion.

    >>> read_answer('{"choices": [{"message": {"content": "Yes"}}], "usage": {"prompt_tokens": 7}}')
    ChatAnswer(text='Yes', cut_off=False, prompt_tokens=7, completion_tokens=None)
    """
    record = _parse(body)
    choices = _get(record, "choices")
    if not isinstance(choices, list) or not choices:
        raise DataError("expected a chat completion with choices")
    message = _get(choices[0], "message")
    if not isinstance(message, dict):
        raise DataError("expected a chat completion with a message")
    usage = _get(record, "usage")
    return ChatAnswer(
        text=_join_parts(message.get("content")),
        cut_off=_get(choices[0], "finish_reason") == "length",
        prompt_tokens=_count(_get(usage, "prompt_tokens")),
        completion_tokens=_count(_get(usage, "completion_tokens")),
    )


def read_error(body: str) -> str:
    """Return what an endpoint says is wrong.

    >>> read_error('{"error": {"message": "no such model"}}'), read_error("<b>Bad gateway</b>")
    ('no such model', '<b>Bad gateway</b>')
    """
    record = _parse(body)
    error = _get(record, "error") or record
    said = error if isinstance(error, str) else _get(error, "message") or _get(error, "detail") or body
    return said if isinstance(said, str) else body


def shorten(text: str) -> str:
    """Return the start of a text on one line.

    >>> shorten("Bad   gateway")
    'Bad gateway'
    """
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def read_wait(header: str | None) -> float:
    """Return the seconds that a Retry-After header asks for: it holds a number or a date.

    >>> read_wait("7"), read_wait("Wed, 21 Oct 2015 07:28:00 GMT"), read_wait("soon"), read_wait(None)
    (7.0, 0.0, 0.0, 0.0)
    """
    if header is None:
        return 0.0
    if re.fullmatch(r"\d{1,9}(\.\d*)?", header.strip()):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    # a date without a zone is in UTC by the standard
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _parse(body: str) -> object:
    try:
        return parse_json(body)
    except ValueError:
        return None


def _get(record: object, key: str) -> object:
    return record.get(key) if isinstance(record, dict) else None


def _join_parts(content: object) -> str:
    """Return the text of a content, which some endpoints send in parts, thoughts apart from the answer."""
    parts = [_get(part, "text") for part in content] if isinstance(content, list) else [content]
    # a refusal or an answer cut off while the model still thought has no content
    return "".join(part for part in parts if isinstance(part, str))


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


_BUSY = {408, 425, 429}
_REFUSALS = {400, 413, 422}
_LONGEST_PAUSE_S = 60.0
_LONGEST_WAIT_S = 300.0
_KEPT = "answers so far are kept: run the same command again to go on"


class RefusedError(EndpointError):
    """Report that an endpoint refuses one question: too long, or not to its taste."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a try failed, and how long the endpoint asks to wait."""

    reason: str
    wait_s: float = 0.0


@dataclass(slots=True)
class Client:
    """A chat model behind an endpoint; several threads may ask at once.

    `wait` pauses between tries; tests give one that returns at once. Setting `stop` ends all pauses and
    lets no further question out; setting `abort` as well gives up the answers that are under way.
    """

    endpoint: Endpoint
    model: str
    max_tokens: int = 1024
    timeout_s: float = 60.0
    tries: int = 6
    wait: Callable[[float], object] | None = None
    rng: Random = field(default_factory=Random)
    stop: Event = field(default_factory=Event)
    abort: Event = field(default_factory=Event)
    retries: int = 0
    dropped: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    @property
    def parameters(self) -> dict[str, object]:
        """What is asked for beside the messages; an endpoint may not know all of it."""
        return {
            "temperature": 0,
            "max_tokens": self.max_tokens,
            "response_format": {"type": "json_object"},
        }

    def ask(self, messages: Sequence[Message]) -> ChatAnswer:
        """Return the answer to a conversation; busy endpoints and lost connections are tried again."""
        trouble = Trouble("not asked")
        for number in range(self.tries):
            if self.stop.is_set():
                break
            if number:
                with self._lock:
                    self.retries += 1
            outcome = self._try(messages)
            if isinstance(outcome, ChatAnswer):
                return outcome
            trouble = outcome
            if number + 1 < self.tries:
                self._pause(number, trouble)
        raise EndpointError(f"{self._where}: no answer in {self.tries} tries: {trouble.reason}; {_KEPT}")

    @property
    def _where(self) -> str:
        return f"endpoint {self.endpoint.url!r}, model {self.model!r}"

    def _pause(self, number: int, trouble: Trouble) -> None:
        """Wait twice as long each time, with jitter, lest all threads come back at once."""
        if trouble.wait_s > _LONGEST_WAIT_S:
            raise EndpointError(
                f"{self._where}: asks to wait {trouble.wait_s:,.0f} s: {trouble.reason}; try later, {_KEPT}"
            )
        pause_s = min(_LONGEST_PAUSE_S, 2.0**number) * self.rng.uniform(0.5, 1.0)
        (self.wait or self.stop.wait)(max(pause_s, trouble.wait_s))

    def _try(self, messages: Sequence[Message]) -> ChatAnswer | Trouble:
        while True:
            body = self._body(messages)
            try:
                response = post(self.endpoint, body, self.timeout_s, self.abort.is_set)
            except (OSError, HTTPException) as error:
                return self._explain_loss(error)
            unknown = _unknown_parameter(response, body)
            if unknown is None:
                return self._judge(response)
            self.dropped.add(unknown)

    def _body(self, messages: Sequence[Message]) -> dict[str, object]:
        wanted = self.parameters
        if "max_tokens" in self.dropped:  # the name that the same limit has with newer models
            wanted["max_completion_tokens"] = self.max_tokens
        kept = {name: value for name, value in wanted.items() if name not in self.dropped}
        return {"model": self.model, "messages": list(messages), **kept}

    def _explain_loss(self, error: OSError | HTTPException) -> Trouble:
        """Describe why no response came; a certificate that is not trusted will not be trusted next time."""
        reason = getattr(error, "reason", error)
        if isinstance(reason, SSLCertVerificationError):
            raise EndpointError(
                f"{self._where}: its certificate is not trusted: {reason.verify_message}; check the address"
            ) from None
        if isinstance(reason, TimeoutError):
            return Trouble(f"no whole answer within {self.timeout_s:g} s")
        return Trouble(self.endpoint.redact(str(reason)) or type(reason).__name__)

    def _judge(self, response: Response) -> ChatAnswer | Trouble:
        if response.status == 200:
            return self._read(response.text)
        said = self._quote(response.text)
        if response.status in _BUSY or response.status >= 500:
            return Trouble(f"status {response.status}: {said!r}", read_wait(response.retry_after))
        raise self._refusal(response, said)

    def _read(self, body: str) -> ChatAnswer | Trouble:
        try:
            answer = read_answer(body)
        except DataError as error:
            return Trouble(f"found {self._quote(body)!r}: {error}; check that the address is a chat API's")
        return replace(answer, text=self.endpoint.redact(answer.text))

    def _quote(self, body: str) -> str:
        """Repeat what an endpoint said; the key goes before the text is cut, lest half of it stay."""
        return shorten(self.endpoint.redact(read_error(body)))

    def _refusal(self, response: Response, said: str) -> AspectlabError:
        """Choose the error for a status that asking again does not mend."""
        where = f"{self._where}: status {response.status}: {said!r}"
        variable = self.endpoint.variable
        if response.status in (401, 403):
            state = "is not accepted" if self.endpoint.key else "is missing"
            return ConfigError(
                f"{where}: the key of environment variable {variable} {state}; "
                f"set {variable} to a key of this endpoint, or name another with --key-variable"
            )
        if 300 <= response.status < 400:
            position = self.endpoint.redact(response.location or "nowhere")
            return ConfigError(f"{where}: it redirects to {position!r}; name that address with --endpoint")
        if response.status == 404:
            return ConfigError(f"{where}: expected a model that is there; check the model and --endpoint")
        if response.status in _REFUSALS:
            return RefusedError(where)
        return EndpointError(f"{where}: expected status 200; {_KEPT}")


def _unknown_parameter(response: Response, body: dict[str, object]) -> str | None:
    """Name the parameter that an endpoint does not take, if that is why it refused."""
    if response.status not in _REFUSALS:
        return None
    said = response.text
    if "response_format" in body and "response_format" in said:
        return "response_format"
    # a limit that is only too high for this text ("max_tokens is too large") must stay for the others
    is_unknown = any(word in said.lower() for word in ("support", "unrecogni", "unknown", "not permitted"))
    optional = ("temperature", "max_completion_tokens", "max_tokens")
    return next((name for name in optional if is_unknown and name in body and name in said), None)
