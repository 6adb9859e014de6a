import type { Retired } from "../../../schema/functions/retired.ts";
import type { Difference } from "./compare.ts";

/** What becomes of a function that the migrations make and that stands nowhere any more. */
export type Retirement = "drop" | "keep" | "unlisted";

/**
 * A function that a release has called is listed as retired, and kept while that release may run: for as long as the
 * version of package.json is the one that it was retired in. A trigger's function is called by its trigger alone.
 */
export function retirementOf(
  left: Difference,
  retired: readonly Retired[],
  version: string,
  wanted: Iterable<string> = [],
): Retirement {
  if (/\bRETURNS trigger\b/.test(left.found ?? "")) return "drop";
  if (isServedByWider(left.object, wanted)) return "drop";
  const entry = retired.find(({ signature }) => left.object === `function ${signature}`);
  if (!entry) return "unlisted";
  return entry.retiredIn === version ? "keep" : "drop";
}

/**
 * Whether one of these functions takes the same with wider integers: PostgreSQL widens what a call gives it, alone or in
 * an array, so that whoever calls the narrow one is served by it.
 */
export function isServedByWider(narrow: string, functions: Iterable<string>): boolean {
  for (const one of functions) if (one !== narrow && widened(one) === widened(narrow)) return true;
  return false;
}

const widened = (signature: string): string => signature.replaceAll(/\binteger\b/g, "bigint");
