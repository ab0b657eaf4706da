// Two timelines on one time scale, one run above the other: they move, sort and search together; by time, or by step.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Model } from "../data/model";
import { h } from "../drawing/dom";
import { keepAddress, ownParts, Parts, restoreOwn, restoreView, times, viewParts } from "../timeline/address";
import { legend } from "../timeline/legend";
import { detailed, leftOut } from "../timeline/stage";
import { Timeline } from "../timeline/timeline";

// A run of a pair: the block of its columns, what stands above its timeline.
export interface Half {
  block: string;
  title: string;
}

export class Pair {
  readonly element: HTMLElement;
  readonly first: Timeline;
  readonly second: Timeline;
  private busy = false;
  private bySteps = false;
  private readonly stepsBox: HTMLInputElement = h("input", { type: "checkbox", id: "by-steps", change: () => this.goBySteps(this.stepsBox.checked) });
  private moved: () => void = () => undefined;

  constructor(columns: Columns, first: Half, second: Half, private readonly mayGoBySteps = false) {
    const one = new Model(detailed(columns.inside(first.block))[0]), other = new Model(detailed(columns.inside(second.block))[0], one);
    const reach_s = Math.max(one.stretch.to_s, other.stretch.to_s);
    const ranks = (model: Model): string => `${model.report.run.ranks} rank${model.report.run.ranks === 1 ? "" : "s"}`;
    this.first = new Timeline(one, { id: first.block, title: `${first.title}, ${ranks(one)}`, reach_s, controls: true });
    this.second = new Timeline(other, { id: second.block, title: `${second.title}, ${ranks(other)}`, reach_s, controls: false });
    this.link(this.first, this.second);
    this.link(this.second, this.first);
    window.addEventListener("recolour", () => [this.first, this.second].forEach((timeline) => timeline.recolour()));
    this.element = h("div", { class: "pair" }, legend([one, other]), this.choice(), ...leftOut(one), this.first.element, ...leftOut(other), this.second.element);
  }

  // Where both runs have time steps.
  private choice(): HTMLElement | null {
    this.bySteps = this.mayGoBySteps && hasSteps(this.first.model) && hasSteps(this.second.model);
    if (!this.bySteps) return null;
    this.stepsBox.checked = true;
    return h("p", { class: "note" }, h("label", {}, this.stepsBox, " The same step of both at the left edge; a second is as wide in both"));
  }

  private goBySteps(chosen: boolean): void {
    this.stepsBox.checked = this.bySteps = chosen;
    this.follow(this.first, this.second);
    this.moved();
  }

  private follow(from: Timeline, to: Timeline): void {
    if (!this.bySteps) return to.imitate(from);
    const [begin, end] = from.window, there = timeOf(to.model, stepAt(from.model, begin));
    to.imitate(from, [there, there + (end - begin)]);
  }

  private link(from: Timeline, to: Timeline): void {
    from.onMove = () => {
      this.follow(from, to);
      this.moved();
    };
    const alike = <Value>(act: (value: Value) => void) => (value: Value): void => {
      if (this.busy) return;
      this.busy = true;
      act(value);
      this.busy = false;
    };
    from.onSort = alike((by) => to.sort(by));
    from.onSearch = alike((text) => to.search(text));
  }

  // To be called once it is on the page.
  shown(): void {
    this.first.draw();
    this.second.draw();
    this.moved = keepAddress(() => [...viewParts(this.first), ...ownParts(this.second, "2"), ...(this.stepsBox.isConnected && !this.stepsBox.checked ? ["by-steps=no"] : [])], (text) => this.restore(text));
  }
  private restore(text: Parts): void {
    if (this.bySteps && text("by-steps") === "no") this.goBySteps(false);
    restoreView(this.first, text);
    restoreOwn(this.second, text, "2");
    const window = times(text("t"));
    if (window) this.first.show(...window);
  }
}

function hasSteps(model: Model): boolean {
  return model.steps.filter((one) => one.step >= 0).length > 1;
}

// Seconds of the run to steps, in fractions; before the first step below it, from the begin of the run on.
function stepAt(model: Model, seconds: number): number {
  const marks = model.steps, time = model.units(seconds);
  const next = marks.findIndex((mark) => mark.begin > time);
  if (next === 0) return marks[0].step - (marks[0].begin > 0 ? (marks[0].begin - time) / marks[0].begin : 0);
  const here = marks[next < 0 ? marks.length - 1 : next - 1], end = next < 0 ? model.span : marks[next].begin;
  return (here.step < 0 ? lastStep(model) + 1 : here.step) + (end > here.begin ? (time - here.begin) / (end - here.begin) : 0);
}

function lastStep(model: Model): number {
  return model.steps.reduce((last, mark) => Math.max(last, mark.step), 0);
}

function timeOf(model: Model, step: number): number {
  const marks = model.steps, number = Math.floor(step), share = step - number;
  if (number < marks[0].step) return model.seconds(marks[0].begin * (1 - (marks[0].step - step)));
  const at = marks.findIndex((mark) => mark.step === number || (mark.step < 0 && number > lastStep(model)));
  if (at < 0) return model.seconds(model.span);
  const end = marks[at + 1]?.begin ?? model.span;
  return model.seconds(marks[at].begin + share * (end - marks[at].begin));
}
