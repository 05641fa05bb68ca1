"""The colours and the style of pictures of a knowledge graph, in files and in the page.

Colour is never the only sign of a polarity: boxes differ in their corners, links in their dashes, and every
opinion has its sign.
"""

# people with any kind of colour blindness can tell blue from orange-brown
LIGHT = {
    "positive": "#0b5fa5",
    "neutral": "#5f6368",
    "negative": "#b3401e",
    "praise": "#e9f3fd",
    "neither": "#f1f1f1",
    "blame": "#fdf0ea",
    "ink": "#1a1a1a",
    "quiet": "#5a5a5a",
    "rule": "#c4c4c4",
    "paper": "#ffffff",
    "topic": "#e4e4ec",
    "aspect": "#fff4d6",
}
DARK = {
    "positive": "#74bcff",
    "neutral": "#a8adb3",
    "negative": "#ff9a76",
    "praise": "#12304a",
    "neither": "#333333",
    "blame": "#4a2417",
    "ink": "#eeeeee",
    "quiet": "#b4b4b4",
    "rule": "#585858",
    "paper": "#1e1e1e",
    "topic": "#3b3b4a",
    "aspect": "#4a3f1e",
}
RULES = """\
.kg text { font-size: 13px; fill: var(--ink); unicode-bidi: isolate; font-family: system-ui, "Segoe UI",
  Roboto, Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; }
.kg .quiet { fill: var(--quiet); font-size: 11.5px; } .kg .strong { font-weight: 600; }
.kg .end { text-anchor: end; } .kg .middle { text-anchor: middle; }
.kg .title { font-size: 16px; font-weight: 600; }
.kg .link { fill: none; stroke: var(--rule); }
.kg .link.positive { stroke: var(--positive); }
.kg .link.negative { stroke: var(--negative); stroke-dasharray: 6 3; }
.kg .link.neutral { stroke: var(--neutral); stroke-dasharray: 1.5 3; }
.kg .box { stroke: var(--rule); fill: var(--paper); }
.kg .entity .box { fill: var(--ink); } .kg .entity text { fill: var(--paper); }
.kg .entity .name { font-weight: 600; }
.kg .topic .box { fill: var(--topic); stroke: var(--quiet); }
.kg .aspect .box { fill: var(--aspect); stroke: var(--ink); } .kg .aspect .name { font-weight: 600; }
.kg .positive .box { fill: var(--praise); stroke: var(--positive); }
.kg .negative .box { fill: var(--blame); stroke: var(--negative); stroke-width: 1.6; }
.kg .neutral .box { fill: var(--neither); stroke: var(--neutral); stroke-dasharray: 2 2; }
.kg .positive .sign { fill: var(--positive); font-weight: 700; }
.kg .negative .sign { fill: var(--negative); font-weight: 700; }
.kg .neutral .sign { fill: var(--neutral); font-weight: 700; }
"""
