"""The page of an audit in a real browser: what is clicked is what the sheet says."""

from pathlib import Path

import pytest

from aspectlab.analysis import AuditedOpinion, Draw, DrawnSentence, read_sheet, save_draw
from tests.support.browser import browsing

pytestmark = pytest.mark.slow

FOOD = AuditedOpinion("food", "good", "food", "positive", 0.9)
STAFF = AuditedOpinion("staff", '=rude, "very"', "service", "negative", 0.8)
DRAW = Draw(
    (
        DrawnSentence("1", 0, "Good food and <b>rude</b> staff.", (FOOD, STAFF)),
        DrawnSentence("2", 0, "It rained </script> all day.", ()),
    ),
    (1, 1),
    {"food": (1, 1), "service": (0, 1)},
)


def test_clicked_verdicts_come_back_from_the_saved_sheet(tmp_path: Path) -> None:
    save_draw(DRAW, tmp_path)
    with browsing() as tab:
        tab.open((tmp_path / "audit.html").as_uri(), width=390)
        assert tab.problems() == []
        assert tab.get("document.querySelector('article p').textContent") == DRAW.sentences[0].text
        tab.get("document.querySelector('input[name=s0-0][value=right]').click()")
        tab.get("document.querySelector('input[name=s0-1][value=changed]').click()")
        tab.get(
            "(() => { const box = document.querySelectorAll('article')[0].querySelectorAll('fieldset')[1];"
            "const cell = box.querySelectorAll('select')[1]; cell.value = 'neutral';"
            "cell.dispatchEvent(new Event('input')); })()"
        )
        tab.get("document.querySelector('input[name=s0-m][value=none]').click()")
        assert tab.get("document.getElementById('told').textContent") == "1 of 2 judged"
        (tmp_path / "audit.csv").write_text(str(tab.get("table()")), encoding="utf-8", newline="")
        assert tab.get("document.documentElement.scrollWidth") <= 390
    (judged,) = read_sheet(DRAW, tmp_path / "audit.csv")
    assert judged.verdicts == ("right", "changed")  # a quote and an equals sign come through
    assert judged.truth == (FOOD, STAFF._replace(polarity="neutral", probability=None))


def test_page_asks_for_nothing_but_itself(tmp_path: Path) -> None:
    save_draw(DRAW, tmp_path)
    with browsing() as tab:
        address = (tmp_path / "audit.html").as_uri()
        tab.open(address)
        assert tab.requests() == [address]
