"""The part of `aspectlab metamorphic test` that asks a chat model: `llm:MODEL` in place of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aspectlab.cli.llm import Asking, open_client
from aspectlab.errors import DataError
from aspectlab.llm import default_cache, extract
from aspectlab.llm.client import RefusedError
from aspectlab.llm.prompts import choose_form

if TYPE_CHECKING:
    from aspectlab.data import Corpus, Example, Quad
    from aspectlab.metamorphic import Predict


def ask_llm(model: str, corpus: Corpus, asking: Asking) -> Predict:
    """Give what asks a chat model for the opinions of some texts; answers are kept for the next time.

    One text without a usable answer fails the whole call: the test then asks for parts of it, which costs
    nothing for the texts that are answered by then, until that text stands alone.
    """
    choose_form(asking.task)
    open_client(model, asking)  # what is missing is told before the first question
    cache = default_cache()

    def ask(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        # a client that had to stop asks no more, so each call has its own
        client = open_client(model, asking)
        asked = corpus.with_examples(examples)
        try:
            found = extract(asked, client, task=asking.task, concurrency=asking.concurrency, cache=cache)
        except RefusedError as error:
            raise DataError(str(error)) from None
        for problem in (*found.report.malformed, *found.report.refused):
            raise DataError(f"example {problem.id!r}: {problem.reason}")
        return [example.quads for example in found.corpus]

    return ask
