"""The language check: most texts decide, and short ones say nothing."""

import pytest

from aspectlab.language.detection import check_language, guess_language

ENGLISH = ["The soup was hot and the staff were kind.", "This is not what we had hoped for."] * 4
GERMAN = ["Die Suppe war heiß und das Personal sehr nett.", "Das war nicht, was wir erwartet haben."] * 4


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("La soupe était bonne mais le service est très lent pour nous.", "French"),
        ("La sopa estaba muy buena pero el servicio es lento para todos.", "Spanish"),
        ("La zuppa era molto buona ma il servizio non è stato all'altezza.", "Italian"),
        ("A sopa é muito boa mas o serviço não foi o que queria.", "Portuguese"),
        ("De soep was heel lekker maar het duurde te lang voor ons.", "Dutch"),
        ("Суп был очень вкусный", "another script"),
        ("とても美味しいスープでした", "another script"),
        ("Good soup", None),
        ("👍👍👍", None),
    ],
)
def test_language_is_told_by_its_frequent_words(text: str, language: str | None) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize("texts", [ENGLISH, ENGLISH + GERMAN[:6], ["Good soup"] * 50, [], GERMAN[:3]])
def test_english_or_unknown_texts_give_no_warning(texts: list[str]) -> None:
    assert check_language(texts) is None


def test_foreign_texts_give_a_warning_with_share_and_language() -> None:
    # 8 of 10 judged texts are German
    warning = check_language(GERMAN + ENGLISH[:2])
    assert warning is not None
    assert warning.startswith("80 % of the reviews")
    assert "German" in warning
