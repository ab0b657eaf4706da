// A square of ranks by ranks, or groups of them: which sends to which, which waits for which. Brightness is
// logarithmic.
// SPDX-License-Identifier: BSD-3-Clause
import { heatScale } from "./colours";
import { h, sharpen } from "./dom";

export interface SquareOf {
  id: string;
  label: string;
  rows: number;
  name: (row: number) => string; // stands beside rows and above columns, as far as there is room
  value: (from: number, to: number) => number;
  words: (from: number, to: number) => string;
  hint: string;
}

const LABEL = 13; // pixels, high

export class Square {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private at: [number, number] | null = null;
  private readonly edge: number; // for the names

  constructor(private of: SquareOf) {
    this.canvas = h("canvas", { class: "heat", id: of.id, role: "img", tabindex: "0", "aria-label": `${of.label}; arrow keys move, a line below reads` });
    const readout = h("span", { class: "readout", "aria-live": "polite" }, of.hint);
    this.edge = 10 + 6.5 * of.name(of.rows - 1).length;
    const read = (from: number, to: number): void => {
      const last = this.of.rows - 1;
      readout.textContent = this.of.words(Math.min(last, Math.max(0, from)), Math.min(last, Math.max(0, to)));
    };
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect(), each = (box.width - this.edge) / this.of.rows;
      read(Math.floor((event.clientY - box.top - LABEL) / each), Math.floor((event.clientX - box.left - this.edge) / each));
    });
    this.canvas.addEventListener("keydown", (event) => {
      const by: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      const step = by[event.key];
      if (!step) return;
      event.preventDefault();
      const last = this.of.rows - 1, [from, to] = this.at ?? [0, 0];
      this.at = [Math.min(last, Math.max(0, from + step[0])), Math.min(last, Math.max(0, to + step[1]))];
      read(...this.at);
      this.draw();
    });
    window.addEventListener("recolour", () => this.draw());
    this.element = h("div", {}, this.canvas, h("p", { class: "note" }, readout));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  change(value: SquareOf["value"]): void {
    this.of = { ...this.of, value };
    this.draw();
  }

  draw(): void {
    const { rows, value } = this.of;
    const size = Math.min(360, Math.max(160, (this.element.clientWidth || 400) - this.edge)), each = size / rows;
    const context = sharpen(this.canvas, this.edge + size, LABEL + size);
    let most = 0;
    for (let from = 0; from < rows; ++from) for (let to = 0; to < rows; ++to) most = Math.max(most, value(from, to));
    const cells = new ImageData(rows, rows), shades = heatScale();
    for (let from = 0; from < rows; ++from)
      for (let to = 0; to < rows; ++to) {
        const own = value(from, to), share = own > 0 ? 0.12 + 0.88 * (Math.log1p((own / most) * 1000) / Math.log1p(1000)) : 0;
        cells.data.set([...shades[Math.round(share * 256)], 255], 4 * (from * rows + to));
      }
    const picture = h("canvas", { width: String(rows), height: String(rows) });
    picture.getContext("2d")?.putImageData(cells, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, this.edge, LABEL, size, size);
    this.label(context, each);
    if (!this.at) return;
    context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--accent");
    context.lineWidth = 2;
    context.strokeRect(this.edge + this.at[1] * each, LABEL + this.at[0] * each, each, each);
  }

  private label(context: CanvasRenderingContext2D, each: number): void {
    const { rows, name } = this.of;
    context.fillStyle = getComputedStyle(this.canvas).getPropertyValue("--faint");
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let row = 0; row < rows; row += Math.ceil(LABEL / each)) context.fillText(name(row), this.edge - 5, LABEL + (row + 0.5) * each);
    context.textAlign = "center";
    for (let row = 0; row < rows; row += Math.ceil(this.edge / each)) context.fillText(name(row), this.edge + (row + 0.5) * each, LABEL / 2);
  }
}
