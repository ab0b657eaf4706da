// Pictures of the whole run: which cause was late where and when, the call tree coloured by cause, which
// ranks wait for which, how long waits and steps are.
// SPDX-License-Identifier: BSD-3-Clause
import { Model, NONE } from "../data/model";
import { causeRgb, kindRgb, mixedCss } from "../drawing/colours";
import { h, svg } from "../drawing/dom";
import { count, duration, squeezed } from "../drawing/format";
import { excess, heatmap } from "../drawing/heatmap";
import { Square } from "../drawing/square";

// Ranks by steps: the colour of the cause that was latest there, brighter the longer it was.
export function causeMap(model: Model, step: (column: number) => string): HTMLElement | null {
  const shown = model.report.causes.slice(0, model.coloured).filter((cause) => (cause.by_step?.time_s[0]?.length ?? 0) > 0);
  if (shown.length < 1) return null;
  const late = shown.map((cause) => excess(cause.by_step?.time_s ?? [])), numbers = shown.map((cause) => model.report.causes.indexOf(cause));
  const [rows, columns] = [late[0].length, late[0][0].length];
  const leader = Array.from({ length: rows }, (_, rank) => Array.from({ length: columns }, (_, column) =>
    late.reduce((best, map, i) => (map[rank][column] > late[best][rank][column] ? i : best), 0)));
  const values = leader.map((row, rank) => row.map((cause, column) => late[cause][rank][column]));
  let known: string[][] = [];
  window.addEventListener("recolour", () => (known = []));
  const shades = (cause: number): string[] => (known[cause] ??= Array.from({ length: 65 }, (_, i) => mixedCss(kindRgb(0), causeRgb(cause), i / 64)));
  const title = "Which cause was late on which rank in which step";
  return h("div", { id: "cause-map" }, h("h3", {}, title), heatmap({
    label: title, rows: values, values, column: step, most: duration, ranksPerRow: shown[0].by_step?.ranks_per_row,
    colour: (rank, column, share) => shades(numbers[leader[rank][column]])[Math.round(share * 64)],
    words: (rank, column) => (values[rank][column] > 0 ? `${shown[leader[rank][column]].function} ${duration(values[rank][column])} longer than on the fastest quarter` : "nothing late"),
  }));
}

// Waiting of each rank (a row) for each other one (a column); groups of ranks where there are many.
export function waitMatrix(model: Model): HTMLElement | null {
  const MOST = 256, ranks = model.report.run.ranks, each = Math.ceil(ranks / MOST), rows = Math.ceil(ranks / each);
  const sums = new Float64Array(rows * rows), rank = model.names.lanes.rank;
  for (let lane = 0; lane < model.lanes; ++lane)
    for (let wait = model.firstWait[lane]; wait < model.firstWait[lane + 1]; ++wait) {
      const culprit = model.waitPathLane[wait];
      if (culprit < model.lanes) sums[Math.floor(rank[lane] / each) * rows + Math.floor(rank[culprit] / each)] += model.length(model.waitLength[wait]);
    }
  if (sums.every((sum) => sum === 0)) return null;
  const name = (row: number): string => (each === 1 ? `${row}` : `${row * each}-${Math.min(ranks, row * each + each) - 1}`);
  const label = (row: number): string => `rank${each === 1 ? "" : "s"} ${name(row)}`;
  return h("div", {}, h("h3", {}, "Who waits for whom"), new Square({
    id: "wait-matrix", label: "who waits for whom", rows, name, value: (from, to) => sums[from * rows + to], hint: "Rows wait for columns, in what the timeline shows.",
    words: (from, to) => `${label(from)} waited ${duration(sums[from * rows + to])} for ${label(to)}`,
  }).element);
}

// Bars over a logarithmic scale of lengths.
function histogram(title: string, lengths: number[]): HTMLElement | null {
  const WIDE = 420, HIGH = 120, BARS = 28;
  const own = lengths.filter((length) => length > 0);
  if (own.length < 2) return null;
  const least = own.reduce((a, b) => Math.min(a, b)), most = own.reduce((a, b) => Math.max(a, b)), span = Math.max(1e-9, Math.log(most / least));
  const bars = new Array<number>(BARS).fill(0);
  for (const length of own) ++bars[Math.min(BARS - 1, Math.floor((Math.log(length / least) / span) * BARS))];
  const highest = bars.reduce((a, b) => Math.max(a, b)), wide = WIDE / BARS;
  const at = (bar: number): string => duration(least * Math.exp((span * bar) / BARS));
  return h("figure", { class: "histogram" }, h("figcaption", {}, title), svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 18}`, width: WIDE, class: "chart", role: "img", "aria-label": `${title}: ${count(own.length)}, from ${duration(least)} to ${duration(most)}` },
    ...bars.map((number, i) => svg("rect", { class: "column", x: i * wide + 0.5, y: HIGH - (number / highest) * HIGH, width: wide - 1, height: (number / highest) * HIGH }, svg("title", {}, `${at(i)} to ${at(i + 1)}: ${count(number)}`))),
    svg("text", { x: 0, y: HIGH + 14 }, duration(least)), svg("text", { x: WIDE, y: HIGH + 14, "text-anchor": "end" }, duration(most))));
}

export function histograms(model: Model): HTMLElement | null {
  const waits = histogram("Length of waits", Array.from(model.waitLength, (length) => model.length(length)));
  const steps = histogram("Length of time steps", model.steps.slice(1).flatMap((one, i) => (model.steps[i].step >= 0 ? [model.length(one.begin - model.steps[i].begin)] : [])));
  return waits || steps ? h("div", { class: "histograms" }, waits, steps) : null;
}

const LETTER = 7.3; // of a thousandth of the width, bold
const SHORTEST = 8; // letters that still tell which function it is
const PALE_CAUSES = [4, 5]; // of whose colours white letters do not stand out

// The call tree from the top downwards, as wide as its time; causes in their colour, MPI in that of its kind.
export function icicle(model: Model, find: (name: string) => void): HTMLElement {
  const own = model.columns.numbers("call_ns"), children = new Map<number, number[]>(), total = own.slice();
  for (let path = own.length - 1; path >= 0; --path) {
    const parent = model.parent[path];
    children.set(parent, [path, ...(children.get(parent) ?? [])]);
  }
  const sum = (path: number): number => (total[path] = own[path] + (children.get(path) ?? []).reduce((all, child) => all + sum(child), 0));
  const roots = children.get(NONE) ?? [];
  const all = roots.reduce((some, root) => some + sum(root), 0) || 1;
  const WIDE = 1000, ROW = 20, MOST_DEEP = 24;
  let deepest = 0;
  const boxes: SVGElement[] = [];
  const place = (path: number, left: number, depth: number): void => {
    const wide = (total[path] / all) * WIDE;
    if (wide < 1.5 || depth >= MOST_DEEP) return;
    deepest = Math.max(deepest, depth);
    const cause = model.causeOfPath[path], name = model.functionOf(path);
    const coloured = cause >= 0 && cause < model.coloured;
    const fill = (): string => (coloured ? mixedCss(causeRgb(cause), causeRgb(cause), 0) : mixedCss(kindRgb(model.pathKind[path]), kindRgb(model.pathKind[path]), 0));
    const room = Math.floor((wide - 6) / LETTER);
    const box = svg("g", { class: "box", tabindex: 0, role: "button", "aria-label": `${name} ${duration(total[path] / 1e9)}: find it in the timeline` }, svg("rect", { x: left + 0.4, y: depth * ROW + 0.4, width: Math.max(1, wide - 0.8), height: ROW - 0.8, fill: fill() }),
      room >= Math.min(name.length, SHORTEST) ? svg("text", { x: left + 4, y: depth * ROW + 14, class: coloured ? (PALE_CAUSES.includes(cause) ? "on-pale-cause" : "on-cause") : "" }, squeezed(name, room)) : null,
      svg("title", {}, `${model.callPath(path)}: ${duration(total[path] / 1e9)}, itself ${duration(own[path] / 1e9)}${cause >= 0 ? `, cause ${cause + 1}` : ""}`));
    window.addEventListener("recolour", () => box.firstElementChild?.setAttribute("fill", fill()));
    box.addEventListener("click", () => find(name));
    box.addEventListener("keydown", (event) => { if (event.key === "Enter") find(name); });
    boxes.push(box);
    let at = left;
    for (const child of (children.get(path) ?? []).sort((a, b) => total[b] - total[a] || a - b)) {
      place(child, at, depth + 1);
      at += (total[child] / all) * WIDE;
    }
  };
  let at = 0;
  for (const root of roots.sort((a, b) => total[b] - total[a] || a - b)) {
    place(root, at, 0);
    at += (total[root] / all) * WIDE;
  }
  return h("div", { class: "scroll" }, svg("svg", { viewBox: `0 0 ${WIDE} ${(deepest + 1) * ROW}`, class: "icicle", role: "group", "aria-label": "call paths by time, causes in their colour" }, ...boxes));
}
