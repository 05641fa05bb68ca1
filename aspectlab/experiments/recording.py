"""Put the record of a run together: what it was, how it went, and where."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version

import torch

from aspectlab.data import Corpus
from aspectlab.experiments.jobs import Job
from aspectlab.experiments.material import Material
from aspectlab.experiments.measuring import measure
from aspectlab.reports.runs.record import RunRecord, Timing
from aspectlab.training import Fitted
from aspectlab.version import VERSION


def make_record(
    job: Job,
    material: Material,
    predicted: Mapping[str, Corpus],
    fitted: Fitted,
    device: torch.device,
    seconds: float,
) -> RunRecord:
    """Score the predictions and say everything that a table may ask for."""
    run, group = job.run, job.run.group
    measured = {name: measure(group, material.tests[name], found) for name, found in predicted.items()}
    return RunRecord(
        id=run.id,
        study=job.study,
        label=group.label,
        model=group.model,
        encoder=group.encoder,
        settings={**group.settings, **group.plan},
        corpus=group.corpus,
        split=run.split,
        seed=run.seed,
        task=group.task,
        # the same for all runs of the group: a report tells rows apart by it
        protocol={**group.protocol, "encoder_weights": group.weights},
        metrics={name: scores for name, (scores, _) in measured.items()},
        dev=fitted.best.dev,
        timing=Timing(round(seconds, 3), len(fitted.history), fitted.best.number + 1),
        environment=describe_environment(device),
        signatures={name: signature for name, (_, signature) in measured.items()},
        command=job.command,
        rates=fitted.rates,
    )


def describe_environment(device: torch.device) -> dict[str, str]:
    """Say where a run was carried out, and with what."""
    card = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.processor()
    return {
        "aspectlab": VERSION,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": version("transformers"),
        "device": f"{device.type} {card}".strip(),
        "platform": platform.platform(),
        "host": platform.node(),
        "threads": str(torch.get_num_threads()),
    }
