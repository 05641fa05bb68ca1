"""The model table."""

from __future__ import annotations

from collections.abc import Mapping

from aspectlab.encoders import Encoder
from aspectlab.errors import ConfigError
from aspectlab.models.model import Model
from aspectlab.models.ranges import find_range_problem
from aspectlab.registry import Registry, check_options

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
        if problem := find_range_problem(key, value):
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
