// Colours that stay apart for colour-blind eyes (Okabe and Ito's set for causes), on quiet states.
// SPDX-License-Identifier: BSD-3-Clause
import { KINDS, SHOWN_CAUSES } from "./model";

const CAUSES = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

interface Scheme {
  ground: string;
  kinds: string[]; // as KINDS
  otherCause: string;
  noCause: string;
}
const LIGHT: Scheme = {
  ground: "#ffffff",
  kinds: ["#e3e8ed", "#8ea6c4", "#a99fc9", "#8fbcae", "#c8b78c", "#c9ced4", "#b4bac1", "#9b9b9b"],
  otherCause: "#a08a72",
  noCause: "#5c6670",
};
const DARK: Scheme = {
  ground: "#14181d",
  kinds: ["#2c353f", "#55708f", "#6f668f", "#55806f", "#85764f", "#4a525b", "#5b636c", "#777777"],
  otherCause: "#8d7559",
  noCause: "#a3adb8",
};

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
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
  const { ground, kinds, otherCause, noCause } = scheme();
  const base = rgb(ground);
  return [
    ...kinds.map(rgb),
    ...CAUSES.map((colour) => mix(rgb(colour), base, 0.42)),
    mix(rgb(otherCause), base, 0.3),
    mix(rgb(noCause), base, 0.25),
    ...CAUSES.map(rgb),
  ];
}

// Everything but the matches of a search.
export function faded(colours: Rgb[]): Rgb[] {
  const base = rgb(scheme().ground);
  return colours.map((colour) => mix(colour, base, 0.82));
}

export function causeColour(cause: number): string {
  return cause >= 0 && cause < SHOWN_CAUSES ? CAUSES[cause] : scheme().otherCause;
}
export function causeRgb(cause: number): Rgb {
  return rgb(causeColour(cause));
}
export function kindRgb(kind: number): Rgb {
  return rgb(scheme().kinds[kind]);
}
export function mixedCss(from: Rgb, to: Rgb, share: number): string {
  return css(mix(from, to, share));
}
// Of curves and bars, in the order in which they are named.
export function seriesColour(number: number): string {
  return CAUSES[number % CAUSES.length];
}
export function classColour(number: number): string {
  return css(classColours()[number]);
}

// From nothing to most, one hue, light to dark (dark to light on dark ground).
export function heat(share: number): string {
  const from = rgb(isDark() ? "#1b222a" : "#f4f6f8");
  const middle = rgb(isDark() ? "#8a4b12" : "#f2a35e");
  const to = rgb(isDark() ? "#ffc58a" : "#8c2d04");
  return css(share < 0.5 ? mix(from, middle, share * 2) : mix(middle, to, share * 2 - 1));
}
