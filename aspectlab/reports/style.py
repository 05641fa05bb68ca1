"""The style of reports, as each page carries it."""

from aspectlab.reports.svg.picture import PICTURE_STYLE as PLOTS

BASE_STYLE = """
:root { color-scheme: light dark;
  --line: #d0d0d0; --quiet: #555; --bad: #b3261e; --good: #1b6e3c; --new: #fff1b8; --card: #fafafa; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --quiet: #aaa; --bad: #ff8a80; --good: #7ddc9f; --new: #5a4a00; --card: #1e1e1e; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; overflow-wrap: anywhere; }
#filter:not([hidden]) { position: sticky; top: 0; padding: 0.5rem 0; background: Canvas;
  display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; align-items: center;
  border-bottom: 1px solid var(--line); }
select { font: inherit; max-width: 100%; }
.legend { display: flex; gap: 1rem; font-size: 0.9rem; }
.text { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate; }
footer { margin-top: 2rem; font-size: 0.8rem; color: var(--quiet); overflow-wrap: anywhere; }
"""

FAILURES_STYLE = (
    BASE_STYLE
    + """\
h2 { font-size: 0.9rem; margin: 0 0 0.5rem; color: var(--quiet); overflow-wrap: anywhere; }
section { margin: 1rem 0; padding: 0.8rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; content-visibility: auto; contain-intrinsic-size: auto 14rem; }
section[hidden] { display: none; }
article { display: grid; grid-template-columns: 6rem 1fr 14rem; gap: 0.2rem 1rem;
  padding: 0.4rem 0 0.4rem 0.6rem; border-left: 4px solid var(--good); }
article.wrong { border-left-color: var(--bad); }
article + article { margin-top: 0.4rem; }
.kind { font-size: 0.85rem; color: var(--quiet); overflow-wrap: anywhere; }
b { text-decoration: underline 2px; text-underline-offset: 3px; }
ins { background: var(--new); text-decoration: none; border-radius: 3px; }
del { color: var(--quiet); font-size: 0.9em; }
dl { margin: 0; font-size: 0.85rem; display: grid; grid-template-columns: auto 1fr; gap: 0 0.6rem;
  align-content: start; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.verdict { grid-column: 1 / -1; font-weight: 600; color: var(--good); }
.wrong .verdict { color: var(--bad); }
@media (max-width: 48rem) { article { grid-template-columns: 1fr; } }
"""
)

FAILURES_SCRIPT = """
"use strict";
const kind = document.getElementById("kind");
const units = [...document.querySelectorAll("section")];
function show() {
  let shown = 0;
  for (const unit of units) {
    unit.hidden = kind.value !== "" && !unit.dataset.wrong.split("\\n").includes(kind.value);
    shown += unit.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = `${shown} of ${units.length} shown`;
}
kind.addEventListener("change", show);
document.getElementById("filter").hidden = false;
show();
"""


RUNS_STYLE = (
    BASE_STYLE
    + PLOTS
    + """\
body { line-height: 1.45; }
header, main { max-width: 96rem; margin: 0 auto; padding: 1rem; }
h1 { margin: 0.5rem 0; } h2 { font-size: 1.2rem; margin: 0 0 0.8rem; overflow-wrap: anywhere; }
a { color: var(--hue0); } code { overflow-wrap: anywhere; font-size: 0.8rem; }
:focus-visible { outline: 3px solid var(--hue0); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
.facts { color: var(--quiet); margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin-top: 0.8rem; }
nav a { padding: 0.2rem 0; }
main > section { padding: 1rem; margin: 0 0 1.2rem; border: 1px solid var(--line); border-radius: 8px; }
.scroll { overflow-x: auto; max-width: 100%; }
.scroll table { margin: 0.3rem 0; font-size: 0.88rem; border-collapse: separate; border-spacing: 0; }
.scroll caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
.scroll th, .scroll td { white-space: nowrap; padding: 0.25rem 0.9rem 0.25rem 0; vertical-align: top; }
.scroll thead th { border-bottom: 2px solid var(--quiet); }
.scroll .named { text-align: left; font-weight: 400; }
.scroll tbody th.named:first-child { position: sticky; left: 0; background: Canvas; font-weight: 600; }
.scroll .wide { text-align: left; } .scroll td.wide { white-space: normal; min-width: 15rem; }
.sign { display: inline-block; width: 1em; color: var(--quiet); text-align: center; font-weight: 400; }
.end { margin: 0.2rem 0 0.8rem; line-height: 1.3; }
.end code { display: block; color: var(--quiet); }
details { margin: 0.6rem 0; } summary { cursor: pointer; padding: 0.3rem 0; }
.note { color: var(--quiet); font-size: 0.88rem; max-width: 60rem; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr));
  gap: 1.2rem 2rem; margin: 0.8rem 0; align-items: start; }
figure { margin: 0; min-width: 0; }
.plot { display: block; width: 100%; max-width: 30rem; height: auto; }
wbr { display: none; }
@media (max-width: 30rem) { wbr { display: inline; } header, main, main > section { padding: 0.7rem; }
  .scroll tbody th.named:first-child { white-space: normal; min-width: 7.5rem; max-width: 9rem;
    overflow-wrap: break-word; } }
@media print { nav, .skip { display: none; } .scroll { overflow: visible; } figure { break-inside: avoid; }
  main > section { border: none; padding: 0; } * { print-color-adjust: exact; } }
"""
)
