// SPDX-License-Identifier: MIT
//
// The controls above the boxes: HTML in a foreignObject, so that they are real controls for keyboards and
// screen readers. They tell the viewer what is wanted and hold no state of their own. Styles are set by
// properties, which no Content-Security-Policy forbids.

function htmlElement(name, parent, properties) {
  const element = document.createElementNS(HTML, name);
  Object.assign(element, properties || {});
  if (parent) parent.appendChild(element);
  return element;
}

function setStyle(element, style) {
  for (const key of Object.keys(style)) element.style.setProperty(key, style[key]);
  return element;
}

const CONTROL = { font: "12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif", height: "24px", margin: "0", padding: "0 6px",
  "box-sizing": "border-box", border: "1px solid #8a94a0", "border-radius": "4px", background: "transparent", color: "inherit" };

class Panel {
  constructor(root, top, width, viewer) {
    this.viewer = viewer;
    this.holder = svgElement("foreignObject", { x: MARGIN, y: top, width, height: 60, class: "panel" }, root);
    this.box = setStyle(htmlElement("div", this.holder), { display: "flow-root", font: CONTROL.font });
    this.controls = this.row("Controls");
    this.makeSearch();
    this.makeSelects();
    this.makeSwitches();
    this.crumbs = setStyle(this.row("Where the view is zoomed to"), { "min-height": "24px" });
    this.makeDetails();
  }

  row(label) {
    const row = htmlElement("div", this.box);
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", label);
    return setStyle(row, { display: "flex", "flex-wrap": "wrap", gap: "4px", "align-items": "center", "margin-bottom": "4px" });
  }

  button(parent, text, label, action) {
    const button = setStyle(htmlElement("button", parent, { type: "button", textContent: text, title: label }), CONTROL);
    button.setAttribute("aria-label", label);
    button.style.cursor = "pointer";
    button.addEventListener("click", action);
    return this.showFocus(button);
  }

  // Some pages forbid style sheets, so focus is shown by a property too.
  showFocus(element) {
    element.addEventListener("focus", () => setStyle(element, { outline: "3px solid #3b82f6", "outline-offset": "1px" }));
    element.addEventListener("blur", () => element.style.removeProperty("outline"));
    return element;
  }

  makeSearch() {
    const { viewer } = this;
    const properties = { type: "search", placeholder: "search: text, /regex/, !not" };
    this.field = this.showFocus(setStyle(htmlElement("input", this.controls, properties), CONTROL));
    this.field.setAttribute("aria-label", "Search names: text, /regular expression/, ! before it for what does not match");
    setStyle(this.field, { width: "230px" });
    this.field.addEventListener("input", () => viewer.search(this.field.value));
    this.caseButton = this.button(this.controls, "Aa", "Respect case", () => viewer.toggle("respectCase"));
    this.button(this.controls, "\u2039", "Previous hit (Shift+N)", () => viewer.step(-1));
    this.button(this.controls, "\u203a", "Next hit (N)", () => viewer.step(1));
    this.share = setStyle(htmlElement("output", this.controls), { "min-width": "170px" });
    this.share.setAttribute("aria-live", "polite");
  }

  // choices: [value, text], the first of which stands for no choice.
  select(key, label, choices, action) {
    if (choices.length < 2) return null;
    const select = this.showFocus(setStyle(htmlElement("select", this.controls, { title: label }), CONTROL));
    select.setAttribute("aria-label", label);
    setStyle(select, { "max-width": "190px" });
    for (const [value, textContent] of choices)
      setStyle(htmlElement("option", select, { value, textContent }), { color: "CanvasText", background: "Canvas" });
    select.addEventListener("change", () => action(select.value));
    return this.selects[key] = select;
  }

  numberField(label, most, step) {
    const properties = { type: "number", title: label, min: 0, max: most.toFixed(3), step: step.toFixed(3) };
    const field = this.showFocus(setStyle(htmlElement("input", this.controls, properties), CONTROL));
    field.setAttribute("aria-label", label);
    return setStyle(field, { width: "86px" });
  }

  makeSelects() {
    const { viewer } = this, choices = choicesOf(viewer.profile);
    this.selects = {};
    this.select("event", "Event", choices.events, (value) => viewer.set("event", Number(value)));
    this.select("thread", "Thread", choices.threads, (value) => viewer.filter("thread", Number(value)));
    this.select("role", "Role", choices.roles, (value) => viewer.filter("role", value));
    this.select("bucket", "Bucket", choices.buckets, (value) => viewer.filter("bucket", value));
    this.select("how", "How frames are known", choices.hows, (value) => viewer.filter("how", value));
    this.select("base", "Compare with", choices.bases, (value) => viewer.set("base", Number(value)));
  }

  makeSwitches() {
    const { viewer, controls } = this;
    this.switches = {
      respectCase: this.caseButton,
      icicle: this.button(controls, "Icicle", "Callers on top (F)", () => viewer.toggle("icicle")),
      inverted: this.button(controls, "Invert", "Callers of the leaf (I)", () => viewer.toggle("inverted")),
      byWeight: this.button(controls, "By weight", "Largest first instead of by name (W)", () => viewer.toggle("byWeight")),
      weights: this.button(controls, "Weights", "The event's weights instead of samples (U)", () => viewer.toggle("weights"))
    };
    this.sandwich = this.button(controls, "Sandwich", "Callers and callees of the selected function (S)", () => viewer.sandwich());
    this.button(controls, "Reset", "Reset zoom and search (Escape, 0)", () => viewer.reset());
    if (!hasWeights(viewer.profile)) this.switches.weights.remove();
  }

  makeDetails() {
    const row = this.row("Details");
    this.details = setStyle(htmlElement("output", row), { flex: "1", "min-width": "200px",
      "user-select": "text", "-webkit-user-select": "text",
      font: "12px Menlo,Consolas,'DejaVu Sans Mono',monospace", "overflow-wrap": "anywhere", "max-height": "60px", overflow: "auto" });
    this.details.setAttribute("class", "line");
    this.details.setAttribute("tabindex", "0");
    this.showFocus(this.details);
    this.copied = this.button(row, "Copy", "Copy the details line (C)", () => this.copy());
  }

  // Where the clipboard is out of reach the line is selected, ready for the browser's own copy.
  copy() {
    const range = document.createRange(), selection = getSelection();
    range.selectNodeContents(this.details);
    selection.removeAllRanges();
    selection.addRange(range);
    const done = () => { this.copied.textContent = "Copied"; };
    if (navigator.clipboard && navigator.clipboard.writeText)
      navigator.clipboard.writeText(this.details.textContent).then(done, () => document.execCommand("copy") && done());
    else if (document.execCommand("copy")) done();
  }

  // crumbs: [{ text, go }], outermost first; of a long way the ends are shown.
  showCrumbs(crumbs) {
    const shown = crumbs.length > 12 ? crumbs.slice(0, 3).concat(null, crumbs.slice(-8)) : crumbs;
    this.crumbs.replaceChildren();
    this.crumbs.style.visibility = crumbs.length > 1 ? "visible" : "hidden";
    for (const crumb of shown) {
      if (!crumb) {
        htmlElement("span", this.crumbs, { textContent: "\u2026" });
        continue;
      }
      const button = this.button(this.crumbs, fitName(crumb.text, 32), "Zoom to " + crumb.text.slice(0, 200), crumb.go);
      setStyle(button, { border: "0", "text-decoration": "underline" });
    }
  }

  show(state, share, bad, dark) {
    setStyle(this.box, { color: dark ? "#e4e8ec" : "#14181d", "color-scheme": dark ? "dark" : "light" });
    for (const key of Object.keys(this.switches)) {
      this.switches[key].setAttribute("aria-pressed", state[key] ? "true" : "false");
      this.switches[key].style.background = state[key] ? "#8a94a066" : "transparent";
    }
    for (const key of Object.keys(this.selects)) {
      const value = String(key === "event" || key === "base" ? state[key] : state.filter[key] || "");
      if (this.selects[key].value !== value) this.selects[key].value = value;
    }
    if (this.field.value !== state.query && document.activeElement !== this.field) this.field.value = state.query;
    this.field.setAttribute("aria-invalid", bad ? "true" : "false");
    this.field.style.borderColor = bad ? "#d33" : "#8a94a0";
    this.share.textContent = bad ? "no regular expression" : share;
    this.sandwich.textContent = state.sandwich ? "End sandwich" : "Sandwich";
    this.sandwich.setAttribute("aria-pressed", state.sandwich ? "true" : "false");
  }

  tell(text) {
    if (this.details.textContent === text) return;
    this.details.textContent = text;
    this.copied.textContent = "Copy";
  }

  height() {
    const height = Math.ceil(this.box.getBoundingClientRect().height) + 4;
    this.holder.setAttribute("height", height);
    return height;
  }
}
