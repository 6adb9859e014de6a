import type { Reply } from "./client.ts";

/** What tells who someone is, and what tells of their work: words, and numbers that nothing else has. */
export type Traces = { person: readonly (string | number)[]; work: readonly (string | number)[] };

type Json = null | string | number | boolean | Json[] | { [name: string]: Json };

const patternOf = (traces: readonly (string | number)[]): RegExp =>
  new RegExp(
    traces
      .map((one) =>
        typeof one === "number"
          ? `(?<![\\d.])${one}(?![\\d.])`
          : one.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
      )
      .join("|"),
    "i",
  );

/** The lines of an answer: each thing that is listed in it, however deep, and what it says beside its lists. */
function linesOf(answer: Json): string[] {
  if (Array.isArray(answer)) return answer.flatMap((one) => [JSON.stringify(one), ...linesOf(one)]);
  if (answer === null || typeof answer !== "object") return [];
  const lists = Object.values(answer).filter((one) => typeof one === "object");
  const rest = Object.entries(answer).filter(([, one]) => !Array.isArray(one) || typeof one[0] !== "object");
  return [JSON.stringify(Object.fromEntries(rest)), ...lists.flatMap(linesOf)];
}

/** Whether one line of an answer, or a header, says of some work whose it is; `asked` is what the question named. */
export function tiesIn(reply: Reply, asked: string, { person, work }: Traces): string[] {
  const [isPerson, isWork] = [patternOf(person), patternOf(work)];
  const lines = typeof reply.body === "string" ? reply.text.split("\n") : linesOf(reply.body);
  const headers = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return [...lines, headers].filter((line) => {
    const said = `${asked} ${line}`;
    return (isPerson.test(line) && isWork.test(said)) || (isWork.test(line) && isPerson.test(said));
  });
}
