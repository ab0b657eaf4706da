// Rows as they are seen from far away: how much of each colour class is in each of many equal parts of the run, at
// several widths. A run of millions of calls is added up once; a picture of it then costs as much as its pixels.
// SPDX-License-Identifier: BSD-3-Clause
import { CLASSES } from "../drawing/colours";
import { Mixture } from "./mixture";
import type { View } from "./paint";
import type { Rows } from "./rows";

const MOST_BINS = 65536, FEWEST_BINS = 1024, MOST_CELLS = 2_000_000, MOST_ROWS = 600;
const WIDEST = 2; // pixels of a part

type Level = (Uint8Array | undefined)[]; // by class: row by row, its share of each part, 255: all

export class Bins {
  private readonly levels: Level[] = []; // the finest first
  private readonly finest: number;

  // Of so many rows a picture would cost as much as before.
  static fit(rows: Rows): boolean {
    return rows.count <= MOST_ROWS;
  }

  // `lane` adds all of a lane to a mixture that is as wide as the run.
  constructor(readonly rows: Rows, private readonly span: number, lane: (lane: number, all: View, into: Mixture) => void) {
    let bins = MOST_BINS;
    while (bins > FEWEST_BINS && bins * rows.count > MOST_CELLS) bins /= 2;
    this.finest = bins;
    const mixture = new Mixture(bins, new Float32Array(CLASSES * 6)), all: View = { t0: 0, t1: span, row0: 0, rows: rows.count };
    const level: Level = [];
    for (let row = 0; row < rows.count; ++row) {
      mixture.clear();
      const lanes = rows.lanesOf(row), most = 255 / lanes.length;
      for (const one of lanes) lane(one, all, mixture);
      mixture.forEachKind((kind, parts) => {
        const plane = (level[kind] ??= new Uint8Array(rows.count * bins)), at = row * bins;
        for (let x = 0; x < bins; ++x) if (parts[x] > 0) plane[at + x] = Math.min(255, Math.ceil(parts[x] * most));
      });
    }
    this.levels.push(level);
    for (; bins > FEWEST_BINS; bins /= 2) this.levels.push(this.levels[this.levels.length - 1].map(halved));
  }

  // The one whose parts are just as narrow as is needed; -1: even the finest ones are too wide.
  levelFor(view: View, pixels: number): number {
    const inView = ((view.t1 - view.t0) / this.span) * this.finest;
    if (inView * WIDEST < pixels) return -1;
    return Math.min(this.levels.length - 1, Math.max(0, Math.floor(Math.log2(inView / pixels))));
  }

  add(number: number, row: number, view: View, into: Mixture): void {
    const bins = this.finest >> number, each = this.span / bins, scale = into.width / (view.t1 - view.t0), wide = each * scale;
    const first = Math.max(0, Math.floor(view.t0 / each)), last = Math.min(bins, Math.ceil(view.t1 / each));
    this.levels[number].forEach((plane, kind) => {
      if (plane) into.addParts(plane, row * bins, first, last, (first * each - view.t0) * scale, wide, kind);
    });
  }
}

function halved(plane: Uint8Array | undefined): Uint8Array | undefined {
  if (!plane) return undefined;
  const half = new Uint8Array(plane.length / 2);
  for (let i = 0; i < half.length; ++i) half[i] = (plane[2 * i] + plane[2 * i + 1] + 1) >> 1;
  return half;
}
