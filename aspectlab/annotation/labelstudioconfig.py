"""The labelling configuration of a Label Studio project: terms, relations, polarity, implicit terms."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from aspectlab.data import Part, Polarity
from aspectlab.readers.answers import TEXT, TOPIC
from aspectlab.readers.labelstudioresult import (
    CATEGORY,
    EMPTY,
    IMPLIED,
    LABELS,
    NO_OPINION,
    POLARITY,
    TERM,
    UNPLACED,
)

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
