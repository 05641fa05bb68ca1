"""Load pretrained weights and tokenizers so that nothing is missing and nothing is left to chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from torch import nn
from torch.overrides import TorchFunctionMode

from aspectlab.encoders.weights import is_offline
from aspectlab.errors import DataError
from aspectlab.untrusted import check_model_folder

if TYPE_CHECKING:  # the library takes seconds to import
    from tokenizers import Tokenizer
    from transformers import PretrainedConfig, PreTrainedModel

_OPTIONAL = "pooler."
"""Many published encoders come without it, since they were trained without it."""

_FOREIGN = {
    "auto_map",
    "custom_pipelines",
    "trust_remote_code",
    "name_or_path",
    "_name_or_path",
    "use_kernels",
    # an encoder has no labels; their number alone would make the library name each
    "num_labels",
    # it is a name that the library looks for in torch; weights are read in float32 whatever it says
    "dtype",
    "torch_dtype",
    # what comes out, in which form and in what portions, is for the caller to say
    *("output_hidden_states", "output_attentions", "return_dict", "torchscript", "chunk_size_feed_forward"),
}
_KERNELS = ("attn_implementation", "experts_implementation", "_implementation_internal")
"""Keys and ends of keys by which a configuration names code to import, its place, or kernels to fetch."""

_UNKNOWN, _UNTRUSTED = "Unrecognized", "trust_remote_code"
"""What its errors say where the library has no class for a configuration, or only one that is not its own."""

_ANOTHER = "use 'minilm', or the folder or name of another encoder"


def _is_local(name: str | Path) -> bool:
    """Return whether a model lies here, or has to: the hub is not asked for what a folder lacks."""
    return is_offline() or Path(name).is_dir()


def list_faults() -> tuple[type[Exception], ...]:
    """List what the library raises on files that are not what their names say."""
    from huggingface_hub.errors import StrictDataclassError  # only now: it takes a quarter of a second

    own = SafetensorError, StrictDataclassError
    python = OSError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, ImportError
    return RuntimeError, AssertionError, *python, *own


_WEIGHTS = {".safetensors", ".bin"}
_SLACK_BYTES = 64 << 20
_MOST_COPIES = 8  # of what a file holds: in twice the bits, and of word vectors one for each of four parts
_MOST_TENSORS = 10_000
_MAKERS = {
    *(torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn, torch.randint),
    *(torch.arange, torch.eye, torch.linspace, torch.empty_like, torch.zeros_like, torch.ones_like),
    *(torch.full_like, torch.rand_like, torch.randn_like, torch.empty_strided, torch.randperm),
}


class AllocationBudget(TorchFunctionMode):
    """While it is entered, tensors are refused that take far more memory than the weights of a folder.

    A configuration of 200 bytes may ask for gigabytes, which would be taken before the weights are compared.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        files = [path for path in folder.iterdir() if path.suffix in _WEIGHTS and path.is_file()]
        size = sum(path.stat().st_size for path in files)
        self._left, self._tensors = _MOST_COPIES * size + _SLACK_BYTES, 0

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Count what a call would make, before it is made."""
        options = dict(kwargs or {})
        if func in _MAKERS:
            self._charge(func, args, options)
        return func(*args, **options)

    def _charge(
        self, func: Callable[..., object], args: tuple[object, ...], options: dict[str, object]
    ) -> None:
        self._tensors += 1
        planned = func(*args, **{**options, "device": "meta"})  # its sizes alone
        assert isinstance(planned, torch.Tensor)
        if torch.device(str(options.get("device") or "cpu")).type != "meta":
            self._left -= planned.nbytes
        if self._left < 0 or self._tensors > _MOST_TENSORS:
            raise DataError(
                f"{self._folder / 'config.json'}: it describes a model far larger than the weights beside "
                f"it: found sizes such as {tuple(planned.shape)}: expected those of the weights; copy "
                "the folder again"
            )


def load_config(name: str | Path) -> PretrainedConfig:
    """Return the configuration of a folder or a model of the hub, without what names code."""
    return _build_config(_read_settings(name))


def load_pretrained(kind: type, name: str | Path) -> PreTrainedModel:
    """Return a model by a class of the library; a weight that is missing is refused, not drawn by chance.

    Only a pooler may be missing. It is drawn from a seed of its own, so that it is the same every time.
    """
    settings = _read_settings(name)
    budget = AllocationBudget(Path(name)) if Path(name).is_dir() else nullcontext()
    with _refused_code(f"encoder {str(name)!r}", settings), torch.random.fork_rng(devices=[]), budget:
        torch.default_generator.manual_seed(0)  # the others, which are not put back, stay as they are
        model, notes = kind.from_pretrained(  # type: ignore[attr-defined]
            name,
            config=_build_config(settings),
            trust_remote_code=False,
            local_files_only=_is_local(name),
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    code = next(_find_code(settings), None)
    remedy = (
        f"its own code ({code:.80}) is never run: {_ANOTHER}"
        if code
        else "copy the folder of one model again"
    )
    _refuse_gaps(str(name), notes["missing_keys"], len(model.state_dict()), remedy)
    return model  # type: ignore[no-any-return]


def load_tokenizer(name: str | Path, config: PretrainedConfig) -> Tokenizer:
    """Return the tokenizer of a folder or a model of the hub; where it has no tokenizer.json, one is made."""
    from transformers import AutoTokenizer

    with _refused_code(f"encoder {str(name)!r}", {}):
        try:
            tokenizer = AutoTokenizer.from_pretrained(
                name, config=config, trust_remote_code=False, local_files_only=_is_local(name)
            )
        except (AttributeError, LookupError) as error:
            raise ValueError(f"tokenizer_config.json: {error}") from None
    return tokenizer.backend_tokenizer


def _refuse_gaps(name: str, missing: Iterable[str], count: int, remedy: str) -> None:
    needed = sorted(key for key in missing if not key.startswith(_OPTIONAL))
    if needed:
        raise DataError(
            f"encoder {name!r}: model.safetensors lacks {len(needed)} of the {count} weights of "
            f"config.json, such as {needed[0]!r}: expected all of them; {remedy}"
        )


def restore_pretrained(kind: type, description: Mapping[str, object], folder: Path) -> PreTrainedModel:
    """Return the architecture of a saved encoder by a class of the library, without weights."""
    settings = description["config"]
    remedy = "train it again on an encoder of the library, such as 'minilm'"
    with _refused_code(str(folder / "config.json"), settings, remedy):
        config = _build_config(settings)
        return kind.from_config(config, trust_remote_code=False)  # type: ignore[attr-defined, no-any-return]


def _read_settings(name: str | Path) -> object:
    """Return what `config.json` says."""
    from transformers import PretrainedConfig

    check_model_folder(Path(name))
    settings, _ = PretrainedConfig.get_config_dict(name, local_files_only=_is_local(name))
    return settings


def _build_config(settings: object) -> PretrainedConfig:
    from transformers import CONFIG_MAPPING

    # an architecture is built of parts that have configurations of their own, and is not told whom to trust
    own = _drop_foreign(settings)
    if not isinstance(own, dict):
        raise TypeError("config is no object")
    family = own.get("model_type", "")
    if family not in CONFIG_MAPPING:
        raise ValueError(f"{_UNKNOWN} model_type = {family!r:.80}")
    config: PretrainedConfig = CONFIG_MAPPING[family].from_dict(own)
    return config


def _drop_foreign(settings: object) -> object:
    """Return a configuration without what makes the library import, fetch or ask, at any depth."""
    if isinstance(settings, list):
        return [_drop_foreign(part) for part in settings]
    if not isinstance(settings, dict):
        return settings
    # labels may be numbers
    own = (key for key in settings if key not in _FOREIGN and not str(key).endswith(_KERNELS))
    return {key: _drop_foreign(settings[key]) for key in own}


def _find_code(settings: object) -> Iterator[str]:
    """Find the names of the classes that a configuration would have imported, at any depth."""
    if isinstance(settings, dict):
        for key, value in settings.items():
            named = value.values() if key == "auto_map" and isinstance(value, dict) else ()
            yield from (name for name in named if isinstance(name, str))
            yield from _find_code(value)


@contextmanager
def _refused_code(where: str, settings: object, remedy: str = _ANOTHER) -> Iterator[None]:
    """Turn the failure of what only code from elsewhere could build into an error that says so."""
    try:
        yield
    except ValueError as error:
        code = next(_find_code(settings), "a tokenizer" if _UNTRUSTED in str(error) else None)
        if code is None or not any(sign in str(error) for sign in (_UNKNOWN, _UNTRUSTED)):
            raise
        raise DataError(
            f"{where}: found Python code of its own ({code:.80}), which is never run: "
            f"expected an architecture of the transformers library; {remedy}"
        ) from None


def refuse_strange_numbers(where: str, tokenizer: Tokenizer, model: PreTrainedModel) -> None:
    """Refuse a tokenizer whose numbers are beyond the word vectors: it is that of another model."""
    table = model.get_input_embeddings()
    word, number = max(tokenizer.get_vocab().items(), key=lambda item: item[1], default=("", -1))
    if isinstance(table, nn.Embedding) and number >= table.num_embeddings:
        raise DataError(
            f"{where}: the token {word!r} has number {number}, and there are {table.num_embeddings} word "
            "vectors: expected the tokenizer and the weights of one model; copy the folder again"
        )
