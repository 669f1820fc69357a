// SPDX-License-Identifier: MIT
//
// Nodes in order of appearance to a finished tree: numbered as a walk meets them, children in order, so
// that node n's part of the tree is n .. end[n], and its place on the axis is start[n] .. start[n] + total[n].

// children[first[n] .. first[n + 1]) of each node n.
function childLists(nodes) {
  const first = new Int32Array(nodes.count + 2), children = new Int32Array(nodes.count);
  for (let n = 1; n < nodes.count; n++) first[nodes.parent[n] + 2]++;
  for (let n = 2; n < first.length; n++) first[n] += first[n - 1];
  for (let n = 1; n < nodes.count; n++) children[first[nodes.parent[n] + 1]++] = n;
  return { first, children };
}

// Adds to each node what is below it. A parent is always before its children.
function addUp(parent, amounts, count) {
  for (let n = count - 1; n > 0; n--) amounts[parent[n]] += amounts[n];
  return amounts;
}

function sortChildren(nodes, lists, total, byWeight) {
  const byName = (a, b) => nodes.label[a] - nodes.label[b];
  const order = byWeight ? (a, b) => total[b] - total[a] || byName(a, b) : byName;
  for (let n = 0; n < nodes.count; n++) {
    if (lists.first[n + 1] - lists.first[n] > 1)
      lists.children.set(Array.from(lists.children.subarray(lists.first[n], lists.first[n + 1])).sort(order), lists.first[n]);
  }
}

// number[old] = place in a walk that takes the children in order.
function walkOrder(nodes, lists) {
  const number = new Int32Array(nodes.count), pending = [0];
  for (let next = 0; pending.length; next++) {
    const node = pending.pop();
    number[node] = next;
    for (let i = lists.first[node + 1] - 1; i >= lists.first[node]; i--) pending.push(lists.children[i]);
  }
  return number;
}

// The bucket that owns 95 % or more of a node; -1: none does. One sweep over the tree for each bucket.
function findOwners(tree, entries) {
  const owner = new Int32Array(tree.count).fill(-1), byBucket = new Map();
  for (const entry of entries) {
    if (!byBucket.has(entry.bucket)) byBucket.set(entry.bucket, []);
    byBucket.get(entry.bucket).push(entry);
  }
  const amounts = new Float64Array(tree.count);
  for (const [bucket, list] of byBucket) {
    amounts.fill(0);
    for (const entry of list) amounts[entry.number] += entry.amount;
    addUp(tree.parent, amounts, tree.count);
    for (let n = 0; n < tree.count; n++) {
      if (amounts[n] > 0 && amounts[n] >= 0.95 * tree.total[n]) owner[n] = bucket;
    }
  }
  return owner;
}

function arrangeTree(profile, nodes, entries, query) {
  const count = nodes.count, lists = childLists(nodes);
  sortChildren(nodes, lists, addUp(nodes.parent, nodes.self.slice(0, count), count), query.byWeight);
  const number = walkOrder(nodes, lists), tree = { count, query };
  for (const name of ["label", "parent", "kind", "frame", "self", "base"]) tree[name] = new nodes[name].constructor(count);
  for (let old = 0; old < count; old++) {
    const n = number[old];
    for (const name of ["label", "kind", "frame", "self", "base"]) tree[name][n] = nodes[name][old];
    tree.parent[n] = number[nodes.parent[old]];
  }
  tree.total = addUp(tree.parent, tree.self.slice(), count);
  addUp(tree.parent, tree.base, count);
  placeNodes(tree);
  for (const entry of entries) entry.number = number[entry.node];
  tree.owner = profile.view.mode === "bucket" ? findOwners(tree, entries) : null;
  return tree;
}

// Depth, end and start. Self time stands to the left of the children.
function placeNodes(tree) {
  const { count, parent, total } = tree, depth = tree.depth = new Int32Array(count), end = tree.end = new Int32Array(count);
  const start = tree.start = new Float64Array(count), next = new Float64Array(count);
  next[0] = tree.self[0];
  for (let n = 1; n < count; n++) {
    const p = parent[n];
    depth[n] = depth[p] + 1;
    start[n] = next[p];
    next[n] = start[n] + tree.self[n];
    next[p] += total[n];
  }
  for (let n = count - 1; n >= 0; n--) {
    end[n] = Math.max(end[n], n + 1);
    if (n && end[parent[n]] < end[n]) end[parent[n]] = end[n];
  }
}
