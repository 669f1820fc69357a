// SPDX-License-Identifier: MIT
//
// What there is to choose from, and how numbers are said.

// Lists of [value, text] for the panel, most samples first; one of a single choice is empty.
function choicesOf(profile) {
  const { samples, texts, threads } = profile;
  const list = (ids, name) => {
    const sums = new Map();
    ids.forEach((id, row) => sums.set(id, (sums.get(id) || 0) + samples.count[row] + samples.parts[row] / 1048576));
    return Array.from(sums).sort((a, b) => b[1] - a[1]).map(([id]) => name(id)).filter(([value]) => value !== "");
  };
  const events = list(samples.event, (event) => [String(event), profile.eventName(event)]);
  const word = (text) => [text, text];
  const several = (none, choices) => choices.length > 1 ? [none].concat(choices) : [];
  return {
    events: events.length > 1 ? events : [],
    bases: several(["0", "compare with \u2026"], events),
    threads: several(["", "all threads"], list(samples.thread, (id) => [String(id), texts.get(threads.thread[id])])),
    roles: several(["", "all roles"], list(samples.thread.map((id) => threads.role[id]), (id) => word(texts.get(id)))),
    buckets: several(["", "all buckets"], list(samples.bucket, (id) => word(texts.get(id) || "no bucket"))),
    hows: several(["", "all frames"], profile.hows.map(word))
  };
}

function hasWeights(profile) {
  return Array.from(profile.events.unit).some((text) => text && profile.texts.get(text) !== "samples");
}

// What the page became: a style sheet decides it, where one is allowed.
function isDarkPage(root) {
  const page = root.querySelector(".page");
  return page !== null && getComputedStyle(page).fill !== "rgb(255, 255, 255)";
}

const WHOLE = new Intl.NumberFormat("en"), TENTHS = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function percent(amount, whole) {
  return whole ? (100 * amount / whole).toFixed(2) + " %" : "0 %";
}

function amountText(amount) {
  return Number.isInteger(amount) ? WHOLE.format(amount) : TENTHS.format(amount);
}
