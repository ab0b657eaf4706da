// How the lanes of a timeline are sorted and grouped, and which groups are open.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { h } from "../drawing/dom";
import { laneSums, sorted, Sorting } from "./order";
import { Group, grouped, Grouping, ranksOf, Rows } from "./rows";

const MANY = 256; // with more lanes than this, similar ones share a row
const MOST_BUTTONS = 24;

export class Arrangement {
  // The groups as buttons, reachable by keyboard, with all their ranks.
  readonly element = h("p", { class: "groups" });
  readonly firstGrouping: Grouping; // as the page opens
  sorting: Sorting = "rank";
  grouping: Grouping;
  groups: Group[] | null = null;
  rows: Rows;
  open = new Set<number>();
  private readonly sums;

  constructor(private readonly model: Model, private readonly changed: () => void) {
    this.sums = laneSums(model);
    this.grouping = this.firstGrouping = model.lanes > MANY ? "alike" : "none";
    this.rows = this.arranged();
  }

  private arranged(): Rows {
    const order = sorted(this.model, this.sums, this.sorting);
    this.groups = grouped(this.model, this.sums, order, this.grouping);
    const button = (group: Group, number: number): HTMLElement => h("button", {
      type: "button", "aria-expanded": String(this.open.has(number)), click: () => this.toggle(number),
    }, `${this.open.has(number) ? "▾" : "▸"} ${group.name}`, h("small", {}, ranksOf(this.model, group)));
    this.element.replaceChildren(...(this.groups ?? []).slice(0, MOST_BUTTONS).map(button));
    this.element.hidden = this.groups === null;
    return new Rows(this.model.lanes, this.groups, order, this.open);
  }
  private rearrange(): void {
    this.rows = this.arranged();
    this.changed();
  }

  sort(by: Sorting): void {
    this.sorting = by;
    this.rearrange();
  }
  group(by: Grouping): void {
    this.grouping = by;
    this.open.clear();
    this.rearrange();
  }
  toggle(group: number): void {
    if (!this.open.delete(group)) this.open.add(group);
    this.rearrange();
  }
  toggleAll(): void {
    const some = this.open.size > 0;
    this.open.clear();
    if (!some) this.groups?.forEach((_, number) => this.open.add(number));
    this.rearrange();
  }
  openOnly(groups: number[]): void {
    this.open = new Set(groups);
    this.rearrange();
  }
  // Takes over the arrangement of another run with equally many lanes.
  imitate(other: Arrangement): void {
    this.groups = other.groups;
    this.rows = other.rows;
  }
}
