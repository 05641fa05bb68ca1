"""Published tables, and where the published data sets would be: those are never part of the project."""

import os
from pathlib import Path

HERE = Path(__file__).parent

PUBLISHED_SPLITS = HERE / "published_splits.csv"
"""Tables 2 and 3 of "On the current state of reproducibility and reporting of uncertainty for Aspect-based
Sentiment Analysis": five splits of five runs, each with mean and std, and the overall mean and std."""

ARTS_TABLE_7 = HERE / "arts_table7_restaurant.csv"
"""The cells and stars of Table 7 of the ARTS paper (Xing et al., 2020), Restaurant."""


def published_folder() -> Path:
    """Return the folder that ASPECTLAB_DATA names, or the usual place beside the checkout."""
    return Path(os.environ.get("ASPECTLAB_DATA", HERE.parents[2] / "shared" / "data"))
