// Figures as a reader wants them: three digits and a unit.
// SPDX-License-Identifier: BSD-3-Clause

function digits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 1e-6) return `${digits(seconds * 1e9)} ns`;
  if (size < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (size < 1) return `${digits(seconds * 1e3)} ms`;
  if (size < 10000) return `${digits(seconds)} s`;
  return `${digits(seconds / 3600)} h`;
}

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share * 100;
  return `${value.toFixed(Math.abs(value) < 10 && value !== 0 ? 1 : 0)} %`;
}

export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit + 1 < units.length) {
    count /= 1024;
    ++unit;
  }
  return `${unit === 0 ? count : digits(count)} ${units[unit]}`;
}

export function count(number: number): string {
  return number.toLocaleString("en").replace(/,/g, "\u202f");
}

// Names differ at their end as often as at their begin: what does not fit is left out of the middle.
export function squeezed(name: string, room: number): string {
  if (name.length <= room) return name;
  const end = Math.floor((room - 1) / 2);
  return `${name.slice(0, Math.max(0, room - 1 - end))}…${end > 0 ? name.slice(-end) : ""}`;
}

// A time since the start of the run; of a stretch that takes seconds it has this many decimal places.
export function moment(seconds: number, stretch: number, places = 4): string {
  const decimals = places - Math.floor(Math.log10(stretch > 0 ? stretch : 1));
  return `${seconds.toFixed(Math.min(9, Math.max(0, decimals)))} s`;
}

// As in the text report (analyzer/wording/numbers.hpp): 0, 3, 12-15; of more than `most` ranges the first ones.
export function ranks(list: readonly number[], most = 4): string {
  const sorted = [...list].sort((a, b) => a - b);
  let text = "", ranges = 0;
  for (let i = 0; i < sorted.length; ++ranges) {
    let last = i;
    while (last + 1 < sorted.length && sorted[last + 1] === sorted[last] + 1) ++last;
    if (ranges === most) return `${text}, ... (${sorted.length - i} more)`;
    text += `${ranges > 0 ? ", " : ""}${sorted[i]}${last > i ? (last === i + 1 ? ", " : "-") + String(sorted[last]) : ""}`;
    i = last + 1;
  }
  return text;
}

// Of the keys of a list by rank: "7", or "16-31" for those among these that have no entry of their own.
export function ranksOf(byRank: Record<string, number>): number[] {
  const all = new Set<number>();
  for (const key of Object.keys(byRank)) {
    const ends = key.split("-").map(Number);
    for (let rank = ends[0]; rank <= ends[ends.length - 1]; ++rank) all.add(rank);
  }
  return [...all];
}

// First and last of neighbouring ranks, as single ranks.
export function ranksOfRuns(runs: readonly (readonly number[])[]): number[] {
  return runs.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

// The same in a sentence.
export function ranksLabel(list: readonly number[], all: number): string {
  if (list.length === 0) return "no rank";
  if (all > 1 && list.length === all) return all === 2 ? "both ranks" : `all ${all} ranks`;
  return `${list.length === 1 ? "rank" : "ranks"} ${ranks(list)}`;
}

// A place in the source, short.
export function place(file: string, line: number): string {
  if (!file) return "";
  return file.replace(/^.*\//, "") + (line > 0 ? `:${line}` : "");
}
