// The places of the application logic tree's vertices: a column for each rank, or group of ranks; time runs
// downwards.
// SPDX-License-Identifier: BSD-3-Clause

// As analyzer/simulation/logic_tree/write_logic_tree.cpp writes it (schema waitdiag.logic-tree/1).
export interface Vertex {
  id: number;
  kind: "computation" | "collective";
  name: string;
  after: string;
  before: string;
  ranks: number[];
  occurrences: number;
  iterations: number;
  seconds: number;
  calls_s: number;
  bytes: number;
  critical: number;
  critical_s: number;
  units: { call_path: string; count: number; seconds: number; each_s?: number }[];
}
export interface Edge {
  from: number;
  to: number;
  kind: "message" | "collective" | "one_sided" | "next";
  count: number;
  bytes: number;
  critical: number;
  critical_s: number;
}
export interface LogicTree {
  ranks: number;
  runtime_s: number;
  vertices: Vertex[];
  edges: Edge[];
}

export interface Box {
  vertex: Vertex;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Layout {
  boxes: Map<number, Box>;
  edges: { edge: Edge; back: boolean }[];
  columns: { title: string; x: number }[];
  width: number;
  height: number;
  leftOut: number;
}

export const BOX = { width: 172, height: 58, gapX: 34, gapY: 46, bar: 30, head: 26 };
const MOST = 400;

// Loops make cycles. Starting where the run begins, vertices are taken one by one as soon as everything they
// depend on has been taken; if there is none, the one nearest to the begin: what it still depends on comes
// from a later iteration. All other edges lead downwards.
function layers(vertices: Vertex[], edges: Edge[]): { layer: Map<number, number>; back: Set<Edge> } {
  const group = (end: "from" | "to"): Map<number, Edge[]> => {
    const map = new Map<number, Edge[]>(vertices.map((v) => [v.id, []]));
    for (const edge of edges) if (edge.from !== edge.to) map.get(edge[end])?.push(edge);
    return map;
  };
  const out = group("from"), into = group("to"), back = new Set<Edge>(edges.filter((edge) => edge.from === edge.to));
  const layer = new Map<number, number>(), near = new Map<number, number>();
  for (const v of vertices) if (into.get(v.id)?.length === 0) near.set(v.id, 0);
  const missing = new Map(vertices.map((v) => [v.id, into.get(v.id)?.length ?? 0]));
  while (layer.size < vertices.length) {
    const open = vertices.filter((v) => !layer.has(v.id));
    const rank = (v: Vertex): number => (missing.get(v.id) === 0 ? 0 : 1e6) + (near.get(v.id) ?? 1e9);
    const next = open.reduce((a, b) => (rank(b) < rank(a) ? b : a)).id;
    let at = 0;
    for (const edge of into.get(next) ?? []) {
      const above = layer.get(edge.from);
      if (above === undefined) back.add(edge);
      else at = Math.max(at, above + 1);
    }
    layer.set(next, at);
    for (const edge of out.get(next) ?? []) {
      missing.set(edge.to, (missing.get(edge.to) ?? 0) - 1);
      near.set(edge.to, Math.min(near.get(edge.to) ?? Infinity, (near.get(next) ?? 0) + 1));
    }
  }
  return { layer, back };
}

export function layout(tree: LogicTree, title: (ranks: number[]) => string): Layout {
  const weight = (v: Vertex): number => v.critical_s * 1e6 + v.seconds + (v.kind === "collective" ? 1e-6 : 0);
  const shown = tree.vertices.length <= MOST ? tree.vertices : [...tree.vertices].sort((a, b) => weight(b) - weight(a)).slice(0, MOST).sort((a, b) => a.id - b.id);
  const ids = new Set(shown.map((v) => v.id));
  const edges = tree.edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to));
  const { layer, back } = layers(shown, edges);

  const key = (v: Vertex): string => v.ranks.join(",");
  const own = shown.filter((v) => v.kind === "computation");
  const columns = [...new Map(own.map((v) => [key(v), v.ranks])).entries()].sort((a, b) => a[1][0] - b[1][0] || a[1].length - b[1].length);
  const columnOf = new Map(columns.map(([name], i) => [name, i]));

  // Two vertices of the same column and layer are placed below each other.
  const depth = Math.max(0, ...layer.values()) + 1;
  const lines = new Array<number>(depth).fill(1), line = new Map<number, number>();
  const taken = new Map<string, number>();
  for (const v of shown) {
    const at = layer.get(v.id) ?? 0, place = `${at} ${v.kind === "computation" ? key(v) : "all"}`;
    const number = taken.get(place) ?? 0;
    taken.set(place, number + 1);
    line.set(v.id, number);
    lines[at] = Math.max(lines[at], number + 1);
  }
  const bars = new Set(shown.filter((v) => v.kind === "collective").map((v) => layer.get(v.id)));
  const top: number[] = [];
  let y = BOX.head;
  for (let i = 0; i < depth; ++i) {
    top.push(y);
    const each = bars.has(i) && !own.some((v) => layer.get(v.id) === i) ? BOX.bar : BOX.height;
    y += lines[i] * (each + BOX.gapY);
  }
  const width = columns.length * (BOX.width + BOX.gapX) + BOX.gapX;
  const boxes = new Map<number, Box>();
  for (const v of shown) {
    const at = layer.get(v.id) ?? 0, column = columnOf.get(key(v)) ?? 0;
    const bar = v.kind === "collective", height = bar ? BOX.bar : BOX.height;
    boxes.set(v.id, {
      vertex: v, x: bar ? BOX.gapX / 2 : BOX.gapX + column * (BOX.width + BOX.gapX), y: top[at] + (line.get(v.id) ?? 0) * (height + BOX.gapY),
      width: bar ? width - BOX.gapX : BOX.width, height,
    });
  }
  return {
    boxes, edges: edges.map((edge) => ({ edge, back: back.has(edge) })), width, height: y - BOX.gapY + 12,
    columns: columns.map(([, ranks], i) => ({ title: title(ranks), x: BOX.gapX + i * (BOX.width + BOX.gapX) + BOX.width / 2 })),
    leftOut: tree.vertices.length - shown.length,
  };
}
