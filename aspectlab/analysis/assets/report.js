const get = (name) => document.getElementById(name);
const all = (what, where) => [...(where || document).querySelectorAll(what)];
const figures = JSON.parse(get("figures").textContent);
const FILTERS = ["group", "from", "to", "rating", "aspect", "polarity", "sure"].filter(get);
const fields = [...FILTERS, "search", "sort", "first", "second"].filter(get);
let drill = null, isLoaded = false;

/* what is chosen stands in the address, so that it can be passed on */
function remember() {
  const state = new URLSearchParams();
  for (const name of fields) {
    if (get(name).value !== get(name).dataset.usual) state.set(name, get(name).value);
  }
  if (drill) state.set("open", drill);
  try { history.replaceState(null, "", "#" + state); } catch (refused) { /* within a frame */ }
}
function recall() {
  if (!location.hash.includes("=")) return;
  const state = new URLSearchParams(location.hash.slice(1));
  for (const name of fields) {
    get(name).value = state.get(name) ?? get(name).dataset.usual;
    if (get(name).selectedIndex === -1) get(name).value = get(name).dataset.usual;
  }
  drill = state.get("open");
  show();
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
  const entries = ranked(page.categories.map((category, k) => ({
    name: category.name, isRest: category.rest, counts: triple(found.category, k), keys: { category: k },
    note: [counted(total(triple(found.category, k)), "opinion"), isFiltered() ? "" : category.audit].filter(Boolean).join("; "),
    more: words(category),
  })).filter((entry) => total(entry.counts) > 0));
  fillTable("aspects", entries.slice(0, FIRST_ROWS), entries.slice(0, FIRST_ROWS));
  const rest = get("rarer");
  if (rest) rest.hidden = entries.length <= FIRST_ROWS;
  fillTable("more-aspects", entries.slice(FIRST_ROWS), entries);
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

/* quotes: all of a number, or all sentences with the words */
const STEP = 30;
let found = null, order = null, shownQuotes = 0;
function marked(block, s, fits) {
  const start = block.starts[s], text = block.text.slice(start, block.starts[s + 1]), spans = [];
  for (let o = block.heads[s]; o < block.heads[s + 1]; o += 1) {
    if (!fits(block, o)) continue;
    for (const [part, kind] of [["aspect", "aspect"], ["opinion", `opinion ${KINDS[block.polarity[o]]}`]]) {
      const from = block[part][o];
      if (from !== NONE) spans.push([from, from + block[`${part}_length`][o], kind]);
    }
  }
  const cuts = [...new Set([0, text.length, ...spans.flatMap(([from, to]) => [from, to])])].sort((a, b) => a - b);
  const nodes = [];
  for (let k = 0; k + 1 < cuts.length; k += 1) {
    let node = text.slice(cuts[k], cuts[k + 1]);
    const seen = new Set();
    for (const [from, to, kind] of spans) {
      const sort = kind.split(" ")[0];
      if (from <= cuts[k] && to >= cuts[k + 1] && !seen.has(sort)) { node = make("mark", { class: kind }, node); seen.add(sort); }
    }
    nodes.push(node);
  }
  return nodes;
}
function sure(probability) {
  if (!probability) return "";
  const value = (probability - 1) / 1e4;
  return value < 0.995 ? ` ${percent(value)} sure` : " over 99 % sure";
}
function quote(k) {
  const block = blocks[found.block[k]], s = found.sentence[k], r = block.reviewOf[s], fits = judge(opened());
  const verdicts = [];
  for (let o = block.heads[s]; o < block.heads[s + 1]; o += 1) {
    if (!fits(block, o)) continue;
    const kind = KINDS[block.polarity[o]], named = block.names[block.named[o]];
    const chip = block.aspect[o] === NONE ? [make("span", { class: "chip" }, "not named")] : [];
    verdicts.push(make("span", { class: kind }, `${SIGNS[kind]} `, make("bdi", {}, page.categories[block.category[o]].name),
      make("small", { title: named }, sure(block.probability[o])), " ", ...chip));
  }
  const kinds = new Set(all("span[class]", make("p", {}, ...verdicts)).map((node) => node.className));
  const kind = KINDS.find((each) => kinds.has(each) && !KINDS.some((other) => other !== each && kinds.has(other))) || "neutral";
  const origin = [block.group[r], block.date[r], block.rating[r] && `rated ${block.rating[r]}`, block.ids[r] && `review ${block.ids[r]}`];
  const more = make("button", { type: "button", class: "whole", "aria-expanded": "false" }, "Whole review");
  const said = make("blockquote", { class: "text", dir: "auto" }, ...marked(block, s, fits));
  more.addEventListener("click", () => {
    const isOpening = more.getAttribute("aria-expanded") === "false";
    more.setAttribute("aria-expanded", String(isOpening));
    const sentences = Array.from({ length: block.sentences[r] }, (_, n) => block.firsts[r] + n);
    said.replaceChildren(...(isOpening ? sentences.flatMap((n) => [...marked(block, n, fits), " "]) : marked(block, s, fits)));
  });
  const list = origin.filter(Boolean).flatMap((text, n) => [n ? " · " : "", make("bdi", {}, text)]);
  return make("article", { class: `quote ${verdicts.length ? kind : "neutral"}` },
    make("p", { class: "verdict" }, ...(verdicts.length ? verdicts : [make("small", {}, "no opinion found")])),
    said, make("p", { class: "origin" }, ...list, " ", more));
}
function showMore() {
  const until = Math.min(found.sentence.length, shownQuotes + STEP), nodes = [];
  for (; shownQuotes < until; shownQuotes += 1) nodes.push(quote(position(shownQuotes)));
  get("found").append(...nodes);
  get("more-found").hidden = shownQuotes >= found.sentence.length;
}
/* first the ones that were chosen, then all others as they come in the file */
function position(n) {
  if (n < order.first.length) return order.first[n];
  if (order.next === undefined) order.next = 0;
  while (order.chosen.has(order.next)) order.next += 1;
  order.next += 1;
  return order.next - 1;
}
function describeOpened() {
  const more = new URLSearchParams(drill || ""), parts = [];
  const name = (key, list) => (more.has(key) ? list[Number(more.get(key))] : null);
  parts.push(more.has("category") ? page.categories[Number(more.get("category"))].name : null);
  parts.push(name("polarity", KINDS), name("group", page.groups), more.has("rating") ? `rated ${name("rating", page.ratings)}` : null);
  const [from, to] = [name("from", page.periods), name("to", page.periods)];
  parts.push(from && to ? (from === to ? from : `${from} to ${to}`) : from ? `since ${from}` : to ? `until ${to}` : null);
  return parts.filter(Boolean).join(" · ");
}
function showQuotes() {
  const search = get("search").value, isOn = Boolean(drill) || search.trim() !== "" || isFiltered();
  get("representative").hidden = isOn;
  get("results").hidden = !isOn;
  get("close").hidden = !drill;
  get("opened").textContent = drill ? describeOpened() : "";
  get("found").replaceChildren();
  get("said").textContent = "";
  if (!isOn) return;
  const wanted = opened();
  found = findSentences(wanted, search);
  order = orderFound(found, wanted);
  shownQuotes = 0;
  get("said").textContent = `${counted(found.opinions, "opinion")} in ${counted(found.sentence.length, "sentence")} of ${counted(found.reviews, "review")}`;
  showMore();
}
function openNumber(keys) {
  drill = keys;
  get("search").value = "";
  showQuotes();
  remember();
  get("sentences").scrollIntoView();
  get("said").focus({ preventScroll: true });
}

/* files */
function chosenRows() {
  const wanted = opened(), fits = judge(wanted), rows = [];
  const sentences = findSentences(wanted, get("search").value);
  sentences.sentence.forEach((s, k) => {
    const block = blocks[sentences.block[k]], r = block.reviewOf[s], text = block.text.slice(block.starts[s], block.starts[s + 1]);
    for (let o = block.heads[s]; o < block.heads[s + 1]; o += 1) {
      if (!fits(block, o)) continue;
      const term = (part) => (block[part][o] === NONE ? "" : text.slice(block[part][o], block[part][o] + block[`${part}_length`][o]));
      const p = block.probability[o];
      rows.push([block.ids[r], block.group[r], block.date[r], block.rating[r], page.categories[block.category[o]].name,
        term("aspect"), term("opinion"), KINDS[block.polarity[o]], p ? (p - 1) / 1e4 : "", text]);
    }
  });
  return rows;
}
const OPINION_HEAD = ["review", "group", "date", "rating", "category", "aspect", "opinion", "polarity", "probability", "text"];
const SHARE_HEAD = ["opinions", ...KINDS, "positive_share", "low", "high"];
const MAX_SHEET = 500_000;
function shareCells(counts) {
  const { value, low, high } = wilson([counts[0], total(counts)]);
  return [total(counts), ...counts, ...[value, low, high].map((each) => Number(each.toFixed(4)))];
}
async function saveWorkbook() {
  const found = count(filtered()), G = page.groups.length, P = page.numbers.length, rows = chosenRows();
  const used = page.categories.map((category, k) => [category.name, k]).filter(([, k]) => total(triple(found.category, k)));
  const cross = (names, read) => names.flatMap((name, n) => used.filter(([, k]) => total(read(k, n)))
    .map(([category, k]) => [name, category, ...shareCells(read(k, n))]));
  const selected = fields.filter((name) => get(name).value !== get(name).dataset.usual)
    .map((name) => [name, get(name).selectedOptions ? get(name).selectedOptions[0].textContent : get(name).value]);
  const cut = rows.length > MAX_SHEET ? [["left out of the sheet of opinions", rows.length - MAX_SHEET]] : [];
  const sheets = [
    ["Summary", [["report", document.title], ["reviews", found.reviews], ["sentences", found.sentences],
      ...KINDS.map((kind, k) => [kind, found.all[k]]), ...selected, ...(drill ? [["opened", describeOpened()]] : []), ...cut,
      ...all("#glance li").map((item) => [item.closest("div").querySelector("h3").textContent, item.textContent])]],
    ["Aspects", [["aspect", ...SHARE_HEAD], ...used.map(([name, k]) => [name, ...shareCells(triple(found.category, k))])]],
    ["Aspects by group", [["group", "aspect", ...SHARE_HEAD], ...cross(page.groups, (k, g) => triple(found.categoryGroup, k * G + g))]],
    ["Aspects by period", [["period", "aspect", ...SHARE_HEAD], ...cross(page.periods, (k, p) => triple(found.categoryPeriod, k * P + p))]],
    ["Opinions", [OPINION_HEAD, ...rows.slice(0, MAX_SHEET)]],
  ];
  save("opinions.xlsx", await asWorkbook(sheets), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
}
function pictureTools(picture, name) {
  const button = (kind) => {
    const made = make("button", { type: "button", class: "save" }, kind.toUpperCase());
    made.setAttribute("aria-label", `Save the picture ${name} as ${kind.toUpperCase()}`);
    made.addEventListener("click", () => savePicture(picture, name, kind));
    return made;
  };
  return make("p", { class: "saves" }, button("svg"), button("png"));
}
const asName = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "picture";
for (const picture of all("svg.trend, svg.drivers, .graph svg")) {
  const title = picture.closest("figure")?.querySelector("figcaption")?.textContent ?? picture.closest("section").id;
  const tools = pictureTools(picture, asName(title));
  // of two drawings for wide and narrow screens, one is seen: so are its buttons
  if (picture.closest(".graph")) tools.classList.add(picture.getAttribute("class"));
  picture.after(tools);
}

function show() {
  if (get("first")) compare();
  if (!isLoaded) return;
  const found = count(filtered());
  showHeadline(found);
  showAspects(found);
  showSlices(found);
  showCells(found);
  showTrend(found);
  const whole = page.opinions;
  get("shown").textContent = isFiltered() ? `${number(found.opinions)} of ${counted(whole, "opinion")}, ${counted(found.reviews, "review")}`
    : `${counted(whole, "opinion")}, ${counted(found.reviews, "review")}`;
  get("reset").hidden = !isFiltered();
  showQuotes();
}
for (const name of ["first", "second"].filter(get)) {
  get(name).append(...figures.groups.map((group, k) => make("option", { value: k }, group.name)));
  get(name).selectedIndex = name === "first" ? 0 : 1;
}
let waiting = 0;
for (const name of fields) {
  get(name).dataset.usual = get(name).value;
  get(name).addEventListener("input", () => {
    if (name === "first" || name === "second") { compare(); remember(); return; }
    // while somebody types, one search a moment is enough
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (name === "search") showQuotes(); else show(); remember(); }, name === "search" ? 120 : 0);
  });
}
if (get("compare")) get("compare").hidden = false;
for (const graph of all(".graph")) {
  for (const node of all(".node", graph)) {
    node.addEventListener("pointerenter", () => point(graph, node));
    node.addEventListener("pointerleave", () => point(graph, null));
  }
}
document.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-drill]");
  if (!chosen || !isLoaded) return;
  event.preventDefault();
  openNumber(chosen.dataset.drill);
});
document.addEventListener("keydown", (event) => {
  const chosen = event.target.closest?.("g[data-drill]");
  if (chosen && isLoaded && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); openNumber(chosen.dataset.drill); }
});
get("reset").addEventListener("click", () => {
  for (const name of FILTERS) get(name).value = get(name).dataset.usual;
  show(); remember();
});
get("close").addEventListener("click", () => { drill = null; showQuotes(); remember(); get("search").focus(); });
get("more-found").addEventListener("click", showMore);
get("save-xlsx").addEventListener("click", saveWorkbook);
get("save-csv").addEventListener("click", () => save("opinions.csv", asCsv([OPINION_HEAD, ...chosenRows()]), "text/csv"));
get("print").addEventListener("click", () => window.print());
addEventListener("hashchange", recall);
if (get("first")) compare();
async function begin() {
  if (!page.opinions || typeof DecompressionStream === "undefined") return;
  get("loading").hidden = false;
  await loadBlocks((share) => { get("loading").textContent = `Loading the quotes: ${percent(share)}`; });
  isLoaded = true;
  get("loading").hidden = true;
  for (const name of ["filter", "finder", "files"]) get(name).hidden = false;
  if (get("sorting")) get("sorting").hidden = false;
  document.body.classList.add("live");
  show();
  recall();
}
begin();
