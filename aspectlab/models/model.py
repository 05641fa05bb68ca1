"""Model: what all models share, the table of them, their settings with ranges, and how they are trained."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, wraps
from typing import Annotated, ClassVar, Literal, TypeVar, get_args, get_type_hints

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from aspectlab.data import Example
from aspectlab.encoders import Encoder, draw_lora
from aspectlab.encodings import Batch, Encoding, Layout, PairEncoding
from aspectlab.errors import ConfigError
from aspectlab.registry import Registry, check_options

Precision = Literal["auto", "fp32", "bf16"]
"""What is computed in; auto: bfloat16 where that is fast."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a setting may be, declared where the setting is: `Annotated[float, Range(0, 1)]`.

    >>> 1 in Range(0, below(1)), math.inf in Range(0), math.inf in Range(0, unlimited=True)
    (False, False, True)
    """

    least: float = -math.inf
    most: float = math.inf
    expected: str = "a finite number"
    unlimited: bool = False  # infinity says "no limit"; anywhere else no number would come out of it

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.most and (self.unlimited or math.isfinite(value))


def above(limit: float) -> float:
    """Return the number right above a limit that a setting must not reach."""
    return math.nextafter(limit, math.inf)


def below(limit: float) -> float:
    """Return the number right below a limit that a setting must not reach."""
    return math.nextafter(limit, -math.inf)


Size = Annotated[int, Range(1, expected="a whole number from 1 on")]
"""The size of a part of a model, which torch refuses without a word of the setting."""

Count = Annotated[int, Range(0, expected="a whole number from 0 on")]
"""How many parts of a kind a model has; it may have none."""

Share = Annotated[float, Range(0, 1, "a share from 0 to 1")]
"""A probability, or a part of a whole."""

Dropout = Annotated[float, Range(0, below(1), "a share from 0 to below 1")]

Weight = Annotated[float, Range(0, expected="a number from 0 on")]
"""The weight of a part of a loss; below 0 the model would learn to do that part badly."""

Number = Annotated[float, Range()]
"""Any finite number."""

Rate = Annotated[float, Range(above(0), 10, "a rate above 0, such as 5e-5")]


T = TypeVar("T")


def _accept_extension_settings(kind: type[T]) -> type[T]:
    """Make the constructor collect every keyword that is not one of its fields in `extensions`."""
    construct = kind.__init__
    own = {each.name for each in fields(kind)}  # type: ignore[arg-type]

    @wraps(construct)
    def collect(self: T, *values: object, **settings: object) -> None:
        others = {name: settings.pop(name) for name in [*settings] if name not in own}
        if others:
            settings["extensions"] = {**settings.get("extensions", {}), **others}  # type: ignore[dict-item]
        construct(self, *values, **settings)

    kind.__init__ = collect  # type: ignore[method-assign, assignment]
    return kind


@_accept_extension_settings
@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of the one training loop; any other keyword is a setting of one of its extensions.

    >>> Plan(epochs=3, mato=True).extensions
    {'mato': True}
    """

    epochs: Size = 10
    batch_size: Size = 32
    learning_rate: Rate = 1e-4
    # None: the same as learning_rate
    encoder_learning_rate: Annotated[float, Range(0, 10, "a rate from 0 on, such as 5e-5")] | None = None
    # each encoder layer learns this much slower than the one above it
    layer_decay: Annotated[float, Range(0, 1, "a factor from 0 to 1")] = 1.0
    weight_decay: Weight = 0.01
    optimizer: Literal["adamw", "adam", "adagrad"] = "adamw"
    schedule: Literal["linear", "constant"] = "linear"
    warmup: Share = 0.1  # share of the training during which the rate rises
    clip: Annotated[float, Range(above(0), expected="a number above 0", unlimited=True)] = 1.0
    # decay of an exponential moving average of the weights, which is then scored and saved; 0: none
    average: Annotated[float, Range(0, below(1), "a decay from 0 to below 1")] = 0.0
    patience: Count = 5  # early stopping: epochs without a better dev score
    max_tokens: Size = 16_384  # per batch, padding included: a batch of long texts is smaller
    precision: Precision = "auto"
    extensions: Mapping[str, object] = field(default_factory=dict)  # such as those of MATO


@cache
def ranges_of(owner: type) -> Mapping[str, Range]:
    """Return the ranges that a class declares for the parameters of its constructor.

    >>> ranges_of(Plan)["clip"].expected
    'a number above 0'
    """
    hints = get_type_hints(owner.__init__, include_extras=True)  # type: ignore[misc]
    found = {name: _find_range(hint) for name, hint in hints.items()}
    return {name: declared for name, declared in found.items() if declared}


def _find_range(hint: object) -> Range | None:
    """Return the range that a hint holds, also within `Annotated[float, Range(0, 1)] | None`."""
    parts = (*getattr(hint, "__metadata__", ()), *get_args(hint))
    return next(
        (found for part in parts if (found := part if isinstance(part, Range) else _find_range(part))), None
    )


def find_range_problem(owner: type, key: str, value: object) -> str | None:
    """Return what is wrong with the value of a setting that a model or a plan has; None if nothing is.

    >>> find_range_problem(Plan, "clip", -1.0), find_range_problem(Plan, "clip", 1.0)
    ('clip = -1.0: expected a number above 0', None)
    """
    if not isinstance(value, int | float):
        return None
    declared = ranges_of(owner).get(key, Range())
    return None if value in declared else f"{key} = {value!r}: expected {declared.expected}"


def fill_open(settings: Mapping[str, object], found: Mapping[str, object]) -> dict[str, object]:
    """Complete settings by what was found in a corpus; one that is empty, as by default, is open.

    >>> fill_open({"styles": (), "kept": 8}, {"styles": ["memd"]})
    {'styles': ['memd'], 'kept': 8}
    """
    return {**settings, **{name: value for name, value in found.items() if not settings.get(name)}}


def weighted_mean(losses: Tensor, batch: Batch[Tensor]) -> Tensor:
    """Average losses over the items that are no filling, [B] -> []."""
    return (losses * batch.weight).sum() / batch.weight.sum().clamp(min=1)


def classification_loss(model: nn.Module, scores: Tensor, batch: Batch[Tensor]) -> Tensor:
    """Average the cross-entropy over the items that count: what a model uses that has no loss of its own."""
    losses = cross_entropy(scores.float(), batch.labels, reduction="none")  # [B]
    return weighted_mean(losses, batch)


class Model(nn.Module):
    """An encoder with something on top; `encoding` fixes what a batch holds and how scores become quads.

    The keyword-only parameters of the constructor are the model's settings.
    """

    task: str = "atsc"  # no class variable: a setting may decide it
    layout: ClassVar[Layout] = "sentence-aspect"
    plan: ClassVar[Plan] = Plan()
    default_encoder: ClassVar[str] = "minilm"
    later: ClassVar[frozenset[str]] = frozenset()
    """Settings that came when there were runs already: at their default they are no part of a run's id."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        draw_lora(encoder)
        # a model of another task, or one that needs more than pairs, puts its own in place
        self.encoding: Encoding = PairEncoding(encoder.vocabulary, self.layout)

    # which kind of batch it takes depends on the encoding, as with `forward`, which gives scores for a batch
    loss: Callable[..., Tensor] = classification_loss

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """Return the task that a model with these settings learns; for most it is always the same."""
        return cls.task

    @classmethod
    def complete_settings(
        cls, settings: Mapping[str, object], examples: Iterable[Example]
    ) -> dict[str, object]:
        """Add what only the training corpus can tell before the model is built; for most it is nothing."""
        return dict(settings)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return what the encoding decodes: the scores, or what a model writes that has no scores to give."""
        scores = self(batch)
        assert isinstance(scores, Tensor)
        return scores


MODELS: Registry[type[Model]] = Registry(
    "model",
    {
        "asgcn": "aspectlab.models.asgcn:ASGCN",
        "atae-lstm": "aspectlab.models.ataelstm:ATAELSTM",
        "bart-absa": "aspectlab.models.bartabsa:BARTABSA",
        "bdtf": "aspectlab.models.bdtf:BDTF",
        "bert": "aspectlab.models.bert:BERT",
        "bert-pt": "aspectlab.models.bert:BERT",
        "bert-sent": "aspectlab.models.bertsent:BERTSent",
        "bert-tfm": "aspectlab.models.berttfm:BERTTFM",
        "bmrc": "aspectlab.models.bmrc:BMRC",
        "capsnet-bert": "aspectlab.models.capsnetbert:CapsNetBERT",
        "category-multilabel": "aspectlab.models.categorymultilabel:CategoryMultilabel",
        "category-pair": "aspectlab.models.categorypair:CategoryPair",
        "com-mrc": "aspectlab.models.commrc:COMMRC",
        "emcgcn": "aspectlab.models.emcgcn:EMCGCN",
        "gas": "aspectlab.models.gas:GAS",
        "gcae": "aspectlab.models.gcae:GCAE",
        "grace": "aspectlab.models.grace:GRACE",
        "lcf-atepc": "aspectlab.models.lcfatepc:LCFATEPC",
        "marked": "aspectlab.models.marked:Marked",
        "memnet": "aspectlab.models.memnet:MemNet",
        "mgan": "aspectlab.models.mgan:MGAN",
        "minicongts": "aspectlab.models.minicongts:MiniConGTS",
        "paraphrase": "aspectlab.models.paraphrase:Paraphrase",
        "quad-span": "aspectlab.models.quadspan:QuadSpan",
        "rgat-bert": "aspectlab.models.rgatbert:RGATBERT",
        "simstar": "aspectlab.models.simstar:SimSTAR",
        "slgm": "aspectlab.models.slgm:SLGM",
        "span-aste": "aspectlab.models.spanaste:SpanASTE",
        "stage": "aspectlab.models.stage:STAGE",
        "target-tagger": "aspectlab.models.targettagger:TargetTagger",
        "td-lstm": "aspectlab.models.tdlstm:TDLSTM",
    },
    group="aspectlab.models",
    base=Model,
)


def build_model(
    name: str, encoder: Encoder, settings: Mapping[str, object] | None = None, n_labels: int = 3
) -> Model:
    """Build a model by name; unknown settings are refused with the nearest known one."""
    kind = MODELS[name]
    chosen = dict(settings or {})
    check_options(f"model {name}", kind, chosen)
    for key, value in chosen.items():
        if problem := find_range_problem(kind, key, value):
            raise ConfigError(f"model {name}: {problem}")
    # the constructors differ in their keyword-only settings, which were just checked against the signature
    build: type[Model] = kind
    try:
        return build(encoder, n_labels, **chosen)  # type: ignore[call-arg]
    except (TypeError, ValueError) as error:
        # torch refuses a size or a type without a word of the setting that it came from
        given = ", ".join(f"{key} = {value!r:.40}" for key, value in chosen.items())
        raise ConfigError(
            f"model {name}: it cannot be built with {given or 'its defaults'}: {str(error).splitlines()[0]}: "
            f"expected settings that fit; `aspectlab models {name}` lists the defaults"
        ) from error
