"use strict";
// Text of users and of the service goes into the page by textContent only: nothing of it is ever read as HTML.
const SIGNS = { positive: "+", negative: "−", neutral: "○" };
const EXAMPLE =
  "The soup was lovely, but the waiter was curt. We will come back for the view!\n\n" +
  "Battery life is great 🙂 and the screen is sharp. The fan is loud, though, and the price is too high.";
const RETRIES = 3;
const find = (id) => document.getElementById(id);
// behind the # of the address, which a browser sends to nobody; it shall not stay in the history either
let token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
let again = null;
let address = null;

function make(name, text, classes = []) {
  const element = document.createElement(name);
  element.textContent = text;
  element.classList.add(...classes);
  return element;
}

function say(text, isProblem = false) {
  find("state").textContent = text;
  find("state").classList.toggle("problem", isProblem);
}

// The service counts characters (code points), JavaScript counts halves of pairs: an emoji is one there, two here.
function markText(text, opinions) {
  const points = Array.from(text);
  const spans = [];
  for (const found of opinions) {
    for (const role of ["aspect", "opinion"]) {
      const phrase = found[role];
      if (phrase && phrase.start !== null) {
        spans.push({ start: phrase.start, end: phrase.end, role, polarity: found.polarity ?? "neutral" });
      }
    }
  }
  const cuts = [...new Set([0, points.length, ...spans.flatMap((span) => [span.start, span.end])])];
  cuts.sort((a, b) => a - b);
  const paragraph = make("p", "", ["text"]);
  paragraph.dir = "auto";
  for (let i = 0; i + 1 < cuts.length; i++) {
    const piece = points.slice(cuts[i], cuts[i + 1]).join("");
    const inside = spans.filter((span) => span.start <= cuts[i] && span.end >= cuts[i + 1]);
    paragraph.append(inside.length ? markPiece(piece, inside) : piece);
  }
  return paragraph;
}

function markPiece(piece, spans) {
  const polarities = [...new Set(spans.map((span) => span.polarity))];
  const roles = [...new Set(spans.map((span) => span.role))];
  // a word that is praised and blamed takes neither colour
  const mark = make("mark", piece, [...roles, polarities.length === 1 ? polarities[0] : "neutral"]);
  mark.title = `${roles.join(" and ")}, ${polarities.join(" and ")}`;
  return mark;
}

// nothing is quite certain, and a model need not say
function saySure(probability) {
  if (probability === null) return "–";
  return probability < 0.995 ? `${Math.round(100 * probability)} %` : "> 99 %";
}

// an aspect that is not named is shown as what is meant: "FOOD#QUALITY" reads "food: quality"
function makeAspect(found) {
  if (found.aspect) return make("td", found.aspect.text);
  const meant = (found.category ?? "").replaceAll("_", " ").replaceAll("#", ": ").toLowerCase();
  const cell = make("td", meant ? `${meant} ` : "");
  cell.append(make("span", "not named", ["chip"]));
  return cell;
}

function makeTable(opinions) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of ["aspect", "opinion", "polarity", "sure"]) {
    const cell = make("th", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const found of opinions) {
    const row = body.insertRow();
    const polarity = found.polarity ?? "unknown";
    row.append(makeAspect(found));
    row.append(found.opinion ? make("td", found.opinion.text) : make("td", "told by the sentence", ["hint"]));
    row.append(make("td", `${SIGNS[polarity] ?? "?"} ${polarity}`, ["polarity", polarity]));
    row.append(make("td", saySure(found.probability)));
  }
  return table;
}

function showLegend(results) {
  const legend = make("p", "", ["legend"]);
  legend.append(make("mark", "aspect", ["aspect"]), make("mark", "opinion", ["opinion"]));
  for (const [polarity, sign] of Object.entries(SIGNS)) {
    legend.append(make("mark", `${sign} ${polarity}`, [polarity]));
  }
  results.append(legend);
}

function showResults(texts, answer) {
  const results = find("results");
  results.replaceChildren();
  showLegend(results);
  let count = 0;
  answer.results.forEach((result, i) => {
    const opinions = result.sentences.flatMap((sentence) => sentence.opinions);
    const article = document.createElement("article");
    article.append(markText(texts[i], opinions));
    article.append(opinions.length ? makeTable(opinions) : make("p", "No opinion found.", ["hint"]));
    results.append(article);
    count += opinions.length;
  });
  find("page").hidden = true;
  results.hidden = false;
  results.focus({ preventScroll: true });
  results.scrollIntoView({ block: "nearest" });
  const reviews = texts.length === 1 ? "1 review" : `${texts.length} reviews`;
  say(`${count === 1 ? "1 opinion" : `${count} opinions`} in ${reviews}`);
}

function showReport(html) {
  if (address) URL.revokeObjectURL(address);
  address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  find("save").href = address;
  // the frame has no origin: its script cannot reach this page or the service
  find("frame").srcdoc = html;
  find("results").hidden = true;
  find("page").hidden = false;
  find("page").focus({ preventScroll: true });
  find("page").scrollIntoView({ block: "start" });
  say("The report is below.");
}

const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

// A busy service says when to come back; whoever waits should not have to click again.
async function ask(path, options, tries = RETRIES) {
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, method: "POST", headers });
  } catch {
    throw new Error("The service does not answer. Is it still running?");
  }
  if (response.ok) return response;
  if (response.status === 429 && tries > 0) {
    say("The service is busy; waiting for a free place …");
    await wait(Math.min(Number(response.headers.get("Retry-After")) || 2, 30));
    return ask(path, options, tries - 1);
  }
  if (response.status === 401) find("access").hidden = false;
  const body = await response.json().catch(() => null);
  throw new Error(body ? `${body.error.message}: ${body.error.remedy}` : `The service answered ${response.status}.`);
}

// One piece of work at a time; buttons stay in place for those who move by keyboard.
async function work(message, task) {
  if (find("analyse").getAttribute("aria-disabled") === "true") return;
  const buttons = [find("analyse"), find("report")];
  buttons.forEach((button) => button.setAttribute("aria-disabled", "true"));
  say(message);
  again = task;
  try {
    await task();
  } catch (error) {
    say(error.message, true);
    if (!find("access").hidden) find("token").focus();
  } finally {
    buttons.forEach((button) => button.removeAttribute("aria-disabled"));
  }
}

function analyse() {
  const pasted = find("texts").value;
  const texts = (pasted.toWellFormed?.() ?? pasted).split(/\n[ \t]*\n\s*/).filter((text) => text.trim());
  if (!texts.length) {
    say("Type or paste a review first.", true);
    find("texts").focus();
    return;
  }
  work("Analysing …", async () => {
    const headers = { "Content-Type": "application/json" };
    const response = await ask("/v1/analyze", { headers, body: JSON.stringify({ texts }) });
    showResults(texts, await response.json());
  });
}

function report() {
  const file = find("file").files[0];
  if (!file) {
    say("Choose a file first.", true);
    find("file").focus();
    return;
  }
  work(`Analysing ${file.name} …`, async () => {
    const headers = { "Content-Type": "application/octet-stream" };
    const response = await ask(`/v1/report?name=${encodeURIComponent(file.name)}`, { headers, body: file });
    showReport(await response.text());
  });
}

function listen(id, event, action) {
  find(id).addEventListener(event, (happened) => {
    happened.preventDefault();
    action();
  });
}

listen("ask", "submit", analyse);
listen("upload", "submit", report);
listen("access", "submit", () => {
  token = find("token").value;
  find("access").hidden = true;
  if (again) work("Trying again …", again);
});
find("texts").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) analyse();
});
find("example").addEventListener("click", () => {
  find("texts").value = EXAMPLE;
  analyse();
});
if (token) history.replaceState(null, "", location.pathname);
