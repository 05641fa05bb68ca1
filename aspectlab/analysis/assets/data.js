"use strict";
/* The data of the page: blocks of reviews as columns, packed; what is selected, counted, and found in them. */
const page = JSON.parse(document.getElementById("page").textContent);
const KINDS = ["positive", "neutral", "negative"];
const NONE = 0xffff;
const blocks = [];
const indexOf = (names) => new Map(names.map((name, k) => [name, k]));
const places = {
  group: indexOf(page.groups), rating: indexOf(page.ratings), period: indexOf(page.numbers),
};

/* unpack */
function decode64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return bytes;
}
async function unpack(text) {
  const stream = new Blob([decode64(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}
function plain(text) {
  const low = text.toLowerCase();
  const same = low.length === text.length ? low
    : text.replace(/[^\x00-\x7f]/g, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c));
  return same.includes("’") ? same.replaceAll("’", "'") : same;
}
function sums(lengths) {
  const ends = new Uint32Array(lengths.length + 1);
  for (let k = 0; k < lengths.length; k += 1) ends[k + 1] = ends[k] + lengths[k];
  return ends;
}
function owners(ends) {
  const found = new Uint32Array(ends[ends.length - 1]);
  for (let k = 0; k + 1 < ends.length; k += 1) found.fill(k, ends[k], ends[k + 1]);
  return found;
}
function periodOf(date) {
  const found = /^(?!0000)(\d{4})-(0[1-9]|1[0-2])(?!\d)/.exec(date);
  const month = found ? Number(found[1]) * 12 + Number(found[2]) - 1 : -1;
  return found ? places.period.get(Math.floor(month / page.size)) ?? -1 : -1;
}
function asRating(text) {
  const found = /[0-9]+(?:[.,][0-9]+)?/.exec(text);
  if (found) return Number(found[0].replace(",", "."));
  return /[★⭐*☆]/u.test(text) ? [...text].filter((c) => "★⭐*".includes(c)).length : NaN;
}
function read(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const block = { ...head };
  let at = 4 + size;
  for (const [name, count] of Object.entries(head.counts)) {
    // a copy each: a view must begin at an even offset, and would keep all of the buffer
    const bytes = buffer.slice(at, at + 2 * count);
    block[name] = new Uint16Array(bytes);
    at += 2 * count;
  }
  block.names = head.named;
  block.text = new TextDecoder().decode(new Uint8Array(buffer, at));
  block.plain = plain(block.text);
  block.starts = sums(block.length);
  block.firsts = sums(block.sentences);
  block.heads = sums(block.opinions);
  block.reviewOf = owners(block.firsts);
  block.sentenceOf = owners(block.heads);
  block.groupOf = Int16Array.from(head.group, (name) => places.group.get(name) ?? -1);
  block.ratingOf = Int16Array.from(head.rating, (name) => places.rating.get(name) ?? -1);
  block.stars = Float64Array.from(head.rating, asRating);
  block.periodOf = Int16Array.from(head.date, periodOf);
  return block;
}
async function loadBlocks(tell) {
  const packed = [...document.querySelectorAll("script.block")];
  for (const [k, element] of packed.entries()) {
    blocks.push(read(await unpack(element.textContent)));
    element.remove();
    if (k % 8 === 7) { tell((k + 1) / packed.length); await new Promise((done) => setTimeout(done)); }
  }
}

/* select and count: `wanted` has numbers of category, polarity, group, rating, and periods from and to */
const isOpen = (value) => value === undefined || value === null;
function chooser(wanted) {
  const { group, rating, from, to } = wanted;
  const isFree = [group, rating, from, to].every(isOpen);
  return (block, r) => isFree || ((isOpen(group) || block.groupOf[r] === group)
    && (isOpen(rating) || block.ratingOf[r] === rating)
    && (isOpen(from) || block.periodOf[r] >= from)
    && (isOpen(to) || (block.periodOf[r] !== -1 && block.periodOf[r] <= to)));
}
function judge(wanted) {
  const least = wanted.sure ? 1 + Math.round(1e4 * wanted.sure) : 0;
  const { category, polarity, word, parent } = wanted;
  const isWord = isOpen(word) ? () => true : (block, o) => wording(block, o).trim().split(/\s+/).join(" ") === word;
  return (block, o) => (isOpen(category) || block.category[o] === category)
    && (isOpen(parent) || page.categories[block.category[o]].parent === parent)
    && (isOpen(polarity) || block.polarity[o] === polarity)
    && (block.probability[o] === 0 || block.probability[o] >= least) && isWord(block, o);
}
function count(wanted) {
  const [C, G, P, R] = [page.categories.length, page.groups.length, page.numbers.length, page.ratings.length];
  const made = (size) => new Int32Array(3 * size);
  const found = { reviews: 0, speaking: 0, sentences: 0, opinions: 0, all: made(1), category: made(C),
    group: made(G), rating: made(R), period: made(P), categoryGroup: made(C * G), categoryPeriod: made(C * P),
    rated: 0, ratingSum: 0, groupReviews: new Int32Array(G), ratingReviews: new Int32Array(R) };
  const [takes, fits] = [chooser(wanted), judge(wanted)];
  for (const block of blocks) {
    const { groupOf, ratingOf, periodOf: periods, firsts, heads } = block;
    for (let r = 0; r < block.ids.length; r += 1) {
      if (!takes(block, r)) continue;
      const [g, q, p] = [groupOf[r], ratingOf[r], periods[r]];
      found.reviews += 1;
      found.sentences += firsts[r + 1] - firsts[r];
      const stars = block.stars[r];
      if (stars === stars) { found.rated += 1; found.ratingSum += stars; }
      if (g !== -1) found.groupReviews[g] += 1;
      if (q !== -1) found.ratingReviews[q] += 1;
      const before = found.opinions;
      for (let o = heads[firsts[r]]; o < heads[firsts[r + 1]]; o += 1) {
        if (!fits(block, o)) continue;
        const c = block.category[o], kind = block.polarity[o];
        found.opinions += 1;
        found.all[kind] += 1;
        found.category[3 * c + kind] += 1;
        if (g !== -1) { found.group[3 * g + kind] += 1; found.categoryGroup[3 * (c * G + g) + kind] += 1; }
        if (q !== -1) found.rating[3 * q + kind] += 1;
        if (p !== -1) { found.period[3 * p + kind] += 1; found.categoryPeriod[3 * (c * P + p) + kind] += 1; }
      }
      if (found.opinions > before) found.speaking += 1;
    }
  }
  return found;
}

/* find sentences: all that hold a wanted opinion or, where only words are wanted, all that hold the words */
function* withWords(block, words) {
  if (!words.length) { for (let s = 0; s < block.length.length; s += 1) yield s; return; }
  const [first, ...rest] = [...words].sort((a, b) => b.length - a.length);
  const { plain: text, starts } = block;
  let s = 0;
  for (let at = text.indexOf(first); at !== -1;) {
    while (starts[s + 1] <= at) s += 1;
    if (at + first.length <= starts[s + 1]) {
      const sentence = rest.length ? text.slice(starts[s], starts[s + 1]) : "";
      if (rest.every((word) => sentence.includes(word))) yield s;
      at = text.indexOf(first, starts[s + 1]);
    } else {
      at = text.indexOf(first, at + 1);
    }
  }
}
function findSentences(wanted, search) {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const [takes, fits] = [chooser(wanted), judge(wanted)];
  // without a word, a sentence is there for its opinions
  const needsOpinion = !words.length || ["category", "polarity", "word", "parent"].some((name) => !isOpen(wanted[name])) || wanted.sure > 0;
  const found = { block: [], sentence: [], opinions: 0, reviews: 0 };
  for (const [b, block] of blocks.entries()) {
    let last = -1;
    for (const s of withWords(block, words)) {
      if (needsOpinion && block.heads[s] === block.heads[s + 1]) continue;
      const r = block.reviewOf[s];
      if (!takes(block, r)) continue;
      let opinions = 0;
      for (let o = block.heads[s]; o < block.heads[s + 1]; o += 1) opinions += fits(block, o) ? 1 : 0;
      if (needsOpinion && !opinions) continue;
      found.block.push(b);
      found.sentence.push(s);
      found.opinions += opinions;
      if (r !== last) { found.reviews += 1; last = r; }
    }
  }
  return found;
}

/* the first ones shown cover groups, polarities and wordings; the others follow in the order of the file */
const SHOWN_FIRST = 30, CANDIDATES = 3000;
function wording(block, o) {
  const start = block.opinion[o], from = block.starts[block.sentenceOf[o]] + start;
  return start === NONE ? "" : block.plain.slice(from, from + block.opinion_length[o]);
}
function orderFound(found, wanted) {
  const fits = judge(wanted), buckets = new Map(), total = found.sentence.length;
  const step = Math.max(1, Math.floor(total / CANDIDATES));
  for (let k = 0; k < total; k += step) {
    const block = blocks[found.block[k]], s = found.sentence[k];
    let o = block.heads[s];
    while (o < block.heads[s + 1] && !fits(block, o)) o += 1;
    const has = o < block.heads[s + 1];
    const key = `${block.groupOf[block.reviewOf[s]]} ${has ? block.polarity[o] + wording(block, o) : ""}`;
    if (!buckets.has(key)) buckets.set(key, []);
    buckets.get(key).push(k);
  }
  const ranked = [...buckets.values()].sort((a, b) => b.length - a.length || a[0] - b[0]);
  const first = [], reviews = new Set();
  for (let turn = 0; first.length < SHOWN_FIRST && ranked.some((bucket) => bucket.length > turn); turn += 1) {
    for (const bucket of ranked) {
      const k = bucket[turn];
      if (k === undefined || first.length >= SHOWN_FIRST) continue;
      const review = `${found.block[k]} ${blocks[found.block[k]].reviewOf[found.sentence[k]]}`;
      if (turn < 2 && reviews.has(review)) continue;
      reviews.add(review);
      first.push(k);
    }
  }
  const chosen = new Set(first);
  return { first, chosen };
}
