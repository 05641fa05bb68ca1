"""Peers: SetFit-ABSA and PyABSA, made ready to find aspects and their polarity, so that they can be timed.

Both get the encoder that ours began with, and heads that are fitted on the sample corpus in seconds: that
makes poor answers, but the work of a model that was trained at length.
"""

import contextlib
import importlib.util
import io
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

from aspectlab.data import Example, Quad
from aspectlab.encoders.weights import find_weights
from aspectlab.errors import MissingPartError
from aspectlab.language.parsing import find_pipeline
from aspectlab.readers import read

SAMPLE = Path(__file__).parent.parent / "examples" / "sample_train.jsonl"
SHARED_PACKAGES = ("torch", "transformers")
Predict = Callable[[list[str]], object]


def open_peers() -> Iterator[tuple[str, Predict]]:
    """Return each peer that can be had here, and print the versions, or why it cannot be had."""
    for name, (package, install, opener) in PEERS.items():
        if importlib.util.find_spec(package) is None:
            print(f"{name}: left out: not installed; get it with: pip install {install}")
            continue
        try:
            predict = silently(opener)(list(read(SAMPLE)))
        except (ImportError, AttributeError, TypeError, OSError, MissingPartError) as error:
            print(f"{name}: left out: it does not start with what is installed here: {error}")
            continue
        versions = (f"{part} {metadata.version(part)}" for part in (package, *SHARED_PACKAGES))
        print(f"{name}: {', '.join(versions)}")
        yield name, silently(predict)


def silently(work: Callable[[list], object]) -> Callable[[list], object]:
    """Keep notices and progress bars out of the table."""

    def run(values: list) -> object:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return work(values)

    return run


def pipeline_folder() -> str:
    """Find the spaCy pipeline that both of them use."""
    pipeline = find_pipeline("en_core_web_sm")
    if pipeline is None:
        raise MissingPartError("no spaCy pipeline: get one with: pip install 'aspectlab[parse]'")
    return str(pipeline.folder)


def open_setfit(examples: Sequence[Example]) -> Predict:
    """Build SetFit-ABSA: noun groups of spaCy, a filter of aspects and a classifier of polarity."""
    from sentence_transformers import SentenceTransformer
    from setfit import AbsaModel
    from setfit.span.aspect_extractor import AspectExtractor
    from setfit.span.modeling import AspectModel, PolarityModel
    from sklearn.linear_model import LogisticRegression

    extractor = AspectExtractor(pipeline_folder())
    aspects, polarities = (
        kind(model_body=SentenceTransformer(str(find_weights("minilm"))), model_head=LogisticRegression())
        for kind in (AspectModel, PolarityModel)
    )
    docs, groups = extractor([example.text for example in examples])
    pairs = [
        (doc, group, find_quad(example, doc[group].start_char, doc[group].end_char))
        for doc, found, example in zip(docs, groups, examples, strict=True)
        for group in found
    ]
    labelled = [(doc, group, quad) for doc, group, quad in pairs if quad]
    for model, rows, label in (
        (aspects, pairs, lambda quad: "aspect" if quad else "no aspect"),
        (polarities, labelled, lambda quad: str(quad.polarity)),
    ):
        texts = list(model.prepend_aspects([doc for doc, _, _ in rows], [[group] for _, group, _ in rows]))
        model.model_head.fit(model.model_body.encode(texts), [label(quad) for _, _, quad in rows])
    return AbsaModel(extractor, aspects, polarities).predict


def open_pyabsa(examples: Sequence[Example]) -> Predict:
    """Build PyABSA's extractor: tags of aspect terms, then a classification of each."""
    from pyabsa import AspectTermExtraction
    from transformers import AutoModel, AutoTokenizer

    folder = str(find_weights("minilm"))
    encoder, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    tags, classes = ["B-ASP", "I-ASP", "O", "[CLS]", "[SEP]"], ["Negative", "Neutral", "Positive"]
    config = AspectTermExtraction.ATEPCConfigManager.get_atepc_config_english()
    settings = {
        "model": AspectTermExtraction.ATEPCModelList.FAST_LCF_ATEPC,
        "model_name": "fast_lcf_atepc",
        "pretrained_bert": folder,
        "spacy_model": pipeline_folder(),
        "hidden_dim": encoder.config.hidden_size,
        "embed_dim": encoder.config.hidden_size,
        "output_dim": len(classes),
        "label_list": tags,
        "num_labels": len(tags) + 1,
        "index_to_IOB_label": dict(enumerate(tags, 1)),
        "label_to_index": {name: number for number, name in enumerate(classes)},
        "index_to_label": dict(enumerate(classes)),
        "sep_indices": tokenizer.sep_token_id,
        "device": "cpu",
    }
    for key, value in settings.items():
        setattr(config, key, value)
    model = config.model(encoder, config)
    fit_tags(model, tokenizer, examples)
    extractor = AspectTermExtraction.AspectExtractor((model, config, tokenizer))
    return lambda texts: extractor.predict(texts, save_result=False, print_result=False)


def fit_tags(model: "torch.nn.Module", tokenizer: Callable, examples: Sequence[Example]) -> None:  # noqa: F821
    """Fit the layer that tells tokens of aspects (class 1) from others (class 3); no other class may win."""
    import torch
    from sklearn.linear_model import LogisticRegression

    texts = [example.text for example in examples]
    batch = tokenizer(texts, padding=True, return_tensors="pt", return_offsets_mapping=True)
    offsets = batch.pop("offset_mapping")
    with torch.no_grad():
        states = model.bert4global(**batch).last_hidden_state  # [B, T, H]
        places = [
            (row, place, find_quad(example, *offsets[row, place].tolist()) is not None)
            for row, example in enumerate(examples)
            for place in range(1, int(batch["attention_mask"][row].sum()) - 1)
        ]
        rows, columns, labels = zip(*places, strict=True)
        fitted = LogisticRegression(max_iter=1000).fit(states[list(rows), list(columns)].numpy(), labels)
        torch.nn.init.zeros_(model.classifier.weight)
        torch.nn.init.constant_(model.classifier.bias, -1e4)
        model.classifier.weight[1] = torch.from_numpy(fitted.coef_[0])
        model.classifier.bias[1], model.classifier.bias[3] = float(fitted.intercept_[0]), 0.0


def find_quad(example: Example, start: int, end: int) -> Quad | None:
    """Find the quad whose aspect term these characters touch."""
    spans = ((quad, quad.aspect.span) for quad in example.quads if quad.aspect and quad.aspect.span)
    return next((quad for quad, span in spans if span.start < end and start < span.end), None)


PEERS = {
    "SetFit-ABSA": ("setfit", "'setfit[absa]'", open_setfit),
    "PyABSA": ("pyabsa", "pyabsa 'update-checker<0.19'", open_pyabsa),
}
"""The package, what to install, and the function that opens it."""
