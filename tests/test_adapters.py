"""The adapters for scikit-learn and spaCy."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from aspectlab import Estimator, Quad
from aspectlab.errors import ConfigError
from tests.support.training import make_examples

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

ROOT = Path(__file__).parent.parent
PAIRS = [
    (example.text, example.quads[0].aspect.text)  # type: ignore[union-attr]
    for start in ("Today", "Now")
    for example in make_examples(start)
]
LABELS = [e.quads[0].polarity.value for start in ("Today", "Now") for e in make_examples(start)]  # type: ignore[union-attr]


def estimator(model: str = "marked", **settings: object) -> Estimator:
    return Estimator(model, "tiny", epochs=1, device="cpu", **settings)  # type: ignore[arg-type]


def test_clone_has_the_settings_and_no_model() -> None:
    fitted = estimator(seed=3).fit(PAIRS, LABELS)
    copied = clone(fitted)
    assert copied.get_params() == fitted.get_params()
    assert not hasattr(copied, "model_")


def test_estimator_classifies_given_aspects() -> None:
    steady = {"average": 0.0, "schedule": "constant", "warmup": 0.0, "patience": 25}
    fitted = estimator(learning_rate=3e-3, settings=steady).set_params(epochs=25).fit(PAIRS, LABELS)
    predicted = fitted.predict(PAIRS)
    assert fitted.score(PAIRS, LABELS) == sum(map(str.__eq__, predicted, LABELS)) / len(LABELS)
    assert fitted.score(PAIRS, LABELS) > 0.9
    assert fitted.classes_ == ["negative", "neutral", "positive"]


def test_cross_validation_of_a_classifier() -> None:
    assert len(cross_val_score(estimator(), PAIRS, LABELS, cv=3, error_score="raise")) == 3


def test_grid_search_of_a_classifier() -> None:
    search = GridSearchCV(estimator(), {"batch_size": [4, 8]}, cv=2, error_score="raise").fit(PAIRS, LABELS)
    assert search.best_params_["batch_size"] in (4, 8)
    assert set(search.predict(PAIRS)) <= set(LABELS)


def triplets() -> tuple[list[str], list[tuple[Quad, ...]]]:
    from tests.support.tiny_models import SENTENCES, make_example

    examples = [make_example(str(n), *sentence) for n, sentence in enumerate(SENTENCES)]
    return [e.text for e in examples], [e.quads for e in examples]


def test_extractor_is_searched_too() -> None:
    texts, quads = triplets()
    search = GridSearchCV(estimator("stage"), {"seed": [1, 2]}, cv=2, error_score="raise").fit(texts, quads)
    assert len(search.predict(texts)) == len(texts)
    assert all(isinstance(answer, tuple) for answer in search.predict(texts))
    scores = cross_val_score(estimator("stage"), texts, quads, cv=2, error_score="raise")
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("rows", "labels"), [([3], ["positive"]), ([("a", "b", "c")], ["positive"]), (["a"], [3])]
)
def test_rows_that_are_no_texts_are_refused(rows: list[object], labels: list[object]) -> None:
    with pytest.raises(TypeError, match="Estimator: "):
        estimator().fit(rows, labels)


def test_estimator_that_is_not_fitted_says_so() -> None:
    with pytest.raises(ConfigError, match="call fit first"):
        estimator().predict(PAIRS)
    with pytest.raises(ValueError, match="did you mean 'epochs'"):
        estimator().set_params(epoch=3)


def test_spacy_finds_the_component_by_its_entry_point(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (name, target), *_ = project["project"]["entry-points"]["spacy_factories"].items()
    place = tmp_path / "probe-1.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 1\n")
    (place / "entry_points.txt").write_text(f"[spacy_factories]\n{name} = {target}\n")
    program = """
import spacy
nlp = spacy.blank("en")
nlp.add_pipe("aspectlab", config={"min_probability": 0.5})
doc = nlp("The soup was lovely, but the waiter was curt.")
print([(o.aspect, o.opinion, o.polarity) for o in doc._.opinions])
print([(s.text, s.label_) for s in doc.spans["aspects"]])
print([len(d._.opinions) for d in nlp.pipe(["Lovely soup!", "We came by bus."])])
"""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=paths)
    assert answer.stdout.splitlines() == [
        "[('soup', 'lovely', 'positive'), ('waiter', 'curt', 'negative')]",
        "[('soup', 'positive'), ('waiter', 'negative')]",
        "[1, 0]",
    ], answer.stderr[-2000:]


@pytest.mark.parametrize("library", ["sklearn", "spacy"])
def test_default_install_imports_neither(library: str) -> None:
    program = (
        f"import sys, aspectlab; aspectlab.Estimator; aspectlab.evaluate; print({library!r} in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert answer.stdout.split() == ["False"]
