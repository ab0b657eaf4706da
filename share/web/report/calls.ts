// The call tree: own and inclusive time, waiting, and waiting caused elsewhere.
// SPDX-License-Identifier: BSD-3-Clause
import { Model, NONE } from "../data/model";
import { bar, h } from "../drawing/dom";
import { count, duration, place } from "../drawing/format";

interface Node {
  path: number;
  children: Node[];
  inclusive: number;
  waiting: number;
  caused: number;
}

function build(model: Model, own: number[], waiting: number[], caused: number[]): Node[] {
  const nodes = own.map((seconds, path): Node => ({ path, children: [], inclusive: seconds, waiting: waiting[path], caused: caused[path] }));
  const roots: Node[] = [];
  // In archives, children have larger numbers than their parents, but this is not guaranteed.
  const depth = (path: number): number => (model.parent[path] === NONE ? 0 : 1 + depth(model.parent[path]));
  const order = nodes.map((_, path) => path);
  const depths = order.map(depth);
  order.sort((a, b) => depths[b] - depths[a]);
  for (const path of order) {
    const node = nodes[path];
    if (node.inclusive === 0 && node.caused === 0) continue;
    const parent = model.parent[path];
    if (parent === NONE) roots.push(node);
    else {
      nodes[parent].children.push(node);
      nodes[parent].inclusive += node.inclusive;
      nodes[parent].waiting += node.waiting;
      nodes[parent].caused += node.caused;
    }
  }
  const sort = (list: Node[]): void => {
    list.sort((a, b) => b.inclusive - a.inclusive || a.path - b.path);
    list.forEach((node) => sort(node.children));
  };
  sort(roots);
  return roots;
}

export function callTree(model: Model): HTMLElement {
  const nanoseconds = (name: string): number[] => model.columns.numbers(name).map((n) => n / 1e9);
  const own = nanoseconds("call_ns"), waiting = nanoseconds("call_waiting_ns"), caused = nanoseconds("call_caused_ns");
  const longest = nanoseconds("call_longest_ns");
  const visits = model.columns.numbers("call_visits"), rank = model.columns.numbers("call_longest_rank");
  const roots = build(model, own, waiting, caused);
  const total = roots.reduce((sum, root) => sum + root.inclusive, 0) || 1;
  const body = h("tbody");
  const row = (node: Node, depth: number): HTMLElement => {
    const region = model.names.regions[model.region[node.path]];
    const figures = [duration(own[node.path]), duration(node.waiting), node.caused > 0 ? duration(node.caused) : "",
      visits[node.path] > 0 ? count(visits[node.path]) : "", longest[node.path] > 0 ? `${duration(longest[node.path])} on ${rank[node.path]}` : ""];
    let open: HTMLElement[] | null = null;
    const sign = h("button", { type: "button", class: "fold", "aria-expanded": "false", "aria-label": `Callees of ${region[0]}` }, node.children.length > 0 ? "▸" : "");
    const line = h("tr", {},
      h("td", {}, h("span", { class: "fn", style: `padding-left:${depth * 14}px` }, sign, h("span", {}, region[0], h("small", {}, place(region[1], region[2]))))),
      h("td", { class: "figure" }, duration(node.inclusive)), h("td", {}, bar(node.inclusive / total)),
      ...figures.map((text, i) => h("td", { class: i === 2 && text ? "figure strong" : "figure" }, text)));
    const fold = (): void => {
      if (node.children.length === 0) return;
      if (open) {
        const drop = (lines: HTMLElement[]): void => lines.forEach((l) => { l.dispatchEvent(new Event("drop")); l.remove(); });
        drop(open);
        open = null;
      } else {
        open = node.children.map((child) => row(child, depth + 1));
        line.after(...open);
        open.forEach((l, i) => { if (node.children[i].inclusive > 0.08 * total || node.children[i].caused > 0) l.dispatchEvent(new Event("unfold")); });
      }
      sign.textContent = open ? "▾" : "▸";
      sign.setAttribute("aria-expanded", open ? "true" : "false");
    };
    if (node.children.length === 0) sign.hidden = true;
    sign.addEventListener("click", fold);
    line.addEventListener("unfold", () => { if (!open) fold(); });
    line.addEventListener("drop", () => { if (open) fold(); });
    return line;
  };
  for (const root of roots) {
    const line = row(root, 0);
    body.append(line);
    line.dispatchEvent(new Event("unfold"));
  }
  const heads = ["Call path", "time", "", "own time", "waiting", "caused", "visits", "most on one rank"];
  return h("div", { class: "scroll calls" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head, i) => h("th", i > 0 ? { class: "figure" } : {}, head)))), body));
}

export function criticalPath(model: Model): HTMLElement {
  const path = model.report.critical_path;
  const list = path.by_call_path.slice(0, 8);
  return h("div", {}, h("p", {}, `${duration(path.total_s)} long; changes from one rank to another ${count(path.changes)} times. Only what lies on it decides how long the run takes.`),
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "On the critical path"), h("th", { class: "figure" }, "time"), h("th", {}, ""), h("th", { class: "figure" }, "above average"))),
      h("tbody", {}, ...list.map((entry) => h("tr", {}, h("td", { class: "path" }, entry.call_path), h("td", { class: "figure" }, duration(entry.seconds)),
        h("td", {}, bar(entry.seconds / (path.total_s || 1))), h("td", { class: "figure" }, duration(entry.imbalance_s))))))),
    path.by_call_path.length > list.length ? h("p", { class: "note" }, `${path.by_call_path.length - list.length} more call paths`) : null);
}
