"""Model: what all models share, the table of them, and how one is built by name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self
from zlib import crc32

from torch import Tensor, nn, no_grad, uint8
from torch.nn.functional import cross_entropy

from aspectlab.data import Corpus, Example
from aspectlab.encoders import PRETRAINED, Encoder, draw_lora, load_encoder, split_options
from aspectlab.encodings import Batch, Encoding, Layout, PairEncoding
from aspectlab.errors import ConfigError
from aspectlab.models.hyperparameters import Plan, Published, find_range_problem
from aspectlab.registry import Registry, check_options, options_of, suggest


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


ACTIONS = Registry[Callable[..., Any]](
    "action",
    {
        "predict": "aspectlab.training.prediction:predict_any",
        "save": "aspectlab.training.checkpoint:save_model",
        "push": "aspectlab.training.modelcard:push_to_hub",
    },
)
"""What a model does through the packages above it."""


class Model(nn.Module):
    """An encoder with something on top; `encoding` fixes what a batch holds and how scores become quads.

    The keyword-only parameters of the constructor are the model's settings.
    """

    task: str = "atsc"  # no class variable: a setting may decide it
    layout: ClassVar[Layout] = "sentence-aspect"
    plan: Plan = Plan()  # no class variable either: a model may be built to be trained as published
    published: ClassVar[Published | None] = None  # None: no paper describes the model
    default_encoder: ClassVar[str] = "minilm"
    needs_posttraining: ClassVar[bool] = False  # whether encoders for any text are refused
    later: ClassVar[frozenset[str]] = frozenset()
    """Settings that came when there were runs already: at their default they are no part of a run's id."""
    given: Mapping[str, object]  # the settings that the constructor was given
    training_record: Mapping[str, object] | None = None  # how it was trained, in plain values

    def __new__(cls, *values: object, **settings: object) -> Self:
        """Remember the settings: a model that is saved must know them."""
        model = super().__new__(cls)
        object.__setattr__(model, "given", settings)
        return model

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        draw_lora(encoder)
        # a model of another task, or one that needs more than pairs, puts its own in place
        self.encoding: Encoding = PairEncoding(encoder.vocabulary, self.layout)

    # which kind of batch it takes depends on the encoding, as with `forward`, which gives scores for a batch
    loss: Callable[..., Tensor] = classification_loss

    @property
    def name(self) -> str:
        """The name of the model in the table: that which it was built by, or the first of its class."""
        if "_built" in vars(self):
            return str(vars(self)["_built"][0])
        return next((name for name in MODELS if MODELS[name] is type(self)), type(self).__name__)

    @property
    def settings(self) -> dict[str, object]:
        """All settings, with the defaults of today: a saved model must not change when a default does."""
        return {**default_settings(type(self)), **self.given}

    def predict(self, texts: str | Iterable[str | Example] | Corpus, *, precision: str = "fp32") -> Any:  # noqa: ANN401
        """Predict the quads of texts, of examples or of a corpus, in their order, with confidence.

        A text gives its quads, several texts a list of them; examples come back with predicted quads, and a
        corpus as a corpus. A model that judges given aspects needs them: pass examples.
        """
        return ACTIONS["predict"](self, texts, precision=precision)

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, with a card; `aspectlab.load_model` reads it."""
        ACTIONS["save"](self, folder)

    def push_to_hub(self, repository: str, **options: object) -> str:
        """Upload the model to the Hugging Face hub as "organisation/name"; return the address of the commit.

        `private=True`, `license="apache-2.0"`, `tags=[…]`, `language="en"` and `token=…` are options.
        """
        address: str = ACTIONS["push"](self, repository, **options)
        return address

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
        "bert-pt": "aspectlab.models.bert:BERTPT",
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


RECIPES = "ours", "published"
"""By which settings a model is built and trained: those we chose, or those of its authors."""


def default_settings(kind: type[Model]) -> dict[str, object]:
    """Return the settings of a model with their defaults."""
    return {name: option.default for name, option in options_of(kind).items()}


def apply_recipe(name: str, recipe: str) -> tuple[dict[str, object], Plan]:
    """Return the settings that a recipe changes, and its plan.

    >>> apply_recipe("bert", "ours")[0]
    {}
    """
    kind = MODELS[name]
    if recipe not in RECIPES:
        raise ConfigError(f"recipe {recipe!r} is unknown: {suggest(recipe, RECIPES)}")
    if recipe == "ours":
        return {}, kind.plan
    if kind.published is None:
        raise ConfigError(
            f"model {name}: no paper describes it: expected the recipe 'ours'; leave the recipe out"
        )
    return dict(kind.published.settings), kind.published.plan


def find_encoder_misfit(name: str, encoder: str) -> str | None:
    """Return why a model cannot take an encoder of this name; None if it can."""
    if not MODELS[name].needs_posttraining or split_options(encoder)[0] not in PRETRAINED:
        return None
    return (
        f"model {name}: found the encoder {encoder!r}, which is for any text: expected one that was "
        "post-trained on reviews; make one with `aspectlab posttrain REVIEWS --out FOLDER` and name it "
        "(--encoder FOLDER), or take the model bert"
    )


def build_model(
    name: str,
    encoder: Encoder | str | None = None,
    settings: Mapping[str, object] | None = None,
    n_labels: int = 3,
    *,
    recipe: str = "ours",
    train: Iterable[Example] | None = None,
    **options: object,
) -> Model:
    """Build a model by name, with an encoder or the name of one; options are its settings.

    Unknown settings are refused with the nearest known one. Settings that stand for what a corpus holds, as
    the names of categories, are read from `train`.
    """
    kind = MODELS[name]
    if isinstance(encoder, str | PathLike | None):
        if problem := find_encoder_misfit(name, str(encoder or kind.default_encoder)):
            raise ConfigError(problem)
        encoder = load_encoder(encoder or kind.default_encoder)
    own, plan = apply_recipe(name, recipe)
    chosen = {**own, **(settings or {}), **options}
    check_options(f"model {name}", kind, chosen)
    for key, value in chosen.items():
        if problem := find_range_problem(kind, key, value):
            raise ConfigError(f"model {name}: {problem}")
    if train is not None:
        chosen = kind.complete_settings(chosen, train)
    # the constructors differ in their keyword-only settings, which were just checked against the signature
    build: type[Model] = kind
    try:
        model = build(encoder, n_labels, **chosen)  # type: ignore[call-arg]
    except (TypeError, ValueError, ArithmeticError) as error:
        # torch refuses a size or a type without a word of the setting that it came from
        given = ", ".join(f"{key} = {value!r:.40}" for key, value in chosen.items())
        raise ConfigError(
            f"model {name}: it cannot be built with {given or 'its defaults'}: {str(error).splitlines()[0]}: "
            f"expected settings that fit; `aspectlab models {name}` lists the defaults"
        ) from error
    vars(model)["_built"] = name, n_labels
    if recipe != "ours":
        model.plan = plan
    vars(model)["_fresh"] = fingerprint(model)
    return model


def own_tensors(model: Model) -> Iterator[Tensor]:
    """Return the parameters and buffers of a model without those of its encoder."""
    encoder = {id(tensor) for tensor in (*model.encoder.parameters(), *model.encoder.buffers())}
    held = (*model.parameters(), *model.buffers())
    return (tensor.data for tensor in held if id(tensor) not in encoder)


def fingerprint(model: Model) -> tuple[int, ...]:
    """Return checksums of the weights that training or loading would change: a model is fresh till then."""
    held = (tensor.detach().cpu().contiguous().reshape(-1).view(uint8) for tensor in own_tensors(model))
    return tuple(crc32(tensor.numpy().tobytes()) for tensor in held)


@no_grad()
def draw_weights(model: Model) -> None:
    """Draw the weights of a model that nobody has trained or loaded once more, as when it was built."""
    if vars(model).get("_fresh") != fingerprint(model):
        return
    name, n_labels = vars(model)["_built"]
    again = build_model(name, model.encoder, model.given, n_labels)
    for tensor, value in zip(own_tensors(model), own_tensors(again), strict=True):
        tensor.copy_(value)
    vars(model)["_fresh"] = fingerprint(model)
