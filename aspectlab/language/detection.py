"""Language detection: are texts English, by their most frequent words and their letters?"""

import re
from collections import Counter
from collections.abc import Iterable

ENGLISH = "English"
OTHER_SCRIPT = "another script"

# words that are frequent in one of these languages and rare or absent in the others
_WORDS = {
    ENGLISH: "the and was is it of to this that with for but very are were have had they you not my we be so",
    "German": "der die das und nicht ich eine mit sehr auf war auch für wir aber den dem zu von im",
    "French": "le la les et est pas je un une des très mais pour avec dans nous que qui ce cette du",
    "Spanish": "el la los las y es no un una muy pero para con que en del por lo como está fue más nos se",
    "Italian": "il la le e è non un una molto ma per con che di del della sono anche ho ci si nel gli questo",
    "Portuguese": "o a os as e é não um uma muito mas para com que de do da em foi são mais nos bem está ao",
    "Dutch": "de het een en is niet ik met zeer heel maar voor was van op ook we wij zijn er dat die te bij",
}
_PROFILES = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_END = "\u024f"
_FEWEST_WORDS = 5
_FEWEST_TEXTS = 5
_LONGEST = 2000


def guess_language(text: str) -> str | None:
    """Name the language of a text; None where it is too short or says nothing.

    >>> guess_language("The room was small but the bed was very good.")
    'English'
    >>> guess_language("Das Zimmer war klein, aber das Bett war sehr gut.")
    'German'
    >>> guess_language("Nice!")
    """
    words = _WORD.findall(text[:_LONGEST].lower())
    letters = sum(map(len, words))
    foreign = sum(letter > _LATIN_END for word in words for letter in word)
    if letters >= _FEWEST_WORDS and foreign > letters / 2:
        return OTHER_SCRIPT
    if len(words) < _FEWEST_WORDS:
        return None
    counts = {language: sum(word in profile for word in words) for language, profile in _PROFILES.items()}
    # English comes first in the table, so that it wins where nothing decides
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else None


def find_foreign(texts: Iterable[str]) -> tuple[float, str] | None:
    """Return the share of texts that are not English and their main language, if they are the most.

    Texts that say nothing do not count.

    >>> find_foreign(["Das Zimmer war klein und nicht gut."] * 5)
    (1.0, 'German')
    """
    found = Counter(filter(None, map(guess_language, texts)))
    judged = found.total()
    if judged < _FEWEST_TEXTS or 2 * found[ENGLISH] >= judged:
        return None
    foreign = [language for language, _ in found.most_common() if language != ENGLISH]
    return (judged - found[ENGLISH]) / judged, foreign[0]


def check_language(texts: Iterable[str]) -> str | None:
    """Return a warning if most texts are not English; texts that say nothing do not count."""
    found = find_foreign(texts)
    if found is None:
        return None
    share, language = found
    return (
        f"{100 * share:.0f} % of the reviews looked at seem not to be English (mostly {language}): "
        "the shipped model knows English only; name another with --model"
    )
