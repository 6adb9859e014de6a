import type { UniversityLooks } from "../../../schema/api/identity/looks.ts";

type Shades = NonNullable<UniversityLooks["shades"]>;

type Rgb = readonly [red: number, green: number, blue: number];

/** WCAG 2.2 requires this for text (1.4.3). Control edges need less (1.4.11). */
const minTextContrastRatio = 4.5;

/** As in the web application's style sheet. */
export const colorThemes = {
  light: {
    grounds: ["#f5f6fa", "#ffffff", "#eef1f8", "#def5e9", "#fdf0dd", "#fde9e7"],
    words: ["#1b2333", "#55607a", "#13704a", "#8a4b05", "#b3261e"],
    softOn: "#ffffff",
    towards: "#000000",
  },
  dark: {
    grounds: ["#12151b", "#1b2029", "#262d39", "#143528", "#3b2a14", "#431f1c"],
    words: ["#e7eaf1", "#a3aec2", "#5fd39f", "#f0b36a", "#ff9a91"],
    softOn: "#1b2029",
    towards: "#ffffff",
  },
} as const;

type Theme = (typeof colorThemes)[keyof typeof colorThemes];

/**
 * Shades of a `#rrggbb` color by theme: an accent with a contrast of at least 4.5 to all backgrounds, darker
 * in the light theme and lighter in the dark one; and a soft background for both. Text on the accent is the
 * theme's lightest or darkest color.
 */
export const computeBrandShades = (color: string): Shades => ({
  light: shadesIn(color, colorThemes.light),
  dark: shadesIn(color, colorThemes.dark),
});

const steps = Array.from({ length: 101 }, (_, at) => at / 100);

function shadesIn(color: string, { grounds, words, softOn, towards }: Theme): Shades["light"] {
  for (const share of steps) {
    const accent = mix(color, towards, share);
    if (!holds(accent, grounds)) continue;
    // The strongest tint that keeps all text readable.
    const soft = [0.12, 0.08, 0.04]
      .map((part) => mix(softOn, accent, part))
      .find((ground) => holds(ground, [accent, ...words]));
    return { accent, soft: soft ?? softOn };
  }
  throw new Error("black and white contrast with every background");
}

const holds = (color: string, others: readonly string[]): boolean =>
  others.every((other) => contrastRatio(color, other) >= minTextContrastRatio);

/** By WCAG's relative luminance, from 1 to 21. Pure. */
export function contrastRatio(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(color: string, other: string, share: number): string {
  const [from, to] = [rgbOf(color), rgbOf(other)];
  const parts = from.map((part, at) => Math.round(part + ((to[at] ?? 0) - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

const rgbOf = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb;
