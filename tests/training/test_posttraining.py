"""Post-training: the loss falls, the masks are as published, and the result is an encoder."""

import json
import math
import random
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import re

import numpy as np
import torch

from aspectlab.data import Exclusion
from aspectlab.encoders import Encoder, load_encoder
from aspectlab.encoders.transformer import TransformerEncoder
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.errors import ConfigError
from aspectlab.progress import Progress
from aspectlab.training.posttraining import (
    Effort,
    MaskedLM,
    Packs,
    Posttraining,
    count_tokens,
    pack_texts,
    posttrain,
    save_encoder,
    transformer_of,
)
from aspectlab.training.trainer import TrainingError
from tests.support.families import save_folder

WORDS = ["the", "soup", "bread", "tea", "was", "cold", "hot", "nice", "waiter", "rude", "kind", "and", "very"]
EFFORT = Effort(steps=60, batch_size=16, learning_rate=1e-2)


@pytest.fixture
def encoder() -> TransformerEncoder:
    return transformer_of(load_encoder("tiny"))


@pytest.fixture
def packs(encoder: TransformerEncoder, tmp_path: Path) -> Packs:
    draw = random.Random(0)
    lines = [" ".join(draw.choices(WORDS, k=12)) for _ in range(300)]
    (tmp_path / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    return pack_texts([tmp_path / "text.txt"], Exclusion([]), encoder.subwords, length=64)


def train(encoder: Encoder, packs: Packs, effort: Effort = EFFORT) -> Posttraining:
    return posttrain(encoder, packs, effort=effort, seed=2, device="cpu")


def test_posttraining_lowers_the_loss(encoder: TransformerEncoder, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the soup was cold and the waiter rude\n" * 400, encoding="utf-8")
    packs = pack_texts([tmp_path / "text.txt"], Exclusion([]), encoder.subwords, length=64)
    notes = train(encoder, packs, Effort(steps=120, batch_size=16, learning_rate=1e-2))
    assert notes.steps == 120
    assert notes.first_loss == pytest.approx(notes.frequency_loss, abs=0.2)
    # the neighbours say which token is hidden; how often it occurs does not
    assert notes.loss < 0.75 * notes.first_loss


def test_frequency_loss_is_the_entropy_of_the_words(packs: Packs, encoder: TransformerEncoder) -> None:
    notes = train(encoder, packs, Effort(steps=1, batch_size=4))
    marks = {*encoder.subwords.first, *encoder.subwords.between, *encoder.subwords.last}
    words = Counter(token for token in packs.tokens.ravel().tolist() if token not in marks)
    shares = [count / words.total() for count in words.values()]
    assert notes.frequency_loss == pytest.approx(-sum(share * math.log(share) for share in shares), abs=1e-4)
    # thirteen words drawn alike, most of them of several tokens
    assert notes.frequency_loss > math.log(13)


def test_output_layer_begins_with_the_frequencies(packs: Packs, encoder: TransformerEncoder) -> None:
    model = MaskedLM(encoder, 0.2)
    counts = count_tokens(packs, model.specials, model.size)
    model.expect(counts)
    marks = {*encoder.subwords.first, *encoder.subwords.between, *encoder.subwords.last}
    words = Counter(token for token in packs.tokens.ravel().tolist() if token not in marks)
    assert {token: int(count) for token, count in enumerate(counts) if count} == words
    (token, count), *_ = words.most_common(1)
    # each token counts once more than it occurs, so that none is impossible
    assert model.bias.softmax(0)[token].item() == pytest.approx((count + 1) / (words.total() + model.size))


@pytest.mark.parametrize(("length", "gain"), [(4.0, 0.25), (0.1, 1.0)])
def test_output_layer_begins_with_a_spread_of_one_at_most(
    encoder: TransformerEncoder, length: float, gain: float
) -> None:
    table = encoder.get_parameter("model.embeddings.word_embeddings.weight")
    torch.nn.init.constant_(table, length / encoder.width**0.5)
    assert MaskedLM(encoder, 0.2).norm.weight.tolist() == pytest.approx([gain] * encoder.width)


def test_posttraining_repeats_with_the_seed(packs: Packs) -> None:
    first, second = load_encoder("tiny"), load_encoder("tiny")
    effort = Effort(steps=3, batch_size=16)
    assert train(first, packs, effort).loss == train(second, packs, effort).loss
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


def test_posttraining_computes_in_the_precision_asked_for(packs: Packs) -> None:
    full, half = (
        train(load_encoder("tiny"), packs, Effort(steps=1, batch_size=16, precision=precision)).loss
        for precision in ("fp32", "bf16")
    )
    assert half != full
    assert half == pytest.approx(full, rel=0.01)  # bfloat16 has eight bits


def test_posttraining_stops_by_the_clock(encoder: TransformerEncoder, packs: Packs) -> None:
    notes = train(encoder, packs, Effort(minutes=0.5 / 60, batch_size=16))
    assert notes.steps > 0
    assert notes.seconds < 10


def test_posttraining_that_diverges_says_so(encoder: TransformerEncoder, packs: Packs) -> None:
    wanted = r"post-training: the loss is nan.*lower learning_rate \(nan\), or compute with precision fp32"
    with pytest.raises(TrainingError, match=wanted):
        train(encoder, packs, Effort(steps=4, batch_size=16, learning_rate=float("nan")))


def test_posttraining_reports_its_progress(encoder: TransformerEncoder, packs: Packs) -> None:
    seen: list[Progress[None]] = []
    effort = Effort(steps=40, batch_size=4)
    posttrain(encoder, packs, effort=effort, device="cpu", progress=seen.append)
    assert [progress.share for progress in seen] == [19.5 / 40, 39.5 / 40]
    assert all(re.fullmatch(r"loss \d\.\d{3}", progress.text) for progress in seen)


def test_saved_encoder_is_loaded_by_its_folder(
    encoder: TransformerEncoder, packs: Packs, tmp_path: Path
) -> None:
    notes = train(encoder, packs, Effort(steps=2, batch_size=8))
    save_encoder(encoder, tmp_path / "mine", notes)
    loaded = load_encoder(str(tmp_path / "mine"))
    assert all(torch.equal(value, loaded.state_dict()[key]) for key, value in encoder.state_dict().items())
    kept = json.loads((tmp_path / "mine" / "posttraining.json").read_text(encoding="utf-8"))
    assert (kept["tokens"], kept["steps"], kept["excluded_lines"]) == (packs.tokens.size, 2, 0)
    assert (kept["text_sha256"], kept["loss"]) == (packs.sha256, notes.loss)


def test_masking_hides_a_fifth_and_no_frame(encoder: TransformerEncoder, packs: Packs) -> None:
    torch.manual_seed(0)
    model = MaskedLM(encoder, 0.2)
    tokens = torch.from_numpy(packs.tokens).long()  # [N, 64]
    hidden, places, answers = model.hide(tokens)
    assert places.shape == (len(tokens), 12)  # a fifth of 62, rounded
    assert not torch.isin(answers, model.specials).any()
    assert torch.equal(tokens.gather(1, places), answers)
    changed = (hidden != tokens).sum(1)
    assert int(changed.max()) <= 12


def test_masking_is_eight_parts_mask_one_other_one_unchanged(
    encoder: TransformerEncoder, packs: Packs
) -> None:
    torch.manual_seed(0)
    model = MaskedLM(encoder, 0.2)
    tokens = torch.from_numpy(packs.tokens).long()
    hidden, places, answers = model.hide(tokens)
    shown = hidden.gather(1, places)
    kept = (shown == answers).float().mean()
    masked = (shown == model.mask_id).float().mean()
    # about 3,000 draws: three standard errors are 0.02; another token may be the same by chance
    assert float(masked) == pytest.approx(0.8, abs=0.03)
    assert float(kept) == pytest.approx(0.1, abs=0.03)


def test_masking_is_drawn_anew_each_time(encoder: TransformerEncoder, packs: Packs) -> None:
    model = MaskedLM(encoder, 0.2)
    tokens = torch.from_numpy(packs.tokens).long()
    assert not torch.equal(model.hide(tokens)[1], model.hide(tokens)[1])


def test_output_layer_is_the_input_embedding(encoder: TransformerEncoder) -> None:
    model = MaskedLM(encoder, 0.2)
    assert model.table is encoder.model.get_input_embeddings().weight
    assert sum(parameter is model.table for parameter in model.parameters()) == 1


def test_word_vectors_cannot_be_posttrained(packs: Packs) -> None:
    vectors = VectorEncoder("vectors:made", np.ones((1, 2), np.float32), ["tea"])
    with pytest.raises(ConfigError, match="word vectors cannot be post-trained"):
        train(vectors, packs)


def test_posttraining_of_a_single_step_learns(encoder: TransformerEncoder, packs: Packs) -> None:
    before = [weight.clone() for weight in encoder.parameters()]
    posttrain(encoder, packs, effort=Effort(steps=1, batch_size=4), device="cpu")
    assert any(not torch.equal(old, new) for old, new in zip(before, encoder.parameters(), strict=True))


@pytest.mark.parametrize("family", ["electra", "deberta-v3", "modernbert"])
def test_family_is_posttrained_and_read_again(family: str, tmp_path: Path) -> None:
    """ELECTRA reads tokens with vectors that are half as wide as its states."""
    encoder = load_encoder(save_folder(family, tmp_path / "encoder"))
    (tmp_path / "text.txt").write_text("the soup was cold and the waiter rude\n" * 100, encoding="utf-8")
    packs = pack_texts([tmp_path / "text.txt"], Exclusion([]), transformer_of(encoder).subwords, length=64)
    notes = train(encoder, packs, Effort(steps=90, batch_size=8, learning_rate=1e-2))
    assert notes.loss < 0.9 * notes.first_loss
    save_encoder(encoder, tmp_path / "trained", notes)
    again = load_encoder(tmp_path / "trained").state_dict()
    assert all(torch.equal(value, again[name]) for name, value in encoder.state_dict().items())


@pytest.mark.parametrize(
    ("family", "options", "found"),
    [
        ("t5", "", "a sequence-to-sequence model learns to write"),
        ("gpt2", ",attention=bidirectional", r"it has no token \[MASK\] or <mask>"),
    ],
)
def test_family_that_guesses_no_tokens_is_not_posttrained(
    family: str, options: str, found: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=found):
        transformer_of(load_encoder(f"{save_folder(family, tmp_path)}{options}"))
