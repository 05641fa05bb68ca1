"""How the page of a knowledge graph looks, as the page carries it."""

from __future__ import annotations

from collections.abc import Mapping

from aspectlab.reports.graph.colours import DARK, LIGHT, RULES
from aspectlab.reports.look import BASE


def _name_colours(colours: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


_PAGE = """\
header { max-width: 80rem; margin: 0 auto; padding: 1rem 1rem 0; } main { max-width: 80rem; }
h2 { font-size: 1.15rem; margin: 0 0 0.5rem; }
p { margin: 0.3rem 0 0.6rem; } .note { color: var(--quiet); font-size: 0.9rem; }
main > section { margin: 0 0 1.2rem; padding: 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; }
.positive { color: var(--positive); } .neutral { color: var(--neutral); }
.negative { color: var(--negative); }
.tools { display: flex; flex-wrap: wrap; gap: 0.4rem 0.8rem; align-items: center; margin: 0 0 0.5rem; }
.tools[hidden] { display: none; }
label { font-size: 0.9rem; display: inline-flex; gap: 0.4rem; align-items: center; max-width: 100%; }
select, input, button { font: inherit; font-size: 0.95rem; padding: 0.25rem 0.6rem; min-height: 2.2rem;
  min-width: 2.2rem; color: CanvasText; background: Canvas; border: 1px solid var(--quiet);
  border-radius: 4px; }
button:focus-visible, select:focus-visible, input:focus-visible, summary:focus-visible, #view:focus-visible {
  outline: 3px solid var(--positive); outline-offset: 2px; }
#view { overflow: auto; max-height: min(75vh, 60rem); border: 1px solid var(--line); border-radius: 6px;
  background: var(--paper); cursor: grab; overscroll-behavior: contain; }
#view[hidden] { display: none; }
#view.moving { cursor: grabbing; user-select: none; }
#view svg { display: block; }
#detail { display: block; min-height: 3rem; padding: 0.4rem 0; font-size: 0.95rem; overflow-wrap: anywhere; }
.kg .node { cursor: pointer; outline: none; }
.kg .node:focus .box, .kg .node:focus .more-text { stroke: var(--ink); stroke-width: 3; }
.kg .node.more:focus .more-text { stroke-width: 0.6; }
.kg .more-text { fill: var(--positive); text-decoration: underline; font-size: 12px; }
.kg.chosen .node, .kg.chosen .link { opacity: 0.25; } .kg.chosen .near { opacity: 1; }
.wide { overflow-x: auto; } .wide svg { display: block; margin: 0 auto; } .narrow { display: none; }
table.plain { width: 100%; font-size: 0.92rem; }
table.plain th, table.plain td { text-align: left; vertical-align: top; padding: 0.35rem 0.8rem 0.35rem 0;
  overflow-wrap: anywhere; }
table.plain td.number { white-space: nowrap; } table.plain tbody th { font-weight: 600; min-width: 6rem; }
.clear { font-weight: 600; }
summary { cursor: pointer; padding: 0.3rem 0; }
.legend { flex-wrap: wrap; color: var(--quiet); margin: 0 0 0.5rem; }
@media (max-width: 40rem) {
  .wide { display: none; } .narrow { display: block; }
  main > section { padding: 0.7rem; }
  .tools label { width: 100%; } .tools label select, .tools label input { flex: 1; min-width: 0; }
  table.plain thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.plain, table.plain tbody { display: block; }
  table.plain tr:not([hidden]) { display: block; padding: 0.4rem 0; border-bottom: 1px solid var(--line); }
  table.plain tbody th, table.plain tbody td { display: block; border: none; padding: 0; }
  table.plain td[data-head]::before { content: attr(data-head) ": "; color: var(--quiet); }
}
@media print { .tools, #view, #detail { display: none; } }
"""

STYLE = (
    f"{BASE}:root {{ {_name_colours(LIGHT)} }}\n"
    f"@media (prefers-color-scheme: dark) {{\n  :root {{ {_name_colours(DARK)} }}\n}}\n{RULES}{_PAGE}"
)
