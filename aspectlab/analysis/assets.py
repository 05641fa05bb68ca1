"""Style and script of the report on opinions."""

from aspectlab.reports import BASE_STYLE, load_assets

STYLE = (
    load_assets(BASE_STYLE)
    + """\
:root { --positive: #0b5fa5; --neutral: #5f6368; --negative: #b3401e; --stripe: #fff;
  --praise: #dcecfb; --blame: #fbe3da; --neither: #ebebeb; --band: #0b5fa533; }
@media (prefers-color-scheme: dark) {
  :root { --positive: #74bcff; --neutral: #a8adb3; --negative: #ff9a76; --stripe: #1e1e1e;
    --praise: #12385a; --blame: #57291a; --neither: #3a3a3a; --band: #74bcff33; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 0; padding: 0.5rem; background: Canvas; z-index: 2; }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.defs { position: absolute; }
header { max-width: 72rem; margin: 0 auto; padding: 1rem 1rem 0; }
h1 { margin: 0.5rem 0 1rem; }
h2 { font-size: 1.2rem; margin: 0 0 0.6rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 0.4rem; overflow-wrap: anywhere; }
small { color: var(--quiet); font-size: 0.82rem; font-weight: 400; }
a { color: var(--positive); }
a:focus-visible, summary:focus-visible, select:focus-visible, input:focus-visible, button:focus-visible {
  outline: 3px solid var(--positive); outline-offset: 2px; }
:target { scroll-margin-top: 8rem; }
main > section { margin: 0 0 1.2rem; padding: 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; }
nav { display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; margin-top: 1rem; }
nav a { padding: 0.3rem 0; }
.headline { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.6rem;
  margin: 0; }
.headline > div { padding: 0.6rem 0.8rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; }
.headline dt { color: var(--quiet); font-size: 0.85rem; }
.headline dd { margin: 0; font-size: 1.25rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
.headline small { display: block; line-height: 1.4; }
.notices { margin-top: 1rem; padding: 0.6rem 0.8rem; border: 1px solid var(--line);
  border-left: 4px solid var(--negative); border-radius: 4px; font-size: 0.9rem; overflow-wrap: anywhere; }
.notices ul { margin: 0.2rem 0 0; padding-left: 1.2rem; }
.legend { flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0 0 0.6rem; color: var(--quiet); }
.tools { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; margin: 0 0 0.6rem; }
.tools[hidden] { display: none; }
label { font-size: 0.9rem; display: inline-flex; gap: 0.4rem; align-items: center; max-width: 100%; }
select, input, button, .button { font: inherit; font-size: 0.95rem; padding: 0.25rem 0.5rem;
  min-height: 2.2rem; min-width: 0; color: CanvasText; background: Canvas;
  border: 1px solid var(--quiet); border-radius: 4px; }
.button { display: inline-block; margin-top: 0.6rem; text-decoration: none; }
.rows { width: 100%; table-layout: fixed; margin: 0; }
.rows th, .rows td { vertical-align: top; text-align: left; padding: 0.45rem 0.8rem 0.45rem 0; }
.rows tbody th { font-weight: 600; overflow-wrap: anywhere; }
.rows small { display: block; }
.rows thead th:nth-child(1) { width: 20%; }
.rows thead th:nth-child(3) { width: 24%; }
.rows .more { padding-right: 0; overflow-wrap: anywhere; }
.rows td.more { font-size: 0.9rem; }
.said { display: inline-block; max-width: 100%; }
.bar, .share { display: block; width: 100%; height: 16px; overflow: visible; }
.bar { margin: 4px 0 2px; }
.share { margin: 4px 0 2px; }
.counts { display: flex; gap: 0.8rem; font-size: 0.85rem; flex-wrap: wrap; }
.positive { color: var(--positive); } .neutral { color: var(--neutral); }
.negative { color: var(--negative); }
rect.positive { fill: var(--positive); } rect.neutral { fill: var(--neutral); }
rect.negative { fill: url(#hatch); }
.ground { fill: var(--negative); } .stripe { fill: var(--stripe); opacity: 0.45; }
.axis { stroke: var(--line); } .reach { stroke: currentColor; stroke-width: 2; }
.dot { fill: currentColor; } .second { fill: Canvas; stroke: currentColor; stroke-width: 2; }
details { margin-top: 0.6rem; }
summary { cursor: pointer; padding: 0.3rem 0; }
summary h3 { display: inline; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; font-size: 0.95rem; overflow-wrap: anywhere; }
.trend { width: 100%; height: auto; max-width: 26rem; }
.trend text { font-size: 11px; fill: var(--quiet); } .end { text-anchor: end; }
.band { fill: var(--band); } .line { fill: none; stroke: var(--positive); stroke-width: 2; }
.trend .dot, .trend .reach { fill: var(--positive); stroke: var(--positive); }
.column { fill: var(--neutral); opacity: 0.55; }
#filter:not([hidden]) { z-index: 1; margin: 0 -1rem; padding: 0.5rem 1rem; background: var(--card); }
#filter input { width: 11rem; }
.aspect[hidden], .quote[hidden] { display: none; }
.terms { margin: 0 0 0.4rem; color: var(--quiet); font-size: 0.9rem; overflow-wrap: anywhere; }
.quotes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr));
  gap: 0.8rem; }
.quotes > div { display: grid; gap: 0.8rem; align-content: start; min-width: 0; }
.quotes > div:not(:has(> :not([hidden]))) { display: none; }
.quote { padding: 0.5rem 0.8rem; border: 1px solid var(--line); border-left: 4px solid var(--neutral);
  border-radius: 4px; background: Canvas; }
.quote.positive { border-left-color: var(--positive); }
.quote.negative { border-left-color: var(--negative); border-left-style: double; }
.quote { color: CanvasText; }
.verdict { margin: 0; font-weight: 600; font-size: 0.85rem; }
blockquote { margin: 0.2rem 0; }
.origin { margin: 0; color: var(--quiet); font-size: 0.82rem; overflow-wrap: anywhere; }
mark { color: CanvasText; background: none; border-radius: 3px; padding: 0 0.15em;
  box-decoration-break: clone; }
mark.aspect { font-weight: 600; text-decoration: underline 2px; text-underline-offset: 3px; padding: 0; }
mark.opinion { color: CanvasText; border: 1px solid var(--neutral); background: var(--neither); }
mark.positive { border-color: var(--positive); background: var(--praise); }
mark.negative { border: 1px dashed var(--negative); background: var(--blame); }
.graph svg { display: block; width: 100%; height: auto; max-width: 60rem; margin: 0 auto; }
.graph .tall { display: none; max-width: 24rem; }
.graph text { font-size: 13px; text-anchor: middle; fill: CanvasText; }
.node rect { fill: Canvas; stroke: var(--line); }
.node.aspect rect { fill: var(--neither); stroke: CanvasText; } .node.aspect text { font-weight: 600; }
.node.positive text { fill: var(--positive); } .node.negative text { fill: var(--negative); }
.node.neutral text { fill: var(--neutral); }
.link { stroke: var(--neutral); opacity: 0.6; }
.link.positive { stroke: var(--positive); }
.link.negative { stroke: var(--negative); stroke-dasharray: 7 4; }
.graph.chosen .link, .graph.chosen .node { opacity: 0.12; }
.graph.chosen .near { opacity: 1; }
details table { display: block; overflow-x: auto; font-size: 0.9rem; }
details table.rows { display: table; font-size: 1rem; }
.settings { display: grid; grid-template-columns: auto 1fr; gap: 0 1rem; font-size: 0.9rem; }
.settings dt { color: var(--quiet); } .settings dd { margin: 0; overflow-wrap: anywhere; }
#compared .clear { font-weight: 600; }
@media (max-width: 48rem) {
  .rows .more, #aspects .more { display: none; }
  .rows, details table.rows, .rows tbody { display: block; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; padding: 0.4rem 0;
    border-bottom: 1px solid var(--line); }
  .rows tbody th, .rows tbody td { border: none; padding: 0; width: auto; min-width: 0; }
  .rows tbody th { grid-column: 1 / -1; display: flex; gap: 0.2rem 0.8rem; flex-wrap: wrap;
    align-items: baseline; }
  .counts { gap: 0.1rem 0.6rem; }
  #filter:not([hidden]) { position: static; }
  :target { scroll-margin-top: 1rem; }
}
@media (max-width: 30rem) {
  .headline > div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .tools label, #filter label { width: 100%; }
  label select, #filter label input { flex: 1; width: auto; }
}
@media (max-width: 40rem) { .graph .wide { display: none; } .graph .tall { display: block; } }
@media print {
  nav, #filter, .tools, .button, .skip { display: none !important; }
  main > section { border: none; padding: 0; background: none; }
  tr, figure, .quote { break-inside: avoid; }
  * { print-color-adjust: exact; }
}
"""
)


SCRIPT = r"""
"use strict";
const get = (name) => document.getElementById(name);
const all = (what, where) => [...(where || document).querySelectorAll(what)];
const figures = JSON.parse(get("figures").textContent);
const fields = ["search", "aspect", "polarity", "group", "sort", "first", "second"].filter(get);

/* what is chosen stands in the address, so that it can be passed on */
function remember() {
  const state = new URLSearchParams();
  for (const name of fields) {
    if (get(name).value !== get(name).dataset.usual) state.set(name, get(name).value);
  }
  try { history.replaceState(null, "", "#" + state); } catch (refused) { /* within a frame */ }
}
function recall() {
  if (!location.hash.includes("=")) return;
  const state = new URLSearchParams(location.hash.slice(1));
  for (const name of fields) {
    get(name).value = state.get(name) ?? get(name).dataset.usual;
    if (get(name).selectedIndex === -1) get(name).value = get(name).dataset.usual;
  }
  show();
}

/* search and filter */
const plain = (text) => text.normalize("NFKC").toLowerCase();
const parts = all("details.aspect").map((part) => ({
  part, open: part.open,
  quotes: all(".quote", part).map((quote) => ({ quote, text: plain(quote.textContent) })),
  text: plain(part.querySelector("summary").textContent + " " + part.querySelector(".terms").textContent),
}));
function filter() {
  const words = plain(get("search").value).split(/\s+/).filter(Boolean);
  const value = (name) => (get(name) ? get(name).value : "");
  const isActive = words.length > 0 || ["aspect", "polarity", "group"].some(value);
  let shown = 0, total = 0;
  for (const { part, open, quotes, text } of parts) {
    const fits = value("aspect") === "" || part.dataset.category === value("aspect");
    let left = 0;
    for (const entry of quotes) {
      const { polarity, group } = entry.quote.dataset;
      entry.quote.hidden = !(fits && (value("polarity") === "" || polarity === value("polarity"))
        && (value("group") === "" || group === value("group"))
        && words.every((word) => entry.text.includes(word) || text.includes(word)));
      left += entry.quote.hidden ? 0 : 1;
    }
    part.hidden = isActive && left === 0;
    part.open = isActive ? left > 0 : open;
    shown += left; total += quotes.length;
  }
  get("shown").textContent = `${shown} of ${total} sentences`;
}

/* sort the aspects; the folded rows have their own table */
function sort() {
  for (const body of all("#aspects tbody, #more-aspects tbody")) {
    const key = (row) => Number(row.dataset[get("sort").value]);
    body.append(...all("tr", body).sort((a, b) => key(b) - key(a)));
  }
}

/* compare two groups: Wilson's interval of each share, Newcombe's of the difference */
const Z = 1.959963984540054;
function wilson([hits, total]) {
  if (total === 0) return { value: 0, low: 0, high: 1 };
  const value = hits / total, shrink = 1 + Z * Z / total, centre = (value + Z * Z / (2 * total)) / shrink;
  const half = Z / shrink * Math.sqrt(value * (1 - value) / total + Z * Z / (4 * total * total));
  return { value, low: Math.max(0, Math.min(centre - half, value)),
    high: Math.min(1, Math.max(centre + half, value)) };
}
function differ(first, second) {
  const a = wilson(first), b = wilson(second), gap = b.value - a.value;
  const low = gap - Math.hypot(b.value - b.low, a.high - a.value);
  const high = gap + Math.hypot(b.high - b.value, a.value - a.low);
  const isEnough = Math.min(first[1], second[1]) >= LEAST;
  return { gap, low, high, isEnough, isClear: isEnough && (low > 0 || high < 0) };
}
function make(tag, attributes, ...children) {
  const space = ["svg", "line", "circle"].includes(tag) ? get("hatch") : document.body;
  const node = document.createElementNS(space.namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
const percent = (value) => `${Math.floor(100 * value + 0.5)} %`;
const LEAST = 10;
function points(value) {
  const rounded = Math.floor(Math.abs(100 * value) + 0.5);
  return rounded === 0 ? "0" : `${value < 0 ? "−" : "+"}${rounded}`;
}
function draw(a, b) {
  const x = (value) => `${(100 * value).toFixed(2)}%`;
  const line = (from, to, y, kind) => make("line", { class: kind, x1: x(from), x2: x(to), y1: y, y2: y });
  const middle = make("line", { class: "axis", x1: "50%", x2: "50%", y1: "0", y2: "100%" });
  return make("svg", { class: "share pair", "aria-hidden": "true" }, line(0, 1, "50%", "axis"), middle,
    line(a.low, a.high, "25%", "reach"), make("circle", { class: "dot", cx: x(a.value), cy: "25%", r: "4" }),
    line(b.low, b.high, "75%", "reach"),
    make("circle", { class: "second", cx: x(b.value), cy: "75%", r: "4" }));
}
function row(name, first, second) {
  const [a, b, change] = [wilson(first), wilson(second), differ(first, second)];
  const say = (sign, share, total) => `${sign} ${percent(share.value)} of ${total}`.replaceAll(" ", "\u00a0");
  const said = `${say("●", a, first[1])} ${say("○", b, second[1])}`;
  const range = `(${points(change.low)} to ${points(change.high)})`;
  const clear = change.gap > 0 ? "▲ more positive" : "▼ less positive";
  const unclear = change.isEnough ? "may be chance" : "too few to tell";
  return make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, name)),
    make("td", {}, draw(a, b), make("small", {}, said)),
    make("td", { class: change.isClear ? "clear" : "" }, `${points(change.gap)} points`,
      make("small", {}, `${range} ${change.isClear ? clear : unclear}`)));
}
function compare() {
  const [one, two] = ["first", "second"].map((name) => figures.groups[Number(get(name).value)]);
  const pairs = figures.aspects.map((name, k) => [name, one.counts[k + 1], two.counts[k + 1]])
    .filter(([, a, b]) => a[1] > 0 && b[1] > 0)
    .map((pair) => ({ pair, ...differ(pair[1], pair[2]) }))
    .sort((a, b) => b.isClear - a.isClear || b.isEnough - a.isEnough || Math.abs(b.gap) - Math.abs(a.gap));
  const heads = ["Aspect", "Positive share", "Second minus first"];
  const body = [row("All aspects", one.counts[0], two.counts[0]), ...pairs.map(({ pair }) => row(...pair))];
  const key = make("p", { class: "legend" }, make("span", {}, "● ", make("bdi", {}, one.name)),
    make("span", {}, "○ ", make("bdi", {}, two.name)),
    make("span", {}, "Lines are 95 % intervals. Clear differences come first; "
      + "among twenty aspects that do not differ, about one looks clear by chance."));
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const table = make("table", { class: "rows" }, make("thead", {}, head), make("tbody", {}, ...body));
  get("compared").replaceChildren(key, table);
}

/* point at a node of the graph to see its links only */
function point(graph, node) {
  graph.classList.toggle("chosen", node !== null);
  const near = new Set(node === null ? [] : [node.dataset.node]);
  for (const link of all(".link", node ? node.ownerSVGElement : graph)) {
    const ends = link.dataset.ends.split(" ");
    const isNear = node !== null && ends.includes(node.dataset.node);
    link.classList.toggle("near", isNear);
    if (isNear) ends.forEach((end) => near.add(end));
  }
  for (const other of all(".node", graph)) other.classList.toggle("near", near.has(other.dataset.node));
}

function show() {
  if (get("search")) filter();
  if (get("sort")) sort();
  if (get("first")) compare();
}
for (const name of ["first", "second"].filter(get)) {
  get(name).append(...figures.groups.map((group, k) => make("option", { value: k }, group.name)));
  get(name).selectedIndex = name === "first" ? 0 : 1;
}
for (const name of fields) {
  get(name).dataset.usual = get(name).value;
  get(name).addEventListener("input", () => { show(); remember(); });
}
for (const name of ["filter", "sorting", "compare"].filter(get)) get(name).hidden = false;
get("reset")?.addEventListener("click", () => {
  for (const name of ["search", "aspect", "polarity", "group"].filter(get)) get(name).value = "";
  show(); remember(); get("search").focus();
});
for (const link of all("a[data-category]")) {
  link.addEventListener("click", () => {
    for (const name of ["search", "polarity", "group"].filter(get)) get(name).value = "";
    get("aspect").value = link.dataset.category;
    show();
  });
}
for (const graph of all(".graph")) {
  for (const node of all(".node", graph)) {
    node.addEventListener("pointerenter", () => point(graph, node));
    node.addEventListener("pointerleave", () => point(graph, null));
  }
}
addEventListener("hashchange", recall);
show();
recall();
"""
