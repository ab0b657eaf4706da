// What is in view, as part of the address, so that it can be mailed: #t=1.5:2&r=0:64&g=alike&q=solve. Only
// what differs from the page as it opens.
// SPDX-License-Identifier: BSD-3-Clause
import { tellControls } from "./controls";
import { Sorting } from "./order";
import { Grouping } from "./rows";
import { Timeline } from "./timeline";

export function address(timeline: Timeline): string {
  const { state, shows } = timeline, [from, to] = timeline.window;
  const parts = [`t=${from.toFixed(6)}:${to.toFixed(6)}`];
  if (timeline.arrangement.grouping !== timeline.arrangement.firstGrouping) parts.push(`g=${timeline.arrangement.grouping}`);
  if (state.open.length > 0) parts.push(`o=${state.open.join(",")}`);
  if (timeline.arrangement.sorting !== "rank") parts.push(`by=${timeline.arrangement.sorting}`);
  if (state.rows < state.rowsInAll) parts.push(`r=${state.row0.toFixed(1)}:${state.rows.toFixed(1)}`);
  if (timeline.searched) parts.push(`q=${encodeURIComponent(timeline.searched)}`);
  const hidden = (Object.keys(shows) as (keyof typeof shows)[]).filter((key) => !shows[key]);
  if (hidden.length > 0) parts.push(`hide=${hidden.join(",")}`);
  if (state.selected >= 0) parts.push(`call=${state.selected}`);
  return `#${parts.join("&")}`;
}

// Whether the address is one of a timeline; `show` first brings a stretch of the run into view, and returns
// its timeline.
export function restore(hash: string, show: (from: number, to: number) => Timeline): boolean {
  const parts = new Map(hash.replace(/^#/, "").split("&").map((part): [string, string] => {
    const at = part.indexOf("=");
    return at < 0 ? [part, ""] : [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
  }));
  const window = /^([\d.]+):([\d.]+)$/.exec(parts.get("t") ?? "");
  if (!window) return false;
  const timeline = show(Number(window[1]), Number(window[2]));
  const text = (name: string): string => parts.get(name) ?? "";
  if (["rank", "node", "wait", "load", "caused"].includes(text("by"))) timeline.sort(text("by") as Sorting);
  if (["none", "node", "alike"].includes(text("g"))) timeline.group(text("g") as Grouping);
  if (text("hide")) timeline.showOnly(Object.fromEntries(text("hide").split(",").map((key) => [key, false])));
  if (text("q")) timeline.search(text("q"));
  const rows = /^([\d.]+):([\d.]+)$/.exec(text("r"));
  const open = text("o") ? text("o").split(",").map(Number) : [];
  timeline.restore(rows ? Number(rows[1]) : 0, rows ? Number(rows[2]) : Infinity, open, text("call") ? Number(text("call")) : -1);
  timeline.show(Number(window[1]), Number(window[2]));
  tellControls(timeline);
  return true;
}
