// SPDX-License-Identifier: MIT
//
// The part of a tree that is in sight to boxes: only what is inside of the window and wide enough to be
// seen is ever touched, so that a million nodes cost what a few thousand do.

const NARROWEST = 0.4, PIXEL = 1;

// window: { from, span } in amounts, width in pixels. Boxes are cut at the edges of the window; `wider`
// says that a box reaches beyond both. Of boxes thinner than a pixel one is kept for each pixel of a row. In
// the order of the tree.
function layoutTree(tree, window, width) {
  const boxes = [], scale = window.span > 0 ? width / window.span : 0, to = window.from + window.span;
  const least = NARROWEST / (scale || 1), slack = window.span * 1e-9, filled = [];
  for (let n = 0; n < tree.count;) {
    const start = tree.start[n], end = start + tree.total[n];
    if ((end <= window.from + slack || start >= to - slack || tree.total[n] < least) && n) {
      n = tree.end[n];
      continue;
    }
    const x = Math.max(0, (start - window.from) * scale), right = Math.min(width, (end - window.from) * scale);
    const depth = tree.depth[n];
    if (right - x < PIXEL && right < filled[depth] + PIXEL) {
      n = tree.end[n];
      continue;
    }
    filled[depth] = right;
    boxes.push({ node: n, depth, x, width: n || tree.total[0] ? Math.max(0, right - x) : width,
      wider: start < window.from - slack || end > to + slack });
    n++;
  }
  return boxes;
}

// How many rows are worth their room: beyond them is less than 0.5 % of the width, a few deep stacks that
// zooming in shows. The first rows, down to the zoomed node's children, always are.
function usefulRows(boxes, width, least) {
  const used = [];
  for (const box of boxes) used[box.depth] = (used[box.depth] || 0) + box.width;
  let rows = used.length;
  while (rows > least && used[rows - 1] < 0.005 * width) rows--;
  return { rows, hidden: used.length - rows };
}

// The box at a place; depth is its row. Boxes of one row do not overlap and stand from left to right.
function boxAt(boxes, depth, x) {
  return boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + Math.max(box.width, 1));
}
