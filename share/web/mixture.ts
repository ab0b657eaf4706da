// What fills a row of pixels: how much of each colour class. Where several share a pixel, it has the colour of the
// cause with most of it, brighter the more that is; what is quiet is averaged. Mixed colours of causes would be browns
// that nobody finds in the legend.
// SPDX-License-Identifier: BSD-3-Clause
import { CLASSES, CULPRIT_CLASS, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "./colours";
import { SHOWN_CAUSES } from "./model";

// Groups of classes that belong together: quiet ones, each cause with its waits, other causes, no cause.
const QUIET = 0, OTHER = SHOWN_CAUSES + 1, NOBODY = SHOWN_CAUSES + 2, GROUPS = SHOWN_CAUSES + 3;

function groupOf(kind: number): number {
  if (kind >= CLASSES || kind < WAIT_CLASS) return QUIET; // faded ones are quiet, too
  if (kind === OTHER_CAUSE) return OTHER;
  if (kind === NO_CAUSE) return NOBODY;
  return 1 + (kind >= CULPRIT_CLASS ? kind - CULPRIT_CLASS : kind - WAIT_CLASS);
}
const GROUP_OF = Uint8Array.from({ length: 2 * CLASSES }, (_, kind) => groupOf(kind));

export class Mixture {
  private readonly part: Float32Array; // by class and pixel
  private readonly used = new Uint8Array(2 * CLASSES);
  private readonly total: Float32Array;
  private readonly sums = new Float32Array(GROUPS * 4); // weight, red, green, blue

  // The palette has CLASSES colours, and as many faded ones.
  constructor(readonly width: number, private readonly palette: Float32Array) {
    this.part = new Float32Array(2 * CLASSES * width);
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

  // One number for each pixel, alpha first: browsers run on machines with little ends.
  paint(pixels: Uint32Array, place: number): void {
    const kinds = Array.from(this.used.keys()).filter((kind) => this.used[kind]);
    for (let x = 0; x < this.width; ++x) if (this.total[x] >= 1e-3) pixels[place + x] = this.colour(x, kinds);
  }

  private colour(x: number, kinds: number[]): number {
    const { palette, sums } = this, total = this.total[x];
    sums.fill(0);
    for (const kind of kinds) {
      const weight = this.part[kind * this.width + x];
      if (weight === 0) continue;
      if (weight >= 0.995 * total) return packed(palette[kind * 3], palette[kind * 3 + 1], palette[kind * 3 + 2]);
      const at = GROUP_OF[kind] * 4;
      sums[at] += weight;
      for (let c = 0; c < 3; ++c) sums[at + 1 + c] += weight * palette[kind * 3 + c];
    }
    let most = QUIET;
    for (let group = 1; group < GROUPS; ++group) if (sums[group * 4] > (most === QUIET ? 0 : sums[most * 4])) most = group;
    const at = most * 4, own = sums[at];
    if (most === QUIET) return packed(sums[1] / own, sums[2] / own, sums[3] / own);
    // On computation's colour, which is near the ground's: the hue stays that of the cause.
    const bright = Math.sqrt(Math.min(1, own / total));
    const mixed = (c: number): number => (sums[at + 1 + c] / own) * bright + palette[c] * (1 - bright);
    return packed(mixed(0), mixed(1), mixed(2));
  }
}

function packed(red: number, green: number, blue: number): number {
  return 0xff000000 | ((blue + 0.5) << 16) | ((green + 0.5) << 8) | (red + 0.5);
}
