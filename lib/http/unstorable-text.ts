import type { FieldFault } from "../errors.ts";
import type { Source } from "../faults.ts";

/** Deeper JSON than any form of ours needs would exhaust a stack somewhere behind this door. */
const deepest = 64;

type Step = { value: unknown; loc: (string | number)[] };

/**
 * Faults of text that PostgreSQL cannot store, wherever it stands in the input: a NUL character, or half of a
 * surrogate pair. JSON nested more than 64 deep is a fault as well. Walks without recursion.
 */
export function unstorableText(source: Source, input: unknown): FieldFault[] {
  const faults: FieldFault[] = [];
  const steps: Step[] = [{ value: input, loc: [source] }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { value, loc } = step;
    const problem = problemWith(value, loc.length);
    if (problem) faults.push({ loc, msg: problem, type: "value_error" });
    else if (typeof value === "object" && value !== null) steps.push(...childrenOf(value, loc));
  }
  return faults.reverse();
}

function problemWith(value: unknown, depth: number): string | undefined {
  if (depth > deepest) return `Value error, nested more than ${deepest} deep`;
  if (typeof value !== "string") return undefined;
  if (value.includes("\0")) return "Value error, a NUL character is not allowed";
  if (!value.isWellFormed()) return "Value error, the text is not well-formed Unicode";
  return undefined;
}

function childrenOf(value: object, loc: (string | number)[]): Step[] {
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([key, child]) => {
    const step: Step = { value: child, loc: [...loc, key] };
    return typeof key === "string" ? [step, { value: key, loc: step.loc }] : [step];
  });
}
