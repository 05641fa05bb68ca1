"""Batches of questions for the reading-comprehension models, and texts that are hard on them."""

from dataclasses import replace

import torch
from torch import Tensor

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import Batch
from aspectlab.encodings.mrc import QuestionItem
from aspectlab.models import Model
from aspectlab.training.dataset import to_tensors

HARD = ["", "…", "soup", "a\x00b", "so it goes " * 60]


def told(text: str, *triplets: tuple[str, str, str]) -> Example:
    """Make an example of aspects, opinions and polarities; a term stands where it first occurs."""
    places = {word: text.index(word) for triplet in triplets for word in triplet[:2]}
    terms = {word: Term(word, Span(start, start + len(word))) for word, start in places.items()}
    return Example("1", text, tuple(Quad(terms[a], None, terms[o], Polarity(p)) for a, o, p in triplets))


def batch_of(model: Model, *items: QuestionItem, length: int | None = None) -> Batch[Tensor]:
    return to_tensors(model.encoding.collate(items, length), torch.device("cpu"))


def without_last(batch: Batch[Tensor]) -> Batch[Tensor]:
    """Make the last item a filler."""
    weight = batch.weight.clone()
    weight[-1] = 0
    return replace(batch, weight=weight)
