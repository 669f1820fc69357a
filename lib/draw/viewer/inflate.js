// SPDX-License-Identifier: MIT
//
// RFC 1950 and 1951, for browsers that cannot inflate by themselves. A code is decoded bit by bit, with
// the count of codes and the symbols of each length: short, and fast enough for the few who need it.

// counts[n]: codes of n bits; symbols in the order of their codes.
function huffmanCode(lengths) {
  const counts = new Uint16Array(16), starts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  for (let n = 1; n < 16; n++) starts[n] = starts[n - 1] + counts[n - 1];
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length) symbols[starts[length]++] = symbol;
  });
  return { counts, symbols };
}

function fixedCodes() {
  const lengths = [];
  for (let i = 0; i < 288; i++) lengths.push(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  return [huffmanCode(lengths), huffmanCode(new Array(30).fill(5))];
}

class Bits {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 2; // behind zlib's two bytes
    this.held = 0;
    this.count = 0;
  }

  take(count) {
    while (this.count < count) {
      if (this.at >= this.bytes.length) throw new Error("the packed profile is cut");
      this.held |= this.bytes[this.at++] << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << count) - 1);
    this.held >>>= count;
    this.count -= count;
    return value;
  }

  symbol(code) {
    let value = 0, first = 0, index = 0;
    for (let length = 1; length < 16; length++) {
      value |= this.take(1);
      const count = code.counts[length];
      if (value - first < count) return code.symbols[index + value - first];
      index += count;
      first = (first + count) << 1;
      value <<= 1;
    }
    throw new Error("the packed profile is damaged");
  }

  align() {
    this.held = this.count = 0;
  }
}

// Lengths 3 .. 258 and distances 1 .. 32768: a base for each symbol and how many bits are added to it.
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_EXTRA = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11,
  12, 12, 13, 13];

function bases(first, extra) {
  return extra.map((bits) => {
    const base = first;
    first += 1 << bits;
    return base;
  });
}

function codesOfBlock(bits) {
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const literals = bits.take(5) + 257, distances = bits.take(5) + 1, count = bits.take(4) + 4;
  const short = new Array(19).fill(0), lengths = [];
  for (let i = 0; i < count; i++) short[order[i]] = bits.take(3);
  const code = huffmanCode(short);
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(code);
    if (symbol < 16) {
      lengths.push(symbol);
      continue;
    }
    const value = symbol === 16 ? lengths[lengths.length - 1] : 0;
    const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    for (let i = 0; i < times; i++) lengths.push(value);
  }
  return [huffmanCode(lengths.slice(0, literals)), huffmanCode(lengths.slice(literals))];
}

class Grown {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.size = 0;
  }

  reserve(count) {
    if (this.size + count <= this.bytes.length) return;
    const grown = new Uint8Array(2 * this.bytes.length + count);
    grown.set(this.bytes);
    this.bytes = grown;
  }

  push(byte) {
    this.reserve(1);
    this.bytes[this.size++] = byte;
  }

  repeat(length, distance) {
    this.reserve(length);
    for (let i = 0; i < length; i++, this.size++) this.bytes[this.size] = this.bytes[this.size - distance];
  }
}

function inflateStored(bits, out) {
  bits.align();
  const size = bits.bytes[bits.at] | bits.bytes[bits.at + 1] << 8;
  bits.at += 4;
  out.reserve(size);
  out.bytes.set(bits.bytes.subarray(bits.at, bits.at + size), out.size);
  out.size += size;
  bits.at += size;
}

function inflate(bytes) {
  const bits = new Bits(bytes), out = new Grown();
  const lengthBases = bases(3, LENGTH_EXTRA.slice(0, 28)).concat(258), distanceBases = bases(1, DISTANCE_EXTRA);
  for (let last = 0; !last;) {
    last = bits.take(1);
    const type = bits.take(2);
    if (type === 0) {
      inflateStored(bits, out);
      continue;
    }
    const [literals, distances] = type === 1 ? fixedCodes() : codesOfBlock(bits);
    for (let symbol = bits.symbol(literals); symbol !== 256; symbol = bits.symbol(literals)) {
      if (symbol < 256) {
        out.push(symbol);
        continue;
      }
      const length = lengthBases[symbol - 257] + bits.take(LENGTH_EXTRA[symbol - 257]);
      const far = bits.symbol(distances);
      out.repeat(length, distanceBases[far] + bits.take(DISTANCE_EXTRA[far]));
    }
  }
  return out.bytes.subarray(0, out.size);
}
