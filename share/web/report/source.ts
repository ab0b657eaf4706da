// The blamed lines with some lines around them, where the file could be read when the page was written.
// SPDX-License-Identifier: BSD-3-Clause
import { Source } from "../data/model";
import { h } from "../drawing/dom";

export function sourceView(source: Source, editorLink: string): HTMLElement {
  const name = source.file.replace(/^.*\//, "");
  const edit = source.file.startsWith("/") ? h("a", { href: editorLink.replace("{file}", encodeURI(source.file)).replace("{line}", String(source.line)), title: `Open ${source.file} in the editor` }, "edit") : null;
  return h("figure", { class: "source" }, h("figcaption", {}, h("b", {}, `${name}:${source.line}`), ` ${source.what} `, edit),
    h("pre", {}, ...source.lines.map((text, i) => h("span", { class: source.first + i === source.line ? "line meant" : "line" },
      h("span", { class: "no" }, String(source.first + i)), `${text}\n`))));
}
