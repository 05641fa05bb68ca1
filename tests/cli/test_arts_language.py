"""What is said before texts are rewritten that cannot be rewritten well."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.cli.main import app

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

ITALIAN = "La camera è pulita ma il bagno non è molto grande."
ENGLISH = "The camera is pulita but the bathroom is not very grande."


def write(path: Path, text: str) -> str:
    """Write six sentences without a word about their language."""
    start, opinion = text.index("camera"), text.index("pulita")
    quad = {
        "aspect": {"text": "camera", "start": start, "end": start + 6},
        "opinion": {"text": "pulita", "start": opinion, "end": opinion + 6},
        "polarity": "positive",
    }
    records = [{"id": str(n), "text": text, "quads": [quad]} for n in range(6)]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("words", "text", "is_said"),
    [
        (["arts", "generate", "--train"], ITALIAN, True),
        (["arts", "augment"], ITALIAN, True),
        (["metamorphic", "generate", "--train"], ITALIAN, True),
        (["arts", "augment"], ENGLISH, False),
    ],
    ids=["generate", "augment", "metamorphic", "English"],
)
def test_rewriting_says_that_texts_seem_not_to_be_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], text: str, is_said: bool
) -> None:
    monkeypatch.setattr("aspectlab.metamorphic.cases.load_relation_lexicon", lambda senses: NO_WORDS)
    path = write(tmp_path / "rooms.jsonl", text)
    out = ["--out", str(tmp_path / "out.jsonl")]
    files = [path, path] if words[-1] == "--train" else [path]
    answer = CliRunner().invoke(app, [*words, *files, *out])
    assert answer.exit_code == 0, answer.output
    assert ("seem not to be English (mostly Italian)" in answer.stderr) is is_said


class NoWords:
    """A lexicon that knows nothing, so that WordNet need not be there."""

    def synonyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List none."""
        return ()

    antonyms = hypernyms = synonyms


NO_WORDS = NoWords()


def test_arts_says_that_wordnet_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the same command and seed give another file there, and nothing said so
    monkeypatch.setattr("aspectlab.language.wordnet.find_wordnet", lambda: None)
    path = write(tmp_path / "rooms.jsonl", ENGLISH)
    answer = CliRunner().invoke(app, ["arts", "augment", path, "--out", str(tmp_path / "out.jsonl")])
    assert "WordNet is not installed" in answer.stderr


def test_doctor_names_a_variable_that_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASPECTLAB_WORDNET", str(tmp_path))
    answer = CliRunner().invoke(app, ["doctor", "--json"])
    assert "correct the variable ASPECTLAB_WORDNET" in answer.stdout
