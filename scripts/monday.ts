/** `npm run monday`: what waits, and where, when a whole university opens the platform at 8:00. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  busiestMinute,
  type Costs,
  places,
  requestsOf,
  visitOfLearner,
} from "../proof/capacity-model/morning.ts";
import { simulate } from "../proof/capacity-model/queueing.ts";
import { commandLine, numberIn, wholeIn } from "./command-line.ts";

const usage = `npm run monday -- [--learners N] [--half MINUTES] [--think SECONDS] [--cores N] [--connections N]
                 [--functions N] [--chat-functions N] [--round-trip MS] [--llm SECONDS] [--costs FILE]

Simulates a Monday at 8:00 from what each operation costs: every learner signs in and does ${visitOfLearner.length - 1} things, and
each request keeps its function while it waits for the database.

--learners N         who come in the hour, 100000 by default
--half MINUTES       in which half of those who still have to come do so, 15 by default
--think SECONDS      between two requests of a learner, 20 by default
--cores N            of the database, 8 by default
--connections N      that the database serves at once, 100 by default
--functions N        instances of functions at once, 1000 by default
--chat-functions N   those of them that are kept for the tutor, 500 by default
--round-trip MS      from a function to the database and back, 1 by default
--llm SECONDS        that the LLM writes an answer, 8 by default
--costs FILE         what \`npm run bench -- --write\` measured, docs/performance-costs.json by default`;

const told = { type: "string" } as const;
const { flags } = commandLine({
  usage,
  flags: {
    ...{ learners: told, half: told, think: told, cores: told, connections: told, functions: told },
    ...{ "chat-functions": told, "round-trip": told, llm: told, costs: told },
  },
});
const whole = (name: keyof typeof flags, usual: number, most: number): number =>
  wholeIn(name, flags[name] ?? String(usual), 1, most, usage);
const number = (name: keyof typeof flags, usual: number, most: number): number =>
  numberIn(name, flags[name] ?? String(usual), 0, most, usage);

const learners = whole("learners", 100_000, 300_000);
const cores = whole("cores", 8, 1000);
const connections = whole("connections", 100, 100_000);
const functions = whole("functions", 1000, 100_000);
const ofChat = wholeIn("chat-functions", flags["chat-functions"] ?? "500", 1, functions - 1, usage);
const morning = {
  learners,
  halfMinutes: whole("half", 15, 60),
  thinkSeconds: number("think", 20, 600),
  roundTripMs: number("round-trip", 1, 1000),
  llmSeconds: number("llm", 8, 600),
};
const file = flags.costs ?? path.join(import.meta.dirname, "../docs/performance-costs.json");
const costs: Costs = JSON.parse(await readFile(file, "utf8"));

const requests = requestsOf(morning, costs);
const stations = [
  { name: places.functions, servers: functions - ofChat },
  { name: places.chat, servers: ofChat },
  // A statement takes a core and a connection: the fewer of the two are served at once.
  { name: places.database, servers: Math.min(cores, connections) },
];
const busiest = busiestMinute(requests, Math.min(cores, connections));
const found = simulate(stations, requests);

console.log(`${learners} learners, ${requests.length} requests\n`);
console.log("place            requests   most at once   busy   wait median      p99   longest");
for (const { name, requests: passed, most, busy, median, p99, longest } of found)
  console.log(
    [
      name.padEnd(14),
      String(passed).padStart(10),
      String(most).padStart(14),
      `${(busy * 100).toFixed(0)} %`.padStart(6),
      ...[median, p99, longest].map((milliseconds) => shown(milliseconds).padStart(9)),
    ].join(" "),
  );
const bears = Math.floor((learners * 0.8) / busiest / 1000) * 1000;
console.log(`
In the busiest minute the database needs ${(busiest * 100).toFixed(0)} % of its time.
With 80 % in that minute it bears some ${bears} learners like these.`);

function shown(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
