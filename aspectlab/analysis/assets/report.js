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
    make("span", {}, "Lines are 95 % confidence intervals. Clear differences come first; "
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
