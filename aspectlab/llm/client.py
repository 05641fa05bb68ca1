"""Client: ask a chat model, and ask again where the endpoint was only busy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from random import Random
from ssl import SSLCertVerificationError
from threading import Event, Lock

from aspectlab.errors import AspectlabError, ConfigError, DataError, EndpointError
from aspectlab.llm.chat import Answer, Message
from aspectlab.llm.endpoint import Endpoint
from aspectlab.llm.replies import read_answer, read_error, read_wait, shorten
from aspectlab.llm.transport import Response, post

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
    lets no further question out.
    """

    endpoint: Endpoint
    model: str
    max_tokens: int = 1024
    timeout_s: float = 60.0
    tries: int = 6
    wait: Callable[[float], object] | None = None
    rng: Random = field(default_factory=Random)
    stop: Event = field(default_factory=Event)
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

    def ask(self, messages: Sequence[Message]) -> Answer:
        """Give the answer to a conversation; busy endpoints and lost connections are tried again."""
        trouble = Trouble("not asked")
        for number in range(self.tries):
            if self.stop.is_set():
                break
            if number:
                with self._lock:
                    self.retries += 1
            outcome = self._try(messages)
            if isinstance(outcome, Answer):
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

    def _try(self, messages: Sequence[Message]) -> Answer | Trouble:
        while True:
            body = self._body(messages)
            try:
                response = post(self.endpoint, body, self.timeout_s)
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
        """Say why no response came; a certificate that is not trusted will not be trusted next time."""
        reason = getattr(error, "reason", error)
        if isinstance(reason, SSLCertVerificationError):
            raise EndpointError(
                f"{self._where}: its certificate is not trusted: {reason.verify_message}; check the address"
            ) from None
        if isinstance(reason, TimeoutError):
            return Trouble(f"no whole answer within {self.timeout_s:g} s")
        return Trouble(self.endpoint.redact(str(reason)) or type(reason).__name__)

    def _judge(self, response: Response) -> Answer | Trouble:
        if response.status == 200:
            return self._read(response.text)
        said = self._quote(response.text)
        if response.status in _BUSY or response.status >= 500:
            return Trouble(f"status {response.status}: {said!r}", read_wait(response.retry_after))
        raise self._refusal(response, said)

    def _read(self, body: str) -> Answer | Trouble:
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
                f"{where}: the key of environment variable {variable} {state}: "
                f"set {variable} to a key of this endpoint, or name another with --key-variable"
            )
        if 300 <= response.status < 400:
            place = self.endpoint.redact(response.location or "nowhere")
            return ConfigError(f"{where}: it sends us on to {place!r}: name that address with --endpoint")
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
