// What can be gone through one by one: the longest waits; calls, and stretches between them, whose call path matches a
// search, in order of time.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { Hit } from "./details";
import { Painter } from "./paint";

export interface Match {
  hit: Hit;
  begin: number;
  end: number;
}

const MOST = 100000;

export class Matches {
  private list: Match[] | null = null;
  private at = -1;

  constructor(private readonly model: Model, private readonly painter: Painter) {}

  forget(): void {
    this.list = null;
    this.at = -1;
  }

  private find(): Match[] {
    const { model: m, painter } = this, list: Match[] = [];
    for (let lane = 0; lane < m.lanes; ++lane)
      for (let op = m.firstOp[lane]; op <= m.firstOp[lane + 1] && list.length < MOST; ++op) {
        if (painter.isMatch(m.gapPath[op + lane])) list.push({ hit: { lane, gap: op }, begin: m.gapBegin(lane, op), end: m.gapEnd(lane, op) });
        if (op < m.firstOp[lane + 1] && painter.isMatch(m.opPath[op])) list.push({ hit: { lane, op }, begin: m.enter[op], end: m.leave[op] });
      }
    return list.filter((one) => one.end > one.begin).sort((a, b) => a.begin - b.begin || a.hit.lane - b.hit.lane);
  }

  // The next match, or the previous one (by -1), cyclically.
  step(by: number): Match | null {
    this.list ??= this.find();
    if (this.list.length === 0) return null;
    this.at = this.at < 0 ? (by > 0 ? 0 : this.list.length - 1) : (this.at + by + this.list.length) % this.list.length;
    return this.list[this.at];
  }
}

// The longest first. Kept in a list that is cut now and then: there may be many millions.
export function longestWaits({ waitLength }: Model, most: number): number[] {
  const longer = (a: number, b: number): number => waitLength[b] - waitLength[a] || a - b;
  let list: number[] = [], least = -1; // of the list, once it has been cut
  for (let wait = 0; wait < waitLength.length; ++wait) {
    if (waitLength[wait] <= least) continue;
    if (list.push(wait) < 20 * most) continue;
    list = list.sort(longer).slice(0, most);
    least = waitLength[list[most - 1]];
  }
  return list.sort(longer).slice(0, most);
}
