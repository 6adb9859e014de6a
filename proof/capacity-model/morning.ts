import type { Arrival, Visit } from "./queueing.ts";

/** What a request of each operation costs, in milliseconds of a processor, as `npm run bench -- --write` measured it. */
export type Costs = Readonly<Record<string, { process_ms: number; database_ms: number }>>;

export type Morning = {
  learners: number;
  /** Half of those who still have to come do so in that time, from 8:00 on. */
  halfMinutes: number;
  /** Between two requests of a learner. */
  thinkSeconds: number;
  /** From a function to the database and back. */
  roundTripMs: number;
  /** How long the LLM writes an answer that nobody has been given yet. */
  llmSeconds: number;
};

/** The name of an answer that the LLM writes: it costs what a stored one does, and the LLM's time. */
const newAnswer = "new answer";
const storedAnswer = "stored answer, 40 chunks";

/** What a learner does who opens the platform before a class. */
export const visitOfLearner = [
  "login (cost 12)",
  "users/me",
  "my-enrollments (50)",
  "courses?limit=100",
  "modules of a course (200)",
  "progress/content",
  storedAnswer,
  storedAnswer,
  newAnswer,
  "progress/content",
  "my-enrollments (50)",
];

/** The names of the stations. */
export const places = { functions: "functions", chat: "chat functions", database: "database" } as const;

/** All requests of the hour in their order; those of one learner follow each other at their pace. */
export function requestsOf(morning: Morning, costs: Costs): Arrival[] {
  const requests: Arrival[] = [];
  for (let learner = 0; learner < morning.learners; learner += 1) {
    const begins = arrivalOf((learner + 0.5) / morning.learners, morning.halfMinutes);
    for (const [number, name] of visitOfLearner.entries())
      requests.push(requestOf(name, begins + number * morning.thinkSeconds * 1000, morning, costs));
  }
  return requests.sort((one, other) => one.at - other.at);
}

/** When that share of all has come, in milliseconds from 8:00: those of the first hour, evenly over its curve. */
function arrivalOf(share: number, halfMinutes: number): number {
  const inHour = 1 - 2 ** (-60 / halfMinutes);
  return -Math.log2(1 - share * inHour) * halfMinutes * 60_000;
}

function requestOf(name: string, at: number, { roundTripMs, llmSeconds }: Morning, costs: Costs): Arrival {
  const isChat = name === newAnswer || name === storedAnswer;
  const cost = costs[name === newAnswer ? storedAnswer : name];
  if (!cost) throw new Error(`the costs of "${name}" have not been measured`);
  const visits: Visit[] = [
    { milliseconds: cost.process_ms + roundTripMs },
    { station: places.database, milliseconds: cost.database_ms },
  ];
  if (name === newAnswer) visits.push({ milliseconds: llmSeconds * 1000 });
  return { at, visits, keeps: isChat ? places.chat : places.functions };
}

/** The share of the database's time in the busiest minute: over 1, requests pile up. */
export function busiestMinute(requests: readonly Arrival[], cores: number): number {
  const minutes: number[] = [];
  for (const { at, visits } of requests) {
    const minute = Math.floor(at / 60_000);
    for (const { station, milliseconds } of visits)
      if (station === places.database) minutes[minute] = (minutes[minute] ?? 0) + milliseconds;
  }
  return minutes.reduce((most, used) => Math.max(most, used), 0) / (60_000 * cores);
}
