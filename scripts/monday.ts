/** `npm run monday`: what waits, and where, when a whole university opens the platform at 8:00. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { limitsOf, tableOf, throttleFor } from "../proof/capacity-model/limits.ts";
import { type Costs, requestsOf, stationNames } from "../proof/capacity-model/morning.ts";
import { replaceTable, usualMeans, usualMorning } from "../proof/capacity-model/page.ts";
import { simulate } from "../proof/capacity-model/queueing.ts";
import { readTemplate } from "../proof/capacity-model/template.ts";
import { visitOfLearner } from "../proof/capacity-model/visit.ts";
import { commandLine, numberIn, wholeIn } from "./command-line.ts";

const usage = `npm run monday -- [--learners N] [--half MINUTES] [--think SECONDS] [--cores N] [--connections N]
                 [--functions N] [--chat-functions N] [--round-trip MS] [--llm SECONDS] [--llm-calls N] [--llm-tokens-in N]
                 [--llm-tokens-out N] [--costs FILE] [--write]

Says what a Monday at 8:00 needs of each limit, and simulates what waits, from what each operation costs: every learner
signs in and does what the web application asks then, ${visitOfLearner.length} requests in all, and each request keeps its function while it
waits for the database and the LLM. The throttle and the memory of functions are those of serverless.yml.

--learners N         who come in the hour, 100000 by default
--half MINUTES       in which half of those who still have to come do so, 15 by default
--think SECONDS      between two requests of a learner, 20 by default
--cores N            of the database, 8 by default
--connections N      that the database serves at once, 100 by default
--functions N        instances of functions at once, 1000 by default
--chat-functions N   those of them that are kept for the tutor, 500 by default
--round-trip MS      from a function to the database and back, 1 by default
--llm SECONDS        that the LLM writes an answer, 8 by default
--llm-calls N        a minute that the LLM's provider allows, 4000 by default
--llm-tokens-in N    a minute to it, 2000000 by default
--llm-tokens-out N   a minute from it, 400000 by default
--costs FILE         what \`npm run bench -- --write\` and \`-- --visit\` measured, docs/performance-costs.json by default
--write              puts the table into docs/performance.md, as it is without flags`;

const told = { type: "string" } as const;
const { flags } = commandLine({
  usage,
  flags: {
    ...{ learners: told, half: told, think: told, cores: told, connections: told, functions: told },
    ...{ "chat-functions": told, "round-trip": told, llm: told, costs: told },
    ...{ "llm-calls": told, "llm-tokens-in": told, "llm-tokens-out": told },
    write: { type: "boolean", default: false },
  },
});
type Told = Exclude<keyof typeof flags, "write">;
const whole = (name: Told, usual: number, most: number): number =>
  wholeIn(name, flags[name] ?? String(usual), 1, most, usage);
const number = (name: Told, usual: number, most: number): number =>
  numberIn(name, flags[name] ?? String(usual), 0, most, usage);

const template = await readTemplate();
const connections = whole("connections", 100, 100_000);
const means = {
  cores: whole("cores", usualMeans.cores, 1000),
  functions: whole("functions", usualMeans.functions, 100_000),
  llmCalls: whole("llm-calls", usualMeans.llmCalls, 1e9),
  llmTokensIn: whole("llm-tokens-in", usualMeans.llmTokensIn, 1e12),
  llmTokensOut: whole("llm-tokens-out", usualMeans.llmTokensOut, 1e12),
};
const ofChat = wholeIn("chat-functions", flags["chat-functions"] ?? "500", 1, means.functions - 1, usage);
const usual = usualMorning(template);
const morning = {
  ...usual,
  learners: whole("learners", usual.learners, 300_000),
  halfMinutes: whole("half", usual.halfMinutes, 60),
  thinkSeconds: number("think", usual.thinkSeconds, 600),
  roundTripMs: number("round-trip", usual.roundTripMs, 1000),
  llmSeconds: number("llm", usual.llmSeconds, 600),
};
const file = flags.costs ?? path.join(import.meta.dirname, "../docs/performance-costs.json");
const costs: Costs = JSON.parse(await readFile(file, "utf8"));

const limits = limitsOf(morning, costs, means, template);
console.log(`${morning.learners} learners, ${visitOfLearner.length} requests each\n\n${tableOf(limits)}\n`);
const { rate, burst } = throttleFor(morning.learners, morning);
console.log(`The throttle for them: throttleRate ${rate}, throttleBurst ${burst}\n`);
if (flags.write) {
  const page = path.join(import.meta.dirname, "../docs/performance.md");
  await writeFile(page, replaceTable(await readFile(page, "utf8"), tableOf(limits)));
} else printWaits();

/** What waits where, if the gateway and the LLM let all of them through. */
function printWaits(): void {
  const stations = [
    { name: stationNames.functions, servers: means.functions - ofChat },
    { name: stationNames.chat, servers: ofChat },
    // A statement takes a core and a connection: the fewer of the two are served at once.
    { name: stationNames.database, servers: Math.min(means.cores, connections) },
  ];
  console.log("place            requests   most at once   busy   wait median      p99   longest");
  for (const found of simulate(stations, requestsOf(morning, costs)))
    console.log(
      [
        found.name.padEnd(14),
        String(found.requests).padStart(10),
        String(found.most).padStart(14),
        `${(found.busy * 100).toFixed(0)} %`.padStart(6),
        ...[found.median, found.p99, found.longest].map((milliseconds) => shown(milliseconds).padStart(9)),
      ].join(" "),
    );
}

function shown(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
