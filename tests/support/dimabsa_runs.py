"""Hand-made files of the campaign, and the organisers' scoring written a second time, in the plainest way."""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

Item = tuple[str, ...]
"""The fields of an opinion, and its valence#arousal at the end."""

KEYS = {
    1: ("Aspect_VA", ("Aspect", "VA")),
    2: ("Triplet", ("Aspect", "Opinion", "VA")),
    3: ("Quadruplet", ("Aspect", "Category", "Opinion", "VA")),
}


def line(name: str, items: Iterable[Item], subtask: int = 3) -> str:
    """One line of a file, without a text."""
    key, fields = KEYS[subtask]
    record = {"ID": name, key: [dict(zip(fields, item, strict=True)) for item in items]}
    return json.dumps(record, ensure_ascii=False)


def make(path: Path, lines: Sequence[str]) -> Path:
    """A file of these lines."""
    path.write_bytes("".join(f"{each}\n" for each in lines).encode())
    return path


def score_plainly(gold: Path, run: Path, subtask: int) -> dict[str, float]:
    """Continuous precision, recall and F1 by the rules; what is broken raises what it raises."""
    wanted, found = _load(gold, subtask), _load(run, subtask)
    near, tp, fp, fn = 0.0, 0, 0, 0
    for name in {**wanted, **found}:
        predicted = found.get(name, [])
        matched = set()
        for fields, v, a in wanted.get(name, []):
            same = [index for index, other in enumerate(predicted) if other[0] == fields]
            if len(same) != 1:
                fn += 1
                continue
            _, other_v, other_a = predicted[same[0]]
            matched.add(same[0])
            tp += 1
            if 1 <= other_v <= 9 and 1 <= other_a <= 9:
                distance = math.sqrt((v - other_v) ** 2 + (a - other_a) ** 2)
                near += max(0.0, 1 - distance / math.sqrt(128))
        fp += len(predicted) - len(matched)
    precision = near / (tp + fp) if tp + fp else 0.0
    recall = near / (tp + fn) if tp + fn else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"cprecision": precision, "crecall": recall, "cf1": f1}


def _load(path: Path, subtask: int) -> dict[str, list[tuple[Item, float, float]]]:
    key, fields = KEYS[subtask]
    rows: dict[str, list[tuple[Item, float, float]]] = {}
    with path.open(encoding="utf-8") as stream:
        for text in stream:
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except ValueError:
                continue  # the organisers' script warns and goes on
            opinions = rows.setdefault(record["ID"], [])
            for item in record[key]:
                valence, arousal = map(float, item["VA"].split("#"))
                opinions.append((tuple(item[field].lower() for field in fields[:-1]), valence, arousal))
    return rows
