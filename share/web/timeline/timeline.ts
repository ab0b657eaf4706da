// The timeline: what is in view, and how to move in it by mouse, finger and keyboard.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { h, placeTip, sharpen } from "../drawing/dom";
import { count } from "../drawing/format";
import { Area, describeArea } from "./area";
import { Arrangement } from "./arrangement";
import { controls } from "./controls";
import { describe, groupTooltip, Hit, tooltip } from "./details";
import { openHelp } from "./help";
import { Matches, longestWaits } from "./matches";
import { drawOffProcessor } from "./off_processor";
import type { Sorting } from "./order";
import * as overlay from "./overlay";
import { Painter, View } from "./paint";
import type { Grouping, Rows } from "./rows";
import { waitsFor } from "./victims";

// A timeline that is shown below another one, and moves with it.
export interface Beside {
  id: string; // of its elements, instead of none
  title: string;
  reach_s: number; // the time that both show if they show everything
  controls: boolean;
}

export interface Shows {
  messages: boolean;
  collectives: boolean;
  path: boolean;
}

// How to move, in words.
export const MOVING = "Drag to move, W A S D or the wheel (after a click, or with Ctrl) to zoom, N for the next long wait; click a call for details, ? for all keys.";

const MOST_LONG = 200; // waits, to go through one by one
const MOST_HEIGHT = 560, MOST_ROW = 44, ROW = 22, FEW = 8;

export class Timeline {
  readonly element: HTMLElement;
  readonly painter: Painter;
  readonly canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "Timeline of all ranks", "aria-keyshortcuts": "W S A D N P M ?" });
  private readonly note = h("p", { class: "note", "aria-live": "polite" });
  private readonly tip = h("div", { class: "tip", hidden: "" });
  private readonly panel = h("div", { class: "panel", id: "details", "aria-live": "polite" });
  readonly arrangement: Arrangement;
  private readonly span: number; // units, that can be shown
  private readonly matches: Matches;
  private view: View;
  private selected: Hit | null = null;
  private area: Area | null = null;
  private pending = 0;
  private found = "";
  shows: Shows = { messages: true, collectives: true, path: true };
  searched = "";
  frames = 0; // drawn so far
  onMove: () => void = () => undefined;
  onSort: (by: Sorting) => void = () => undefined;
  onSearch: (text: string) => void = () => undefined;

  constructor(readonly model: Model, beside?: Beside) {
    this.painter = new Painter(model);
    this.matches = new Matches(model, this.painter);
    this.span = Math.max(model.span, beside ? model.units(beside.reach_s) : 0);
    this.view = { t0: 0, t1: this.span, row0: 0, rows: model.lanes };
    let before = model.lanes;
    this.arrangement = new Arrangement(model, () => {
      this.rearranged(before);
      before = this.rows.count;
    });
    this.view.rows = before = this.rows.count;
    if (beside) {
      this.panel.id = `${beside.id}-details`;
      this.canvas.setAttribute("aria-label", beside.title);
    }
    this.element = h("div", { class: "timeline" }, beside && !beside.controls ? null : controls(this), beside ? h("h3", {}, beside.title) : null, this.arrangement.element, this.canvas, this.tip, this.note, this.panel);
    this.listen();
    new ResizeObserver(() => this.refresh()).observe(this.element);
  }

  // --- which lanes stand where ---

  // All rows, if they were all shown before.
  private rearranged(before: number): void {
    const { count } = this.rows, all = this.view.rows >= before;
    if (all) this.view.row0 = 0;
    this.view.rows = all ? count : Math.min(this.view.rows, count);
    this.scrollRows(0);
  }
  private get rows(): Rows {
    return this.arrangement.rows;
  }
  sort(by: Sorting): void {
    this.onSort(by);
    this.arrangement.sort(by);
  }
  group(by: Grouping): void {
    this.arrangement.group(by);
  }
  toggle(group: number): void {
    this.arrangement.toggle(group);
  }

  // --- what is looked for ---

  search(text: string): void {
    this.onSearch(text);
    this.searched = text.trim();
    const paths = this.painter.search(text);
    this.matches.forget();
    this.found = this.searched ? `${count(paths)} call path${paths === 1 ? "" : "s"} with “${this.searched}”. ` : "";
    this.moved();
  }
  // Only this cause and the waits for it keep their colours; -1: all do.
  spotlight(cause: number): void {
    this.painter.spotlight(cause);
    this.found = cause >= 0 ? `Only ${this.model.report.causes[cause].function} where it was late, and those who waited for it. Esc shows the others. ` : "";
    this.moved();
  }
  showOnly(shows: Partial<Shows>): void {
    this.shows = { ...this.shows, ...shows };
    this.moved();
  }

  // --- where one looks ---

  // The window in seconds of the run, for links.
  get window(): [number, number] {
    return [this.model.seconds(this.view.t0), this.model.seconds(this.view.t1)];
  }
  show(from: number, to: number): void {
    this.move(this.model.units(from), this.model.units(to));
  }
  get state(): View & { selected: number; rowsInAll: number; open: number[] } {
    return { ...this.view, selected: this.selected?.op ?? -1, rowsInAll: this.rows.count, open: [...this.arrangement.open] };
  }
  // Rows in view, selection and open groups, as links have them (address.ts).
  restore(row0: number, rows: number, open: number[], selected: number): void {
    this.arrangement.openOnly(open);
    this.view.rows = Math.min(this.rows.count, Math.max(1, rows));
    if (selected >= 0 && selected < this.model.enter.length) this.choose({ lane: this.model.laneOf(selected), op: selected });
    this.scrollRows(row0 - this.view.row0);
  }

  // As another timeline is, or at another time: without telling it.
  imitate(other: Timeline, [from, to] = other.window): void {
    if (this.model.lanes === other.model.lanes) {
      this.arrangement.imitate(other.arrangement);
      this.view = { ...other.view };
    }
    this.view.t0 = this.model.units(from);
    this.view.t1 = this.model.units(to);
    this.shows = { ...other.shows };
    this.refresh();
  }

  fit(): void {
    this.view = { t0: 0, t1: this.span, row0: 0, rows: this.rows.count };
    this.moved();
  }
  private move(t0: number, t1: number): void {
    const least = 20; // units
    const length = Math.min(this.span, Math.max(least, t1 - t0));
    const begin = Math.min(Math.max(0, t0), this.span - length);
    this.view.t0 = begin;
    this.view.t1 = begin + length;
    this.moved();
  }
  zoom(factor: number, at = (this.view.t0 + this.view.t1) / 2): void {
    this.move(at - (at - this.view.t0) * factor, at + (this.view.t1 - at) * factor);
  }
  zoomRows(factor: number, at = this.view.row0 + this.view.rows / 2): void {
    const rows = Math.min(this.rows.count, Math.max(Math.min(4, this.rows.count), this.view.rows * factor));
    const share = (at - this.view.row0) / this.view.rows;
    this.view.rows = rows;
    this.scrollRows(at - share * rows - this.view.row0);
  }
  private scrollRows(by: number): void {
    this.view.row0 = Math.min(Math.max(0, this.view.row0 + by), this.rows.count - this.view.rows);
    this.moved();
  }
  private pan(share: number): void {
    const length = this.view.t1 - this.view.t0;
    this.move(this.view.t0 + share * length, this.view.t1 + share * length);
  }
  private moved(): void {
    this.refresh();
    this.onMove();
  }

  // --- what is chosen ---

  // Selects a call and brings it into view, with room around it.
  select(op: number): void {
    this.choose({ lane: this.model.laneOf(op), op });
    this.bring(this.model.laneOf(op), this.model.enter[op], this.model.leave[op]);
  }
  private choose(hit: Hit): void {
    this.selected = hit;
    this.area = null;
    this.panel.replaceChildren(describe(this.model, this.painter, hit, (other) => this.select(other)));
    this.moved();
  }
  private bring(lane: number, begin: number, end: number): void {
    const length = this.view.t1 - this.view.t0;
    if (end < this.view.t0 || begin > this.view.t1 || end - begin > length || (end - begin) * 40 < length) {
      const room = Math.min(length, Math.max((end - begin) * 8, 20));
      this.move((begin + end - room) / 2, (begin + end + room) / 2);
    }
    const row = this.rows.rowOf[lane];
    if (row < this.view.row0 || row + 1 > this.view.row0 + this.view.rows) this.scrollRows(row - this.view.rows / 2 - this.view.row0);
  }
  nextMatch(by: number): void {
    const match = this.matches.step(by);
    if (!match) return;
    this.choose(match.hit);
    this.bring(match.hit.lane, match.begin, match.end);
  }
  nextWait(by: number): void {
    const waits = this.longest(), at = waits.findIndex((wait) => this.model.waitOp[wait] === this.selected?.op);
    if (waits.length > 0) this.select(this.model.waitOp[waits[at < 0 ? (by > 0 ? 0 : waits.length - 1) : (at + by + waits.length) % waits.length]]);
  }
  private longestWaits: number[] | null = null;
  longest(most = 20): number[] {
    this.longestWaits ??= longestWaits(this.model, MOST_LONG);
    return this.longestWaits.slice(0, most);
  }
  // Sums over some rows and a time; without these, over all that is in view.
  sumUp(row0 = this.view.row0, rows = this.view.rows, t0 = this.view.t0, t1 = this.view.t1): void {
    const lanes = new Set<number>();
    for (let row = Math.max(0, Math.floor(row0)); row < row0 + rows && row < this.rows.count; ++row) this.rows.lanesOf(row).forEach((lane) => lanes.add(lane));
    this.selected = null;
    this.area = { lanes: [...lanes], begin: Math.max(0, t0), end: t1 };
    this.panel.replaceChildren(describeArea(this.model, this.area));
    this.refresh();
  }
  private forget(): void {
    this.selected = this.area = null;
    this.panel.replaceChildren();
    this.spotlight(-1);
  }
  fullScreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void this.element.requestFullscreen();
  }

  // --- mouse and keys ---

  private rowAt(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    return this.view.row0 + ((event.clientY - box.top - overlay.RULER) / (box.height - overlay.RULER)) * this.view.rows;
  }
  private timeAt(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - overlay.GUTTER) / (box.width - overlay.GUTTER);
    return this.view.t0 + share * (this.view.t1 - this.view.t0);
  }
  // The group under a point of the canvas, or -1.
  private groupAt(event: MouseEvent): number {
    const row = Math.floor(this.rowAt(event));
    return this.arrangement.groups && row >= 0 && row < this.rows.count ? this.rows.group(row) : -1;
  }
  // What lies under a point of the canvas.
  private hit(event: MouseEvent): Hit | null {
    const row = Math.floor(this.rowAt(event)), time = this.timeAt(event);
    if (time < this.view.t0 || row < 0 || row >= this.rows.count || this.rows.lane(row) < 0) return null;
    const lane = this.rows.lane(row), op = this.model.callAt(lane, time);
    if (time < this.model.laneBegin[lane] || time > this.model.laneEnd[lane]) return null;
    const inside = op < this.model.firstOp[lane + 1] && this.model.enter[op] <= time;
    return inside ? { lane, op } : { lane, gap: op };
  }

  private listen(): void {
    const canvas = this.canvas;
    let drag: { x: number; y: number; view: View; moved: boolean; row: number; time: number } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, view: { ...this.view }, moved: false, row: this.rowAt(event), time: this.timeAt(event) };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return this.hover(event);
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      this.tip.hidden = true;
      if (event.shiftKey) {
        const row = this.rowAt(event), time = this.timeAt(event), first = Math.floor(Math.min(row, drag.row));
        return this.sumUp(first, Math.ceil(Math.max(row, drag.row)) - first, Math.min(time, drag.time), Math.max(time, drag.time));
      }
      const box = canvas.getBoundingClientRect();
      const shift = (dx / (box.width - overlay.GUTTER)) * (drag.view.t1 - drag.view.t0);
      this.view.row0 = drag.view.row0;
      this.scrollRows((-dy / (box.height - overlay.RULER)) * drag.view.rows);
      this.move(drag.view.t0 - shift, drag.view.t1 - shift);
    });
    canvas.addEventListener("pointerup", (event) => {
      const click = drag !== null && !drag.moved;
      drag = null;
      if (!click) return;
      const group = this.groupAt(event), hit = this.hit(event);
      if (group >= 0) this.toggle(group);
      else if (hit?.op !== undefined) this.select(hit.op);
      else if (hit) this.choose(hit);
    });
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event)));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("fullscreenchange", () => this.refresh());
  }

  // The page still scrolls under the mouse: the wheel zooms once the timeline has been clicked, or with Ctrl.
  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.pan(event.deltaX / 800);
    const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 250)));
    if (event.shiftKey) this.zoomRows(factor);
    else this.zoom(factor, this.timeAt(event));
  }

  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      w: () => this.zoom(0.6), s: () => this.zoom(1 / 0.6), a: () => this.pan(-0.2), d: () => this.pan(0.2),
      arrowleft: () => this.pan(-0.2), arrowright: () => this.pan(0.2),
      arrowup: () => this.scrollRows(-this.view.rows / 5), arrowdown: () => this.scrollRows(this.view.rows / 5),
      "+": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6), "0": () => this.fit(), home: () => this.fit(),
      n: () => this.nextWait(1), p: () => this.nextWait(-1), m: () => this.nextMatch(1), g: () => this.arrangement.toggleAll(),
      f: () => this.fullScreen(), "?": openHelp, escape: () => this.forget(),
    };
    const rows: Record<string, () => void> = { w: () => this.zoomRows(0.6), s: () => this.zoomRows(1 / 0.6), m: () => this.nextMatch(-1), n: () => this.nextWait(-1) };
    const key = event.key.toLowerCase();
    const action = (event.shiftKey ? rows[key] : undefined) ?? actions[key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private hover(event: PointerEvent): void {
    const group = this.groupAt(event), hit = this.hit(event);
    this.tip.hidden = hit === null && group < 0;
    const { groups } = this.arrangement;
    if (group >= 0 && groups) this.tip.replaceChildren(groupTooltip(this.model, groups[group], Math.max(this.view.t0, this.timeAt(event))));
    else if (hit) this.tip.replaceChildren(tooltip(this.model, this.painter, hit));
    if (!this.tip.hidden) placeTip(this.tip, this.element, event);
  }

  // --- drawing ---

  refresh(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(() => this.draw());
  }
  recolour(): void {
    this.painter.recolour();
    this.refresh();
  }

  draw(): void {
    this.pending = 0;
    const full = document.fullscreenElement === this.element;
    const width = Math.max(120, this.element.clientWidth), most = full ? Math.max(200, window.innerHeight - 240) : MOST_HEIGHT;
    const height = Math.max(40, Math.min(most, this.view.rows * Math.min(MOST_ROW, Math.max(ROW, (ROW * FEW * 2) / this.rows.count))));
    const context = sharpen(this.canvas, width, height + overlay.RULER);
    const sheet: overlay.Sheet = { context, width: width - overlay.GUTTER, height, view: this.view, rows: this.rows, ink: overlay.ink() };
    overlay.drawPicture(sheet, this.painter);
    overlay.drawRuler(sheet, this.model);
    overlay.drawWindow(sheet, this.model, this.span);
    overlay.drawLaneNames(sheet, this.model, this.arrangement.groups);
    context.save();
    context.beginPath();
    context.rect(overlay.GUTTER, overlay.RULER - 2, sheet.width, height + 2);
    context.clip();
    overlay.drawResources(sheet, this.model);
    drawOffProcessor(sheet, this.model);
    if (this.shows.collectives) overlay.drawCollectives(sheet, this.model);
    const tooMany = this.shows.messages ? overlay.drawArrows(sheet, this.model) : 0;
    const changes = this.shows.path ? overlay.drawCriticalPath(sheet, this.model) : 0;
    overlay.drawLabels(sheet, this.model);
    this.drawChosen(sheet);
    context.restore();
    this.note.textContent = this.found + (tooMany ? `${count(tooMany)} messages in view: zoom in to see them as arrows. ` : "") +
      (changes ? `The critical path changes ${count(changes)} times in view: zoom in to see it.` : "");
    ++this.frames;
  }

  private drawChosen(sheet: overlay.Sheet): void {
    const { model, selected, area } = this;
    if (area) overlay.drawArea(sheet, area.lanes, area.begin, area.end);
    if (!selected) return;
    if (selected.op !== undefined) return overlay.drawSelection(sheet, model, selected.op);
    const gap = selected.gap ?? 0, begin = model.gapBegin(selected.lane, gap), end = model.gapEnd(selected.lane, gap);
    overlay.drawArea(sheet, [selected.lane], begin, end);
    const cause = model.causeOfPath[model.gapPath[gap + selected.lane]] ?? -1;
    if (model.isCulprit(cause, selected.lane)) overlay.drawVictims(sheet, model, selected.lane, end, waitsFor(model, cause, selected.lane, begin, end));
  }
}
