"""Test a trained model by the metamorphic relations: predict functions, encoded cases, violation rates."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import torch

from aspectlab.data import Corpus, Example, Origin, Quad, Span
from aspectlab.encodings import MultiTurnEncoding, Subwords, Vocabulary
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import (
    ELEMENTS,
    MASK,
    Case,
    Group,
    Predict,
    ask_once,
    generate,
    group_cases,
    mask_by,
    measure_violations,
    put_mask,
)
from aspectlab.metrics import format_content
from aspectlab.models import Model, Plan
from aspectlab.tasks import TASKS
from aspectlab.training import EncodedDataset, MatoSettings, converse, predict, predict_store, settings_of

_LOG = logging.getLogger(__name__)


def as_predict_fn(model: Model) -> Predict:
    """Return a function that asks a model for the quads of some examples."""

    def ask(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        return [example.quads for example in predict(model, examples)]

    return mask_by(ask_once(ask), unknown_word(model.encoder.vocabulary))


def unknown_word(vocabulary: Vocabulary) -> str:
    """Return the unknown word of a vocabulary: `<unk>` where it is special there and `[UNK]` is not."""
    if not isinstance(vocabulary, Subwords):
        return MASK
    special = {token.content for token in vocabulary.tokenizer.get_added_tokens_decoder().values()}
    return "<unk>" if "<unk>" in special and MASK not in special else MASK


class EncodedCases:
    """All texts of a test by the relations, each encoded once; any number of models of a kind may answer."""

    def __init__(self, model: Model, groups: Iterable[Group], device: torch.device) -> None:
        self.unknown = unknown_word(model.encoder.vocabulary)
        texts = dict.fromkeys(
            example.text
            for source, cases in groups
            for example in (source, *(case.followup for case in cases))
        )
        examples = [put_mask(Example(text, text), self.unknown) for text in texts]
        # a dialogue has first questions, which hang on no answer
        items = model.encoding.open(examples) if isinstance(model.encoding, MultiTurnEncoding) else None
        self.store = EncodedDataset(model.encoding, examples, device, items)

    def answer(self, model: Model, precision: str) -> Predict:
        """Run a model on all texts now; return a function that looks its answers up."""
        store, encoding = self.store, model.encoding
        if isinstance(encoding, MultiTurnEncoding):
            quads = converse(model, encoding, store, precision)
        else:
            quads = predict_store(model, store, range(len(store.examples)), precision=precision)
        found = dict(zip((example.text for example in store.examples), quads, strict=True))
        return mask_by(lambda examples: [found[example.text] for example in examples], self.unknown)


class RelationTest:
    """Violation rates on follow-ups that were made before, for any number of trained models of a kind."""

    def __init__(self, model: Model, followups: Corpus, candidates: int, device: torch.device) -> None:
        self._groups = list(limit_cases(group_cases(followups), candidates))
        self._cases = EncodedCases(model, self._groups, device)
        content = format_content(followups.own_name, followups.sha256)
        self._signature = f"metamorphic-vr|corpus:{content}|candidates:{candidates}"

    def measure(self, model: Model, precision: str) -> tuple[dict[str, float], str]:
        """Return the rates by relation, by element and on average, and their signature."""
        answer = self._cases.answer(model, precision)
        table = measure_violations(self._groups, answer, TASKS[model.task], timeout_s=600).table
        means, conditional = table.summarise(), table.summarise_conditional()
        rates = {
            "vr": means["average"],
            "vr_conditional": conditional["average"],
            **{f"vr_{element}": means[element] for element in ELEMENTS},
            **{f"vr_{name.lower()}": counts.vr for name, counts in table.tallies.items()},
            **{f"vr_conditional_{name.lower()}": c.vr_conditional for name, c in table.tallies.items()},
        }
        return {name: rate for name, rate in rates.items() if rate is not None}, self._signature


def limit_cases(groups: Iterable[Group], most: int) -> Iterator[Group]:
    """Keep the first candidates of every replacement: of each relation, target and replaced words."""
    for source, cases in groups:
        seen: Counter[tuple[str, int | None, Span | None]] = Counter()
        kept: list[Case] = []
        for case in cases:
            origin = case.followup.origin or Origin(None)
            replaced = next((edit.span for edit in origin.edits), None)
            key = case.relation, origin.target, replaced
            seen[key] += 1
            if seen[key] <= most:
                kept.append(case)
        yield source, kept


def find_rates(plan: Plan) -> list[float] | None:
    """Return the rates of aspect, opinion and sentiment that a plan holds; None if they must be measured.

    >>> find_rates(Plan(mato_aspect=0.3, mato_opinion=0.2, mato_sentiment=0.4))
    [0.3, 0.2, 0.4]
    """
    settings = settings_of(plan, MatoSettings)
    given = (settings.mato_aspect, settings.mato_opinion, settings.mato_sentiment)
    rates = [rate for rate in given if rate is not None]
    if wrong := [rate for rate in rates if not 0 <= rate <= 1]:
        raise ConfigError(f"plan: a violation rate of {wrong[0]!r}: expected a share from 0 to 1")
    if len(rates) not in (0, len(given)):
        names = ", ".join(f"mato_{element}" for element in ELEMENTS)
        raise ConfigError(f"plan: found {len(rates)} violation rates: expected all of {names}")
    if settings.mato_variant == "weighting":
        return [0.0] * len(given)  # nothing is discerned, so nothing is weighed
    return rates or None


def measure_rates(model: Model, train: Sequence[Example], dev: Sequence[Example]) -> list[float]:
    """Test a trained model by the relations on dev; phrases of MR1-3 are made of train."""
    task, parts = TASKS["aste"], {"dev": dev, "train": train}
    source, pool = (Corpus(name, "und", task.parts, tuple(part)) for name, part in parts.items())
    found = measure_violations(generate(source, pool), as_predict_fn(model), task).table.summarise()
    rates = [rate for element in ELEMENTS if (rate := found[element]) is not None]
    if len(rates) < len(ELEMENTS):
        raise ConfigError(
            f"mato: no relation about each of {', '.join(ELEMENTS)} applies to dev: expected more triplets; "
            "give mato_aspect, mato_opinion and mato_sentiment"
        )
    if not any(rates):
        raise ConfigError(
            "mato: the model without it violates no relation on dev, mostly because it finds nothing yet: "
            "expected a rate above 0, for they weigh MATO; train longer, or give mato_aspect, mato_opinion "
            "and mato_sentiment"
        )
    _LOG.info("violation rates on dev: %s", ", ".join(f"{rate:.3f}" for rate in rates))
    return rates
