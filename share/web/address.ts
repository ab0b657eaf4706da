// What is in view, as part of the address, so that it can be mailed: #t=1.5:2&r=0:64&g=alike&q=solve&if=0,40. Only
// what differs from the page as it opens.
// SPDX-License-Identifier: BSD-3-Clause
import { tellControls } from "./controls";
import { Sorting } from "./order";
import { Grouping } from "./rows";
import type { Stage } from "./stage";
import { WhatIf } from "./what_if";

export function address(stage: Stage, whatIf: WhatIf | null): string {
  const { timeline, overview } = stage, { state, shows } = timeline, [from, to] = timeline.window;
  const parts = [`t=${from.toFixed(6)}:${to.toFixed(6)}`];
  if (timeline.arrangement.grouping !== timeline.arrangement.firstGrouping) parts.push(`g=${timeline.arrangement.grouping}`);
  if (state.open.length > 0) parts.push(`o=${state.open.join(",")}`);
  if (timeline.arrangement.sorting !== "rank") parts.push(`by=${timeline.arrangement.sorting}`);
  if (state.rows < state.rowsInAll) parts.push(`r=${state.row0.toFixed(1)}:${state.rows.toFixed(1)}`);
  if (timeline.searched) parts.push(`q=${encodeURIComponent(timeline.searched)}`);
  const hidden = (Object.keys(shows) as (keyof typeof shows)[]).filter((key) => !shows[key]);
  if (hidden.length > 0) parts.push(`hide=${hidden.join(",")}`);
  if (timeline.painter.spotlit >= 0) parts.push(`only=${timeline.painter.spotlit}`);
  if (overview && (overview.view[0] > overview.facts.from_s || overview.view[1] < overview.facts.to_s)) parts.push(`of=${overview.view.map((time) => time.toFixed(6)).join(":")}`);
  if (whatIf?.state) parts.push(`if=${whatIf.state}`);
  if (state.selected >= 0) parts.push(`call=${state.selected}`);
  return `#${parts.join("&")}`;
}

function pair(text: string): [number, number] | null {
  const found = /^([\d.]+):([\d.]+)$/.exec(text);
  return found && [Number(found[1]), Number(found[2])];
}

// Whether the address is one of a timeline.
export function restore(hash: string, stage: Stage, whatIf: WhatIf | null): boolean {
  const parts = new Map(hash.replace(/^#/, "").split("&").map((part): [string, string] => {
    const at = part.indexOf("=");
    return at < 0 ? [part, ""] : [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
  }));
  const text = (name: string): string => parts.get(name) ?? "";
  const window = pair(text("t")), rows = pair(text("r")), whole = pair(text("of"));
  if (!window) return false;
  whatIf?.restore(text("if"));
  if (whole) stage.overview?.move(...whole);
  const timeline = stage.show(...window);
  if (["rank", "node", "wait", "load", "caused"].includes(text("by"))) timeline.sort(text("by") as Sorting);
  if (["none", "node", "alike"].includes(text("g"))) timeline.group(text("g") as Grouping);
  if (text("hide")) timeline.showOnly(Object.fromEntries(text("hide").split(",").map((key) => [key, false])));
  if (text("q")) timeline.search(text("q"));
  const open = text("o") ? text("o").split(",").map(Number) : [];
  if (text("only") && Number(text("only")) < timeline.model.report.causes.length) timeline.spotlight(Number(text("only")));
  timeline.restore(rows?.[0] ?? 0, rows?.[1] ?? Infinity, open, text("call") ? Number(text("call")) : -1);
  timeline.show(...window);
  tellControls(timeline);
  if (text("if")) document.getElementById("what-if")?.scrollIntoView();
  return true;
}
