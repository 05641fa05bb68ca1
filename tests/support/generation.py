"""Batches of the models that write."""

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings.text2text import WrittenBatch
from aspectlab.models import Model
from aspectlab.training.dataset import to_tensors


def written_batch(model: Model, examples: list[Example]) -> WrittenBatch[Tensor]:
    """Encode some examples with what is to be written about them."""
    batch = to_tensors(model.encoding.collate(model.encoding.encode(examples)), torch.device("cpu"))
    assert isinstance(batch, WrittenBatch)
    return batch
