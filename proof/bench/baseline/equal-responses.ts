import { isDeepStrictEqual } from "node:util";
import { fetchResponseText } from "./environment.ts";
import type { RepeatedRequest } from "./load.ts";
import type { BenchmarkedOperation } from "./operations.ts";

/** Throws unless both responses are equal or, if values differ each time, have the same shape. */
export async function expectEqualResponses(
  [ours, other]: readonly [ours: string, other: string],
  { name, alike }: BenchmarkedOperation,
  sent: RepeatedRequest,
): Promise<void> {
  const [one, another] = [await fetchResponseText(ours, sent), await fetchResponseText(other, sent)].map(
    parsed,
  );
  const isAlike = alike ? isDeepStrictEqual(one, another) : shapeOf(one) === shapeOf(another);
  if (isAlike) return;
  const [found, expected] = [one, another].map((answer) => JSON.stringify(answer)?.slice(0, 600));
  throw new Error(`${name}: the servers answer differently:\n${found}\n${expected}`);
}

const parsed = (text: string): unknown =>
  text.startsWith("data: ")
    ? text
        .split("\n\n")
        .filter(Boolean)
        .map((event) => JSON.parse(event.slice("data: ".length)))
    : JSON.parse(text);

const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(shapeOf).join()}]`;
  if (typeof value !== "object" || value === null) return typeof value;
  return `{${Object.entries(value).map(([key, one]) => `${key}:${shapeOf(one)}`)}}`;
};
