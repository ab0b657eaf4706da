// Composes a page. For a report: the verdict first, then the causes, the timeline, and the tables after them.
// SPDX-License-Identifier: BSD-3-Clause
import "./style.css";
import { Columns } from "./data/columns";
import { Model } from "./data/model";
import { h, section } from "./drawing/dom";
import { follow, Page, show } from "./drawing/frame";
import { balancePage } from "./pages/balance";
import { comparisonPage } from "./pages/comparison";
import { gridsPage } from "./pages/grids";
import { predictionPage } from "./pages/prediction";
import { scalingPage } from "./pages/scaling";
import { actions } from "./report/actions";
import { callTree, criticalPath } from "./report/calls";
import { causes, stepTitle } from "./report/causes";
import { glossary, quality, runFacts } from "./report/facts";
import { causeMap, histograms, icicle, waitMatrix } from "./report/overall";
import { efficiencyTree, headline, waits } from "./report/summary";
import { matrix, profile } from "./report/traffic";
import { WhatIf } from "./report/what_if";
import { keepAddress } from "./timeline/address";
import { legend } from "./timeline/legend";
import { detailed, Stage } from "./timeline/stage";
import { MOVING } from "./timeline/timeline";

function reportPage(columns: Columns): Page {
  const blocks = detailed(columns);
  const model = new Model(blocks[0]), stage = new Stage(columns, blocks, model);
  const { report } = model;
  const messages = profile(model), whatIf = WhatIf.of(model);
  return {
    titles: [["todo", "What to do"], ...(whatIf ? [["what-if", "What if"] as [string, string]] : []), ["causes", "Causes"], ["timeline", "Timeline"], ["waits", "Waits"], ["calls", "Call tree"], ["traffic", "Messages"], ["run", "Run"], ["glossary", "Glossary"]],
    elements: [headline(model),
      section("todo", "What to do", "", actions(model)),
      ...(whatIf ? [whatIf.section()] : []),
      section("efficiency", "Efficiency", "Each factor is what the run keeps of its core time; 100 % would be ideal.", efficiencyTree(report)),
      section("causes", "Who made whom wait", "Each cause with all the waiting that goes back to it, the worst first.", causeMap(model, stepTitle(report.run, report.causes[0]?.by_step?.steps_per_column ?? 1)), causes(model, stage)),
      section("timeline", "Timeline", `One line per rank. Waits have the pale colour of their cause; what caused them has the full colour. ${MOVING}`,
        legend([model], stage.overview?.off.marks), stage.element),
      section("waits", "Where ranks wait", "", waits(model), histograms(model), waitMatrix(model)),
      section("calls", "Call tree", "Times of all ranks together. Caused: waiting elsewhere that goes back to this call path.", icicle(model, (name) => stage.search(name)), callTree(model), h("h3", {}, "Critical path"), criticalPath(model)),
      section("traffic", "Who talks to whom", "", matrix(model), messages),
      section("run", "This run", "", runFacts(model), h("h3", {}, "How far the figures can be trusted"), quality(model)),
      section("glossary", "What the words mean", "", glossary())],
    hook: { model, timeline: stage.timeline, stage, whatIf },
    shown: () => {
      window.addEventListener("recolour", () => stage.recolour());
      stage.draw();
      const moved = keepAddress(() => [...stage.parts(), ...(whatIf?.state ? [`if=${whatIf.state}`] : [])], (text) => {
        whatIf?.restore(text("if"));
        stage.restore(text);
        if (text("if")) document.getElementById("what-if")?.scrollIntoView();
      });
      stage.onMove = moved;
      if (whatIf) whatIf.onMove = moved;
    },
  };
}

const PAGES: Record<string, (columns: Columns) => Page> = {
  report: reportPage, prediction: predictionPage, comparison: comparisonPage, scaling: scalingPage, grids: gridsPage, balance: balancePage,
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
