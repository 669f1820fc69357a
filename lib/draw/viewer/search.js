// SPDX-License-Identifier: MIT
//
// A query to the boxes that it finds. Each sample counts once, however often its stack matches: below a
// match nothing is added. A negated query finds what has no match in its whole stack.

// "text", "/expression/", each with "!" or "NOT " before it. Throws on an expression that is none.
function parseQuery(text, respectCase) {
  const negated = /^(!|NOT )/.test(text), rest = text.replace(/^(!|NOT )\s*/, "");
  const expression = /^\/(.+)\/$/.exec(rest);
  if (!rest) return null;
  if (expression) {
    const pattern = new RegExp(expression[1], respectCase ? "u" : "iu");
    return { negated, test: (name) => pattern.test(name) };
  }
  const wanted = respectCase ? rest : rest.toLowerCase();
  return { negated, test: (name, lower) => (respectCase ? name : lower).includes(wanted) };
}

class Search {
  constructor(texts) {
    this.texts = texts;
    this.lower = [];
  }

  lowerOf(label) {
    if (this.lower[label] === undefined) this.lower[label] = this.texts.get(label).toLowerCase();
    return this.lower[label];
  }

  // A mark for each node whose name matches; each distinct name is asked once.
  matchNames(tree, query) {
    const answers = new Uint8Array(this.texts.decoded.length), marks = new Uint8Array(tree.count), YES = 2, NO = 1;
    for (let n = 0; n < tree.count; n++) {
      const label = tree.label[n];
      if (!answers[label]) answers[label] = query.test(this.texts.get(label), this.lowerOf(label)) ? YES : NO;
      if (answers[label] === YES) marks[n] = 1;
    }
    return marks;
  }

  // Hits in the order of the tree, a mark for each, and what they hold of the nodes from .. end[from].
  find(tree, query, from) {
    if (!query) return { hits: [], marks: null, amount: 0 };
    let marks = this.matchNames(tree, query);
    if (query.negated) marks = negatedMarks(tree, marks);
    const hits = [];
    for (let n = 0; n < tree.count; n++) if (marks[n]) hits.push(n);
    return { hits, marks, amount: amountOfHits(tree, marks, from) };
  }
}

function amountOfHits(tree, marks, from) {
  for (let n = from; n; n = tree.parent[n]) if (marks[n]) return tree.total[from];
  let amount = 0;
  for (let n = from; n < tree.end[from];) {
    amount += marks[n] ? tree.total[n] : 0;
    n = marks[n] ? tree.end[n] : n + 1;
  }
  return amount;
}

// The outermost boxes with neither a match above or in them nor one below.
function negatedMarks(tree, marks) {
  const below = Float64Array.from(marks), hits = new Uint8Array(tree.count);
  addUp(tree.parent, below, tree.count);
  for (let n = 0; n < tree.count;) {
    if (marks[n]) {
      n = tree.end[n];
    } else if (!below[n]) {
      hits[n] = 1;
      n = tree.end[n];
    } else {
      n++;
    }
  }
  return hits;
}
