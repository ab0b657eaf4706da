// Curves with points, ranges and marked values, as a drawing that can be read with the mouse or the arrow
// keys.
// SPDX-License-Identifier: BSD-3-Clause
import { Axis, Scale, scaleOf } from "./axis";
import { h, svg } from "./dom";

export interface Series {
  name: string;
  colour: string;
  curve?: [number, number][];
  dashed?: boolean;
  dots?: [number, number][];
  band?: [number, number, number][]; // x, least, most
  strong?: boolean;
}

export interface Mark {
  y?: number; // a line across; or
  x?: number; // a line upwards
  text: string;
  colour?: string;
}

export interface ChartOf {
  label: string; // for readers who cannot see it
  x: Axis;
  y: Axis;
  series: Series[];
  marks?: Mark[];
}

const LEFT = 76, RIGHT = 18, TOP = 16, BOTTOM = 40;

export class Chart {
  readonly element: HTMLElement;
  private readonly picture = svg("svg", { class: "chart", tabindex: 0, role: "img" });
  private readonly readout = h("p", { class: "note readings", "aria-live": "polite" });
  private readonly guide = svg("line", { class: "guide" });
  private scale = { x: new Scale(0, 1, false, 0, 1), y: new Scale(0, 1, false, 0, 1) };
  private place = -1;

  constructor(private of: ChartOf, private readonly high = 300) {
    this.picture.setAttribute("aria-label", of.label);
    const log = h("input", { type: "checkbox", change: () => { this.of.y.log = log.checked; this.draw(); } });
    log.checked = of.y.log === true;
    this.element = h("div", { class: "chartbox" }, h("div", { class: "controls" }, h("label", {}, log, "logarithmic times")),
      this.picture, this.legend(), this.readout);
    this.picture.addEventListener("pointermove", (event) => this.read(event.clientX - this.picture.getBoundingClientRect().left));
    this.picture.addEventListener("pointerleave", () => this.point(-1));
    this.picture.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.preventDefault();
      const places = this.places();
      this.point(Math.max(0, Math.min(places.length - 1, this.place + (event.key === "ArrowLeft" ? -1 : 1))));
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  change(of: Partial<ChartOf>): void {
    Object.assign(this.of, of);
    this.element.replaceChild(this.legend(), this.element.querySelector(".legend") as HTMLElement);
    this.draw();
  }

  private legend(): HTMLElement {
    return h("p", { class: "legend" }, ...this.of.series.map((one) => h("span", {}, h("i", { class: one.dashed ? "stroke dashed" : "stroke", style: `border-color:${one.colour}` }), one.name)));
  }

  // The places with known values.
  private places(): number[] {
    const all = new Set<number>();
    for (const one of this.of.series) for (const [x] of [...(one.dots ?? []), ...(one.dots ? [] : one.curve ?? [])]) all.add(x);
    return [...all].sort((a, b) => a - b);
  }

  private read(px: number): void {
    let best = -1, least = Infinity;
    this.places().forEach((x, i) => {
      const away = Math.abs(this.scale.x.at(x) - px);
      if (away < least) [least, best] = [away, i];
    });
    this.point(best);
  }

  private point(place: number): void {
    this.place = place;
    const x = this.places()[place];
    this.guide.setAttribute("visibility", x === undefined ? "hidden" : "visible");
    if (x === undefined) {
      this.readout.textContent = "";
      return;
    }
    for (const end of ["x1", "x2"]) this.guide.setAttribute(end, String(this.scale.x.at(x)));
    const words = this.of.series.flatMap((one) => {
      const found = (one.dots ?? []).find((p) => p[0] === x) ?? (one.curve ?? []).find((p) => p[0] === x);
      const range = (one.band ?? []).find((p) => p[0] === x);
      return found ? [`${one.name} ${this.of.y.format(found[1])}${range && range[2] > range[1] ? ` (${this.of.y.format(range[1])} to ${this.of.y.format(range[2])})` : ""}`] : [];
    });
    this.readout.textContent = `${this.of.x.name} ${this.of.x.format(x)}: ${words.join(" · ")}`;
  }

  draw(): void {
    const width = Math.max(240, this.element.clientWidth), { of, high } = this;
    const xs = of.series.flatMap((one) => [...(one.curve ?? []), ...(one.dots ?? [])].map((p) => p[0]));
    const ys = of.series.flatMap((one) => [...[...(one.curve ?? []), ...(one.dots ?? [])].map((p) => p[1]), ...(one.band ?? []).flatMap((p) => [p[1], p[2]])]);
    const marks = of.marks ?? [];
    const x = scaleOf(of.x, [...xs, ...marks.flatMap((m) => (m.x === undefined ? [] : [m.x]))], LEFT, width - RIGHT);
    const y = scaleOf(of.y, [...ys, ...marks.flatMap((m) => (m.y === undefined ? [] : [m.y])), ...(of.y.log ? [] : [0])], high - BOTTOM, TOP);
    this.scale = { x, y };
    this.picture.setAttribute("width", String(width));
    this.picture.setAttribute("height", String(high));
    this.picture.setAttribute("viewBox", `0 0 ${width} ${high}`);
    this.guide.setAttribute("y1", String(TOP));
    this.guide.setAttribute("y2", String(high - BOTTOM));
    this.picture.replaceChildren(...this.axes(x, y, width), ...of.series.flatMap((one) => band(one, x, y)), ...this.marks(marks, x, y, width),
      ...of.series.flatMap((one) => curve(one, x, y)), this.guide);
    this.point(-1);
  }

  private axes(x: Scale, y: Scale, width: number): SVGElement[] {
    const { of, high } = this, parts: SVGElement[] = [];
    for (const at of y.ticks(of.y, 7)) {
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y.at(at), y2: y.at(at) }),
        svg("text", { x: LEFT - 8, y: y.at(at) + 4, "text-anchor": "end" }, of.y.format(at)));
    }
    for (const at of x.ticks(of.x, Math.max(3, Math.floor((width - LEFT) / 80)))) {
      parts.push(svg("line", { class: "grid", x1: x.at(at), x2: x.at(at), y1: TOP, y2: high - BOTTOM }),
        svg("text", { x: x.at(at), y: high - BOTTOM + 16, "text-anchor": "middle" }, of.x.format(at)));
    }
    parts.push(svg("text", { class: "name", x: (LEFT + width - RIGHT) / 2, y: high - 6, "text-anchor": "middle" }, of.x.name));
    return parts;
  }

  // Labels of lines that are close to each other are written below each other.
  private marks(marks: Mark[], x: Scale, y: Scale, width: number): SVGElement[] {
    const places = marks.map((mark) => (mark.x === undefined ? Infinity : x.at(mark.x)));
    const order = marks.map((_, i) => i).sort((a, b) => places[a] - places[b]);
    let low = 0, end = -Infinity;
    return order.flatMap((i) => {
      low = places[i] < end ? low + 13 : 0;
      end = Math.max(places[i] < end ? end : 0, places[i] + marks[i].text.length * 6.5);
      return this.mark(marks[i], x, y, width, low);
    });
  }

  private mark(mark: Mark, x: Scale, y: Scale, width: number, low: number): SVGElement[] {
    const style = mark.colour ? `stroke:${mark.colour}` : "";
    if (mark.y !== undefined)
      return [svg("line", { class: "mark", style, x1: LEFT, x2: width - RIGHT, y1: y.at(mark.y), y2: y.at(mark.y) }),
        svg("text", { class: "marked", x: width - RIGHT - 4, y: y.at(mark.y) - 5, "text-anchor": "end" }, mark.text)];
    const at = x.at(mark.x ?? 0), right = at + mark.text.length * 6.5 > width - RIGHT;
    return [svg("line", { class: "mark", style, x1: at, x2: at, y1: TOP - 8, y2: this.high - BOTTOM }),
      svg("text", { class: "marked", x: at + (right ? -5 : 5), y: TOP + low, "text-anchor": right ? "end" : "start" }, mark.text)];
  }
}

function path(points: [number, number][], x: Scale, y: Scale): string {
  return points.map(([a, b], i) => `${i === 0 ? "M" : "L"}${x.at(a).toFixed(1)} ${y.at(b).toFixed(1)}`).join("");
}

function band(one: Series, x: Scale, y: Scale): SVGElement[] {
  if (!one.band || one.band.length === 0) return [];
  if (one.band.length === 1) {
    const [at, low, high] = one.band[0];
    const stroke = `stroke:${one.colour}`, middle = x.at(at);
    return [svg("line", { class: "error", style: stroke, x1: middle, x2: middle, y1: y.at(low), y2: y.at(high) }),
      ...[low, high].map((end) => svg("line", { class: "error", style: stroke, x1: middle - 6, x2: middle + 6, y1: y.at(end), y2: y.at(end) }))];
  }
  const up = one.band.map(([at, , high]): [number, number] => [at, high]), down = one.band.map(([at, low]): [number, number] => [at, low]).reverse();
  return [svg("path", { class: "band", style: `fill:${one.colour}`, d: `${path(up, x, y)}L${path(down, x, y).slice(1)}Z` })];
}

function curve(one: Series, x: Scale, y: Scale): SVGElement[] {
  const parts: SVGElement[] = [];
  if (one.curve && one.curve.length > 1)
    parts.push(svg("path", { class: one.dashed ? "curve dashed" : "curve", style: `stroke:${one.colour}${one.strong ? ";stroke-width:3px" : ""}`, d: path(one.curve, x, y) }));
  for (const [a, b] of one.dots ?? []) parts.push(svg("circle", { class: "dot", style: `fill:${one.colour}`, cx: x.at(a), cy: y.at(b), r: one.strong ? 5 : 4 }));
  return parts;
}
