// Paints lanes into pixels. Every pixel gets the average colour of what happened in its time, weighted by how long
// each part took, so that nothing vanishes however far one zooms out.
// SPDX-License-Identifier: BSD-3-Clause
import { classColours, CULPRIT_CLASS, faded, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "./colours";
import { KINDS, Model, NONE } from "./model";

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
  private red = new Float32Array(0);
  private green = new Float32Array(0);
  private blue = new Float32Array(0);
  private weight = new Float32Array(0);

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
  // Once, so that a picture does not ask again for each of a million calls.
  private classify(lane: number): void {
    const m = this.model;
    for (let op = m.firstOp[lane]; op < m.firstOp[lane + 1]; ++op) {
      this.gapClass[op + lane] = this.classOf(m.gapPath[op + lane], lane);
      this.callClass[op] = m.opPath[op] < m.pathKind.length ? this.classOf(m.opPath[op], lane) : UNKNOWN_CALL;
    }
    const last = m.firstOp[lane + 1] + lane;
    this.gapClass[last] = this.classOf(m.gapPath[last], lane);
  }
  // Of a call apart from waiting, and of what ran between two calls.
  classOf(path: number, lane: number): number {
    if (path >= this.model.pathKind.length) return 0;
    const cause = this.model.causeOfPath[path];
    return this.model.isCulprit(cause, lane) ? CULPRIT_CLASS + cause : this.model.pathKind[path];
  }
  classesOf(wait: number): number {
    return this.waitClass[wait];
  }

  recolour(): void {
    const plain = classColours();
    this.palette = Float32Array.from([...plain, ...faded(plain)].flat());
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
  isMatch(path: number): boolean {
    return path < this.matches.length && this.matches[path] === 1;
  }

  // `width` x `height` pixels of the lanes in `order`.
  image(order: Int32Array, view: View, width: number, height: number): ImageData {
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    if (this.weight.length !== width) {
      this.red = new Float32Array(width);
      this.green = new Float32Array(width);
      this.blue = new Float32Array(width);
      this.weight = new Float32Array(width);
    }
    for (let y = 0; y < height; ++y) {
      const first = Math.floor(view.row0 + (view.rows * y) / height);
      const last = Math.max(first + 1, Math.floor(view.row0 + (view.rows * (y + 1)) / height));
      this.red.fill(0);
      this.green.fill(0);
      this.blue.fill(0);
      this.weight.fill(0);
      for (let row = first; row < last && row < order.length; ++row) this.lane(order[row], view, width);
      this.copy(pixels, y * width);
    }
    return image;
  }

  // One number for each pixel, alpha first: browsers run on machines with little ends.
  private copy(pixels: Uint32Array, place: number): void {
    const { red, green, blue, weight } = this;
    for (let x = 0; x < weight.length; ++x) {
      if (weight[x] < 1e-3) continue;
      const per = 1 / weight[x];
      pixels[place + x] = 0xff000000 | ((blue[x] * per + 0.5) << 16) | ((green[x] * per + 0.5) << 8) | (red[x] * per + 0.5);
    }
  }

  private lane(lane: number, view: View, width: number): void {
    const m = this.model, { gapClass, callClass } = this;
    const scale = width / (view.t1 - view.t0);
    const last = m.firstOp[lane + 1];
    const fade = this.searching ? this.palette.length / 6 : 0;
    const shade = (kind: number, path: number): number => (fade && !this.isMatch(path) ? kind + fade : kind);
    let op = m.callAt(lane, view.t0);
    let wait = m.waitFrom(lane, op);
    const lastWait = m.firstWait[lane + 1];
    let begin = m.gapBegin(lane, op);
    for (; op <= last && begin < view.t1; ++op) {
      this.span((begin - view.t0) * scale, (m.gapEnd(lane, op) - view.t0) * scale, shade(gapClass[op + lane], m.gapPath[op + lane]), width);
      if (op === last) break;
      let from = m.enter[op];
      const end = m.leave[op];
      const own = m.opPath[op];
      for (; wait < lastWait && m.waitOp[wait] === op; ++wait) {
        const to = Math.min(end, from + m.waitLength[wait]);
        this.span((from - view.t0) * scale, (to - view.t0) * scale, shade(this.waitClass[wait], own), width);
        from = to;
      }
      if (end > from) this.span((from - view.t0) * scale, (end - view.t0) * scale, shade(callClass[op], own), width);
      begin = end;
    }
  }

  // Adds a stretch from x0 to x1 (pixels, with fraction).
  private span(x0: number, x1: number, colour: number, width: number): void {
    if (x0 < 0) x0 = 0;
    if (x1 > width) x1 = width;
    if (x1 <= x0) return;
    const r = this.palette[colour * 3], g = this.palette[colour * 3 + 1], b = this.palette[colour * 3 + 2];
    let x = x0 | 0;
    while (x0 < x1) {
      const next = x + 1;
      const part = (x1 < next ? x1 : next) - x0;
      this.red[x] += r * part;
      this.green[x] += g * part;
      this.blue[x] += b * part;
      this.weight[x] += part;
      x0 = next;
      x = next;
    }
  }
}
