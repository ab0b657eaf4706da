// The top of the page: the verdict, the efficiency tree, where ranks wait.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { Report } from "../data/report";
import { bar, Cell, h, table, verdictTitle } from "../drawing/dom";
import { count, duration, percent, ranks, ranksOf } from "../drawing/format";

// The same limits as the verdict's: POP's usual guidelines.
export function health(value: number | null): string {
  return value === null ? "" : value >= 0.8 ? "good" : value >= 0.6 ? "fair" : "bad";
}

function node(name: string, value: number | null, lost: string, ...children: HTMLElement[]): HTMLElement {
  const loss = value === null ? "not defined" : value >= 0.995 ? "nothing to speak of is lost here" : `${percent(1 - value)} lost: ${lost}`;
  return h("li", {}, h("div", { class: `factor ${health(value)}` }, h("span", { class: "name" }, name), bar(value ?? 0), h("b", {}, percent(value)), h("small", {}, loss)),
    children.length > 0 ? h("ul", {}, ...children) : null);
}

export function efficiencyTree(report: Report): HTMLElement {
  const { efficiency: e, efficiency_on_critical_path: path, efficiency_by_replay: replay } = report;
  const other = (how: string, tree: Report["efficiency"] | undefined): HTMLElement | null =>
    (tree ? h("li", {}, `${how}: serialisation ${percent(tree.serialisation)}, transfer ${percent(tree.transfer)}`) : null);
  return h("div", {}, h("ul", { class: "tree" },
    node("Parallel efficiency", e.parallel, "core time that does not compute",
      node("Load balance", e.load_balance, "some ranks compute longer than the average, the others wait for them"),
      node("Communication efficiency", e.communication, "beyond load balance, in MPI",
        node("Serialisation", e.serialisation, "ranks wait for each other in turn, although balanced over the run"),
        node("Transfer", e.transfer, "moving data, and the calls themselves")))),
    h("details", { class: "more" }, h("summary", {}, "Serialisation and transfer, told apart in other ways"),
      h("ul", {}, other("The run timed again on an ideal network", path), other("Each message replayed on an ideal network", replay)), parts(report)));
}

export function headline(model: Model): HTMLElement {
  const { report, names } = model;
  const { run, time } = report;
  const facts = [
    run.program, `${count(run.ranks)} rank${run.ranks === 1 ? "" : "s"}${run.nodes > 0 ? ` on ${count(run.nodes)} node${run.nodes === 1 ? "" : "s"}` : ""}`, duration(run.runtime_s) + (run.paused_s ? ` of ${duration(run.runtime_s + run.paused_s)}` : ""), run.mpi,
    `${count(run.mpi_calls)} MPI calls`,
  ];
  return h("header", {}, h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")), verdictTitle(names.verdict),
    report.ending ? h("p", { class: "alarm" }, report.ending.sentence) : null, caveats(report), excerpts(report), timeBar(time));
}

// What the reader has to know before believing the verdict.
function caveats(report: Report): HTMLElement | null {
  const rows = report.data_quality.filter((row) => row.count > 0 && row.severity !== "info");
  return rows.length === 0 ? null : h("ul", { class: "caveats", "aria-label": "Data quality" }, ...rows.map((row) => h("li", { class: row.severity }, h("b", {}, `${row.severity}: `), row.text, row.count > 1 ? ` (${count(row.count)} times)` : "")));
}

// For a light recording: how little of the run the page shows, and the figures of the whole run.
function excerpts(report: Report): HTMLElement | null {
  const whole = report.whole_run;
  if (!whole) return null;
  const { time, efficiency } = whole;
  return h("p", { class: "left-out excerpts" }, `This page shows ${count(whole.excerpts)} excerpts, ${duration(whole.recorded_s)} of ${duration(whole.runtime_s)} (${percent(whole.recorded_s / (whole.runtime_s || 1))}), and its times count them one behind the other. Whole run: parallel efficiency ${percent(efficiency.parallel)}, load balance ${percent(efficiency.load_balance)}, in MPI ${duration(time.mpi_s)} of ${duration(time.total_s)} core time. Of that about ${duration(time.waiting_s)} are waiting, if every call path waits as in the excerpts.`);
}

function timeBar(time: Report["time"]): HTMLElement {
  const total = time.total_s || 1;
  const part = (name: string, seconds: number, kind: string): HTMLElement =>
    h("span", { class: kind, style: `flex:${Math.max(seconds / total, 0.0001)}`, title: `${name}: ${duration(seconds)}` });
  const transfer = Math.max(0, time.mpi_s - time.waiting_s);
  return h("div", {}, h("div", { class: "split" }, part("computation", time.computation_s, "c"), part("MPI without waiting", transfer, "m"), part("waiting", time.waiting_s, "w")),
    h("p", { class: "note" }, `Core time ${duration(time.total_s)}: `, h("i", { class: "chip c" }), `computation ${percent(time.computation_s / total)} `,
      h("i", { class: "chip m" }), `MPI without waiting ${percent(transfer / total)} `, h("i", { class: "chip w" }), `waiting ${percent(time.waiting_s / total)}`));
}

export function waits(model: Model): HTMLElement {
  const { report } = model;
  const all = report.time.waiting_s || 1;
  const words = new Map(model.names.patterns.map((p) => [p.id, `${p.summary} ${p.advice}`]));
  const rows = report.waits.map((wait): Cell[] => [
    { text: h("span", { title: words.get(wait.pattern) ?? "" }, wait.title, h("small", {}, words.get(wait.pattern) ?? "")), sort: wait.title },
    { text: duration(wait.total_s), sort: wait.total_s, figure: true },
    { text: wait.waiting ? percent(wait.total_s / all) : "–", sort: wait.waiting ? wait.total_s : 0, figure: true },
    { text: count(wait.count), sort: wait.count, figure: true },
    ...[wait.median_s, wait.longest_s].map((each): Cell => ({ text: each === undefined ? "–" : duration(each), sort: each ?? 0, figure: true })),
    { text: ranks(ranksOf(wait.by_rank)), sort: ranksOf(wait.by_rank).length },
  ]);
  if (rows.length === 0) return h("p", {}, "No rank waits for another one.");
  return table(["Wait", "waiting", "share", "times", "median", "longest", "ranks"], rows);
}

export function parts(report: Report): HTMLElement | null {
  const rows = (report.efficiency_by_part ?? []).map((part): Cell[] => [
    { text: part.part, sort: part.first_step ?? -1 },
    { text: duration(part.time_s), sort: part.time_s, figure: true },
    { text: duration(part.waiting_s), sort: part.waiting_s, figure: true },
    ...[part.parallel, part.load_balance, part.serialisation, part.transfer, part.on_critical_path.serialisation, part.on_critical_path.transfer].map((value): Cell => ({ text: percent(value), sort: value ?? -1, figure: true })),
  ]);
  return rows.length === 0 ? null : table(["Part of the run", "time", "waiting", "efficiency", "load balance", "serialisation", "transfer", "path serialisation", "path transfer"], rows, 8);
}
