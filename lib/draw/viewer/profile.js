// SPDX-License-Identifier: MIT
//
// Tables to what can be asked: who sampled what, under which names, in which colours. Ids are those of the
// stream: they begin at 1, and 0 is "none"; columns begin at row 0, so arrays by id get one more in front.

function byId(column) {
  const values = new (column && column.constructor !== Array ? column.constructor : Int32Array)((column ? column.length : 0) + 1);
  if (column) values.set(column, 1);
  return values;
}

const EMPTY = new Int32Array(0);

class Profile {
  constructor({ texts, tables }) {
    const table = (kind, column) => (tables[kind] && tables[kind][column]) || EMPTY;
    this.texts = texts;
    this.sources = byId(table("source", 1));
    this.events = { source: byId(table("event", 1)), name: byId(table("event", 2)), unit: byId(table("event", 3)) };
    this.threads = { count: table("thread", 0).length, comm: byId(table("view-thread", 0)), thread: byId(table("view-thread", 1)),
      role: byId(table("view-thread", 2)), process: byId(table("view-thread", 3)) };
    this.frames = { label: byId(table("view-frame", 0)), color: byId(table("view-frame", 1)), how: byId(table("frame", 3)) };
    this.stacks = { parent: byId(table("stack", 1)), frame: byId(table("stack", 2)) };
    this.samples = { event: table("sample", 0), thread: table("sample", 1), stack: table("sample", 2), state: table("sample", 3),
      bucket: table("sample", 4), count: table("sample", 5), parts: table("sample", 6), weight: table("sample", 7),
      tags: table("sample", 8), times: table("sample", 10) };
    this.view = { event: table("view", 0)[0] || 0, roots: texts.get(table("view", 1)[0] || 0).split(","),
      weights: table("view", 2)[0] === 1, mode: texts.get(table("view", 3)[0] || 0), base: table("view", 4)[0] || 0 };
    this.readColors(table);
    this.readHows();
  }

  readColors(table) {
    this.colors = {};
    table("view-color", 0).forEach((color, i) => {
      const hex = (value) => "#" + value.toString(16).padStart(6, "0");
      this.colors[color] = { light: hex(table("view-color", 1)[i]), dark: hex(table("view-color", 2)[i]), white: table("view-color", 3)[i] === 1 };
    });
    this.bucketColors = new Map();
    table("view-bucket", 0).forEach((name, i) => this.bucketColors.set(name, table("view-bucket", 1)[i]));
    this.nodeColors = Array.from(table("view-node", 1));
  }

  // The ways in which frames are known: a bit for each word, and for each stack the bits of its frames.
  readHows() {
    const bits = new Map();
    this.hows = [];
    this.frames.bit = this.frames.how.map((how, frame) => {
      if (!frame) return 0;
      if (!bits.has(how)) {
        bits.set(how, this.hows.length);
        this.hows.push(this.texts.get(how));
      }
      return 1 << bits.get(how);
    });
    const { parent, frame } = this.stacks, mask = this.stacks.hows = new Int32Array(parent.length);
    for (let i = 1; i < parent.length; i++) mask[i] = mask[parent[i]] | this.frames.bit[frame[i]];
    this.recorded = 1 << Math.max(0, this.hows.indexOf("recorded"));
  }

  // RANGE: only what was sampled in these windows of the source's clock; null: all.
  amountOf(row, weights, range) {
    const samples = this.samples, count = samples.count[row] + samples.parts[row] / 1048576;
    const part = range ? this.countIn(row, range) : count;
    return !weights ? part : part === count ? samples.weight[row] : count ? samples.weight[row] * part / count : 0;
  }

  // "0,3*2,9*0+524288": windows, each with its whole count and the rest, where that is not one sample.
  countIn(row, range) {
    const text = this.texts.get(this.samples.times[row] || 0);
    let sum = 0;
    for (const item of text ? text.split(",") : []) {
      const [window, many] = item.split("*"), [whole, rest] = (many || "1").split("+");
      if (Number(window) >= range.from && Number(window) < range.to) sum += Number(whole) + Number(rest || 0) / 1048576;
    }
    return sum;
  }

  eventName(event) {
    const name = this.texts.get(this.events.name[event]);
    return this.sources.length > 2 ? name + " \u00b7 " + this.texts.get(this.sources[this.events.source[event]]) : name;
  }

  unitOf(event, weights) {
    return weights ? this.texts.get(this.events.unit[event]) : "samples";
  }

  // What stands above the frames of a sample, outermost first: texts.
  rootsOf(row) {
    const { samples, threads, texts } = this, thread = samples.thread[row], roots = [];
    for (const root of this.view.roots) {
      if (root === "bucket") roots.push(samples.bucket[row] || texts.add("[no bucket]"));
      else if (root === "state") roots.push(samples.state[row]);
      else if (root.startsWith("tag")) roots.push(...this.tagRoots(row, root));
      else if (root === "event") roots.push(this.events.name[samples.event[row]]);
      else if (root === "source") roots.push(this.sources[this.events.source[samples.event[row]]]);
      else if (threads[root] && threads[root][thread]) roots.push(threads[root][thread]);
    }
    return roots;
  }

  // Words "KEY" or "KEY:VALUE": all of them, or those of one key.
  tagRoots(row, root) {
    const key = root.slice(4), words = this.texts.get(this.samples.tags[row] || 0).split(" ").filter(Boolean);
    const wanted = key ? words.filter((word) => word === key || word.startsWith(key + ":")) : words;
    return [this.texts.add(wanted.join(" ") || "[no tag]")];
  }

  // The marker of a state, as folded text has it; 0: none.
  markerOf(row) {
    const state = this.texts.get(this.samples.state[row]);
    if (state === "recorded" || state === "complete" || state === "stitched") return 0;
    return this.texts.add("[" + state.replace(/-/g, " ") + "]");
  }
}
