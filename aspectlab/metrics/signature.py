"""Signature: what a number was measured on and how, in one line."""

from __future__ import annotations

from dataclasses import dataclass

from aspectlab.version import VERSION


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that decides a score; two numbers with one signature can be compared.

    >>> print(Signature("aste", "f1", "14res-test", "5e6f" * 16, "tuple-f1", "exact", version="0.1.0"))
    aste-f1|corpus:14res-test@5e6f5e6f|metric:tuple-f1|match:exact|v:0.1.0
    """

    task: str
    headline: str
    corpus: str
    sha256: str
    metric: str
    match: str
    resamples: int = 0
    seed: int = 0
    version: str = VERSION

    def __str__(self) -> str:
        # the bar parts the fields, so a file name must not bring its own
        corpus = f"{self.corpus.replace('|', '_')}@{self.sha256[:8]}"
        bootstrap = [f"bs:{self.resamples}", f"seed:{self.seed}"] if self.resamples else []
        fields = [f"corpus:{corpus}", f"metric:{self.metric}", f"match:{self.match}", *bootstrap]
        return "|".join([f"{self.task}-{self.headline}", *fields, f"v:{self.version}"])
