"""The language check: surely another language, or nothing said."""

import pytest

from aspectlab.errors import ConfigError
from aspectlab.language import check_language, check_language_code, find_other_language

ENGLISH = ["The soup was hot and the staff were kind.", "This is not what we had hoped for."] * 4
GERMAN = ["Die Suppe war heiß und das Personal sehr nett.", "Das war nicht, was wir erwartet haben."] * 4


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("La soupe était bonne mais le service est très lent pour nous.", "fr"),
        ("La sopa estaba muy buena pero el servicio es lento para todos.", "es"),
        ("La zuppa era molto buona ma il servizio non è stato all'altezza.", "it"),
        ("A sopa é muito boa mas o serviço não foi o que queria.", "pt"),
        ("De soep was heel lekker maar het duurde te lang voor ons.", "nl"),
        ("Суп был очень вкусный", "ru"),
        ("とても美味しいスープでした", "ja"),
        ("汤很好喝，服务员也很友好。", "zh"),
        # capitals alone are no other script, and say as much as small letters
        ("TODO MUY BIEN, NO TENGO NINGUNA QUEJA", "es"),
        ("THE SOUP WAS HOT AND GOOD, NO COMPLAINTS", None),
        ("Good soup", None),
        ("Super!", None),
        ("👍👍👍", None),
        ("", None),
        # half of it can be analysed
        ("The hotel is great and the room was clean. الفندق نظيف جدا", None),
        ("Pictures tend to be blurry", None),
    ],
)
def test_language_is_named_where_it_is_surely_another(text: str, language: str | None) -> None:
    assert find_other_language(text) == language


def test_language_that_is_expected_may_be_another_than_english() -> None:
    assert find_other_language(GERMAN[0], "de") is None
    assert find_other_language(ENGLISH[0], "de") == "en"


def test_text_may_have_lines_and_half_characters() -> None:
    assert find_other_language("Die Suppe\nwar heiß \ud800 und das\0Personal sehr nett.") == "de"


def test_language_code_that_is_unknown_is_refused() -> None:
    with pytest.raises(ConfigError, match="--language 'english': no such code"):
        check_language_code("english")


@pytest.mark.parametrize("texts", [ENGLISH, ENGLISH + GERMAN[:6], ["Good soup"] * 50, [], GERMAN[:3]])
def test_english_or_unknown_texts_give_no_warning(texts: list[str]) -> None:
    assert check_language(texts) is None


def test_foreign_texts_give_a_warning_with_share_and_language() -> None:
    # 4 of the 8 are sure, as are both in English
    warning = check_language(GERMAN[::2] + ENGLISH[:1])
    assert warning is not None
    assert warning.startswith("80 % of the texts")
    assert "German" in warning


@pytest.mark.slow
def test_reviews_in_39_languages_are_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    from languages import count_recognised

    total, foreign, right = count_recognised()
    assert total == 39 * 20
    assert foreign >= 0.9 * total
    assert right >= 0.9 * total
