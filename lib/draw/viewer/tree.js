// SPDX-License-Identifier: MIT
//
// Sample rows to a call tree: same parent and same name is one node. The hard thing: a million stacks must
// take a second, not a minute, so nodes are numbers in flat arrays and each stack is looked up once below
// each prefix.

const ALL = 0, ROOT = 1, MARKER = 2, FRAME = 3;

function grownArray(array, size) {
  if (size <= array.length) return array;
  const grown = new array.constructor(Math.max(size, 2 * array.length));
  grown.set(array);
  return grown;
}

// Nodes in order of appearance. Node 0 is the one of which everything is a part.
class Nodes {
  constructor(label) {
    this.count = 1;
    this.label = new Int32Array(1024);
    this.parent = new Int32Array(1024);
    this.kind = new Uint8Array(1024);
    this.frame = new Int32Array(1024); // one of the frames that have this name here
    this.self = new Float64Array(1024);
    this.base = new Float64Array(1024); // the same of the event that is compared with
    this.slots = new Int32Array(4096);
    this.label[0] = label;
  }

  slotOf(parent, label) {
    const mask = this.slots.length - 1;
    let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(label, 0x85ebca6b)) >>> 0;
    slot = (slot ^ slot >>> 15) & mask;
    for (let node = this.slots[slot]; node; node = this.slots[slot]) {
      if (this.parent[node] === parent && this.label[node] === label) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  grow() {
    for (const name of ["label", "parent", "kind", "frame", "self", "base"]) this[name] = grownArray(this[name], this.count + 1);
    if (2 * this.count < this.slots.length) return;
    this.slots = new Int32Array(2 * this.slots.length);
    for (let node = 1; node < this.count; node++) this.slots[this.slotOf(this.parent[node], this.label[node])] = node;
  }

  child(parent, label, kind, frame) {
    let slot = this.slotOf(parent, label);
    if (this.slots[slot]) return this.slots[slot];
    if (this.count >= this.label.length || 2 * this.count >= this.slots.length) {
      this.grow();
      slot = this.slotOf(parent, label);
    }
    const node = this.count++;
    this.slots[slot] = node;
    this.label[node] = label;
    this.parent[node] = parent;
    this.kind[node] = kind;
    this.frame[node] = frame;
    return node;
  }
}

// A filter holds ids and words of the profile; an empty one lets all pass.
function rowFilter(profile, filter) {
  const { samples, threads, stacks, texts } = profile;
  const bit = filter.how ? 1 << profile.hows.indexOf(filter.how) : 0;
  const bucket = (row) => texts.get(samples.bucket[row]) || "no bucket";
  return (row) =>
    (!filter.thread || samples.thread[row] === filter.thread) &&
    (!filter.role || texts.get(threads.role[samples.thread[row]]) === filter.role) &&
    (!filter.bucket || bucket(row) === filter.bucket) &&
    (!bit || (stacks.hows[samples.stack[row]] & bit) !== 0);
}

// The rows that a tree is made of: { row, amount, base }, grouped by what stands above their frames.
function selectRows(profile, query) {
  const { samples } = profile, passes = rowFilter(profile, query.filter), groups = new Map();
  for (let row = 0; row < samples.event.length; row++) {
    const shown = samples.event[row] === query.event, compared = query.base && samples.event[row] === query.base;
    if ((!shown && !compared) || !passes(row)) continue;
    let key = samples.thread[row] * 0x200000 + samples.state[row];
    if (query.rooted || query.base) key += "," + samples.bucket[row] + "," + samples.event[row] + "," + (samples.tags[row] || 0);
    let group = groups.get(key);
    if (!group) groups.set(key, group = { roots: profile.rootsOf(row), marker: profile.markerOf(row), rows: [] });
    group.rows.push(row);
  }
  return groups;
}

function pushRoots(nodes, group) {
  let node = 0;
  for (const label of group.roots) node = nodes.child(node, label, ROOT, 0);
  return group.marker ? nodes.child(node, group.marker, MARKER, 0) : node;
}

// Callers first. A stack's node below one prefix is found once: rounds[stack] says for which prefix
// places[stack] holds.
function downwards(profile, nodes) {
  const { parent, frame } = profile.stacks, { label } = profile.frames;
  const rounds = new Int32Array(parent.length), places = new Int32Array(parent.length), path = [];
  let round = 0;
  return {
    begin(group) {
      round++;
      this.prefix = pushRoots(nodes, group);
    },
    place(stack) {
      path.length = 0;
      while (stack && rounds[stack] !== round) {
        path.push(stack);
        stack = parent[stack];
      }
      let node = stack ? places[stack] : this.prefix;
      while (path.length) {
        stack = path.pop();
        node = nodes.child(node, label[frame[stack]], FRAME, frame[stack]);
        rounds[stack] = round;
        places[stack] = node;
      }
      return node;
    }
  };
}

// Callees first: the leaf is the outermost node, and the roots are its last callers.
function upwards(profile, nodes) {
  const { parent, frame } = profile.stacks, { label } = profile.frames;
  let group = null;
  return {
    begin(next) {
      group = next;
    },
    place(stack) {
      let node = 0;
      for (; stack; stack = parent[stack]) node = nodes.child(node, label[frame[stack]], FRAME, frame[stack]);
      if (group.marker) node = nodes.child(node, group.marker, MARKER, 0);
      for (let i = group.roots.length - 1; i >= 0; i--) node = nodes.child(node, group.roots[i], ROOT, 0);
      return node;
    }
  };
}

// For each stack the outermost one in it whose frame has this name; 0: there is none.
function outermost(profile, wanted) {
  const { parent, frame } = profile.stacks, { label } = profile.frames, found = new Int32Array(parent.length);
  for (let stack = 1; stack < parent.length; stack++)
    found[stack] = found[parent[stack]] || (label[frame[stack]] === wanted ? stack : 0);
  return found;
}

// What one function called: only stacks with it, each cut to begin at it.
function calleesOf(profile, nodes, wanted) {
  const { parent, frame } = profile.stacks, { label } = profile.frames, first = outermost(profile, wanted), path = [];
  return {
    begin() {},
    place(stack) {
      const top = first[stack];
      if (!top) return -1;
      path.length = 0;
      for (; stack !== top; stack = parent[stack]) path.push(stack);
      let node = 0;
      while (path.length) {
        stack = path.pop();
        node = nodes.child(node, label[frame[stack]], FRAME, frame[stack]);
      }
      return node;
    }
  };
}

// Who called it: the same stacks from there outwards.
function callersOf(profile, nodes, wanted) {
  const walk = upwards(profile, nodes), first = outermost(profile, wanted), { parent } = profile.stacks;
  return {
    begin: walk.begin,
    place: (stack) => first[stack] ? walk.place(parent[first[stack]]) : -1
  };
}

// query: event, base (0: nothing is compared), filter, weights, byWeight, inverted; side: "callers" or
// "callees" of the text query.sandwich.
function buildTree(profile, query, side) {
  const nodes = new Nodes(side ? query.sandwich : profile.texts.add("all")), { samples } = profile, entries = [];
  const walk = side === "callers" ? callersOf(profile, nodes, query.sandwich)
    : side === "callees" ? calleesOf(profile, nodes, query.sandwich)
    : query.inverted ? upwards(profile, nodes) : downwards(profile, nodes);
  const source = profile.events.source[profile.view.event];
  if (side) nodes.kind[0] = FRAME;
  query.rooted = profile.view.roots.some((root) => root === "bucket" || root === "state" || root.startsWith("tag"));
  for (const group of selectRows(profile, query).values()) {
    walk.begin(group);
    for (const row of group.rows) {
      const timed = query.range && profile.events.source[samples.event[row]] === source;
      const amount = profile.amountOf(row, query.weights, timed ? query.range : null);
      const node = amount || !timed ? walk.place(samples.stack[row]) : -1;
      if (node < 0) continue;
      if (samples.event[row] !== query.event) {
        nodes.base[node] += amount;
        continue;
      }
      nodes.self[node] += amount;
      entries.push({ node, bucket: samples.bucket[row], amount });
    }
  }
  return arrangeTree(profile, nodes, entries, query);
}
