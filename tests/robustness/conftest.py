"""The generated Restaurant set beside the published one, made once."""

from pathlib import Path

import pytest

from aspectlab.data import Corpus
from aspectlab.readers import read
from aspectlab.robustness.generator import Generation, generate


@pytest.fixture(scope="session")
def restaurant(real_data: Path) -> tuple[Generation, Corpus]:
    folder = real_data / "arts" / "src_data" / "rest"
    names = ("test_sent_towe", "train_sent_towe", "test_sent")
    towe, train, full = (read(folder / f"{name}.json") for name in names)
    published = read(real_data / "arts" / "arts_testset" / "rest_test_enriched.json")
    return generate(towe, train, all_aspects=full), published
