"""How the report on runs looks, as the page carries it."""

from aspectlab.reports.look import BASE
from aspectlab.reports.runs.plots.picture import STYLE as PLOTS

STYLE = (
    BASE
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
