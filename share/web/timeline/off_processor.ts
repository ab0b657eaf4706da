// Where a thread was not on a processor: bars that hang from the top of its row, as tall as the share of the time
// between two MPI calls that it was off; and the words for it.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Model } from "../data/model";
import { WaitedFor } from "../data/report";
import { h } from "../drawing/dom";
import { duration } from "../drawing/format";
import { GUTTER, lanesInView, rowHeight, Sheet, y } from "./overlay";
import type { OverviewFacts } from "./pyramid";

const WORDS: Record<WaitedFor, string> = {
  "": "", io: "waited for files, pipes or sockets", sleep: "slept", threads: "waited for other threads", processes: "waited for other processes",
  signals: "waited for signals", something: "was blocked", pages: "waited for pages from a disk", processor: "ready, but without a processor",
  unknown: "perhaps off the processor",
};

function isTaken(model: Model, off: number): boolean {
  return model.names.waited_for[model.offReason[off]] === "processor";
}

// Which of the two marks occur in what is shown call by call: [blocked, processor taken away].
export function offMarks(models: Model[]): [boolean, boolean] {
  const kinds = new Set(models.flatMap((model) => Array.from(model.offReason, (_, off) => isTaken(model, off))));
  return [kinds.has(false), kinds.has(true)];
}

// Shares of the pixels of a lane; `taken`: without a processor, else blocked.
function sharesOf(sheet: Sheet, model: Model, lane: number): { blocked: Float32Array; taken: Float32Array; any: boolean } {
  const wide = Math.ceil(sheet.width), { t0, t1 } = sheet.view, scale = sheet.width / (t1 - t0);
  const shares = { blocked: new Float32Array(wide), taken: new Float32Array(wide), any: false };
  for (let off = model.offFrom(lane, model.callAt(lane, t0)); off < model.firstOff[lane + 1]; ++off) {
    const gap = model.offGap[off], begin = model.gapBegin(lane, gap), end = model.gapEnd(lane, gap);
    if (begin >= t1) break;
    const share = Math.min(1, model.offLength[off] / Math.max(1, end - begin)), parts = isTaken(model, off) ? shares.taken : shares.blocked;
    const from = Math.max(0, (begin - t0) * scale), to = Math.min(wide, (end - t0) * scale);
    for (let pixel = Math.floor(from); pixel < to; ++pixel) parts[pixel] += share * (Math.min(pixel + 1, to) - Math.max(pixel, from));
    shares.any = true;
  }
  return shares;
}

const LEAST_HEIGHT = 12; // of a row with bars

// Bars from `top` on, by pixel.
function drawBars(sheet: Sheet, top: number, blocked: ArrayLike<number>, taken: ArrayLike<number>): void {
  const { context, ink } = sheet, room = Math.min(8, rowHeight(sheet) * 0.3), LEAST = 0.02; // of a pixel's time
  for (let pixel = 0; pixel < blocked.length; ++pixel) {
    const all = Math.min(1, blocked[pixel] + taken[pixel]), away = Math.min(all, taken[pixel]);
    if (all < LEAST) continue;
    context.fillStyle = ink.text;
    context.fillRect(GUTTER + pixel, top, 1, Math.max(1, room * all));
    context.fillStyle = ink.accent;
    if (away > 0) context.fillRect(GUTTER + pixel, top, 1, Math.max(1, room * away));
  }
}

export function drawOffProcessor(sheet: Sheet, model: Model): void {
  if (rowHeight(sheet) < LEAST_HEIGHT || model.offGap.length === 0) return;
  for (const lane of lanesInView(sheet)) {
    const { blocked, taken, any } = sharesOf(sheet, model, lane);
    if (any) drawBars(sheet, y(sheet, lane, 0) + 1, blocked, taken);
  }
}

// The same of all of a long run, in averages: hundredths by row and part.
export class OffOverview {
  private readonly blocked: Uint8Array;
  private readonly taken: Uint8Array;
  readonly marks: [boolean, boolean] = [false, false]; // as of offMarks

  constructor(columns: Columns, private readonly facts: OverviewFacts) {
    this.blocked = new Uint8Array(facts.rows * facts.parts);
    this.taken = new Uint8Array(facts.rows * facts.parts);
    const blocked = columns.reader("overview_off_blocked"), taken = columns.reader("overview_off_taken");
    let cell = 0;
    for (const further of columns.numbers("overview_off_part")) {
      cell += further;
      this.blocked[cell] = blocked.next();
      this.taken[cell] = taken.next();
      this.marks[0] ||= this.blocked[cell] > 0;
      this.marks[1] ||= this.taken[cell] > 0;
    }
  }

  // Shares of a row between two of its parts, which need not be whole: [blocked, taken].
  shares(row: number, from: number, to: number): [number, number] {
    const sum: [number, number] = [0, 0];
    for (let part = Math.floor(from); part < to; ++part) {
      const inside = Math.min(part + 1, to) - Math.max(part, from), cell = row * this.facts.parts + part;
      sum[0] += (inside * this.blocked[cell]) / 100;
      sum[1] += (inside * this.taken[cell]) / 100;
    }
    return [sum[0] / (to - from), sum[1] / (to - from)];
  }

  draw(sheet: Sheet): void {
    if (rowHeight(sheet) < LEAST_HEIGHT || !this.marks.includes(true)) return;
    const wide = Math.floor(sheet.width), { t0, t1 } = sheet.view, { from_s, to_s, parts } = this.facts;
    const partAt = (pixel: number): number => Math.min(parts, ((t0 + ((t1 - t0) * pixel) / sheet.width - from_s) / (to_s - from_s)) * parts);
    for (let row = 0; row < this.facts.rows; ++row) {
      const shares = Array.from({ length: wide }, (_, pixel) => this.shares(row, Math.max(0, partAt(pixel)), partAt(pixel + 1)));
      drawBars(sheet, y(sheet, row * this.facts.lanes_per_row, 0) + 1, shares.map((of) => of[0]), shares.map((of) => of[1]));
    }
  }
}

// In words: of the time between two MPI calls of a lane, how much of it was off, and why.
export function offProcessorRows(model: Model, lane: number, gap: number): HTMLElement[] {
  const rows: HTMLElement[] = [];
  for (let off = model.offFrom(lane, gap); off < model.firstOff[lane + 1] && model.offGap[off] === gap; ++off)
    rows.push(h("div", { class: "off" }, `${duration(model.length(model.offLength[off]))} of it not on a processor: ${WORDS[model.names.waited_for[model.offReason[off]]]}`));
  return rows;
}
