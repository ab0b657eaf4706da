// The page of `waitdiag predict`: the prediction beside the measurement.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Model } from "../data/model";
import { Prediction } from "../data/results";
import { Chart } from "../drawing/chart";
import { seriesColour } from "../drawing/colours";
import { bar, Cell, h, section, table, verdictTitle } from "../drawing/dom";
import { count, duration, percent, ranks } from "../drawing/format";
import { Page } from "../drawing/frame";
import { MOVING } from "../timeline/timeline";
import { TreeView } from "./logic_tree";
import { Pair } from "./pair";
import { scaledSection } from "./rescaled";
import { LogicTree } from "./tree_layout";

type Figures = Pick<Prediction, "runtime_s" | "computation_s" | "communication_s" | "waiting_s" | "efficiency">;

function change(before: number, after: number): string {
  if (before <= 0) return "";
  const share = after / before - 1;
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${percent(Math.abs(share))}`;
}

function recordedTime(p: Prediction): number {
  return p.from.runtime_s[p.from.runtime_s.length - 1];
}

// Both run times as bars on the same scale, divided into what an average rank did.
function bothBars(p: Prediction, waitingBefore: number): HTMLElement {
  const before = recordedTime(p), most = Math.max(before, p.runtime_s, p.rescaling?.range_s?.[1] ?? 0) || 1;
  const line = (name: string, total: number, computation: number, mpi: number, waiting: number, range?: [number, number]): HTMLElement => {
    const part = (kind: string, seconds: number, title: string): HTMLElement => h("span", { class: kind, style: `width:${(100 * Math.max(0, seconds)) / most}%`, title: `${title}: ${duration(seconds)}` });
    return h("div", { class: "run-bar" }, h("span", { class: "name" }, name), h("div", { class: "room" }, h("div", { class: "split" }, part("c", computation, "computation"), part("m", mpi - waiting, "MPI without waiting"), part("w", waiting, "waiting")),
      range ? h("i", { class: "range", style: `left:${(100 * range[0]) / most}%;width:${(100 * (range[1] - range[0])) / most}%`, title: `range: ${duration(range[0])} to ${duration(range[1])}` }) : null),
      h("b", {}, duration(total)));
  };
  return h("div", {}, line("measured", before, p.from.computation_s, p.from.communication_s, waitingBefore), line("predicted", p.runtime_s, p.computation_s, p.communication_s, p.waiting_s, p.rescaling?.range_s),
    h("p", { class: "note" }, "An average rank: ", h("i", { class: "chip c" }), "computation ", h("i", { class: "chip m" }), "MPI without waiting ", h("i", { class: "chip w" }), "waiting",
      p.rescaling?.range_s ? " · the line over a bar: its range" : ""));
}

function comparison(p: Prediction, waitingBefore: number): HTMLElement {
  const before = recordedTime(p);
  const row = (name: string, a: number, b: number, format: (v: number) => string = duration): Cell[] => [
    { text: name }, { text: format(a), sort: a, figure: true }, { text: format(b), sort: b, figure: true }, { text: change(a, b), sort: a > 0 ? b / a : 0, figure: true },
  ];
  return table(["An average rank", "measured", "predicted", "change"], [
    row("run time", before, p.runtime_s), row("computation", p.from.computation_s, p.computation_s), row("in MPI calls", p.from.communication_s, p.communication_s),
    row("waiting in them", waitingBefore, p.waiting_s), row("parallel efficiency", before > 0 ? p.from.computation_s / before : 0, p.efficiency, percent),
  ]);
}

function whatIfs(p: Prediction): HTMLElement | null {
  if (!p.what_ifs || p.what_ifs.length === 0) return null;
  const most = Math.max(recordedTime(p), ...p.what_ifs.map((one) => one.runtime_s)) || 1, base = p.runtime_s;
  const row = (name: string, one: Figures, style = ""): Cell[] => [
    { text: h(style === "" ? "code" : "b", {}, name), sort: name }, { text: duration(one.runtime_s), sort: one.runtime_s, figure: true }, { text: bar(one.runtime_s / most, style), sort: one.runtime_s },
    { text: name === "as predicted" ? "" : change(base, one.runtime_s), sort: one.runtime_s / (base || 1), figure: true }, { text: duration(one.computation_s), sort: one.computation_s, figure: true },
    { text: duration(one.communication_s), sort: one.communication_s, figure: true }, { text: percent(one.efficiency), sort: one.efficiency, figure: true },
  ];
  const recorded: Figures = { runtime_s: recordedTime(p), computation_s: p.from.computation_s, communication_s: p.from.communication_s, waiting_s: 0, efficiency: p.from.computation_s / (recordedTime(p) || 1) };
  return table(["What if", "run time", "", "to the prediction", "computation", "in MPI calls", "efficiency"],
    [row("measured", recorded, "var(--faint)"), ...p.what_ifs.map((one) => row(one.options, one, one.options === "as predicted" ? "var(--accent)" : ""))], 20);
}

function sweep(p: Prediction): HTMLElement | null {
  if (!p.sweep) return null;
  const { parameter, points, current } = p.sweep;
  const inside = current !== null && current >= points[0].value && current <= points[points.length - 1].value;
  const labels = new Map(points.map((point) => [point.value, point.label]));
  const curve = (name: string, colour: number, of: (point: Figures) => number, dashed = false): Parameters<Chart["change"]>[0] extends { series?: (infer S)[] } ? S : never => {
    const list = points.map((point): [number, number] => [point.value, of(point)]);
    return { name, colour: seriesColour(colour), curve: list, dots: list, dashed, strong: colour === 1 };
  };
  const chart = new Chart({
    label: `run time over ${parameter}`, x: { name: parameter, format: (v) => labels.get(v) ?? "", at: points.map((point) => point.value) }, y: { name: "time", format: duration },
    series: [curve("run time", 1, (f) => f.runtime_s), curve("computation", 2, (f) => f.computation_s), curve("in MPI calls", 3, (f) => f.communication_s, true), curve("waiting", 0, (f) => f.waiting_s, true)],
    marks: [{ y: recordedTime(p), text: `measured ${duration(recordedTime(p))}` }, { y: p.runtime_s, text: `as predicted ${duration(p.runtime_s)}`, colour: "var(--accent)" },
      ...(inside ? [{ x: current, text: `${parameter} in the prediction`, colour: "var(--accent)" }] : [])],
  });
  const rows = points.map((point): Cell[] => [{ text: point.label, sort: point.value }, ...[point.runtime_s, point.computation_s, point.communication_s, point.waiting_s].map((v): Cell => ({ text: duration(v), sort: v, figure: true })), { text: percent(point.efficiency), sort: point.efficiency, figure: true }]);
  return h("div", {}, chart.element, table([parameter, "run time", "computation", "in MPI calls", "waiting", "efficiency"], rows));
}

function causesOfBoth(measured: Model, predicted: Model): HTMLElement {
  const before = measured.report.causes, after = predicted.report.causes;
  const share = (of: Model, seconds: number): string => (of.report.time.total_s > 0 ? percent(seconds / of.report.time.total_s) : "");
  const names = [...after.slice(0, Math.max(measured.coloured, predicted.coloured)), ...after.slice(predicted.coloured, 12)].filter((cause, i, all) => all.indexOf(cause) === i);
  const rows = names.map((cause, i): Cell[] => {
    const old = before.find((one) => one.call_path === cause.call_path)?.waiting_s ?? 0;
    return [{ text: h("span", { id: `cause-${i + 1}` }, `${i + 1}`), sort: i, figure: true }, { text: h("span", {}, cause.function, h("small", { class: "path" }, cause.call_path)), sort: cause.call_path },
      { text: duration(old), sort: old, figure: true }, { text: share(measured, old), sort: old, figure: true }, { text: duration(cause.waiting_s), sort: cause.waiting_s, figure: true }, { text: share(predicted, cause.waiting_s), sort: cause.waiting_s, figure: true },
      { text: cause.ranks.length > 0 ? ranks(cause.ranks.slice(0, 64).map((r) => r.rank)) : "", sort: cause.ranks.length }];
  });
  return rows.length > 0 ? table(["", "cause", "measured", "of all time", "predicted", "of all time", "predicted on rank"], rows) : h("p", {}, "No rank makes others wait, neither measured nor predicted.");
}

function paths(p: Prediction): HTMLElement {
  const rows = p.critical_path.map((entry): Cell[] => [{ text: h("span", { class: "path" }, entry.call_path), sort: entry.call_path }, { text: duration(entry.seconds), sort: entry.seconds, figure: true }, { text: bar(entry.seconds / (p.runtime_s || 1)), sort: entry.seconds }, { text: percent(entry.seconds / (p.runtime_s || 1)), sort: entry.seconds, figure: true }]);
  return table(["On the critical path of the predicted run", "time", "", "share"], rows, 8);
}

function byRank(p: Prediction): HTMLElement {
  const rows = p.by_rank.map((rank): Cell[] => [{ text: `${rank.rank}`, sort: rank.rank, figure: true }, ...[rank.finish_s, rank.computation_s, rank.communication_s, rank.waiting_s].map((v): Cell => ({ text: duration(v), sort: v, figure: true }))]);
  return table(["rank", "end", "computation", "in MPI calls", "waiting"], rows, 8);
}

function approximations(p: Prediction): HTMLElement {
  if (p.approximations.length === 0) return h("p", {}, "All calls of the run could be replayed as the machine's model has them.");
  return h("ul", { class: "quality" }, ...p.approximations.map((one) => h("li", {}, `${one.text}: ${count(one.count)} times, ${duration(one.time_s)} of recorded time (${percent(one.share)})`)));
}

export function predictionPage(columns: Columns): Page {
  const p = columns.json<Prediction>("prediction"), tree = new TreeView(columns.json<LogicTree>("tree"));
  const pair = new Pair(columns, { block: "measured", title: "Measured" }, { block: "predicted", title: "Predicted" });
  const measured = pair.first.model, predicted = pair.second.model;
  predicted.report.resources = undefined; // was measured, in another run
  const waitingBefore = measured.report.time.waiting_s / Math.max(1, measured.report.run.threads);
  const facts = [p.from.program, `${count(p.scenario.ranks)} ranks`, p.scenario.machine, p.scenario.mapping, ...p.scenario.edits];
  const table = whatIfs(p), curves = sweep(p), scaled = p.rescaling ? scaledSection(p) : null;
  const titles: ([string, string] | null)[] = [["timeline", "Timelines"], scaled ? ["sizes", "Sizes"] : null, table ? ["what-if", "What if"] : null, curves ? ["sweep", "Sweep"] : null, ["causes", "Causes"], ["tree", "Logic tree"], ["path", "Critical path"], ["quality", "How sure"]];
  return {
    titles: titles.filter((title): title is [string, string] => title !== null),
    elements: [
      h("header", {}, h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")), verdictTitle(p.verdict), bothBars(p, waitingBefore)),
      section("figures", "Measured and predicted", "", comparison(p, waitingBefore)),
      section("timeline", "Timelines", `Both runs on the same time scale; they move together. Waits have the pale colour of their cause; what caused them has the full colour, the same in both. ${MOVING}`, pair.element),
      ...(scaled ? [section("sizes", "From size to size", "", scaled)] : []),
      ...(table ? [section("what-if", "What if", "What was asked for, one by one, and what could be tried next: the prediction again with these options.", table)] : []),
      ...(curves ? [section("sweep", `Sweep over ${p.sweep?.parameter ?? ""}`, "The same prediction with other values.", curves)] : []),
      section("causes", "Who makes whom wait", "Waiting that goes back to each cause, of all ranks.", causesOfBoth(measured, predicted)),
      section("tree", "Application logic tree", "What the predicted run consists of: boxes are computations of a rank up to a call that depends on somebody, arrows say what they wait for; loops are folded, × says how often. Click a box, or Tab and Enter, for its basic computation units, times and bytes; the arrow keys follow the arrows.", tree.element),
      section("path", "Critical path", "Only what lies on it decides how long the run takes.", paths(p), h("h3", {}, "Ranks in the predicted run"), byRank(p)),
      section("quality", "How sure this is", "What could not be replayed as it was. The messages and their order are those of the recorded run; computation is as recorded, times a factor.", approximations(p)),
    ],
    hook: { prediction: p, tree, timeline: pair.first, predicted: pair.second },
    shown: () => pair.shown(),
  };
}
