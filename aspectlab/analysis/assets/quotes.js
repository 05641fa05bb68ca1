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
  parts.push(more.has("word") ? `“${more.get("word")}”` : null, more.get("parent"));
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
