// SPDX-License-Identifier: MIT
//
// Unpacked bytes to texts and tables. What the bytes are is described in draw/columns.h, what the tables
// mean in docs/formats.md: the stream's lines, and the viewer's own, whose names begin with "view".

const DIFFERENCES = 4, OPTIONAL = 8;

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  // Exact up to 2^53; more is only in columns that the viewer does not use.
  number() {
    let value = 0, factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (!(byte & 128)) return value;
      factor *= 128;
    }
  }

  // The rows of a column; row 0 is the first. Missing fields of an optional column are -1.
  column(rows) {
    const type = this.number(), values = new Float64Array(rows);
    const differences = type & DIFFERENCES, missing = type & OPTIONAL ? 1 : 0;
    let before = 0, largest = 0;
    for (let i = 0; i < rows; i++) {
      let value = this.number();
      if (differences) value = before + (value % 2 ? -(value + 1) / 2 : value / 2);
      before = value;
      values[i] = value - missing;
      if (value > largest) largest = value;
    }
    return largest < 0x7fffffff ? Int32Array.from(values) : values;
  }
}

// All texts in one buffer, decoded when they are asked for. What could reorder or hide the text around
// it is replaced: names come from the profiled program.
class Texts {
  constructor(reader) {
    this.count = reader.number() + 1;
    this.ends = new Float64Array(this.count);
    this.decoded = new Array(this.count);
    this.decoder = new TextDecoder();
    const out = new Grown();
    for (let id = 1, before = 0; id < this.count; id++) {
      const shared = reader.number(), more = reader.number(), start = out.size;
      out.reserve(shared + more);
      out.bytes.copyWithin(start, before, before + shared);
      out.bytes.set(reader.bytes.subarray(reader.at, reader.at + more), start + shared);
      reader.at += more;
      out.size += shared + more;
      this.ends[id] = out.size;
      before = start;
    }
    this.bytes = out.bytes;
  }

  get(id) {
    if (this.decoded[id] === undefined)
      this.decoded[id] = id ? readable(this.decoder.decode(this.bytes.subarray(this.ends[id - 1], this.ends[id]))) : "";
    return this.decoded[id];
  }

  // A text that is not in the file, such as the name of a marker.
  add(text) {
    const known = this.decoded.indexOf(text, this.count);
    if (known >= 0) return known;
    return this.decoded.push(text) - 1;
  }
}

function readable(text) {
  const plain = text.indexOf("\\") < 0 ? text : text.replace(/\\([tnr\\])/g, (all, c) => c === "\\" ? c : " ");
  // eslint-disable-next-line no-control-regex
  return plain.replace(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g, "\ufffd");
}

// { texts, tables: { kind: [column, ...] } }, where a column without rows is an empty array.
function readTables(bytes) {
  const reader = new Reader(bytes), tables = {};
  if (reader.number() !== 1) throw new Error("the picture was drawn by a newer ff-svg");
  const texts = new Texts(reader);
  for (let kind = reader.number(); kind; kind = reader.number()) {
    const rows = reader.number(), columns = reader.number(), table = [];
    for (let i = 0; i < columns; i++) table.push(reader.column(rows));
    tables[texts.get(kind)] = table;
  }
  return { texts, tables };
}
