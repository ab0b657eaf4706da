// Puts the page together: the verdict first, then the causes, the timeline, and the tables behind them.
// SPDX-License-Identifier: BSD-3-Clause
import "./style.css";
import { callTree, criticalPath } from "./calls";
import { causes } from "./causes";
import { causeColour, classColour, isDark, NO_CAUSE, OTHER_CAUSE, WAIT_CLASS } from "./colours";
import { Columns } from "./columns";
import { Cell, h, section, table } from "./dom";
import { glossary, leftOut, quality, runFacts } from "./facts";
import { duration } from "./format";
import { KIND_TITLES, Model, NONE } from "./model";
import { efficiencyTree, headline, parts, waits } from "./summary";
import { Timeline } from "./timeline";
import { matrix, profile } from "./traffic";

function legend(model: Model): HTMLElement {
  const box = h("p", { class: "legend" });
  const used = new Set(model.pathKind);
  const fill = (): void => {
    const chip = (colour: string, text: string): HTMLElement => h("span", {}, h("i", { class: "chip", style: `background:${colour}` }), text);
    const shown = model.report.causes.slice(0, model.coloured);
    box.replaceChildren(
      ...KIND_TITLES.flatMap((title, kind) => (kind === 0 || used.has(kind) ? [chip(classColour(kind), title)] : [])),
      ...shown.map((cause, i) => h("span", {}, h("i", { class: "chip two", style: `background:linear-gradient(90deg,${causeColour(i)} 50%,${classColour(WAIT_CLASS + i)} 50%)` }),
        h("a", { href: `#cause-${i + 1}` }, `${i + 1} ${cause.function}`))),
      chip(classColour(OTHER_CAUSE), "waiting, other cause"), chip(classColour(NO_CAUSE), "waiting, no cause found"));
  };
  fill();
  window.addEventListener("recolour", fill);
  return box;
}

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

function theme(): HTMLElement {
  const button = h("button", { type: "button", id: "theme", title: "Light or dark" }, "◐");
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    window.dispatchEvent(new Event("recolour"));
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => window.dispatchEvent(new Event("recolour")));
  return button;
}

// #t=from:to shows a stretch of the timeline, #cause-2 opens a cause.
function follow(timeline: Timeline): void {
  const link = decodeURIComponent(location.hash.slice(1));
  const window = /^t=([\d.]+):([\d.]+)$/.exec(link);
  if (window) {
    timeline.show(Number(window[1]), Number(window[2]));
    timeline.element.scrollIntoView({ block: "nearest" });
  } else if (link) {
    const target = document.getElementById(link);
    if (target instanceof HTMLDetailsElement) target.open = true;
    target?.scrollIntoView();
  }
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

function page(model: Model, timeline: Timeline): HTMLElement[] {
  const { report } = model;
  const find = (name: string): void => {
    const search = document.getElementById("search") as HTMLInputElement;
    search.value = name;
    timeline.search(name);
    timeline.element.scrollIntoView({ block: "start" });
  };
  const titles: [string, string][] = [
    ["causes", "Causes"], ["timeline", "Timeline"], ["waits", "Waits"], ["calls", "Call tree"], ["traffic", "Messages"], ["run", "Run"], ["glossary", "Glossary"],
  ];
  const byPart = parts(report), messages = profile(model);
  return [
    h("nav", {}, h("b", {}, "WaitProf"), ...titles.map(([id, title]) => h("a", { href: `#${id}` }, title)), theme()),
    h("main", {}, headline(model),
      section("efficiency", "Efficiency", "", efficiencyTree(report.efficiency)),
      section("causes", "Who made whom wait", "Each cause with all the waiting that goes back to it, the worst first.", causes(report, find)),
      section("timeline", "Timeline", "One line per rank. Waits have the pale colour of their cause; what caused them has the full colour. Drag to move, W A S D or the wheel (after a click, or with Ctrl) to zoom, Shift+W for fewer ranks, N for the next long wait; click a call for details.",
        legend(model), leftOut(model), timeline.element, h("h3", {}, "Longest waits"), longestWaits(model, timeline)),
      section("waits", "Where ranks wait", "", waits(model), byPart ? h("h3", {}, "By part of the run") : null, byPart),
      section("calls", "Call tree", "Times of all ranks together. Caused: waiting elsewhere that goes back to this call path.", callTree(model), h("h3", {}, "Critical path"), criticalPath(model)),
      section("traffic", "Who talks to whom", "", matrix(model), messages),
      section("run", "This run", "", runFacts(model), h("h3", {}, "How far the figures can be trusted"), quality(model)),
      section("glossary", "What the words mean", "", glossary())),
  ];
}

async function start(): Promise<void> {
  const root = document.getElementById("page") as HTMLElement;
  const data = document.getElementById("data") as HTMLElement;
  try {
    const model = new Model(await Columns.unpack(data.textContent ?? ""));
    data.remove();
    const timeline = new Timeline(model);
    root.replaceChildren(...page(model, timeline));
    window.addEventListener("recolour", () => timeline.recolour());
    window.addEventListener("hashchange", () => follow(timeline));
    window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    timeline.draw();
    remember(timeline);
    follow(timeline);
    Object.assign(window, { waitprof: { model, timeline, ready: performance.now() } });
  } catch (error) {
    const text = document.querySelector("noscript")?.textContent ?? "";
    const plain = new DOMParser().parseFromString(text, "text/html").body.textContent;
    root.replaceChildren(h("p", { class: "alarm" }, `This page could not be drawn: ${String(error)}. It needs a browser of 2023 or later. The report as text:`), h("pre", {}, plain));
    throw error;
  }
}

void start();
