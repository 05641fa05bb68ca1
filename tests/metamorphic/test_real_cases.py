"""The relations on the published triplets."""

from collections import Counter
from pathlib import Path

import pytest

from aspectlab.language.wordnet import find_wordnet
from aspectlab.metamorphic import generate
from aspectlab.metamorphic.cases import label_fully
from aspectlab.metamorphic.context import find_triplets
from aspectlab.readers import read

FOLDER = Path("aste", "ASTE-Data-V2-EMNLP2020")


# test triplets that have another one in their sentence, counted from the files by another program
@pytest.mark.parametrize(
    ("name", "expected"), [("14lap", 359), ("14res", 788), ("15res", 275), ("16res", 322)]
)
def test_targets_with_another_triplet_are_as_many_as_counted(
    real_data: Path, name: str, expected: int
) -> None:
    corpus = read(real_data / FOLDER / name / "test_triplets.txt")
    found = [len(find_triplets(example)) for example in corpus]
    # one sentence of 14lap has the same triplet twice
    repeated = sum(len(example.quads) for example in corpus) - sum(found)
    assert sum(count for count in found if count > 1) + repeated == expected


@pytest.mark.slow
def test_generated_cases_of_a_published_corpus_are_sound(real_data: Path) -> None:
    pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
    if find_wordnet() is None:
        pytest.skip("WordNet is not installed: apt install wordnet-base")
    corpus = read(real_data / FOLDER / "14lap" / "test_triplets.txt")
    cases = [case for _, found in generate(corpus, limit=2) for case in found]
    counts = Counter(case.relation for case in cases)
    assert all(counts.values())
    assert counts["MR1-4"] <= 359
    assert len({case.followup.id for case in cases}) == len(cases)
    # an example refuses spans that do not stand in its text, so that they need no check here
    assert [case for case in cases if case.followup.text == case.source.text] == []
    labelled = [(case, label_fully(case)) for case in cases]
    assert [case for case, full in labelled if full and case.expected not in full.quads] == []
    # only an antonym of a neutral opinion leaves a label open
    assert {case.relation for case, full in labelled if full is None} <= {"MR1-2", "MR2-4"}
