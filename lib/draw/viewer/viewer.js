// SPDX-License-Identifier: MIT
//
// The live picture: what is asked for, the trees that answer it, and the boxes in sight. A change of the
// question builds a tree; zoom, pan and search only draw again.

class Viewer {
  constructor(root, profile, place) {
    this.root = root;
    this.profile = profile;
    this.place = place; // { top, bottom, width, after } of the static boxes
    this.painter = new Painter(profile);
    this.finder = new Search(profile.texts);
    this.picked = null;
    this.state = this.initialState();
    this.initial = fragmentOf(this.state, profile.texts);
    this.stage = svgElement("g", { class: "stage", role: "tree", "aria-label": "Call tree. Arrow keys move, Enter zooms, Escape goes back.",
      "font-family": place.font, "font-size": "12" });
    place.boxes.after(this.stage);
    this.tip = svgElement("title", {}, this.stage);
    const ring = { role: "treeitem", fill: "none", "stroke-width": "2.5", height: BOX, display: "none" };
    this.ring = [0, 1].map(() => svgElement("rect", ring));
    this.panel = new Panel(root, place.top, place.width, this);
    this.column = measureColumn(this.stage);
    const time = root.querySelector(".timeline");
    this.timeline = time ? new Timeline(time, this) : null;
    this.dark = isDarkPage(root);
    this.panelHeight = this.panel.height();
    this.rebuild();
    this.watchPanel();
  }

  // Asking for a height makes the browser lay out the page: only when it may have changed.
  watchPanel() {
    const look = () => {
      const height = this.panel.height();
      if (height === this.panelHeight) return;
      this.panelHeight = height;
      this.render();
    };
    if (typeof ResizeObserver === "function") new ResizeObserver(look).observe(this.panel.box);
    else setTimeout(look, 0);
  }

  initialState() {
    const { view } = this.profile;
    return { event: view.event, base: view.base, filter: { thread: 0, role: "", bucket: "", how: "" }, weights: view.weights, byWeight: false,
      inverted: false, icicle: this.place.inverted, sandwich: 0, query: "", respectCase: false, time: null, zoom: 0, window: null };
  }

  // -- what is asked for

  set(key, value) {
    this.state[key] = value;
    this.state.zoom = 0;
    this.state.window = null;
    this.rebuild();
  }

  filter(key, value) {
    this.state.filter[key] = value;
    this.set("sandwich", this.state.sandwich);
  }

  toggle(key) {
    this.state[key] = !this.state[key];
    if (key === "respectCase") this.renderMarks();
    else if (key === "icicle") this.render();
    else this.set(key, this.state[key]);
  }

  sandwich() {
    const { pane, node } = this.focused;
    if (!this.state.sandwich && pane.tree.kind[node] !== FRAME) return;
    this.set("sandwich", this.state.sandwich ? 0 : pane.tree.label[node]);
  }

  // -- trees and windows

  rebuild() {
    const { state } = this, sides = state.sandwich ? ["callers", "callees"] : [undefined];
    for (const pane of this.panes || []) pane.group.remove();
    const range = this.timeline ? this.timeline.rangeOf(state.time) : null;
    this.panes = sides.map((side) => this.makePane(buildTree(this.profile, Object.assign({ range }, state), side), side));
    this.stage.append(...this.ring);
    this.pane = this.panes[this.panes.length - 1];
    this.pane.zoom = state.zoom < this.pane.tree.count ? state.zoom : 0;
    for (const pane of this.panes) this.openWindow(pane, pane.zoom);
    const total = this.pane.tree.total[0];
    if (state.window) this.pane.window = { from: state.window[0] * total, span: state.window[1] * total };
    this.focused = { pane: this.pane, node: this.pane.zoom };
    this.render();
  }

  makePane(tree, side) {
    const group = svgElement("g", {}, this.stage), layers = {};
    for (const name of ["boxes", "marks", "names"]) layers[name] = svgElement("g", {}, group);
    return { tree, side, group, layers, column: this.column, zoom: 0 };
  }

  openWindow(pane, node) {
    pane.window = { from: pane.tree.start[node], span: pane.tree.total[node] };
  }

  // STAY: the keyboard stays where it is.
  zoom(pane, node, stay) {
    this.pane = pane;
    pane.zoom = node;
    this.openWindow(pane, node);
    this.focused = { pane, node };
    this.render();
    if (!stay) this.showFocus();
  }

  zoomFocused() {
    this.zoom(this.focused.pane, this.focused.node);
  }

  unzoom() {
    this.zoom(this.pane, this.pane.tree.parent[this.pane.zoom]);
  }

  escape() {
    if (this.state.query) this.search("");
    else if (this.isPanned(this.pane)) this.zoom(this.pane, this.pane.zoom);
    else if (this.pane.zoom) this.unzoom();
    else if (this.state.sandwich) this.sandwich();
    this.panel.field.blur();
  }

  reset() {
    this.state.query = "";
    this.picked = null;
    if (this.state.time) this.set("time", null);
    this.zoom(this.pane, 0);
  }

  isPanned(pane) {
    return pane.window.from !== pane.tree.start[pane.zoom] || pane.window.span !== pane.tree.total[pane.zoom];
  }

  // The window stays inside of the tree.
  setWindow(pane, from, span) {
    const total = pane.tree.total[0];
    span = Math.min(total, Math.max(span, total * 1e-9));
    pane.window = { from: Math.min(Math.max(0, from), total - span), span };
    this.pane = pane;
    this.render();
  }

  pan(part) {
    this.setWindow(this.pane, this.pane.window.from + part * this.pane.window.span, this.pane.window.span);
  }

  panBy(pane, pixels) {
    this.setWindow(pane, pane.window.from + pixels / this.width * pane.window.span, pane.window.span);
  }

  // About the pointer, else about the focused box.
  scale(factor, place) {
    const pane = (place && place.pane) || this.pane, { from, span } = pane.window, { tree } = pane, { node } = this.focused;
    const middle = place ? from + place.x / this.width * span : tree.start[node] + tree.total[node] / 2;
    const at = span ? Math.min(1, Math.max(0, (middle - from) / span)) : 0;
    this.setWindow(pane, middle - at * span * factor, span * factor);
  }

  // -- search

  search(text) {
    this.state.query = text;
    this.renderMarks();
  }

  openSearch() {
    this.panel.field.focus();
    this.panel.field.select();
  }

  findHits() {
    this.bad = false;
    let query = null;
    try {
      query = parseQuery(this.state.query, this.state.respectCase);
    } catch (error) {
      this.bad = true;
    }
    const key = this.state.query + "\n" + this.state.respectCase;
    for (const pane of this.panes) {
      if (!pane.found || pane.foundFor !== key || !query) pane.found = this.finder.find(pane.tree, this.bad ? null : query, pane.zoom);
      else pane.found.amount = amountOfHits(pane.tree, pane.found.marks, pane.zoom);
      pane.foundFor = key;
    }
  }

  shareText() {
    const { tree, found, zoom } = this.pane, whole = tree.total[zoom];
    if (!found.marks) return "";
    return WHOLE.format(found.hits.length) + (found.hits.length === 1 ? " hit, " : " hits, ") +
      percent(found.amount, whole) + (zoom ? " of the zoomed" : "");
  }

  // The next hit is focused; one that cannot be seen is zoomed to.
  step(direction) {
    const { hits } = this.pane.found, { node } = this.focused;
    if (!hits.length) return;
    const after = direction > 0 ? hits.find((hit) => hit > node) : hits.slice().reverse().find((hit) => hit < node);
    const next = after === undefined ? hits[direction > 0 ? 0 : hits.length - 1] : after;
    const box = this.pane.boxes.find((one) => one.node === next);
    const typing = isTyping(document.activeElement);
    if (!box || box.width < 3) this.zoom(this.pane, next, typing);
    else this.focus(this.pane, next, typing);
  }

  pick(color) {
    this.picked = this.picked === color ? null : color;
    this.renderMarks();
  }

  // -- drawing

  lookAtPage() {
    this.dark = isDarkPage(this.root);
    this.render();
  }

  // What stays where it is: hits, the picked colour, controls.
  renderMarks() {
    this.showPanel();
    for (const pane of this.panes) this.painter.paintMarks(pane, this.lookOf(pane));
    this.remember();
  }

  lookOf(pane) {
    return { dark: this.dark, marks: pane.found.marks, picked: this.picked };
  }

  showPanel() {
    this.findHits();
    this.panel.show(this.state, this.shareText(), this.bad, this.dark);
  }

  render() {
    const { state, place } = this;
    this.showPanel();
    this.panel.showCrumbs(this.crumbs());
    this.tellFocused();
    if (this.timeline) this.timeline.mark(state.time);
    this.width = place.width;
    let top = place.top + this.panelHeight;
    for (const pane of this.panes) {
      const all = layoutTree(pane.tree, pane.window, this.width);
      const { rows, hidden } = usefulRows(all, this.width, pane.tree.depth[pane.zoom] + 2);
      pane.boxes = hidden ? all.filter((box) => box.depth < rows) : all;
      pane.hidden = hidden;
      pane.up = pane.side ? pane.side === "callers" : !state.icicle;
      pane.top = top;
      pane.height = rows * ROW;
      top += pane.height + (pane.side === "callers" ? 4 : 0);
      this.painter.paint(pane, this.lookOf(pane));
    }
    this.moveRest(top - place.bottom);
    this.tellRows();
    this.placeRing();
    this.remember();
  }

  // Where the static picture says what it left out.
  tellRows() {
    const line = this.root.querySelector(".details"), hidden = this.panes.reduce((sum, pane) => sum + pane.hidden, 0);
    if (line) line.textContent = hidden ? "Stacks reach " + hidden + " rows further: zoom in to see them." : "";
  }

  // What stands below the boxes follows them.
  moveRest(distance) {
    for (const element of this.place.after) element.setAttribute("transform", "translate(0 " + distance + ")");
    const height = this.place.height + distance;
    this.root.setAttribute("height", height);
    this.root.setAttribute("viewBox", "0 0 " + this.place.fullWidth + " " + height);
  }

  remember() {
    const total = this.pane.tree.total[0] || 1, { window } = this.pane;
    this.state.zoom = this.pane.zoom;
    this.state.window = this.isPanned(this.pane) ? [window.from / total, window.span / total] : null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => writeFragment(fragmentOf(this.state, this.profile.texts), this.initial), 150);
  }

  crumbs() {
    const { pane } = this, crumbs = [];
    for (let node = pane.zoom; ; node = pane.tree.parent[node]) {
      const target = node;
      crumbs.unshift({ text: this.nameOf(pane, node), go: () => this.zoom(pane, target) });
      if (!node) return crumbs;
    }
  }

  // -- the focused box

  nameOf(pane, node) {
    return this.profile.texts.get(pane.tree.label[node]);
  }

  describe(pane, node) {
    const { tree } = pane, { state, profile } = this, unit = profile.unitOf(state.event, state.weights), whole = tree.total[0];
    const name = this.nameOf(pane, node), parts = [(name.length > 2000 ? name.slice(0, 2000) + "\u2026" : name)];
    parts.push("total " + amountText(tree.total[node]) + " " + unit + " (" + percent(tree.total[node], whole) + ")");
    parts.push("self " + amountText(tree.self[node]) + " (" + percent(tree.self[node], whole) + ")");
    if (pane.zoom) parts.push(percent(tree.total[node], tree.total[pane.zoom]) + " of the zoomed");
    if (state.base) parts.push("compared: " + percent(tree.base[node], tree.base[0]) + " \u2192 " + percent(tree.total[node], whole));
    if (tree.owner && tree.owner[node] >= 0) parts.push(profile.texts.get(tree.owner[node]) || "no bucket");
    if (tree.kind[node] === FRAME && this.painter.isInferred(tree, node)) parts.push(profile.texts.get(profile.frames.how[tree.frame[node]]));
    return parts.join(" \u00b7 ");
  }

  tellFocused() {
    this.panel.tell(this.describe(this.focused.pane, this.focused.node));
  }

  hover(place) {
    if (place.box) this.panel.tell(this.describe(place.pane, place.box.node));
    else this.tellFocused();
    this.tip.textContent = place.box ? this.describe(place.pane, place.box.node).slice(0, 1000) : "";
    this.stage.style.cursor = place.box ? "pointer" : "default";
  }

  focus(pane, node, stay) {
    this.focused = { pane, node };
    this.tellFocused();
    this.placeRing();
    if (!stay) this.showFocus();
  }

  // Two rings take turns, because a screen reader speaks when the focus moves to another element.
  showFocus() {
    this.ring.reverse();
    this.placeRing();
    this.ring[0].focus();
  }

  placeRing() {
    const { pane, node } = this.focused, box = pane.boxes.find((one) => one.node === node), [ring, other] = this.ring;
    other.setAttribute("display", "none");
    other.removeAttribute("tabindex");
    ring.setAttribute("tabindex", "0");
    ring.setAttribute("display", "inline");
    ring.setAttribute("stroke", this.dark ? "#ffffff" : "#1d4ed8");
    ring.setAttribute("x", MARGIN + (box ? box.x : 0));
    ring.setAttribute("width", Math.max(2, box ? box.width : 0));
    ring.setAttribute("y", rowTop(pane, box ? box.depth : 0));
    this.labelRing(ring, pane, node);
  }

  labelRing(ring, pane, node) {
    const { tree } = pane, level = tree.depth[node] + 1, parent = tree.parent[node];
    let count = 0, place = 1;
    for (let n = node ? parent + 1 : 0; node && n < tree.end[parent]; n = tree.end[n]) {
      count++;
      if (n < node) place++;
    }
    ring.setAttribute("aria-level", level);
    ring.setAttribute("aria-posinset", place);
    ring.setAttribute("aria-setsize", count || 1);
    ring.setAttribute("aria-label", this.describe(pane, node));
    if (tree.end[node] > node + 1) ring.setAttribute("aria-expanded", "true");
    else ring.removeAttribute("aria-expanded");
  }

  // Along the stack, or to the neighbour in the row. The screen's up is inwards or outwards by direction.
  move(where) {
    const { pane, node } = this.focused, { boxes, up } = pane, depth = pane.tree.depth[node];
    const at = boxes.findIndex((box) => box.node === node), inwards = where === (up ? "Up" : "Down");
    let next;
    if (where === "Left" || where === "Right") {
      const row = boxes.filter((box) => box.depth === depth), place = row.findIndex((box) => box.node === node);
      next = row[place + (where === "Left" ? -1 : 1)];
    } else if (inwards) {
      const children = boxes.slice(at + 1).filter((box) => pane.tree.parent[box.node] === node);
      next = children.reduce((best, box) => !best || box.width > best.width ? box : best, undefined);
    } else if (node) {
      next = { node: pane.tree.parent[node] };
    } else if (pane.side) {
      return this.focus(this.panes[this.panes[0] === pane ? 1 : 0], 0);
    }
    if (next) this.focus(pane, next.node);
  }

  placeOf(event) {
    const matrix = this.stage.getScreenCTM(), x = (event.clientX - matrix.e) / matrix.a - MARGIN, y = (event.clientY - matrix.f) / matrix.d;
    for (const pane of this.panes) {
      const row = Math.floor((y - pane.top) / ROW), rows = pane.height / ROW;
      if (row >= 0 && row < rows) return { pane, x, box: boxAt(pane.boxes, pane.up ? rows - 1 - row : row, x) };
    }
    return { pane: this.pane, x };
  }
}
