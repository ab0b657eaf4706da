// What the colours of a timeline mean.
// SPDX-License-Identifier: BSD-3-Clause
import { KIND_TITLES, Model } from "../data/model";
import { causeColour, classColour, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "../drawing/colours";
import { h } from "../drawing/dom";
import { offMarks } from "./off_processor";

// Lines and bars that are drawn over the colours.
function marks(models: Model[], off: [boolean, boolean]): HTMLElement[] {
  const mark = (kind: string, text: string): HTMLElement => h("span", {}, h("i", { class: `mark ${kind}` }), text);
  const [blocked, taken] = offMarks(models).map((shown, i) => shown || off[i]);
  const resources = models.some((model) => model.report.resources);
  return [mark("path", "critical path"), mark("collective", "arrivals at a collective"), mark("message", "message"), mark("chosen", "selected"),
    ...(resources ? [mark("processor", "processor use"), mark("memory", "memory")] : []),
    ...(blocked ? [mark("off", "not on a processor: blocked")] : []), ...(taken ? [mark("taken", "not on a processor: taken away")] : [])];
}

// The legend of one run, or of two whose causes have the same numbers. `off`: the marks of its overview.
export function legend(models: Model[], off: [boolean, boolean] = [false, false]): HTMLElement {
  const box = h("p", { class: "legend" });
  const used = new Set(models.flatMap((model) => [...new Set(model.pathKind)]));
  const fill = (): void => {
    const chip = (colour: string, text: string): HTMLElement => h("span", {}, h("i", { class: "chip", style: `background:${colour}` }), text);
    const most = models.reduce((a, b) => (b.coloured > a.coloured ? b : a));
    const shown = most.report.causes.slice(0, most.coloured);
    box.replaceChildren(
      ...KIND_TITLES.flatMap((title, kind) => (kind === 0 || used.has(kind) ? [chip(classColour(kind), title)] : [])),
      ...shown.map((cause, i) => h("span", {}, h("i", { class: "chip two", style: `background:linear-gradient(90deg,${causeColour(i)} 50%,${classColour(WAIT_CLASS + i)} 50%)` }),
        h("a", { href: `#cause-${i + 1}` }, `${i + 1} ${cause.function}`))),
      chip(classColour(OTHER_CAUSE), "waiting, other cause"), chip(classColour(NO_CAUSE), "waiting, no cause found"), ...marks(models, off));
  };
  fill();
  window.addEventListener("recolour", fill);
  return box;
}
