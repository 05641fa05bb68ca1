"""The right answer, as a model would write it, comes back to the right place in real sentences."""

from pathlib import Path

import pytest

from aspectlab.llm import FORMS, ChatAnswer, locate_records, parse_answer
from aspectlab.readers import read
from aspectlab.tasks import TASKS


@pytest.mark.parametrize("task", ["aste", "e2e"])
@pytest.mark.parametrize("name", ["14lap", "14res", "15res", "16res"])
def test_gold_words_are_put_back_where_they_were(real_data: Path, name: str, task: str) -> None:
    path = real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "train_triplets.txt"
    form = FORMS[task]
    right = total = 0
    for example in map(TASKS[task].project, read(path)):
        records = parse_answer(form, ChatAnswer(form.write(example.quads)))
        quads, dropped = locate_records(example.text, records)
        assert dropped == 0
        right += len(set(quads) & set(example.quads))
        total += len(example.quads)
    # a term that recurs may be meant where another pair is closer: at most one in a hundred
    assert right / total > 0.99


@pytest.mark.parametrize("name", ["laptop_quad", "rest16_quad"])
def test_gold_quads_are_put_back_with_what_they_leave_open(real_data: Path, name: str) -> None:
    form = FORMS["asqp"]
    right = total = 0
    for example in map(TASKS["asqp"].project, read(real_data / "acos" / f"{name}_dev.tsv")):
        records = parse_answer(form, ChatAnswer(form.write(example.quads)))
        quads, dropped = locate_records(example.text, records, with_implicit=True)
        assert dropped == 0
        right += len(set(quads) & set(example.quads))
        total += len(example.quads)
    # a term that recurs may be meant where another pair is closer: at most one in fifty
    assert right / total > 0.98
