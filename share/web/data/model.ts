// The run as the page draws it: calls, waits, messages and collective operations in typed arrays. A lane is one
// thread of one rank; calls are numbered over all lanes, lane by lane. Times are units of window.unit_ns.
// SPDX-License-Identifier: BSD-3-Clause
import { Columns } from "./columns";
import { Cause, Report, WaitedFor } from "./report";

export const NONE = 0xffffffff;
export const SHOWN_CAUSES = 6; // at most this many have a colour of their own

// The same as in analyzer/writers/page/colour_class.hpp.
export const KINDS = [
  "computation", "point_to_point", "collective", "one_sided", "io", "start_end", "other_mpi", "measurement",
] as const;
export const KIND_TITLES = [
  "computation", "point-to-point", "collective", "one-sided", "MPI I/O", "start and end", "other MPI", "measurement",
];

// Lines of the program that are blamed, with some around them.
export interface Source {
  file: string;
  line: number; // that is meant
  first: number; // of those shown
  lines: string[];
  what: string; // "blamed", "called here"
}

// What is shown call by call.
export interface Stretch {
  unit_ns: number;
  from_s: number; // of the run
  to_s: number;
  lanes_in_all: number;
  operations: number;
  operations_in_all: number;
  messages_left_out: number;
  waiting_s: number;
}

// Run times with changes in part. A curve is of a cause, of the network or of a rank; its points are shares of the
// change, of which the last one is the whole, and the run time with them. `together`: with several whole changes at
// once; bit i of the place says whether curve i is one of them. Empty: not known.
export interface WhatIfs {
  curves: { cause?: number; network?: boolean; rank?: number; points: [number, number][] }[];
  together: number[];
}

interface Names {
  verdict: string;
  lanes: { rank: number[]; thread: number[]; node: number[]; node_names: string[] };
  regions: [string, string, number, string][];
  patterns: { id: string; title: string; summary: string; advice: string }[];
  communicators: [string, number][];
  waited_for: WaitedFor[]; // by a thread that was not on a processor
  cause_paths: number[][]; // several where a cause represents all call paths of a function
  grids: string[]; // "cart dims=4x2 periods=1,0"
  commands: string[]; // by cause: what shows beforehand what its repair brings; or empty
  editor_link: string; // {file} and {line} stand for those of blamed lines
  sources: Source[][]; // by cause: the blamed lines and their call site
  what_ifs: WhatIfs;
}

// By receiving lane (Model.firstMessage): the calls at both ends.
interface Messages {
  receive: Uint32Array;
  send: Uint32Array;
  bytes: Float64Array;
  tag: Int32Array;
}

export class Model {
  readonly report: Report;
  readonly names: Names;
  readonly stretch: Stretch;
  readonly lanes: number;
  readonly laneBegin: Float64Array;
  readonly laneEnd: Float64Array;
  readonly firstOp: Uint32Array; // by lane, one more
  readonly enter: Uint32Array;
  readonly leave: Uint32Array;
  readonly opPath: Uint32Array;
  readonly gapPath: Uint32Array; // gap g of lane l: at firstOp[l] + l + g
  readonly firstOff: Uint32Array; // time off the processor, by lane
  readonly offGap: Uint32Array; // as gaps are numbered in gapEnd()
  readonly offLength: Float64Array;
  readonly offReason: Uint8Array; // place in names.waited_for
  readonly firstWait: Uint32Array;
  readonly waitOp: Uint32Array;
  readonly waitLength: Float64Array;
  readonly waitPattern: Uint8Array;
  readonly waitCause: Uint32Array; // the call it waited for, or NONE
  readonly waitPath: Uint32Array; // whose call path made it late, or NONE
  readonly waitPathLane: Uint32Array;
  readonly firstMessage: Uint32Array; // by receiving lane
  readonly firstMember: Uint32Array; // by collective operation
  readonly collectiveComm: Uint32Array;
  readonly memberOp: Uint32Array;
  readonly collectiveOf: Uint32Array; // by call, or NONE
  readonly critical: { lane: number; begin: number; end: number }[] = [];
  readonly steps: { step: number; begin: number }[] = []; // step -1: none
  readonly parent: Uint32Array;
  readonly region: Uint32Array;
  readonly pathKind: Uint8Array;
  readonly causeOfPath: Int32Array; // number of the cause, or -1
  readonly coloured: number; // causes with a colour of their own
  private readonly culprits: Uint8Array; // by coloured cause and lane: is it one of its ranks?
  readonly span: number; // of the window, in units

  // The causes of a run that is shown beside another one, `like`, have the numbers of that one.
  constructor(readonly columns: Columns, like?: Model) {
    this.report = columns.json<Report>("report");
    this.names = columns.json<Names>("names");
    if (like) renumber(this.report, this.names, like);
    const window = this.stretch = columns.json<Stretch>("window");
    this.span = Math.max(1, ((window.to_s - window.from_s) * 1e9) / window.unit_ns);

    const counts = columns.numbers("ops");
    this.lanes = counts.length;
    this.firstOp = starts(counts);
    this.laneBegin = Float64Array.from(columns.numbers("lane_begin"));
    this.laneEnd = Float64Array.from(columns.numbers("lane_end"));
    const calls = this.firstOp[this.lanes];
    this.enter = new Uint32Array(calls);
    this.leave = new Uint32Array(calls);
    this.opPath = new Uint32Array(calls);
    this.gapPath = new Uint32Array(calls + this.lanes);
    this.readCalls();

    this.firstOff = starts(columns.numbers("off"));
    const off = this.firstOff[this.lanes];
    this.offGap = new Uint32Array(off);
    this.offLength = new Float64Array(off);
    this.offReason = new Uint8Array(off);
    this.readOffProcessor();

    const waits = columns.numbers("waits");
    this.firstWait = starts(waits);
    const size = this.firstWait[this.lanes];
    this.waitOp = new Uint32Array(size);
    this.waitLength = new Float64Array(size);
    this.waitPattern = new Uint8Array(size);
    this.waitCause = new Uint32Array(size);
    this.waitPath = new Uint32Array(size);
    this.waitPathLane = new Uint32Array(size);
    this.readWaits();

    this.firstMessage = starts(columns.numbers("messages"));

    const members = columns.numbers("collective_members");
    this.firstMember = starts(members);
    this.collectiveComm = Uint32Array.from(columns.numbers("collective_comm"));
    this.memberOp = new Uint32Array(this.firstMember[members.length]);
    this.collectiveOf = new Uint32Array(calls).fill(NONE);
    this.readCollectives();
    this.readPathAndSteps();

    this.parent = Uint32Array.from(columns.numbers("call_parent"), (p) => (p === 0 ? NONE : p - 1));
    this.region = Uint32Array.from(columns.numbers("call_region"));
    const kindOfRegion = this.names.regions.map((r) => Math.max(0, KINDS.indexOf(r[3] as (typeof KINDS)[number])));
    this.pathKind = Uint8Array.from(this.region, (r) => kindOfRegion[r]);
    this.causeOfPath = new Int32Array(this.parent.length).fill(-1);
    this.names.cause_paths.forEach((paths, cause) => paths.forEach((path) => (this.causeOfPath[path] = cause)));
    const shown = this.report.causes.slice(0, SHOWN_CAUSES);
    const last = shown.reduce((most, cause, i) => (cause.share_of_waiting >= 0.01 ? i + 1 : most), like?.coloured ?? 0);
    const leading = shown.slice(0, last);
    this.coloured = leading.length;
    this.culprits = new Uint8Array(leading.length * this.lanes);
    leading.forEach((cause, i) => {
      const ranks = lateRanks(cause);
      for (let lane = 0; lane < this.lanes; ++lane) this.culprits[i * this.lanes + lane] = ranks.has(this.names.lanes.rank[lane]) ? 1 : 0;
    });
  }

  // Is the lane one of the ranks that were late with the cause? Only there is it coloured.
  isCulprit(cause: number, lane: number): boolean {
    return cause >= 0 && cause < this.coloured && this.culprits[cause * this.lanes + lane] === 1;
  }

  private readCalls(): void {
    const c = this.columns;
    const gap = c.reader("op_gap"), length = c.reader("op_length");
    const path = c.reader("op_path"), between = c.reader("gap_path");
    for (let lane = 0; lane < this.lanes; ++lane) {
      let time = this.laneBegin[lane];
      for (let op = this.firstOp[lane]; op < this.firstOp[lane + 1]; ++op) {
        this.enter[op] = time += gap.next();
        this.leave[op] = time += length.next();
        this.opPath[op] = path.next() - 1;
        this.gapPath[op + lane] = between.next() - 1;
      }
      this.gapPath[this.firstOp[lane + 1] + lane] = between.next() - 1;
    }
  }

  private readOffProcessor(): void {
    const gap = this.columns.reader("off_gap"), length = this.columns.reader("off_length"), reason = this.columns.reader("off_reason");
    for (let lane = 0; lane < this.lanes; ++lane) {
      let place = this.firstOp[lane];
      for (let i = this.firstOff[lane]; i < this.firstOff[lane + 1]; ++i) {
        this.offGap[i] = place += gap.next();
        this.offLength[i] = length.next();
        this.offReason[i] = reason.next();
      }
    }
  }

  private readWaits(): void {
    const c = this.columns;
    const op = c.reader("wait_op"), length = c.reader("wait_length"), pattern = c.reader("wait_pattern");
    const causeLane = c.reader("wait_cause_lane"), causeOp = c.reader("wait_cause_op");
    const path = c.reader("wait_path"), pathLane = c.reader("wait_path_lane");
    for (let lane = 0; lane < this.lanes; ++lane) {
      let place = this.firstOp[lane];
      let cause = 0;
      for (let w = this.firstWait[lane]; w < this.firstWait[lane + 1]; ++w) {
        this.waitOp[w] = place += op.next();
        this.waitLength[w] = length.next();
        this.waitPattern[w] = pattern.next();
        const at = causeLane.next();
        cause += causeOp.signed();
        this.waitCause[w] = at === 0 ? NONE : this.firstOp[at - 1] + cause;
        this.waitPath[w] = path.next() - 1;
        this.waitPathLane[w] = pathLane.next() - 1;
      }
    }
  }

  private readMessages(): Messages {
    const c = this.columns, all = this.firstMessage[this.lanes];
    const messages = { receive: new Uint32Array(all), send: new Uint32Array(all), bytes: new Float64Array(all), tag: new Int32Array(all) };
    const receive = c.reader("message_receive"), sender = c.reader("message_sender");
    const send = c.reader("message_send"), bytes = c.reader("message_bytes"), tag = c.reader("message_tag");
    const lastSend = new Float64Array(this.lanes);
    for (let lane = 0; lane < this.lanes; ++lane) {
      let place = this.firstOp[lane];
      for (let m = this.firstMessage[lane]; m < this.firstMessage[lane + 1]; ++m) {
        messages.receive[m] = place += receive.signed();
        const from = lane + sender.signed();
        lastSend[from] += send.signed();
        messages.send[m] = this.firstOp[from] + lastSend[from];
        messages.bytes[m] = bytes.next();
        messages.tag[m] = tag.signed();
      }
    }
    return messages;
  }
  // Read when they are first asked for: seen from afar none is drawn.
  private ofMessages: Messages | null = null;
  get messages(): Messages {
    return (this.ofMessages ??= this.readMessages());
  }

  private readCollectives(): void {
    const laneOf = this.columns.reader("member_lane"), op = this.columns.reader("member_op");
    const lastOp = new Float64Array(this.lanes);
    for (let i = 0; i + 1 < this.firstMember.length; ++i) {
      let lane = -1;
      for (let m = this.firstMember[i]; m < this.firstMember[i + 1]; ++m) {
        lane += laneOf.signed();
        lastOp[lane] += op.signed();
        this.memberOp[m] = this.firstOp[lane] + lastOp[lane];
        this.collectiveOf[this.memberOp[m]] = i;
      }
    }
  }

  private readPathAndSteps(): void {
    const lane = this.columns.reader("path_lane"), begin = this.columns.reader("path_begin");
    const length = this.columns.reader("path_length");
    let time = 0;
    while (!lane.done) {
      const from = time + begin.signed();
      time = from + length.signed();
      this.critical.push({ lane: lane.next(), begin: from, end: time });
    }
    const number = this.columns.reader("step_number"), at = this.columns.reader("step_begin");
    time = 0;
    while (!number.done) this.steps.push({ step: number.next() - 1, begin: (time += at.signed()) });
  }

  laneOf(op: number): number {
    let low = 0, high = this.lanes;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.firstOp[middle] <= op) low = middle;
      else high = middle;
    }
    return low;
  }

  // The first call of a lane that ends after `time`.
  callAt(lane: number, time: number): number {
    let low = this.firstOp[lane], high = this.firstOp[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.leave[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // The first time off the processor of a lane in `gap` or a later one.
  offFrom(lane: number, gap: number): number {
    let low = this.firstOff[lane], high = this.firstOff[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offGap[middle] >= gap) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // The first wait of a lane in call `op` or a later one.
  waitFrom(lane: number, op: number): number {
    let low = this.firstWait[lane], high = this.firstWait[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.waitOp[middle] >= op) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  gapBegin(lane: number, gap: number): number {
    return gap === this.firstOp[lane] ? this.laneBegin[lane] : this.leave[gap - 1];
  }
  gapEnd(lane: number, gap: number): number {
    return gap === this.firstOp[lane + 1] ? this.laneEnd[lane] : this.enter[gap];
  }

  functionOf(path: number): string {
    return path >= this.region.length ? "(unknown)" : this.names.regions[this.region[path]][0];
  }
  callPath(path: number): string {
    const parts: string[] = [];
    for (let p = path; p < this.parent.length; p = this.parent[p]) parts.unshift(this.functionOf(p));
    return parts.join(" / ") || "(unknown)";
  }
  laneName(lane: number): string {
    const thread = this.names.lanes.thread[lane];
    return `rank ${this.names.lanes.rank[lane]}` + (thread > 0 ? `, thread ${thread}` : "");
  }
  // Since the begin of the run.
  seconds(time: number): number {
    return this.stretch.from_s + this.length(time);
  }
  length(units: number): number {
    return (units * this.stretch.unit_ns) / 1e9;
  }
  units(secondsOfRun: number): number {
    return ((secondsOfRun - this.stretch.from_s) * 1e9) / this.stretch.unit_ns;
  }
}

function renumber(report: Report, names: Names, like: Model): void {
  const paths = new Map(report.causes.map((cause, i) => [cause.call_path, names.cause_paths[i]]));
  const first = like.report.causes.slice(0, like.coloured).map((cause): Cause =>
    report.causes.find((own) => own.call_path === cause.call_path) ??
    { ...cause, waiting_s: 0, direct_s: 0, indirect_s: 0, excess_s: 0, share_of_waiting: 0, ranks: [], leading_ranks: [], leading_rank_runs: undefined, patterns: {}, why: undefined, gain: undefined, by_step: undefined });
  report.causes = [...first, ...report.causes.filter((cause) => !first.includes(cause))];
  names.cause_paths = report.causes.map((cause) => paths.get(cause.call_path) ?? []);
}

// From counts to the index of each group's first entry, with one more for the end.
// The fewest that caused nine tenths of it. Sentences may name fewer; the timeline colours all of them.
function lateRanks(cause: Cause): Set<number> {
  const total = cause.ranks.reduce((sum, entry) => sum + entry.waiting_s, 0);
  const late = new Set<number>();
  let sum = 0;
  for (const entry of cause.ranks) { // the largest first
    if (sum >= 0.9 * total) break;
    sum += entry.waiting_s;
    for (let rank = entry.rank; rank <= (entry.last_rank ?? entry.rank); ++rank) late.add(rank);
  }
  return late;
}

function starts(counts: number[]): Uint32Array {
  const result = new Uint32Array(counts.length + 1);
  counts.forEach((count, i) => (result[i + 1] = result[i] + count));
  return result;
}
