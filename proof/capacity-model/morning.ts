import type { Arrival, Visit } from "./queueing.ts";
import { type VisitRequest, visitOfLearner } from "./visit.ts";

/** What a request of each operation costs, in milliseconds of a processor, as the bench measured it. */
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
  /** Of functions, and of those that serve the tutor, in MB. */
  memory: number;
  chatMemory: number;
};

/** Lambda gives a whole processor with so many MB, and a share of it with less. */
const memoryOfProcessor = 1769;

/** The names of the stations. */
export const stationNames = { functions: "functions", chat: "chat functions", database: "database" } as const;

/** All requests of the hour in their order; those of one learner follow each other at their pace. */
export function requestsOf(morning: Morning, costs: Costs): Arrival[] {
  const requests: Arrival[] = [];
  // Those of all learners are alike, but for when they come.
  const alike = visitOfLearner.map((request) => partsOf(request, morning, costs));
  for (let learner = 0; learner < morning.learners; learner += 1) {
    const begins = arrivalOf((learner + 0.5) / morning.learners, morning.halfMinutes);
    for (const [number, { visits, keeps }] of alike.entries())
      requests.push({ at: begins + number * morning.thinkSeconds * 1000, visits, keeps });
  }
  return requests.sort((one, other) => one.at - other.at);
}

/** When that share of all has come, in milliseconds from 8:00: those of the first hour, evenly over its curve. */
function arrivalOf(share: number, halfMinutes: number): number {
  const inHour = 1 - 2 ** (-60 / halfMinutes);
  return -Math.log2(1 - share * inHour) * halfMinutes * 60_000;
}

function partsOf(request: VisitRequest, morning: Morning, costs: Costs): Required<Omit<Arrival, "at">> {
  const { database, process, llm } = timesOf(request, morning, costs);
  const visits: Visit[] = [
    { milliseconds: process + morning.roundTripMs },
    { station: stationNames.database, milliseconds: database },
  ];
  if (llm > 0) visits.push({ milliseconds: llm });
  return { visits, keeps: request.function === "chat" ? stationNames.chat : stationNames.functions };
}

/** What a request takes of each station, in milliseconds; its own work takes longer on a share of a processor. */
export function timesOf(request: VisitRequest, morning: Morning, costs: Costs) {
  const cost = costs[request.cost];
  if (!cost) throw new Error(`the costs of "${request.cost}" have not been measured`);
  const memory = request.function === "chat" ? morning.chatMemory : morning.memory;
  return {
    process: cost.process_ms * Math.max(1, memoryOfProcessor / memory),
    database: cost.database_ms,
    llm: request.callsLlm ? morning.llmSeconds * 1000 : 0,
  };
}
