"""How the data card looks, as the page carries it."""

from aspectlab.reports.runs.look import STYLE as RUNS

STYLE = (
    RUNS
    + """\
.key { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0.8rem 0 0; }
.key > div { flex: 1 1 8.5rem; padding: 0.5rem 0.8rem; border: 1px solid var(--line); border-radius: 8px; }
.key dt { font-size: 0.85rem; color: var(--quiet); }
.key dd { margin: 0; font-size: 1.2rem; font-weight: 600; overflow-wrap: anywhere; }
.figures { display: block; columns: 20rem; column-gap: 2rem; }
.figures figure { break-inside: avoid; margin: 0 0 1.4rem; }
.scroll .rule { text-align: left; } .scroll td.rule { white-space: normal; min-width: 9rem; }
.tops { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 100%), 1fr));
  gap: 1rem 1.6rem; }
.tops table { width: 100%; } .tops .scroll .named { white-space: normal; overflow-wrap: anywhere; }
.scroll td.digest { font-family: ui-monospace, monospace; font-size: 0.75rem; white-space: normal;
  overflow-wrap: anywhere; min-width: 17rem; }
.scroll tbody th.named:first-child { font-weight: 500; }
h3 { font-size: 1rem; margin: 1rem 0 0.5rem; }
.notes { font-size: 0.85rem; overflow-wrap: anywhere; padding-left: 1.2rem; }
"""
)
