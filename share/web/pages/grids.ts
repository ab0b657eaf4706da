// The page of `waitdiag grid`: the predicted time of many process grids, with the best one marked.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Grids } from "../data/results";
import { Chart } from "../drawing/chart";
import { seriesColour } from "../drawing/colours";
import { Cell, h, section, table, verdictTitle } from "../drawing/dom";
import { Field, heatLegend } from "../drawing/field";
import { count, duration, percent } from "../drawing/format";
import { Page } from "../drawing/frame";

type Tried = NonNullable<Grids["tried"]>[number];
type What = "time" | "efficiency";

const name = (grid: number[]): string => grid.join(" × ");
const size = (grid: number[]): number => grid.reduce((a, b) => a * b, 1);

function line(all: Grids, tried: Tried[], best: Tried | undefined): HTMLElement {
  const points = tried.map((one): [number, number] => [one.grid[0], one.predicted_s]);
  const chart = new Chart({
    label: "predicted time over ranks in a line", x: { name: "ranks in a line", log: true, format: (v) => count(v), at: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].filter((p) => p <= all.most_ranks) }, y: { name: "time", log: true, format: duration },
    series: [{ name: "predicted time", colour: seriesColour(1), curve: points, dots: points }], marks: best ? [{ x: best.grid[0], text: `best: ${best.grid[0]}`, colour: "var(--accent)" }] : [],
  });
  return chart.element;
}

// Rows are the first dimension, columns the second; for three dimensions, one slice for each number along the
// third.
function field(all: Grids, tried: Tried[], best: Tried | undefined): { element: HTMLElement; field: Field } {
  const axis = (d: number): number[] => [...new Set(tried.map((one) => one.grid[d]))].sort((a, b) => a - b);
  const rows = axis(0), columns = axis(1), depth = tried[0].grid.length > 2 ? axis(2) : [];
  const known = new Map(tried.map((one) => [one.grid.join(), one]));
  const low = Math.min(...tried.map((one) => one.predicted_s)), high = Math.max(...tried.map((one) => one.predicted_s));
  const share = (one: Tried, what: What): number => (what === "efficiency" ? Math.min(1, one.efficiency) : high > low ? 1 - Math.log(one.predicted_s / low) / Math.log(high / low) : 1);
  const what: HTMLSelectElement = h("select", { change: () => change() }, h("option", { value: "time" }, "predicted time"), h("option", { value: "efficiency" }, "efficiency"));
  const slice: HTMLSelectElement = h("select", { change: () => change() }, ...depth.map((n) => h("option", { value: `${n}` }, `${n}`)));
  if (best && depth.length > 0) slice.value = `${best.grid[2]}`;
  const at = (column: number, row: number): Tried | undefined => known.get([rows[row], columns[column], ...(depth.length > 0 ? [Number(slice.value)] : [])].join());
  const spec = (): ConstructorParameters<typeof Field>[0] => ({
    label: `${what.value === "time" ? "predicted time" : "efficiency"} of process grids`, columns: columns.length, rows: rows.length,
    value: (column, row) => {
      const one = at(column, row);
      return one ? share(one, what.value as What) : null;
    },
    words: (column, row) => {
      const one = at(column, row);
      return one ? `${name(one.grid)} = ${count(size(one.grid))} ranks: ${duration(one.predicted_s)}, efficiency ${percent(one.efficiency)}${one.efficiency < all.least_efficiency ? ", less than asked for" : ""}` : "";
    },
    across: (column) => `${columns[column]}`, down: (row) => `${rows[row]}`, acrossName: "ranks along dimension 2", downName: "dimension 1",
    best: best && (depth.length === 0 || Number(slice.value) === best.grid[2]) ? [columns.indexOf(best.grid[1]), rows.indexOf(best.grid[0])] : undefined,
    hint: "The frame is the best grid. Dark is fast, or efficient; point at a cell, or use the arrow keys.",
  });
  const picture = new Field(spec(), 900);
  const legends = { time: heatLegend(duration(high), duration(low)), efficiency: heatLegend("0 %", "100 %") };
  const change = (): void => {
    picture.change(spec());
    legends.time.hidden = what.value !== "time";
    legends.efficiency.hidden = what.value === "time";
  };
  change();
  return {
    field: picture,
    element: h("div", {}, h("div", { class: "controls" }, h("label", {}, "Show ", what), depth.length > 0 ? h("label", {}, "Ranks along dimension 3 ", slice) : null), picture.element, legends.time, legends.efficiency),
  };
}

function listed(tried: Tried[]): HTMLElement {
  const rows = [...tried].sort((a, b) => a.predicted_s - b.predicted_s).map((one): Cell[] => [
    { text: name(one.grid), sort: size(one.grid) }, { text: count(size(one.grid)), sort: size(one.grid), figure: true }, { text: duration(one.predicted_s), sort: one.predicted_s, figure: true }, { text: percent(one.efficiency), sort: one.efficiency, figure: true }]);
  return table(["grid", "ranks", "predicted", "efficiency"], rows, 8);
}

export function gridsPage(columns: Columns): Page {
  const all = columns.json<Grids>("grids");
  const everyTried = all.tried ?? [];
  const dimensions = [...new Set(everyTried.map((one) => one.grid.length))].sort((a, b) => b - a);
  const fields: Field[] = [];
  const sections = dimensions.map((d) => {
    const tried = everyTried.filter((one) => one.grid.length === d), best = all.best.find((one) => one.grid.length === d);
    const picture = d === 1 ? null : field(all, tried, best);
    if (picture) fields.push(picture.field);
    return section(`grid-${d}`, d === 1 ? "Ranks in a line" : `Grids of ${d} dimensions`, "", picture ? picture.element : line(all, tried, best), listed(tried));
  });
  const best = all.best.map((one): Cell[] => [
    { text: name(one.grid), sort: size(one.grid) }, { text: count(size(one.grid)), sort: size(one.grid), figure: true }, { text: duration(one.predicted_s), sort: one.predicted_s, figure: true }, { text: percent(one.efficiency), sort: one.efficiency, figure: true },
    { text: one.uniformity.toFixed(3), sort: one.uniformity, figure: true }, { text: count(one.grids), sort: one.grids, figure: true }, { text: count(one.evaluations), sort: one.evaluations, figure: true }]);
  const facts = [all.program, all.machine, `array ${name(all.array)}`, `halo ${name(all.halo)}`, `${count(all.iterations)} iterations`, `${duration(all.serial_s)} on one rank`, `at most ${count(all.most_ranks)} ranks`];
  return {
    titles: [["best", "Best"], ...dimensions.map((d): [string, string] => [`grid-${d}`, d === 1 ? "Line" : `${d}-D`])],
    elements: [h("header", {}, h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")), verdictTitle(all.verdict)),
      section("best", "The best grids", "Uniformity: smallest by largest block, 1 is even. Efficiency: time on one rank ÷ (ranks × time).",
        table(["grid", "ranks", "predicted", "efficiency", "uniformity", "grids there are", "replayed to find it"], best),
        h("p", { class: "note" }, `Pictures show ${count(everyTried.length)} grids that were replayed: those the search (${all.method}) needed, and others with few different numbers of ranks along each dimension. No other grid is better${all.method === "dvm" ? ", unless the heuristics missed it" : ""}.`), ...all.notes.map((note) => h("p", { class: "note" }, note))),
      ...sections],
    hook: { grids: all, fields },
  };
}
