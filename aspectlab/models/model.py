"""Model: what all models share, which is little, and the table of them."""

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from aspectlab.data import Example
from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch, Encoding, Layout, PairEncoding
from aspectlab.errors import ConfigError
from aspectlab.models.config import Plan, find_range_problem
from aspectlab.registry import Registry, check_options


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

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
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
        "td-lstm": "aspectlab.models.tdlstm:TDLSTM",
    },
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
