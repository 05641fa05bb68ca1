"use strict";
const given = JSON.parse(document.getElementById("audit").textContent);
const PARTS = ["aspect", "opinion", "category", "polarity"];
const state = load();

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(given.key) || "null");
    if (Array.isArray(kept) && kept.length === given.sentences.length) return kept;
  } catch { /* a page opened as a file may have no storage */ }
  return given.sentences.map((sentence) => ({ found: sentence.found.map(() => ({})), missed: null }));
}

function keep() {
  try { localStorage.setItem(given.key, JSON.stringify(state)); } catch { /* the download is what counts */ }
}

function make(tag, text, attributes) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

function choice(group, value, label, chosen, change) {
  const holder = make("label");
  const input = make("input", "", { type: "radio", name: group, value });
  input.checked = chosen;
  input.addEventListener("change", change);
  holder.append(input, label);
  return holder;
}

function field(name, row, found, change) {
  const holder = make("label", `right ${name === "opinion" ? "opinion words" : name}`);
  const choices = { category: given.categories, polarity: given.polarities }[name];
  const input = make(choices ? "select" : "input", "", choices ? {} : { type: "text" });
  if (choices) {
    input.append(make("option", found ? `as it is: ${found[name]}` : "choose", { value: "" }));
    choices.forEach((each) => input.append(make("option", each, { value: each })));
  } else {
    input.placeholder = found ? found[name] || "not named" : "- if not named";
  }
  input.value = row[name] || "";
  input.addEventListener("input", () => { row[name] = input.value; change(); });
  holder.append(input);
  return holder;
}

function describe(found) {
  const legend = make("legend");
  legend.append(make("b", found.aspect || "not named"), ` — ${found.opinion || "not named"} `,
    make("small", `${found.category}, ${found.polarity}`));
  return legend;
}

function opinion(row, found, group, change) {
  const box = make("fieldset");
  const parts = make("div", "", { class: "parts" });
  PARTS.forEach((name) => parts.append(field(name, row, found, change)));
  parts.hidden = row.verdict !== "changed";
  box.append(describe(found));
  [["right", "right"], ["wrong", "no such opinion"], ["changed", "something is wrong"]].forEach(([value, label]) =>
    box.append(choice(group, value, label, row.verdict === value, () => {
      row.verdict = value;
      parts.hidden = value !== "changed";
      change();
    })));
  box.append(parts);
  return box;
}

function missing(record, group, change) {
  const box = make("fieldset");
  const list = make("div");
  const more = make("button", "One more", { type: "button" });
  box.append(make("legend", "Was an opinion missed?"));
  const show = () => {
    list.replaceChildren(...(record.missed || []).map((row) => {
      const parts = make("div", "", { class: "parts" });
      PARTS.forEach((name) => parts.append(field(name, row, null, change)));
      return parts;
    }));
    more.hidden = !(record.missed || []).length;
  };
  more.addEventListener("click", () => { record.missed.push({}); show(); change(); });
  box.append(
    choice(group, "none", "nothing was missed", Array.isArray(record.missed) && !record.missed.length,
      () => { record.missed = []; show(); change(); }),
    choice(group, "missed", "yes", Array.isArray(record.missed) && record.missed.length > 0,
      () => { record.missed = [{}]; show(); change(); }),
    list, more);
  show();
  return box;
}

function isDone(record) {
  return record.found.every((row) => row.verdict) && Array.isArray(record.missed)
    && record.missed.every((row) => row.category && row.polarity);
}

function quote(cell) {
  const text = String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function table() {
  const lines = [given.columns];
  given.sentences.forEach((sentence, index) => {
    const record = state[index];
    sentence.rows.forEach((cells, at) => {
      if (at < sentence.found.length) {
        const row = record.found[at];
        const changed = row.verdict === "changed";
        lines.push([...cells, row.verdict || "", ...PARTS.map((name) => (changed && row[name]) || "")]);
        return;
      }
      const missed = record.missed || [];
      if (!missed.length) lines.push([...cells, record.missed ? "none" : "", "", "", "", ""]);
      missed.forEach((row) => lines.push([...cells, row.category && row.polarity ? "missed" : "",
        row.aspect || "-", row.opinion || "-", row.category || "", row.polarity || ""]));
    });
  });
  return `\ufeff${lines.map((cells) => cells.map(quote).join(",")).join("\r\n")}\r\n`;
}

const place = document.getElementById("sentences");
const progress = document.querySelector("progress");
const told = document.getElementById("told");
progress.max = given.sentences.length;

function update(card, record) {
  if (card) card.classList.toggle("done", isDone(record));
  const done = state.filter(isDone).length;
  progress.value = done;
  told.textContent = `${done} of ${given.sentences.length} judged`;
  keep();
}

given.sentences.forEach((sentence, index) => {
  const record = state[index];
  const card = make("article");
  const change = () => update(card, record);
  card.append(make("p", sentence.text, { dir: "auto" }));
  sentence.found.forEach((found, at) =>
    card.append(opinion(record.found[at], found, `s${index}-${at}`, change)));
  card.append(missing(record, `s${index}-m`, change));
  place.append(card);
  update(card, record);
});

document.getElementById("save").addEventListener("click", () => {
  const link = make("a", "", { download: "audit.csv" });
  link.href = URL.createObjectURL(new Blob([table()], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
