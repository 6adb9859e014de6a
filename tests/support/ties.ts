import type { Reply } from "./client.ts";

/** Traces that identify a person, and traces that identify work: words and unique numbers. */
export type Traces = { person: readonly (string | number)[]; work: readonly (string | number)[] };

type Json = null | string | number | boolean | Json[] | { [name: string]: Json };

const patternOf = (traces: readonly (string | number)[]): RegExp =>
  new RegExp(
    traces
      .map((one) => {
        const escaped = `${one}`.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
        return typeof one === "number" ? `(?<![\\d.])${escaped}(?![\\d.])` : escaped;
      })
      .join("|"),
    "i",
  );

/** A response's lines: each listed object at any depth, without its lists. */
function linesOf(answer: Json): string[] {
  if (Array.isArray(answer)) return answer.flatMap((one) => [JSON.stringify(one), ...linesOf(one)]);
  if (answer === null || typeof answer !== "object") return [];
  const lists = Object.values(answer).filter((one) => typeof one === "object");
  const rest = Object.entries(answer).filter(([, one]) => !Array.isArray(one) || typeof one[0] !== "object");
  return [JSON.stringify(Object.fromEntries(rest)), ...lists.flatMap(linesOf)];
}

/** Lines of a response, or headers, that connect work with its author. `asked`: values in the request. */
export function tiesIn(reply: Reply, asked: string, { person, work }: Traces): string[] {
  const [isPerson, isWork] = [patternOf(person), patternOf(work)];
  const lines = typeof reply.body === "string" ? reply.text.split("\n") : linesOf(reply.body);
  const headers = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return [...lines, headers].filter((line) => {
    const said = `${asked} ${line}`;
    return (isPerson.test(line) && isWork.test(said)) || (isWork.test(line) && isPerson.test(said));
  });
}
