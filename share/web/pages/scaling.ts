// The page of `waitdiag scale`: how the time of each call path grows with the ranks.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Scaling } from "../data/results";
import { Chart, Series } from "../drawing/chart";
import { seriesColour } from "../drawing/colours";
import { bar, Cell, h, section, table, verdictTitle } from "../drawing/dom";
import { count, duration, percent } from "../drawing/format";
import { Page } from "../drawing/frame";
import { health } from "../report/summary";

type Row = Scaling["call_paths"][number];

const CURVES = 5, POINTS = 60;

function value(row: Row, p: number): number {
  const { constant, coefficient, power, logarithms } = row.model;
  return constant + coefficient * p ** power * Math.log2(p) ** logarithms;
}

function numbers(scaling: Scaling): number[] {
  const first = scaling.ranks[0], last = scaling.up_to;
  const list = Array.from({ length: POINTS + 1 }, (_, i) => first * (last / first) ** (i / POINTS));
  return [...new Set([...list, ...scaling.ranks])].sort((a, b) => a - b);
}

function short(path: string): string {
  return path.split("/").slice(-2).join("/");
}

// The range: the error with which each run is predicted from the others, wider with every doubling beyond
// these.
function range(row: Row, p: number, largest: number, time: number): [number, number] {
  const error = (row.model.left_out ?? 0) * Math.max(1, Math.log2(p / largest) + 1);
  return [time / (1 + error), time * (1 + error)];
}

function seriesOf(scaling: Scaling, row: Row, name: string, colour: string, strong: boolean, total?: (p: number) => number): Series {
  const at = numbers(scaling), of = total ?? ((p: number): number => value(row, p)), largest = scaling.ranks[scaling.ranks.length - 1];
  return {
    name, colour, strong, curve: at.map((p): [number, number] => [p, Math.max(0, of(p))]), dots: scaling.ranks.map((p, i): [number, number] => [p, row.mean_s[i]]),
    band: at.map((p): [number, number, number] => [p, ...range(row, p, largest, Math.max(0, of(p)))]),
  };
}

function chosen(scaling: Scaling, shown: Set<string>): Series[] {
  const total = (p: number): number => scaling.call_paths.reduce((sum, row) => sum + Math.max(0, value(row, p)), 0);
  const rows = scaling.call_paths.filter((row) => shown.has(row.call_path));
  return [seriesOf(scaling, scaling.runtime, "run time, the sum of all models", "var(--text)", true, total),
    ...rows.map((row) => seriesOf(scaling, row, short(row.call_path), seriesColour(scaling.call_paths.indexOf(row)), false))];
}

function rowOf(scaling: Scaling, row: Row, toggle: (path: string, on: boolean) => void, on: boolean): Cell[] {
  const box: HTMLInputElement = h("input", { type: "checkbox", "aria-label": `draw ${row.call_path}`, change: () => toggle(row.call_path, box.checked) });
  box.checked = on;
  const last = row.mean_s.length - 1;
  const colour = seriesColour(scaling.call_paths.indexOf(row));
  return [
    { text: h("span", {}, box, " ", h("i", { class: "chip", style: `background:${colour}` })), sort: on ? 1 : 0 },
    { text: h("span", {}, short(row.call_path), h("small", { class: "path" }, row.call_path)), sort: row.call_path },
    { text: duration(row.mean_s[0]), sort: row.mean_s[0], figure: true }, { text: duration(row.mean_s[last]), sort: row.mean_s[last], figure: true },
    { text: duration(row.predicted_s), sort: row.predicted_s, figure: true }, { text: bar(row.predicted_s / (scaling.runtime.predicted_s || 1), colour), sort: row.predicted_s },
    { text: h("code", {}, row.model.text), sort: row.model.text }, { text: row.model.r_squared === null ? "–" : row.model.r_squared.toFixed(3), sort: row.model.r_squared ?? 2, figure: true },
    { text: percent(row.model.left_out), sort: row.model.left_out ?? -1, figure: true },
  ];
}

type Size = Scaling["efficiencies"][number];
const FACTORS: [string, Exclude<keyof Size, "ranks" | "loses_most" | "lost" | "hybrid">, number][] = [
  ["Global efficiency", "global", 0], ["Parallel efficiency", "parallel", 1], ["Load balance", "load_balance", 2], ["Communication efficiency", "communication", 2],
  ["Serialisation", "serialisation", 3], ["Transfer", "transfer", 3], ["Computation scalability", "scalability", 1],
];

// Of threads as well as ranks, where known.
const HYBRID: [string, Exclude<keyof NonNullable<Size["hybrid"]>, "threads">, number][] = [
  ["Hybrid parallel efficiency", "parallel", 0], ["MPI", "mpi", 1], ["OpenMP", "openmp", 1], ["Serial parts", "serial", 2], ["Thread balance", "balance", 2],
  ["Critical sections, locks", "contention", 2], ["Waiting for tasks", "tasks", 2], ["Barriers", "barriers", 2], ["Begin and end of teams", "overhead", 2],
];

// POP's table: a column for each size.
function efficiencies(scaling: Scaling): HTMLElement {
  const sizes = scaling.efficiencies;
  const cell = (value: number | null): HTMLElement => h("td", { class: `figure factor-cell ${health(value)}` }, percent(value));
  const row = (name: string, depth: number, of: (one: Size) => number | null): HTMLElement => h("tr", {}, h("th", { scope: "row", style: `padding-left:${depth * 18}px` }, name), ...sizes.map((one) => cell(of(one))));
  const hybrid = sizes.some((one) => one.hybrid) ? HYBRID : [];
  return h("div", { class: "scroll" }, h("table", { class: "pop" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Factor"), ...sizes.map((one) => h("th", { class: "figure", scope: "col" }, `${count(one.ranks)} ranks`)))),
    h("tbody", {}, ...FACTORS.map(([name, key, depth]) => row(name, depth, (one) => one[key])), ...hybrid.map(([name, key, depth]) => row(name, depth, (one) => one.hybrid?.[key] ?? null)),
      h("tr", {}, h("th", { scope: "row" }, "Most is lost to"), ...sizes.map((one) => h("td", { class: "figure" }, one.loses_most ? h("span", { title: one.loses_most }, `${short(one.loses_most)} ${percent(one.lost)}`) : "–"))))));
}

export function scalingPage(columns: Columns): Page {
  const scaling = columns.json<Scaling>("scaling");
  const most = [...scaling.call_paths].sort((a, b) => b.predicted_s - a.predicted_s);
  const bottlenecks = scaling.bottlenecks.map((one) => one.call_path);
  const shown = new Set([...bottlenecks, ...most.map((row) => row.call_path)].filter((path, i, all) => all.indexOf(path) === i).slice(0, CURVES));
  const powers: number[] = [];
  for (let p = scaling.ranks[0]; p <= scaling.up_to * 1.001; p *= 2) powers.push(p);
  const chart = new Chart({
    label: "time of an average rank over the number of ranks", x: { name: "ranks", log: true, format: (v) => count(Math.round(v)), at: powers }, y: { name: "time", log: true, format: duration },
    series: chosen(scaling, shown),
    marks: [{ x: scaling.ranks[scaling.ranks.length - 1], text: "largest run" },
      ...scaling.bottlenecks.filter((one) => !one.measured || one.from_ranks > scaling.ranks[0]).map((one) => ({ x: one.from_ranks, text: `${short(one.call_path)} takes most`, colour: seriesColour(Math.max(0, scaling.call_paths.findIndex((row) => row.call_path === one.call_path))) }))],
  }, 420);
  const toggle = (path: string, on: boolean): void => {
    if (on) shown.add(path);
    else shown.delete(path);
    chart.change({ series: chosen(scaling, shown) });
  };
  const leads = scaling.bottlenecks.map((one): Cell[] => [
    { text: count(one.from_ranks), sort: one.from_ranks, figure: true }, { text: h("span", { class: "path" }, one.call_path), sort: one.call_path }, { text: percent(one.share), sort: one.share, figure: true }, { text: scaling.ranks.includes(one.from_ranks) ? "measured" : one.measured ? "between measured runs" : "by the models" },
  ]);
  return {
    titles: [["efficiency", "Efficiency"], ["curves", "Curves"], ["bottlenecks", "Bottlenecks"], ["models", "Models"], ["quality", "How sure"]],
    elements: [
      h("header", {}, h("p", { class: "facts" }, [scaling.program, `runs with ${scaling.ranks.map(count).join(", ")} ranks`, `models up to ${count(scaling.up_to)}`].filter(Boolean).join(" · ")), verdictTitle(scaling.verdict)),
      section("efficiency", "Efficiency", `Each factor is what the runs keep of their core time; 100 % would be ideal. Scalability compares ${scaling.work_grows ? "the computation of an average rank, as the work grows with the ranks" : "the computation of all ranks"} with that of the smallest runs.`, efficiencies(scaling)),
      section("curves", "Times over ranks", "Points were measured, the mean of all ranks; curves are the models, each with its range: the error with which every run is predicted from the others, wider with each doubling beyond the largest run.", chart.element),
      section("bottlenecks", "What takes most of the time", "", table(["from this many ranks", "call path", "share of the time there", ""], leads)),
      section("models", "Models", "c0 + c1·pⁱ·log₂(p)ʲ for each call path, p is the number of ranks. Tick those to be drawn.",
        table(["", "call path", `${count(scaling.ranks[0])} ranks`, `${count(scaling.ranks[scaling.ranks.length - 1])} ranks`, `${count(scaling.up_to)} ranks`, "", "model", "R²", "error, run left out"], scaling.call_paths.map((row) => rowOf(scaling, row, toggle, shown.has(row.call_path))), 20)),
      section("quality", "How sure this is", "", h("ul", { class: "quality" }, ...scaling.cautions.map((text) => h("li", { class: "warning" }, h("b", {}, "caution"), ` ${text}`)),
        scaling.left_out_share > 0 ? h("li", { class: "info" }, `${percent(scaling.left_out_share)} of the largest run's time is in call paths too small to be modelled`) : null,
        h("li", { class: "info" }, `Runs: ${scaling.sources.join(", ")}`))),
    ],
    hook: { scaling, chart },
  };
}
