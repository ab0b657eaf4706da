// Paints lanes into pixels: what happened in the time of each, weighted by how long it took (mixture.ts).
// SPDX-License-Identifier: BSD-3-Clause
import { KINDS, Model, NONE } from "../data/model";
import { CLASSES, classColours, CULPRIT_CLASS, faded, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "../drawing/colours";
import { Bins } from "./bins";
import { Mixture } from "./mixture";
import { Rows } from "./rows";

export interface View {
  t0: number; // units since the begin of the window
  t1: number;
  row0: number; // first row, with fraction
  rows: number; // shown, with fraction
}

const UNKNOWN_CALL = KINDS.indexOf("other_mpi");

export class Painter {
  private readonly waitClass: Uint8Array; // by wait
  private readonly callClass: Uint8Array; // by call, apart from waiting
  private readonly gapClass: Uint8Array; // by gap, as Model.gapPath
  private palette = new Float32Array(0);
  private readonly matches: Uint8Array; // by call path: of the search
  private searching = false;
  private only = -1; // the cause that keeps its colours, with its waits; -1: all do
  private mixture: Mixture | null = null;

  constructor(private readonly model: Model) {
    this.waitClass = new Uint8Array(model.waitOp.length);
    for (let w = 0; w < this.waitClass.length; ++w) this.waitClass[w] = this.classOfWait(w);
    this.callClass = new Uint8Array(model.opPath.length);
    this.gapClass = new Uint8Array(model.gapPath.length);
    for (let lane = 0; lane < model.lanes; ++lane) this.classify(lane);
    this.matches = new Uint8Array(model.parent.length + 1);
    this.recolour();
  }

  private classOfWait(wait: number): number {
    const path = this.model.waitPath[wait];
    if (path === NONE) return NO_CAUSE;
    const cause = this.model.causeOfPath[path];
    return cause >= 0 && cause < this.model.coloured ? WAIT_CLASS + cause : OTHER_CAUSE;
  }
  // Done once, so that drawing need not repeat it for each of a million calls.
  private classify(lane: number): void {
    const m = this.model;
    for (let op = m.firstOp[lane]; op < m.firstOp[lane + 1]; ++op) {
      this.gapClass[op + lane] = this.classOf(m.gapPath[op + lane], lane);
      this.callClass[op] = m.opPath[op] < m.pathKind.length ? this.classOf(m.opPath[op], lane) : UNKNOWN_CALL;
    }
    const last = m.firstOp[lane + 1] + lane;
    this.gapClass[last] = this.classOf(m.gapPath[last], lane);
  }
  // The class of a call apart from its waiting, and of what ran between two calls.
  classOf(path: number, lane: number): number {
    if (path >= this.model.pathKind.length) return 0;
    const cause = this.model.causeOfPath[path];
    return this.model.isCulprit(cause, lane) ? CULPRIT_CLASS + cause : this.model.pathKind[path];
  }
  classesOf(wait: number): number {
    return this.waitClass[wait];
  }

  private bins: Bins | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private image: ImageData | null = null;

  recolour(): void {
    const plain = classColours();
    this.palette = Float32Array.from([...plain, ...faded(plain)].flat());
    this.mixture = null;
  }

  // Only call paths with `text` in a function's name keep their colour. Returns how many there are.
  search(text: string): number {
    const wanted = text.trim().toLowerCase();
    this.searching = wanted.length > 0;
    let found = 0;
    for (let path = 0; path < this.model.parent.length; ++path) {
      const hit = this.searching && this.model.functionOf(path).toLowerCase().includes(wanted);
      this.matches[path] = hit ? 1 : 0;
      if (hit) ++found;
    }
    return found;
  }
  spotlight(cause: number): void {
    this.only = cause;
  }
  get spotlit(): number {
    return this.only;
  }
  isMatch(path: number): boolean {
    return path < this.matches.length && this.matches[path] === 1;
  }

  // `width` x `height` pixels of the rows in view; good until the next one is asked for.
  picture(rows: Rows, view: View, width: number, height: number): HTMLCanvasElement {
    const canvas = this.canvas ??= document.createElement("canvas");
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      [canvas.width, canvas.height] = [width, height];
    }
    const image = this.image, pixels = new Uint32Array(image.data.buffer);
    pixels.fill(0);
    if (this.mixture?.width !== width) this.mixture = new Mixture(width, this.palette);
    const level = this.fromAfar(rows, view, width);
    for (let y = 0; y < height; ++y) {
      const first = Math.floor(view.row0 + (view.rows * y) / height);
      const last = Math.max(first + 1, Math.floor(view.row0 + (view.rows * (y + 1)) / height));
      this.mixture.clear();
      for (let row = first; row < last && row < rows.count; ++row) {
        if (level >= 0) this.bins?.add(level, row, view, this.mixture);
        else for (const lane of rows.lanesOf(row)) this.lane(lane, view, this.mixture);
      }
      this.mixture.paint(pixels, y * width);
    }
    (canvas.getContext("2d") as CanvasRenderingContext2D).putImageData(image, 0, 0);
    return canvas;
  }

  // Where so many calls are in view that they are better added up once: which of the sums to use; -1: none.
  private fromAfar(rows: Rows, view: View, width: number): number {
    const MANY = 300_000, A_LANE = 100; // what looking for the begin of a lane costs, in calls
    const { model } = this, work = model.enter.length * Math.min(1, (view.t1 - view.t0) / model.span) + A_LANE * model.lanes;
    if (work < MANY || this.searching || this.only >= 0 || !Bins.fit(rows)) return -1;
    if (this.bins?.rows !== rows) this.bins = new Bins(rows, model.span, (lane, all, into) => this.lane(lane, all, into));
    return this.bins.levelFor(view, width);
  }

  private lane(lane: number, view: View, mixture: Mixture): void {
    const m = this.model, { gapClass, callClass } = this;
    const scale = mixture.width / (view.t1 - view.t0);
    const last = m.firstOp[lane + 1];
    const { searching, only } = this;
    const lit = (kind: number, path: number): boolean => (!searching || this.isMatch(path)) && (only < 0 || kind === WAIT_CLASS + only || kind === CULPRIT_CLASS + only);
    const shade = (kind: number, path: number): number => ((searching || only >= 0) && !lit(kind, path) ? kind + CLASSES : kind);
    let op = m.callAt(lane, view.t0);
    let wait = m.waitFrom(lane, op);
    const lastWait = m.firstWait[lane + 1];
    let begin = m.gapBegin(lane, op);
    for (; op <= last && begin < view.t1; ++op) {
      mixture.span((begin - view.t0) * scale, (m.gapEnd(lane, op) - view.t0) * scale, shade(gapClass[op + lane], m.gapPath[op + lane]));
      if (op === last) break;
      let from = m.enter[op];
      const end = m.leave[op];
      const own = m.opPath[op];
      for (; wait < lastWait && m.waitOp[wait] === op; ++wait) {
        const to = Math.min(end, from + m.waitLength[wait]);
        mixture.span((from - view.t0) * scale, (to - view.t0) * scale, shade(this.waitClass[wait], own));
        from = to;
      }
      if (end > from) mixture.span((from - view.t0) * scale, (end - view.t0) * scale, shade(callClass[op], own));
      begin = end;
    }
  }
}
