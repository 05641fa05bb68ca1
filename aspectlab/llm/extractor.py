"""Extract the opinions of a corpus with a chat model: ask in threads, keep the order, lose no answer."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass, field, replace
from statistics import median

from aspectlab.data import Corpus, Example, Quad
from aspectlab.errors import AspectlabError, DataError
from aspectlab.llm.chat import AnswerCache, ChatAnswer, Message, request_key
from aspectlab.llm.client import Client, RefusedError
from aspectlab.llm.prompts import (
    Form,
    build_complaint,
    build_messages,
    choose_form,
    locate_records,
    parse_answer,
)
from aspectlab.llm.usage import Budget, ExtractionProblem, Report, UsageCounts
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.tasks import TASKS

_GRACE_S = 5.0
"""Who stops a command waits no longer for answers that are under way."""

_PATIENCE = 3
"""So many refusals before any answer mean that the endpoint refuses us, not a text; long ones do not count,
for they are refused where others are not."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The corpus with the quads that the model named instead of its own, and the report of the run."""

    corpus: Corpus
    report: Report


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """What came of one text."""

    quads: tuple[Quad, ...] = ()
    records_dropped: int = 0
    malformed: str | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class _Asker:
    """Everything that a question needs; its threads share the counts."""

    client: Client
    form: Form
    shots: Sequence[Example]
    cache: AnswerCache | None
    budget: Budget
    usual: float  # letters of a text, at the median
    tally: UsageCounts = field(default_factory=UsageCounts)
    refusals: list[RefusedError] = field(default_factory=list)
    ordinary: list[str] = field(default_factory=list)  # refused, though they are not long
    failures: list[AspectlabError] = field(default_factory=list)

    def run(self, text: str) -> ExampleOutcome:
        """Ask about one text; the first thread that fails for good stops the others."""
        try:
            return self.solve(text)
        except AspectlabError as error:
            self.failures.append(error)
            self.client.stop.set()
            raise

    def solve(self, text: str) -> ExampleOutcome:
        """Ask about one text; an unusable answer is sent back once with what is wrong."""
        messages = build_messages(self.form, self.shots, text)
        problem = ""
        for number in range(2):
            try:
                answer = self._ask(messages)
            except RefusedError as error:
                return self._bear(error, text)
            try:
                records = parse_answer(self.form, answer)
                return ExampleOutcome(*locate_records(text, records, with_implicit=self.form.has_implicit))
            except DataError as error:
                problem = str(error)
            if number == 0:
                self.tally.count_asked_again()
                messages += build_complaint(self.form, answer, problem)
        return ExampleOutcome(malformed=problem)

    def _ask(self, messages: Sequence[Message]) -> ChatAnswer:
        client = self.client
        key = request_key(client.model, messages, client.parameters)
        known = self.cache.find(key) if self.cache else None
        if known is not None:
            self.tally.count_cached()
            return known
        with self.budget.hold(messages, client.max_tokens) as charge:
            answer = client.ask(messages)
            charge(answer)
        if self.cache:
            self.cache.keep(key, answer)
        self.tally.count_answer(answer)
        return answer

    def _bear(self, error: RefusedError, text: str) -> ExampleOutcome:
        """Go on without a text that is refused, unless all are."""
        self.refusals.append(error)
        if len(text) <= self.usual:
            self.ordinary.append(text)
        if len(self.ordinary) >= _PATIENCE:
            self.refuse_silence()
        return ExampleOutcome(refused=str(error))

    def refuse_silence(self) -> None:
        """Raise the first refusal if there is no answer at all: then it is not about a text."""
        if self.refusals and not self.tally.answered:
            raise RefusedError(
                f"{self.refusals[0]}: texts refused so far: {len(self.refusals)}, answered: none; check the "
                "model and --endpoint, lower --max-tokens or --shots, or shorten the texts"
            )


def extract(
    corpus: Corpus,
    client: Client,
    *,
    task: str = "aste",
    categories: Sequence[str] = (),
    shots: Sequence[Example] = (),
    concurrency: int = 8,
    cache: AnswerCache | None = None,
    budget: Budget | None = None,
    progress: ProgressCallback[None] | None = None,
) -> Extraction:
    """Ask a chat model for the opinions of each text; equal texts are asked about once, blank ones never.

    `categories` are those that quads may have; without them the model names its own. `progress` is called
    after each text. Where something fails for good, answers that are under way are still kept, and the same
    call goes on from there.
    """
    texts = list(dict.fromkeys(example.text for example in corpus if example.text.strip()))
    usual = median(map(len, texts)) if texts else 0
    asker = _Asker(client, choose_form(task, categories), shots, cache, budget or Budget(), usual)
    outcomes = _solve_all(asker, texts, concurrency, progress)
    asker.refuse_silence()
    predicted = [
        replace(example, quads=outcomes.get(example.text, ExampleOutcome()).quads)
        for example in corpus.examples
    ]
    answered = replace(corpus.with_examples(predicted), annotates=TASKS[task].parts)
    return Extraction(answered, _report(asker, answered, outcomes))


def _solve_all(
    asker: _Asker, texts: Sequence[str], concurrency: int, progress: ProgressCallback[None] | None
) -> dict[str, ExampleOutcome]:
    with ThreadPoolExecutor(concurrency) as pool:
        futures = {pool.submit(asker.run, text): text for text in texts}
        outcomes = {}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                outcomes[futures[future]] = future.result()
                if progress:
                    text = f"{done:,} of {len(texts):,} texts"
                    progress(Progress(done / len(texts), text, None))
        except AspectlabError:
            # a thread that was only stopped may come before the one that failed
            raise asker.failures[0] from None
        except KeyboardInterrupt:
            # what is about to come is paid for, but an endpoint may never answer
            asker.client.stop.set()
            wait([future for future in futures if future.running()], timeout=_GRACE_S)
            asker.client.abort.set()
            raise
        finally:
            # after a failure: no new question, no pause, but what is out is paid for
            asker.client.stop.set()
            pool.shutdown(cancel_futures=True)
            asker.client.stop.clear()
            asker.client.abort.clear()
    return outcomes


def _report(asker: _Asker, corpus: Corpus, outcomes: dict[str, ExampleOutcome]) -> Report:
    client, tally = asker.client, asker.tally
    by_id = {example.id: outcomes.get(example.text, ExampleOutcome()) for example in corpus}
    return Report(
        model=client.model,
        endpoint=client.endpoint.url,
        task=asker.form.task,
        shots=len(asker.shots),
        examples=len(corpus),
        predictions=sum(len(example.quads) for example in corpus),
        requests=tally.requests,
        cached=tally.cached,
        retries=client.retries,
        asked_again=tally.asked_again,
        records_dropped=sum(outcome.records_dropped for outcome in outcomes.values()),
        malformed=tuple(
            ExtractionProblem(id, found.malformed) for id, found in by_id.items() if found.malformed
        ),
        refused=tuple(ExtractionProblem(id, found.refused) for id, found in by_id.items() if found.refused),
        parameters_dropped=tuple(sorted(client.dropped)),
        prompt_tokens=tally.prompt_tokens,
        completion_tokens=tally.completion_tokens,
        answers_without_tokens=tally.answers_without_tokens,
        cost=tally.cost(asker.budget.prices),
    )
