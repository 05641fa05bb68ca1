"""The tagger: what it refuses."""

import pytest

from aspectlab.errors import DataError
from aspectlab.language.parsing import load_tagger

pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")


def test_tagger_refuses_a_text_that_spacy_would_not_take() -> None:
    # spaCy's own limit is a million characters, beyond which it raises a ValueError
    with pytest.raises(DataError, match="found 1,000,001 characters: expected at most 1,000,000; split it"):
        load_tagger().tag(["Fine.", "a" * 1_000_001])
