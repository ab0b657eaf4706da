// Ranks over steps: how much longer each took than the fastest quarter of them in that step. Where there are
// more ranks or steps than pixels, each pixel shows the maximum of those it represents: a mean of many would
// hide the one that matters.
// SPDX-License-Identifier: BSD-3-Clause
import { heat } from "./colours";
import { h, sharpen } from "./dom";

const LABEL = 12; // pixels that a rank's number needs

export interface HeatmapOf {
  label: string;
  rows: number[][]; // by rank
  values: number[][]; // that determine the colours
  column: (column: number) => string;
  words: (row: number, column: number) => string;
  most: (value: number) => string;
  ranksPerRow?: number; // a row is the slowest of so many; absent: 1
  colour?: (row: number, column: number, share: number) => string; // absent: from light to dark
}

// By how much each value exceeds the lower quartile of its column.
export function excess(rows: number[][]): number[][] {
  const columns = rows[0]?.length ?? 0;
  const usual = Array.from({ length: columns }, (_, column) => {
    const sorted = rows.map((row) => row[column]).sort((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 4)];
  });
  return rows.map((row) => row.map((value, column) => Math.max(0, value - usual[column])));
}

export function heatmap(of: HeatmapOf): HTMLElement {
  const { values } = of, ranks = values.length, columns = Math.max(1, values[0]?.length ?? 0), each = of.ranksPerRow ?? 1;
  const EDGE = Math.max(34, 12 + 7 * String(ranks * each - 1).length); // room for the largest rank
  const canvas = h("canvas", { class: "heat", role: "img", tabindex: "0", "aria-label": `${of.label}; arrow keys move, a line below reads` });
  const readout = h("span", { class: "readout", "aria-live": "polite" }, "Ranks from top to bottom, steps from left to right.");
  const most = values.reduce((all, row) => row.reduce((a, b) => Math.max(a, b), all), 0);
  const high = Math.min(280, Math.max(ranks * 12, 24)), lines = Math.min(ranks, high);
  const firstOf = (line: number): number => Math.floor((line * ranks) / lines);
  let at: [number, number] | null = null; // rank, column
  // The rank with the largest value of a line, in one column or in all of them.
  const leading = (line: number, column: number): number => {
    let best = firstOf(line);
    for (let rank = best; rank < Math.max(best + 1, firstOf(line + 1)); ++rank) if (values[rank][column] > values[best][column]) best = rank;
    return best;
  };
  const draw = (): void => {
    const width = Math.max(60, canvas.parentElement?.clientWidth ?? 300) - EDGE;
    const context = sharpen(canvas, width + EDGE, high), style = getComputedStyle(canvas);
    const pixels = Math.min(columns, Math.floor(width));
    for (let line = 0; line < lines; ++line)
      for (let pixel = 0; pixel < pixels; ++pixel) {
        let column = Math.floor((pixel * columns) / pixels);
        for (let other = column; other < Math.floor(((pixel + 1) * columns) / pixels); ++other) if (values[leading(line, other)][other] > values[leading(line, column)][column]) column = other;
        const rank = leading(line, column), share = most > 0 ? values[rank][column] / most : 0;
        context.fillStyle = of.colour ? of.colour(rank, column, share) : heat(share);
        context.fillRect(EDGE + (pixel * width) / pixels, (line * high) / lines, width / pixels + 0.5, high / lines + 0.5);
      }
    context.fillStyle = style.getPropertyValue("--faint");
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let line = 0; line < lines; line += Math.ceil((LABEL * lines) / high)) context.fillText(String(firstOf(line) * each), EDGE - 6, Math.min(high - 5, Math.max(5, ((line + 0.5) * high) / lines)));
    if (!at) return;
    context.strokeStyle = style.getPropertyValue("--accent");
    context.lineWidth = 2;
    context.strokeRect(EDGE + (at[1] * width) / columns, (Math.floor((at[0] * lines) / ranks) * high) / lines, width / columns, high / lines);
  };
  const read = (rank: number, column: number): void => {
    if (rank >= 0 && column >= 0 && rank < ranks && column < columns) readout.textContent = `${each === 1 ? `rank ${rank}` : `slowest of ranks ${rank * each}-${rank * each + each - 1}`}, ${of.column(column)}: ${of.words(rank, column)}`;
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.min(columns - 1, Math.floor(((event.clientX - box.left - EDGE) / (box.width - EDGE)) * columns));
    const line = Math.min(lines - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * lines)));
    if (column >= 0) read(leading(line, column), column);
  });
  canvas.addEventListener("keydown", (event) => {
    const by: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = by[event.key];
    if (!step) return;
    event.preventDefault();
    const [rank, column] = at ?? [0, 0];
    at = [Math.min(ranks - 1, Math.max(0, rank + step[0])), Math.min(columns - 1, Math.max(0, column + step[1]))];
    read(...at);
    draw();
  });
  const scale = h("span", { class: "legend" }, "0 ", ...[0, 0.25, 0.5, 0.75, 1].map((share) => h("i", { class: "chip", "data-heat": `${share}` })), ` ${of.most(most)}`);
  const paint = (): void => {
    draw();
    scale.querySelectorAll<HTMLElement>("[data-heat]").forEach((chip) => (chip.style.background = heat(Number(chip.dataset.heat))));
  };
  const box = h("div", { class: "heatmap" }, canvas, h("p", { class: "note" }, of.colour ? `The brightest is ${of.most(most)}. ` : scale, readout));
  new ResizeObserver(paint).observe(box);
  window.addEventListener("recolour", paint);
  return box;
}
