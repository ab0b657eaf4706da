// What is in view, as part of the address, so that it can be mailed: #t=1.5:2&r=0:64&g=alike&q=solve&if=0,40. Only
// what differs from the page as it opens.
// SPDX-License-Identifier: BSD-3-Clause
import { follow } from "../drawing/frame";
import { tellControls } from "./controls";
import { Sorting } from "./order";
import { Grouping } from "./rows";
import type { Timeline } from "./timeline";

// A part of an address by its name; empty if it is not there.
export type Parts = (name: string) => string;

// Rows and what is selected, which two timelines do not share. `suffix` tells the second one's parts from the first one's.
export function ownParts(timeline: Timeline, suffix = ""): string[] {
  const { state } = timeline, parts: string[] = [];
  if (state.open.length > 0) parts.push(`o${suffix}=${state.open.join(",")}`);
  if (state.rows < state.rowsInAll) parts.push(`r${suffix}=${state.row0.toFixed(1)}:${state.rows.toFixed(1)}`);
  if (state.selected >= 0) parts.push(`call${suffix}=${state.selected}`);
  return parts;
}

export function viewParts(timeline: Timeline): string[] {
  const { arrangement, shows } = timeline, [from, to] = timeline.window;
  const parts = [`t=${exactly(from)}:${exactly(to)}`];
  if (arrangement.grouping !== arrangement.firstGrouping) parts.push(`g=${arrangement.grouping}`);
  if (arrangement.sorting !== "rank") parts.push(`by=${arrangement.sorting}`);
  if (timeline.searched) parts.push(`q=${encodeURIComponent(timeline.searched)}`);
  const hidden = (Object.keys(shows) as (keyof typeof shows)[]).filter((key) => !shows[key]);
  if (hidden.length > 0) parts.push(`hide=${hidden.join(",")}`);
  if (timeline.painter.spotlit >= 0) parts.push(`only=${timeline.painter.spotlit}`);
  return [...parts, ...ownParts(timeline)];
}

// To the nanosecond: a run may take microseconds.
export function exactly(seconds: number): string {
  return seconds.toFixed(9).replace(/\.?0+$/, "");
}

export function times(text: string): [number, number] | null {
  const found = /^([\d.]+):([\d.]+)$/.exec(text);
  return found && [Number(found[1]), Number(found[2])];
}

export function restoreOwn(timeline: Timeline, text: Parts, suffix = ""): void {
  const rows = times(text(`r${suffix}`)), open = text(`o${suffix}`), call = text(`call${suffix}`);
  timeline.restore(rows?.[0] ?? 0, rows?.[1] ?? Infinity, open ? open.split(",").map(Number) : [], call ? Number(call) : -1);
}

export function restoreView(timeline: Timeline, text: Parts): void {
  if (["rank", "node", "wait", "load", "caused"].includes(text("by"))) timeline.sort(text("by") as Sorting);
  if (["none", "node", "alike"].includes(text("g"))) timeline.group(text("g") as Grouping);
  if (text("hide")) timeline.showOnly(Object.fromEntries(text("hide").split(",").map((key) => [key, false])));
  if (text("q")) timeline.search(text("q"));
  if (text("only") && Number(text("only")) < timeline.model.report.causes.length) timeline.spotlight(Number(text("only")));
  restoreOwn(timeline, text);
  const window = times(text("t"));
  if (window) timeline.show(...window);
  tellControls(timeline);
}

function partsOf(hash: string): Parts {
  const parts = new Map(hash.replace(/^#/, "").split("&").map((part): [string, string] => {
    const at = part.indexOf("=");
    return at < 0 ? [part, ""] : [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
  }));
  return (name) => parts.get(name) ?? "";
}

// Goes where the address says: to a view of the timeline or to a part of the page. What is returned is to be called
// whenever the view has changed.
export function keepAddress(parts: () => string[], restore: (text: Parts) => void): () => void {
  const go = (): void => {
    const text = partsOf(location.hash);
    if (times(text("t"))) restore(text);
    else follow(decodeURIComponent(location.hash.slice(1)));
  };
  window.addEventListener("hashchange", go);
  go();
  let later = 0;
  return () => {
    clearTimeout(later);
    later = window.setTimeout(() => history.replaceState(null, "", `#${parts().join("&")}`), 300);
  };
}
