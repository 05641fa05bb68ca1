"""Folders of models as a stranger could send them, and a program that loads one after the other.

    python -m tests.support.hostile_models KIND FOLDER

The kinds are saved, encoder and exported. It prints, as JSON, how many folders there were, what was no clear
refusal, and the most memory that it had in MB.
"""

import json
import os
import random
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from aspectlab.data import Example
from aspectlab.encoders import load_encoder
from aspectlab.encoders.transformer import TransformerEncoder, write_config
from aspectlab.errors import AspectlabError
from aspectlab.models import build_model
from aspectlab.runtime import SHIPPED, load_predictor
from aspectlab.training import load_model, predict, save_model

LONGEST_S = 120
SEED = 14
VALUES = [
    *(None, True, False, -1, 0, 1, 7, 2.5, 1e300, 10**7, 10**9, 10**400, float("nan"), "", "a/b", "load"),
    *("x" * 1000, [], [1], [[[]]], {}, {"": 0}, "\0", "../../../../dev/zero", "\ud800", "evil.EvilModel"),
]
CODE = "from pathlib import Path\nPath({mark!r}).touch()\nclass EvilModel: pass\nclass EvilConfig: pass\n"
SENTENCE = "The soup was lovely, and the waiter was slow."

Change = Callable[[Path], None]
"""Makes something of a good folder that no good folder is."""


def change_json(name: str, *keys: str, value: object) -> Change:
    """Put a value under keys that lead into a file of JSON."""

    def change(folder: Path) -> None:
        record = json.loads((folder / name).read_text(encoding="utf-8"))
        part = record
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = value
        (folder / name).write_text(json.dumps(record), encoding="utf-8")

    return change


def write(name: str, content: bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(content) and None


def cut(name: str, share: float) -> Change:
    def change(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(share * len(content))])

    return change


def pipe(name: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return change


def link(name: str, target: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return change


def replace_by(count: int, growth: int) -> object:
    step = {"type": "Replace", "pattern": {"String": "e"}, "content": "e" * growth}
    return {"type": "Sequence", "normalizers": [step] * count}


def split_by(regex: str) -> object:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


TOKENIZERS: dict[str, Change] = {
    "two replacements of 20,000": change_json("tokenizer.json", "normalizer", value=replace_by(2, 20_000)),
    "nine replacements of 9": change_json("tokenizer.json", "normalizer", value=replace_by(9, 9)),
    "pattern without an end": change_json("tokenizer.json", "pre_tokenizer", value=split_by(r"(\w+\s?)+$x")),
    "pattern of a megabyte": change_json("tokenizer.json", "pre_tokenizer", value=split_by("a|" * 500_000)),
    "no vocabulary": change_json("tokenizer.json", "model", "vocab", value={}),
    "nested tokenizer": write("tokenizer.json", b"[" * 100_000),
    "tokenizer in Latin 1": write("tokenizer.json", b'{"caf\xe9": 1}'),
    "tokenizer is a pipe": pipe("tokenizer.json"),
    "tokenizer is a device": link("tokenizer.json", "/dev/zero"),
    "half of a tokenizer": cut("tokenizer.json", 0.5),
    "empty tokenizer": write("tokenizer.json", b""),
}
WEIGHTS: dict[str, Change] = {
    "half of the weights": cut("model.safetensors", 0.5),
    "no bytes of weights": write("model.safetensors", b""),
    "header of exabytes": write("model.safetensors", b"\xff" * 8 + b"{}"),
    "header that is none": write("model.safetensors", (9).to_bytes(8, "little") + b"[[[[[[[[["),
    "weights are a pipe": pipe("model.safetensors"),
    "weights are a device": link("model.safetensors", "/dev/zero"),
    "pickled weights": write("model.safetensors", b"\x80\x04cposix\nsystem\n"),
}
CONFIGS: dict[str, Change] = {
    "nested config": write("config.json", b"[" * 50_000),
    "nested object": write("config.json", b'{"a":' * 50_000),
    "config is a pipe": pipe("config.json"),
    "config is a device": link("config.json", "/dev/zero"),
    "config of null": write("config.json", b"null"),
    "half of a config": cut("config.json", 0.5),
    "number of 5,000 digits": write("config.json", b'{"format": ' + b"9" * 5000 + b"}"),
}
IN_ENCODER: dict[str, tuple[str, object]] = {
    "vocabulary of 25 million": ("vocab_size", 25_000_000),
    "labels of 20 million": ("num_labels", 20_000_000),
    "billion positions": ("max_position_embeddings", 10**9),
    "no positions": ("max_position_embeddings", 0),
    "billion layers": ("num_hidden_layers", 10**9),
    "wide layers": ("intermediate_size", 10**8),
    "kernel of a stranger": ("_attn_implementation", "a/b"),
    "type that loads": ("dtype", "load"),
    "code": ("auto_map", {"AutoConfig": "evil.EvilConfig", "AutoModel": "evil.EvilModel"}),
    "family of code": ("model_type", "evil"),
    "states that nobody asked for": ("output_hidden_states", 2.5),
    "states of a layer that is none": ("output_hidden_states", "load"),
    "attention that nobody asked for": ("output_attentions", True),
    "tuples for names": ("return_dict", False),
    "portions of a word": ("chunk_size_feed_forward", "load"),
    "padding beyond the vocabulary": ("pad_token_id", 10**7),
}


def list_paths(record: object, *above: str) -> Iterator[tuple[str, ...]]:
    """List the ways to all values of an object."""
    for key, value in record.items() if isinstance(record, dict) else ():
        yield (*above, key)
        yield from list_paths(value, *above, key)


def random_changes(config: Path, count: int, rng: random.Random) -> dict[str, Change]:
    paths = list(list_paths(json.loads(config.read_text(encoding="utf-8"))))
    drawn = [(rng.choice(paths), rng.choice(VALUES)) for _ in range(count)]
    return {
        f"{'.'.join(path)} = {value!r:.30}": change_json(config.name, *path, value=value)
        for path, value in drawn
    }


def saved_changes(good: Path, rng: random.Random) -> dict[str, Change]:
    inside = {
        name: change_json("config.json", "encoder", "config", key, value=value)
        for name, (key, value) in IN_ENCODER.items()
    }
    settings = {
        f"settings.{key} = {value!r:.20}": change_json("config.json", "settings", value={key: value})
        for key, value in (
            *(("hidden", 10**7), ("hidden", -1), ("evil", 1), ("dropout", float("nan"))),
            *(("snippet", {}), ("snippet", 10**400), ("snippet", [[]])),
        )
    }
    kinds = {
        f"kind {kind}": change_json("config.json", "encoder", "kind", value=kind) for kind in ([1], {}, 7)
    }
    drawn = random_changes(good / "config.json", 30, rng)
    return {**inside, **settings, **kinds, **TOKENIZERS, **WEIGHTS, **CONFIGS, **drawn}


def encoder_changes(good: Path, rng: random.Random) -> dict[str, Change]:
    inside = {name: change_json("config.json", key, value=value) for name, (key, value) in IN_ENCODER.items()}
    drawn = random_changes(good / "config.json", 15, rng)
    others = {"an index that is a pipe": pipe("model.safetensors.index.json")}
    return {**inside, **TOKENIZERS, **WEIGHTS, **CONFIGS, **others, **drawn}


def exported_changes(good: Path) -> dict[str, Change]:
    names = ("../../../../dev/zero", "/etc/passwd", "a\0b", "..", "")
    files = json.loads((good / "config.json").read_text(encoding="utf-8"))["files"]
    found = {
        f"file {name!r}": change_json("config.json", "files", value={**files, name: "0" * 64})
        for name in names
    }
    for value in (0, 1, -7, True, 10**9, 2.5):
        found[f"max_length {value}"] = change_json("config.json", "max_length", value=value)
    for name in ("model.xml", "model.bin", "tokenizer.json"):
        found[f"{name} is a pipe"] = pipe(name)
        found[f"{name} is a device"] = link(name, "/dev/zero")
        found[f"half of {name}"] = cut(name, 0.5)
    return {**found, **CONFIGS}


def use_saved(folder: Path) -> None:
    predict(load_model(folder), [Example("1", SENTENCE)])


def use_encoder(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    encoder.vocabulary.tokenize([SENTENCE])


def use_exported(folder: Path) -> None:
    load_predictor(folder).predict([SENTENCE])


def make_good(folder: Path) -> tuple[Path, Path]:
    """Write a small saved model and the folder of its encoder."""
    tiny = load_encoder("tiny")
    assert isinstance(tiny, TransformerEncoder)
    encoder = folder / "encoder"
    tiny.model.save_pretrained(encoder)
    write_config(tiny.model.config, encoder / "config.json")
    tiny.save_files(encoder)
    save_model(build_model("stage", tiny, {}), folder / "saved")
    return folder / "saved", encoder


def attempt(use: Callable[[Path], None], folder: Path) -> str | None:
    """Use a folder; what is neither a success nor an error of ours is told."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"over {LONGEST_S} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_S)
    try:
        use(folder)
    except AspectlabError:
        return None
    except BaseException as error:  # noqa: BLE001 (a panic of a library is no Exception)
        return f"{type(error).__name__}: {error!s:.200}"
    finally:
        signal.alarm(0)
    return None


def main() -> None:
    kind, root, rng = sys.argv[1], Path(sys.argv[2]), random.Random(SEED)
    if kind == "exported":
        good, changes, use = SHIPPED, exported_changes(SHIPPED), use_exported
    elif kind == "saved":
        good = make_good(root)[0]
        changes, use = saved_changes(good, rng), use_saved
    else:
        good = make_good(root)[1]
        changes, use = encoder_changes(good, rng), use_encoder
    faults, growth, before = {}, {}, peak_mb()
    for name, change in changes.items():
        folder = root / "hostile"
        shutil.copytree(good, folder)
        (folder / "evil.py").write_text(CODE.format(mark=str(root / "ran")), encoding="utf-8")
        change(folder)
        if (fault := attempt(use, folder)) is not None:
            faults[name] = fault
        shutil.rmtree(folder)
        growth[name], before = peak_mb() - before, peak_mb()
    largest = dict(sorted(growth.items(), key=lambda item: -item[1])[:5])
    found = {"folders": len(changes), "faults": faults, "peak": peak_mb(), "growth": largest}
    sys.stdout.write(json.dumps(found))


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
