// What fills a row of pixels: how much of each colour class. Where several share a pixel, it has the colour
// of the cause with the largest share, brighter the larger that is; quiet classes are averaged. Mixed colours
// of causes would be browns that are not in the legend.
// SPDX-License-Identifier: BSD-3-Clause
import { SHOWN_CAUSES } from "../data/model";
import { CLASSES, CULPRIT_CLASS, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "../drawing/colours";

// Groups of classes that belong together: quiet ones, each cause with its waits, other causes, no cause.
const QUIET = 0, OTHER = SHOWN_CAUSES + 1, NO_RANK = SHOWN_CAUSES + 2, GROUPS = SHOWN_CAUSES + 3;

function groupOf(kind: number): number {
  if (kind >= CLASSES || kind < WAIT_CLASS) return QUIET; // faded ones are quiet as well
  if (kind === OTHER_CAUSE) return OTHER;
  if (kind === NO_CAUSE) return NO_RANK;
  return 1 + (kind >= CULPRIT_CLASS ? kind - CULPRIT_CLASS : kind - WAIT_CLASS);
}
const LONG = 8; // pixels, from which on a stretch is added by its ends
const GROUP_OF = Uint8Array.from({ length: 2 * CLASSES }, (_, kind) => groupOf(kind));

export class Mixture {
  private readonly part: Float32Array; // by class and pixel
  private readonly whole: Int32Array; // by class and pixel: stretches that begin or end to cover whole pixels there
  private readonly used = new Uint8Array(2 * CLASSES);
  private readonly long = new Uint8Array(2 * CLASSES); // classes that have any of these
  private readonly total: Float32Array;
  private readonly sums = new Float32Array(GROUPS * 4); // weight, red, green, blue

  // The palette has CLASSES colours, and equally many faded ones.
  constructor(readonly width: number, private readonly palette: Float32Array) {
    this.part = new Float32Array(2 * CLASSES * width);
    this.whole = new Int32Array(2 * CLASSES * width);
    this.total = new Float32Array(width);
  }

  clear(): void {
    for (let kind = 0; kind < this.used.length; ++kind)
      if (this.used[kind]) this.part.fill(0, kind * this.width, (kind + 1) * this.width);
    this.used.fill(0);
    this.total.fill(0);
  }

  add(x: number, kind: number, part: number): void {
    this.used[kind] = 1;
    this.part[kind * this.width + x] += part;
    this.total[x] += part;
  }

  // A stretch from x0 to x1 (pixels, with fraction).
  span(x0: number, x1: number, kind: number): void {
    if (x0 < 0) x0 = 0;
    if (x1 > this.width) x1 = this.width;
    if (x1 <= x0) return;
    this.used[kind] = 1;
    if (x1 - x0 >= LONG) {
      const from = Math.ceil(x0), to = Math.floor(x1), row = kind * this.width;
      this.long[kind] = 1;
      ++this.whole[row + from];
      if (to < this.width) --this.whole[row + to];
      if (from > x0) this.add(from - 1, kind, from - x0);
      if (x1 > to) this.add(to, kind, x1 - to);
      return;
    }
    const { part, total } = this, row = kind * this.width;
    let x = x0 | 0;
    while (x0 < x1) {
      const next = x + 1;
      const length = (x1 < next ? x1 : next) - x0;
      part[row + x] += length;
      total[x] += length;
      x0 = next;
      x = next;
    }
  }

  // Parts of equal width, from x0 on: of each a share of 255 is of this class.
  addParts(shares: Uint8Array, at: number, first: number, last: number, x0: number, wide: number, kind: number): void {
    const { part, total, width } = this, row = kind * width;
    let any = 0;
    for (let i = first; i < last; ++i, x0 += wide) {
      const share = shares[at + i];
      if (share === 0) continue;
      any = 1;
      const from = x0 < 0 ? 0 : x0, to = x0 + wide < width ? x0 + wide : width;
      const x = from | 0, weight = share / 255;
      if (to <= x + 1) {
        const own = weight * (to - from);
        part[row + x] += own;
        total[x] += own;
      } else {
        for (let at = from, pixel = x; at < to; at = ++pixel) {
          const own = weight * ((to < pixel + 1 ? to : pixel + 1) - at);
          part[row + pixel] += own;
          total[pixel] += own;
        }
      }
    }
    if (any) this.used[kind] = 1;
  }

  // Adds up what was added by its ends.
  private settle(): void {
    const { part, total, whole, width } = this;
    for (let kind = 0; kind < this.long.length; ++kind) {
      if (!this.long[kind]) continue;
      for (let x = 0, at = kind * width, over = 0; x < width; ++x, ++at) {
        over += whole[at];
        part[at] += over;
        total[x] += over;
      }
      whole.fill(0, kind * width, (kind + 1) * width);
    }
    this.long.fill(0);
  }

  forEachKind(visit: (kind: number, parts: Float32Array) => void): void {
    this.settle();
    this.used.forEach((used, kind) => {
      if (used) visit(kind, this.part.subarray(kind * this.width, (kind + 1) * this.width));
    });
  }

  // One number for each pixel, alpha first: browsers run on machines with little ends.
  paint(pixels: Uint32Array, place: number): void {
    this.settle();
    const kinds = Array.from(this.used.keys()).filter((kind) => this.used[kind]);
    for (let x = 0; x < this.width; ++x) if (this.total[x] >= 1e-3) pixels[place + x] = this.colour(x, kinds);
  }

  private colour(x: number, kinds: number[]): number {
    const { palette, sums } = this, total = this.total[x];
    sums.fill(0);
    for (let i = 0; i < kinds.length; ++i) {
      const kind = kinds[i], weight = this.part[kind * this.width + x];
      if (weight === 0) continue;
      const from = kind * 3;
      if (weight >= 0.995 * total) return packed(palette[from], palette[from + 1], palette[from + 2]);
      const at = GROUP_OF[kind] * 4;
      sums[at] += weight;
      sums[at + 1] += weight * palette[from];
      sums[at + 2] += weight * palette[from + 1];
      sums[at + 3] += weight * palette[from + 2];
    }
    let most = QUIET;
    for (let group = 1; group < GROUPS; ++group) if (sums[group * 4] > (most === QUIET ? 0 : sums[most * 4])) most = group;
    const at = most * 4, own = sums[at];
    if (most === QUIET) return packed(sums[1] / own, sums[2] / own, sums[3] / own);
    // On computation's colour, which is near the ground's: the hue stays that of the cause.
    const bright = Math.sqrt(Math.min(1, own / total));
    const light = bright / own, rest = 1 - bright;
    return packed(sums[at + 1] * light + palette[0] * rest, sums[at + 2] * light + palette[1] * rest, sums[at + 3] * light + palette[2] * rest);
  }
}

function packed(red: number, green: number, blue: number): number {
  return 0xff000000 | ((blue + 0.5) << 16) | ((green + 0.5) << 8) | (red + 0.5);
}
