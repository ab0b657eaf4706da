// The ranks that waited for a cause: over all that is shown, or while one stretch of it ran.
// SPDX-License-Identifier: BSD-3-Clause
import { Model, NONE } from "../data/model";

export interface Victim {
  lane: number;
  waiting: number; // units
  count: number;
  longest: number; // the wait
}

function causeOf(model: Model, wait: number): number {
  return model.waitPath[wait] === NONE ? -1 : model.causeOfPath[model.waitPath[wait]];
}

function sumUp(model: Model, waits: Iterable<number>): Victim[] {
  const byLane = new Map<number, Victim>();
  for (const wait of waits) {
    const lane = model.laneOf(model.waitOp[wait]), length = model.waitLength[wait];
    const victim = byLane.get(lane) ?? { lane, waiting: 0, count: 0, longest: wait };
    victim.waiting += length;
    ++victim.count;
    if (length > model.waitLength[victim.longest]) victim.longest = wait;
    byLane.set(lane, victim);
  }
  return [...byLane.values()].sort((a, b) => b.waiting - a.waiting || a.lane - b.lane);
}

export function victimsOf(model: Model, cause: number): Victim[] {
  const waits: number[] = [];
  for (let wait = 0; wait < model.waitOp.length; ++wait) if (causeOf(model, wait) === cause) waits.push(wait);
  return sumUp(model, waits);
}

// Waits for what a lane ran from `begin` to `end`, as far as they lie at least partly in that time.
export function waitsFor(model: Model, cause: number, culprit: number, begin: number, end: number): number[] {
  const waits: number[] = [];
  for (let lane = 0; lane < model.lanes; ++lane)
    for (let wait = model.waitFrom(lane, model.callAt(lane, begin)); wait < model.firstWait[lane + 1]; ++wait) {
      const from = model.enter[model.waitOp[wait]];
      if (from >= end) break;
      if (from + model.waitLength[wait] > begin && model.waitPathLane[wait] === culprit && causeOf(model, wait) === cause) waits.push(wait);
    }
  return waits;
}

export function sumsOf(model: Model, waits: number[]): Victim[] {
  return sumUp(model, waits);
}
