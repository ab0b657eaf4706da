// Which ranks made which others wait: one card for each cause, with its picture over ranks and steps.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { Cause, Report } from "../data/report";
import { causeColour } from "../drawing/colours";
import { bar, Cell, h, table } from "../drawing/dom";
import { Field, heatLegend } from "../drawing/field";
import { count, duration, percent, place, ranksLabel, ranksOfRuns } from "../drawing/format";
import { excess, heatmap } from "../drawing/heatmap";
import type { Stage } from "../timeline/stage";
import { victimsOf } from "../timeline/victims";
import { saving, sentence } from "./actions";
import { sourceView } from "./source";

const OPEN = 1, MOST = 20;

// The extents of a grid of all ranks, as the recorder puts it: "cart dims=4x2 periods=1,0".
function extents(grids: string[], ranks: number): number[] | null {
  for (const grid of grids) {
    const dims = /^cart dims=([\dx]+)/.exec(grid)?.[1].split("x").map(Number) ?? [];
    if (dims.length > 1 && dims.reduce((a, b) => a * b, 1) === ranks && Math.max(...dims) < ranks) return dims;
  }
  return null;
}

// Ranks at their places in the program's grid: the last dimension across, all others downwards.
function overGrid(cause: Cause, dims: number[], byRank: number[]): HTMLElement {
  const columns = dims[dims.length - 1], most = byRank.reduce((a, b) => Math.max(a, b), 0) || 1;
  const place = (row: number): number[] => {
    const at: number[] = [];
    for (let d = dims.length - 2; d >= 0; --d) {
      at.unshift(row % dims[d]);
      row = Math.floor(row / dims[d]);
    }
    return at;
  };
  const field = new Field({
    label: `time in ${cause.function} over the process grid`, columns, rows: byRank.length / columns, value: (column, row) => byRank[row * columns + column] / most,
    words: (column, row) => `rank ${row * columns + column} at (${[...place(row), column].join(", ")}): ${duration(byRank[row * columns + column])}`,
    across: (column) => `${column}`, down: (row) => place(row).join(","), acrossName: `dimension ${dims.length}`, downName: dims.length > 2 ? "the others" : "dimension 1",
    hint: `Ranks where they stand in the program's ${dims.join(" × ")} grid.`,
  }, 420);
  return h("div", { class: "over-grid" }, h("h4", {}, `Time in ${cause.function} over the ${dims.join(" × ")} process grid`), field.element, heatLegend("0", duration(most)));
}

// The program's number of a step, given its index among the recorded ones.
function stepNumber(run: Report["run"], place: number): number {
  for (const [first, last] of run.step_numbers ?? []) {
    if (place <= last - first) return first + place;
    place -= last - first + 1;
  }
  return place;
}

// The title of a column of steps.
export function stepTitle(run: Report["run"], each: number): (column: number) => string {
  return (column) => {
    const first = stepNumber(run, column * each), last = stepNumber(run, Math.min(column * each + each, run.steps) - 1);
    return first === last ? `step ${first}` : `steps ${first}–${last}`;
  };
}

function maps(cause: Cause, run: Report["run"], grids: string[]): HTMLElement | null {
  const table = cause.by_step;
  if (!table || table.time_s.length === 0 || (table.time_s[0]?.length ?? 0) === 0) return null;
  const each = table.steps_per_column;
  const title = stepTitle(run, each);
  const late = excess(table.time_s), name = `How much longer ${cause.function} took than on the fastest quarter of the ranks, by rank and step`;
  const box = h("div", {}, h("h4", {}, name), heatmap({
    label: name, rows: table.time_s, values: late, column: title, most: duration, ranksPerRow: table.ranks_per_row,
    words: (row, column) => `${duration(late[row][column])} longer, ${duration(table.time_s[row][column])} in total`,
  }));
  const byRank = table.time_s.map((row) => row.reduce((a, b) => a + b, 0)), dims = table.ranks_per_row ? null : extents(grids, byRank.length);
  if (dims) box.append(overGrid(cause, dims, byRank));
  if (table.visits) {
    const first = table.visits[0][0];
    const alike = table.visits.every((row) => row.slice(0, -1).every((visits) => visits === first));
    if (alike) box.append(h("p", { class: "note" }, `${count(Math.round(first))} visit${Math.round(first) === 1 ? "" : "s"} in ${each === 1 ? "every step" : `every ${each} steps`}, on every rank.`));
    else {
      const visits = table.visits;
      box.append(h("h4", {}, "How often it ran"), heatmap({
        label: "How often it ran, by rank and step", rows: visits, values: visits, column: title, ranksPerRow: table.ranks_per_row, most: (v) => count(Math.round(v)), words: (row, column) => count(Math.round(visits[row][column])),
      }));
    }
  }
  return box;
}

// The ranks that waited for it, within what the timeline shows.
function victims(model: Model, cause: number, stage: Stage): HTMLElement {
  const box = h("div", { class: "victims" });
  const fill = (): void => {
    const list = victimsOf(model, cause);
    const rows = list.map((victim): Cell[] => [
      { text: model.laneName(victim.lane), sort: victim.lane }, { text: duration(model.length(victim.waiting)), sort: victim.waiting, figure: true },
      { text: count(victim.count), sort: victim.count, figure: true },
      { text: h("button", { type: "button", class: "link", click: () => stage.go(model.waitOp[victim.longest]) }, duration(model.length(model.waitLength[victim.longest]))), sort: model.waitLength[victim.longest], figure: true },
    ]);
    box.replaceChildren(rows.length > 0 ? table(["who waited", "waiting", "times", "longest"], rows, 4) : h("p", {}, "No rank, in what the timeline shows."));
  };
  const details = h("details", { class: "more" }, h("summary", {}, "Who waited for it"), box);
  details.addEventListener("toggle", () => { if (details.open && box.childElementCount === 0) fill(); });
  return details;
}

// As the sentences and tables of the text report: "mostly rank 3 (72 %)" where one dominates.
function ranksOfCause(cause: Cause, all: number): string {
  const leading = cause.leading_ranks ?? ranksOfRuns(cause.leading_rank_runs ?? []), named = new Set(leading);
  const sum = (entries: Cause["ranks"]): number => entries.reduce((total, entry) => total + entry.waiting_s, 0);
  const share = sum(cause.ranks.filter((entry) => named.has(entry.last_rank ?? entry.rank))) / sum(cause.ranks);
  const label = ranksLabel(leading, all);
  return share < 0.9 ? `mostly ${label} (${percent(share)})` : label;
}

function card(model: Model, cause: Cause, number: number, stage: Stage): HTMLElement {
  const { report, names } = model;
  const titles = new Map(report.waits.map((wait) => [wait.pattern, wait.title]));
  const gain = cause.gain;
  const where = [place(cause.file, cause.line), ranksOfCause(cause, report.run.ranks)];
  const details = h("details", { class: "cause", id: `cause-${number}` },
    h("summary", {}, h("i", { class: "chip", style: `background:${causeColour(number - 1)}` }), h("span", { class: "number" }, `${number}`),
      h("span", { class: "name" }, cause.function, h("small", {}, where.filter(Boolean).join(" · "))),
      h("span", { class: "figures" }, h("b", {}, duration(cause.waiting_s)), bar(cause.share_of_waiting, causeColour(number - 1)), percent(cause.share_of_waiting)),
      h("span", { class: "gain" }, gain && gain.speedup >= 1.005 ? `${gain.at_most ? "at most " : ""}${gain.speedup.toFixed(2)}× faster if fixed` : "")),
    cause.why?.text ? h("p", { class: "why" }, cause.why.text) : null,
    h("p", { class: "path" }, cause.call_path),
    h("p", {}, "Others waited: ", Object.entries(cause.patterns).sort((a, b) => b[1] - a[1]).map(([id, s]) => `${titles.get(id) ?? id} ${duration(s)}`).join(", "),
      `. It ran ${duration(cause.excess_s)} longer in total than on the ranks that came first; ${duration(cause.direct_s)} of the waiting followed directly, ${duration(cause.indirect_s)} was passed on.`,
      gain ? ` Fixed, it ${sentence(saving(report, cause)).replace(/^./, (c) => c.toLowerCase())}` : ""),
    number <= model.coloured ? h("button", { type: "button", click: () => stage.spotlight(number - 1) }, "Show it and who waited for it in the timeline") : null, " ",
    h("button", { type: "button", click: () => stage.search(cause.function) }, "Find it in the timeline"),
    ...(names.sources[number - 1] ?? []).map((source) => sourceView(source, names.editor_link)), victims(model, number - 1, stage));
  if (number <= OPEN) details.open = true;
  const picture = maps(cause, report.run, names.grids);
  if (picture) details.append(picture);
  return details;
}

export function causes(model: Model, stage: Stage): HTMLElement {
  const { report } = model;
  const cards = report.causes.slice(0, MOST).map((cause, i) => card(model, cause, i + 1, stage));
  const rest = report.causes.slice(MOST);
  const box = h("div", {}, ...cards);
  if (rest.length > 0)
    box.append(h("p", { class: "note" }, `${count(rest.length)} more causes with ${duration(rest.reduce((sum, c) => sum + c.waiting_s, 0))} of waiting in total: waitdiag report --json has them.`));
  if (report.causes.length === 0) box.append(h("p", {}, "No rank was found to have made others wait."));
  if (report.unexplained_s > 0)
    box.append(h("p", { class: "note" }, `Not traced back to a cause: ${duration(report.unexplained_s)} of ${duration(report.time.waiting_s)}. `,
      report.remainders.filter((r) => r.seconds > 1e-3 * report.unexplained_s).map((r) => `${duration(r.seconds)}: ${r.text}`).join("; "), "."));
  return box;
}
