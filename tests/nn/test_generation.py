"""The writer: its symbols, its steps, and what it does not depend on."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encoders import load_encoder
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.encodings import Batch
from aspectlab.encodings.grammar import END, NOTHING, START, build_grammar
from aspectlab.encodings.text2text import EXTRACTION, Text2TextEncoding
from aspectlab.nn.generation import Writer
from aspectlab.training.dataset import to_tensors

TEXTS = ["The soup was lovely.", "What a day", "", "Lovely, lovely bread rolls and a really dear wine"]
FIRST = len(EXTRACTION.symbols)


@pytest.fixture(params=[True, False], ids=["copies", "tokens"])
def writer(request: pytest.FixtureRequest) -> Writer:
    torch.manual_seed(3)
    return Writer(ENCODER, build_grammar(EXTRACTION), layers=2, dropout=0.0, copies=request.param).eval()


ENCODER = load_encoder("tiny").eval()


def batch_of(*texts: str) -> Batch[Tensor]:
    encoding = Text2TextEncoding(ENCODER.vocabulary)
    items = encoding.encode([Example(text, text) for text in texts])
    return to_tensors(encoding.collate(items), torch.device("cpu"))


@torch.no_grad()
def write(writer: Writer, *texts: str, length: int = 30) -> Tensor:
    batch = batch_of(*texts)
    states = ENCODER(batch)
    return writer.generate(states, batch.mask, writer.output_space(ENCODER, states, batch), length)


def test_symbols_start_from_the_words_they_stand_for(writer: Writer) -> None:
    table, vocabulary = ENCODER.input_vectors(), ENCODER.vocabulary
    (word,) = vocabulary.tokenize(["positive"])
    place = EXTRACTION.symbols.index("positive")
    torch.testing.assert_close(writer.given[place], table[word.ids].mean(0))
    torch.testing.assert_close(writer.sought[END], table[list(vocabulary.last)].mean(0))
    torch.testing.assert_close(writer.given[START], table[list(vocabulary.first)].mean(0))


def test_writing_follows_from_the_scores_of_what_was_written(writer: Writer) -> None:
    written = write(writer, *TEXTS)
    batch = batch_of(*TEXTS)
    with torch.no_grad():
        states = ENCODER(batch)
        choices = writer.output_space(ENCODER, states, batch)
        scores = choices.score(writer.teacher_force(states, batch.mask, choices, written))
    again = torch.stack([choices.choose(scores[:, step]) for step in range(written.shape[1])], 1)
    going_on = torch.cat([torch.ones(len(written), 1), (written != END).cumprod(1)[:, :-1]], 1).bool()
    assert torch.equal(again[going_on], written[going_on])
    assert (written[~going_on] == NOTHING).all()


@pytest.mark.parametrize("place", range(len(TEXTS)))
def test_writing_ignores_batch_mates(writer: Writer, place: int) -> None:
    among, alone = write(writer, *TEXTS)[place], write(writer, TEXTS[place])[0]
    ended = [row[: row.index(END) + 1] if END in row else row for row in (among.tolist(), alone.tolist())]
    # the numbers of the vocabulary, or of places, are the same however far a text is padded
    assert ended[0] == ended[1]


@pytest.mark.parametrize("length", [1, 7])
def test_writing_stops_at_its_length(writer: Writer, length: int) -> None:
    assert write(writer, TEXTS[3], length=length).shape[1] <= length


def test_writing_stops_when_all_have_ended(writer: Writer) -> None:
    # the end is longer than all other vectors, and every state leans its way
    with torch.no_grad():
        writer.sought.zero_()
        writer.sought[END] = 100 * decoder_bias(writer)
    assert write(writer, *TEXTS).tolist() == [[END]] * len(TEXTS)


def decoder_bias(writer: Writer) -> Tensor:
    """The state that is written from first, which the end then resembles."""
    batch = batch_of(TEXTS[0])
    states = ENCODER(batch)
    choices = writer.output_space(ENCODER, states, batch)
    return writer.teacher_force(states, batch.mask, choices, batch.labels)[0, 0]


def test_word_vectors_can_write() -> None:
    words = ["the", "soup", "was", "lovely", "."]
    vectors = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
    encoder = VectorEncoder("vectors:made", vectors, words)
    torch.manual_seed(0)
    writer = Writer(encoder, build_grammar(EXTRACTION), layers=1, dropout=0.0).eval()
    encoding = Text2TextEncoding(encoder.vocabulary)
    examples = [Example(text, text) for text in TEXTS]
    items = encoding.encode(examples)
    batch = to_tensors(encoding.collate(items), torch.device("cpu"))
    states = encoder(batch)
    written = writer.generate(states, batch.mask, writer.output_space(encoder, states, batch), 40)
    answers = encoding.decode(written.float().numpy(), items, examples)
    assert all(term.span is not None for quads in answers for quad in quads for term in quad.terms)
