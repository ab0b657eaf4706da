// What every row did in each of many equal parts of the run, as shares of the time; and pictures of that,
// each half as wide as the previous one, so that a view from far away is made from everything that happened,
// and not from a sample.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { KINDS, Model } from "../data/model";
import { classColours, CULPRIT_CLASS, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "../drawing/colours";
import { Mixture } from "./mixture";

export interface OverviewFacts {
  from_s: number;
  to_s: number;
  operations: number;
  lanes_per_row: number;
  rows: number;
  parts: number; // a power of two
}

// Codes of analyzer/writers/page/encode_overview.cpp: kinds of calls; waiting for another cause; waiting for
// an unknown one; and for each shown cause, waiting for it and the cause itself.
const CODE_OTHER = KINDS.length, CODE_NONE = CODE_OTHER + 1, CODE_CAUSES = CODE_NONE + 1;
const NARROWEST = 256;

export interface Share {
  colour: number; // class of colours.ts
  hundredths: number;
}

export class Pyramid {
  private readonly first: Uint32Array; // by row and part, one more
  private readonly code: Uint8Array;
  private readonly share: Uint8Array;
  private levels: HTMLCanvasElement[] = [];

  constructor(columns: Columns, private readonly facts: OverviewFacts, private readonly model: Model) {
    const entries = columns.reader("overview_entries");
    this.first = new Uint32Array(facts.rows * facts.parts + 1);
    for (let cell = 0; cell + 1 < this.first.length; ++cell) this.first[cell + 1] = this.first[cell] + entries.next();
    this.code = Uint8Array.from(columns.numbers("overview_code"));
    this.share = Uint8Array.from(columns.numbers("overview_share"));
  }

  private colourOf(code: number, row: number): number {
    if (code < CODE_OTHER) return code;
    if (code < CODE_CAUSES) return code === CODE_NONE ? NO_CAUSE : OTHER_CAUSE;
    const cause = (code - CODE_CAUSES) >> 1, isWait = (code - CODE_CAUSES) % 2 === 0;
    if (isWait) return cause < this.model.coloured ? WAIT_CLASS + cause : OTHER_CAUSE;
    const first = row * this.facts.lanes_per_row;
    for (let lane = first; lane < Math.min(this.model.lanes, first + this.facts.lanes_per_row); ++lane)
      if (this.model.isCulprit(cause, lane)) return CULPRIT_CLASS + cause;
    const path = this.model.causeOfPath.indexOf(cause);
    return path < 0 ? 0 : this.model.pathKind[path];
  }

  // The shares of one row over some of the parts, largest first.
  shares(row: number, firstPart: number, lastPart: number): Share[] {
    const sum = new Map<number, number>();
    for (let part = firstPart; part < lastPart; ++part) {
      const cell = row * this.facts.parts + part;
      for (let i = this.first[cell]; i < this.first[cell + 1]; ++i) {
        const colour = this.colourOf(this.code[i], row);
        sum.set(colour, (sum.get(colour) ?? 0) + this.share[i] / (lastPart - firstPart));
      }
    }
    return [...sum].map(([colour, hundredths]) => ({ colour, hundredths })).sort((a, b) => b.hundredths - a.hundredths);
  }

  // Classes and shares of cells that are `each` parts wide: a mixture as in the timeline (mixture.ts).
  private picture(each: number, palette: Float32Array): HTMLCanvasElement {
    const { rows, parts } = this.facts, width = parts / each;
    const picture = new Uint8ClampedArray(rows * width * 4), pixels = new Uint32Array(picture.buffer);
    const mixture = new Mixture(width, palette);
    for (let row = 0; row < rows; ++row) {
      const colours = Array.from({ length: CODE_CAUSES + 2 * (CULPRIT_CLASS - WAIT_CLASS) }, (_, code) => this.colourOf(code, row));
      mixture.clear();
      for (let part = 0; part < parts; ++part) {
        const cell = row * parts + part, x = Math.floor(part / each);
        for (let i = this.first[cell]; i < this.first[cell + 1]; ++i) mixture.add(x, colours[this.code[i]], this.share[i]);
      }
      mixture.paint(pixels, row * width);
    }
    return asCanvas(picture, width, rows);
  }

  recolour(): void {
    this.levels = [];
  }

  // The widest picture that has no more than `pixels` in a part of `share` of it.
  level(share: number, pixels: number): HTMLCanvasElement {
    const { parts } = this.facts, last = Math.max(0, Math.log2(parts / NARROWEST));
    const wanted = Math.min(last, Math.max(0, Math.ceil(Math.log2((parts * share) / pixels))));
    return (this.levels[wanted] ??= this.picture(2 ** wanted, Float32Array.from([...classColours(), ...classColours()].flat())));
  }
}

function asCanvas(picture: Uint8ClampedArray, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  (canvas.getContext("2d") as CanvasRenderingContext2D).putImageData(new ImageData(picture, width, height), 0, 0);
  return canvas;
}
