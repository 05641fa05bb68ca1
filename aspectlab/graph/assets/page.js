
/* point at a node to see where it belongs, and all of its words */
function describe(node) {
  if (node.kind === "more") return `show ${node.name}`;
  if (isOpinion(node)) {
    const times = node.count === 1 ? "once" : `${node.count} times`;
    return `${node.kind}: ${node.name}; said ${times} of ${node.above.name}`;
  }
  const [good, bad, other] = node.counts, gap = good - bad, sign = gap > 0 ? "+" : gap < 0 ? "−" : "";
  const said = `${node.kind} ${node.name}: ${good} positive, ${bad} negative`;
  const rest = (other ? `, ${other} neutral` : "") + `; balance ${sign}${Math.abs(gap)}`;
  const topics = (node.topics ?? []).filter(([place]) => graph.topics[place] !== "")
    .map(([place, ...counts]) => `${graph.topics[place]} ${say(counts)}`);
  return said + rest + (topics.length > 1 ? `; in ${topics.join(", ")}` : "");
}
function point(node) {
  const near = new Set();
  const down = (each) => { near.add(each); each.children.forEach(down); };
  if (node) { down(node); for (let each = node.above; each; each = each.above) near.add(each); }
  get("picture").classList.toggle("chosen", node !== null);
  for (const each of nodes) {
    each.group.classList.toggle("near", near.has(each));
    if (each.line) each.line.classList.toggle("near", near.has(each) && near.has(each.above));
  }
  if (node) detail.textContent = describe(node);
}
function act(node) {
  if (node.kind === "more") {
    node.unfold();
    current = node.above.children.at(-2)?.key ?? node.above.key;
  } else if (node.children.length > 0) {
    if (!folded.delete(node.key)) folded.add(node.key);
  }
  draw(true);
}

/* keys, as in any tree; + − 0 zoom */
view.addEventListener("keydown", (event) => {
  const place = nodes.findIndex((node) => node.key === current), node = nodes[Math.max(place, 0)];
  const go = (other) => {
    if (!other) return;
    nodes.forEach((each) => each.group.setAttribute("tabindex", -1));
    other.group.setAttribute("tabindex", 0);
    other.group.focus();
  };
  const keys = {
    ArrowDown: () => go(nodes[place + 1]), ArrowUp: () => go(nodes[place - 1]), Home: () => go(nodes[0]),
    End: () => go(nodes.at(-1)), ArrowLeft: () => go(node.above),
    ArrowRight: () => (folded.has(node.key) ? act(node) : go(node.children[0])),
    Enter: () => act(node), " ": () => act(node),
    "+": () => scale(1.25), "=": () => scale(1.25), "-": () => scale(0.8), 0: () => scale(1 / zoom),
  };
  if (!node || !(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[event.key]();
});

/* zoom and move; the view keeps its middle */
function scale(factor) {
  const old = zoom, x = view.scrollLeft + view.clientWidth / 2, y = view.scrollTop + view.clientHeight / 2;
  zoom = Math.min(4, Math.max(0.1, zoom * factor));
  const [, , width, height] = get("picture").getAttribute("viewBox").split(" ").map(Number);
  get("picture").setAttribute("width", width * zoom);
  get("picture").setAttribute("height", height * zoom);
  view.scrollLeft = x * zoom / old - view.clientWidth / 2;
  view.scrollTop = y * zoom / old - view.clientHeight / 2;
}
function fit() {
  const [, , width, height] = get("picture").getAttribute("viewBox").split(" ").map(Number);
  scale(Math.min(view.clientWidth / width, view.clientHeight / height) / zoom);
}
let start = null, hasMoved = false;
view.addEventListener("pointerdown", (event) => {
  hasMoved = false;
  if (event.pointerType === "mouse" && event.button === 0) {
    start = { x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop };
  }
});
addEventListener("pointermove", (event) => {
  if (!start) return;
  const [x, y] = [start.x - event.clientX, start.y - event.clientY];
  if (Math.abs(x - view.scrollLeft) + Math.abs(y - view.scrollTop) > 4) hasMoved = true;
  view.classList.toggle("moving", hasMoved);
  view.scrollTo(x, y);
});
addEventListener("pointerup", () => { start = null; view.classList.remove("moving"); });
view.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  scale(event.deltaY < 0 ? 1.1 : 1 / 1.1);
}, { passive: false });

/* the address keeps what is chosen, so that it can be passed on */
function remember() {
  const state = new URLSearchParams();
  for (const name of fields) if (value(name) !== "") state.set(name, value(name));
  try { history.replaceState(null, "", "#" + state); } catch (refused) { /* within a frame */ }
}
function recall() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const name of fields) {
    get(name).value = state.get(name) ?? "";
    if (get(name).selectedIndex === -1) get(name).value = "";
  }
}
for (const name of fields) {
  get(name).addEventListener("input", () => { limits = new Map(); folded = new Set(); draw(); remember(); });
}
get("nearer").addEventListener("click", () => scale(1.25));
get("farther").addEventListener("click", () => scale(0.8));
get("fit").addEventListener("click", fit);
get("all").addEventListener("click", () => {
  all = !all; limits = new Map(); folded = new Set();
  get("all").setAttribute("aria-pressed", all);
  draw();
});
get("reset").addEventListener("click", () => {
  for (const name of fields) get(name).value = "";
  all = false; limits = new Map(); folded = new Set(); zoom = 1;
  get("all").setAttribute("aria-pressed", "false");
  draw(); remember(); view.scrollTo(0, 0);
});
addEventListener("hashchange", () => { recall(); draw(); });
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; draw(); } });
for (const name of ["tools", "view"]) get(name).hidden = false;
for (const wide of document.querySelectorAll(".wide")) {
  wide.scrollLeft = (wide.scrollWidth - wide.clientWidth) / 2;
}
recall();
draw();
