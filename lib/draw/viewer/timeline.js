// SPDX-License-Identifier: MIT
//
// The picture of threads over time, where there is one, as a choice of time: dragging over it, or the two
// fields of the panel, take the samples of some windows into the tree and leave the others out.

class Timeline {
  constructor(group, viewer) {
    const number = (name) => Number(group.getAttribute("data-" + name));
    this.viewer = viewer;
    this.group = group;
    this.x = number("x");
    this.width = number("width");
    this.windows = number("windows");
    this.first = number("first"); // of the source's own windows, of which one of ours has `per`
    this.per = number("per");
    this.seconds = number("ns") / 1e9;
    const place = { x: this.x, width: this.width, y: number("y"), height: number("height") };
    this.shade = svgElement("rect", Object.assign({ fill: "#3b82f6", "fill-opacity": "0.25", stroke: "#3b82f6" }, place), group);
    this.cover = svgElement("rect", Object.assign({ fill: "#000", "fill-opacity": "0", cursor: "col-resize" }, place), group);
    this.makeFields();
    this.listen();
  }

  makeFields() {
    this.fields = ["From second", "To second"].map((label) => {
      const field = this.viewer.panel.numberField(label, this.windows * this.seconds, this.seconds);
      field.addEventListener("change", () => this.take());
      return field;
    });
  }

  take() {
    const [from, to] = this.fields.map((field) => Number(field.value) / this.seconds);
    this.select(Math.floor(from + 1e-6), Math.ceil((to || this.windows) - 1e-6));
  }

  windowAt(event) {
    const matrix = this.group.getScreenCTM(), x = (event.clientX - matrix.e) / matrix.a - this.x;
    return Math.min(this.windows - 1, Math.max(0, Math.floor(x / this.width * this.windows)));
  }

  listen() {
    let begun = -1;
    this.cover.addEventListener("pointerdown", (event) => {
      begun = this.windowAt(event);
      this.cover.setPointerCapture(event.pointerId);
      this.mark([begun, begun + 1]);
    });
    this.cover.addEventListener("pointermove", (event) => {
      if (begun >= 0) this.mark(this.between(begun, this.windowAt(event)));
    });
    this.cover.addEventListener("pointerup", (event) => {
      if (begun >= 0) this.select(...this.between(begun, this.windowAt(event)));
      begun = -1;
    });
  }

  between(a, b) {
    return [Math.min(a, b), Math.max(a, b) + 1];
  }

  // Everything is no choice.
  select(from, to) {
    from = Math.min(Math.max(0, from), this.windows - 1);
    to = Math.min(Math.max(from + 1, to), this.windows);
    this.viewer.set("time", from === 0 && to === this.windows ? null : [from, to]);
  }

  // Windows as the samples count them.
  rangeOf(time) {
    return time ? { from: this.first + time[0] * this.per, to: this.first + time[1] * this.per } : null;
  }

  mark(time) {
    const [from, to] = time || [0, this.windows];
    this.shade.setAttribute("display", time ? "inline" : "none");
    this.shade.setAttribute("x", this.x + from / this.windows * this.width);
    this.shade.setAttribute("width", (to - from) / this.windows * this.width);
    this.fields[0].value = (from * this.seconds).toFixed(3);
    this.fields[1].value = (to * this.seconds).toFixed(3);
  }
}
