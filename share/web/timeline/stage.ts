// The page's view of the run over time: all of it call by call; or, where that would be too much, an overview
// and, below it, one of the stretches with most waiting.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Model, NONE, Stretch } from "../data/model";
import { Cell, h, table } from "../drawing/dom";
import { count, duration, moment } from "../drawing/format";
import { exactly, Parts, restoreView, times, viewParts } from "./address";
import { Overview } from "./overview";
import { Timeline } from "./timeline";

// One block for every stretch that is shown call by call, the one with most waiting first.
export function detailed(columns: Columns): Columns[] {
  const blocks: Columns[] = [];
  for (let name = "detail_0"; columns.has(name); name = "detail_" + String(blocks.length)) blocks.push(columns.within(name));
  return blocks.length > 0 ? blocks : [columns];
}

// What the timeline leaves out, or nothing.
export function leftOut(model: Model): HTMLElement[] {
  const w = model.stretch;
  const parts: string[] = [];
  if (w.operations < w.operations_in_all)
    parts.push(`The timeline shows ${count(w.operations)} of ${count(w.operations_in_all)} MPI calls: ${moment(w.from_s, w.to_s, 2)} to ${moment(w.to_s, w.to_s, 2)} of ${duration(model.report.run.runtime_s)}, ${count(model.lanes)} of ${count(w.lanes_in_all)} threads${model.columns.has("overview") ? " (the stretch with most waiting of those that are short enough)" : ""}. All other figures are of the whole run. waitdiag report DIR --html FILE --window FROM:TO --only-ranks FIRST-LAST shows another part.`);
  if (w.messages_left_out > 0) parts.push(`${count(w.messages_left_out)} messages with an end outside are not shown.`);
  if (w.unit_ns > 1) parts.push(`Times in the timeline are rounded to ${duration(w.unit_ns / 1e9)}.`);
  return parts.length > 0 ? [h("p", { class: "note left-out" }, parts.join(" "))] : [];
}

function longestWaits(timeline: Timeline, go: (op: number) => void): HTMLElement {
  const { model } = timeline;
  const rows = timeline.longest().map((wait): Cell[] => {
    const op = model.waitOp[wait], path = model.waitPath[wait], lane = model.laneOf(op);
    return [
      { text: h("button", { type: "button", class: "link", click: () => go(op) }, duration(model.length(model.waitLength[wait]))), sort: model.waitLength[wait], figure: true },
      { text: model.laneName(lane), sort: lane }, { text: model.functionOf(model.opPath[op]) },
      { text: moment(model.seconds(model.enter[op]), model.report.run.runtime_s), sort: model.enter[op], figure: true },
      { text: path === NONE ? "no cause found" : `${model.functionOf(path)}${model.waitPathLane[wait] < model.lanes ? ` on ${model.laneName(model.waitPathLane[wait])}` : ""}` },
    ];
  });
  return rows.length > 0 ? table(["waiting", "who", "in", "at", "owed to"], rows, 5) : h("p", {}, "No rank waits here.");
}

export class Stage {
  readonly element = h("div");
  timeline: Timeline;
  onMove: () => void = () => undefined;
  readonly overview: Overview | null = null;
  private readonly body = h("div");
  private readonly opened: Timeline[] = [];
  private readonly stretches: Stretch[];

  constructor(columns: Columns, private readonly blocks: Columns[], first: Model) {
    this.stretches = blocks.map((block) => block.json<Stretch>("window"));
    this.timeline = this.opened[0] = new Timeline(first);
    if (columns.has("overview")) this.overview = new Overview(columns, first, this.stretches, (number) => this.open(number));
    if (this.overview) this.overview.onMove = () => this.onMove();
    this.element.append(...(this.overview ? [this.overview.element, this.choices()] : []), this.body);
    this.open(0);
  }

  private choices(): HTMLElement {
    const sentence = `${count(this.overview?.facts.operations ?? 0)} MPI calls are too many to show one by one: the picture has the average of every ${duration(this.overview?.partLength ?? 0)}. The stretches with most waiting are below it call by call; waitdiag report DIR --html FILE --window FROM:TO shows another.`;
    const run_s = this.overview?.facts.to_s ?? 0;
    return h("div", { class: "note left-out stretches" }, h("p", {}, sentence), ...this.stretches.map((one, number) =>
      h("button", { type: "button", id: `stretch-${number + 1}`, click: () => this.open(number) },
        `${number + 1}: ${moment(one.from_s, run_s, 2)} to ${moment(one.to_s, run_s, 2)}, ${count(one.operations)} calls, ${duration(one.waiting_s)} of waiting`)));
  }

  open(number: number): void {
    this.timeline = this.opened[number] ??= new Timeline(new Model(this.blocks[number]));
    this.timeline.onMove = () => this.onMove();
    this.overview?.choose(number);
    this.element.querySelectorAll(".stretches button").forEach((button, i) => button.setAttribute("aria-pressed", String(i === number)));
    this.body.replaceChildren(...(this.overview ? [] : leftOut(this.timeline.model)), this.timeline.element, h("h3", {}, "Longest waits"), longestWaits(this.timeline, (op) => this.go(op)));
    this.timeline.refresh();
  }

  // Shows a stretch of the run, in seconds, where it is shown call by call.
  show(from: number, to: number): Timeline {
    const number = this.stretches.findIndex((one) => from >= one.from_s && from <= one.to_s);
    if (number >= 0 && this.overview) this.open(number);
    this.timeline.show(from, to);
    this.timeline.element.scrollIntoView({ block: "nearest" });
    return this.timeline;
  }

  // Highlights one cause and the waits for it; everything else is faint.
  spotlight(cause: number): void {
    this.timeline.spotlight(cause);
    this.timeline.element.scrollIntoView({ block: "start" });
  }

  search(text: string): void {
    (document.getElementById("search") as HTMLInputElement).value = text;
    this.timeline.search(text);
    this.timeline.element.scrollIntoView({ block: "start" });
  }

  go(op: number): void {
    this.timeline.element.scrollIntoView({ block: "start" });
    this.timeline.select(op);
  }

  // What is in view, as parts of the address.
  parts(): string[] {
    const { overview } = this, moved = overview && (overview.view[0] > overview.facts.from_s || overview.view[1] < overview.facts.to_s);
    return [...viewParts(this.timeline), ...(moved ? [`of=${overview.view.map(exactly).join(":")}`] : [])];
  }
  restore(text: Parts): void {
    const whole = times(text("of")), window = times(text("t"));
    if (whole) this.overview?.move(...whole);
    if (window) restoreView(this.show(...window), text);
  }

  draw(): void {
    this.overview?.draw();
    this.timeline.draw();
  }
  recolour(): void {
    this.overview?.recolour();
    this.opened.forEach((one) => one.recolour());
  }
}
