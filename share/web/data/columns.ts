// Unpacks the block that analyzer/writers/page/columns.hpp packs: named columns of numbers in few bytes.
// SPDX-License-Identifier: BSD-3-Clause

// From base64 text to bytes; browsers with a built-in function are several times faster.
function fromBase64(text: string): Uint8Array {
  const own = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (own) return own.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Reader {
  private place = 0;
  constructor(private readonly bytes: Uint8Array) {}

  get done(): boolean {
    return this.place >= this.bytes.length;
  }

  next(): number {
    const bytes = this.bytes;
    let byte = bytes[this.place++];
    if (byte < 0x80) return byte;
    let number = byte & 0x7f;
    let unit = 128;
    do {
      byte = bytes[this.place++];
      number += (byte & 0x7f) * unit;
      unit *= 128;
    } while (byte >= 0x80);
    return number;
  }

  signed(): number {
    const number = this.next();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }
}

export class Columns {
  private readonly places = new Map<string, [number, number]>();

  // `outer`: where to look for columns that this block does not have.
  private constructor(private readonly block: Uint8Array, private readonly outer?: Columns) {
    const length = new DataView(block.buffer, block.byteOffset).getUint32(0, true);
    const directory = JSON.parse(new TextDecoder().decode(block.subarray(4, 4 + length))) as [string, number][];
    let begin = 4 + length;
    for (const [name, bytes] of directory) {
      this.places.set(name, [begin, begin + bytes]);
      begin += bytes;
    }
  }

  static async unpack(base64: string): Promise<Columns> {
    return new Columns(await inflate(fromBase64(base64)));
  }

  reader(name: string): Reader {
    const place = this.places.get(name);
    if (!place && this.outer) return this.outer.reader(name);
    if (!place) throw new Error(`the page has no column ${name}`);
    return new Reader(this.block.subarray(place[0], place[1]));
  }

  // Sentences are written for any kind of terminal: their "15.6 us" would appear next to the page's "15.6
  // µs".
  json<T>(name: string): T {
    return JSON.parse(this.text(name).replace(/(\d) us\b/g, "$1 µs")) as T;
  }

  has(name: string): boolean {
    return this.places.has(name) || (this.outer?.has(name) ?? false);
  }

  text(name: string): string {
    if (this.outer && !this.places.has(name)) return this.outer.text(name);
    const [begin, end] = this.places.get(name) ?? [0, 0];
    return new TextDecoder().decode(this.block.subarray(begin, end));
  }

  // A block within a column of this one: a page may show two runs.
  inside(name: string): Columns {
    return new Columns(this.bytesOf(name));
  }
  // The same for a part of a run: columns that the block does not have are shared with the others.
  within(name: string): Columns {
    return new Columns(this.bytesOf(name), this);
  }
  private bytesOf(name: string): Uint8Array {
    const [begin, end] = this.places.get(name) ?? [0, 0];
    return this.block.subarray(begin, end);
  }

  numbers(name: string): number[] {
    const reader = this.reader(name);
    const list: number[] = [];
    while (!reader.done) list.push(reader.next());
    return list;
  }
}
