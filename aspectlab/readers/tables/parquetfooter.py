"""The footer of a Parquet file: its columns, rows and bytes, checked before anything is unpacked."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from aspectlab.untrusted import open_file

Value: TypeAlias = "int | float | bytes | list[Value] | Struct"
Struct: TypeAlias = "dict[int, Value]"
"""The values by the numbers that the format gives its fields."""

_MARK = b"PAR1"
_MAX_FOOTER_BYTES = 64 << 20
_MAX_ITEMS = 1 << 19  # a library takes up to a kilobyte for each
_MAX_DEPTH = 24
_LEAST_STRUCT_BYTES = 3
_TRUE, _FALSE, _BYTE, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 6, 7, 8, 9, 10, 11, 12

# the fields that are asked for, as the format numbers them
_SCHEMA, _ROWS, _GROUPS, _NAME, _CHILDREN, _GROUP_BYTES, _GROUP_ROWS = 2, 3, 4, 4, 5, 2, 3


@dataclass(frozen=True, slots=True)
class Footer:
    """What a file says of itself."""

    names: tuple[str, ...]
    rows: int
    unpacked_bytes: int


def read_footer(path: Path) -> Footer:
    """Read the footer of a file; one that is broken raises a ValueError or a LookupError."""
    fields = _Compact(_footer_bytes(path)).struct(0)
    groups = list(_structs(fields, _GROUPS))
    # a negative number must not hide a large one
    rows = sum(max(0, _integer(group, _GROUP_ROWS)) for group in groups)
    return Footer(
        names=tuple(_top_names(list(_structs(fields, _SCHEMA)))),
        rows=max(rows, _integer(fields, _ROWS)),
        unpacked_bytes=sum(max(0, _integer(group, _GROUP_BYTES)) for group in groups),
    )


def _footer_bytes(path: Path) -> bytes:
    size = path.stat().st_size
    with open_file(path) as stream:
        stream.seek(max(0, size - 8))
        end = stream.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != _MARK or length > min(_MAX_FOOTER_BYTES, size - 12):
            raise ValueError("no footer at the end")
        stream.seek(size - 8 - length)
        return stream.read(length)


def _top_names(schema: list[Struct]) -> Iterator[str]:
    """Name the columns: the children of the root; what they hold in turn follows each of them."""
    index = 1
    for _ in range(_integer(schema[0], _CHILDREN)):
        name = schema[index].get(_NAME)
        if not isinstance(name, bytes):
            raise ValueError(f"column {index} has no name")
        yield name.decode("utf-8")
        open_children = 1
        while open_children:
            children = schema[index].get(_CHILDREN, 0)
            open_children += (max(0, children) if isinstance(children, int) else 0) - 1
            index += 1


def _structs(fields: Struct, key: int) -> Iterator[Struct]:
    items = fields.get(key)
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            raise ValueError(f"field {key} holds {item!r:.20}")
        yield item


def _integer(fields: Struct, key: int) -> int:
    value = fields.get(key)
    if not isinstance(value, int):
        raise ValueError(f"field {key} is no number")
    return value


class _Compact:
    """A reader of Thrift's compact protocol that believes no length."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0
        self._items = 0

    def struct(self, depth: int) -> Struct:
        """Read fields up to the end of a structure."""
        fields: Struct = {}
        key = 0
        while header := self._byte():
            step = header >> 4
            key = key + step if step else self._integer()
            kind = header & 15
            # the kind of a truth value is its value
            fields[key] = int(kind == _TRUE) if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Value:
        if depth > _MAX_DEPTH:
            raise ValueError("structures nested too deeply")
        if _BYTE < kind <= _I64:
            return self._integer()
        if kind == _BINARY:
            return self._take(self._varint())
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth + 1)
        if kind == _DOUBLE:
            return self._take(8)
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind == _MAP and self._varint() == 0:
            return []
        raise ValueError(f"a value of kind {kind}, which the format does not have")

    def _list(self, depth: int) -> list[Value]:
        header = self._byte()
        kind, n = header & 15, header >> 4
        if n == 15:
            n = self._varint()
        self._items += n
        left = len(self._content) - self._place
        if self._items > _MAX_ITEMS or n * (_LEAST_STRUCT_BYTES if kind == _STRUCT else 1) > left:
            raise ValueError(f"a list of {n:,} items in {left:,} bytes")
        return [self._value(kind, depth) for _ in range(n)]

    def _byte(self) -> int:
        self._place += 1
        return self._content[self._place - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number of over 64 bits")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _take(self, length: int) -> bytes:
        taken = self._content[self._place : self._place + length]
        if len(taken) < length:
            raise ValueError(f"{length:,} bytes claimed where {len(taken):,} are left")
        self._place += length
        return taken
