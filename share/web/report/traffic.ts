// How much each rank sends to each other, in messages of which size, and on which communicators.
// SPDX-License-Identifier: BSD-3-Clause
import { Model } from "../data/model";
import { bar, Cell, h, table } from "../drawing/dom";
import { bytes, count, duration } from "../drawing/format";
import { Square } from "../drawing/square";

export function matrix(model: Model): HTMLElement {
  const [rows, perRow] = model.columns.numbers("matrix_shape");
  const cells = { bytes: model.columns.numbers("matrix_bytes"), messages: model.columns.numbers("matrix_messages") };
  const choice = h("select", {}, h("option", { value: "bytes" }, "bytes"), h("option", { value: "messages" }, "messages"));
  const name = (row: number): string => (perRow === 1 ? `${row}` : `${row * perRow}–${row * perRow + perRow - 1}`);
  const value = (from: number, to: number): number => cells[choice.value as "bytes" | "messages"][from * rows + to];
  const square = new Square({
    id: "matrix", label: "communication matrix", rows, name, value, hint: "Rows send, columns receive.",
    words: (from, to) => `${name(from)} → ${name(to)}: ${count(cells.messages[from * rows + to])} messages, ${bytes(cells.bytes[from * rows + to])}`,
  });
  choice.addEventListener("change", () => square.change(value));
  return h("div", {}, h("p", {}, h("label", {}, "Show ", choice), " (logarithmic scale)"), square.element);
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
