// SPDX-License-Identifier: MIT
//
// What is shown to the page's fragment and back, so that a link leads to the same view. Nodes are named by
// their numbers: the same file and filters number them equally.

const SWITCHES = ["icicle", "inverted", "byWeight", "weights", "respectCase"];

function fragmentOf(state, texts) {
  const words = new URLSearchParams();
  words.set("e", state.event);
  if (state.base) words.set("d", state.base);
  for (const key of Object.keys(state.filter)) if (state.filter[key]) words.set(key, state.filter[key]);
  for (const key of SWITCHES) if (state[key]) words.set(key, "1");
  if (state.query) words.set("q", state.query);
  if (state.sandwich) words.set("sandwich", texts.get(state.sandwich));
  if (state.time) words.set("t", state.time.join("-"));
  if (state.zoom) words.set("z", state.zoom);
  if (state.window) words.set("w", state.window.map((part) => part.toFixed(6)).join("-"));
  return words.toString();
}

// Only what differs from the beginning, so that a fragment stays short.
function writeFragment(fragment, initial) {
  const next = fragment === initial ? "" : "#" + fragment;
  if (location.hash === next) return;
  try {
    history.replaceState(null, "", next || location.pathname + location.search);
  } catch (error) {
    // A sandboxed frame has no address of its own.
  }
}

// False when the fragment says nothing that we know.
function readFragment(state, profile) {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("e")) return false;
  const number = (key, most) => Math.min(Math.max(0, Math.floor(Number(words.get(key)) || 0)), most);
  state.event = number("e", profile.events.name.length - 1) || state.event;
  state.base = number("d", profile.events.name.length - 1);
  state.filter = { thread: number("thread", profile.threads.count), role: words.get("role") || "", bucket: words.get("bucket") || "",
    how: profile.hows.includes(words.get("how")) ? words.get("how") : "" };
  for (const key of SWITCHES) state[key] = words.has(key);
  state.query = words.get("q") || "";
  const wanted = words.get("sandwich"), { label } = profile.frames;
  state.sandwich = (wanted && label.find((id) => profile.texts.get(id) === wanted)) || 0;
  const time = (words.get("t") || "").split("-").map(Number);
  state.time = time.length === 2 && time[0] >= 0 && time[1] > time[0] ? time.map(Math.floor) : null;
  state.zoom = number("z", Number.MAX_SAFE_INTEGER);
  const window = (words.get("w") || "").split("-").map(Number);
  state.window = window.length === 2 && window[0] >= 0 && window[1] > 0 && window[0] + window[1] <= 1.000001 ? window : null;
  return true;
}
