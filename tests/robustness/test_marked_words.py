"""Words are marked where they differ, and nothing in a text is taken for markup."""

import re
from html import unescape

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Span
from aspectlab.robustness.report import WordDiff, diff_words, render_diff


def mark(old: str, new: str, *terms: Span) -> str:
    return render_diff(new, terms, diff_words(old, new))


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("The tea is fine.", "The tea is fine.", "The tea is fine."),
        ("The tea is fine.", "The tea is awful.", "The tea is <del>fine</del> <ins>awful</ins>."),
        ("The tea is fine.", "The tea is not fine.", "The tea is <ins>not</ins> fine."),
        ("The tea is not fine.", "The tea is fine.", "The tea is <del>not</del> fine."),
        ("Nice tea, really.", "Nice tea.", "Nice tea<del>, really</del>."),
        ("The tea is fine", "The tea", "The tea <del>is fine</del>"),
        ("Tea!", "Tea, but no cup.", "Tea<del>!</del><ins>, but no cup.</ins>"),
        ("Nice", "", "<del>Nice</del> "),
        ("", "Nice", "<ins>Nice</ins>"),
        ("", "", ""),
    ],
)
def test_changed_words_are_marked(old: str, new: str, marked: str) -> None:
    assert mark(old, new) == marked


def test_aspect_is_marked_also_within_a_change() -> None:
    assert mark("Fine tea", "Fine cold tea and milk", Span(10, 13)) == (
        "Fine <ins>cold</ins> <b>tea</b> <ins>and milk</ins>"
    )
    assert mark("", "cold tea", Span(5, 8)) == "<ins>cold </ins><ins><b>tea</b></ins>"


def test_markup_in_texts_is_escaped() -> None:
    marked = mark("<b>tea</b> 'x'", '<script>tea</script> "x"', Span(8, 11))
    assert "<script" not in marked
    assert "&lt;<del>b</del><ins>script</ins>&gt;<b>tea</b>" in marked


def test_very_long_texts_are_not_compared() -> None:
    assert diff_words("tea " * 2000, "cup " * 2000) == WordDiff()


@given(old=st.text("ab .<&\u0301😀", max_size=20), new=st.text("ab .<&\u0301😀", max_size=20), cut=st.data())
def test_marked_text_still_holds_the_whole_text(old: str, new: str, cut: st.DataObject) -> None:
    start = cut.draw(st.integers(0, len(new)))
    span = Span(start, cut.draw(st.integers(start, len(new))))
    # only blanks beside a removed word may differ
    without = re.sub(r"<del>.*?</del>", "", mark(old, new, span))
    assert "".join(unescape(re.sub(r"</?(ins|b)>", "", without)).split()) == "".join(new.split())
