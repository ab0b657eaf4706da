// Where a thread was not on a processor: bars that hang from the top of its row, as tall as the share of the time
// between two MPI calls that it was off; and the words for it.
// SPDX-License-Identifier: BSD-3-Clause
import { h } from "./dom";
import { duration } from "./format";
import { Model } from "./model";
import { GUTTER, lanesInView, rowHeight, Sheet, y } from "./overlay";
import { WaitedFor } from "./report";

const WORDS: Record<WaitedFor, string> = {
  "": "", io: "waited for files, pipes or sockets", sleep: "slept", threads: "waited for other threads", processes: "waited for other processes",
  signals: "waited for signals", something: "was blocked", pages: "waited for pages from a disk", processor: "ready, but without a processor",
  unknown: "perhaps off the processor",
};

function isTaken(model: Model, off: number): boolean {
  return model.names.waited_for[model.offReason[off]] === "processor";
}

// Which of the two marks occur: [blocked, processor taken away].
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

export function drawOffProcessor(sheet: Sheet, model: Model): void {
  const high = rowHeight(sheet), LEAST = 0.02; // of a pixel's time
  if (high < 12 || model.offGap.length === 0) return;
  const { context, ink } = sheet, room = Math.min(8, high * 0.3);
  for (const lane of lanesInView(sheet)) {
    const { blocked, taken, any } = sharesOf(sheet, model, lane);
    if (!any) continue;
    const top = y(sheet, lane, 0) + 1;
    for (let pixel = 0; pixel < blocked.length; ++pixel) {
      const all = Math.min(1, blocked[pixel] + taken[pixel]), away = Math.min(all, taken[pixel]);
      if (all < LEAST) continue;
      context.fillStyle = ink.text;
      context.fillRect(GUTTER + pixel, top, 1, Math.max(1, room * all));
      context.fillStyle = ink.accent;
      if (away > 0) context.fillRect(GUTTER + pixel, top, 1, Math.max(1, room * away));
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
