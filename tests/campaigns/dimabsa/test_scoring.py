"""The scorer: thirty edge cases counted by hand, subtask 1, random corruptions, ranking and the board."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from aspectlab.campaigns.dimabsa import (
    DimabsaScore,
    list_boards,
    rank_runs,
    read_board,
    read_run,
    score_run,
)
from aspectlab.errors import ConfigError, DataError
from tests.support.dimabsa_runs import Item, line, make, score_plainly

# A difference of 2 in valence and in arousal is a distance of √8, a quarter of √128: closeness falls by 1/4.
GOLD = ("tea", "DRINKS#QUALITY", "good", "5.00#5.00")


def said(
    values: str = "5.00#5.00", aspect: str = "tea", category: str = GOLD[1], opinion: str = "good"
) -> Item:
    return aspect, category, opinion, values


# name: gold, predictions (None: no line), and by hand the closeness, hits, extra and missed
Case = tuple[list[Item] | None, list[Item] | None, tuple[float, int, int, int]]
CASES: dict[str, Case] = {
    "equal": ([GOLD], [said()], (1, 1, 0, 0)),
    "two off on both": ([GOLD], [said("7.00#7.00")], (0.75, 1, 0, 0)),
    "four off on both": ([GOLD], [said("1.00#9.00")], (0.5, 1, 0, 0)),
    "as far as can be": ([said("1.00#1.00")], [said("9.00#9.00")], (0, 1, 0, 0)),
    # strings are compared in lower case
    "aspect in capitals": ([GOLD], [said(aspect="TEA")], (1, 1, 0, 0)),
    "category in small letters": ([GOLD], [said(category="drinks#quality")], (1, 1, 0, 0)),
    "opinion with a capital": ([GOLD], [said(opinion="Good")], (1, 1, 0, 0)),
    # and whole: each of these is one wrong and one missed
    "aspect with a word more": ([GOLD], [said(aspect="the tea")], (0, 0, 1, 1)),
    "another category": ([GOLD], [said(category="DRINKS#PRICES")], (0, 0, 1, 1)),
    "another opinion": ([GOLD], [said(opinion="goo")], (0, 0, 1, 1)),
    "aspect with a space": ([GOLD], [said(aspect="tea ")], (0, 0, 1, 1)),
    "implicit, in small letters": ([said(aspect="NULL")], [said(aspect="null")], (1, 1, 0, 0)),
    "implicit for explicit": ([GOLD], [said(aspect="NULL")], (0, 0, 1, 1)),
    # several that fit a gold tuple: it is missed, and all of them are wrong
    "twice the same": ([GOLD], [said(), said()], (0, 0, 2, 1)),
    "twice, once right": ([GOLD], [said(), said("9.00#9.00")], (0, 0, 2, 1)),
    "three times": ([GOLD], [said(), said(), said()], (0, 0, 3, 1)),
    "twice but for case": ([GOLD], [said(), said(aspect="Tea")], (0, 0, 2, 1)),
    # out of range: the match counts, its closeness is 0
    "valence too high": ([GOLD], [said("9.01#5.00")], (0, 1, 0, 0)),
    "valence too low": ([GOLD], [said("0.99#5.00")], (0, 1, 0, 0)),
    "arousal too high": ([GOLD], [said("5.00#9.50")], (0, 1, 0, 0)),
    "valence below 0": ([GOLD], [said("-5.00#5.00")], (0, 1, 0, 0)),
    "ends of the range": ([said("9.00#1.00")], [said("9.00#1.00")], (1, 1, 0, 0)),
    "fewer decimals": ([GOLD], [said("5.0#5")], (1, 1, 0, 0)),
    # ids and lists
    "nothing in gold": ([], [said()], (0, 0, 1, 0)),
    "nothing predicted": ([GOLD], [], (0, 0, 0, 1)),
    "nothing on either side": ([], [], (0, 0, 0, 0)),
    "id missing in the run": ([GOLD, said(aspect="cup")], None, (0, 0, 0, 2)),
    "id that gold has not": (None, [said(), said(aspect="cup")], (0, 0, 2, 0)),
    # each gold tuple looks for its prediction: 1 + 3/4, and nothing is left over
    "gold twice": ([GOLD, said("7.00#7.00")], [said()], (1.75, 2, 0, 0)),
    # 1 + 1/4: six off on both for the second
    "in another order": (
        [GOLD, said("1.00#1.00", aspect="cup")],
        [said("7.00#7.00", aspect="cup"), said()],
        (1.25, 2, 0, 0),
    ),
}
FILLER = line("filler", [said("3.00#3.00", aspect="filler")])
"""Gold without any opinion is refused, so every file has one more line, of closeness 1."""


def write(folder: Path, cases: dict[str, Case]) -> tuple[Path, Path]:
    sides = []
    for index, name in enumerate(("gold", "run")):
        rows = [(key, case[index]) for key, case in cases.items()]
        lines = [line(key, items) for key, items in rows if items is not None]
        sides.append(make(folder / f"{name}.jsonl", [*lines, FILLER]))
    return sides[0], sides[1]


def score(gold: Path, run: Path) -> DimabsaScore:
    return score_run(read_run(gold), read_run(run))


@pytest.mark.parametrize("name", CASES)
def test_edge_case_counts_as_by_hand(name: str, tmp_path: Path) -> None:
    near, hits, extra, missed = CASES[name][2]
    found = score(*write(tmp_path, {name: CASES[name]}))
    total = found.counts.sum(axis=0).tolist()
    assert total == [round((near + 1) * 10**9), hits + 1, extra, missed]


def test_thirty_edge_cases_in_one_file_give_the_scores_counted_by_hand(tmp_path: Path) -> None:
    # The column sums of CASES, in their order: closeness 1 + .75 + .5 + 0 + 3 (case) + 1 (null) + 1 (ends)
    # + 1 (decimals) + 1.75 + 1.25 = 11.25; hits 4 + 3 + 1 + 4 + 2 + 4 = 18; extra 4 + 1 + 2 + 2 + 3 + 2 + 1
    # + 2 = 17; missed 4 + 1 + 4 + 1 + 2 = 12. With the filler 12.25, 19, 17 and 12: cP = 12.25 / 36,
    # cR = 12.25 / 31, cF1 = 2 * 12.25 / (36 + 31) = 24.5 / 67.
    assert len(CASES) == 30
    gold, run = write(tmp_path, CASES)
    expected = {"cprecision": 12.25 / 36, "crecall": 12.25 / 31, "cf1": 24.5 / 67}
    assert score(gold, run).scores == pytest.approx(expected, abs=1e-12)
    assert score(gold, run).sizes == {"hits": 19, "predicted": 36, "gold": 31}
    # the plain implementation that judges corruptions is held to the same numbers
    assert score_plainly(gold, run, 3) == pytest.approx(expected, abs=1e-12)


def test_triplets_are_compared_without_categories(tmp_path: Path) -> None:
    gold = make(tmp_path / "gold.jsonl", [line("1", [("tea", "good", "5.00#5.00")], 2)])
    run = make(tmp_path / "run.jsonl", [line("1", [("Tea", "good", "7.00#7.00")], 2)])
    assert score(gold, run).scores == pytest.approx({"cprecision": 0.75, "crecall": 0.75, "cf1": 0.75})


def test_closeness_is_not_rounded_to_what_is_printed(tmp_path: Path) -> None:
    # d = √(3² + 4²) = 5: 1 - 5 / √128 = 0.558058261758408
    gold = make(tmp_path / "gold.jsonl", [line("1", [said()])])
    run = make(tmp_path / "run.jsonl", [line("1", [said("8.00#9.00")])])
    assert score(gold, run).scores["cf1"] == pytest.approx(0.558058261758408, abs=1e-9)


ASPECTS = {"tea": "2.00#5.00", "cup": "4.00#5.00", "pot": "6.00#7.00", "tray": "8.00#7.00"}


def test_subtask_1_gives_the_numbers_counted_by_hand(tmp_path: Path) -> None:
    # Valence: gold is off its mean by -3 -1 1 3, the run by -1 -1 1 1: 8 / √(20 * 4). Arousal is reversed.
    # Squares of the differences: valence 4 0 0 4, arousal 4 4 4 4, in all 24: √(24 / 4) / √128.
    said = {"TEA": "4.00#7.00", "cup": "4.00#7.00", "pot": "6.00#5.00", "tray": "6.00#5.00"}
    gold, run = (
        make(tmp_path / f"{name}.jsonl", [line("1", values.items(), 1)])
        for name, values in (("gold", ASPECTS), ("run", said))
    )
    found = score(gold, run)
    expected = {"pearson_valence": 8 / 80**0.5, "pearson_arousal": -1, "rmse": (6 / 128) ** 0.5}
    assert found.scores == pytest.approx(expected)
    assert (found.sizes, found.headline) == ({"aspects": 4}, "rmse")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line("1", [*ASPECTS.items()][:3], 1)], "line 1: found no prediction for 'tray'"),
        ([line("2", ASPECTS.items(), 1)], "1 ID(s) missing ('1')"),
        ([line("1", {**ASPECTS, "tea": "2.12345#5.00"}.items(), 1)], "more than 4 are not scored exactly"),
    ],
)
def test_subtask_1_refuses_what_cannot_be_compared(tmp_path: Path, lines: list[str], message: str) -> None:
    gold = make(tmp_path / "gold.jsonl", [line("1", ASPECTS.items(), 1)])
    with pytest.raises(DataError) as error:
        score(gold, make(tmp_path / "run.jsonl", lines))
    assert message in str(error.value)


def test_repeated_aspects_of_subtask_1_are_answered_in_order(tmp_path: Path) -> None:
    twice = [("tea", "2.00#5.00"), ("tea", "8.00#6.00")]
    gold = make(tmp_path / "gold.jsonl", [line("1", twice, 1)])
    assert score(gold, gold).scores["rmse"] == 0
    assert score(gold, make(tmp_path / "run.jsonl", [line("1", twice[::-1], 1)])).scores["rmse"] > 0


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line("1", [])], "whole file: found no opinions"),
        ([line("1", [said()]), "{"], "line 2: found '{'"),
        ([line("1", [said()])] * 2, "line 2: found the ID '1' again"),
        ([line("1", [("tea", "good", "5.00#5.00")], 2)], "gold of subtask 2"),
    ],
)
def test_gold_that_is_not_sound_is_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    run = make(tmp_path / "run.jsonl", [line("1", [said()])])
    with pytest.raises(DataError) as error:
        score(make(tmp_path / "gold.jsonl", lines), run)
    assert message in str(error.value)


def corrupt(lines: list[str], rng: Random) -> bytes:
    """Damage a submission once to three times: a byte, a line, or a value, as hands and programs do."""
    content = "\n".join(lines)
    for _ in range(rng.randint(1, 3)):
        content = rng.choice(DAMAGES)(content, rng)
    return content.encode("utf-8", "surrogatepass")


def change_item(content: str, rng: Random) -> str:
    """Change, drop or double one opinion of a line, or one of its keys."""
    lines = content.split("\n")
    index = rng.randrange(len(lines))
    try:
        record = json.loads(lines[index])
        items = record["Quadruplet"]
        item = rng.choice(items)
    except (ValueError, KeyError, IndexError, TypeError):
        return content
    key = rng.choice([*item])
    values = ("5.55#5.5", "12.00#3.00", "-1.00#4.00", "nan#5", "7.00", "5,5#6", "9#1", "6.50#7.25")
    action = rng.randrange(5)
    if action == 0:
        item.pop(key)
    elif action == 1:
        item[key] = rng.choice([None, 5, "", "tea", "TEA", [], "NULL"])
    elif action == 2:
        item["VA"] = rng.choice(values)
    elif action == 3:
        items.append(dict(item))
    else:
        items.remove(item)
    lines[index] = json.dumps(record)
    return "\n".join(lines)


def change_line(content: str, rng: Random) -> str:
    """Remove, double, move or empty a line, or give it another id."""
    lines = content.split("\n")
    index = rng.randrange(len(lines))
    action = rng.randrange(5)
    if action == 0:
        lines.pop(index)
    elif action == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[index])
    elif action == 2:
        rng.shuffle(lines)
    elif action == 3:
        lines[index] = rng.choice(["", "[]", "{}", '{"ID": "x"}', "null", lines[index][:-2]])
    else:
        lines[index] = lines[index].replace('"ID": "', '"ID": "9', 1)
    return "\n".join(lines)


def change_character(content: str, rng: Random) -> str:
    """Change, remove or insert a character."""
    place = rng.randrange(len(content) + 1)
    new = rng.choice(["", "7", "#", '"', "\\", ".", "\r", "\ufeff", "é", "\x00", "\n", "}"])
    return content[:place] + new + content[place + rng.randint(0, 1) :]


def lead_with_a_mark(content: str, rng: Random) -> str:
    """Begin the file with a byte-order mark, as editors do."""
    return "\ufeff" + content.removeprefix("\ufeff")


DAMAGES: list[Callable[[str, Random], str]] = [
    *[change_item] * 5,
    *[change_line] * 2,
    *[change_character] * 2,
    lead_with_a_mark,
]


def draw_lines(rng: Random) -> list[str]:
    """Six lines with up to three opinions of few words, so that there is much to hit."""
    rows = []
    for name in range(6):
        drawn = {
            (rng.choice(["tea", "cup", "NULL"]), rng.choice(["A#B", "C#D"]), rng.choice(["good", "cold"]))
            for _ in range(rng.randint(0, 3))
        }
        values = (f"{rng.randint(100, 900) / 100:.2f}#{rng.randint(100, 900) / 100:.2f}" for _ in drawn)
        rows.append(line(str(name), [(*fields, v) for fields, v in zip(sorted(drawn), values, strict=True)]))
    return [*rows, FILLER]


def test_thousand_corrupted_submissions_get_the_same_number_or_are_refused_with_the_line(
    tmp_path: Path,
) -> None:
    rng = Random(28)
    gold = make(tmp_path / "gold.jsonl", draw_lines(rng))
    wanted, run = read_run(gold), tmp_path / "run.jsonl"
    scored, refusals = 0, []
    for _ in range(1000):
        run.write_bytes(corrupt(draw_lines(rng), rng))
        try:
            found = score_run(wanted, read_run(run, 3)).scores
        except DataError as error:
            refusals.append(str(error))
            continue
        scored += 1
        assert found == pytest.approx(score_plainly(gold, run, 3), abs=1e-9), run.read_bytes()
    assert [said for said in refusals if "line " not in said and "whole file" not in said] == []
    # neither way is the only one
    assert min(scored, len(refusals)) > 200


def test_ranking_puts_the_least_error_of_subtask_1_first(tmp_path: Path) -> None:
    gold = make(tmp_path / "gold.jsonl", [line(str(n), ASPECTS.items(), 1) for n in range(5)])
    far = make(
        tmp_path / "far.jsonl",
        [line(str(n), dict.fromkeys(ASPECTS, "5.00#5.00").items(), 1) for n in range(5)],
    )
    standings = rank_runs([score(gold, far), score(gold, gold)], resamples=100)
    assert [(s.place, s.run) for s in standings] == [(1, "gold"), (2, "far")]
    assert standings[0].p is None


def test_ranking_puts_the_highest_f1_first_and_shares_places(tmp_path: Path) -> None:
    gold, run = write(tmp_path, CASES)
    standings = rank_runs([score(gold, run), score(gold, gold), score(gold, gold)], resamples=100)
    assert [(s.place, s.run) for s in standings] == [(1, "gold"), (1, "gold"), (3, "run")]
    assert standings[2].interval[0] <= standings[2].scores["cf1"] <= standings[2].interval[1]


def test_board_is_that_of_the_campaign() -> None:
    # the winners and the fifths that the task's results name
    named = {(2, "eng_restaurant"): (0.702, 0.671), (2, "eng_laptop"): (0.637, 0.564)}
    for key, values in named.items():
        assert [read_board(*key)[rank].cf1 for rank in (0, 4)] == pytest.approx(values, abs=6e-4)
    winners = [read_board(3, f"eng_{name}")[0].cf1 for name in ("restaurant", "laptop")]
    assert winners == pytest.approx([0.651, 0.423], abs=6e-4)


def test_ranking_compares_runs_that_each_have_ids_which_gold_has_not(tmp_path: Path) -> None:
    # counts of two runs were compared row by row, and each had a row more for its own id
    gold = make(tmp_path / "gold.jsonl", [line("1", [said()])])
    runs = [make(tmp_path / f"{n}.jsonl", [line("1", [said()]), line(f"x{n}", [said()] * n)]) for n in (1, 2)]
    standings = rank_runs([score(gold, run) for run in runs], resamples=100)
    # one false prediction, and two: 2 / (2 + 1) and 2 / (2 + 2)
    assert [(s.run, s.scores["cf1"]) for s in standings] == [("1", 2 / 3), ("2", 0.5)]


@pytest.mark.parametrize("subtask", [2, 3])
def test_boards_are_in_order_and_equal_scores_share_a_place(subtask: int) -> None:
    for name in list_boards(subtask):
        values = [team.cf1 for team in read_board(subtask, name)]
        places = [team.place for team in read_board(subtask, name)]
        assert values == sorted(values, reverse=True)
        assert places == [1 + len({other for other in values if other > value}) for value in values]


def test_unknown_board_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="expected one of eng_laptop, eng_restaurant, jpn_hotel"):
        read_board(2, "eng_hotel")


@pytest.mark.parametrize(
    ("file", "tuples"),
    [
        ("eng/eng_restaurant_dev_task3", 408),
        ("zho/zho_laptop_dev_task2", 551),
        ("rus/rus_restaurant_dev_task3", 102),
    ],
)
def test_real_gold_reaches_one_against_itself(file: str, tuples: int, real_data: Path) -> None:
    gold = real_data / "dimabsa2026" / f"{file}.jsonl"
    assert score(gold, gold).scores["cf1"] == 1
    assert score(gold, gold).sizes["gold"] == tuples
