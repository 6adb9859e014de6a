import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import * as z from "zod";
import { type Attack, attacksOn, attackText } from "./regex-attacks.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** All code that handles or displays people's input. */
const sources = [
  ...["lib/**/*.ts", "schema/**/*.ts", "functions/**/*.ts", "server/*.ts"],
  ...["client/*.ts", "app/src/**/*.{ts,tsx}"],
].flatMap((pattern) => globSync(pattern, { cwd: root }));

function walk(node: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) visit(node as Record<string, unknown>);
  for (const inner of Object.values(node)) walk(inner, visit);
}

type Found = { file: string; pattern: RegExp };

/** The patterns in a file, and whether it builds others from text. */
function patternsIn(file: string): { literals: Found[]; makesPatterns: boolean } {
  const literals: Found[] = [];
  let makesPatterns = false;
  const source = readFileSync(path.join(root, file), "utf8");
  walk(parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }), (node) => {
    const regex = node["regex"] as { pattern: string; flags: string } | undefined;
    if (regex) literals.push({ file, pattern: new RegExp(regex.pattern, regex.flags) });
    const callee = node["callee"] as { name?: string } | undefined;
    if (callee?.name === "RegExp") makesPatterns = true;
  });
  return { literals, makesPatterns };
}

const files = sources.map((file) => ({ file, ...patternsIn(file) }));
const ofZod = [z.regexes.email, z.regexes.date, z.regexes.datetime({ precision: null })].map((pattern) => ({
  file: "zod",
  pattern,
}));
/** These build patterns from lists of names when they are loaded. */
const builders = [
  "lib/tutor/checks/not-refused.ts",
  "lib/tutor/dialogue/field-lines.ts",
  "lib/tutor/dialogue/field-tables.ts",
  "lib/tutor/dialogue/field-tags.ts",
  "lib/tutor/dialogue/key-fields.ts",
  "lib/tutor/dialogue/line-spelling.ts",
  "lib/tutor/dialogue/read-key.ts",
  "lib/tutor/dialogue/secret-objects.ts",
  "lib/tutor/dialogue/secret-shapes.ts",
];

/** Loads the modules, and prints each pattern that they build with the file that built it. */
const recorder = `
const built = new Map();
const Original = RegExp;
globalThis.RegExp = new Proxy(Original, {
  construct(target, args, as) {
    const pattern = Reflect.construct(target, args, as);
    const [, file] = /\\/(lib\\/tutor\\/[\\w/-]+\\.ts)/.exec(new Error().stack ?? "") ?? [];
    if (file) built.set(String(pattern), { file, source: pattern.source, flags: pattern.flags });
    return pattern;
  },
});
for (const file of process.argv.slice(1)) await import(file);
console.log(JSON.stringify([...built.values()]));
`;

/** In a process of its own, since other tests of this worker may have loaded the modules. */
async function patternsBuiltOnLoad(): Promise<Found[]> {
  const command = [
    "--input-type=module",
    "--eval",
    recorder,
    ...builders.map((file) => path.join(root, file)),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  const built: { file: string; source: string; flags: string }[] = JSON.parse(stdout);
  return built.map(({ file, source, flags }) => ({ file, pattern: new RegExp(source, flags) }));
}

const builtOnLoad = await patternsBuiltOnLoad();
const patterns = [...files.flatMap(({ literals }) => literals), ...ofZod, ...builtOnLoad];

/** CPU milliseconds of this thread to find all matches. */
function workOf(pattern: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  for (const _ of text.matchAll(pattern));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The minimum of several runs, which excludes noise such as garbage collection. Stops below `enough`. */
function leastWorkOf({ source, flags }: RegExp, attack: Attack, length: number, enough: number): number {
  const pattern = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
  const text = attackText(attack, length);
  let least = workOf(pattern, text);
  for (let run = 0; run < 3 && least > enough && least < 20 * enough; run++)
    least = Math.min(least, workOf(pattern, text));
  return least;
}

/** For a hundred kilobytes, linear patterns take a few milliseconds and quadratic ones some ten seconds. */
const large = 100_000;
const enough = 250;

/** The slowest attacks on a pattern at four thousand characters, or fewer if that is too slow. */
function worstFor(pattern: RegExp): Attack[] {
  const attacks = attacksOn(pattern);
  for (const length of [24, 250, 1000]) {
    const endless = attacks.find((attack) => leastWorkOf(pattern, attack, length, 50) > 50);
    if (endless) return [endless];
  }
  const measured = attacks.map((attack) => ({ attack, work: leastWorkOf(pattern, attack, 4000, 0.02) }));
  const byWork = measured.toSorted((one, other) => other.work - one.work);
  return byWork.slice(0, 4).map(({ attack }) => attack);
}

/** At growing lengths, because cubic patterns would take hours for the last one. */
function workToLarge(pattern: RegExp, attack: Attack): number {
  for (const length of [1000, 4000, 20_000]) {
    const work = leastWorkOf(pattern, attack, length, enough);
    if (work > enough) return work;
  }
  return leastWorkOf(pattern, attack, large, enough);
}

describe("patterns", () => {
  it("are found in the sources, and few are built from text", () => {
    expect(patterns.length).toBeGreaterThan(150);
    expect(builtOnLoad.length).toBeGreaterThan(20);
    expect(
      files
        .filter(({ makesPatterns }) => makesPatterns)
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual([
      // Alternatives of escaped text, from a setting.
      "lib/platform/llm/reasoning-filter.ts",
      ...builders,
    ]);
  });

  it.each(patterns)("$pattern of $file reads 100 KB of its worst input quickly", ({ pattern }) => {
    for (const worst of worstFor(pattern))
      expect(workToLarge(pattern, worst), JSON.stringify(worst)).toBeLessThan(enough);
  });

  it.each([
    /a+$/,
    /(\s*)([^\s=]+)/,
    /<[^>]*>/,
    /eyJ[\w-]+\./,
    / *\n */,
    /^http:..[^\s/]+\S*$/,
    /(\w+) '.*' is/,
  ])("of which one takes longer, such as %s, are found out", (slow) => {
    const [worst] = worstFor(slow);
    // Ten times a linear pattern's time.
    expect(worst && leastWorkOf(slow, worst, 20_000, 5)).toBeGreaterThan(5);
  });

  it("of which one takes hours are found out within seconds", () => {
    const cubic = /=\s*["']\s*([^"']*?)\s*["']/;
    const [worst] = worstFor(cubic);
    expect(worst && workToLarge(cubic, worst)).toBeGreaterThan(enough);
  });
});
