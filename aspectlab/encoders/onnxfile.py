"""Read the weights of an ONNX file: its constant tensors, and which node takes which of them.

Only what quantised exports hold is understood; the format is protocol buffers, and no package is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_GRAPH, _NODE, _CONSTANT = 7, 1, 5
"""The fields that lead to nodes and constants: the graph of a model, and two of the graph's own."""

_INPUT, _NODE_NAME, _OPERATOR = 1, 3, 4
_SIZES, _TYPE, _FLOATS, _WHOLE, _TENSOR_NAME, _RAW = 1, 2, 4, 5, 8, 9
"""The fields of a node, and those of a tensor: small ones are lists of numbers, large ones raw bytes."""

_TYPES: dict[int, np.dtype[np.generic]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    6: np.dtype("<i4"),
    7: np.dtype("<i8"),
}

Array = NDArray[np.generic]


class Node(NamedTuple):
    """An operation: its name, what it does, and the names of what it takes."""

    name: str
    operator: str
    inputs: list[str]


def read_onnx(path: Path) -> tuple[dict[str, Array], list[Node]]:
    """Give the constants by name, and the nodes in order; ValueError if the file is none or is cut short."""
    constants: dict[str, Array] = {}
    nodes: list[Node] = []
    for graph in _messages(memoryview(path.read_bytes()), _GRAPH):
        for field, value in _fields(graph):
            if field == _CONSTANT and isinstance(value, memoryview):
                name, array = _read_tensor(value)
                constants[name] = array
            elif field == _NODE and isinstance(value, memoryview):
                nodes.append(_read_node(value))
    if not nodes:
        raise ValueError(f"{path}: no node found: expected an ONNX file")
    return constants, nodes


def _read_node(message: memoryview) -> Node:
    name, operator, inputs = (
        [bytes(text).decode() for text in _messages(message, field)]
        for field in (_NODE_NAME, _OPERATOR, _INPUT)
    )
    return Node("".join(name), "".join(operator), inputs)


def _read_tensor(message: memoryview) -> tuple[str, Array]:
    fields = list(_fields(message))
    held = {field: value for field, value in fields if isinstance(value, memoryview)}
    kind = next((value for field, value in fields if field == _TYPE), 0)
    if not isinstance(kind, int) or kind not in _TYPES:
        raise ValueError(f"a tensor of kind {kind}: expected one of {', '.join(map(str, _TYPES))}")
    name = bytes(held.get(_TENSOR_NAME, b"")).decode()
    sizes = _numbers(fields, _SIZES)
    if _RAW in held:
        array = np.frombuffer(held[_RAW], _TYPES[kind])
    elif _FLOATS in held:
        array = np.frombuffer(held[_FLOATS], _TYPES[1])
    else:
        array = np.array(_numbers(fields, _WHOLE), np.int64).astype(_TYPES[kind])
    return name, array.reshape(sizes)


def _numbers(fields: list[tuple[int, int | memoryview]], wanted: int) -> list[int]:
    """Collect whole numbers, which stand one by one or packed; they are signed, in 64 bits."""
    numbers: list[int] = []
    for field, value in fields:
        if field != wanted:
            continue
        if isinstance(value, int):
            numbers.append(value)
            continue
        place = 0
        while place < len(value):
            number, place = _varint(value, place)
            numbers.append(number)
    return [number - (1 << 64) if number >> 63 else number for number in numbers]


def _messages(message: memoryview, wanted: int) -> Iterator[memoryview]:
    return (value for field, value in _fields(message) if field == wanted and isinstance(value, memoryview))


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Give number and content of each field: a whole number, or bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == 0:
            number, place = _varint(message, place)
            yield key >> 3, number
            continue
        if kind == 2:
            size, place = _varint(message, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"a field of kind {kind} at byte {place}: expected an ONNX file")
        if place + size > len(message):
            raise ValueError(
                f"a field of {size} bytes at byte {place} of {len(message)}: the file is cut short"
            )
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, the lowest first, and give where it ends."""
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
    raise ValueError(f"a number at byte {place} has no end: expected an ONNX file")
