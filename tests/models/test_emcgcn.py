"""EMC-GCN: the whole model as plain loops over fifty channels, its losses, and the grammar that it reads."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings.dependency_graph import LOOP, relation_number
from aspectlab.language import Parse, word_spans
from aspectlab.language.parsing import ChainParser, PipelineParser
from aspectlab.models import build_model
from aspectlab.models.emcgcn import CLASSES, EMCGCN, DependencyBatch, DependencyEncoding, tag_number
from tests.support.graph_models import Bush, bush_arcs, first_values
from tests.support.word_models import WORDS, assert_close, batch_of, word_encoder

TEXT = "our waiter left a soup early and so was the bread"
OTHERS = ["fresh bread", "soup", "the soup was very good but our waiter seemed rude", ""]
TAGS = ("DT", "NN", "VBD", "no such tag")


class TaggedBush(Bush):
    """The same trees with tags that come round every four words."""

    def parse(self, texts: list[str]) -> list[Parse]:
        tags = [[TAGS[place % 4] for place, _ in enumerate(word_spans(text))] for text in texts]
        return [replace(tree, tags=row) for tree, row in zip(super().parse(texts), tags, strict=True)]


def small_model() -> EMCGCN:
    model = EMCGCN(word_encoder(), 3, hidden=4, parser="chain")
    model.encoding = DependencyEncoding(model.encoder.vocabulary, TaggedBush())
    first_values(0, model)
    return model.eval()


def told(text: str, aspect: str, opinion: str) -> Example:
    terms = [
        Term(words, Span(text.index(words), text.index(words) + len(words))) for words in (aspect, opinion)
    ]
    return Example("1", text, (Quad(terms[0], None, terms[1], Polarity.NEGATIVE),))


def plain_channels(model: EMCGCN, states: Tensor) -> Tensor:
    """All five channels by table and index, [n, n, 50]."""
    size = len(states)
    rows, columns = (
        torch.cat([view(states).relu(), torch.ones(size, 1)], -1)
        for view in (model.biaffine.row, model.biaffine.column)
    )
    distances = steps_between(bush_arcs(size), size)
    cells = []
    for i in range(size):
        for j in range(size):
            product = torch.stack([rows[i] @ u @ columns[j] for u in model.biaffine.matrices])
            label = Bush.labels[max(i, j) % 5]  # the later of two linked words is the child
            number = LOOP if i == j else relation_number(label) if (i, j) in bush_arcs(size) else 0
            tags = sorted(tag_number(TAGS[place % 4]) - 1 for place in (i, j))
            channels = [
                model.by_place.table[abs(i - j)],
                model.by_relation.table[number - 1] if number else torch.zeros(CLASSES),
                model.by_tags.table[:, tags[0], tags[1]],
                model.by_tree.table[distances[i][j]],
            ]
            cells.append(torch.cat([product, *channels]))
    return torch.stack(cells).view(size, size, -1)


def steps_between(arcs: set[tuple[int, int]], size: int) -> list[list[int]]:
    """Shortest ways by Floyd's method; 4 is as far as it goes."""
    steps = [[0 if i == j else 1 if (i, j) in arcs else 4 for j in range(size)] for i in range(size)]
    for by in range(size):
        steps = [[min(steps[i][j], steps[i][by] + steps[by][j]) for j in range(size)] for i in range(size)]
    return steps


def plain_nodes(model: EMCGCN, states: Tensor, channels: Tensor) -> Tensor:
    """The convolution as released: fifty matrices, loops added to each, and their products averaged."""
    nodes = model.enter(states).relu()
    shares = torch.cat([part.softmax(-1) for part in channels.split(CLASSES, -1)], -1)  # [n, n, 50]
    products = [(matrix + torch.eye(len(states))) @ nodes for matrix in shares.unbind(-1)]
    return model.normalize(model.mix(torch.stack(products).mean(0))).relu()


def plain_scores(model: EMCGCN, text: str) -> Tensor:
    """Refined scores of every pair, from all that is known of it side by side, [n, n, 10]."""
    states = model.encoder.table.weight[torch.tensor([2 + WORDS.index(word) for word in text.split()])]
    channels = plain_channels(model, states)
    nodes = plain_nodes(model, states, channels)
    places = range(len(states))
    cells = [
        torch.cat([nodes[i], channels[i, i], nodes[j], channels[j, j], channels[i, j]])
        for i in places
        for j in places
    ]
    return model.refine.join(torch.stack(cells)).view(len(states), len(states), -1)


@pytest.mark.parametrize("length", [None, 20])
@pytest.mark.parametrize("text", [TEXT, *OTHERS[:3]])
def test_emcgcn_equals_plain_loops(text: str, length: int | None) -> None:
    model = small_model()
    size = len(text.split())
    answer = model.answer(batch_of(model, Example("1", text), length=length))[0, :size, :size]
    torch.testing.assert_close(answer, plain_scores(model, text), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("text", [TEXT, *OTHERS])
def test_emcgcn_ignores_padding_and_batch_mates(text: str) -> None:
    model = small_model()
    alone = model(batch_of(model, Example("1", text)))[0]
    together = model(batch_of(model, Example("1", text), *(Example("2", t) for t in OTHERS), length=40))[0]
    assert_close(together[: len(alone), : len(alone)], alone)


def test_loss_equals_the_weighted_means_of_the_released_code() -> None:
    model = small_model()
    given = told(TEXT, "waiter", "left a soup"), told(OTHERS[0], "bread", "fresh")
    batch = batch_of(model, *given, length=15)
    assert isinstance(batch, DependencyBatch)
    scores = model(batch)
    # -1 is what that code passes over: padding, and for the refined scores the lower triangle
    whole = torch.full(batch.labels.shape, -1)
    upper = whole.clone()
    for row, size in enumerate((11, 2)):
        whole[row, :size, :size] = batch.labels[row, :size, :size].long()
        keep = torch.ones(size, size).triu().bool()
        upper[row, :size, :size] = torch.where(keep, whole[row, :size, :size], -1)
    weight = torch.tensor([1.0] * 7 + [2.0] * 3)
    refined, *channels = (part.flatten(0, 2) for part in scores.split(CLASSES, -1))
    expected = cross_entropy(refined, upper.flatten(), weight=weight, ignore_index=-1)
    for share, channel in zip([0.1, 0.01, 0.01, 0.01, 0.01], channels, strict=True):
        expected = expected + share * cross_entropy(channel, whole.flatten(), ignore_index=-1)
    assert_close(model.loss(scores, batch), expected)


def test_loss_ignores_items_that_only_fill_up() -> None:
    model = small_model()
    batch = batch_of(model, told(TEXT, "waiter", "left"), told(OTHERS[0], "bread", "fresh"))
    alone = batch_of(model, told(TEXT, "waiter", "left"))
    filled = replace(batch, weight=torch.tensor([1.0, 0.0]))
    assert_close(model.loss(model(filled), filled), model.loss(model(alone), alone))


def test_text_without_words_has_a_finite_loss_of_zero() -> None:
    model = small_model()
    batch = batch_of(model, Example("1", ""), length=3)
    assert model.loss(model(batch), batch).item() == 0


@pytest.mark.parametrize("parser", [ChainParser(), Bush()])
def test_emcgcn_reads_tags_and_trees(parser: ChainParser | Bush) -> None:
    model = small_model()
    before = model(batch_of(model, Example("1", TEXT)))
    model.encoding = DependencyEncoding(model.encoder.vocabulary, parser)
    assert not torch.allclose(before, model(batch_of(model, Example("1", TEXT))), atol=1e-3)


def test_emcgcn_takes_words_further_apart_than_its_table() -> None:
    model = small_model()
    answer = model.answer(batch_of(model, Example("1", "soup " * 150)))[0]
    assert answer.isfinite().all()


def test_emcgcn_is_finite_in_half_precision() -> None:
    model = small_model()
    batch = batch_of(model, told(TEXT, "waiter", "left"), length=30)
    with torch.autocast("cpu", torch.bfloat16):
        loss = model.loss(model(batch), batch)
    loss.backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


def test_emcgcn_is_built_with_the_parser_of_its_settings() -> None:
    chain = build_model("emcgcn", word_encoder(), {"parser": "chain"})
    default = build_model("emcgcn", word_encoder())
    assert isinstance(chain.encoding, DependencyEncoding)
    assert isinstance(default.encoding, DependencyEncoding)
    assert chain.encoding.parser == ChainParser()
    assert default.encoding.parser == PipelineParser("en_core_web_sm", with_tags=True)
