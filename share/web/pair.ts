// Two timelines on one time scale, the recorded run above the predicted one: they move, sort and search together.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "./columns";
import { h } from "./dom";
import { leftOut } from "./facts";
import { legend } from "./legend";
import { Model } from "./model";
import { detailed } from "./stage";
import { Timeline } from "./timeline";

export class Pair {
  readonly element: HTMLElement;
  readonly measured: Timeline;
  readonly predicted: Timeline;
  private busy = false;

  constructor(columns: Columns) {
    const first = new Model(detailed(columns.inside("measured"))[0]), second = new Model(detailed(columns.inside("predicted"))[0], first);
    second.report.resources = undefined; // was measured, in another run
    const reach_s = Math.max(first.stretch.to_s, second.stretch.to_s);
    const ranks = (model: Model): string => `${model.report.run.ranks} rank${model.report.run.ranks === 1 ? "" : "s"}`;
    this.measured = new Timeline(first, { id: "measured", title: `Measured, ${ranks(first)}`, reach_s, controls: true });
    this.predicted = new Timeline(second, { id: "predicted", title: `Predicted, ${ranks(second)}`, reach_s, controls: false });
    this.link(this.measured, this.predicted);
    this.link(this.predicted, this.measured);
    window.addEventListener("recolour", () => [this.measured, this.predicted].forEach((one) => one.recolour()));
    this.element = h("div", { class: "pair" }, legend(first, second), ...leftOut(first), this.measured.element, ...leftOut(second), this.predicted.element);
  }

  private link(from: Timeline, to: Timeline): void {
    from.onMove = () => to.imitate(from);
    const alike = <Value>(act: (value: Value) => void) => (value: Value): void => {
      if (this.busy) return;
      this.busy = true;
      act(value);
      this.busy = false;
    };
    from.onSort = alike((by) => to.sort(by));
    from.onSearch = alike((text) => to.search(text));
  }

  draw(): void {
    this.measured.draw();
    this.predicted.draw();
  }
}
