// The application logic tree as a drawing: computations are boxes, messages arrows, collective operations bars.
// SPDX-License-Identifier: BSD-3-Clause
import { Cell, h, svg, table } from "../drawing/dom";
import { bytes, count, duration, percent, ranks, squeezed } from "../drawing/format";
import { BOX, Box, Edge, layout, Layout, LogicTree, Vertex } from "./tree_layout";

const EDGE_NAMES = { message: "message", collective: "collective", one_sided: "one-sided", next: "goes on" };

function shortName(path: string): string {
  return path ? path.slice(path.lastIndexOf("/") + 1) : "no computation";
}

function words(tree: LogicTree, v: Vertex): string[] {
  const share = v.critical_s > 5e-4 * tree.runtime_s && tree.runtime_s > 0 ? percent(v.critical_s / tree.runtime_s) : "";
  if (v.kind === "collective") return [`${shortName(v.name)} · ${count(v.occurrences)}×${v.bytes ? ` · ${bytes(v.bytes)}` : ""}${share ? ` · ${share} of the path` : ""}`];
  const units = v.units.reduce((sum, unit) => sum + unit.count, 0);
  return [shortName(v.name), v.occurrences > 0 && v.seconds > 0 ? `${duration(v.seconds / v.occurrences)} × ${count(v.iterations)}${units > 0 ? ` · ${count(units)} BCU` : ""}` : `to ${v.before || "the end"} × ${count(v.iterations)}`,
    share ? `${share} of the critical path` : ""];
}

// From below a box to above the next one; edges back to an earlier one go around the side.
function route(from: Box, to: Box, back: boolean): string {
  const bar = (box: Box): boolean => box.vertex.kind === "collective";
  const middle = (box: Box): number => box.x + box.width / 2;
  let x0 = middle(from), x1 = middle(to);
  if (bar(from) && !bar(to)) x0 = x1;
  if (bar(to) && !bar(from)) x1 = x0;
  if (!back && to.y > from.y) {
    const y0 = from.y + from.height, y1 = to.y - 3, bend = Math.min(60, (y1 - y0) / 2);
    return `M${x0} ${y0}C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`;
  }
  const side = x1 > x0 ? 1 : -1;
  const a = bar(from) ? x0 : x0 + (side * from.width) / 2, b = bar(to) ? x1 : x1 - (side * to.width) / 2;
  const y0 = bar(from) ? from.y : from.y + from.height / 2, y1 = bar(to) ? to.y + to.height + 3 : to.y + to.height / 2;
  if (Math.abs(x1 - x0) > 1) return `M${a} ${y0}C${a + side * 26} ${y0} ${b - side * 26} ${y1} ${b} ${y1}`;
  const right = middle(from) + BOX.width / 2;
  return bar(from) || bar(to) ? `M${right - 20} ${y0}L${right - 20} ${y1}` : `M${right} ${y0}C${right + 22} ${y0} ${right + 22} ${y1} ${right + 3} ${y1}`;
}

export class TreeView {
  readonly element: HTMLElement;
  private readonly panel = h("div", { class: "panel", id: "vertex", "aria-live": "polite" });
  private readonly plan: Layout;
  private readonly drawn = new Map<number, SVGGElement>();
  selected = -1;

  constructor(private readonly tree: LogicTree) {
    this.plan = layout(tree, (list) => (list.length === 1 ? `rank ${list[0]}` : `ranks ${ranks(list)}`));
    const { width, height } = this.plan;
    const picture = svg("svg", { class: "tree-view", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "application logic tree" }, this.arrowHeads(),
      ...this.plan.columns.map((column) => svg("text", { class: "column", x: column.x, y: 14, "text-anchor": "middle" }, column.title)),
      ...this.plan.edges.flatMap(({ edge, back }) => this.edge(edge, back)), ...[...this.plan.boxes.values()].map((box) => this.box(box)));
    picture.addEventListener("keydown", (event) => this.key(event));
    this.element = h("div", {}, h("p", { class: "legend" }, h("span", {}, h("i", { class: "stroke message" }), "message"), h("span", {}, h("i", { class: "stroke" }), "collective"),
      h("span", {}, h("i", { class: "stroke dashed" }), "the same rank goes on, or begins the next iteration"), h("span", {}, h("i", { class: "stroke longest" }), "critical path")),
      this.plan.leftOut > 0 ? h("p", { class: "note left-out" }, `${count(this.plan.leftOut)} vertices off the critical path with the least time are not drawn: predict --alt writes all.`) : null,
      h("div", { class: "scroll treebox" }, picture), this.panel);
  }

  private arrowHeads(): SVGElement {
    return svg("defs", {}, ...["message", "collective", "next", "longest"].map((kind) =>
      svg("marker", { id: `head-${kind}`, class: `head ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8Z" }))));
  }

  private edge(edge: Edge, back: boolean): SVGElement[] {
    const from = this.plan.boxes.get(edge.from), to = this.plan.boxes.get(edge.to);
    if (!from || !to) return [];
    const kind = edge.kind === "one_sided" ? "message" : edge.kind, look = edge.critical > 0 ? "longest" : kind;
    return [svg("path", { class: `edge ${kind}${edge.critical > 0 ? " longest" : ""}`, d: route(from, to, back), "marker-end": `url(#head-${look})` },
      svg("title", {}, `${EDGE_NAMES[edge.kind]} × ${count(edge.count)}${edge.bytes ? `, ${bytes(edge.bytes)}` : ""}`))];
  }

  private box(box: Box): SVGGElement {
    const { vertex } = box, lines = words(this.tree, vertex), bar = vertex.kind === "collective";
    const text = (line: string, i: number): SVGElement => svg("text", { class: i === 0 ? "title" : "", x: box.x + (bar ? box.width / 2 : 9), y: box.y + 19 + i * 15, "text-anchor": bar ? "middle" : "start" }, squeezed(line, bar ? 70 : i === 0 ? 22 : 28));
    const group = svg("g", { class: `vertex ${vertex.kind}${vertex.critical > 0 ? " longest" : ""}`, tabindex: 0, role: "button", "data-vertex": vertex.id, "aria-label": lines.join(", ") },
      svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: bar ? 15 : 7 }), ...lines.map(text));
    group.addEventListener("click", () => this.select(vertex.id));
    this.drawn.set(vertex.id, group);
    return group;
  }

  private key(event: KeyboardEvent): void {
    const at = Number((event.target as Element).getAttribute("data-vertex") ?? -1);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") this.select(at);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const down = event.key === "ArrowDown";
      const edges = this.tree.edges.filter((edge) => (down ? edge.from : edge.to) === at).sort((a, b) => b.critical - a.critical);
      if (edges.length > 0) this.drawn.get(down ? edges[0].to : edges[0].from)?.focus();
    } else return;
    event.preventDefault();
  }

  select(id: number): void {
    this.drawn.get(this.selected)?.classList.remove("selected");
    this.selected = id;
    this.drawn.get(id)?.classList.add("selected");
    const vertex = this.tree.vertices.find((v) => v.id === id);
    if (vertex) this.panel.replaceChildren(this.describe(vertex));
  }

  private describe(v: Vertex): HTMLElement {
    const facts = [
      v.kind === "collective" ? `collective operation of ${v.ranks.length === 1 ? "rank" : "ranks"} ${ranks(v.ranks)}` : `${v.ranks.length === 1 ? "rank" : "ranks"} ${ranks(v.ranks)}, from ${v.after || "the start"} to ${v.before || "the end"}`,
      v.occurrences === 1 ? "once" : `${count(v.occurrences)} times in total, ${count(v.iterations)} on a rank`, v.seconds > 0 ? `computes ${duration(v.seconds)} in total` : "",
      v.calls_s > 0 ? `${duration(v.calls_s)} in MPI calls that depend on no other rank` : "", v.bytes > 0 ? bytes(v.bytes) : "",
      v.critical > 0 ? `${v.critical === 1 ? "once" : `${count(v.critical)} times`} on the critical path: ${duration(v.critical_s)}, ${percent(v.critical_s / (this.tree.runtime_s || 1))} of it` : "not on the critical path",
    ];
    const units = v.units.map((unit): Cell[] => [
      { text: h("span", { class: "path" }, unit.call_path), sort: unit.call_path }, { text: unit.count > 0 ? count(unit.count) : "not known", sort: unit.count, figure: true },
      { text: unit.each_s === undefined ? "" : duration(unit.each_s), sort: unit.each_s ?? 0, figure: true }, { text: duration(unit.seconds), sort: unit.seconds, figure: true },
    ]);
    return h("div", { class: "card" }, h("h3", {}, v.name ? shortName(v.name) : "no computation", h("small", {}, v.name)), h("p", {}, `${facts.filter(Boolean).join("; ")}.`),
      units.length > 0 ? table(["basic computation unit (BCU)", "count", "time of one", "in total"], units) : null, this.links(v));
  }

  private links(v: Vertex): HTMLElement {
    const item = (edge: Edge, out: boolean): HTMLElement => {
      const other = this.tree.vertices.find((one) => one.id === (out ? edge.to : edge.from)) as Vertex;
      const name = `${shortName(other.name)}${other.ranks.length === 1 ? ` on rank ${other.ranks[0]}` : ""}`;
      return h("li", {}, `${out ? "to" : "from"} `, h("button", { type: "button", class: "link", click: () => { this.select(other.id); this.drawn.get(other.id)?.focus(); } }, name),
        `: ${EDGE_NAMES[edge.kind]} × ${count(edge.count)}${edge.bytes > 0 ? `, ${bytes(edge.bytes)}` : ""}${edge.critical > 0 ? `, critical path${edge.critical_s > 0 ? ` (${duration(edge.critical_s)})` : ""}` : ""}`);
    };
    return h("ul", {}, ...this.tree.edges.filter((edge) => edge.to === v.id).map((edge) => item(edge, false)), ...this.tree.edges.filter((edge) => edge.from === v.id).map((edge) => item(edge, true)));
  }
}
