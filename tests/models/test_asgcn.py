"""ASGCN: position weights by hand, the convolution and the whole model as plain loops."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.encodings import GraphBatch, GraphEncoding
from aspectlab.language.parsing import ChainParser, PipelineParser
from aspectlab.models import build_model
from aspectlab.models.asgcn import ASGCN, position_weights
from aspectlab.nn.graph_layers import GraphConvolution
from aspectlab.nn.words import Words
from aspectlab.training.dataset import EncodedDataset, select
from tests.support.graph_models import bush_arcs, first_values, gradients, with_bush
from tests.support.word_models import (
    SENTENCES,
    assert_close,
    batch_of,
    example_of,
    parts_of,
    run_lstm,
    without_aspect,
    word_encoder,
)


def random_model() -> ASGCN:
    model = with_bush(ASGCN(word_encoder(), 3, hidden=4))
    first_values(0, model)
    return model


def plain_convolution(layer: GraphConvolution, states: Tensor, arcs: set[tuple[int, int]]) -> Tensor:
    """Equations 1 and 2 of the paper, word by word."""
    rows = []
    for word in range(len(states)):
        neighbours = [other for other in range(len(states)) if (word, other) in arcs]
        total = sum(states[other] @ layer.weight for other in neighbours)
        rows.append(total / (len(neighbours) + 1) + layer.bias)
    return torch.stack(rows)


def plain_scores(model: ASGCN, text: str, aspect: str) -> Tensor:
    """Sections 3.1 to 3.5 of the paper."""
    vectors, first, last = parts_of(model, text, aspect)
    size, inside = len(vectors), range(first, last + 1)
    ahead = run_lstm(model.read.forwards, vectors)
    behind = run_lstm(model.read.backwards, vectors.flip(0)).flip(0)
    read = torch.cat([ahead, behind], -1)
    near = [0.0 if w in inside else 1 - max(first - w, w - last) / (size - len(inside)) for w in range(size)]
    states = read
    for layer in model.convolve:
        weighted = torch.stack([weight * state for weight, state in zip(near, states, strict=True)])
        states = plain_convolution(layer, weighted, bush_arcs(size)).relu()
    scores = torch.stack([sum(state @ states[word] for word in inside) for state in read])
    shares = (scores - scores.max()).exp()
    return model.classify((shares / shares.sum()) @ read)


def words_of(mask: list[int], in_aspect: list[int]) -> Words:
    hits, inside = torch.tensor([mask]).bool(), torch.tensor([in_aspect]).bool()
    return Words(torch.zeros(1, len(mask), 1), hits, inside)


@pytest.mark.parametrize(
    ("mask", "in_aspect", "expected"),
    [
        # n = 5, m = 1: the four others at distances 2, 1, 1, 2, divided by 4
        ([1, 1, 1, 1, 1, 0], [0, 0, 1, 0, 0, 0], [0.5, 0.75, 0, 0.75, 0.5, 0]),
        # n = 4, m = 2: distances 1 and 2, divided by 2
        ([1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0.5, 0, 0, 0]),
        ([1, 1, 0], [1, 1, 0], [0, 0, 0]),  # nothing but the aspect: n - m = 0
    ],
)
def test_position_weights_equal_a_hand_count(
    mask: list[int], in_aspect: list[int], expected: list[float]
) -> None:
    assert_close(position_weights(words_of(mask, in_aspect)), torch.tensor([expected], dtype=torch.float32))


def test_convolution_equals_a_hand_count() -> None:
    # a pair of linked words and one alone; values 1, 2, 4, the weight doubles, the bias adds 1
    layer = GraphConvolution(1, 1)
    layer.weight.data.fill_(2)
    layer.bias.data.fill_(1)
    linked = torch.tensor([[[1, 1, 0], [1, 1, 0], [0, 0, 1]]]).bool()
    found = layer(torch.tensor([[[1.0], [2.0], [4.0]]]), linked)
    assert_close(found, torch.tensor([[[6 / 3 + 1], [6 / 3 + 1], [8 / 2 + 1]]]))


def test_convolution_equals_a_plain_loop() -> None:
    torch.manual_seed(0)
    layer, states = GraphConvolution(5, 3), torch.randn(9, 5)
    layer.bias.data.normal_()
    arcs = bush_arcs(9)
    linked = torch.tensor([[(a, b) in arcs for b in range(9)] for a in range(9)])
    assert_close(layer(states[None], linked[None])[0], plain_convolution(layer, states, arcs))


def test_asgcn_equals_a_plain_loop() -> None:
    model = random_model()
    context = [pair for pair in SENTENCES if pair[0] != pair[1]]  # the paper divides by zero without one
    batch = batch_of(model, *(example_of(*pair) for pair in context), length=24)
    assert_close(model(batch), torch.stack([plain_scores(model, *pair) for pair in context]))


@pytest.mark.parametrize("pair", SENTENCES)
def test_asgcn_ignores_padding_and_batch_mates(pair: tuple[str, str]) -> None:
    model = random_model()
    together = batch_of(model, example_of(*pair), *(example_of(*other) for other in SENTENCES), length=40)
    assert_close(model(together)[0], model(batch_of(model, example_of(*pair)))[0])


def test_asgcn_without_aspect_tokens_is_finite_and_ignores_padding() -> None:
    model = random_model()
    example = example_of("the soup was good", "soup")
    short, long = (without_aspect(batch_of(model, example, length=length)) for length in (4, 16))
    assert model(short).isfinite().all()
    assert_close(model(long), model(short))


def test_asgcn_gives_every_parameter_a_gradient() -> None:
    model = random_model()
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES))
    found = gradients(model, model(batch))
    assert not [name for name, grad in found.items() if grad is None or not grad.abs().sum() > 0]


@pytest.mark.parametrize("text", ["soup", "fresh bread"])
def test_asgcn_of_a_bare_aspect_has_finite_gradients(text: str) -> None:
    model = random_model()
    found = gradients(model, model(batch_of(model, example_of(text, text))))
    assert all(grad is not None and grad.isfinite().all() for grad in found.values())


def test_asgcn_reads_the_tree() -> None:
    model = random_model()
    batch = batch_of(model, example_of(*SENTENCES[0]))
    model.encoding = GraphEncoding(model.encoder.vocabulary, "sentence", ChainParser())
    other = batch_of(model, example_of(*SENTENCES[0]))
    assert not torch.allclose(model(batch), model(other), atol=1e-4)


def test_store_cuts_the_graph_with_the_tokens() -> None:
    model = random_model()
    store = EncodedDataset(model.encoding, [example_of(*pair) for pair in SENTENCES], torch.device("cpu"))
    assert isinstance(store.batch, GraphBatch)
    rows = torch.tensor([2, 4])
    part = select(store.batch, rows, 5)
    assert isinstance(part, GraphBatch)
    assert torch.equal(part.relations, store.batch.relations[rows][:, :5, :5])


def test_asgcn_is_built_with_the_parser_of_its_settings() -> None:
    chain = build_model("asgcn", word_encoder(), {"parser": "chain"})
    default = build_model("asgcn", word_encoder())
    assert isinstance(chain.encoding, GraphEncoding)
    assert isinstance(default.encoding, GraphEncoding)
    assert chain.encoding.parser == ChainParser()
    assert default.encoding.parser == PipelineParser("en_core_web_sm")
