"""Write the weights of a tiny T5 as a quantising export does: 8-bit constants and what takes them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedModel


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    number &= (1 << 64) - 1
    head = []
    while number > 127:
        head.append(number & 127 | 128)
        number >>= 7
    return bytes([*head, number])


def field(number: int, content: bytes | int) -> bytes:
    """A whole number, or bytes behind their length."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def raw_tensor(name: str, kind: int, array: NDArray[np.generic]) -> bytes:
    """A tensor as raw bytes: kinds are 1 for floats, 2 for bytes, 3 for signed bytes."""
    sizes = b"".join(field(1, size) for size in array.shape)
    return field(5, sizes + field(2, kind) + field(8, name.encode()) + field(9, array.tobytes()))


def scalar(name: str, kind: int, content: bytes) -> bytes:
    """A tensor of one number without sizes: floats lie in field 4, whole numbers in field 5."""
    return field(5, field(2, kind) + field(4 if kind == 1 else 5, content) + field(8, name.encode()))


def quantise(stem: str, weight: NDArray[np.float32], *, signed: bool) -> tuple[bytes, NDArray[np.float32]]:
    """The three constants of a weight, and what they stand for."""
    low, high = float(weight.min()), float(weight.max())
    scale = np.float32((high - low) / 255)
    zero = round(-low / float(scale)) - (128 if signed else 0)
    limits = (-128, 127) if signed else (0, 255)
    kind = 3 if signed else 2
    whole = np.clip(np.round(weight / scale) + zero, *limits).astype(np.int8 if signed else np.uint8)
    constants = [
        scalar(f"{stem}_scale", 1, scale.tobytes()),
        scalar(f"{stem}_zero_point", kind, varint(zero)),
        raw_tensor(f"{stem}_quantized", kind, whole),
    ]
    return b"".join(constants), (whole.astype(np.float32) - zero) * scale


def node(name: str, operator: str, inputs: list[str]) -> bytes:
    """An operation; like an export it has an attribute, which is no text."""
    parts = [field(1, text.encode()) for text in inputs]
    named = field(2, b"out") + field(3, name.encode()) + field(4, operator.encode()) + field(5, b"\xa0\x01")
    return field(1, b"".join(parts) + named)


def write_t5(model: PreTrainedModel, folder: Path) -> dict[str, NDArray[np.float32]]:
    """Write both files, and give the weights that they stand for, by the library's names."""
    held: dict[str, NDArray[np.float32]] = {}
    for side, file in (("encoder", "encoder.onnx"), ("decoder", "decoder.onnx")):
        graph = b"".join(_constants(model, side, held))
        (folder / file).write_bytes(field(1, 8) + field(2, b"test") + field(7, graph))
    return held


def _constants(model: PreTrainedModel, side: str, held: dict[str, NDArray[np.float32]]) -> Iterator[bytes]:
    for number, (name, tensor) in enumerate(model.state_dict().items()):
        weight = tensor.numpy()
        module = f"enc.{name.removeprefix('encoder.')}" if side == "encoder" else f"m.{name}"
        if name == "shared.weight":
            stem = "enc.embed_tokens.weight" if side == "encoder" else "m.shared.weight"
            content, held[name] = quantise(stem, weight, signed=False)
            yield content
        elif "embed_tokens" in name or not name.startswith((side, "lm_head" if side == "decoder" else side)):
            continue
        elif name.endswith("layer_norm.weight"):
            held[name] = weight
            yield raw_tensor(module, 1, weight)
        elif "relative_attention_bias" in name:
            content, held[name] = quantise(module, weight, signed=False)
            yield content
        else:
            stem = f"onnx::MatMul_{number}"
            content, stands_for = quantise(stem, weight.T.copy(), signed=True)
            held[name] = stands_for.T.copy()
            place = "/" + module.removesuffix(".weight").replace(".", "/").replace("block/", "block.")
            inputs = ["states", f"{stem}_quantized", "zero", f"{stem}_zero_point"]
            yield content + node(f"{place.replace('layer/', 'layer.')}/MatMul_quant", "MatMulInteger", inputs)
