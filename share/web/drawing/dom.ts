// Makes elements, in one line each.
// SPDX-License-Identifier: BSD-3-Clause

type Child = Node | string | null | undefined | false;

export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Record<string, string | ((event: Event) => void)> = {}, ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "string") element.setAttribute(key, value);
    else element.addEventListener(key, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

// The same for drawings.
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name, attributes: Record<string, string | number> = {}, ...children: Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  for (const child of children) if (child) element.append(child);
  return element;
}

// A sentence as the page's title. A number stays in one line with its unit.
export function verdictTitle(sentence: string): HTMLElement {
  return h("h1", {}, sentence.replace(/(\d) (%|[nµm]?s\b|min\b|h\b|points?\b|[KMGT]?i?B\b)/g, "$1\u00a0$2").replace(/ -> /g, "\u00a0\u2192 "));
}

export function section(id: string, title: string, lead: string, ...children: Child[]): HTMLElement {
  return h("section", { id }, h("h2", {}, title), lead ? h("p", { class: "lead" }, lead) : null, ...children);
}

// Places the tip, a child of `frame`, beside the mouse and within `frame`: on the other side where it would
// stick out.
export function placeTip(tip: HTMLElement, frame: HTMLElement, event: MouseEvent): void {
  const box = frame.getBoundingClientRect(), at = event.clientX - box.left;
  const left = at + 14 + tip.offsetWidth > box.width ? at - 14 - tip.offsetWidth : at + 14;
  const below = event.clientY + 18 + tip.offsetHeight < window.innerHeight;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${event.clientY - box.top + (below ? 18 : -18 - tip.offsetHeight)}px`;
}

export interface Cell {
  text: string | Node;
  sort?: number | string; // absent if not a figure
  figure?: boolean;
}

// A command to type next, with a button that copies it.
export function copyable(command: string): HTMLElement {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy: ${command}` }, "Copy");
  button.addEventListener("click", () => {
    void navigator.clipboard.writeText(command).then(() => (button.textContent = "Copied"), () => getSelection()?.selectAllChildren(code));
  });
  const code = h("code", {}, command);
  return h("p", { class: "command" }, code, " ", button);
}

// A table whose columns sort on a click; long ones show `most` rows and a button for the others.
export function table(heads: string[], rows: Cell[][], most = 12): HTMLElement {
  const body = h("tbody");
  let order = rows.map((_, i) => i);
  let all = rows.length <= most;
  const more = h("button", { type: "button", class: "quiet", click: () => { all = true; fill(); } });
  const fill = (): void => {
    body.replaceChildren(...(all ? order : order.slice(0, most)).map((i) =>
      h("tr", {}, ...rows[i].map((cell) => h("td", cell.figure ? { class: "figure" } : {}, cell.text)))));
    more.hidden = all;
    more.textContent = `Show all ${rows.length}`;
  };
  const buttons = heads.map((head, column) => {
    const figure = rows.length > 0 && rows[0][column].figure;
    const cell = h("th", figure ? { class: "figure", scope: "col" } : { scope: "col" });
    const sort = (): void => {
      const down = cell.getAttribute("aria-sort") !== "descending";
      buttons.forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (i: number): number | string => rows[i][column].sort ?? String(rows[i][column].text);
      order = rows.map((_, i) => i).sort((a, b) => {
        const x = key(a), y = key(b);
        return (x < y ? -1 : x > y ? 1 : a - b) * (down ? -1 : 1);
      });
      fill();
    };
    if (head) cell.append(h("button", { type: "button", click: sort }, head));
    return cell;
  });
  fill();
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...buttons)), body), more);
}

export function bar(share: number, colour = ""): HTMLElement {
  const inner = h("i", { style: `width:${Math.max(0, Math.min(1, share)) * 100}%${colour ? `;background:${colour}` : ""}` });
  return h("span", { class: "bar" }, inner);
}

// A canvas as sharp as the screen; draw() is called with the size in CSS pixels.
export function sharpen(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
