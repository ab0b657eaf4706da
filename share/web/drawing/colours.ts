// Colours that colour-blind readers can distinguish: causes after Okabe and Ito, calls so muted that no wait
// looks like one (tests/page/report_test.py has the distances).
// SPDX-License-Identifier: BSD-3-Clause
import { KINDS, SHOWN_CAUSES } from "../data/model";

interface Scheme {
  ground: string;
  causes: string[];
  pale: number; // how much ground is in the colour of a wait
  kinds: string[]; // as KINDS
  otherCause: string;
  noCause: string;
}
const LIGHT: Scheme = {
  ground: "#ffffff",
  causes: ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e6c200", "#56b4e9"],
  pale: 0.3,
  kinds: ["#e6eaee", "#d3deec", "#ddd7ec", "#d3e6df", "#ece3cc", "#dde0e4", "#d3d7dc", "#cccccc"],
  otherCause: "#a08a72",
  noCause: "#5c6670",
};
const DARK: Scheme = {
  ground: "#14181d",
  causes: ["#e25903", "#1164d6", "#009c3d", "#e771a6", "#ebf226", "#68c1d4"],
  pale: 0.44,
  kinds: ["#262d35", "#2c3a4a", "#37334a", "#2c403a", "#433c2a", "#30363d", "#3a4047", "#454545"],
  otherCause: "#8d7559",
  noCause: "#a3adb8",
};

const SYSTEM = window.matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : SYSTEM.matches;
}

export function scheme(): Scheme {
  return isDark() ? DARK : LIGHT;
}

type Rgb = [number, number, number];
export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i] * (1 - share) + b[i] * share)) as Rgb;
}
function css(colour: Rgb): string {
  return `rgb(${colour.join(",")})`;
}

// Colour classes: kinds of calls, then waits by cause, then what the causes ran.
export const WAIT_CLASS = KINDS.length;
export const OTHER_CAUSE = WAIT_CLASS + SHOWN_CAUSES;
export const NO_CAUSE = OTHER_CAUSE + 1;
export const CULPRIT_CLASS = NO_CAUSE + 1;
export const CLASSES = CULPRIT_CLASS + SHOWN_CAUSES;

// A wait is a paler shade of its cause's colour; what caused it has the full one.
export function classColours(): Rgb[] {
  const { ground, causes, pale, kinds, otherCause, noCause } = scheme();
  const base = rgb(ground);
  return [
    ...kinds.map(rgb),
    ...causes.map((colour) => mix(rgb(colour), base, pale)),
    mix(rgb(otherCause), base, 0.3),
    mix(rgb(noCause), base, 0.25),
    ...causes.map(rgb),
  ];
}

// Everything but the matches of a search.
export function faded(colours: Rgb[]): Rgb[] {
  const base = rgb(scheme().ground);
  return colours.map((colour) => mix(colour, base, 0.82));
}

// For styles: it follows when the ground becomes dark.
export function causeColour(cause: number): string {
  return cause >= 0 && cause < SHOWN_CAUSES ? `var(--cause-${cause})` : "var(--other-cause)";
}
export function causeRgb(cause: number): Rgb {
  const { causes, otherCause } = scheme();
  return rgb(cause >= 0 && cause < SHOWN_CAUSES ? causes[cause] : otherCause);
}
// What causeColour() and seriesColour() say.
export function setColours(): void {
  const { style } = document.documentElement, { causes, otherCause } = scheme();
  causes.forEach((colour, i) => style.setProperty(`--cause-${i}`, colour));
  style.setProperty("--other-cause", otherCause);
}
export function kindRgb(kind: number): Rgb {
  return rgb(scheme().kinds[kind]);
}
export function mixedCss(from: Rgb, to: Rgb, share: number): string {
  return css(mix(from, to, share));
}
// Of curves and bars, in the order in which they are named.
export function seriesColour(number: number): string {
  return causeColour(number % SHOWN_CAUSES);
}
export function classColour(number: number): string {
  return css(classColours()[number]);
}

// From zero to the maximum, in one hue, light to dark (dark to light on a dark background).
function scale(dark: boolean): Rgb[] {
  const from = rgb(dark ? "#1b222a" : "#f4f6f8"), middle = rgb(dark ? "#8a4b12" : "#f2a35e"), to = rgb(dark ? "#ffc58a" : "#8c2d04");
  return Array.from({ length: 257 }, (_, i) => (i < 128 ? mix(from, middle, i / 128) : mix(middle, to, i / 128 - 1)));
}
// For shares of 1/256 each: squares of ranks have tens of thousands of cells.
const SCALES = [scale(false), scale(true)];
export function heatScale(): Rgb[] {
  return SCALES[isDark() ? 1 : 0];
}
export function heat(share: number): string {
  return css(heatScale()[Math.round(share * 256)]);
}
