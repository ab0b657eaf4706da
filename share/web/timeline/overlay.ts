// What is drawn over the painted lanes: ruler, names, messages, collective operations, critical path, selection.
// SPDX-License-Identifier: BSD-3-Clause
import { Model, NONE } from "../data/model";
import { duration, squeezed } from "../drawing/format";
import { Painter, View } from "./paint";
import { Group, Rows } from "./rows";

export const RULER = 34; // pixels above the lanes
export const GUTTER = 72; // pixels left of them
const MOST_ARROWS = 400, MOST_LINES = 60, MOST_LABELS = 1500;

export interface Ink {
  text: string;
  faint: string;
  line: string;
  ground: string;
  path: string;
  accent: string;
}

export function ink(): Ink {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: value("--text"), faint: value("--faint"), line: value("--line"), ground: value("--ground"),
    path: value("--path"), accent: value("--accent"),
  };
}

export interface Sheet {
  context: CanvasRenderingContext2D;
  width: number; // of the lanes
  height: number;
  view: View;
  rows: Rows;
  ink: Ink;
}

export function x(sheet: Sheet, time: number): number {
  return GUTTER + ((time - sheet.view.t0) / (sheet.view.t1 - sheet.view.t0)) * sheet.width;
}
export function rowHeight(sheet: Sheet): number {
  return sheet.height / sheet.view.rows;
}
export function y(sheet: Sheet, lane: number, within = 0.5): number {
  return RULER + (sheet.rows.rowOf[lane] + within - sheet.view.row0) * rowHeight(sheet);
}
function isShown(sheet: Sheet, lane: number): boolean {
  const row = sheet.rows.rowOf[lane];
  return row + 1 > sheet.view.row0 && row < sheet.view.row0 + sheet.view.rows;
}

// A step of 1, 2 or 5 times a power of ten that leaves room for labels.
function tick(span: number, room: number): number {
  const least = (span * 90) / room;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least) ?? least;
}

type Ruled = Pick<Model, "seconds" | "units" | "steps">;

export function drawRuler(sheet: Sheet, model: Ruled): void {
  const { context, view, width, ink } = sheet;
  context.fillStyle = ink.faint;
  context.strokeStyle = ink.line;
  context.font = "11px system-ui, sans-serif";
  const from = model.seconds(view.t0), to = model.seconds(view.t1);
  const step = tick(to - from, width);
  context.textAlign = "left";
  for (let i = Math.ceil(from / step); i * step <= to; ++i) {
    const at = x(sheet, model.units(i * step));
    context.fillRect(at, 12, 1, 5);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const text = step >= 1e-3 ? `${(i * step).toFixed(Math.min(digits, 3))} s` : `${(i * step).toFixed(digits)} s`;
    if (at + 4 < GUTTER + width - 40) context.fillText(text, at + 4, 16);
  }
  drawSteps(sheet, model);
}

function drawSteps(sheet: Sheet, model: Ruled): void {
  const { context, view, width, ink } = sheet;
  const steps = model.steps;
  if (steps.length === 0) return;
  const inView = steps.filter((step, i) => (steps[i + 1]?.begin ?? step.begin) >= view.t0 && step.begin <= view.t1);
  const each = Math.max(1, Math.ceil((inView.length * 4) / width));
  let free = -1000; // from where on there is room for labels
  for (const step of inView) {
    if (step.step >= 0 && step.step % each !== 0) continue;
    const at = Math.max(GUTTER, x(sheet, step.begin));
    context.fillStyle = ink.line;
    context.fillRect(at, 20, 1, RULER - 20);
    if (step.step < 0 || at < free) continue;
    const text = `step ${step.step}`;
    context.fillStyle = ink.faint;
    context.fillText(text, at + 3, 30);
    free = at + Math.max(52, context.measureText(text).width + 10);
  }
}

// The label of a row: a rank, or the name of a group that can be opened.
function rowName(sheet: Sheet, model: Model, row: number, groups: readonly Group[] | null): string {
  const lane = sheet.rows.lanesOf(row)[0], group = sheet.rows.group(row), thread = model.names.lanes.thread[lane];
  if (groups && group >= 0) return `${sheet.rows.isOpen(group) ? "▾" : "▸"} ${groups[group].name.replace(/ ranks?$/, "").slice(0, 10)}`;
  return `${model.names.lanes.rank[lane]}${thread ? `.${thread}` : ""}`;
}

export function drawLaneNames(sheet: Sheet, model: Model, groups: readonly Group[] | null = null): void {
  const { context, view, rows, ink } = sheet;
  const high = rowHeight(sheet);
  const each = Math.max(1, Math.ceil(13 / high));
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = ink.faint;
  const first = Math.ceil(Math.floor(view.row0) / each) * each;
  for (let row = first; row < view.row0 + view.rows && row < rows.count; row += each) {
    const middle = RULER + (row + (high >= 13 ? 0.5 : Math.min(0.5, 6 / high)) - view.row0) * high;
    if (middle >= RULER) context.fillText(rowName(sheet, model, row, groups), GUTTER - 8, middle);
  }
  context.textBaseline = "alphabetic";
  if (high < 6) return;
  context.fillStyle = ink.ground;
  for (let row = Math.floor(view.row0); row <= view.row0 + view.rows; ++row)
    context.fillRect(GUTTER, Math.round(RULER + (row - view.row0) * high) - 1, sheet.width, high > 14 ? 2 : 1);
}

// Function names in wide stretches.
export function drawLabels(sheet: Sheet, model: Model): void {
  const { context, view, rows, ink } = sheet;
  if (rowHeight(sheet) < 14) return;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = ink.text;
  context.strokeStyle = ink.ground; // letters stand out on any colour
  context.lineWidth = 2.5;
  context.lineJoin = "round";
  let drawn = 0;
  const label = (lane: number, begin: number, end: number, path: number): void => {
    const left = Math.max(GUTTER, x(sheet, begin)), right = Math.min(GUTTER + sheet.width, x(sheet, end));
    if (right - left < 46 || ++drawn > MOST_LABELS) return;
    const name = model.functionOf(path).replace(/^MPI_/, "");
    const room = Math.floor((right - left - 8) / 6.2);
    const text = squeezed(name, room);
    context.strokeText(text, left + 4, y(sheet, lane));
    context.fillText(text, left + 4, y(sheet, lane));
  };
  for (let row = Math.floor(view.row0); row < view.row0 + view.rows && row < rows.count; ++row) {
    const lane = rows.lane(row);
    if (lane < 0) continue;
    const first = model.callAt(lane, view.t0), last = model.firstOp[lane + 1];
    if (model.callAt(lane, view.t1) - first > MOST_LABELS) continue;
    for (let op = first; op <= last && model.gapBegin(lane, op) < view.t1; ++op) {
      label(lane, model.gapBegin(lane, op), model.gapEnd(lane, op), model.gapPath[op + lane]);
      if (op < last) label(lane, model.enter[op], model.leave[op], model.opPath[op]);
    }
  }
  context.textBaseline = "alphabetic";
}

export function drawArrow(sheet: Sheet, model: Model, message: number, strong: boolean): void {
  const { context, ink } = sheet;
  const send = model.messages.send[message], receive = model.messages.receive[message];
  const from = model.laneOf(send), to = model.laneOf(receive);
  const x0 = x(sheet, model.enter[send]), x1 = x(sheet, model.leave[receive]);
  const y0 = y(sheet, from), y1 = y(sheet, to);
  context.strokeStyle = context.fillStyle = strong ? ink.accent : ink.text;
  context.globalAlpha = strong ? 1 : 0.45;
  context.lineWidth = strong ? 2 : 1;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  const angle = Math.atan2(y1 - y0, x1 - x0);
  context.beginPath();
  context.moveTo(x1, y1);
  for (const side of [-0.4, 0.4]) context.lineTo(x1 - 7 * Math.cos(angle + side), y1 - 7 * Math.sin(angle + side));
  context.fill();
  context.globalAlpha = 1;
}

// The lanes of rows in view, without those of closed groups.
export function lanesInView(sheet: Sheet): number[] {
  const lanes: number[] = [];
  for (let row = Math.floor(sheet.view.row0); row < sheet.view.row0 + sheet.view.rows && row < sheet.rows.count; ++row)
    if (sheet.rows.lane(row) >= 0) lanes.push(sheet.rows.lane(row));
  return lanes;
}

// The first message of a lane that is received in call `op` or a later one.
function messageFrom(model: Model, lane: number, op: number): number {
  const { receive } = model.messages;
  let low = model.firstMessage[lane], high = model.firstMessage[lane + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (receive[middle] >= op) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Messages received in the window. Returns how many there are; above a limit none is drawn.
export function drawArrows(sheet: Sheet, model: Model): number {
  const lanes = lanesInView(sheet), all = lanes.reduce((sum, lane) => sum + model.firstMessage[lane + 1] - model.firstMessage[lane], 0);
  if (all > MOST_ARROWS && sheet.view.t0 <= 0 && sheet.view.t1 >= model.span) return all; // without reading them
  const received = lanes.map((lane) => [messageFrom(model, lane, model.callAt(lane, sheet.view.t0)), messageFrom(model, lane, model.callAt(lane, sheet.view.t1) + 1)]);
  const count = received.reduce((sum, [first, last]) => sum + last - first, 0);
  if (count > MOST_ARROWS) return count;
  for (const [first, last] of received)
    for (let m = first; m < last; ++m) if (isShown(sheet, model.laneOf(model.messages.send[m]))) drawArrow(sheet, model, m, false);
  return 0;
}

function collectiveLine(sheet: Sheet, model: Model, collective: number, strong: boolean): void {
  const { context, ink } = sheet;
  const first = model.firstMember[collective], last = model.firstMember[collective + 1];
  const points = Array.from(model.memberOp.subarray(first, last))
    .map((op) => ({ x: x(sheet, model.enter[op]), y: y(sheet, model.laneOf(op)) }))
    .sort((a, b) => a.y - b.y);
  context.strokeStyle = strong ? ink.accent : ink.faint;
  context.lineWidth = strong ? 2 : 1;
  context.beginPath();
  points.forEach((point, i) => (i === 0 ? context.moveTo(point.x, point.y) : context.lineTo(point.x, point.y)));
  context.stroke();
}

// A line through the arrivals at every collective operation that begins in the window, if there are not too many.
export function drawCollectives(sheet: Sheet, model: Model): void {
  const shown = new Set<number>();
  for (const lane of lanesInView(sheet)) {
    const last = model.callAt(lane, sheet.view.t1);
    const first = model.callAt(lane, sheet.view.t0);
    if (last - first > 20 * MOST_LINES) return;
    for (let op = first; op <= last && op < model.firstOp[lane + 1]; ++op)
      if (model.collectiveOf[op] !== NONE) shown.add(model.collectiveOf[op]);
    if (shown.size > MOST_LINES) return;
  }
  for (const collective of shown) collectiveLine(sheet, model, collective, false);
}

// The first stretch of the critical path that ends after `time`.
function criticalAt(model: Model, time: number): number {
  let low = 0, high = model.critical.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.critical[middle].end > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Along the bottom of a row where the path stays there for at least a few pixels; a thin line where it goes
// to another rank. Returns how many stretches are in view if most of them are shorter, so that nothing is
// drawn.
export function drawCriticalPath(sheet: Sheet, model: Model): number {
  const LEAST = 3, LEAST_FOR_LINES = 8; // pixels
  const { context, view, ink } = sheet;
  const first = criticalAt(model, view.t0), last = criticalAt(model, view.t1) + 1;
  const scale = sheet.width / (view.t1 - view.t0), parts = model.critical.slice(first, last).filter((part) => part.begin < view.t1);
  const wide = (part: { begin: number; end: number }): number => (Math.min(part.end, view.t1) - Math.max(part.begin, view.t0)) * scale;
  const seen = parts.reduce((sum, part) => sum + (wide(part) >= LEAST ? wide(part) : 0), 0), all = parts.reduce((sum, part) => sum + wide(part), 0);
  if (seen < 0.5 * all) return parts.length;
  const stays = new Path2D(), goes = new Path2D();
  let before: { x: number; y: number; wide: number } | null = null;
  for (const part of parts) {
    if (wide(part) < LEAST) continue;
    const x0 = x(sheet, Math.max(part.begin, view.t0)), x1 = x(sheet, Math.min(part.end, view.t1));
    const at = y(sheet, part.lane, 0.88);
    if (before && Math.abs(at - before.y) > 0.3 && Math.min(before.wide, wide(part)) >= LEAST_FOR_LINES) {
      goes.moveTo(before.x, before.y);
      goes.lineTo(x0, at);
    }
    stays.moveTo(x0, at);
    stays.lineTo(x1, at);
    before = { x: x1, y: at, wide: wide(part) };
  }
  context.strokeStyle = ink.path;
  context.globalAlpha = 0.25;
  context.lineWidth = 1;
  context.stroke(goes);
  context.globalAlpha = 0.85;
  context.lineWidth = Math.min(3, Math.max(1, rowHeight(sheet) / 8));
  context.stroke(stays);
  context.globalAlpha = 1;
  return 0;
}

export function drawSelection(sheet: Sheet, model: Model, op: number): void {
  const { context, ink } = sheet;
  const lane = model.laneOf(op);
  const high = Math.max(4, rowHeight(sheet));
  context.strokeStyle = ink.accent;
  context.lineWidth = 2;
  const left = x(sheet, model.enter[op]);
  context.strokeRect(left - 1, y(sheet, lane, 0) - 1, Math.max(3, x(sheet, model.leave[op]) - left + 2), high + 1);
  const first = model.firstMessage[lane], last = model.firstMessage[lane + 1];
  for (let m = first; m < last; ++m) if (model.messages.receive[m] === op) drawArrow(sheet, model, m, true);
  if (model.collectiveOf[op] !== NONE) collectiveLine(sheet, model, model.collectiveOf[op], true);
}

// A frame around lanes for some time.
export function drawArea(sheet: Sheet, lanes: number[], begin: number, end: number): void {
  const { context, ink } = sheet;
  const rows = lanes.map((lane) => sheet.rows.rowOf[lane]), high = rowHeight(sheet);
  const first = Math.min(...rows), last = Math.max(...rows), left = x(sheet, begin);
  context.strokeStyle = ink.accent;
  context.lineWidth = 2;
  context.strokeRect(left - 1, RULER + (first - sheet.view.row0) * high, Math.max(3, x(sheet, end) - left + 2), (last - first + 1) * high);
}

// From the end of what was late to the waits for it.
export function drawVictims(sheet: Sheet, model: Model, culprit: number, end: number, waits: number[]): void {
  const { context, ink } = sheet;
  context.strokeStyle = ink.accent;
  context.lineWidth = 1.5;
  for (const wait of waits.slice(0, MOST_ARROWS)) {
    const op = model.waitOp[wait], lane = model.laneOf(op), from = x(sheet, model.enter[op]), to = x(sheet, model.enter[op] + model.waitLength[wait]);
    context.strokeRect(from, y(sheet, lane, 0.1), Math.max(2, to - from), rowHeight(sheet) * 0.8);
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(x(sheet, end), y(sheet, culprit));
    context.lineTo(to, y(sheet, lane));
    context.stroke();
    context.globalAlpha = 1;
  }
}

// One line of pixels for each row, stretched to its height; where there are more rows than pixels, they share
// lines.
export function drawPicture(sheet: Sheet, painter: Painter): void {
  const { view, rows, height, width } = sheet, ratio = window.devicePixelRatio || 1;
  const wide = Math.max(1, Math.round(width * ratio));
  const first = Math.floor(view.row0);
  const lines = Math.min(Math.ceil(view.row0 + view.rows), rows.count) - first;
  const few = lines <= height * ratio;
  const shown = few ? { ...view, row0: first, rows: lines } : view;
  const tall = few ? lines : Math.round(height * ratio);
  const picture = painter.picture(rows, shown, wide, tall);
  const { context } = sheet;
  context.save();
  context.beginPath();
  context.rect(GUTTER, RULER, width, height);
  context.clip();
  context.imageSmoothingEnabled = false;
  const high = rowHeight(sheet);
  context.drawImage(picture, GUTTER, few ? RULER - (view.row0 - first) * high : RULER, width, few ? lines * high : height);
  context.restore();
}

// Processors a rank used and its memory: bars in the lower part of its row, where rows are high enough.
export function drawResources(sheet: Sheet, model: Model): void {
  const use = model.report.resources;
  const high = rowHeight(sheet);
  if (!use || high < 16) return;
  const { context, ink } = sheet;
  const byRank = new Map(use.ranks.map((row) => [row.rank, row]));
  for (const lane of lanesInView(sheet)) {
    const entry = model.names.lanes.thread[lane] === 0 ? byRank.get(model.names.lanes.rank[lane]) : undefined;
    if (!entry) continue;
    const bottom = y(sheet, lane, 1) - 1;
    const room = Math.min(8, high * 0.3);
    entry.processors_over_time.forEach((busy, column) => {
      const left = Math.max(GUTTER, x(sheet, model.units(column * use.column_s)));
      const right = Math.min(GUTTER + sheet.width, x(sheet, model.units((column + 1) * use.column_s)));
      if (busy === null || right <= left) return;
      context.globalAlpha = 0.55;
      context.fillStyle = ink.text;
      context.fillRect(left, bottom - room * Math.min(1, busy), right - left, Math.max(0.5, room * Math.min(1, busy)));
      const memory = entry.resident_bytes_over_time[column];
      if (memory !== null && entry.most_resident_bytes > 0) {
        context.fillStyle = ink.accent;
        context.fillRect(left, bottom - room * (memory / entry.most_resident_bytes), right - left, 1);
      }
    });
    context.globalAlpha = 1;
  }
}

export function drawWindow(sheet: Sheet, model: Model, span: number): void {
  const { context, view, width, ink } = sheet;
  context.fillStyle = ink.line;
  context.fillRect(GUTTER, 0, width, 3);
  context.fillStyle = ink.accent;
  const left = (view.t0 / span) * width;
  context.fillRect(GUTTER + left, 0, Math.max(3, ((view.t1 - view.t0) / span) * width), 3);
  context.textAlign = "left";
  context.fillStyle = ink.faint;
  context.font = "11px system-ui, sans-serif";
  context.fillText(duration(model.length(view.t1 - view.t0)), 4, 16);
}
