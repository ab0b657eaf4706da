// How the run was recorded, what that cost, how far the figures can be trusted, and what the terms mean.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { h } from "../drawing/dom";
import { count, duration, percent } from "../drawing/format";

function list(entries: [string, string][]): HTMLElement {
  return h("dl", { class: "facts" }, ...entries.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export function runFacts(model: Model): HTMLElement {
  const { run, recording } = model.report;
  const cost = recording ? Math.max(0, ...recording.ranks.map((rank) => rank.total_s)) : 0;
  return list([
    ["Program", run.program], ["MPI", run.mpi], ["Recorded by", run.creator], ["Predicted for", run.predicted_for],
    ["Ranks, threads, nodes", `${count(run.ranks)}, ${count(run.threads)}, ${count(run.nodes)}`], ["Run time", duration(run.runtime_s)],
    ["Events", count(run.events)], ["Messages, collectives", `${count(run.messages)}, ${count(run.collectives)}`],
    ["Time steps", run.steps > 0 ? `${count(run.steps)}, from ${run.steps_source === "marks" ? "the program's marks" : "its repeating communication"}` : "none found"],
    ["Samples follow", run.sampling === "cpu" ? "processor time" : run.sampling === "wall" ? "wall clock time" : run.sampling],
    ["Clocks agree to", run.clock_error_s > 0 ? duration(run.clock_error_s) : ""], ["Rules, model", `${run.rules}, ${run.model}`],
    ["Processors lost", (model.report.taken_processors ?? []).map((row) => row.text).join("; ")],
    ["Recording cost", recording ? `at most ${duration(cost)} of processor time of a rank (${percent(cost / (run.runtime_s || 1))}), ${duration(recording.call_s)} a call` : "not known"],
  ]);
}

export function quality(model: Model): HTMLElement {
  const rows = model.report.data_quality;
  if (rows.length === 0) return h("p", {}, "Nothing odd was seen in the data.");
  return h("ul", { class: "quality" }, ...rows.map((row) => h("li", { class: row.severity }, h("b", {}, row.severity), ` ${row.text}`, row.count > 1 ? ` (${count(row.count)} times)` : "")));
}

const WORDS: [string, string][] = [
  ["Waiting", "time in an MPI call in which the call could do nothing, because another rank had not come yet. It is not the whole time in MPI: moving the data is the rest."],
  ["Cause, caused", "the function that ran longer on the rank that came late than on the ranks that came first, with all the waiting that followed from it. Not every slow function is a cause: what is equally slow everywhere makes no rank wait."],
  ["Excess", "how much longer a function ran on the late rank than on the waiting one, between two points where both met. In the maps of ranks and steps: than on the fastest quarter of the ranks in that step."],
  ["Directly, passed on", "a rank that waited comes late itself and makes others wait. The part of the waiting that goes back over such a wait was passed on."],
  ["If fixed", "the run computed again without the excess of this one cause. An estimate of what a repair is worth, not a promise."],
  ["Parallel efficiency", "computation ÷ (ranks × run time). It is load balance × communication efficiency, and that is serialisation × transfer."],
  ["Load balance", "average ÷ longest computation of a rank."],
  ["Serialisation", "longest computation ÷ run time if moving data took no time: what ranks lose by waiting in turn, although they are balanced over the whole run."],
  ["Transfer", "run time if moving data took no time ÷ run time."],
  ["Path serialisation, path transfer", "the same two by the critical path: the run, or a part of it from where each rank begins it, is timed again on an ideal network. There MPI calls take no time of their own. Waits come out anew there."],
  ["Critical path", "the chain of computation and transfers that the run time consists of. Making anything else faster does not make the run faster."],
  ["Step", "one round of the program's outermost loop: from its own marks, or found by its repeating communication."],
  ["Own time", "time in the function itself, without what it calls. From exact marks where there are any, otherwise divided by samples."],
];

export function glossary(): HTMLElement {
  return h("dl", { class: "glossary" }, ...WORDS.flatMap(([word, text]) => [h("dt", {}, word), h("dd", {}, text)]));
}
