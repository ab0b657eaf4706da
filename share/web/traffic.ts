// Who sends how much to whom, in messages of which size, and on which communicators.
// SPDX-License-Identifier: BSD-3-Clause
import { heat } from "./colours";
import { bar, Cell, h, sharpen, table } from "./dom";
import { bytes, count, duration } from "./format";
import { Model } from "./model";

export function matrix(model: Model): HTMLElement {
  const [rows, perRow] = model.columns.numbers("matrix_shape");
  const cells = { bytes: model.columns.numbers("matrix_bytes"), messages: model.columns.numbers("matrix_messages") };
  const canvas = h("canvas", { class: "heat", id: "matrix", role: "img", "aria-label": "communication matrix" });
  const readout = h("span", { class: "readout" }, "Rows send, columns receive.");
  const choice = h("select", {}, h("option", { value: "bytes" }, "bytes"), h("option", { value: "messages" }, "messages"));
  const name = (row: number): string => (perRow === 1 ? `${row}` : `${row * perRow}–${row * perRow + perRow - 1}`);
  const draw = (): void => {
    const values = cells[choice.value as "bytes" | "messages"];
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    const size = Math.min(360, Math.max(160, canvas.parentElement?.clientWidth ?? 360));
    const context = sharpen(canvas, size, size);
    const each = size / rows;
    values.forEach((value, i) => {
      context.fillStyle = heat(value > 0 ? 0.12 + 0.88 * (Math.log1p(value) / Math.log1p(most)) : 0);
      context.fillRect((i % rows) * each, Math.floor(i / rows) * each, each + 0.3, each + 0.3);
    });
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const from = Math.min(rows - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * rows)));
    const to = Math.min(rows - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * rows)));
    readout.textContent = `${name(from)} → ${name(to)}: ${count(cells.messages[from * rows + to])} messages, ${bytes(cells.bytes[from * rows + to])}`;
  });
  choice.addEventListener("change", draw);
  window.addEventListener("recolour", draw);
  const box = h("div", {}, h("p", {}, h("label", {}, "Show ", choice), " (logarithmic scale)"), canvas, h("p", { class: "note" }, readout));
  new ResizeObserver(draw).observe(box);
  return box;
}

export function profile(model: Model): HTMLElement | null {
  const messages = model.report.messages;
  if (!messages) return null;
  const most = Math.max(1, ...messages.by_size.map((row) => row.same_chip.messages + row.same_node.messages + row.other_node.messages + row.unknown_layer.messages));
  const sizes = messages.by_size.map((row): Cell[] => {
    const layers = [row.same_chip, row.same_node, row.other_node, row.unknown_layer];
    const sum = layers.reduce((a, b) => a + b.messages, 0), volume = layers.reduce((a, b) => a + b.bytes, 0);
    return [
      { text: row.up_to_bytes === null ? `above ${bytes(row.above_bytes)}` : `up to ${bytes(row.up_to_bytes)}`, sort: row.above_bytes },
      { text: count(sum), sort: sum, figure: true }, { text: bar(sum / most), sort: sum }, { text: bytes(volume), sort: volume, figure: true },
      ...layers.map((layer): Cell => ({ text: layer.messages > 0 ? count(layer.messages) : "", sort: layer.messages, figure: true })),
    ];
  });
  const communicators = messages.by_communicator.map((row): Cell[] => [
    { text: row.name }, { text: count(row.size), sort: row.size, figure: true }, { text: count(row.messages), sort: row.messages, figure: true },
    { text: bytes(row.bytes), sort: row.bytes, figure: true }, { text: count(row.collectives), sort: row.collectives, figure: true },
    { text: duration(row.collective_s), sort: row.collective_s, figure: true }, { text: duration(row.waiting_s), sort: row.waiting_s, figure: true },
  ]);
  return h("div", {}, h("h3", {}, "Messages by size"),
    table(["size", "messages", "", "volume", "same chip", "same node", "other node", "unknown"], sizes),
    h("h3", {}, "Communicators"), table(["communicator", "ranks", "messages", "volume", "collectives", "time in them", "waiting"], communicators));
}
