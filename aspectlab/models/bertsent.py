"""BERT-Sent: the sentence alone, the aspect never seen (Xing et al., EMNLP 2020; a control).

Idea: what a model reaches that cannot know which aspect it is asked about.
Unlike the paper: the checkpoint is chosen on the dev set (the paper does not say how).
"""

from typing import ClassVar

from aspectlab.encodings import Layout
from aspectlab.models.bert import BERT


class BERTSent(BERT):
    """Classify `[CLS] sentence [SEP]`."""

    layout: ClassVar[Layout] = "sentence"
