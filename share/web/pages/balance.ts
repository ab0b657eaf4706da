// The page of `waitdiag balance`: the load of each rank, and which part of a map it has.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "../data/columns";
import { Balance } from "../data/results";
import { Cell, h, section, sharpen, table, verdictTitle } from "../drawing/dom";
import { Field, heatLegend } from "../drawing/field";
import { count, duration, percent, ranks } from "../drawing/format";
import { Page } from "../drawing/frame";

type Case = Balance["cases"][number];

const HIGH = 220, LEFT = 64, BOTTOM = 22;

function amount(load: number, unit: string): string {
  return unit === "s" ? duration(load) : `${Number(load.toPrecision(4))}${unit ? ` ${unit}` : ""}`;
}

// A bar for each rank; where there are more ranks than pixels, the largest of those that share one.
class Bars {
  readonly element: HTMLElement;
  readonly canvas = h("canvas", { tabindex: "0", role: "img" });
  private readonly readout: HTMLElement;
  private order: number[];
  private rank = -1;
  onPick: (rank: number) => void = () => undefined;

  constructor(private readonly one: Case, private readonly unit: string, private readonly most: number) {
    this.order = one.loads.map((_, rank) => rank);
    this.canvas.setAttribute("aria-label", `load of each rank, ${one.name}`);
    this.readout = h("p", { class: "note", "aria-live": "polite" });
    const sorted: HTMLInputElement = h("input", { type: "checkbox", change: () => this.sort(sorted.checked) });
    this.element = h("div", {}, h("div", { class: "controls" }, h("label", {}, sorted, "largest first")), this.canvas,
      h("p", { class: "legend" }, h("span", {}, h("i", { class: "chip", style: "background:var(--w)" }), "carries the most"), h("span", {}, h("i", { class: "chip", style: "background:var(--c)" }), "other ranks"), h("span", {}, h("i", { class: "stroke", style: "border-color:var(--text)" }), "mean")), this.readout);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("click", () => { if (this.rank >= 0) this.onPick(this.rank); });
    this.canvas.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.preventDefault();
      const place = this.order.indexOf(this.rank) + (event.key === "ArrowLeft" ? -1 : 1);
      this.read(Math.max(0, Math.min(this.order.length - 1, place)));
      this.onPick(this.rank);
    });
    this.say();
    new ResizeObserver(() => this.draw()).observe(this.element);
    window.addEventListener("recolour", () => this.draw());
  }

  private sort(largestFirst: boolean): void {
    const { loads } = this.one;
    this.order = loads.map((_, rank) => rank);
    if (largestFirst) this.order.sort((a, b) => loads[b] - loads[a] || a - b);
    this.draw();
  }
  private point(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left - LEFT) / (box.width - LEFT)) * this.order.length);
    if (place >= 0 && place < this.order.length) this.read(place);
  }
  private read(place: number): void {
    this.rank = this.order[place];
    this.say();
    this.draw();
  }
  private say(): void {
    const { one, unit, rank } = this;
    this.readout.textContent = rank < 0 ? `Mean ${amount(one.mean, unit)}, most ${amount(one.largest, unit)} on ${one.fullest_ranks.length === 1 ? "rank" : "ranks"} ${ranks(one.fullest_ranks)}${one.empty_ranks > 0 ? `; ${count(one.empty_ranks)} without any load` : ""}. Point at a bar, or use the arrow keys.`
      : `rank ${rank}: ${amount(one.loads[rank], unit)}, ${(one.loads[rank] / (one.mean || 1)).toFixed(3)} of the mean`;
  }

  draw(): void {
    const width = Math.max(240, this.element.clientWidth), room = width - LEFT, { one, order } = this;
    const context = sharpen(this.canvas, width, HIGH);
    const style = getComputedStyle(this.canvas), ink = (name: string): string => style.getPropertyValue(name).trim();
    const y = (load: number): number => (HIGH - BOTTOM) * (1 - load / (this.most * 1.06 || 1));
    const fullest = new Set(one.fullest_ranks), bars = Math.min(order.length, Math.floor(room));
    const each = room / bars, gap = each > 4 ? 1 : 0;
    for (let i = 0; i < bars; ++i) {
      const group = order.slice(Math.floor((i * order.length) / bars), Math.max(Math.floor(((i + 1) * order.length) / bars), Math.floor((i * order.length) / bars) + 1));
      const rank = group.reduce((a, b) => (one.loads[b] > one.loads[a] ? b : a));
      context.fillStyle = ink(group.includes(this.rank) ? "--accent" : fullest.has(rank) ? "--w" : "--c");
      context.fillRect(LEFT + i * each, y(one.loads[rank]), each - gap, HIGH - BOTTOM - y(one.loads[rank]));
    }
    context.fillStyle = ink("--text");
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    for (const [load, text] of [[one.mean, "mean"], [one.largest, "most"]] as [number, string][]) {
      context.fillRect(LEFT, y(load) - 0.5, room, text === "mean" ? 1.5 : 0.5);
      if (text === "mean" || y(one.mean) - y(one.largest) > 13) context.fillText(amount(load, this.unit), LEFT - 6, y(load) + 4);
    }
    context.fillStyle = ink("--faint");
    context.textAlign = "center";
    const step = Math.max(1, Math.ceil((order.length * 34) / room));
    for (let place = 0; place < order.length; place += step) context.fillText(`${order[place]}`, LEFT + ((place + 0.5) / order.length) * room, HIGH - 7);
  }
}

// Cases with equally many ranks have one scale.
function map(report: Balance, one: Case, bars: Bars, most: number): { element: HTMLElement; field: Field } | null {
  const { picture } = report, owners = one.owners;
  if (!picture || !owners) return null;
  const square = (column: number, row: number): number => row * picture.width + column;
  const field = new Field({
    label: `who has which part, ${one.name}`, columns: picture.width, rows: picture.height,
    value: (column, row) => (picture.load[square(column, row)] > 0 && owners[square(column, row)] >= 0 ? 0.1 + 0.9 * (one.loads[owners[square(column, row)]] / most) : null),
    edges: (column, row) => owners[square(column, row)],
    words: (column, row) => {
      const owner = owners[square(column, row)], cells = picture.cells === 1 ? `cell ${column}, ${row}` : `cells from ${column * picture.cells}, ${row * picture.cells}`;
      return owner < 0 ? `${cells}: no rank's` : `${cells}: rank ${owner}, ${amount(one.loads[owner], report.load_unit)}`;
    },
    hint: "Each cell has the colour of its rank's load; lines are borders between ranks, what is empty has no load. Click a cell for all of its rank.",
  }, 760);
  const light = (rank: number): void => {
    field.lit = (column, row) => owners[square(column, row)] === rank;
    field.draw();
  };
  field.onPick = (column, row) => light(owners[square(column, row)]);
  bars.onPick = light;
  return { field, element: h("div", {}, field.element, heatLegend("0", amount(most, report.load_unit))) };
}

function figures(report: Balance): HTMLElement {
  const rows = report.cases.map((one): Cell[] => [
    { text: one.name }, ...[[count(one.ranks), one.ranks], [(one.largest / (one.mean || 1)).toFixed(3), one.largest / (one.mean || 1)], [one.alpha_p.toFixed(3), one.alpha_p], [one.ideal_speedup.toPrecision(4), one.ideal_speedup], [one.real_speedup.toPrecision(4), one.real_speedup], [percent(one.real_efficiency), one.real_efficiency]].map(([text, sort]): Cell => ({ text: String(text), sort: Number(sort), figure: true })),
    { text: ranks(one.fullest_ranks), sort: one.fullest_ranks.length },
    { text: one.measured_efficiency === null ? "" : `${duration(one.runtime_s ?? 0)}, ${percent(one.measured_efficiency)}`, sort: one.runtime_s ?? 0 },
  ]);
  return table(["", "ranks", "most ÷ mean", "alpha P", "ideal speed-up", "real speed-up", "efficiency", "carry the most", "measured run time, efficiency"], rows);
}

function saved(report: Balance): HTMLElement | null {
  if (report.improvements.length === 0) return null;
  const rows = report.improvements.map((one): Cell[] => [{ text: `${one.from} → ${one.to}` }, { text: count(one.ranks), sort: one.ranks, figure: true }, { text: percent(one.modelled), sort: one.modelled, figure: true }, { text: one.measured === null ? "–" : percent(one.measured), sort: one.measured ?? -1, figure: true }]);
  return h("div", {}, h("h3", {}, "Run time saved"), table(["", "ranks", "modelled", "measured"], rows));
}

function published(report: Balance): HTMLElement | null {
  if (report.pop_table.length === 0) return null;
  const rows = report.pop_table.map((row): Cell[] => [{ text: count(row.ranks), sort: row.ranks, figure: true }, ...(["alpha_p_a", "alpha_p_b"] as const).map((key): Cell => ({ text: row[key].toFixed(3), sort: row[key], figure: true })),
    ...(["modelled_2400", "printed_2400", "modelled_3600", "printed_3600", "recomputed", "printed_measured"] as const).map((key): Cell => ({ text: percent(row[key]), sort: row[key], figure: true }))]);
  return section("published", "Saved by balance", "", table(["ranks", "alpha P, A", "B", "M=2400", "printed", "M=3600", "printed", "measured", "printed"], rows));
}

export function balancePage(columns: Columns): Page {
  const report = columns.json<Balance>("balance");
  const drawn = report.cases.map((one) => {
    const most = Math.max(...report.cases.filter((other) => other.ranks === one.ranks).map((other) => other.largest)) || 1;
    const bars = new Bars(one, report.load_unit, most);
    return { one, bars, map: map(report, one, bars, most) };
  });
  const heading = (one: Case): string => `${one.name}, ${count(one.ranks)} ranks`;
  return {
    titles: [["figures", "Figures"], ...drawn.map(({ one }, i): [string, string] => [`case-${i + 1}`, one.name])],
    elements: [h("header", {}, h("p", { class: "facts" }, report.source), verdictTitle(report.verdict || report.source)),
      ...(report.cases.length > 0 ? [section("figures", "What the balance costs", "Speed-up against one rank that does everything; ideal: with even loads. alpha P: how much more than the mean the fullest rank has.", figures(report), saved(report))] : []),
      ...drawn.map(({ one, bars, map: picture }, i) => section(`case-${i + 1}`, heading(one), "", h("h3", {}, "Load of each rank"), bars.element, picture ? h("h3", {}, "Who has what") : null, picture ? picture.element : null)),
      published(report) ?? h("span"), section("assumptions", "What is assumed", "", h("ul", { class: "quality" }, ...report.assumptions.map((text) => h("li", {}, text))))],
    hook: { balance: report, fields: drawn.flatMap((one) => (one.map ? [one.map.field] : [])), bars: drawn.map((one) => one.bars) },
  };
}
