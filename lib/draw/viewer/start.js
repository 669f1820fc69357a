// SPDX-License-Identifier: MIT
//
// The second life begins here: the static boxes stay until the profile is unpacked and drawn.

// Where the static picture has its boxes, and what stands below them.
function staticPlace(root) {
  const boxes = root.querySelector(".boxes"), after = [];
  const tops = Array.from(boxes.querySelectorAll(".b"), (box) => Number(box.getAttribute("y")));
  for (let next = boxes.nextElementSibling; next; next = next.nextElementSibling)
    if (next.localName === "g" || next.localName === "text") after.push(next);
  const view = root.viewBox.baseVal, fullWidth = fullWidthOf(root, view.width);
  return { boxes, after, top: Math.min(...tops), bottom: Math.max(...tops) + ROW, height: view.height, fullWidth, width: fullWidth - 2 * MARGIN,
    inverted: root.getAttribute("data-inverted") === "1", font: boxes.getAttribute("font-family") || "monospace" };
}

// A document of its own takes the window's width, and never less than was drawn for.
function fullWidthOf(root, drawn) {
  if (document.documentElement !== root) return drawn;
  return Math.max(drawn, Math.floor(innerWidth - 1));
}

// On paper the zoomed view fills the page, without controls and on white.
function listenToPrinter(viewer) {
  const { root } = viewer;
  addEventListener("beforeprint", () => {
    viewer.panel.holder.setAttribute("display", "none");
    viewer.render();
    root.setAttribute("width", "100%");
    root.removeAttribute("height");
  });
  addEventListener("afterprint", () => {
    viewer.panel.holder.removeAttribute("display");
    root.setAttribute("width", viewer.place.fullWidth);
    viewer.render();
  });
}

function listenToWindow(viewer) {
  if (typeof matchMedia === "function") matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => viewer.lookAtPage());
  addEventListener("hashchange", () => {
    if (!readFragment(viewer.state, viewer.profile)) viewer.state = viewer.initialState();
    viewer.rebuild();
  });
  addEventListener("resize", () => {
    const { place, root } = viewer, width = fullWidthOf(root, place.drawn);
    if (width === place.fullWidth) return;
    place.fullWidth = width;
    place.width = width - 2 * MARGIN;
    root.setAttribute("width", width);
    viewer.panel.holder.setAttribute("width", place.width);
    viewer.render();
  });
}

// The static picture is painted first. A page that nobody sees paints nothing, so there is a limit.
function firstPaint() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done, 0));
    setTimeout(done, 200);
  });
}

async function start(script) {
  const root = (script && script.ownerSVGElement) || document.documentElement;
  const elements = Array.from(root.querySelectorAll("metadata.packed"));
  if (!elements.length || !root.querySelector(".boxes .b")) return;
  await firstPaint();
  const profile = new Profile(readTables(await unpackBytes(elements)));
  const drawn = root.viewBox.baseVal.width, place = staticPlace(root);
  place.drawn = drawn;
  root.classList.add("live");
  root.setAttribute("width", place.fullWidth);
  const viewer = new Viewer(root, profile, place);
  place.boxes.setAttribute("display", "none");
  for (const line of root.querySelectorAll("g.quiet > text")) // what the static picture left out is here now
    if (/ (is|are) drawn/.test(line.textContent)) line.setAttribute("display", "none");
  if (readFragment(viewer.state, profile)) viewer.rebuild();
  listenToKeys(viewer);
  listenToPointer(viewer, viewer.stage);
  listenToLegend(viewer, root);
  listenToPrinter(viewer);
  listenToWindow(viewer);
  root.setAttribute("data-live", "1");
}
