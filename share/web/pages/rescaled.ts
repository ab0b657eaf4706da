// A prediction for another number of ranks or another problem: run times by size, with their range.
// SPDX-License-Identifier: BSD-3-Clause
import { Prediction } from "../data/results";
import { Chart, Series } from "../drawing/chart";
import { seriesColour } from "../drawing/colours";
import { bar, Cell, h, table } from "../drawing/dom";
import { count, duration, percent } from "../drawing/format";

type Source = NonNullable<Prediction["rescaling"]>["sources"][number];

// What differs between the runs: their ranks, or else a size of the problem ("n=256").
function sizes(p: Prediction): { name: string; of: (ranks: number, problem: string) => number } {
  const sources = p.rescaling?.sources ?? [];
  const byRanks = sources.some((run) => run.ranks !== p.scenario.ranks);
  const key = /^(\w+)=/.exec(p.rescaling?.problem ?? "")?.[1] ?? "";
  const value = (problem: string): number => Number(new RegExp(`(?:^|[, ])${key}=([\\d.e+]+)`).exec(problem)?.[1] ?? NaN);
  return byRanks || key === "" ? { name: "ranks", of: (ranks) => ranks } : { name: key, of: (_, problem) => value(problem) };
}

export function scaledSection(p: Prediction): HTMLElement {
  const r = p.rescaling;
  if (!r) return h("div");
  const size = sizes(p), at = (run: Source): number => size.of(run.ranks, run.problem);
  const runs = r.sources.map((run): [number, number] => [at(run), run.runtime_s]);
  const target = size.of(p.scenario.ranks, r.problem), last = runs[runs.length - 1];
  const series: Series[] = [
    { name: "measured", colour: seriesColour(1), curve: runs, dots: runs, strong: true },
    { name: "predicted", colour: seriesColour(0), curve: [last, [target, p.runtime_s]], dots: [[target, p.runtime_s]], dashed: true, strong: true, band: r.range_s ? [[target, ...r.range_s]] : undefined },
  ];
  if (r.range_s) series.push({ name: "range", colour: seriesColour(0), band: [[last[0], last[1], last[1]], [target, ...r.range_s]] });
  if (r.held_out) {
    const held = at(r.held_out.run);
    series.push({ name: "held out: the largest run, predicted from the others", colour: seriesColour(3), dots: [[held, r.held_out.predicted_s]] },
      { name: r.held_out.where_recorded ? "the largest run, without MPI_Init" : "the largest run, replayed", colour: seriesColour(2), dots: [[held, r.held_out.where_recorded ? r.held_out.recorded_s : r.held_out.replayed_s]] });
  }
  const chart = new Chart({
    label: `run time over ${size.name}`, x: { name: size.name, log: true, format: (v) => count(v), at: [...runs.map(([x]) => x), target] }, y: { name: "run time", format: duration, log: true }, series,
  });
  const sure = r.held_out
    ? `The largest run, predicted from the others, takes ${duration(r.held_out.predicted_s)}; ${r.held_out.where_recorded ? `recorded was ${duration(r.held_out.recorded_s)}` : `replayed as it is, ${duration(r.held_out.replayed_s)}`}: ${percent(r.held_out.error)} off. The range of the prediction is as wide for every step of that length. Neither has the time of MPI_Init in it.`
    : `How sure: not known, ${r.no_range ?? ""}.`;
  const models = r.models.map((model): Cell[] => [{ text: h("span", { class: "path" }, model.call_path), sort: model.call_path }, { text: model.text }, { text: percent(model.share), sort: model.share, figure: true }, { text: bar(model.share), sort: model.share }, { text: percent(model.left_out), sort: model.left_out, figure: true }]);
  return h("div", {}, chart.element, h("p", { class: "note" }, "Between the points nothing was computed; the dashed line only joins them."), h("p", {}, sure),
    r.grids.length > 0 ? h("p", { class: "note" }, `Grids of ranks: ${r.grids.join("; ")}`) : null,
    h("h3", {}, "Models of the computation"), table(["call path", "time of a rank", "of all computation", "", "error, run left out"], models, 8));
}
