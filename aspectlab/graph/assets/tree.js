"use strict";
const get = (name) => document.getElementById(name);
const graph = JSON.parse(get("graph").textContent);
const KINDS = ["positive", "negative", "neutral"], SIGNS = ["+", "−", "○"];
const CORNERS = { positive: 11, negative: 0, neutral: 5 };
const HEIGHT = 22, ROW = 26, GUTTER = 40, STEP = 50;
const view = get("view"), detail = get("detail");
const fields = ["search", "entity", "topic", "polarity"].filter(get);
let zoom = 1, all = false, limits = new Map(), folded = new Set(), nodes = [], current = "";

/* which aspects and opinions are shown */
const plain = (text) => text.normalize("NFKC").toLowerCase();
const value = (name) => (get(name) ? get(name).value : "");
function keep(aspect, words) {
  const topic = value("topic"), kind = value("polarity");
  if (topic !== "" && !aspect.topics.some(([place]) => place === Number(topic))) return [];
  const missing = words.filter((word) => !plain(aspect.name).includes(word));
  return aspect.opinions.filter(([text, sign]) => (kind === "" || KINDS[sign] === kind)
    && missing.every((word) => plain(text).includes(word)));
}
function build() {
  const words = plain(value("search")).split(/\s+/).filter(Boolean), topic = value("topic");
  const isActive = words.length > 0 || topic !== "" || value("polarity") !== "";
  const roots = [];
  let aspects = 0, opinions = 0;
  graph.entities.forEach((entity, number) => {
    const isChosen = value("entity") === "" || Number(value("entity")) === number;
    const root = make("entity", entity.name, null, `e${number}`, entity.counts);
    const topics = new Map();
    entity.aspects.forEach((aspect, place) => {
      const said = isChosen ? keep(aspect, words) : [];
      get(`row-${number}-${place}`).hidden = said.length === 0;
      if (said.length === 0) return;
      aspects += 1; opinions += said.length;
      const under = topic === "" ? aspect.topics[0][0] : Number(topic);
      if (!topics.has(under)) topics.set(under, []);
      topics.get(under).push({ aspect, said, key: `${number}-${place}` });
    });
    for (const [under, found] of [...topics].sort((a, b) => a[0] - b[0])) {
      const name = graph.topics[under];
      const counts = entity.topics[under];
      const above = name === "" ? root : make("topic", name, root, `e${number}t${under}`, counts);
      cut(found, above, all ? 1000 : isActive ? 30 : 5, "aspects", (each) => hang(each, above, isActive));
    }
    if (root.children.length > 0) roots.push(root);
  });
  const count = (number, noun) => `${write(number)} ${noun}${number === 1 ? "" : "s"}`;
  get("shown").textContent = `${count(aspects, "aspect")}, ${count(opinions, "opinion")}`;
  return roots;
}
function hang({ aspect, said, key }, above, isActive) {
  const node = make("aspect", aspect.name, above, `a${key}`, aspect.counts);
  node.topics = aspect.topics;
  cut(said, node, all ? 100 : isActive ? 8 : 3, "opinions", ([text, sign, count]) => {
    const leaf = make(KINDS[sign], text, node, `${node.key}/${KINDS[sign]}/${text}`, null);
    leaf.count = count;
  });
}
function cut(items, above, usual, what, hangOne) {
  /* one more takes no more room than to say so */
  const wanted = limits.get(above.key) ?? usual, most = items.length === wanted + 1 ? wanted + 1 : wanted;
  items.slice(0, most).forEach(hangOne);
  if (items.length > most) {
    const more = make("more", `${items.length - most} more ${what}`, above, `${above.key}+`, null);
    more.unfold = () => limits.set(above.key, most + STEP);
  }
}
function make(kind, name, above, key, counts) {
  const node = { kind, name, above, key, counts, children: [], depth: above ? above.depth + 1 : 0 };
  if (above) above.children.push(node);
  return node;
}

/* where the nodes stand: a tree from left to right, or on a narrow screen one below another */
const pen = document.createElement("canvas").getContext("2d");
function measure(text, weight) {
  pen.font = `${weight || 400} 13px system-ui, sans-serif`;
  return pen.measureText(text).width;
}
function shorten(text, width, weight) {
  if (measure(text, weight) <= width) return text;
  const letters = Array.from(text).slice(0, 200);
  while (letters.length > 1 && measure(letters.join("") + "…", weight) > width) letters.pop();
  return letters.join("").trimEnd() + "…";
}
const write = (number) => number.toLocaleString("en");
const say = ([good, bad, other]) => `+${write(good)} −${write(bad)}` + (other ? ` ○${write(other)}` : "");
const LEVELS = { entity: 0, topic: 1, aspect: 2 };
const isOpinion = (node) => KINDS.includes(node.kind);
function level(node) {
  if (node.kind === "more") return node.above.kind === "aspect" ? 3 : 2;
  return LEVELS[node.kind] ?? 3;
}
function size(node, most) {
  const weight = node.kind === "aspect" || node.kind === "entity" ? 600 : 400;
  node.note = node.counts ? say(node.counts) : node.count > 1 ? `×${node.count}` : "";
  const around = 18 + (node.note ? measure(node.note) + 12 : 0) + (isOpinion(node) ? 16 : 0);
  node.label = shorten(node.name.replace(/\s+/g, " "), most - around, weight);
  node.width = measure(node.label, weight) + around;
}
function place(roots) {
  const isNarrow = view.clientWidth < 640;
  nodes = [];
  const walk = (node) => { nodes.push(node); if (!folded.has(node.key)) node.children.forEach(walk); };
  roots.forEach(walk);
  let y = 24, right = 0;
  if (isNarrow) {
    for (const node of nodes) {
      node.x = 10 + 16 * level(node); node.y = y; y += ROW;
      size(node, Math.max(120, view.clientWidth - node.x - 24));
      right = Math.max(right, node.x + node.width);
    }
    return { width: right + 16, height: y + 10, isNarrow };
  }
  const widths = [], lefts = [16], most = [220, 260, 280];
  for (let k = 0; k < 4; k += 1) {
    const column = nodes.filter((node) => level(node) === k);
    column.forEach((node) => size(node, most[k] ?? Math.max(240, view.clientWidth - lefts[3] - 24)));
    widths.push(Math.max(0, ...column.map((node) => (node.kind === "more" ? 0 : node.width))));
    lefts.push(lefts[k] + widths[k] + (widths[k] ? GUTTER : 0));
  }
  const settle = (node) => {
    const inside = folded.has(node.key) ? [] : node.children;
    node.x = lefts[level(node)];
    if (node.kind !== "more" && level(node) < 3) node.width = widths[level(node)];
    right = Math.max(right, node.x + node.width);
    inside.forEach(settle);
    /* an aspect stands in the middle of its opinions; a topic where it begins, to be seen at once */
    if (inside.length === 0) { node.y = y; y += ROW; }
    else node.y = node.kind === "aspect" ? (inside[0].y + inside.at(-1).y) / 2 : inside[0].y;
    if (node.kind === "aspect") y += 6;
  };
  for (const root of roots) { settle(root); y += 20; }
  return { width: right + 16, height: y, isNarrow };
}

/* draw them */
function shape(tag, attributes, text) {
  const node = document.createElementNS(get("picture").namespaceURI, tag);
  for (const [name, given] of Object.entries(attributes)) node.setAttribute(name, given);
  if (text !== undefined) node.textContent = text;
  return node;
}
function drawLink(node, isNarrow) {
  const from = node.above, kind = isOpinion(node) ? ` ${node.kind}` : "";
  const x1 = isNarrow ? from.x + 8 : from.x + from.width, y1 = from.y + (isNarrow ? HEIGHT / 2 : 0);
  const middle = (x1 + node.x) / 2;
  const d = isNarrow ? `M${x1} ${y1}V${node.y}H${node.x}`
    : `M${x1} ${y1}C${middle} ${y1} ${middle} ${node.y} ${node.x} ${node.y}`;
  const thick = Math.min(4, 1 + 0.3 * (node.count || 1));
  return shape("path", { class: `link${kind}`, d, "stroke-width": thick });
}
function drawNode(node) {
  const y = node.y + 4.5, sign = isOpinion(node) ? SIGNS[KINDS.indexOf(node.kind)] : null;
  const group = shape("g", { class: `node ${node.kind}`, role: "treeitem", tabindex: -1,
    "aria-level": node.depth + 1, "aria-label": describe(node) });
  if (node.children.length > 0) group.setAttribute("aria-expanded", !folded.has(node.key));
  if (node.kind === "more") {
    group.append(shape("text", { class: "more-text", x: node.x + 9, y }, node.label));
  } else {
    group.append(shape("rect", { class: "box", x: node.x, y: node.y - HEIGHT / 2, width: node.width,
      height: HEIGHT, rx: CORNERS[node.kind] ?? 4 }));
    if (sign) group.append(shape("text", { class: "sign", x: node.x + 9, y }, sign));
    group.append(shape("text", { class: "name", x: node.x + (sign ? 25 : 9), y }, node.label));
    const end = { class: "quiet end", x: node.x + node.width - 9, y };
    if (node.note) group.append(shape("text", end, node.note));
  }
  group.addEventListener("pointerenter", () => point(node));
  group.addEventListener("pointerleave", () => point(null));
  group.addEventListener("focus", () => { current = node.key; point(node); });
  group.addEventListener("click", () => { if (!hasMoved) { current = node.key; act(node); } });
  node.group = group;
  return group;
}
function draw(isFocused) {
  const roots = build(), picture = get("picture"), { width, height, isNarrow } = place(roots);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", width * zoom);
  picture.setAttribute("height", height * zoom);
  picture.classList.remove("chosen");
  for (const node of nodes) node.line = node.above ? drawLink(node, isNarrow) : null;
  picture.replaceChildren(...nodes.map((node) => node.line).filter(Boolean), ...nodes.map(drawNode));
  const chosen = nodes.find((node) => node.key === current) ?? nodes[0];
  if (chosen) chosen.group.setAttribute("tabindex", 0);
  if (chosen && isFocused) chosen.group.focus();
  get("none").hidden = nodes.length > 0;
}
