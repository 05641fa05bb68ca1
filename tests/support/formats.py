"""A small hand-written file of every format: what contract tests and fuzzing start from."""

import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet

SEMEVAL14 = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<sentences>
    <sentence id="11">
        <text>The lentil soup was warm, yet the porter sighed.</text>
        <aspectTerms>
            <aspectTerm term="lentil soup" polarity="positive" from="4" to="15"/>
            <aspectTerm term="porter" polarity="negative" from="34" to="40"/>
        </aspectTerms>
        <aspectCategories><aspectCategory category="food" polarity="positive"/></aspectCategories>
    </sentence>
    <sentence id="12"><text>We came by tram.</text></sentence>
</sentences>
"""

SEMEVAL16 = """<?xml version="1.0" encoding="UTF-8"?>
<Reviews><Review rid="r1"><sentences>
  <sentence id="r1:0"><text>Crisp fries, sadly cold.</text>
    <Opinions><Opinion target="fries" category="FOOD#QUALITY" polarity="negative" from="6" to="11"/>
    <Opinion target="NULL" category="SERVICE#GENERAL" polarity="neutral" from="0" to="0"/></Opinions>
  </sentence>
  <sentence id="r1:1" OutOfScope="TRUE"><text>See you.</text></sentence>
</sentences></Review></Reviews>
"""

SEMEVAL16_TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<Reviews><Review rid="r7"><sentences>
  <sentence id="r7:0"><text>The lid creaks.</text></sentence>
  <sentence id="r7:1"><text>I still like it.</text></sentence>
</sentences><Opinions><Opinion category="LAPTOP#GENERAL" polarity="conflict"/></Opinions></Review></Reviews>
"""

OATS = """<?xml version='1.0' encoding='utf-8'?>
<Reviews>
  <Review rid="7"><sentences>
    <sentence sid="7: 0"><text>The brass hinge &amp; its pin are loose .</text>
      <Opinions><Opinion category="DOOR#QUALITY" polarity="Negative" target="brass hinge" target_from="4"
        target_to="14" opinion_phrase="loose" opinion_phrase_from="30" opinion_phrase_to="34" />
      <Opinion category="SHOP#GENERAL" polarity="Neutral" target="NULL" target_from="37" target_to="37"
        opinion_phrase="NULL" opinion_phrase_from="37" opinion_phrase_to="37" /></Opinions></sentence>
    <sentence sid="7: 1"><text>We came by tram .</text><Opinions /></sentence>
  </sentences></Review>
</Reviews>
"""

ARTS = json.dumps(
    {
        "5_0": {
            "id": "5_0",
            "sentence": "Fine cake.",
            "term": "cake",
            "polarity": "positive",
            "from": 5,
            "to": 9,
        },
        "5_0_adv1": {
            "id": "5_0",
            "sentence": "Awful cake.",
            "term": "cake",
            "polarity": "negative",
            "from": 6,
            "to": 10,
        },
    }
)

ARTS_SENTENCES = json.dumps(
    {
        "5": {
            "id": "5",
            "sentence": "Fine cake.",
            "term_list": {
                "5_0": {
                    "id": "5_0",
                    "polarity": "positive",
                    "term": "cake",
                    "from": 5,
                    "to": 9,
                    "opinion_words": ["Fine"],
                    "opinion_position": [[0, 4]],
                }
            },
        }
    }
)

ATE_ABSITA = (
    '{"sentence":"Cavo corto ma robusto","id_sentence":"a-1","score":3,"polarities":[[0,1]],'
    '"aspects_position":[[0,4]],"aspects":["Cavo"]}\n'
)

ABSITA_CATEGORIES = ("cleanliness", "comfort", "amenities", "staff", "value", "wifi", "location", "other")
ABSITA = (
    ";".join(
        ["sentence_id"]
        + [f"{name}_{kind}" for name in ABSITA_CATEGORIES for kind in ("presence", "positive", "negative")]
        + ["sentence"]
    )
    + "\n7;1;1;0"
    + ";0;0;0" * 7
    + ';"Bagno lucido."\n'
)

MEMD = """[{"raw_words": "The hinge is loose , twice .", "task": "ACOS", "quadruples": [
{"aspect": {"from": 1, "to": 2, "term": ["hinge"]}, "category": "Door#General",
 "opinion": {"from": 3, "to": 4, "term": ["loose"]}, "sentiment": "NEG"},
{"aspect": {"from": -1, "to": -1, "term": ["NULL"]}, "category": "Shop#Service",
 "opinion": {"from": 5, "to": 7, "term": ["twice", "."]}, "sentiment": "NEU"}]},
{"raw_words": "We came by tram .", "task": "ACOS", "quadruples": []}]
"""

DIMABSA = (
    '{"ID": "d-1", "Text": "The hinge is loose, the pin too.", "Quadruplet": [{"Aspect": "hinge", "Opinion": '
    '"loose", "Category": "DOOR#QUALITY", "VA": "3.25#4.50"}, {"Aspect": "NULL", "Opinion": "NULL", '
    '"Category": "SHOP#GENERAL", "VA": "5.10#5"}]}\n'
    '{"ID": "d-2", "Text": "We came by tram.", "Quadruplet": []}\n'
)

LABEL_STUDIO = """[{"id": 4, "data": {"text": "The hinge is loose.", "segment": "s-4"}, "annotations": [{
"id": 9, "completed_by": 2, "was_cancelled": false, "result": [
{"id": "a", "from_name": "term", "to_name": "text", "type": "labels",
 "value": {"start": 4, "end": 9, "text": "hinge", "labels": ["Aspect"]}},
{"id": "b", "from_name": "term", "to_name": "text", "type": "labels",
 "value": {"start": 13, "end": 18, "text": "loose", "labels": ["Opinion"]}},
{"from_id": "a", "to_id": "b", "type": "relation", "direction": "right", "labels": ["negative"]}]}]}]
"""

DOCCANO = (
    '{"id": 3, "text": "The hinge is loose.", "segment": "s-3", "entities": [{"id": 21, "label": "Aspect", '
    '"start_offset": 4, "end_offset": 9}, {"id": 22, "label": "Opinion", "start_offset": 13, '
    '"end_offset": 18}], "relations": [{"id": 5, "from_id": 21, "to_id": 22, "type": "negative"}], '
    '"Comments": []}\n'
)

TEXTS: dict[str, str] = {
    "jsonl": '{"id": "1", "text": "Good soup.", "quads": [{"aspect": {"text": "soup", "start": 5, "end": 9}, '
    '"category": null, "opinion": null, "polarity": "positive"}]}\n',
    "label-studio": LABEL_STUDIO,
    "doccano": DOCCANO,
    "semeval14": SEMEVAL14,
    "semeval16": SEMEVAL16,
    "semeval16-text": SEMEVAL16_TEXT,
    "oats": OATS,
    "arts": ARTS,
    "arts-sentences": ARTS_SENTENCES,
    "memd": MEMD,
    "dimabsa": DIMABSA,
    "ate-absita": ATE_ABSITA,
    "dmaste": "The red door hinge is loose .####[([2, 3], [5], 'NEG'), ([-1], [1], 'NEU')]####Doors\n"
    "Came on Monday .####[]####Doors\n",
    "aste-entire": "Every old door hinge is loose .#### #### ####[([1, 3], [5], 'NEG'), ([2], [-1], '-')]\n"
    "We came by tram .#### #### ####[]\n",
    "aste": "The hinge is loose .####[([1], [3], 'NEG')]\nGood keys and a dim screen .####"
    "[([1], [0], 'POS'), ([5], [4], 'NEG')]\n",
    "aste-v1": "The hinge is loose .####"
    "The=O hinge=T-NEG is=O loose=O .=O####The=O hinge=O is=O loose=S .=O\n",
    "acos": "the hinge is loose .\t1,2 DOOR#QUALITY 0 3,4\t-1,-1 SHOP#PRICES 1 -1,-1\n",
    "en-phone": "The hinge is loose! ####[['Door#General', '4,9', '13,18', '0'], "
    "['Shop#Price', '-1,-1', '-1,-1', '1']]\nWe came by tram.####[]\n",
    "asqp": "The hinge is loose .####[['hinge', 'build quality', 'negative', 'loose']]\n",
    "bert-e2e": "The hinge is loose.####The=O hinge=T-NEG is=O loose=O .=O\n",
    "towe": "s_id\tsentence\ttarget_tags\topinion_words_tags\n"
    "9\tThe hinge is loose .\tThe\\O hinge\\B is\\O loose\\O .\\O\tThe\\O hinge\\O is\\O loose\\B .\\O\n",
    "three-line": "the $T$ is loose .\nhinge\n-1\n",
    "absita": ABSITA,
    "muse": "id,segment_id,label_topic,aspect,opinion,sentiment\n"
    "3.0,1.0,3.0,seats,soft,pos\n3.0,2.0,0.0,-,-,-\n",
    "pyabsa": '[{"sentence": "The hinge is loose .", "IOB": ["O", "B-ASP", "O", "O", "O"], "tokens": ["The", '
    '"hinge", "is", "loose", "."], "aspect": ["hinge"], "position": [[1]], "sentiment": ["Negative"], '
    '"probs": [[0.9, 0.05, 0.05]], "confidence": [0.9]}]\n',
    "json-rows": '{"text": "Good soup.", "span": "soup", "label": "positive", "ordinal": 0}\n',
    "table": "id,text,aspect,start,end,polarity\n1,Good soup.,soup,5,9,positive\n",
}


def content_of(name: str) -> bytes:
    """Return the bytes of the imitation of a format."""
    if name == "parquet":
        stream = io.BytesIO()
        columns = {"id": ["1"], "text": ["Good soup."], "aspect": ["soup"], "polarity": ["positive"]}
        pyarrow.parquet.write_table(pyarrow.table(columns), stream)
        return stream.getvalue()
    return TEXTS[name].encode()


def write_imitation(name: str, folder: Path) -> Path:
    """Write the imitation under a name that tells nothing."""
    path = folder / "file"
    path.write_bytes(content_of(name))
    return path
