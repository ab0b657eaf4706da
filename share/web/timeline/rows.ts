// Which lanes are in which row of a timeline: one lane per row, or a group of lanes in one row until it is
// opened.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { ranks } from "../drawing/format";
import { LaneSums } from "./order";

export type Grouping = "none" | "node" | "alike";

export interface Group {
  name: string;
  lanes: Int32Array; // in sorted order
}

export class Rows {
  readonly rowOf: Int32Array; // by lane: its own row, or that of its closed group
  private readonly lanes: Int32Array[] = []; // by row
  private readonly groups: number[] = []; // by row: the group whose head it is, or -1

  constructor(lanes: number, groups: Group[] | null, order: Int32Array, private readonly open: ReadonlySet<number>) {
    this.rowOf = new Int32Array(lanes);
    const single = (lane: number, i: number, list: Int32Array): void => {
      this.rowOf[lane] = this.lanes.length;
      this.lanes.push(list.subarray(i, i + 1));
      this.groups.push(-1);
    };
    if (!groups) order.forEach(single);
    groups?.forEach((group, number) => {
      for (const lane of group.lanes) this.rowOf[lane] = this.lanes.length;
      this.lanes.push(group.lanes);
      this.groups.push(number);
      if (open.has(number)) group.lanes.forEach(single);
    });
  }

  get count(): number {
    return this.lanes.length;
  }
  lanesOf(row: number): Int32Array {
    return this.lanes[row];
  }
  // The only lane of a row, or -1.
  lane(row: number): number {
    return this.groups[row] < 0 ? this.lanes[row][0] : -1;
  }
  group(row: number): number {
    return this.groups[row];
  }
  isOpen(group: number): boolean {
    return this.open.has(group);
  }
}

// Rows of `each` consecutive lanes.
export function evenRows(lanes: number, each: number): Rows {
  const groups: Group[] = [];
  for (let first = 0; first < lanes; first += each) groups.push({ name: "", lanes: Int32Array.from({ length: Math.min(each, lanes - first) }, (_, i) => first + i) });
  return new Rows(lanes, each > 1 ? groups : null, Int32Array.from({ length: lanes }, (_, i) => i), new Set());
}

export function ranksOf(model: Model, group: Group): string {
  return ranks([...new Set(Array.from(group.lanes, (lane) => model.names.lanes.rank[lane]))]);
}

export function grouped(model: Model, sums: LaneSums, order: Int32Array, by: Grouping): Group[] | null {
  if (by === "none") return null;
  const key = by === "node" ? (lane: number): number => model.names.lanes.node[lane] : alike(model, sums);
  const lanes = new Map<number, number[]>();
  for (const lane of order) {
    const which = key(lane), list = lanes.get(which);
    if (list) list.push(lane);
    else lanes.set(which, [lane]);
  }
  const groups = [...lanes].map(([which, list]): Group => ({
    name: by === "node" ? model.names.lanes.node_names[which] || "node" : `${list.length} rank${list.length === 1 ? "" : "s"}`, lanes: Int32Array.from(list),
  }));
  return by === "node" ? groups : groups.sort((a, b) => a.lanes.length - b.lanes.length || a.lanes[0] - b.lanes[0]);
}

// Numbers lanes by what they do: how much they compute, wait and make others wait, and which causes are
// theirs. Each lane joins the first one that is similar enough; the criterion is relaxed until there are only
// a few groups.
function alike(model: Model, sums: LaneSums): (lane: number) => number {
  const MOST = 12;
  const most = sums.caused.reduce((a, b) => Math.max(a, b), 0) || 1;
  const of = (lane: number): number[] => {
    const span = Math.max(1, model.laneEnd[lane] - model.laneBegin[lane]);
    return [sums.computing[lane] / span, sums.waiting[lane] / span, sums.caused[lane] / most,
      ...Array.from({ length: model.coloured }, (_, cause) => (model.isCulprit(cause, lane) ? 1 : 0))];
  };
  const features = Array.from({ length: model.lanes }, (_, lane) => of(lane));
  for (let tolerance = 0.04; ; tolerance *= 1.6) {
    const leaders: number[] = [];
    const group = features.map((own, lane) => {
      const found = leaders.findIndex((leader) => features[leader].every((value, i) => Math.abs(value - own[i]) <= tolerance));
      if (found >= 0) return found;
      leaders.push(lane);
      return leaders.length - 1;
    });
    if (leaders.length <= MOST) return (lane) => group[lane];
  }
}
