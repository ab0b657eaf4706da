// Scales of charts: from values to pixels, and where to write figures.
// SPDX-License-Identifier: BSD-3-Clause

export interface Axis {
  name: string;
  log?: boolean;
  format: (value: number) => string;
  at?: number[]; // figures are written only here
  from?: number; // begins here if no value is smaller
}

export class Scale {
  constructor(private readonly low: number, private readonly high: number, private readonly log: boolean,
    private readonly begin: number, private readonly end: number) {}

  at(value: number): number {
    const share = this.log ? Math.log(Math.max(value, 1e-300) / this.low) / Math.log(this.high / this.low) : (value - this.low) / (this.high - this.low);
    return this.begin + Math.max(-0.05, Math.min(1.05, share)) * (this.end - this.begin);
  }

  ticks(axis: Axis, most: number): number[] {
    const inside = (list: number[]): number[] => list.filter((v) => v >= this.low * (1 - 1e-9) && v <= this.high * (1 + 1e-9));
    if (axis.at) return thinned(inside(axis.at), most);
    if (!this.log) return inside(evenly(this.low, this.high, most));
    const list: number[] = [];
    for (let power = Math.floor(Math.log10(this.low)); power <= Math.ceil(Math.log10(this.high)); ++power)
      for (const digit of [1, 2, 5]) list.push(digit * 10 ** power);
    const all = inside(list);
    return all.length <= most ? all : inside(list.filter((_, i) => i % 3 === 0));
  }
}

function thinned(list: number[], most: number): number[] {
  const each = Math.ceil(list.length / most);
  return list.filter((_, i) => (list.length - 1 - i) % each === 0);
}

function evenly(low: number, high: number, most: number): number[] {
  const least = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least) ?? least;
  const list: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) list.push(i * step);
  return list;
}

// A scale over all values, with some margin; a linear one begins at 0 unless all values are far from it.
export function scaleOf(axis: Axis, values: number[], begin: number, end: number): Scale {
  const known = values.filter((v) => Number.isFinite(v) && (!axis.log || v > 0));
  let low = Math.min(...known, axis.from ?? Infinity), high = Math.max(...known);
  if (known.length === 0) [low, high] = axis.log ? [1, 10] : [0, 1];
  if (axis.log) {
    if (high / low < 1.5) [low, high] = [low / 1.3, high * 1.3];
    return new Scale(low / 1.05, high * 1.05, true, begin, end);
  }
  if (high <= low) high = low + (Math.abs(low) || 1);
  return new Scale(low, high, false, begin, end);
}
