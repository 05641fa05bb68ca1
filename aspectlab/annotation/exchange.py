"""Exchange with annotation tools: Label Studio projects out, finished annotations in."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from aspectlab.annotation.sheets import SheetFinding, count_faults
from aspectlab.data import Corpus, Example, Part, Polarity, Provenance, Quad, annotated_parts
from aspectlab.data.statistics import is_empty
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import atomic_write
from aspectlab.readers import (
    CATEGORY,
    EMPTY,
    IMPLIED,
    LABELS,
    NO_OPINION,
    POLARITY,
    TERM,
    TEXT,
    TOPIC,
    TRIPLET,
    UNPLACED,
    Answer,
    CorpusDescription,
    Fault,
    FaultError,
    Source,
    State,
    doccano,
    find_topics,
    labelstudio,
    sniff,
    write,
)
from aspectlab.registry import suggest


def read_guidelines() -> str:
    """Return the guidelines as Markdown.

    >>> read_guidelines().splitlines()[0]
    '# Annotation guidelines'
    """
    return files("aspectlab.annotation").joinpath("guidelines.md").read_text(encoding="utf-8")


def render_guidelines() -> str:
    """Return the guidelines as HTML, as annotation tools show them.

    >>> render_guidelines().splitlines()[0]
    '<h1>Annotation guidelines</h1>'
    """
    from markdown_it import MarkdownIt

    return str(MarkdownIt().render(read_guidelines()))


# colours that colour-blind people tell apart (Okabe and Ito)
_TERMS = {Part.ASPECT: ("#0072B2", "a"), Part.OPINION: ("#E69F00", "o")}
_POLARITIES = {
    Polarity.POSITIVE: "#009E73",
    Polarity.NEGATIVE: "#D55E00",
    Polarity.NEUTRAL: "#999999",
    Polarity.CONFLICT: "#CC79A7",
}
_MANY = 8


def build_config(*, categories: Sequence[str] = (), conflict: bool = False, topic: bool = False) -> str:
    """Write the configuration; `categories` are labels of each opinion, a topic is shown above the text.

    >>> "No opinion here" in build_config()
    True
    """
    polarities = [polarity for polarity in Polarity if conflict or polarity is not Polarity.CONFLICT]
    view = Element("View")
    relations = SubElement(view, "Relations")
    for polarity in polarities:
        SubElement(relations, "Relation", value=polarity, background=_POLARITIES[polarity])
    if topic:
        SubElement(view, "Header", value=f"${TOPIC}", size="5")
    labels = SubElement(view, "Labels", name=TERM, toName=TEXT)
    for part, label in LABELS.items():
        colour, hotkey = _TERMS[part]
        SubElement(labels, "Label", value=label, background=colour, hotkey=hotkey)
    SubElement(view, "Text", name=TEXT, value=f"${TEXT}")
    _add_region_controls(view, polarities, categories)
    _add_text_controls(view)
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def _add_region_controls(view: Element, polarities: Sequence[Polarity], categories: Sequence[str]) -> None:
    """Add what is asked of a mark whose other term is implicit, and its category."""
    box = SubElement(view, "View", visibleWhen="region-selected")
    SubElement(box, "Header", value="If the other term is implicit: polarity, and its name", size="5")
    _add_choices(box, POLARITY, polarities, of_region=True)
    _add_field(box, IMPLIED, "the implicit aspect or opinion", of_region=True)
    if categories:
        SubElement(box, "Header", value="Category of the aspect", size="5")
        layout = "select" if len(categories) > _MANY else "inline"
        _add_choices(box, CATEGORY, categories, of_region=True, layout=layout)


def _add_text_controls(view: Element) -> None:
    """Add what is asked of the whole text."""
    SubElement(view, "Header", value="Opinions of which nothing can be marked", size="5")
    _add_field(view, UNPLACED, "aspect | opinion | polarity")
    _add_choices(view, EMPTY, [NO_OPINION])


def _add_choices(
    parent: Element, name: str, values: Sequence[str], *, of_region: bool = False, layout: str = "inline"
) -> None:
    control = SubElement(parent, "Choices", name=name, toName=TEXT, choice="single", layout=layout)
    _set_scope(control, of_region=of_region)
    for value in values:
        SubElement(control, "Choice", value=value)


def _add_field(parent: Element, name: str, hint: str, *, of_region: bool = False) -> None:
    control = SubElement(parent, "TextArea", name=name, toName=TEXT, editable="true", placeholder=hint)
    _set_scope(control, of_region=of_region)


def _set_scope(control: Element, *, of_region: bool) -> None:
    if of_region:
        control.set("perRegion", "true")


FILES = CONFIG, TASKS, INSTRUCTIONS = "config.xml", "tasks.json", "instructions.html"
"""The files of a Label Studio project."""

# what XML 1.0 cannot hold, escaped or not
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_label_studio(corpus: Corpus, folder: Path) -> tuple[Path, ...]:
    """Write the configuration, the tasks and the instructions of a project into a folder."""
    pages = {CONFIG: make_config(corpus), INSTRUCTIONS: render_guidelines()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, page in pages.items():
            with atomic_write(folder / name) as draft:
                draft.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}; choose another folder") from None
    write(corpus, folder / TASKS, "label-studio")
    return tuple(folder / name for name in FILES)


def make_config(corpus: Corpus) -> str:
    """Return the configuration that fits a corpus: with its categories or topics, and conflict if it has it.

    >>> from aspectlab.data import Example, Quad
    >>> quads = Quad(category="cost", polarity=Polarity.NEUTRAL), Quad(category="style")
    >>> corpus = Corpus("cars", "en", frozenset(), (Example("1", "It is as it is.", quads),))
    >>> '<Choice value="style" />' in make_config(corpus), "conflict" in make_config(corpus)
    (True, False)
    """
    topics = find_topics(corpus)
    quads = [quad for example in corpus for quad in example.quads]
    categories = {quad.category for quad in quads if quad.category is not None and not topics}
    _check_names(corpus, categories)
    has_conflict = any(quad.polarity is Polarity.CONFLICT for quad in quads)
    return build_config(categories=sorted(categories), conflict=has_conflict, topic=bool(topics))


def _check_names(corpus: Corpus, categories: Iterable[str]) -> None:
    unfit = sorted(name for name in categories if _UNFIT.search(name))
    if unfit:
        found = f"corpus {corpus.name!r:.60}: found the category {unfit[0]!r:.60}"
        raise DataError(f"{found}: expected no control characters: config.xml cannot hold them; rename it")


Predict = Callable[[Sequence[str]], list[tuple[Quad, ...]]]
"""Gives the opinions of each text, with their confidence."""

_BLOCK = 128


def prelabel(corpus: Corpus, predict: Predict) -> Iterator[Example]:
    """Stream the examples with the model's quads instead of their labels; topics stay.

    A segment in which nothing is found stays as one without opinions.

    >>> corpus = Corpus("cars", "en", frozenset(), (Example("1", "We drive.", (Quad(category="comfort"),)),))
    >>> [[quad.category for quad in example.quads] for example in prelabel(corpus, lambda texts: [()])]
    [['comfort']]
    """
    topics = find_topics(corpus)
    stream = iter(corpus)
    while block := list(islice(stream, _BLOCK)):
        predicted = predict([example.text for example in block])
        for example, quads in zip(block, predicted, strict=True):
            yield replace(example, quads=_with_topic(quads, topics.get(example.id)))


def _with_topic(quads: tuple[Quad, ...], topic: str | None) -> tuple[Quad, ...]:
    if topic is None:
        return quads
    return tuple(replace(quad, category=topic) for quad in quads or (Quad(),))


TOOLS = {"label-studio": labelstudio, "doccano": doccano}
"""The formats that annotation tools hand back."""


@dataclass(frozen=True, slots=True)
class ImportedAnnotations:
    """One corpus per annotator, by name, and what was left out.

    `unmarked` counts the segments of each annotator where nothing was marked, not even that nothing is there.
    """

    corpora: Mapping[str, Corpus]
    unmarked: Mapping[str, int]
    left_out: Mapping[State, int]
    findings: tuple[SheetFinding, ...]


def read_annotations(
    path: Path, *, format: str | None = None, annotator: str | None = None, skip_bad: bool = False
) -> ImportedAnnotations:
    """Read the export of an annotation tool; `annotator` takes one of them, or names that of a doccano file.

    Without `skip_bad` any finding is refused, with all of them counted.
    """
    source = Source(path)
    chosen = format or sniff(source)
    if chosen not in TOOLS:
        raise ConfigError(f"{path}: format {chosen!r} is of no annotation tool: {suggest(chosen, TOOLS)}")
    answers = _choose(path, list(TOOLS[chosen].read_answers(source)), annotator)
    done: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.state is State.ANNOTATED:
            done[answer.annotator].append(answer)
    findings = [finding for name, group in done.items() for finding in _find_faults(path, name, group)]
    if findings and not skip_bad:
        raise DataError(_refuse(path, findings))
    kept = {name: list(_keep(group)) for name, group in done.items()}
    return ImportedAnnotations(
        corpora={name: _make_corpus(source, chosen, name, group) for name, group in kept.items()},
        unmarked={name: sum(map(_is_unmarked, group)) for name, group in kept.items()},
        left_out=Counter(answer.state for answer in answers if answer.state is not State.ANNOTATED),
        findings=tuple(findings),
    )


def _choose(path: Path, answers: list[Answer], annotator: str | None) -> list[Answer]:
    """Return the answers of one annotator; a file of a tool that does not say who it was takes the name."""
    names = list(dict.fromkeys(answer.annotator for answer in answers if answer.state is State.ANNOTATED))
    if names == [""]:
        return [replace(answer, annotator=annotator or path.stem) for answer in answers]
    if annotator is None:
        return answers
    if annotator not in names:
        raise ConfigError(f"{path}: annotator {annotator!r} has no annotation: {suggest(annotator, names)}")
    return [answer for answer in answers if answer.annotator in ("", annotator)]


def _find_faults(path: Path, annotator: str, answers: Iterable[Answer]) -> Iterator[SheetFinding]:
    by_segment: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_segment[answer.segment].append(answer)
    for segment, given in by_segment.items():
        where = f"{path.name}, {given[0].where}, annotator {annotator}"
        if len(given) > 1:
            positions = ", ".join(answer.where for answer in given)
            yield SheetFinding(Fault.TWICE, segment, f"{where}: {len(given)} annotations ({positions})")
        elif isinstance(given[0].outcome, FaultError):
            yield SheetFinding(given[0].outcome.fault, segment, f"{where}: {given[0].outcome}")


def _keep(answers: list[Answer]) -> Iterator[Answer]:
    """Return the answers without a fault; of two to one segment neither is better, so both go."""
    counts = Counter(answer.segment for answer in answers)
    for answer in answers:
        if counts[answer.segment] == 1 and isinstance(answer.outcome, Example):
            yield answer


def _refuse(path: Path, findings: list[SheetFinding]) -> str:
    counted = ", ".join(f"{count} {fault}" for fault, count in count_faults(findings).items())
    return (
        f"{path}: {len(findings)} finding(s): {counted}; first: {findings[0]}: expected none; correct them "
        "in the tool, or leave them out with --skip-bad"
    )


def _is_unmarked(answer: Answer) -> bool:
    quads = answer.outcome.quads if isinstance(answer.outcome, Example) else ()
    return not answer.is_marked_empty and all(is_empty(quad, TRIPLET) for quad in quads)


def _make_corpus(source: Source, format: str, annotator: str, answers: Iterable[Answer]) -> Corpus:
    examples = tuple(answer.outcome for answer in answers if isinstance(answer.outcome, Example))
    said = source.description or CorpusDescription(source.path.stem, "und", TRIPLET)
    return Corpus(
        name=f"{said.name}-{annotator}",
        language=said.language,
        annotates=said.annotates | annotated_parts(examples),
        examples=examples,
        provenance=Provenance(str(source.path), format, source.sha256),
    )
