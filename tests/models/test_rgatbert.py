"""RGAT-BERT: links by hand, the relational attention and the whole model as plain loops."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from torch import Tensor

from aspectlab.encoders.transformer import load_tiny
from aspectlab.encodings import GraphBatch, PairBatch
from aspectlab.encodings.dependency_graph import LOOP, N_RELATIONS, relation_number
from aspectlab.models.rgatbert import RGATBERT, link_aspect
from aspectlab.nn.graph_layers import RelationalAttention, RelationalLayer
from aspectlab.nn.words import one_hot
from tests.support.graph_models import Bush, bush_arcs, first_values, gradients, with_bush
from tests.support.word_models import SENTENCES, assert_close, batch_of, example_of, without_aspect

Arcs = dict[tuple[int, int], int]
"""The relation of every linked pair."""


def random_model(**settings: bool) -> RGATBERT:
    torch.manual_seed(0)
    model = with_bush(RGATBERT(load_tiny(), 3, hidden=8, heads=2, inner=6, relation_width=5, **settings))
    first_values(0, model)
    return model


def plain_attention(attention: RelationalAttention, states: Tensor, arcs: Arcs, vectors: Tensor) -> Tensor:
    """The relational attention of one sentence, word by word and head by head."""
    query, key, value = attention.query(states), attention.key(states), attention.value(states)
    size = states.shape[1] // attention.heads
    rows = []
    for word in range(len(states)):
        others = [other for other in range(len(states)) if (word, other) in arcs]
        heads = []
        for head in range(attention.heads):
            part = slice(head * size, (head + 1) * size)
            keys = [key[o, part] + attention.relation_key(vectors[arcs[word, o]]) for o in others]
            values = [value[o, part] + attention.relation_value(vectors[arcs[word, o]]) for o in others]
            scores = torch.stack([query[word, part] @ k / size**0.5 for k in keys])
            weights = scores.exp() / scores.exp().sum()
            heads.append(sum(weight * v for weight, v in zip(weights, values, strict=True)))
        rows.append(torch.cat(heads))
    return attention.join(torch.stack(rows))


def plain_layer(layer: RelationalLayer, states: Tensor, arcs: Arcs, vectors: Tensor) -> Tensor:
    states = states + plain_attention(layer.attention, layer.before_attention(states), arcs, vectors)
    first, _, second = layer.inner
    return states + second(first(layer.before_inner(states)).relu())


def plain_scores(model: RGATBERT, batch: PairBatch[Tensor], row: int) -> Tensor:
    """The model of the specification for one item, from the states of the encoder on."""
    states = model.encoder(batch)[row]
    owners = batch.words[row].tolist()
    tokens = [[t for t, owner in enumerate(owners) if owner == word] for word in range(max(owners) + 1)]
    aspect = [word for word, places in enumerate(tokens) if batch.in_aspect[row][places].any()]
    aligned = [states[places].mean(0) for places in tokens]
    shifted = [states[place] for place in range(len(tokens))]
    plain = model.reduce(torch.stack(shifted if model.faithful_quirk else aligned))
    walked, arcs = plain, tree_arcs(len(tokens), aspect)
    for layer in model.layers:
        walked = plain_layer(layer, walked, arcs, model.relations)
    after, before = model.normalize(walked)[aspect].mean(0), plain[aspect].mean(0)
    gate = torch.sigmoid(model.gate(torch.cat([after, before])))
    mixed = gate * after + (1 - gate) * before
    return model.classify(torch.cat([mixed, model.encoder.pool(states[None])[0]]))


def tree_arcs(size: int, aspect: list[int]) -> Arcs:
    """The tree of the test parser with loops, and links within the aspect."""
    arcs = {(a, b): LOOP for a in aspect for b in aspect}
    for a, b in bush_arcs(size):
        arcs[a, b] = LOOP if a == b else relation_number(Bush.labels[max(a, b) % 5])
    return arcs


def matrix_of(arcs: Arcs, size: int) -> Tensor:
    return torch.tensor([[arcs.get((a, b), 0) for b in range(size)] for a in range(size)])


def test_link_aspect_fills_only_pairs_without_an_arc() -> None:
    relations = torch.tensor([[[LOOP, 7, 0], [7, LOOP, 9], [0, 9, LOOP]]], dtype=torch.int16)
    in_aspect = torch.tensor([[True, True, True]])
    assert link_aspect(relations, in_aspect)[0].tolist() == [[LOOP, 7, LOOP], [7, LOOP, 9], [LOOP, 9, LOOP]]
    assert link_aspect(relations, in_aspect & False).equal(relations)


def test_relational_attention_equals_a_hand_count() -> None:
    # two words with values 1 and 3, linked by relation 2; all scores are zero, so weights are halves;
    # relation 1 (the loop) adds 10 to a value and relation 2 adds 20: (1 + 10 + 3 + 20) / 2 = 17
    attention = RelationalAttention(1, 1, 1, dropout=0.0)
    for parameter in attention.parameters():
        parameter.data.zero_()
    for part in (attention.value, attention.relation_value, attention.join):
        part.weight.data.fill_(1)
    vectors = torch.tensor([[500.0], [10.0], [20.0]])
    hot = one_hot(torch.tensor([[[1, 2], [2, 1]]]), 3, torch.float32)
    assert_close(attention(torch.tensor([[[1.0], [3.0]]]), hot, vectors), torch.tensor([[[17.0], [17.0]]]))


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_relational_attention_equals_a_plain_loop(heads: int) -> None:
    torch.manual_seed(heads)
    attention = RelationalAttention(8, heads, 5, dropout=0.0)
    states, vectors, arcs = torch.randn(7, 8), torch.randn(N_RELATIONS, 5), tree_arcs(7, [3, 4])
    hot = one_hot(matrix_of(arcs, 7)[None], N_RELATIONS, torch.float32)
    assert_close(attention(states[None], hot, vectors)[0], plain_attention(attention, states, arcs, vectors))


def test_relational_layer_equals_a_plain_loop() -> None:
    torch.manual_seed(0)
    layer = RelationalLayer(8, 2, 5, inner=6, attention_dropout=0.0)
    states, vectors, arcs = torch.randn(6, 8), torch.randn(N_RELATIONS, 5), tree_arcs(6, [2])
    hot = one_hot(matrix_of(arcs, 6)[None], N_RELATIONS, torch.float32)
    assert_close(layer(states[None], hot, vectors)[0], plain_layer(layer, states, arcs, vectors))


@pytest.mark.parametrize("quirk", [False, True])
@pytest.mark.parametrize("pair", SENTENCES)
def test_rgatbert_equals_a_plain_loop(pair: tuple[str, str], quirk: bool) -> None:
    model = random_model(faithful_quirk=quirk)
    batch = batch_of(model, example_of(*pair))
    assert_close(model(batch)[0], plain_scores(model, batch, 0))


def test_rgatbert_quirk_changes_the_result() -> None:
    model = random_model()
    batch = batch_of(model, example_of(*SENTENCES[0]))
    aligned = model(batch)
    model.faithful_quirk = True
    assert not torch.allclose(model(batch), aligned, atol=1e-3)


@pytest.mark.parametrize("quirk", [False, True])
@pytest.mark.parametrize("pair", SENTENCES)
def test_rgatbert_ignores_padding_and_batch_mates(pair: tuple[str, str], quirk: bool) -> None:
    model = random_model(faithful_quirk=quirk)
    together = batch_of(model, example_of(*pair), *(example_of(*other) for other in SENTENCES), length=120)
    assert_close(model(together)[0], model(batch_of(model, example_of(*pair)))[0])


def test_rgatbert_without_aspect_tokens_is_finite() -> None:
    model = random_model()
    batch = without_aspect(batch_of(model, example_of("the soup was good", "soup")))
    assert model(batch).isfinite().all()


def test_rgatbert_gives_every_parameter_a_gradient() -> None:
    model = random_model()
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES))
    found = gradients(model, model(batch))
    assert not [name for name, grad in found.items() if grad is None or not grad.abs().sum() > 0]


@pytest.mark.parametrize("text", ["soup", "fresh bread"])
def test_rgatbert_of_a_bare_aspect_has_finite_gradients(text: str) -> None:
    model = random_model()
    found = gradients(model, model(batch_of(model, example_of(text, text))))
    assert all(grad is not None and grad.isfinite().all() for grad in found.values())


def test_rgatbert_reads_the_kind_of_an_arc() -> None:
    model = random_model()
    batch = batch_of(model, example_of(*SENTENCES[0]))
    assert isinstance(batch, GraphBatch)
    before = model(batch)
    batch.relations[batch.relations == relation_number("amod")] = relation_number("punct")
    assert not torch.allclose(model(batch), before, atol=1e-4)
