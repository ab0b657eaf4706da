// Puts a page together. That of a report: the verdict first, then the causes, the timeline, and the tables behind them.
// SPDX-License-Identifier: BSD-3-Clause
import "./style.css";
import { balancePage } from "./balance";
import { callTree, criticalPath } from "./calls";
import { causes } from "./causes";
import { Columns } from "./columns";
import { Cell, h, section, table } from "./dom";
import { glossary, leftOut, quality, runFacts } from "./facts";
import { duration } from "./format";
import { follow, Page, show } from "./frame";
import { gridsPage } from "./grids";
import { legend } from "./legend";
import { Model, NONE } from "./model";
import { predictionPage } from "./prediction";
import { scalingPage } from "./scaling";
import { efficiencyTree, headline, parts, waits } from "./summary";
import { MOVING, Timeline } from "./timeline";
import { matrix, profile } from "./traffic";

function longestWaits(model: Model, timeline: Timeline): HTMLElement {
  const rows = timeline.longest().map((wait): Cell[] => {
    const op = model.waitOp[wait], path = model.waitPath[wait], lane = model.laneOf(op);
    return [
      { text: h("button", { type: "button", class: "link", click: () => go(timeline, op) }, duration(model.length(model.waitLength[wait]))), sort: model.waitLength[wait], figure: true },
      { text: model.laneName(lane), sort: lane }, { text: model.functionOf(model.opPath[op]) },
      { text: `${model.seconds(model.enter[op]).toFixed(4)} s`, sort: model.enter[op], figure: true },
      { text: path === NONE ? "no cause found" : `${model.functionOf(path)}${model.waitPathLane[wait] < model.lanes ? ` on ${model.laneName(model.waitPathLane[wait])}` : ""}` },
    ];
  });
  return table(["waiting", "who", "in", "at", "owed to"], rows, 5);
}

function go(timeline: Timeline, op: number): void {
  timeline.element.scrollIntoView({ block: "start" });
  timeline.select(op);
}

// #t=from:to shows a stretch of the timeline.
function followLink(timeline: Timeline): void {
  const link = decodeURIComponent(location.hash.slice(1));
  const window = /^t=([\d.]+):([\d.]+)$/.exec(link);
  if (!window) return follow(link);
  timeline.show(Number(window[1]), Number(window[2]));
  timeline.element.scrollIntoView({ block: "nearest" });
}

function remember(timeline: Timeline): void {
  let later = 0;
  timeline.onMove = () => {
    clearTimeout(later);
    later = window.setTimeout(() => {
      const [from, to] = timeline.window;
      history.replaceState(null, "", `#t=${from.toFixed(6)}:${to.toFixed(6)}`);
    }, 300);
  };
}

function reportPage(columns: Columns): Page {
  const model = new Model(columns), timeline = new Timeline(model);
  const { report } = model;
  const find = (name: string): void => {
    const search = document.getElementById("search") as HTMLInputElement;
    search.value = name;
    timeline.search(name);
    timeline.element.scrollIntoView({ block: "start" });
  };
  const byPart = parts(report), messages = profile(model);
  return {
    titles: [["causes", "Causes"], ["timeline", "Timeline"], ["waits", "Waits"], ["calls", "Call tree"], ["traffic", "Messages"], ["run", "Run"], ["glossary", "Glossary"]],
    elements: [headline(model),
      section("efficiency", "Efficiency", "", efficiencyTree(report.efficiency)),
      section("causes", "Who made whom wait", "Each cause with all the waiting that goes back to it, the worst first.", causes(report, find, model.names.grids)),
      section("timeline", "Timeline", `One line per rank. Waits have the pale colour of their cause; what caused them has the full colour. ${MOVING}`,
        legend(model), leftOut(model), timeline.element, h("h3", {}, "Longest waits"), longestWaits(model, timeline)),
      section("waits", "Where ranks wait", "", waits(model), byPart ? h("h3", {}, "By part of the run") : null, byPart),
      section("calls", "Call tree", "Times of all ranks together. Caused: waiting elsewhere that goes back to this call path.", callTree(model), h("h3", {}, "Critical path"), criticalPath(model)),
      section("traffic", "Who talks to whom", "", matrix(model), messages),
      section("run", "This run", "", runFacts(model), h("h3", {}, "How far the figures can be trusted"), quality(model)),
      section("glossary", "What the words mean", "", glossary())],
    hook: { model, timeline },
    shown: () => {
      window.addEventListener("recolour", () => timeline.recolour());
      window.addEventListener("hashchange", () => followLink(timeline));
      timeline.draw();
      remember(timeline);
      followLink(timeline);
    },
  };
}

const PAGES: Record<string, (columns: Columns) => Page> = {
  report: reportPage, prediction: predictionPage, scaling: scalingPage, grids: gridsPage, balance: balancePage,
};

async function start(): Promise<void> {
  const root = document.getElementById("page") as HTMLElement;
  const data = document.getElementById("data") as HTMLElement;
  try {
    const columns = await Columns.unpack(data.textContent ?? "");
    data.remove();
    const page = PAGES[columns.has("kind") ? columns.text("kind") : "report"](columns);
    show(page, root);
    if (page.shown) page.shown();
    else follow(decodeURIComponent(location.hash.slice(1)));
    Object.assign(window, { waitprof: { ...page.hook, ready: performance.now() } });
  } catch (error) {
    const text = document.querySelector("noscript")?.textContent ?? "";
    const plain = new DOMParser().parseFromString(text, "text/html").body.textContent;
    root.replaceChildren(h("p", { class: "alarm" }, `This page could not be drawn: ${String(error)}. It needs a browser of 2023 or later. The report as text:`), h("pre", {}, plain));
    throw error;
  }
}

void start();
