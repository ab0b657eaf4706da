// The page of `waitdiag compare`: both runs on one time scale, and what changed from one to the other.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Comparison } from "../data/results";
import { Cell, h, section, svg, table, verdictTitle } from "../drawing/dom";
import { bytes, count, duration, percent, place, ranks, ranksOf } from "../drawing/format";
import { Page } from "../drawing/frame";
import { MOVING } from "../timeline/timeline";
import { Pair } from "./pair";

type Figure = Comparison["figures"][number];
type Change = Comparison["causes"][number];
type Side = Comparison["before"];

function signed(text: string, by: number): string {
  return `${by > 0 ? "+" : by < 0 ? "−" : ""}${text}`;
}

function figure(value: number | null, unit: Figure["unit"]): string {
  if (value === null) return "–";
  return unit === "s" ? duration(value) : unit === "1" ? percent(value) : unit === "B" ? bytes(value) : count(Math.round(value));
}

function changed({ before, after, unit }: Figure): string {
  if (before === null || after === null || before === after) return "";
  if (before === 0 && unit !== "1") return "new";
  const by = unit === "1" ? after - before : after / before - 1;
  return Math.abs(by) < 0.0005 ? "" : signed(`${Math.abs(100 * by).toFixed(1)} ${unit === "1" ? "points" : "%"}`, by);
}

function noise({ spread, unit }: Figure): string {
  if (!spread || unit !== "s") return "";
  const end = (value: number): string => signed(duration(Math.abs(value)), value);
  return `${end(spread.low)} to ${end(spread.high)}, p ${spread.p.toPrecision(2)}`;
}

function figures(comparison: Comparison): HTMLElement {
  const several = comparison.figures.some((one) => one.spread);
  return table(["", "before", "after", "change", ...(several ? ["more than noise?"] : [])], comparison.figures.map((one): Cell[] => [
    { text: one.title }, { text: figure(one.before, one.unit), sort: one.before ?? -1, figure: true }, { text: figure(one.after, one.unit), sort: one.after ?? -1, figure: true },
    { text: changed(one), sort: one.before ? (one.after ?? 0) / one.before : 0, figure: true }, ...(several ? [{ text: noise(one) }] : []),
  ]));
}

// To the right what became more, to the left what became less; the largest fills its half.
function changeBar(by: number, largest: number): SVGElement {
  const WIDE = 240, HIGH = 14, middle = WIDE / 2, long = largest > 0 ? (middle * Math.abs(by)) / largest : 0;
  return svg("svg", { class: "change-bar", viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, role: "img", "aria-label": by > 0 ? "more" : "less" },
    svg("rect", { class: by > 0 ? "more" : "less", x: by > 0 ? middle : middle - long, y: 2, width: long, height: HIGH - 4 }), svg("line", { x1: middle, x2: middle, y1: 0, y2: HIGH }));
}

function changes(list: Change[], functions: boolean): HTMLElement {
  if (list.length === 0) return h("p", {}, "Nothing changed here.");
  const by = (one: Change): number => one.after_s - one.before_s, largest = list.reduce((most, one) => Math.max(most, Math.abs(by(one))), 0);
  const time = (seconds: number, below?: number): string => (below ? `< ${duration(below)}` : duration(seconds));
  const withRanks = list.some((one) => Object.keys(one.by_rank).length > 0);
  return table([functions ? "function" : "wait", "before", "after", "change", "", ...(withRanks ? ["ranks"] : [])], list.map((one): Cell[] => [
    { text: functions ? h("span", {}, one.title, " ", h("small", {}, place(one.file, one.line)), h("small", { class: "path" }, one.id)) : one.title, sort: one.title },
    { text: time(one.before_s, one.before_below), sort: one.before_s, figure: true }, { text: time(one.after_s, one.after_below), sort: one.after_s, figure: true },
    { text: signed(duration(Math.abs(by(one))), by(one)), sort: by(one), figure: true }, { text: changeBar(by(one), largest), sort: by(one) },
    ...(withRanks ? [{ text: ranks(ranksOf(one.by_rank)), sort: ranksOf(one.by_rank).length }] : []),
  ]), 12);
}

function side(name: string, { sources, program, ranks: size, mpi }: Side): string {
  const more = sources.length > 1 ? ` and ${sources.length - 1} more` : "";
  return `${name}: ${[`${sources[0] ?? ""}${more}`, program, `${count(size)} rank${size === 1 ? "" : "s"}`, mpi].filter(Boolean).join(" · ")}`;
}

// Both run times as bars of one scale.
function bars(comparison: Comparison): HTMLElement | null {
  const runtime = comparison.figures.find((one) => one.id === "runtime_s");
  if (!runtime || runtime.before === null || runtime.after === null) return null;
  const most = Math.max(runtime.before, runtime.after) || 1;
  const line = (name: string, seconds: number, colour: string): HTMLElement => h("div", { class: "run-bar" }, h("span", { class: "name" }, name), h("div", { class: "room" }, h("div", { class: "split" }, h("span", { style: `background:${colour};width:${(100 * seconds) / most}%` }))), h("b", {}, duration(seconds)));
  return h("div", {}, line("before", runtime.before, "var(--c)"), line("after", runtime.after, "var(--accent)"));
}

export function comparisonPage(columns: Columns): Page {
  const comparison = columns.json<Comparison>("comparison");
  const name = (of: Side): string => of.sources.find((source) => !source.endsWith(".json")) ?? "";
  const pair = columns.has("before") && columns.has("after")
    ? new Pair(columns, { block: "before", title: `Before: ${name(comparison.before)}` }, { block: "after", title: `After: ${name(comparison.after)}` }, true) : null;
  const timelines = pair
    ? section("timeline", "Timelines", `One time scale for both; they move together. Waits have the pale colour of their cause; what caused them has the full colour, the same in both. ${MOVING}`, pair.element)
    : section("timeline", "Timelines", "", h("p", {}, "Only reports were compared, without the calls of the runs: name two archives to see both runs."));
  return {
    titles: [["figures", "Figures"], ["timeline", "Timelines"], ["causes", "Causes"], ["waits", "Waits"], ["functions", "Functions"]],
    elements: [
      h("header", {}, h("p", { class: "facts" }, side("Before", comparison.before), h("br"), side("After", comparison.after)), verdictTitle(comparison.sentence),
        comparison.cautions.length > 0 ? h("ul", { class: "caveats", "aria-label": "Cautions" }, ...comparison.cautions.map((text) => h("li", { class: "warning" }, h("b", {}, "caution: "), text))) : null, bars(comparison)),
      section("figures", "Figures", `Less than ${percent(comparison.threshold)} of the run time is no difference.`, figures(comparison)),
      timelines,
      section("causes", "Who caused the waiting", "Waiting of all ranks that goes back to each cause.", changes(comparison.causes, true)),
      section("waits", "Where ranks wait", "", changes(comparison.waits, false)),
      section("functions", "Time in functions", "Of all ranks, with waiting in them.", changes(comparison.functions, true)),
    ],
    hook: { comparison, pair, ...(pair ? { timeline: pair.first, after: pair.second } : {}) },
    ...(pair ? { shown: () => pair.shown() } : {}),
  };
}
