// SPDX-License-Identifier: MIT
//
// Names to what fits into a box. The font's advance is measured, not guessed: which monospace font a
// browser takes is not known beforehand.

function isWide(character) {
  const c = character.codePointAt(0);
  return c >= 0x1100 && (c <= 0x115f || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
    (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xff60) || c >= 0x1f300);
}

function measureColumn(parent) {
  const probe = svgElement("text", { visibility: "hidden" }, parent);
  probe.textContent = "M".repeat(100);
  const width = probe.getComputedTextLength() / 100;
  probe.remove();
  return width > 1 ? width : 7.3;
}

// As much of a name as the columns hold. The end says most in a qualified name, the beginning says where
// it is from: what is cut is the middle.
function fitName(name, columns) {
  if (columns < 3) return "";
  if (name.length <= columns && !/[\u1100-\uffff]/.test(name)) return name;
  const characters = Array.from(name.length > 4000 ? name.slice(0, 2000) + name.slice(-2000) : name);
  const widths = characters.map((c) => isWide(c) ? 2 : 1);
  if (widths.reduce((a, b) => a + b, 0) <= columns) return name;
  let left = 0, right = characters.length, room = columns - 1;
  const back = Math.floor(room / 2);
  for (let used = 0; left < right && used + widths[left] <= room - back; left++) used += widths[left];
  for (let used = 0; right > left && used + widths[right - 1] <= back; right--) used += widths[right - 1];
  return characters.slice(0, left).join("") + "\u2026" + characters.slice(right).join("");
}
