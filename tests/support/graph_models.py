"""What the tests of the graph models share: a parser with known trees, and plain graphs to loop over."""

from collections.abc import Sequence

import torch
from torch import Tensor

from aspectlab.encodings import GraphEncoding
from aspectlab.language import Parse, word_spans
from aspectlab.models import Model


class Bush:
    """A parser that hangs word n on word n / 2: no mere chain."""

    labels = ("nsubj", "amod", "dobj", "det", "punct")

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        sizes = [len(word_spans(text)) for text in texts]
        heads = [[word // 2 for word in range(size)] for size in sizes]
        return [Parse(tree, [self.labels[word % 5] for word in range(len(tree))]) for tree in heads]


def with_bush(model: Model) -> Model:
    """The same model with the parser above."""
    assert isinstance(model.encoding, GraphEncoding)
    model.encoding = GraphEncoding(model.encoder.vocabulary, model.layout, Bush())
    return model.eval()


def bush_arcs(size: int) -> set[tuple[int, int]]:
    """The arcs of that tree, both ways, with loops."""
    arcs = {(word, word // 2) for word in range(size)} | {(word // 2, word) for word in range(size)}
    return arcs | {(word, word) for word in range(size)}


def gradients(model: Model, scores: Tensor) -> dict[str, Tensor | None]:
    """The gradient of every trainable parameter."""
    scores.pow(2).sum().backward()
    return {name: p.grad for name, p in model.named_parameters() if p.requires_grad}


def first_values(seed: int, model: Model) -> None:
    """Draw all weights afresh, biases too, which start at zero."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if not name.startswith("encoder."):
            parameter.data = torch.randn(parameter.shape, generator=generator) * 0.4
