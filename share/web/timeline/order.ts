// The order in which lanes are drawn.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";

export type Sorting = "rank" | "node" | "wait" | "load" | "caused";

export interface LaneSums {
  waiting: Float64Array;
  computing: Float64Array;
  caused: Float64Array;
}

export function laneSums(model: Model): LaneSums {
  const sums = {
    waiting: new Float64Array(model.lanes), computing: new Float64Array(model.lanes), caused: new Float64Array(model.lanes),
  };
  for (let lane = 0; lane < model.lanes; ++lane) {
    let calls = 0;
    for (let op = model.firstOp[lane]; op < model.firstOp[lane + 1]; ++op) calls += model.leave[op] - model.enter[op];
    sums.computing[lane] = model.laneEnd[lane] - model.laneBegin[lane] - calls;
    for (let wait = model.firstWait[lane]; wait < model.firstWait[lane + 1]; ++wait) {
      sums.waiting[lane] += model.waitLength[wait];
      const culprit = model.waitPathLane[wait];
      if (culprit < model.lanes) sums.caused[culprit] += model.waitLength[wait];
    }
  }
  return sums;
}

export function sorted(model: Model, sums: LaneSums, by: Sorting): Int32Array {
  const order = Int32Array.from({ length: model.lanes }, (_, lane) => lane);
  const descending = (values: Float64Array) => (a: number, b: number): number => values[b] - values[a] || a - b;
  const node = model.names.lanes.node;
  if (by === "node") order.sort((a, b) => node[a] - node[b] || a - b);
  if (by === "wait") order.sort(descending(sums.waiting));
  if (by === "load") order.sort(descending(sums.computing));
  if (by === "caused") order.sort(descending(sums.caused));
  return order;
}
