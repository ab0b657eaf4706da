// A field of coloured cells, with a readout under the mouse, and a cursor that the arrow keys move.
// SPDX-License-Identifier: BSD-3-Clause
import { heat } from "./colours";
import { h, sharpen } from "./dom";

export interface FieldOf {
  label: string;
  columns: number;
  rows: number;
  value: (column: number, row: number) => number | null; // 0 .. 1; null: empty
  words: (column: number, row: number) => string;
  across?: (column: number) => string; // figures at the edges
  down?: (row: number) => string;
  acrossName?: string;
  downName?: string;
  best?: [number, number]; // marked
  edges?: (column: number, row: number) => number; // lines are drawn where this differs
  hint: string;
}

const EDGE = 46;

export class Field {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly readout: HTMLElement;
  private at: [number, number] = [0, 0];
  private cell = { left: 0, top: 0, wide: 1, high: 1 };
  lit: ((column: number, row: number) => boolean) | null = null; // all others are faint
  onPick: (column: number, row: number) => void = () => undefined;

  constructor(private of: FieldOf, private readonly most = 560) {
    this.canvas = h("canvas", { class: "field", tabindex: "0", role: "img", "aria-label": of.label });
    this.readout = h("p", { class: "note", "aria-live": "polite" }, of.hint);
    this.element = h("div", { class: "fieldbox" }, this.canvas, this.readout);
    this.canvas.addEventListener("pointermove", (event) => this.point(event, false));
    this.canvas.addEventListener("click", (event) => this.point(event, true));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    window.addEventListener("recolour", () => this.draw());
  }

  change(of: FieldOf): void {
    this.of = of;
    this.draw();
  }

  private point(event: MouseEvent, pick: boolean): void {
    const box = this.canvas.getBoundingClientRect();
    this.read(Math.floor((event.clientX - box.left - this.cell.left) / this.cell.wide), Math.floor((event.clientY - box.top - this.cell.top) / this.cell.high), pick);
  }
  private read(column: number, row: number, pick: boolean): void {
    if (column < 0 || row < 0 || column >= this.of.columns || row >= this.of.rows) return;
    this.at = [column, row];
    this.readout.textContent = this.of.words(column, row) || this.of.hint;
    if (pick) this.onPick(column, row);
  }
  private key(event: KeyboardEvent): void {
    const by: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = by[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    const [column, row] = step ? [this.at[0] + step[0], this.at[1] + step[1]] : this.at;
    this.read(column, row, event.key === "Enter");
    this.draw();
    const context = this.canvas.getContext("2d") as CanvasRenderingContext2D, { left, top, wide, high } = this.cell;
    context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--accent");
    context.lineWidth = 2;
    context.strokeRect(left + this.at[0] * wide, top + this.at[1] * high, wide, high);
  }

  draw(): void {
    const { of } = this, named = Boolean(of.across);
    const room = Math.min(this.most, Math.max(200, this.element.clientWidth));
    const left = named ? EDGE + 16 : 0, top = 0, below = named ? 36 : 0;
    const each = Math.min((room - left) / of.columns, named ? 44 : Infinity, (this.most - below) / of.rows);
    const high = named ? Math.min(each, 30) : each;
    this.cell = { left, top, wide: each, high };
    const context = sharpen(this.canvas, left + each * of.columns, top + high * of.rows + below);
    const style = getComputedStyle(this.canvas), ink = (name: string): string => style.getPropertyValue(name).trim();
    for (let row = 0; row < of.rows; ++row)
      for (let column = 0; column < of.columns; ++column) {
        const value = of.value(column, row);
        if (value === null) continue;
        context.globalAlpha = this.lit && !this.lit(column, row) ? 0.22 : 1;
        context.fillStyle = heat(value);
        context.fillRect(left + column * each, top + row * high, each + (named ? -1 : 0.4), high + (named ? -1 : 0.4));
      }
    context.globalAlpha = 1;
    if (of.edges) this.lines(context, of.edges, ink("--text"));
    if (named) this.names(context, ink("--faint"));
    if (of.best) {
      context.strokeStyle = ink("--accent");
      context.lineWidth = 3;
      context.strokeRect(left + of.best[0] * each, top + of.best[1] * high, each - 1, high - 1);
    }
  }

  private lines(context: CanvasRenderingContext2D, owner: (column: number, row: number) => number, colour: string): void {
    const { left, top, wide, high } = this.cell;
    context.fillStyle = colour;
    for (let row = 0; row < this.of.rows; ++row)
      for (let column = 0; column < this.of.columns; ++column) {
        const own = owner(column, row);
        if (column > 0 && owner(column - 1, row) !== own) context.fillRect(left + column * wide - 0.5, top + row * high, 1, high);
        if (row > 0 && owner(column, row - 1) !== own) context.fillRect(left + column * wide, top + row * high - 0.5, wide, 1);
      }
  }

  private names(context: CanvasRenderingContext2D, colour: string): void {
    const { of, cell } = this, bottom = cell.top + cell.high * of.rows;
    context.fillStyle = colour;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    const each = Math.ceil(26 / cell.wide);
    for (let column = 0; column < of.columns; column += each) context.fillText(of.across?.(column) ?? "", cell.left + (column + 0.5) * cell.wide, bottom + 14);
    context.fillText(of.acrossName ?? "", cell.left + (of.columns * cell.wide) / 2, bottom + 31);
    context.textAlign = "right";
    const eachRow = Math.ceil(13 / cell.high);
    for (let row = 0; row < of.rows; row += eachRow) context.fillText(of.down?.(row) ?? "", cell.left - 6, cell.top + (row + 0.5) * cell.high + 4);
    context.save();
    context.translate(11, cell.top + (of.rows * cell.high) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(of.downName ?? "", 0, 0);
    context.restore();
  }
}

// From light to dark, with figures at both ends.
export function heatLegend(least: string, most: string): HTMLElement {
  const chips = [0, 0.25, 0.5, 0.75, 1].map((share) => ({ share, chip: h("i", { class: "chip" }) }));
  const fill = (): void => chips.forEach(({ share, chip }) => (chip.style.background = heat(share)));
  fill();
  window.addEventListener("recolour", fill);
  return h("p", { class: "note" }, h("span", { class: "legend" }, `${least} `, ...chips.map(({ chip }) => chip), ` ${most}`));
}
