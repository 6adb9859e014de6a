import { type Costs, type Morning, timesOf } from "./morning.ts";
import type { Template } from "./template.ts";
import { visitOfLearner } from "./visit.ts";

/** What a deployment has besides its template. */
export type Means = {
  /** Of the database. */
  cores: number;
  /** Instances of all functions at once: the account's. */
  functions: number;
  /** The LLM's quota: calls and tokens a minute. */
  llmCalls: number;
  llmTokensIn: number;
  llmTokensOut: number;
};

/** Tokens of a new answer, as docs/operations.md reckons them. */
const tokensIn = 2500;
const tokensOut = 350;

/** How much of a limit is used in the busiest minute at most: what comes evenly in the model comes in heaps. */
const share = 0.8;

/** A limit, what the busiest minute needs of it, and how many learners like these it bears. */
export type Limit = { name: string; unit: string; there: number; needed: number; bears: number };

/**
 * What the busiest minute of a morning needs of each limit. Learners come thickest at first, and those of the last minutes
 * are all under way by then: as many requests are sent in it as visits begin.
 */
export function limitsOf(morning: Morning, costs: Costs, means: Means, template: Template): Limit[] {
  const visits = visitsOfBusiestMinute(morning);
  const perVisit = visitOfLearner.map((request) => ({ request, ...timesOf(request, morning, costs) }));
  const sum = (value: (one: (typeof perVisit)[number]) => number) =>
    perVisit.reduce((all, one) => all + value(one), 0);
  const calls = visits * perVisit.filter(({ request }) => request.callsLlm).length;
  const needs: [string, string, number, number][] = [
    ["requests at the gateway", "a second", template.throttleRate, (visits * perVisit.length) / 60],
    [
      "functions",
      "at once",
      means.functions,
      (visits * sum(({ process, database, llm }) => process + database + llm + morning.roundTripMs)) / 60_000,
    ],
    ["the database's processors", "busy", means.cores, (visits * sum(({ database }) => database)) / 60_000],
    ["calls of the LLM", "a minute", means.llmCalls, calls],
    ["tokens to the LLM", "a minute", means.llmTokensIn, calls * tokensIn],
    ["tokens from the LLM", "a minute", means.llmTokensOut, calls * tokensOut],
  ];
  return needs.map(([name, unit, there, needed]) => ({
    ...{ name, unit, there, needed },
    bears: Math.floor((morning.learners * share * there) / needed / 1000) * 1000,
  }));
}

/** Who comes in a minute when most do: once the first visits are under way, as many as came a visit's time before. */
function visitsOfBusiestMinute({ learners, halfMinutes }: Morning): number {
  const inHour = 1 - 2 ** (-60 / halfMinutes);
  return (learners / inHour) * (1 - 2 ** (-1 / halfMinutes));
}

/** The throttle of a template that is to bear so many learners: the busiest second's requests, with what `limitsOf` spares. */
export function throttleFor(learners: number, morning: Morning): { rate: number; burst: number } {
  const perSecond = (visitsOfBusiestMinute({ ...morning, learners }) * visitOfLearner.length) / 60;
  const rate = Math.ceil(perSecond / share / 50) * 50;
  return { rate, burst: 2 * rate };
}

const figure = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString("en").replaceAll(",", " ")
    : value.toFixed(1).replace(/\.0$/, "");

/** The table of docs/performance.md. */
export const tableOf = (limits: readonly Limit[]): string =>
  [
    "| Limit | There is | The busiest minute needs | Learners it bears |",
    "| --- | ---: | ---: | ---: |",
    ...limits.map(
      ({ name, unit, there, needed, bears }) =>
        `| ${name}, ${unit} | ${figure(there)} | ${figure(needed)} | ${figure(bears)} |`,
    ),
  ].join("\n");
