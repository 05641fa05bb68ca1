"""Two analyses never write to one folder at once: blocks of one would be taken for those of the other."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from aspectlab.analysis.pipeline import Settings, analyze, prepare
from aspectlab.data import Quad
from aspectlab.errors import ConfigError
from tests.support.keyword_predictor import KeywordPredictor


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.txt"
    path.write_text("Good food.\nRude staff.\n", encoding="utf-8")
    return path


class Intruder(KeywordPredictor):
    """Begins another analysis in the same folder while this one runs."""

    def __init__(self, source: Path, out: Path) -> None:
        super().__init__()
        self.source, self.out = source, out

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        with pytest.raises(ConfigError, match="another analysis is writing to it: wait"):
            analyze(prepare([self.source], Settings(split=False)), KeywordPredictor(), self.out)
        return super().predict(texts)


def test_second_analysis_in_one_folder_is_refused_and_the_first_is_whole(
    source: Path, tmp_path: Path
) -> None:
    found = analyze(prepare([source]), Intruder(source, tmp_path / "out"), tmp_path / "out").aggregate
    assert (found.totals.reviews, found.totals.opinions) == (2, 2)
