"""Training on variants: which sentences they are made of, and that dev stays as it is."""

from pathlib import Path

import pytest

from tests.support.studies import collect

pytest.importorskip("lemminflect")
pytest.importorskip("spacy")

WANTED = "adversarial = { strategies = ['revtgt', 'adddiff'], ratio = 2 }"


def test_every_split_trains_on_its_own_sentences_and_their_variants(tmp_path: Path) -> None:
    material, problems = collect(tmp_path, WANTED)
    assert problems == []
    examples = material.corpus.examples
    for number, (train, dev) in material.splits.items():
        held = {examples[place].text for place in dev}
        originals = [examples[place] for place in train if examples[place].variant is None]
        variants = [examples[place] for place in train if examples[place].variant]
        assert {example.variant for example in variants} == {"revtgt", "adddiff"}
        # 18 sentences of one aspect each; what is not in dev is in train
        assert len(originals) == 18 - len(dev)
        assert len(variants) <= 2 * len(originals)
        assert {example.source for example in variants} <= {example.id for example in originals}
        assert all(example.id.endswith(f"@{number}") for example in (*originals, *variants))
        assert not held & {example.text for example in (*originals, *variants)}


def test_dev_is_the_same_with_variants_and_without(tmp_path: Path) -> None:
    (with_, _), (without, _) = (collect(tmp_path, corpus) for corpus in (WANTED, ""))
    dev = [
        {number: [m.corpus.examples[place].id for place in dev] for number, (_, dev) in m.splits.items()}
        for m in (with_, without)
    ]
    assert dev[0] == dev[1]
    assert with_.key != without.key


def test_model_that_finds_aspects_is_refused(tmp_path: Path) -> None:
    _, problems = collect(tmp_path, WANTED, "aste")
    assert any("variants of single aspects" in problem for problem in problems)


@pytest.mark.parametrize("setting", ["curriculum", "variant_ratio"])
def test_curriculum_needs_variants_in_the_corpus(tmp_path: Path, setting: str) -> None:
    (_, with_), (_, without) = (collect(tmp_path, c, plan={setting: 0.5}) for c in (WANTED, ""))
    assert with_ == []
    assert [problem for problem in without if f"{setting}: corpus 'toys' has no variants" in problem]


def test_aspect_phrases_decide_what_is_appended(tmp_path: Path) -> None:
    wanted = "adversarial = { strategies = ['adddiff'], aspect_phrases = 'KIND' }"
    tails = []
    for kind in ("template", "parsed"):
        material, _ = collect(tmp_path, wanted.replace("KIND", kind))
        tails.append({e.text.partition(", but ")[2].split(" ")[2] for e in material.corpus if e.variant})
    # the sentences say "was", the template "is"
    assert tails == [{"is"}, {"was"}]
