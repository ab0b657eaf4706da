// Who made whom wait: one card for each cause, with its picture over ranks and steps.
// SPDX-License-Identifier: BSD-3-Clause
import { causeColour, heat } from "./colours";
import { bar, h, sharpen } from "./dom";
import { Field, heatLegend } from "./field";
import { count, duration, percent, place, ranks } from "./format";
import { Cause, Report } from "./report";

const OPEN = 1, MOST = 20;

// Rows are ranks, columns steps: an average where ranks are more than pixels.
export function heatmap(rows: number[][], columnTitle: (column: number) => string, value: (v: number) => string): HTMLElement {
  const canvas = h("canvas", { class: "heat", role: "img", "aria-label": "ranks over steps" });
  const readout = h("span", { class: "readout" }, "Ranks from top to bottom, steps from left to right.");
  const columns = Math.max(1, rows[0]?.length ?? 0);
  const most = rows.reduce((all, row) => row.reduce((a, b) => Math.max(a, b), all), 0);
  const high = Math.min(280, Math.max(rows.length * 12, 24));
  const draw = (): void => {
    const width = Math.max(60, canvas.parentElement?.clientWidth ?? 300);
    const context = sharpen(canvas, width, high);
    const lines = Math.min(rows.length, high);
    for (let line = 0; line < lines; ++line) {
      const first = Math.floor((line * rows.length) / lines), last = Math.max(first + 1, Math.floor(((line + 1) * rows.length) / lines));
      for (let column = 0; column < columns; ++column) {
        let sum = 0;
        for (let row = first; row < last; ++row) sum += rows[row][column];
        context.fillStyle = heat(most > 0 ? sum / (last - first) / most : 0);
        context.fillRect((column * width) / columns, (line * high) / lines, width / columns + 0.5, high / lines + 0.5);
      }
    }
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const row = Math.min(rows.length - 1, Math.floor(((event.clientY - box.top) / box.height) * rows.length));
    const column = Math.min(columns - 1, Math.floor(((event.clientX - box.left) / box.width) * columns));
    if (row >= 0 && column >= 0) readout.textContent = `rank ${row}, ${columnTitle(column)}: ${value(rows[row][column])}`;
  });
  const scale = h("span", { class: "legend" }, "0 ", ...[0, 0.25, 0.5, 0.75, 1].map((share) => h("i", { class: "chip", "data-heat": `${share}` })), ` ${value(most)}`);
  const paint = (): void => {
    draw();
    scale.querySelectorAll<HTMLElement>("[data-heat]").forEach((chip) => (chip.style.background = heat(Number(chip.dataset.heat))));
  };
  const box = h("div", { class: "heatmap" }, canvas, h("p", { class: "note" }, scale, readout));
  new ResizeObserver(paint).observe(box);
  window.addEventListener("recolour", paint);
  return box;
}

// The extents of a grid of all ranks, as the recorder puts it: "cart dims=4x2 periods=1,0".
function extents(grids: string[], ranks: number): number[] | null {
  for (const grid of grids) {
    const dims = /^cart dims=([\dx]+)/.exec(grid)?.[1].split("x").map(Number) ?? [];
    if (dims.length > 1 && dims.reduce((a, b) => a * b, 1) === ranks && Math.max(...dims) < ranks) return dims;
  }
  return null;
}

// Ranks where they stand in the program's grid: the last dimension across, all others downwards.
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

// What the program calls the step with this place among those that were recorded.
function stepNumber(run: Report["run"], place: number): number {
  for (const [first, last] of run.step_numbers ?? []) {
    if (place <= last - first) return first + place;
    place -= last - first + 1;
  }
  return place;
}

function maps(cause: Cause, run: Report["run"], grids: string[]): HTMLElement | null {
  const table = cause.by_step;
  if (!table || table.time_s.length === 0 || (table.time_s[0]?.length ?? 0) === 0) return null;
  const each = table.steps_per_column;
  const title = (column: number): string => {
    const first = stepNumber(run, column * each), last = stepNumber(run, Math.min(column * each + each, run.steps) - 1);
    return first === last ? `step ${first}` : `steps ${first}–${last}`;
  };
  const time = heatmap(table.time_s, title, duration);
  const box = h("div", {}, h("h4", {}, `Time in ${cause.function}, by rank and step`), time);
  const byRank = table.time_s.map((row) => row.reduce((a, b) => a + b, 0)), dims = extents(grids, byRank.length);
  if (dims) box.append(overGrid(cause, dims, byRank));
  if (table.visits) {
    const first = table.visits[0][0];
    const alike = table.visits.every((row) => row.slice(0, -1).every((visits) => visits === first));
    if (alike) box.append(h("p", { class: "note" }, `It ran ${count(Math.round(first))} times in ${each === 1 ? "every step" : `every ${each} steps`}, on every rank.`));
    else box.append(h("h4", {}, "How often it ran"), heatmap(table.visits, title, (v) => count(Math.round(v))));
  }
  return box;
}

function card(cause: Cause, number: number, report: Report, find: (name: string) => void, grids: string[]): HTMLElement {
  const titles = new Map(report.waits.map((wait) => [wait.pattern, wait.title]));
  const gain = cause.gain;
  const where = [place(cause.file, cause.line), `rank ${ranks(cause.ranks.slice(0, 64).filter((r) => r.waiting_s > 0.1 * cause.ranks[0].waiting_s).map((r) => r.rank))}`];
  const details = h("details", { class: "cause", id: `cause-${number}` },
    h("summary", {}, h("i", { class: "chip", style: `background:${causeColour(number - 1)}` }), h("span", { class: "number" }, `${number}`),
      h("span", { class: "name" }, cause.function, h("small", {}, where.filter(Boolean).join(" · "))),
      h("span", { class: "figures" }, h("b", {}, duration(cause.waiting_s)), bar(cause.share_of_waiting, causeColour(number - 1)), percent(cause.share_of_waiting)),
      h("span", { class: "gain" }, gain && gain.speedup >= 1.005 ? `${gain.at_most ? "at most " : ""}${gain.speedup.toFixed(2)}× faster if fixed` : "")),
    cause.why?.text ? h("p", { class: "why" }, cause.why.text) : null,
    h("p", { class: "path" }, cause.call_path),
    h("p", {}, "Others waited: ", Object.entries(cause.patterns).sort((a, b) => b[1] - a[1]).map(([id, s]) => `${titles.get(id) ?? id} ${duration(s)}`).join(", "),
      `. It ran ${duration(cause.excess_s)} longer in total than on the ranks that came first; ${duration(cause.direct_s)} of the waiting followed directly, ${duration(cause.indirect_s)} was passed on.`,
      gain ? ` Without that the run would take about ${duration(gain.runtime_s)} instead of ${duration(report.run.runtime_s)}.` : ""),
    h("button", { type: "button", click: () => find(cause.function) }, "Find it in the timeline"));
  if (number <= OPEN) details.open = true;
  const picture = maps(cause, report.run, grids);
  if (picture) details.append(picture);
  return details;
}

export function causes(report: Report, find: (name: string) => void, grids: string[]): HTMLElement {
  const cards = report.causes.slice(0, MOST).map((cause, i) => card(cause, i + 1, report, find, grids));
  const rest = report.causes.slice(MOST);
  const box = h("div", {}, ...cards);
  if (rest.length > 0)
    box.append(h("p", { class: "note" }, `${count(rest.length)} more causes with ${duration(rest.reduce((sum, c) => sum + c.waiting_s, 0))} of waiting in total: waitdiag report --json has them.`));
  if (report.causes.length === 0) box.append(h("p", {}, "Nobody was found to have made others wait."));
  if (report.unexplained_s > 0)
    box.append(h("p", { class: "note" }, `Not traced back to a cause: ${duration(report.unexplained_s)} of ${duration(report.time.waiting_s)}. `,
      report.remainders.filter((r) => r.seconds > 1e-3 * report.unexplained_s).map((r) => `${duration(r.seconds)}: ${r.text}`).join("; "), "."));
  return box;
}
