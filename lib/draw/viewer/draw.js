// SPDX-License-Identifier: MIT
//
// Boxes to SVG. All boxes of one colour are one path and only names are elements of their own: a browser
// draws thousands of boxes in a few milliseconds that way. Which box the pointer is on is computed.

const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const ROW = 19, BOX = 18, PADDING = 4, MARGIN = 10;

function svgElement(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const key of Object.keys(attributes || {})) element.setAttribute(key, attributes[key]);
  if (parent) parent.appendChild(element);
  return element;
}

// Red grew, blue shrank, by the difference of the shares: at a tenth of the whole a colour is full.
function differenceColor(tree, n) {
  const now = tree.total[0] ? tree.total[n] / tree.total[0] : 0, before = tree.base[0] ? tree.base[n] / tree.base[0] : 0;
  if (!before && now) return "#e8c23a"; // was not there
  const step = Math.round(Math.max(-1, Math.min(1, (now - before) * 10)) * 8) / 8, pale = Math.round(240 - Math.abs(step) * 130);
  return step >= 0 ? "rgb(240," + pale + "," + pale + ")" : "rgb(" + pale + "," + Math.round((240 + pale) / 2) + ",245)";
}

class Painter {
  constructor(profile) {
    this.profile = profile;
  }

  colorOf(tree, n) {
    const { profile } = this, owner = tree.owner ? tree.owner[n] : -1;
    if (owner >= 0 && profile.bucketColors.has(owner)) return profile.bucketColors.get(owner);
    return tree.kind[n] === FRAME ? profile.frames.color[tree.frame[n]] : profile.nodeColors[tree.kind[n]];
  }

  fillOf(tree, n, dark) {
    if (tree.query.base) return { fill: differenceColor(tree, n), white: false };
    const color = this.profile.colors[this.colorOf(tree, n)];
    if (!color) return { fill: "#cccccc", white: false };
    return dark ? { fill: color.dark, white: color.white } : { fill: color.light, white: false };
  }

  // Known from elsewhere than the recording: hatched.
  isInferred(tree, n) {
    const bit = this.profile.frames.bit[tree.frame[n]];
    return tree.kind[n] === FRAME && bit !== 0 && bit !== this.profile.recorded;
  }

  // pane: { tree, boxes, up, top, height, layers, column }; look: { dark, marks, picked }.
  paint(pane, look) {
    const fills = new Map(), hatch = [], names = [];
    for (const box of pane.boxes) {
      const { fill, white } = this.fillOf(pane.tree, box.node, look.dark), path = boxPath(pane, box);
      const list = fills.get(fill);
      if (list) list.push(path);
      else fills.set(fill, [path]);
      if (this.isInferred(pane.tree, box.node)) hatch.push(path);
      if (box.width > 2 * PADDING + 3 * pane.column) names.push(nameElement(this.profile, pane, box, white));
    }
    const paths = Array.from(fills, ([fill, list]) => svgElement("path", { d: list.join(""), fill }));
    if (hatch.length) paths.push(svgElement("path", { d: hatch.join(""), fill: "url(#hatch)" }));
    pane.layers.boxes.replaceChildren(...paths);
    pane.layers.names.replaceChildren(...names);
    this.paintMarks(pane, look);
  }

  // What a search or a colour of the legend adds: nothing else has to be drawn again.
  paintMarks(pane, look) {
    const pale = [], hits = [], paths = [];
    for (const box of pane.boxes) {
      if (look.marks && look.marks[box.node]) hits.push(boxPath(pane, box));
      else if (look.picked !== null ? this.colorOf(pane.tree, box.node) !== look.picked : box.wider) pale.push(boxPath(pane, box));
    }
    if (pale.length) paths.push(svgElement("path", { d: pale.join(""), fill: look.dark ? "#14181d" : "#ffffff", "fill-opacity": "0.5" }));
    if (hits.length) paths.push(svgElement("path", { d: hits.join(""), fill: look.dark ? "#d946ef" : "#ff5cff", class: "hits" }));
    pane.layers.marks.replaceChildren(...paths);
  }
}

function rowTop(pane, depth) {
  return pane.up ? pane.top + pane.height - (depth + 1) * ROW : pane.top + depth * ROW;
}

// Wide boxes leave a gap to their neighbour; narrow ones need every bit of their width.
function boxPath(pane, box) {
  const width = Math.round((box.width > 2 ? box.width - 0.5 : Math.max(box.width, 0.5)) * 10) / 10;
  return "M" + Math.round((MARGIN + box.x) * 10) / 10 + " " + rowTop(pane, box.depth) + "h" + width + "v" + BOX + "h-" + width + "z";
}

function nameElement(profile, pane, box, white) {
  const name = profile.texts.get(pane.tree.label[box.node]);
  const element = svgElement("text", { x: (MARGIN + box.x + PADDING).toFixed(2), y: rowTop(pane, box.depth) + 13, "aria-hidden": "true" });
  element.textContent = fitName(name, Math.floor((box.width - 2 * PADDING) / pane.column));
  // A style sheet of the picture colours texts too, and wins over attributes.
  element.style.fill = white ? "#f0f3f6" : "#0b0e11";
  return element;
}
