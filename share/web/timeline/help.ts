// "?": keys, mouse and marks of the timeline.
// SPDX-License-Identifier: BSD-3-Clause
import { h } from "../drawing/dom";

const KEYS: [string, string][] = [
  ["W S, + −", "zoom in and out"], ["A D, ← →", "earlier, later"], ["↑ ↓", "other ranks"], ["Shift+W, Shift+S", "fewer, more ranks"],
  ["0, Home", "show everything"], ["N, P", "next, previous long wait"], ["M, Shift+M", "next, previous match of the search"],
  ["G", "open or close all groups"], ["F", "full screen"], ["Esc", "forget the selection"], ["?", "this help"],
];
const MOUSE: [string, string][] = [
  ["drag", "move"], ["Shift+drag", "sums of an area"], ["wheel", "zoom, after a click into the timeline, or with Ctrl"], ["double click", "zoom in there"],
  ["click on a call", "what it waited for, its messages"], ["click on a full colour", "who waited for it"], ["click on a group's name", "open or close it"],
];

export function helpDialog(): HTMLDialogElement {
  const list = (entries: [string, string][]): HTMLElement => h("dl", { class: "facts" }, ...entries.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)]));
  const dialog: HTMLDialogElement = h("dialog", { id: "help", "aria-label": "Keys and mouse of the timeline" }, h("h2", {}, "Timeline"),
    h("h3", {}, "Keys, after a click into it or with Tab"), list(KEYS), h("h3", {}, "Mouse"), list(MOUSE),
    h("p", { class: "note" }, "The address keeps what is in view: send it along with the page."),
    h("button", { type: "button", autofocus: "", click: () => dialog.close() }, "Close"));
  return dialog;
}

export function openHelp(): void {
  const dialog = (document.getElementById("help") as HTMLDialogElement | null) ?? helpDialog();
  if (!dialog.isConnected) document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
}
