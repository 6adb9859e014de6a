import type { Means } from "./limits.ts";
import type { Morning } from "./morning.ts";
import type { Template } from "./template.ts";

/** The morning of docs/performance.md, and what a deployment has for it that asked for nothing more. */
export const usualMorning = ({ memory, chatMemory }: Template): Morning => ({
  ...{ learners: 100_000, halfMinutes: 15, thinkSeconds: 20, roundTripMs: 1, llmSeconds: 8 },
  ...{ memory, chatMemory },
});

export const usualMeans: Means = {
  ...{ cores: 8, functions: 1000 },
  ...{ llmCalls: 4000, llmTokensIn: 2_000_000, llmTokensOut: 400_000 },
};

/** For how many learners the throttle of the template is meant. */
export const learnersOfTemplate = 25_000;

const marks = { begin: "<!-- monday: begin -->", end: "<!-- monday: end -->" };

/** The table of a page between its marks; rejects where it has none. */
export function tableIn(page: string): string {
  const [begin, end] = boundsIn(page);
  return page.slice(begin, end).trim();
}

export function replaceTable(page: string, table: string): string {
  const [begin, end] = boundsIn(page);
  return `${page.slice(0, begin)}\n\n${table}\n\n${page.slice(end)}`;
}

function boundsIn(page: string): [number, number] {
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error("docs/performance.md has no place for Monday's table");
  return [begin + marks.begin.length, end];
}
