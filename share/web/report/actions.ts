// What to do: one repair for each leading cause, what it saves, how certain that is, and the command that
// shows it.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { Cause, Report } from "../data/report";
import { causeColour } from "../drawing/colours";
import { copyable, h } from "../drawing/dom";
import { duration } from "../drawing/format";

const MOST = 3, WORTH_DOING = 0.02; // as in the text report (analyzer/writers/text/text_actions.cpp)
const FINDS_OUT = ["record_by_clock", "check_place"]; // what these find has to be repaired before anything is saved
const WORTH_A_WORD = 0.05; // an error, of what is saved

export function saving(report: Report, { gain }: Cause): string {
  if (!gain) return "";
  const saved = report.run.runtime_s - gain.runtime_s;
  if (saved < 0.01 * report.run.runtime_s) return "alone saves next to nothing: something else is just as late";
  if (gain.error_s >= saved) return `saves up to ${duration(saved + gain.error_s)} of ${duration(report.run.runtime_s)}, perhaps nothing`;
  const error = gain.error_s > WORTH_A_WORD * saved ? ` ± ${duration(gain.error_s)}` : "";
  return `saves ${gain.at_most ? "at most" : "about"} ${duration(saved)}${error} of ${duration(report.run.runtime_s)} (${gain.speedup.toFixed(2)}×)`;
}

export function actions({ report, names }: Model): HTMLElement {
  const shown = report.causes.slice(0, MOST).filter((cause) => cause.action && cause.share_of_waiting >= WORTH_DOING);
  if (shown.length === 0) return h("p", {}, report.causes.length === 0 ? "No rank was found to have made others wait: there is nothing to repair in who waits for whom." : "No cause stands out that a repair would be worth.");
  const alone = shown.length > 1 ? h("p", {}, "Savings are of each repair alone.") : "";
  return h("div", {}, alone, h("ol", { class: "actions" }, ...shown.map((cause, i) => h("li", {},
    h("i", { class: "chip", style: `background:${causeColour(i)}` }),
    h("div", {}, h("p", { class: "what" }, cause.action?.text ?? ""),
      h("p", { class: "saves" }, h("b", {}, sentence((FINDS_OUT.includes(cause.action?.kind ?? "") && cause.gain ? "repairing what that shows " : "") + saving(report, cause))), ` ${cause.action?.sure ?? ""} `, h("a", { href: `#cause-${i + 1}` }, "Why")),
      copyable(names.commands[i]))))));
}

export function sentence(text: string): string {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "";
}
