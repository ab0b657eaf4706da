// All of a run that is too long to be shown call by call: averages, in which the user can zoom and move; the
// stretches that can be opened are marked.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { KIND_TITLES, Model, Stretch } from "../data/model";
import { CULPRIT_CLASS, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "../drawing/colours";
import { h, placeTip, sharpen } from "../drawing/dom";
import { duration, moment } from "../drawing/format";
import { OffOverview } from "./off_processor";
import * as overlay from "./overlay";
import { OverviewFacts, Pyramid } from "./pyramid";
import { evenRows } from "./rows";

const MOST_HEIGHT = 420, MOST_ROW = 22;
const LEAST_PARTS = 32; // in view

export class Overview {
  readonly facts: OverviewFacts;
  readonly canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "All of the run, in averages" });
  readonly element: HTMLElement;
  private readonly tip = h("div", { class: "tip", hidden: "" });
  private readonly pyramid: Pyramid;
  readonly off: OffOverview;
  private from: number; // in view, seconds of the run
  private to: number;
  private chosen = 0;
  private pending = 0;
  onMove: () => void = () => undefined;

  constructor(columns: Columns, private readonly model: Model, private readonly stretches: Stretch[], private readonly open: (number: number) => void) {
    this.facts = columns.json<OverviewFacts>("overview");
    this.pyramid = new Pyramid(columns, this.facts, model);
    this.off = new OffOverview(columns, this.facts);
    this.from = this.facts.from_s;
    this.to = this.facts.to_s;
    this.element = h("div", { class: "timeline overview" }, this.canvas, this.tip);
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event)));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.refresh()).observe(this.element);
  }

  // Seconds.
  get partLength(): number {
    return (this.facts.to_s - this.facts.from_s) / this.facts.parts;
  }
  get view(): [number, number] {
    return [this.from, this.to];
  }

  choose(number: number): void {
    this.chosen = number;
    this.refresh();
  }
  recolour(): void {
    this.pyramid.recolour();
    this.refresh();
  }
  private refresh(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(() => this.draw());
  }

  move(from: number, to: number): void {
    const all = this.facts.to_s - this.facts.from_s;
    const length = Math.min(all, Math.max(LEAST_PARTS * this.partLength, to - from));
    this.from = Math.min(Math.max(this.facts.from_s, from), this.facts.to_s - length);
    this.to = this.from + length;
    this.refresh();
    this.onMove();
  }
  zoom(factor: number, at = (this.from + this.to) / 2): void {
    this.move(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  private pan(share: number): void {
    const by = share * (this.to - this.from);
    this.move(this.from + by, this.to + by);
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.pan(event.deltaX / 800);
    this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 250))), this.timeAt(event));
  }
  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      w: () => this.zoom(0.6), s: () => this.zoom(1 / 0.6), a: () => this.pan(-0.2), d: () => this.pan(0.2),
      arrowleft: () => this.pan(-0.2), arrowright: () => this.pan(0.2), "+": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6),
      "0": () => this.move(this.facts.from_s, this.facts.to_s),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private timeAt(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - overlay.GUTTER) / (box.width - overlay.GUTTER);
    return this.from + Math.min(1, Math.max(0, share)) * (this.to - this.from);
  }
  // A mark is at least a few pixels wide, whatever it covers.
  private click(event: MouseEvent): void {
    const time = this.timeAt(event), slack = (4 * (this.to - this.from)) / this.canvas.clientWidth;
    const number = this.stretches.findIndex((one) => time >= one.from_s - slack && time <= one.to_s + slack);
    if (number >= 0) this.open(number);
  }

  private hover(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top - overlay.RULER) / (box.height - overlay.RULER)) * this.facts.rows);
    this.tip.hidden = row < 0 || row >= this.facts.rows || event.clientX - box.left < overlay.GUTTER;
    if (this.tip.hidden) return;
    const parts = Math.max(1, Math.round(((this.to - this.from) / this.partLength) / Math.max(1, box.width - overlay.GUTTER)));
    const first = Math.min(this.facts.parts - parts, Math.floor((this.timeAt(event) - this.facts.from_s) / this.partLength / parts) * parts);
    const lane = row * this.facts.lanes_per_row, last = Math.min(this.model.lanes, lane + this.facts.lanes_per_row) - 1;
    const who = last > lane ? `${this.model.laneName(lane)} to ${this.model.laneName(last)}` : this.model.laneName(lane);
    const [blocked, taken] = this.off.shares(row, first, first + parts).map((share) => 100 * share);
    const away = [[blocked, "not on a processor: blocked"], [taken, "not on a processor: taken away"]] as const;
    this.tip.replaceChildren(
      h("div", {}, h("b", {}, who), ` · ${duration(parts * this.partLength)} from ${moment(this.facts.from_s + first * this.partLength, this.facts.to_s)}`),
      ...this.pyramid.shares(row, first, first + parts).slice(0, 4).map((share) => h("div", {}, `${share.hundredths.toFixed(0)} % ${this.title(share.colour)}`)),
      ...away.filter(([share]) => share >= 1).map(([share, what]) => h("div", { class: "off" }, `${share.toFixed(0)} % ${what}`)));
    placeTip(this.tip, this.element, event);
  }

  private title(colour: number): string {
    const name = (cause: number): string => this.model.report.causes[cause].function;
    if (colour === NO_CAUSE) return "waiting, no cause found";
    if (colour === OTHER_CAUSE) return "waiting, other cause";
    if (colour >= CULPRIT_CLASS) return name(colour - CULPRIT_CLASS);
    return colour >= WAIT_CLASS ? `waiting for ${name(colour - WAIT_CLASS)}` : KIND_TITLES[colour];
  }

  draw(): void {
    this.pending = 0;
    const { rows, lanes_per_row } = this.facts;
    const width = Math.max(120, this.element.clientWidth);
    const height = Math.max(40, Math.min(MOST_HEIGHT, rows * MOST_ROW));
    const context = sharpen(this.canvas, width, height + overlay.RULER);
    const sheet: overlay.Sheet = {
      context, width: width - overlay.GUTTER, height, view: { t0: this.from, t1: this.to, row0: 0, rows }, rows: evenRows(this.model.lanes, lanes_per_row), ink: overlay.ink(),
    };
    this.paint(sheet);
    const seconds = { seconds: (time: number): number => time, units: (time: number): number => time, steps: [] };
    overlay.drawRuler(sheet, seconds);
    overlay.drawLaneNames(sheet, this.model);
    this.off.draw(sheet);
    this.stretches.forEach((_, number) => this.mark(sheet, number));
  }

  private paint(sheet: overlay.Sheet): void {
    const all = this.facts.to_s - this.facts.from_s;
    const ratio = window.devicePixelRatio || 1;
    const picture = this.pyramid.level((this.to - this.from) / all, sheet.width * ratio);
    // Horizontally a pixel is at most one part; vertically there may be more ranks than pixels.
    sheet.context.imageSmoothingEnabled = this.facts.rows > sheet.height * ratio;
    sheet.context.drawImage(picture, ((this.from - this.facts.from_s) / all) * picture.width, 0, ((this.to - this.from) / all) * picture.width, picture.height,
      overlay.GUTTER, overlay.RULER, sheet.width, sheet.height);
  }

  private mark(sheet: overlay.Sheet, number: number): void {
    const one = this.stretches[number];
    if (one.to_s < this.from || one.from_s > this.to) return;
    const left = Math.max(overlay.GUTTER, overlay.x(sheet, one.from_s)), right = Math.min(overlay.GUTTER + sheet.width, overlay.x(sheet, one.to_s));
    const { context } = sheet, wide = Math.max(4, right - left), chosen = number === this.chosen;
    context.fillStyle = context.strokeStyle = sheet.ink.accent;
    context.globalAlpha = chosen ? 1 : 0.55;
    context.fillRect(left, overlay.RULER - 6, wide, 6);
    context.lineWidth = chosen ? 2 : 1;
    context.strokeRect(left, overlay.RULER, wide, sheet.height - 1);
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "left";
    context.fillText(String(number + 1), left, overlay.RULER - 9);
    context.globalAlpha = 1;
  }
}
