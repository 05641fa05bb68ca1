"""SLGM: the tagging loss word by word, and what both copies must agree on."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn.functional import selu

from aspectlab.data import Example
from aspectlab.encodings.grammar import END
from aspectlab.models import Model
from aspectlab.models.slgm import SLGM, TEMPLATES, BidirectionalBatch
from aspectlab.nn import mean_words
from tests.support.generation import written_batch

Build = Callable[[str], Model]


@pytest.fixture
def model(build_tiny: Build) -> SLGM:
    built = build_tiny("slgm").eval()
    assert isinstance(built, SLGM)
    return built


def tag_losses(model: SLGM, marker: Tensor, role: int, words: Tensor, span: tuple[int, int]) -> Tensor:
    """The loss of every word for one term: outside is 0, inside 1, the first word 2, [W]."""
    joined = torch.cat([model.marker.weight, model.word.weight], 1)  # [H, 2 * H] as in the paper
    views = [torch.cat([marker, model.views[role](word)]) for word in words]
    scores = torch.stack([model.tag(selu(joined @ view + model.marker.bias)) for view in views])
    first, last = span
    tags = [0] * first + [2] + [1] * (last - first) + [0] * (len(words) - last - 1)
    return -torch.stack([row.log_softmax(-1)[tag] for row, tag in zip(scores, tags, strict=True)])


def plain_guidance(model: SLGM, batch: BidirectionalBatch[Tensor], row: int) -> Tensor:
    """The mean over all triplets and words, of aspects and of opinions, and their sum."""
    states, written = model(batch).chunk(2, -1)
    words, mask = mean_words(states, batch.words)
    inside = words[row][mask[row]]
    losses = [
        [
            tag_losses(model, written[row, marker], role, inside, (first, last))
            for marker, first, last in batch.guides[row, :, role].tolist()
        ]
        for role in range(2)
    ]
    return torch.cat(losses[0]).mean() + torch.cat(losses[1]).mean()


def test_guidance_is_the_mean_loss_of_the_tags_of_both_roles(model: SLGM, torn: Example) -> None:
    batch = written_batch(model, [torn])
    with torch.no_grad():
        expected = torch.stack([plain_guidance(model, batch, copy) for copy in range(2)]).mean()
        whole = model.loss(model(batch), batch)
        model.guidance = 0.0
        alone = model.loss(model(batch), batch)
    torch.testing.assert_close(whole - alone, expected, rtol=1e-4, atol=1e-5)


def test_marker_state_is_the_one_that_writes_the_marker(model: SLGM, torn: Example) -> None:
    # the state at a marker's place has read everything before it, and not the marker itself
    batch = written_batch(model, [torn])
    place = int(batch.guides[0, 1, 0, 0])
    labels = batch.labels.clone()
    labels[0, place] += 1
    with torch.no_grad():
        before = model(batch)
        batch.labels.copy_(labels)
        after = model(batch)
    torch.testing.assert_close(before[0, : place + 1], after[0, : place + 1])
    assert not torch.allclose(before[0, place + 1], after[0, place + 1])


def test_text_without_triplets_has_no_guidance(model: SLGM) -> None:
    batch = written_batch(model, [Example("1", "Nothing to see")])
    with torch.no_grad():
        guided = model.loss(model(batch), batch)
        model.guidance = 0.0
        torch.testing.assert_close(model.loss(model(batch), batch), guided)


def test_copies_begin_with_their_own_word(model: SLGM, eight: list[Example]) -> None:
    batch = written_batch(model, eight)
    with torch.no_grad():
        model.writer.sought[END] = 0.0
        first = model.answer(batch)[:, 0]
    allowed = [{END, TEMPLATES[0].number(word)} for word in ("aspect", "opinion")]
    assert all(int(symbol) in allowed[copy] for symbol, copy in zip(first, batch.copy.tolist(), strict=True))
