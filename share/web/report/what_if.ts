// What the run would take with a cause repaired in part, a faster network, the slowest rank as fast as the others. The
// run was timed again for a few points when the page was written; between them it is interpolated.
// SPDX-License-Identifier: BSD-3-Clause
import { Model, WhatIfs } from "../data/model";
import { Cause } from "../data/report";
import { causeColour } from "../drawing/colours";
import { h, section } from "../drawing/dom";
import { duration, percent } from "../drawing/format";

type Curve = WhatIfs["curves"][number];

interface Slider {
  curve: Curve;
  share: number; // of the change, 0 to 1
  scale: number; // the saving that the report states, by that of the curve
  words: HTMLElement;
  input: HTMLInputElement | null; // of those that are worth one
}

export interface Answer {
  runtime_s: number;
  how: "measured" | "computed" | "interpolated" | "multiplied";
}

const BALANCE = ["balance", "deal_out"];

function causeName(cause: Cause): string {
  return BALANCE.includes(cause.action?.kind ?? "") ? `${cause.function} balanced` : `${cause.function} no longer late`;
}

function networkWords(share: number): string {
  if (share === 0) return "as recorded";
  return share > 0.995 ? "takes no time" : `${(1 / (1 - share)).toFixed(share < 0.9 ? 1 : 0)} times as fast`;
}

// Saved by one change alone, between its points in a straight line.
export function saved(points: [number, number][], share: number, unchanged: number): { seconds: number; known: boolean } {
  let from: [number, number] = [0, unchanged];
  for (const to of points) {
    if (share <= to[0]) {
      const at = (share - from[0]) / (to[0] - from[0]);
      return { seconds: unchanged - (from[1] + at * (to[1] - from[1])), known: at === 0 || at === 1 };
    }
    from = to;
  }
  return { seconds: unchanged - from[1], known: true };
}

export class WhatIf {
  private readonly sliders: Slider[];
  private readonly result = h("p", { class: "what-if-result", "aria-live": "polite" });
  private readonly bar = h("div", { class: "what-if-bar" });

  static of(model: Model): WhatIf | null {
    return model.names.what_ifs.curves.length > 0 ? new WhatIf(model) : null;
  }

  private constructor(private readonly model: Model) {
    const { curves } = model.names.what_ifs;
    this.sliders = curves.map((curve) => ({ curve, share: 0, scale: this.scaleOf(curve), words: h("b", { class: "figure" }), input: null }));
  }

  private get unchanged(): number {
    return this.model.report.run.runtime_s;
  }
  // Gains may come from a replay, which knows more than the curve.
  private scaleOf(curve: Curve): number {
    const gain = curve.cause === undefined ? undefined : this.model.report.causes[curve.cause].gain;
    const own = this.unchanged - curve.points[curve.points.length - 1][1];
    return gain && own > 1e-9 ? Math.max(0, (this.unchanged - gain.runtime_s) / own) : 1;
  }

  // Alone: of a cause that a repair would be worth.
  private worthIt({ curve }: Slider): boolean {
    return curve.cause === undefined || saved(curve.points, 1, this.unchanged).seconds >= 0.02 * this.unchanged;
  }

  answer(shares = this.sliders.map((one) => one.share)): Answer {
    const { together } = this.model.names.what_ifs, { unchanged } = this;
    const moved = this.sliders.map((one, i) => ({ ...one, share: shares[i], i })).filter((one) => one.share > 0);
    if (moved.length === 0) return { runtime_s: unchanged, how: "measured" };
    const alone = moved.map((one) => saved(one.curve.points, one.share, unchanged));
    if (moved.length === 1) return { runtime_s: unchanged - alone[0].seconds * moved[0].scale, how: alone[0].known ? "computed" : "interpolated" };
    if (together.length === 0) return { runtime_s: moved.reduce((time, one, i) => time * (1 - (alone[i].seconds * one.scale) / unchanged), unchanged), how: "multiplied" };
    const whole = moved.map((one) => saved(one.curve.points, 1, unchanged).seconds);
    const parts = moved.map((one, i) => (whole[i] > 1e-9 ? alone[i].seconds / whole[i] : one.share));
    let time = 0;
    for (let set = 0; set < 1 << moved.length; ++set) {
      const weight = parts.reduce((product, part, i) => product * ((set >> i) & 1 ? part : 1 - part), 1);
      time += weight * together[moved.reduce((place, one, i) => place | (((set >> i) & 1) << one.i), 0)];
    }
    const sum = alone.reduce((total, one) => total + one.seconds, 0);
    const scale = sum > 1e-9 ? alone.reduce((total, one, i) => total + one.seconds * moved[i].scale, 0) / sum : 1;
    return { runtime_s: unchanged - (unchanged - time) * scale, how: moved.every((one) => one.share === 1) ? "computed" : "interpolated" };
  }

  onMove: () => void = () => undefined;

  set(slider: number, share: number): void {
    this.sliders[slider].share = share;
    this.draw();
    this.onMove();
  }

  // Hundredths by slider, as links have them: "0,40"; empty: nothing is changed.
  get state(): string {
    const shares = this.sliders.map(({ share }) => Math.round(share * 100));
    return shares.some((share) => share > 0) ? shares.join(",") : "";
  }
  restore(state: string): void {
    const shares = state.split(",").map((text) => Math.min(100, Math.max(0, Math.round(Number(text)) || 0)));
    this.sliders.forEach((slider, i) => {
      slider.share = (shares[i] ?? 0) / 100;
      if (slider.input) slider.input.value = String(shares[i] ?? 0);
    });
    this.draw();
  }

  private name({ curve }: Slider): HTMLElement {
    if (curve.cause !== undefined) return h("span", {}, h("i", { class: "chip", style: `background:${causeColour(curve.cause)}` }), " ", causeName(this.model.report.causes[curve.cause]));
    return h("span", {}, curve.network ? "Network" : `Rank ${curve.rank ?? 0} as fast as the others`);
  }

  private row(slider: Slider, number: number): HTMLElement[] {
    const name = this.name(slider), marks = `what-if-points-${number}`;
    const input: HTMLInputElement = h("input", { type: "range", min: "0", max: "100", step: "1", value: "0", list: marks, id: `what-if-${number}`, "aria-label": name.textContent ?? "", input: () => this.set(number, Number(input.value) / 100) });
    slider.input = input;
    const points = h("datalist", { id: marks }, h("option", { value: "0" }), ...slider.curve.points.map(([share]) => h("option", { value: String(Math.round(share * 100)) })));
    return [h("label", { for: input.id }, name), h("span", {}, input, points), slider.words];
  }

  section(): HTMLElement {
    const reset = h("button", { type: "button", click: () => {
      this.restore("");
      this.onMove();
    } }, "As it was");
    const rows = this.sliders.flatMap((slider, i) => (this.worthIt(slider) ? this.row(slider, i) : []));
    this.draw();
    return section("what-if", "What if", "The recorded run timed again with a change. Marks on a slider are points that were computed; between them the page interpolates. All the time that calls take by themselves counts as the network's, so a faster network brings at most this.",
      h("div", { class: "what-if" }, ...rows), this.bar, this.result, reset);
  }

  private draw(): void {
    for (const slider of this.sliders) {
      const { share, curve } = slider;
      slider.words.textContent = curve.network ? networkWords(share) : percent(share);
    }
    const { runtime_s, how } = this.answer(), { unchanged } = this;
    this.bar.replaceChildren(h("i", { style: `width:${(100 * runtime_s) / unchanged}%` }));
    const words = {
      measured: "as measured", computed: "this point was computed", interpolated: "interpolated between computed points",
      multiplied: "several changes: each alone was computed, their savings are multiplied (waitdiag report --what-ifs all computes them together)",
    };
    this.result.replaceChildren(h("b", {}, duration(runtime_s)), how === "measured" ? ` ${words.measured}` : ` instead of ${duration(unchanged)}, ${(unchanged / runtime_s).toFixed(2)}× as fast. `, how === "measured" ? "" : h("span", { class: `how ${how}` }, how === "computed" ? words.computed : `≈ ${words[how]}`));
  }
}
