// What is under the mouse, in words; and the panel with links to the call that caused a wait.
// SPDX-License-Identifier: BSD-3-Clause
import { KIND_TITLES, Model, NONE } from "../data/model";
import { causeColour, CULPRIT_CLASS } from "../drawing/colours";
import { h } from "../drawing/dom";
import { bytes, count, duration, moment } from "../drawing/format";
import { offProcessorRows } from "./off_processor";
import { Painter } from "./paint";
import { Group, ranksOf } from "./rows";
import { sumsOf, waitsFor } from "./victims";

// A call, or the gap before call `gap`.
export interface Hit {
  lane: number;
  op?: number;
  gap?: number;
}

function stretch(model: Model, hit: Hit): { begin: number; end: number; path: number } {
  if (hit.op !== undefined) return { begin: model.enter[hit.op], end: model.leave[hit.op], path: model.opPath[hit.op] };
  const gap = hit.gap ?? 0;
  return { begin: model.gapBegin(hit.lane, gap), end: model.gapEnd(hit.lane, gap), path: model.gapPath[gap + hit.lane] };
}

function waitsOf(model: Model, hit: Hit): number[] {
  const list: number[] = [];
  if (hit.op === undefined) return list;
  for (let w = model.waitFrom(hit.lane, hit.op); w < model.firstWait[hit.lane + 1] && model.waitOp[w] === hit.op; ++w) list.push(w);
  return list;
}

function culprit(model: Model, wait: number): string {
  const path = model.waitPath[wait];
  if (path === NONE) return "no excess found: transfer, start-up, or what the trace does not show";
  const lane = model.waitPathLane[wait];
  return `${model.functionOf(path)} on ${lane < model.lanes ? model.laneName(lane) : "a rank that is not shown"}`;
}

export function tooltip(model: Model, _painter: Painter, hit: Hit): HTMLElement {
  const { begin, end, path } = stretch(model, hit);
  const box = h("div", {}, h("b", {}, model.functionOf(path)), ` · ${duration(model.length(end - begin))} · ${model.laneName(hit.lane)}`);
  if (hit.gap !== undefined) box.append(...offProcessorRows(model, hit.lane, hit.gap));
  for (const wait of waitsOf(model, hit))
    box.append(h("div", {}, h("i", { class: "chip", style: `background:${causeColour(model.waitPath[wait] === NONE ? -1 : model.causeOfPath[model.waitPath[wait]])}` }),
      `waited ${duration(model.length(model.waitLength[wait]))}: ${culprit(model, wait)}`));
  return box;
}

// For a closed or opened group: what its ranks do at that time.
export function groupTooltip(model: Model, group: Group, time: number): HTMLElement {
  const doing = new Map<string, number>();
  for (const lane of group.lanes) {
    const op = model.callAt(lane, time);
    const inside = op < model.firstOp[lane + 1] && model.enter[op] <= time;
    const what = inside ? model.functionOf(model.opPath[op]) : model.functionOf(model.gapPath[op + lane]);
    doing.set(what, (doing.get(what) ?? 0) + 1);
  }
  const most = [...doing].sort((a, b) => b[1] - a[1]).slice(0, 4);
  return h("div", {}, h("b", {}, group.name), ` · ranks ${ranksOf(model, group)}`, ...most.map(([what, lanes]) => h("div", {}, `${count(lanes)} in ${what}`)));
}

// The ranks that waited while a culprit's stretch ran.
function victimRows(model: Model, hit: Hit, cause: number, begin: number, end: number, go: (op: number) => void): HTMLElement {
  const MOST = 8;
  const victims = sumsOf(model, waitsFor(model, cause, hit.lane, begin, end));
  const all = victims.reduce((sum, victim) => sum + victim.waiting, 0);
  if (victims.length === 0) return h("p", {}, "No rank waited for it at that time.");
  return h("div", { class: "victims" }, h("p", {}, `${count(victims.length)} waited for it meanwhile, ${duration(model.length(all))} in total:`),
    h("ul", {}, ...victims.slice(0, MOST).map((victim) => h("li", {}, `${model.laneName(victim.lane)} ${duration(model.length(victim.waiting))} `,
      h("button", { type: "button", class: "link", click: () => go(model.waitOp[victim.longest]) }, "go there"))),
    victims.length > MOST ? h("li", {}, `and ${count(victims.length - MOST)} more`) : null));
}

function messageRows(model: Model, hit: Hit, go: (op: number) => void): HTMLElement[] {
  const rows: HTMLElement[] = [];
  const all = { in: 0, out: 0 };
  const row = (m: number, out: boolean): void => {
    const other = out ? model.messages.receive[m] : model.messages.send[m];
    if (++all[out ? "out" : "in"] > 8) return;
    rows.push(h("li", {}, `${out ? "to" : "from"} ${model.laneName(model.laneOf(other))}: ${bytes(model.messages.bytes[m])}, tag ${model.messages.tag[m]} `,
      h("button", { type: "button", class: "link", click: () => go(other) }, out ? "go to the receive" : "go to the send")));
  };
  for (let m = model.firstMessage[hit.lane]; m < model.firstMessage[hit.lane + 1]; ++m) if (model.messages.receive[m] === hit.op) row(m, false);
  for (let m = 0; m < model.messages.send.length; ++m) if (model.messages.send[m] === hit.op) row(m, true);
  const more = Math.max(0, all.in - 8) + Math.max(0, all.out - 8);
  if (more > 0) rows.push(h("li", {}, `and ${count(more)} more`));
  return rows;
}

function collectiveRow(model: Model, op: number, go: (op: number) => void): HTMLElement | null {
  const collective = model.collectiveOf[op];
  if (collective === NONE) return null;
  const members = model.memberOp.subarray(model.firstMember[collective], model.firstMember[collective + 1]);
  const last = members.reduce((a, b) => (model.enter[b] > model.enter[a] ? b : a));
  const comm = model.collectiveComm[collective];
  const name = comm > 0 ? model.names.communicators[comm - 1][0] : "";
  return h("li", {}, `collective of ${count(members.length)} shown ranks${name ? ` on ${name}` : ""}; last to arrive: ${model.laneName(model.laneOf(last))} `,
    last === op ? "(this one)" : h("button", { type: "button", class: "link", click: () => go(last) }, "go there"));
}

export function describe(model: Model, painter: Painter, hit: Hit, go: (op: number) => void): HTMLElement {
  const { begin, end, path } = stretch(model, hit);
  const kind = path < model.pathKind.length ? KIND_TITLES[model.pathKind[path]] : "computation";
  const list = h("ul");
  for (const wait of waitsOf(model, hit)) {
    const pattern = model.names.patterns[model.waitPattern[wait]];
    const cause = model.waitCause[wait];
    const number = model.waitPath[wait] === NONE ? -1 : model.causeOfPath[model.waitPath[wait]];
    list.append(h("li", {}, h("i", { class: "chip", style: `background:${causeColour(number)}` }),
      h("b", {}, `waited ${duration(model.length(model.waitLength[wait]))}`), ` (${pattern.title}), owed to ${culprit(model, wait)} `,
      cause === NONE ? null : h("button", { type: "button", class: "link", id: "to-cause", click: () => go(cause) }, `go to the call it waited for, on ${model.laneName(model.laneOf(cause))}`),
      number >= 0 ? h("a", { href: `#cause-${number + 1}` }, `cause ${number + 1}`) : null));
  }
  if (hit.op !== undefined) {
    list.append(...messageRows(model, hit, go));
    const together = collectiveRow(model, hit.op, go);
    if (together) list.append(together);
  }
  const gap = hit.gap !== undefined && path < model.pathKind.length && painter.classOf(path, hit.lane) >= CULPRIT_CLASS;
  return h("div", { class: "card" },
    h("h3", {}, model.functionOf(path), h("small", {}, ` ${kind} · ${model.laneName(hit.lane)} · node ${model.names.lanes.node_names[model.names.lanes.node[hit.lane]] || "unknown"}`)),
    h("p", {}, `${duration(model.length(end - begin))} from ${moment(model.seconds(begin), model.length(end - begin))} to ${moment(model.seconds(end), model.length(end - begin))}`),
    h("p", { class: "path" }, model.callPath(path)),
    ...(hit.gap !== undefined ? offProcessorRows(model, hit.lane, hit.gap) : []),
    gap ? h("p", {}, "This call path made others wait: ", h("a", { href: `#cause-${model.causeOfPath[path] + 1}` }, `cause ${model.causeOfPath[path] + 1}`)) : null,
    gap ? victimRows(model, hit, model.causeOfPath[path], begin, end, go) : null,
    list);
}
