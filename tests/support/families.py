"""Tiny random models of each family of transformers, and folders of them as `save_pretrained` leaves them."""

import string
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import CONFIG_MAPPING, AutoModel, PreTrainedModel

from aspectlab.encoders import write_config
from aspectlab.encodings import Subwords

BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
CAUSAL = ("<unk>", "<|endoftext|>")

LETTERS = string.ascii_lowercase + string.digits + string.punctuation
SIZE = 5 + 2 * len(LETTERS)

_SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
_COUNTED = {**_SIZES, "pad_token_id": 1, "max_position_embeddings": 514}
_RELATIVE = {**_SIZES, "relative_attention": True, "position_biased_input": False, "pad_token_id": 0}
_GROUPED = {**_SIZES, "num_key_value_heads": 1}

SETTINGS: dict[str, dict[str, object]] = {
    "bert": _SIZES,
    "roberta": _COUNTED,
    "xlm-roberta": _COUNTED,
    "camembert": _COUNTED,
    "electra": {**_SIZES, "embedding_size": 16},
    "albert": {**_SIZES, "embedding_size": 16},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    "mpnet": _COUNTED,
    "deberta": {**_RELATIVE, "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 512},
    "deberta-v2": {**_RELATIVE, "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 512},
    # as published v3 models have it
    "deberta-v3": {
        **_RELATIVE,
        "pos_att_type": ["p2c", "c2p"],
        "position_buckets": 16,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "type_vocab_size": 0,
    },
    "modernbert": {**_SIZES, "local_attention": 16, "global_attn_every_n_layers": 2, "pad_token_id": 0},
    "longformer": {**_COUNTED, "attention_window": 16},
    "xlnet": {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 64, "pad_token_id": 0},
    "roformer": {**_SIZES, "embedding_size": 32},
    "t5": {
        "d_model": 32,
        "d_kv": 16,
        "d_ff": 64,
        "num_layers": 2,
        "num_heads": 2,
        "decoder_start_token_id": 0,
    },
    "bart": {
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
        "decoder_start_token_id": 3,
        "scale_embedding": True,
        "max_position_embeddings": 512,
    },
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 2},
    "llama": _GROUPED,
    "qwen2": {**_GROUPED, "use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1},
    "qwen3": {**_GROUPED, "head_dim": 16},
    "fnet": _SIZES,
    "convbert": {**_SIZES, "embedding_size": 32},
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2},
    "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 2},
}
SETTINGS["mt5"] = SETTINGS["t5"]

_TYPES = {"deberta-v3": "deberta-v2"}
_SEQ2SEQ = {"t5", "mt5", "bart"}
_CAUSAL = {"gpt2", "llama", "qwen2", "qwen3", "mamba", "bloom"}
_NUMBERS = {"bos_token_id": 1, "eos_token_id": 1, "cls_token_id": 2, "sep_token_id": 3}


def build_model(family: str) -> PreTrainedModel:
    """Build a random model; the same every time."""
    config = build_config(family)
    kind = AutoModel
    if family in _SEQ2SEQ:
        from transformers import AutoModelForSeq2SeqLM as kind  # noqa: N813
    torch.manual_seed(0)
    return kind.from_config(config).eval()


def build_config(family: str) -> object:
    settings = {"vocab_size": SIZE, **_NUMBERS, "pad_token_id": 0, **SETTINGS[family]}
    return CONFIG_MAPPING[_TYPES.get(family, family)](**settings)


def build_tokenizer(family: str) -> Tokenizer:
    """Build a vocabulary of letters with the special tokens that the family has, and its frame."""
    specials = vocabulary_of(family)
    pieces = [*specials, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    unknown = next(name for name in specials if "unk" in name.lower())
    tokenizer = Tokenizer(models.WordPiece({n: i for i, n in enumerate(pieces)}, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(list(specials))
    if specials is BERT:
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    elif specials is ROBERTA:
        tokenizer.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    return tokenizer


def vocabulary_of(family: str) -> Sequence[str]:
    if family in _CAUSAL:
        return CAUSAL
    return ROBERTA if SETTINGS[family].get("pad_token_id") == 1 else BERT


def build_subwords(family: str, max_length: int = 512) -> Subwords:
    return Subwords(build_tokenizer(family), max_length)


def save_folder(family: str, folder: Path) -> Path:
    """Write a folder as a user downloads it."""
    model = build_model(family)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    write_config(model.config, folder / "config.json")
    build_tokenizer(family).save(str(folder / "tokenizer.json"))
    return folder
