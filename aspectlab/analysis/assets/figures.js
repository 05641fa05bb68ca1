/* Numbers of the page: headline, tables with bars, cells, the trend; every number opens its quotes. */
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
  const space = ["svg", "line", "circle", "rect", "text", "polygon", "polyline"].includes(tag) ? get("hatch") : document.body;
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

/* what is wanted: the filters of the page, and on top of them the number that was opened */
const asNumber = (text) => (text === "" || text === null || text === undefined ? null : Number(text));
const chosen = (name) => (get(name) ? asNumber(get(name).value) : null);
function filtered() {
  return { category: chosen("aspect"), polarity: chosen("polarity"), group: chosen("group"),
    rating: chosen("rating"), from: chosen("from"), to: chosen("to"), sure: chosen("sure") };
}
const isFiltered = () => FILTERS.some((name) => get(name).value !== get(name).dataset.usual);
function opened() {
  const wanted = filtered(), more = new URLSearchParams(drill || "");
  for (const name of ["category", "polarity", "group", "rating"]) {
    if (more.has(name)) wanted[name] = Number(more.get(name));
  }
  if (more.has("word")) wanted.word = plain(more.get("word"));
  if (more.has("parent")) wanted.parent = more.get("parent");
  if (more.has("from")) wanted.from = Math.max(wanted.from ?? 0, Number(more.get("from")));
  if (more.has("to")) wanted.to = Math.min(wanted.to ?? Infinity, Number(more.get("to")));
  return wanted;
}
const number = (value) => value.toLocaleString("en");
const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
const SIGNS = { positive: "+", neutral: "○", negative: "−" };
const triple = (counts, k) => [counts[3 * k], counts[3 * k + 1], counts[3 * k + 2]];
const total = (counts) => counts[0] + counts[1] + counts[2];

/* numbers that open their quotes */
function opener(text, keys, label, kind) {
  return make("button", { type: "button", class: `number ${kind || ""}`, "data-drill": new URLSearchParams(keys),
    "aria-label": `${label}: show the quotes` }, text);
}
function numbers(counts, keys, name) {
  const parts = KINDS.map((kind, k) => (counts[k]
    ? opener(`${SIGNS[kind]}${number(counts[k])}`, { ...keys, polarity: k }, `${name}: ${number(counts[k])} ${kind}`, kind)
    : make("span", { class: kind }, `${SIGNS[kind]}0`)));
  return make("span", { class: "counts" }, ...parts);
}
function bar(counts, largest) {
  const picture = make("svg", { class: "bar", "aria-hidden": "true" });
  let start = 0;
  counts.forEach((value, k) => {
    if (value) picture.append(make("rect", { class: KINDS[k], x: `${100 * start / largest}%`, width: `${100 * value / largest}%`, height: "100%" }));
    start += value;
  });
  return picture;
}
function share(counts) {
  const found = wilson([counts[0], total(counts)]), x = (value) => `${(100 * value).toFixed(2)}%`;
  const line = (from, to, kind) => make("line", { class: kind, x1: x(from), x2: x(to), y1: "50%", y2: "50%" });
  const picture = make("svg", { class: "share", "aria-hidden": "true" }, line(0, 1, "axis"),
    line(found.low, found.high, "reach"), make("circle", { class: "dot", cx: x(found.value), cy: "50%", r: "4" }));
  const round = (value) => Math.floor(100 * value + 0.5);
  return [picture, make("small", {}, make("span", { class: "heard" }, "positive share "),
    `${percent(found.value)} (${round(found.low)}–${round(found.high)})`)];
}
function tableRow(entry, largest) {
  const { name, note, counts, keys, more } = entry;
  const head = make("th", { scope: "row" }, opener(make("bdi", {}, name), keys, name, "name"), make("small", {}, note));
  const cells = [make("td", {}, bar(counts, largest), numbers(counts, keys, name)), make("td", {}, ...share(counts))];
  if (more) cells.push(make("td", { class: "more" }, ...more));
  return make("tr", entry.parent ? { class: "child" } : {}, head, ...cells);
}
function fillTable(name, entries, scale) {
  const table = get(name);
  if (!table) return;
  const largest = Math.max(1, ...scale.map((entry) => total(entry.counts)));
  table.tBodies[0].replaceChildren(...entries.map((entry) => tableRow(entry, largest)));
}
function ranked(entries) {
  const key = get("sort") ? get("sort").value : "mentions";
  const value = (entry) => (key === "mentions" ? total(entry.counts)
    : wilson([entry.counts[key === "praise" ? 0 : 2], total(entry.counts)]).low);
  return entries.sort((a, b) => (a.isRest - b.isRest) || value(b) - value(a));
}
const FIRST_ROWS = 15;
function showAspects(found) {
  const entries = withParents(ranked(page.categories.map((category, k) => ({
    name: category.name, isRest: category.rest, counts: triple(found.category, k), keys: { category: k },
    note: noteOf(category, total(triple(found.category, k))), more: words(category), parent: category.parent,
  })).filter((entry) => total(entry.counts) > 0)));
  fillTable("aspects", entries.slice(0, FIRST_ROWS), entries.slice(0, FIRST_ROWS));
  const rest = get("rarer");
  if (rest) rest.hidden = entries.length <= FIRST_ROWS;
  fillTable("more-aspects", entries.slice(FIRST_ROWS), entries);
}
function noteOf(category, number) {
  return [counted(number, "opinion"), isFiltered() ? "" : category.audit].filter(Boolean).join("; ");
}
/* two levels: a category of the first, with all of its own, and those within it folded under it */
const unfolded = new Set();
function withParents(entries) {
  if (!get("levels") || !get("levels").checked) return entries.map((entry) => ({ ...entry, parent: "" }));
  const levels = new Map();
  for (const entry of entries) {
    const name = entry.parent || entry.name;
    if (!levels.has(name)) levels.set(name, []);
    levels.get(name).push(entry);
  }
  const tops = [...levels].map(([name, within]) => {
    if (within.length === 1) return { ...within[0], parent: "", within: [] };
    const counts = [0, 1, 2].map((k) => within.reduce((sum, entry) => sum + entry.counts[k], 0));
    return { name, counts, within, isRest: within[0].isRest, keys: { parent: name }, parent: "",
      note: `${counted(total(counts), "opinion")}, ${within.length} aspects`, more: [foldButton(name)] };
  });
  return ranked(tops).flatMap((top) => [top, ...(unfolded.has(top.name) ? top.within.map((entry) => ({ ...entry, parent: top.name })) : [])]);
}
function foldButton(name) {
  const isOpen = unfolded.has(name);
  const button = make("button", { type: "button", class: "whole", "aria-expanded": String(isOpen) }, isOpen ? "Fold" : "Unfold");
  button.addEventListener("click", () => {
    if (!unfolded.delete(name)) unfolded.add(name);
    show();
    all("#aspects button[aria-expanded], #more-aspects button[aria-expanded]")
      .find((each) => each.closest("tr").querySelector("bdi").textContent === name)?.focus();
  });
  return button;
}
function words(category) {
  if (isFiltered()) return [make("small", {}, "")];
  return category.words.map(([word, kind, times], k) => make("span", { class: "said" },
    make("span", { class: kind }, SIGNS[kind], make("bdi", {}, word)), ` ${number(times)}${k + 1 < category.words.length ? ", " : ""}`));
}
function showSlices(found) {
  const groups = page.groups.map((name, k) => ({ name, counts: triple(found.group, k), keys: { group: k },
    note: counted(found.groupReviews[k], "review") }));
  const ratings = page.ratings.map((name, k) => ({ name, counts: triple(found.rating, k), keys: { rating: k },
    note: counted(found.ratingReviews[k], "review") }));
  const spoken = (entries) => entries.filter((entry) => !isFiltered() || total(entry.counts));
  fillTable("groups", spoken(groups), groups);
  fillTable("ratings", spoken(ratings), ratings);
}
function showHeadline(found) {
  const put = (name, value, note) => {
    if (!get(name)) return;
    get(name).replaceChildren(value, make("small", {}, note));
  };
  const positive = wilson([found.all[0], found.opinions]);
  put("figure-reviews", number(found.reviews), `${percent(found.speaking / Math.max(1, found.reviews))} hold an opinion`);
  put("figure-opinions", number(found.opinions), `in ${number(found.sentences)} sentences`);
  const round = (value) => Math.floor(100 * value + 0.5);
  put("figure-positive", found.opinions ? percent(positive.value) : "–",
    found.opinions ? `95 % confidence interval ${round(positive.low)}–${round(positive.high)}` : "no opinions");
  put("figure-mean-rating", found.rated ? (found.ratingSum / found.rated).toFixed(2) : "–", `of ${counted(found.rated, "review")}`);
}

/* two tables of cells: aspects by group, and aspects by period */
const CELL_ROWS = 25, PERIODS = 16;
function cell(counts, keys, label) {
  const all3 = total(counts), [praise, , blame] = counts;
  if (!all3) return make("td", { class: "cell" }, make("span", { class: "none" }, "·"));
  const kind = all3 < 3 ? "few" : praise >= 0.7 * all3 ? "good" : blame >= 0.7 * all3 ? "bad" : "mixed";
  const text = make("span", {}, make("span", { class: "positive" }, `+${number(praise)}`), " ",
    make("span", { class: "negative" }, `−${number(blame)}`));
  return make("td", { class: `cell ${kind}` }, opener(text, keys,
    `${label}: ${number(praise)} positive, ${number(blame)} negative, ${number(counts[1])} neutral`, "plain"));
}
function cellTable(place, heads, columns, found, read) {
  if (!get(place)) return;
  const rows = page.categories.map((category, k) => ({ category, k, count: total(triple(found.category, k)) }))
    .filter((row) => row.count && !row.category.rest)
    .sort((a, b) => b.count - a.count).slice(0, CELL_ROWS);
  const body = rows.map(({ category, k }) => make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, category.name)),
    ...columns.map((column, n) => cell(read(k, column), { category: k, ...column.keys }, `${category.name}, ${heads[n]}`))));
  const head = make("tr", {}, make("th", { scope: "col" }, "Aspect"),
    ...heads.map((text) => make("th", { scope: "col" }, make("bdi", {}, text))));
  get(place).replaceChildren(make("table", { class: "cells" }, make("thead", {}, head), make("tbody", {}, ...body)));
}
function showCells(found) {
  const G = page.groups.length, P = page.numbers.length;
  const groups = page.groups.map((name, k) => ({ keys: { group: k }, k })).filter(({ k }) => total(triple(found.group, k)));
  cellTable("matrix-table", groups.map(({ k }) => page.groups[k]), groups, found,
    (c, { k }) => triple(found.categoryGroup, c * G + k));
  const size = Math.ceil(P / PERIODS), joined = [];
  for (let k = 0; k < P; k += size) joined.push({ keys: { from: k, to: Math.min(P, k + size) - 1 } });
  const heads = joined.map(({ keys: { from, to } }) => (from === to ? page.periods[from]
    : `${page.periods[from]} – ${page.periods[to]}`));
  cellTable("timeline", heads, joined, found, (c, { keys: { from, to } }) => {
    const sum = [0, 0, 0];
    for (let p = from; p <= to; p += 1) triple(found.categoryPeriod, c * P + p).forEach((n, k) => { sum[k] += n; });
    return sum;
  });
  const group = chosen("group");
  if (get("timeline-of")) get("timeline-of").textContent = group === null ? "all groups" : page.groups[group];
}

/* the trend of what is selected, drawn as those of all reviews are */
function showTrend(found) {
  const place = get("selected-trend");
  if (!place) return;
  const isOn = isFiltered();
  get("trends").hidden = isOn;
  place.replaceChildren();
  if (!isOn) return;
  const P = page.numbers.length, x = (k) => 42 + 270 * (k + 0.5) / P, y = (value) => 84 - 76 * value;
  const counts = page.numbers.map((_, k) => triple(found.period, k));
  const largest = Math.max(1, ...counts.map(total));
  const picture = make("svg", { class: "trend", viewBox: "0 0 320 132", role: "img",
    "aria-label": "Share of positive opinions over time, of what is selected" });
  const add = (tag, attributes, ...texts) => picture.append(make(tag, attributes, ...texts));
  for (const value of [0, 0.5, 1]) {
    add("line", { class: "axis", x1: 42, x2: 312, y1: y(value), y2: y(value) });
    add("text", { class: "end", x: 38, y: y(value) + 4 }, `${100 * value} %`);
  }
  add("text", { x: 42, y: 128 }, page.periods[0]);
  if (P > 1) add("text", { class: "end", x: 312, y: 128 }, page.periods[P - 1]);
  add("text", { class: "end", x: 38, y: 100 }, number(largest));
  const width = Math.min(12, 189 / P);
  counts.forEach((three, k) => {
    const height = 20 * total(three) / largest;
    if (height) add("rect", { class: "column", x: x(k) - width / 2, y: 112 - height, width, height });
  });
  let run = [];
  const finish = () => {
    if (run.length > 1) {
      const points = (name) => run.map(([k, found]) => `${x(k).toFixed(1)},${y(found[name]).toFixed(1)}`);
      add("polygon", { class: "band", points: [...points("high"), ...points("low").reverse()].join(" ") });
      add("polyline", { class: "line", points: points("value").join(" ") });
    }
    for (const [k, found] of run) add("circle", { class: "dot", cx: x(k), cy: y(found.value), r: 2.5 });
    run = [];
  };
  counts.forEach((three, k) => {
    if (total(three)) run.push([k, wilson([three[0], total(three)])]); else finish();
  });
  finish();
  place.append(make("figure", {}, make("figcaption", {}, "What is selected"), picture), pictureTools(picture, "selection"));
}
