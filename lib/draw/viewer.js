// SPDX-License-Identifier: MIT
//
// The second life of the picture: zoom, search and keyboard over the boxes that are already there.
// A box carries its depth, start and amount as data-d, data-s, data-n and its name in its <title>;
// all text goes in through textContent, so a name can never become markup.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
  var MARGIN = 10, COLUMN = 6.71, PADDING = 4, NARROWEST = 0.3;
  var script = document.currentScript;
  var root = (script && script.ownerSVGElement) || document.documentElement;
  var inner = root.viewBox.baseVal.width - 2 * MARGIN;
  var inverted = root.getAttribute("data-inverted") === "1";
  var leftOut = root.getAttribute("data-left-out") !== "0";
  var details = root.querySelector(".details");

  function wide(character) {
    var c = character.codePointAt(0);
    return c >= 0x1100 && (c <= 0x115f || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
      (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xff60) || c >= 0x1f300);
  }

  // As much of a name as the width holds; what is cut ends in "..".
  function fitting(name, width) {
    var columns = Math.floor((width - 2 * PADDING) / COLUMN), used = 0, kept = "";
    if (columns < 3) return "";
    for (var character of name) {
      used += wide(character) ? 2 : 1;
      if (used > columns) return kept + "..";
      if (used <= columns - 2) kept += character;
    }
    return name;
  }

  var boxes = Array.prototype.map.call(root.querySelectorAll(".b"), function (element, index) {
    var title = element.querySelector("title").textContent;
    element.setAttribute("tabindex", index ? "-1" : "0");
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", title);
    return {
      element: element, index: index, title: title, name: title.slice(0, title.lastIndexOf(" (")),
      depth: Number(element.getAttribute("data-d")),
      start: Number(element.getAttribute("data-s")), amount: Number(element.getAttribute("data-n")),
      shown: true, x: 0, matches: false
    };
  });
  if (!boxes.length) return;
  var all = boxes[0], zoomed = all, focused = all;

  function label(box, width) {
    var text = box.element.querySelector("text"), content = fitting(box.name, width);
    if (!text && content) {
      text = document.createElementNS(SVG, "text");
      text.setAttribute("x", "4");
      text.setAttribute("y", "12");
      box.element.appendChild(text);
    }
    if (text) text.textContent = content;
  }

  function place(box) {
    var scale = zoomed.amount ? inner / zoomed.amount : 0, slack = zoomed.amount * 1e-9;
    var left = box.start - zoomed.start, right = left + box.amount;
    var above = box.depth < zoomed.depth && left <= slack && right >= zoomed.amount - slack;
    var inside = box.depth >= zoomed.depth && left >= -slack && right <= zoomed.amount + slack;
    var width = above || box === zoomed ? inner : box.amount * scale;
    box.shown = above || box === zoomed || (inside && width >= NARROWEST);
    box.element.setAttribute("display", box.shown ? "inline" : "none");
    box.element.classList.toggle("above", above);
    if (!box.shown) return;
    box.x = above || box === zoomed ? 0 : left * scale;
    box.element.setAttribute("x", (MARGIN + box.x).toFixed(2));
    box.element.setAttribute("width", (width > 2 ? width - 0.5 : width).toFixed(2));
    label(box, width);
  }

  function zoom(box) {
    zoomed = box;
    boxes.forEach(place);
    show(reset, box !== all);
    count();
  }

  function focus(box) {
    if (!box) return;
    focused.element.setAttribute("tabindex", "-1");
    focused = box;
    box.element.setAttribute("tabindex", "0");
    box.element.focus();
  }

  // The nearest shown box in a direction: outwards and inwards along the stack, or along a row.
  function neighbour(box, key) {
    var inwards = inverted ? "ArrowDown" : "ArrowUp", outwards = inverted ? "ArrowUp" : "ArrowDown";
    var step = key === inwards || key === "ArrowRight" ? 1 : -1;
    var depth = box.depth + (key === inwards ? 1 : key === outwards ? -1 : 0);
    for (var i = box.index + step; i >= 0 && i < boxes.length; i += step) {
      if (key === inwards && boxes[i].depth <= box.depth) return null;
      if (boxes[i].shown && boxes[i].depth === depth) return boxes[i];
    }
    return null;
  }

  function button(name, x) {
    var text = document.createElementNS(SVG, "text");
    text.setAttribute("class", "quiet key");
    text.setAttribute("x", x);
    text.setAttribute("y", "27");
    text.setAttribute("font-size", "12");
    text.setAttribute("font-family", "system-ui,sans-serif");
    text.setAttribute("text-anchor", "end");
    text.setAttribute("fill", "#5b6570");
    text.textContent = name;
    root.appendChild(text);
    return text;
  }

  function show(element, visible) {
    element.setAttribute("display", visible ? "inline" : "none");
  }

  var right = inner + MARGIN;
  var searcher = button("Search  /", right), reset = button("Reset zoom", right - 80);
  var share = button("", right);
  share.setAttribute("y", "45");
  show(reset, false);

  var holder = document.createElementNS(SVG, "foreignObject");
  var field = document.createElementNS(HTML, "input");
  holder.setAttribute("x", right - 240);
  holder.setAttribute("y", "10");
  holder.setAttribute("width", "240");
  holder.setAttribute("height", "26");
  field.setAttribute("type", "search");
  field.setAttribute("placeholder", "regular expression");
  field.setAttribute("aria-label", "Search names, as a regular expression");
  field.style.cssText = "width:100%;height:24px;box-sizing:border-box;font:12px ui-monospace,monospace";
  holder.appendChild(field);
  root.appendChild(holder);
  show(holder, false);

  // A sample counts once: below a match nothing is added. What has no box cannot match, so the sum
  // is a lower bound where boxes were left out.
  function count() {
    var sum = 0, end = -1, matches = 0;
    boxes.forEach(function (box) {
      if (!box.matches || !box.shown || box.element.classList.contains("above")) return;
      matches++;
      if (box.start < end) return;
      sum += box.amount;
      end = box.start + box.amount * (1 - 1e-9);
    });
    var percent = zoomed.amount ? (100 * sum / zoomed.amount).toFixed(2) : "0.00";
    share.textContent = !field.value ? "" : matches + " boxes match: " +
      (leftOut && percent !== "100.00" ? "at least " : "") + percent + " %";
  }

  function search() {
    var pattern = null;
    try {
      pattern = field.value ? new RegExp(field.value, /[A-Z]/.test(field.value) ? "u" : "iu") : null;
      field.style.outline = "";
    } catch (error) {
      field.style.outline = "2px solid #d33";
      return;
    }
    boxes.forEach(function (box) {
      box.matches = pattern !== null && pattern.test(box.name);
      box.element.classList.toggle("match", box.matches);
    });
    count();
  }

  function openSearch() {
    show(holder, true);
    show(searcher, false);
    show(reset, false);
    field.focus();
    field.select();
  }

  function closeSearch() {
    field.value = "";
    search();
    show(holder, false);
    show(searcher, true);
    show(reset, zoomed !== all);
  }

  // A click on the legend shows only what has that colour in full strength.
  var picked = null;
  function pick(color) {
    picked = picked === color ? null : color;
    boxes.forEach(function (box) {
      var faded = picked !== null && !box.element.querySelector(".f").classList.contains(picked);
      box.element.setAttribute("opacity", faded ? "0.25" : "1");
    });
  }

  boxes.forEach(function (box) {
    function tell() {
      details.textContent = box.title;
    }
    box.element.addEventListener("click", function () {
      zoom(box);
      focus(box);
    });
    box.element.addEventListener("mouseenter", tell);
    box.element.addEventListener("focus", tell);
  });
  Array.prototype.forEach.call(root.querySelectorAll(".key[data-color]"), function (key) {
    key.addEventListener("click", function () {
      pick(key.getAttribute("data-color"));
    });
  });
  reset.addEventListener("click", function () {
    zoom(all);
  });
  searcher.addEventListener("click", openSearch);
  field.addEventListener("input", search);

  document.addEventListener("keydown", function (event) {
    var inField = event.target === field;
    if ((event.key === "f" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !inField)) {
      event.preventDefault();
      openSearch();
    } else if (event.key === "Escape") {
      if (field.value || inField) closeSearch();
      else zoom(all);
    } else if (!inField && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      zoom(focused);
    } else if (!inField && event.key.indexOf("Arrow") === 0) {
      event.preventDefault();
      focus(neighbour(focused, event.key));
    }
  });
})();
