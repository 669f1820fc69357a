// SPDX-License-Identifier: MIT
//
// Keyboard and pointer to what the viewer does. Everything works by keyboard alone.

function isTyping(target) {
  return target && /^(input|select|textarea)$/i.test(target.localName || "");
}

function listenToKeys(viewer) {
  const actions = { "/": () => viewer.openSearch(), n: () => viewer.step(1), N: () => viewer.step(-1), i: () => viewer.toggle("inverted"),
    f: () => viewer.toggle("icicle"), w: () => viewer.toggle("byWeight"), u: () => viewer.toggle("weights"), s: () => viewer.sandwich(),
    c: () => viewer.panel.copy(), 0: () => viewer.reset(), Home: () => viewer.zoom(viewer.pane, 0),
    "+": () => viewer.scale(0.5), "-": () => viewer.scale(2),
    Enter: () => viewer.zoomFocused(), " ": () => viewer.zoomFocused(), Backspace: () => viewer.unzoom() };
  document.addEventListener("keydown", (event) => {
    const typing = isTyping(event.target), command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "f") {
      event.preventDefault();
      viewer.openSearch();
    } else if (event.key === "Escape") {
      viewer.escape();
    } else if (typing && event.key === "Enter" && event.target === viewer.panel.field) {
      viewer.step(event.shiftKey ? -1 : 1);
    } else if (typing || command || event.altKey) {
      return;
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      if (event.shiftKey) viewer.pan(event.key === "ArrowLeft" ? -0.2 : event.key === "ArrowRight" ? 0.2 : 0);
      else viewer.move(event.key.slice(5));
    } else if (actions[event.key] && !(isControl(event.target) && /^(Enter| )$/.test(event.key))) {
      event.preventDefault();
      actions[event.key]();
    }
  });
}

function isControl(target) {
  return target && (/^(button|output)$/i.test(target.localName || "") || (target.classList && target.classList.contains("key")));
}

// A press that moves pans, one that does not zooms.
function listenToPointer(viewer, stage) {
  let drag = null;
  stage.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = { x: event.clientX, moved: false, pane: viewer.placeOf(event).pane };
  });
  stage.addEventListener("pointermove", (event) => {
    if (drag && event.buttons & 1 && (drag.moved || Math.abs(event.clientX - drag.x) > 4)) {
      viewer.panBy(drag.pane, drag.x - event.clientX);
      drag = { x: event.clientX, moved: true, pane: drag.pane };
    } else {
      viewer.hover(viewer.placeOf(event));
    }
  });
  stage.addEventListener("click", (event) => {
    const place = viewer.placeOf(event);
    if (!(drag && drag.moved) && place.box) viewer.zoom(place.pane, place.box.node, true);
    drag = null;
  });
  stage.addEventListener("pointerleave", () => viewer.hover({}));
  stage.addEventListener("wheel", (event) => {
    const place = viewer.placeOf(event);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      viewer.scale(event.deltaY > 0 ? 1.25 : 0.8, place);
    } else if (event.deltaX || event.shiftKey) {
      event.preventDefault();
      viewer.panBy(place.pane, event.deltaX || event.deltaY);
    }
  }, { passive: false });
}

// The picture's own legend becomes a switch: boxes of one colour in full strength, the others pale.
function listenToLegend(viewer, root) {
  for (const key of root.querySelectorAll(".key[data-color]")) {
    const color = Number(key.getAttribute("data-color").slice(1));
    key.setAttribute("tabindex", "0");
    key.setAttribute("role", "button");
    key.addEventListener("click", () => viewer.pick(color));
    key.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") viewer.pick(color);
    });
  }
}
