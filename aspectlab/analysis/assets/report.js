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
get("levels")?.addEventListener("input", () => { if (isLoaded) show(); });
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
