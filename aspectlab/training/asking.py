"""Ask a trained model as the relations need it: each text once, and masks in the words of its vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

from aspectlab.data import Example, Quad
from aspectlab.encodings import Subwords, Vocabulary
from aspectlab.encodings.dialogue import Dialogue
from aspectlab.metamorphic import Predict, mask_by
from aspectlab.metamorphic.cases import Group
from aspectlab.metamorphic.masking import put_mask
from aspectlab.metamorphic.means import MASK
from aspectlab.metamorphic.repeats import ask_once
from aspectlab.models import Model
from aspectlab.training.predicting import converse, predict, predict_store
from aspectlab.training.store import Store


def asking(model: Model) -> Predict:
    """Give what asks a model for the quads of some examples."""

    def ask(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        return [example.quads for example in predict(model, examples)]

    return mask_by(ask_once(ask), unknown_word(model.encoder.vocabulary))


def unknown_word(vocabulary: Vocabulary) -> str:
    """Give the unknown word of a vocabulary: `<unk>` where it is special there and `[UNK]` is not."""
    if not isinstance(vocabulary, Subwords):
        return MASK
    special = {token.content for token in vocabulary.tokenizer.get_added_tokens_decoder().values()}
    return "<unk>" if "<unk>" in special and MASK not in special else MASK


class Questions:
    """All texts of a test by the relations, each encoded once; any number of models of a kind may answer."""

    def __init__(self, model: Model, groups: Iterable[Group], device: torch.device) -> None:
        self.unknown = unknown_word(model.encoder.vocabulary)
        texts = dict.fromkeys(
            example.text
            for source, cases in groups
            for example in (source, *(case.followup for case in cases))
        )
        examples = [put_mask(Example(text, text), self.unknown) for text in texts]
        # a dialogue has first questions, which hang on no answer
        items = model.encoding.open(examples) if isinstance(model.encoding, Dialogue) else None
        self.store = Store(model.encoding, examples, device, items)

    def answer(self, model: Model, precision: str) -> Predict:
        """Let a model read all texts now, and give what looks its answers up."""
        store, encoding = self.store, model.encoding
        if isinstance(encoding, Dialogue):
            quads = converse(model, encoding, store, precision)
        else:
            quads = predict_store(model, store, range(len(store.examples)), precision=precision)
        found = dict(zip((example.text for example in store.examples), quads, strict=True))
        return mask_by(lambda examples: [found[example.text] for example in examples], self.unknown)
