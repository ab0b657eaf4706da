// The timeline: what is in view, and how one moves in it by mouse, finger and keyboard.
// SPDX-License-Identifier: BSD-3-Clause
import { describe, Hit, tooltip } from "./details";
import { h, placeTip, sharpen } from "./dom";
import { count } from "./format";
import { Model } from "./model";
import { laneSums, LaneSums, sorted, Sorting } from "./order";
import * as overlay from "./overlay";
import { Painter, View } from "./paint";

// A timeline that stands below another one, and moves with it.
export interface Beside {
  id: string; // of its elements, instead of none
  title: string;
  reach_s: number; // the time that both show if they show everything
  controls: boolean;
}

// How one moves, in words.
export const MOVING = "Drag to move, W A S D or the wheel (after a click, or with Ctrl) to zoom, Shift+W for fewer ranks, N for the next long wait; click a call for details.";

const MOST_HEIGHT = 560, MOST_ROW = 44, ROW = 22, FEW = 8;

export class Timeline {
  readonly element: HTMLElement;
  readonly painter: Painter;
  readonly canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "Timeline of all ranks" });
  private readonly note = h("p", { class: "note", "aria-live": "polite" });
  private readonly tip = h("div", { class: "tip", hidden: "" });
  private readonly panel = h("div", { class: "panel", id: "details" });
  private readonly span: number; // units, that can be shown
  private readonly sums: LaneSums;
  private view: View;
  private order: Int32Array;
  private rowOf = new Int32Array(0);
  private shows = { messages: true, collectives: true, path: true };
  private selected = -1;
  private pending = 0;
  private found = "";
  frames = 0; // drawn so far
  onMove: () => void = () => undefined;
  onSort: (by: Sorting) => void = () => undefined;
  onSearch: (text: string) => void = () => undefined;
  onShows: (shows: Timeline["shows"]) => void = () => undefined;

  constructor(readonly model: Model, beside?: Beside) {
    this.painter = new Painter(model);
    this.sums = laneSums(model);
    this.span = Math.max(model.span, beside ? model.units(beside.reach_s) : 0);
    this.view = { t0: 0, t1: this.span, row0: 0, rows: model.lanes };
    this.order = new Int32Array(0);
    this.sort("rank");
    if (beside) {
      this.panel.id = `${beside.id}-details`;
      this.canvas.setAttribute("aria-label", beside.title);
    }
    this.element = h("div", { class: "timeline" }, beside && !beside.controls ? null : this.controls(), beside ? h("h3", {}, beside.title) : null, this.canvas, this.tip, this.note, this.panel);
    this.listen();
    new ResizeObserver(() => this.refresh()).observe(this.element);
  }

  private controls(): HTMLElement {
    const choice: HTMLSelectElement = h("select", { change: () => this.sort(choice.value as Sorting) },
      ...(["rank", "node", "wait", "load", "caused"] as Sorting[]).map((by) => h("option", { value: by },
        { rank: "rank", node: "node", wait: "longest waiting", load: "most computing", caused: "most waiting caused" }[by])));
    choice.id = "sort";
    const search: HTMLInputElement = h("input", { type: "search", id: "search", placeholder: "Function …", input: () => this.search(search.value) });
    const toggle = (key: keyof Timeline["shows"], text: string): HTMLElement => {
      const box: HTMLInputElement = h("input", { type: "checkbox", id: `show-${key}`, change: () => { this.shows[key] = box.checked; this.onShows(this.shows); this.refresh(); } });
      box.checked = this.shows[key];
      return h("label", {}, box, text);
    };
    const button = (text: string, title: string, action: () => void): HTMLElement =>
      h("button", { type: "button", title, "aria-label": title, click: action }, text);
    return h("div", { class: "controls" },
      h("label", {}, "Sort by ", choice), h("label", {}, "Find ", search),
      toggle("messages", "messages"), toggle("collectives", "collectives"), toggle("path", "critical path"),
      h("span", { class: "buttons" }, button("−", "Zoom out (S)", () => this.zoom(2)), button("+", "Zoom in (W)", () => this.zoom(0.5)),
        button("⤢", "Show everything (0)", () => this.fit()), button("↕", "Fewer ranks (Shift+W)", () => this.zoomRows(0.5)),
        button("→ wait", "Next long wait (N)", () => this.nextWait())));
  }

  sort(by: Sorting): void {
    this.onSort(by);
    this.order = sorted(this.model, this.sums, by);
    this.rowOf = new Int32Array(this.model.lanes);
    this.order.forEach((lane, row) => (this.rowOf[lane] = row));
    this.refresh();
  }

  search(text: string): void {
    this.onSearch(text);
    const paths = this.painter.search(text);
    this.found = text.trim() ? `${count(paths)} call path${paths === 1 ? "" : "s"} with “${text.trim()}”. ` : "";
    this.refresh();
  }

  // The window in seconds of the run, for links.
  get window(): [number, number] {
    return [this.model.seconds(this.view.t0), this.model.seconds(this.view.t1)];
  }
  show(from: number, to: number): void {
    this.move(this.model.units(from), this.model.units(to));
  }
  get state(): View & { selected: number } {
    return { ...this.view, selected: this.selected };
  }

  // As another timeline is: without telling it.
  imitate(other: Timeline): void {
    const [from, to] = other.window;
    this.view = this.model.lanes === other.model.lanes ? { ...other.view } : this.view;
    this.view.t0 = this.model.units(from);
    this.view.t1 = this.model.units(to);
    this.shows = { ...other.shows };
    this.refresh();
  }

  fit(): void {
    this.view = { t0: 0, t1: this.span, row0: 0, rows: this.model.lanes };
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
    const rows = Math.min(this.model.lanes, Math.max(Math.min(4, this.model.lanes), this.view.rows * factor));
    const share = (at - this.view.row0) / this.view.rows;
    this.view.rows = rows;
    this.scrollRows(at - share * rows - this.view.row0);
  }
  private scrollRows(by: number): void {
    this.view.row0 = Math.min(Math.max(0, this.view.row0 + by), this.model.lanes - this.view.rows);
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

  // Selects a call and brings it into view.
  select(op: number): void {
    this.selected = op;
    const begin = this.model.enter[op], end = this.model.leave[op];
    const length = this.view.t1 - this.view.t0;
    if (end < this.view.t0 || begin > this.view.t1 || end - begin > length || (end - begin) * 400 < length) {
      const room = Math.min(length, Math.max((end - begin) * 4, 20));
      this.move((begin + end - room) / 2, (begin + end + room) / 2);
    }
    const row = this.rowOf[this.model.laneOf(op)];
    if (row < this.view.row0 || row + 1 > this.view.row0 + this.view.rows) this.scrollRows(row - this.view.rows / 2 - this.view.row0);
    this.panel.replaceChildren(describe(this.model, this.painter, { lane: this.model.laneOf(op), op }, (other) => this.select(other)));
    this.refresh();
  }

  private nextWait(): void {
    const waits = this.longest();
    const at = waits.findIndex((wait) => this.model.waitOp[wait] === this.selected);
    if (waits.length > 0) this.select(this.model.waitOp[waits[(at + 1) % waits.length]]);
  }
  private longestWaits: number[] | null = null;
  longest(most = 20): number[] {
    if (!this.longestWaits) {
      const order = Array.from(this.model.waitLength.keys());
      order.sort((a, b) => this.model.waitLength[b] - this.model.waitLength[a] || a - b);
      this.longestWaits = order.slice(0, 200);
    }
    return this.longestWaits.slice(0, most);
  }

  // What lies under a point of the canvas.
  private hit(event: MouseEvent): Hit | null {
    const box = this.canvas.getBoundingClientRect();
    const px = event.clientX - box.left - overlay.GUTTER, py = event.clientY - box.top - overlay.RULER;
    const row = Math.floor(this.view.row0 + (py / (box.height - overlay.RULER)) * this.view.rows);
    if (px < 0 || py < 0 || row >= this.order.length) return null;
    const time = this.timeAt(event);
    const lane = this.order[row];
    const op = this.model.callAt(lane, time);
    if (time < this.model.laneBegin[lane] || time > this.model.laneEnd[lane]) return null;
    const inside = op < this.model.firstOp[lane + 1] && this.model.enter[op] <= time;
    return inside ? { lane, op } : { lane, gap: op };
  }
  private timeAt(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - overlay.GUTTER) / (box.width - overlay.GUTTER);
    return this.view.t0 + share * (this.view.t1 - this.view.t0);
  }

  private listen(): void {
    const canvas = this.canvas;
    let drag: { x: number; y: number; view: View; moved: boolean } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, view: { ...this.view }, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return this.hover(event);
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      this.tip.hidden = true;
      const box = canvas.getBoundingClientRect();
      const shift = (dx / (box.width - overlay.GUTTER)) * (drag.view.t1 - drag.view.t0);
      this.view.row0 = drag.view.row0;
      this.scrollRows((-dy / (box.height - overlay.RULER)) * drag.view.rows);
      this.move(drag.view.t0 - shift, drag.view.t1 - shift);
    });
    canvas.addEventListener("pointerup", (event) => {
      const click = drag !== null && !drag.moved;
      drag = null;
      const hit = click ? this.hit(event) : null;
      if (hit?.op !== undefined) this.select(hit.op);
      else if (hit) {
        this.selected = -1;
        this.panel.replaceChildren(describe(this.model, this.painter, hit, (op) => this.select(op)));
        this.refresh();
      }
    });
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event)));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
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
      n: () => this.nextWait(),
      escape: () => { this.selected = -1; this.panel.replaceChildren(); this.refresh(); },
    };
    const rows: Record<string, () => void> = { w: () => this.zoomRows(0.6), s: () => this.zoomRows(1 / 0.6) };
    const key = event.key.toLowerCase();
    const action = (event.shiftKey ? rows[key] : undefined) ?? actions[key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private hover(event: PointerEvent): void {
    const hit = this.hit(event);
    this.tip.hidden = hit === null;
    if (!hit) return;
    this.tip.replaceChildren(tooltip(this.model, this.painter, hit));
    placeTip(this.tip, this.element, event);
  }

  refresh(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(() => this.draw());
  }

  recolour(): void {
    this.painter.recolour();
    this.refresh();
  }

  draw(): void {
    this.pending = 0;
    const width = Math.max(120, this.element.clientWidth);
    const height = Math.max(40, Math.min(MOST_HEIGHT, this.view.rows * Math.min(MOST_ROW, Math.max(ROW, (ROW * FEW * 2) / this.model.lanes))));
    const context = sharpen(this.canvas, width, height + overlay.RULER);
    const sheet: overlay.Sheet = {
      context, width: width - overlay.GUTTER, height, view: this.view, order: this.order, rowOf: this.rowOf, ink: overlay.ink(),
    };
    this.paint(sheet);
    overlay.drawRuler(sheet, this.model);
    overlay.drawWindow(sheet, this.model, this.span);
    overlay.drawLaneNames(sheet, this.model);
    context.save();
    context.beginPath();
    context.rect(overlay.GUTTER, overlay.RULER - 2, sheet.width, height + 2);
    context.clip();
    overlay.drawResources(sheet, this.model);
    if (this.shows.collectives) overlay.drawCollectives(sheet, this.model);
    const tooMany = this.shows.messages ? overlay.drawArrows(sheet, this.model) : 0;
    if (this.shows.path) overlay.drawCriticalPath(sheet, this.model);
    overlay.drawLabels(sheet, this.model);
    if (this.selected >= 0) overlay.drawSelection(sheet, this.model, this.selected);
    context.restore();
    this.note.textContent = this.found + (tooMany ? `${count(tooMany)} messages in view: zoom in to see them as arrows. ` : "");
    ++this.frames;
  }

  // One line of pixels for a rank, made as high as its row; where ranks are more than pixels, they share lines.
  private paint(sheet: overlay.Sheet): void {
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.max(1, Math.round(sheet.width * ratio));
    const first = Math.floor(this.view.row0);
    const lines = Math.min(Math.ceil(this.view.row0 + this.view.rows), this.order.length) - first;
    const few = lines <= sheet.height * ratio;
    const view = few ? { ...this.view, row0: first, rows: lines } : this.view;
    const tall = few ? lines : Math.round(sheet.height * ratio);
    const picture = h("canvas");
    picture.width = wide;
    picture.height = tall;
    (picture.getContext("2d") as CanvasRenderingContext2D).putImageData(this.painter.image(this.order, view, wide, tall), 0, 0);
    sheet.context.save();
    sheet.context.beginPath();
    sheet.context.rect(overlay.GUTTER, overlay.RULER, sheet.width, sheet.height);
    sheet.context.clip();
    sheet.context.imageSmoothingEnabled = false;
    const high = overlay.rowHeight(sheet);
    const top = few ? overlay.RULER - (this.view.row0 - first) * high : overlay.RULER;
    sheet.context.drawImage(picture, overlay.GUTTER, top, sheet.width, few ? lines * high : sheet.height);
    sheet.context.restore();
  }
}
