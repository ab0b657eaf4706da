// Sums of an area: lanes, and a stretch of time.
// SPDX-License-Identifier: BSD-3-Clause
import { Model, NONE } from "../data/model";
import { causeColour } from "../drawing/colours";
import { Cell, h, table } from "../drawing/dom";
import { duration, moment, percent } from "../drawing/format";

export interface Area {
  lanes: number[];
  begin: number; // units
  end: number;
}

interface Sums {
  all: number;
  mpi: number;
  off: number; // not on a processor, of the computation
  waits: Map<number, number>; // by cause; -1: another cause, -2: none
}

function sumsIn(model: Model, area: Area): Sums {
  const sums: Sums = { all: 0, mpi: 0, off: 0, waits: new Map() };
  const inside = (from: number, to: number): number => Math.max(0, Math.min(to, area.end) - Math.max(from, area.begin));
  for (const lane of area.lanes) {
    sums.all += inside(model.laneBegin[lane], model.laneEnd[lane]);
    const first = model.callAt(lane, area.begin);
    for (let op = first; op < model.firstOp[lane + 1] && model.enter[op] < area.end; ++op) sums.mpi += inside(model.enter[op], model.leave[op]);
    for (let off = model.offFrom(lane, first); off < model.firstOff[lane + 1]; ++off) {
      const gap = model.offGap[off], from = model.gapBegin(lane, gap), to = model.gapEnd(lane, gap);
      if (from >= area.end) break;
      sums.off += (model.offLength[off] * inside(from, to)) / Math.max(1, to - from);
    }
    for (let wait = model.waitFrom(lane, first); wait < model.firstWait[lane + 1]; ++wait) {
      const from = model.enter[model.waitOp[wait]];
      if (from >= area.end) break;
      const path = model.waitPath[wait], cause = path === NONE ? -2 : model.causeOfPath[path];
      sums.waits.set(cause, (sums.waits.get(cause) ?? 0) + inside(from, from + model.waitLength[wait]));
    }
  }
  return sums;
}

export function describeArea(model: Model, area: Area): HTMLElement {
  const sums = sumsIn(model, area), all = sums.all || 1;
  const waiting = [...sums.waits.values()].reduce((a, b) => a + b, 0);
  const row = (name: string | Node, units: number): Cell[] => [
    { text: name, sort: units }, { text: duration(model.length(units)), sort: units, figure: true }, { text: percent(units / all), sort: units, figure: true },
  ];
  const title = (cause: number): string => (cause === -2 ? "waiting, no cause found" : cause === -1 ? "waiting, other cause" : `waiting for ${model.report.causes[cause].function}`);
  const rows = [row("computation", sums.all - sums.mpi - sums.off), ...(sums.off > 0 ? [row("not on a processor", sums.off)] : []), row("MPI without waiting", Math.max(0, sums.mpi - waiting)),
    ...[...sums.waits].sort((a, b) => b[1] - a[1]).map(([cause, units]) => row(h("span", {}, h("i", { class: "chip", style: `background:${causeColour(cause)}` }), title(cause)), units))];
  const length = model.length(area.end - area.begin);
  return h("div", { class: "card", id: "area" },
    h("h3", {}, "Selected area", h("small", {}, ` ${area.lanes.length} thread${area.lanes.length === 1 ? "" : "s"} · ${moment(model.seconds(area.begin), length)} to ${moment(model.seconds(area.end), length)} · ${duration(model.length(sums.all))} core time`)),
    table(["what", "time", "share"], rows));
}
