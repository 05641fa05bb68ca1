/* Files made in the page: tables as CSV and XLSX, pictures as SVG and PNG. Nothing leaves the machine. */
const FORMULA = /(^|[;\n\r])(\s*)(?=[=+\-@\t\r＝＋－＠])/g;
const isNumber = (cell) => typeof cell === "number";
function save(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
function asCsv(rows) {
  const cell = (value) => {
    if (isNumber(value)) return String(value);
    const text = String(value).replace(FORMULA, "$1$2'");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  // spreadsheets take a file for UTF-8 only if it begins with this mark
  return ["\ufeff", ...rows.map((row) => `${row.map(cell).join(",")}\r\n`)];
}

/* a workbook: XML files in a ZIP archive; the address is a mere name, and nothing is asked for there */
const OFFICE = "http" + "://schemas.openxmlformats.org/";
const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = CRC[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
const xml = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
  // what XML cannot hold
  .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").slice(0, 32_000);
function column(k) {
  return k < 26 ? String.fromCharCode(65 + k) : column(Math.floor(k / 26) - 1) + column(k % 26);
}
function asSheet(rows) {
  const cell = (value, r, c) => (isNumber(value) ? `<c r="${column(c)}${r}"><v>${value}</v></c>`
    : `<c r="${column(c)}${r}" t="inlineStr"><is><t xml:space="preserve">${xml(value)}</t></is></c>`);
  const body = rows.map((row, r) => `<row r="${r + 1}">${row.map((v, c) => cell(v, r + 1, c)).join("")}</row>`);
  return ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    `<worksheet xmlns="${OFFICE}spreadsheetml/2006/main"><sheetData>`, ...body,
    "</sheetData></worksheet>"];
}
function workbookFiles(sheets) {
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  const kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const link = `${OFFICE}officeDocument/2006/relationships`;
  const numbers = sheets.map((_, k) => k + 1);
  return [
    ["[Content_Types].xml", [head, `<Types xmlns="${OFFICE}package/2006/content-types">`,
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
      `<Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/>`,
      ...numbers.map((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${kind}.worksheet+xml"/>`),
      "</Types>"]],
    ["_rels/.rels", [head, `<Relationships xmlns="${OFFICE}package/2006/relationships">`,
      `<Relationship Id="rId1" Type="${link}/officeDocument" Target="xl/workbook.xml"/></Relationships>`]],
    ["xl/workbook.xml", [head, `<workbook xmlns="${OFFICE}spreadsheetml/2006/main" xmlns:r="${link}"><sheets>`,
      ...sheets.map(([name], k) => `<sheet name="${xml(name)}" sheetId="${k + 1}" r:id="rId${k + 1}"/>`),
      "</sheets></workbook>"]],
    ["xl/_rels/workbook.xml.rels", [head, `<Relationships xmlns="${OFFICE}package/2006/relationships">`,
      ...numbers.map((n) => `<Relationship Id="rId${n}" Type="${link}/worksheet" Target="worksheets/sheet${n}.xml"/>`),
      "</Relationships>"]],
    ...sheets.map(([, rows], k) => [`xl/worksheets/sheet${k + 1}.xml`, asSheet(rows)]),
  ];
}
async function squeeze(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function asWorkbook(sheets) {
  const parts = [], directory = [];
  let at = 0;
  for (const [name, pieces] of workbookFiles(sheets)) {
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    const packed = await squeeze(bytes), label = new TextEncoder().encode(name);
    // version, flags, method, time, date (1 January 1980), checksum, sizes, length of the name, no extra field
    const fields = (view, o) => {
      [20, 0, 8, 0, 33].forEach((value, k) => view.setUint16(o + 2 * k, value, true));
      [crc32(bytes), packed.length, bytes.length].forEach((value, k) => view.setUint32(o + 10 + 4 * k, value, true));
      view.setUint16(o + 22, label.length, true);
    };
    const local = new DataView(new ArrayBuffer(30)), central = new DataView(new ArrayBuffer(46));
    local.setUint32(0, 0x04034b50, true);
    fields(local, 4);
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(4, 20, true);
    fields(central, 6);
    central.setUint32(42, at, true);
    parts.push(local.buffer, label, packed);
    directory.push(central.buffer, label);
    at += 30 + label.length + packed.length;
  }
  const end = new DataView(new ArrayBuffer(22)), size = directory.reduce((sum, part) => sum + part.byteLength, 0);
  end.setUint32(0, 0x06054b50, true);
  [8, 10].forEach((o) => end.setUint16(o, directory.length / 2, true));
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return [...parts, ...directory, end.buffer];
}

/* pictures: the styles that the page gives them go along */
const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight",
  "font-family", "text-anchor", "display"];
function asSvg(picture) {
  const copy = picture.cloneNode(true), box = picture.viewBox.baseVal;
  const originals = [picture, ...picture.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  copies.forEach((node, k) => {
    const style = getComputedStyle(originals[k]);
    for (const name of STYLED) node.setAttribute(name, style.getPropertyValue(name).replaceAll('"', "'"));
  });
  copy.setAttribute("display", "inline");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const ground = document.createElementNS(picture.namespaceURI, "rect");
  const shade = getComputedStyle(picture.closest("section")).backgroundColor;
  for (const [name, value] of Object.entries({ width: box.width, height: box.height, fill: shade })) {
    ground.setAttribute(name, value);
  }
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}
async function savePicture(picture, name, kind) {
  const text = asSvg(picture);
  if (kind === "svg") { save(`${name}.svg`, [text], "image/svg+xml"); return; }
  const image = new Image(), box = picture.viewBox.baseVal, canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  [canvas.width, canvas.height] = [2 * box.width, 2 * box.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(`${name}.png`, [blob], "image/png"), "image/png");
}

/* what is shown, as rows */
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
