"""BERT-Sent: the sentence alone, the aspect never seen (Xing et al., EMNLP 2020; a control).

Idea: what a model reaches that cannot know which aspect it is asked about.
Unlike the paper: the checkpoint is chosen on the dev set (the paper does not say how).
"""

from typing import ClassVar

from aspectlab.encodings import Layout
from aspectlab.models import Plan, Published
from aspectlab.models.bert import BERT


class BERTSent(BERT):
    """Classify `[CLS] sentence [SEP]`."""

    layout: ClassVar[Layout] = "sentence"
    published = Published(
        encoder="bert-base-uncased",
        plan=Plan(
            epochs=50, batch_size=32, learning_rate=5e-5, optimizer="adam", schedule="constant", warmup=0.0
        ),
        source="the paper",
        unlike="the schedule and the choice of the epoch are not known, and there was a second penalty, 1e-4",
    )
