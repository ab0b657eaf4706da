// The controls above a timeline: how rows are sorted and grouped, what is drawn, where to go.
// SPDX-License-Identifier: BSD-3-Clause
import { h } from "../drawing/dom";
import { openHelp } from "./help";
import { Sorting } from "./order";
import { Grouping } from "./rows";
import type { Shows, Timeline } from "./timeline";

const SORTINGS: Record<Sorting, string> = { rank: "rank", node: "node", wait: "longest waiting", load: "most computing", caused: "most waiting caused" };
const GROUPINGS: Record<Grouping, string> = { none: "nothing", node: "node", alike: "what they do" };

function choice<Value extends string>(id: string, names: Record<Value, string>, chosen: Value, act: (value: Value) => void): HTMLSelectElement {
  const select: HTMLSelectElement = h("select", { id, change: () => act(select.value as Value) },
    ...(Object.keys(names) as Value[]).map((value) => h("option", { value }, names[value])));
  select.value = chosen;
  return select;
}

export function controls(timeline: Timeline): HTMLElement {
  const search: HTMLInputElement = h("input", { type: "search", id: "search", placeholder: "Function …", input: () => timeline.search(search.value) });
  const toggle = (key: keyof Shows, text: string): HTMLElement => {
    const box: HTMLInputElement = h("input", { type: "checkbox", id: `show-${key}`, change: () => timeline.showOnly({ [key]: box.checked }) });
    box.checked = timeline.shows[key];
    return h("label", {}, box, text);
  };
  const button = (text: string, title: string, action: () => void): HTMLElement =>
    h("button", { type: "button", title, "aria-label": title, click: action }, text);
  return h("div", { class: "controls" },
    h("label", {}, "Sort by ", choice("sort", SORTINGS, timeline.arrangement.sorting, (by) => timeline.sort(by))),
    h("label", {}, "Group by ", choice("group", GROUPINGS, timeline.arrangement.grouping, (by) => timeline.group(by))),
    h("label", {}, "Find ", search), button("↑", "Previous match (Shift+M)", () => timeline.nextMatch(-1)), button("↓", "Next match (M)", () => timeline.nextMatch(1)),
    toggle("messages", "messages"), toggle("collectives", "collectives"), toggle("path", "critical path"),
    h("span", { class: "buttons" }, button("−", "Zoom out (S)", () => timeline.zoom(2)), button("+", "Zoom in (W)", () => timeline.zoom(0.5)),
      button("⤢", "Show everything (0)", () => timeline.fit()), button("↕", "Fewer ranks (Shift+W)", () => timeline.zoomRows(0.5)),
      button("← wait", "Previous long wait (P)", () => timeline.nextWait(-1)), button("→ wait", "Next long wait (N)", () => timeline.nextWait(1)),
      button("Σ", "Sums of what is in view", () => timeline.sumUp()), button("▣", "Full screen (F)", () => timeline.fullScreen()), button("?", "Keys and mouse (?)", openHelp)));
}

// Shows in the controls what a link has changed.
export function tellControls(timeline: Timeline): void {
  const tell = (id: string, value: string | boolean): void => {
    const control = timeline.element.querySelector<HTMLInputElement>(`#${id}`);
    if (control && typeof value === "string") control.value = value;
    else if (control) control.checked = value as boolean;
  };
  tell("sort", timeline.arrangement.sorting);
  tell("group", timeline.arrangement.grouping);
  tell("search", timeline.searched);
  (Object.keys(timeline.shows) as (keyof Shows)[]).forEach((key) => tell(`show-${key}`, timeline.shows[key]));
}
