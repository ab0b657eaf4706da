// What all pages have: the bar with links on top, light and dark, print.
// SPDX-License-Identifier: BSD-3-Clause
import { isDark, setColours } from "./colours";
import { h } from "./dom";

export interface Page {
  elements: HTMLElement[]; // below the bar
  titles: [string, string][]; // id of a section, its name in the bar
  hook: object; // for tests: what is on the page
  shown?: () => void; // called once the page is complete
}

function recolour(): void {
  setColours();
  window.dispatchEvent(new Event("recolour"));
}

function theme(): HTMLElement {
  const button = h("button", { type: "button", id: "theme", title: "Light or dark", "aria-label": "Light or dark" }, "◐");
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    recolour();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  return button;
}

// Paper is light, whatever the screen is; and nothing on it can be unfolded.
function printing(): void {
  let before: string | undefined;
  window.addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    document.querySelectorAll("details").forEach((d) => (d.open = true));
    recolour();
  });
  window.addEventListener("afterprint", () => {
    if (before === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = before;
    recolour();
  });
}

// Screen readers list tables: each goes by the heading above it.
function nameTables(root: HTMLElement): void {
  let heading = "";
  root.querySelectorAll("h2, h3, h4, table").forEach((one) => {
    if (one instanceof HTMLTableElement) one.setAttribute("aria-label", heading);
    else heading = one.textContent ?? "";
  });
}

export function show(page: Page, root: HTMLElement): void {
  setColours();
  const first = page.titles[0]?.[0] ?? "page";
  root.replaceChildren(h("a", { class: "skip", href: `#${first}` }, "Skip to the results"), page.titles.some(([id]) => id === "timeline") ? h("a", { class: "skip", href: "#timeline" }, "Skip to the timeline") : "",
    h("nav", { "aria-label": "Sections" }, h("b", {}, "WaitProf"), ...page.titles.map(([id, title]) => h("a", { href: `#${id}` }, title)), theme()), h("main", {}, ...page.elements));
  nameTables(root);
  printing();
}

// #cause-2 opens a cause, #tree goes to a section.
export function follow(link: string): void {
  const target = link ? document.getElementById(link) : null;
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
}
