import { sql } from "drizzle-orm";
import * as z from "zod";
import { allEndpointGroups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import type { Db } from "../../lib/platform/db/client.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import { findLastQuestion } from "../../lib/tutor/dialogue/answer-reader.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { demoInstructor, demoStudent } from "../../scripts/dev/seed/accounts.ts";
import { seed } from "../../scripts/seed.ts";
import { serverParts } from "../../server/parts.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { peakResidentMegabytes } from "./private-streams.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** The number of nodes that a rollout requires; rounds alternate without, with and without a trial. */
const usual = { places: 50, rounds: 12 };
const maxTrialSeconds = 60;
const maxTrialProcessMegabytes = 300;
/** For one machine that serves learners and also runs the trial, database and LLM. */
const maxTimesQuietLatency = 1.5;
const answersOfRound = 20;

type Worked = { cases: number; milliseconds: number };

/**
 * A step trial over fifty nodes with the practice tutor: duration, calls, memory, and its effect on learners
 * who read stored answers.
 */
export async function benchPromptStepTrial(
  stage: BenchEnvironment,
  { places, rounds } = usual,
): Promise<BenchVerdict[]> {
  const tutor = await startPracticeTutor({ pauseMs: 2 });
  const settings = {
    ENABLE_ACCESS_LOG: "false",
    ...benchServiceSettings(stage.databaseUrl, tutor.url),
    LLM_PRICES: '{"claude-sonnet-5-5": {"input": 2, "output": 10}}',
  };
  const config = loadConfig(settings);
  const deps = await createDeps(config, {
    database: await connectDatabase({ url: stage.databaseUrl }),
    parts: serverParts,
  });
  await seed(deps.db, { now: new Date(), bcryptCost: 4 });
  const ask = askingOf(createApp(deps, allEndpointGroups) as never);
  const student = await ask.signIn(demoStudent);
  const author = await ask.signIn(demoInstructor);
  await growTree(ask, student, places);
  const worker = await stage.start<ServerUrlAndPid>("trial-worker.ts", settings);
  const server = await stage.start<ServerUrlAndPid>("platform-server.ts", settings);

  await startTrial(ask, author, places);
  const worked = (await worker.ask("work")) as Worked;
  const calls = await callsOf(deps.db);

  const ratios: number[] = [];
  // The measurement's noise: two rounds without a trial compared.
  const alike: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await storedAnswers(server.url, student, ask);
    await startTrial(ask, author, places);
    const working = worker.ask("work");
    ratios.push((await storedAnswers(server.url, student, ask)) / alone);
    await working;
    alike.push((await storedAnswers(server.url, student, ask)) / alone);
  }
  const megabytes = await peakResidentMegabytes(worker.pid);
  await deps.close();
  await tutor.close();
  return [
    upperLimitVerdict(
      `A step run over ${worked.cases} places`,
      worked.milliseconds / 1000,
      maxTrialSeconds,
      "s",
    ),
    upperLimitVerdict("Calls of the LLM for each place of it", calls / worked.cases, 1, "calls"),
    upperLimitVerdict(
      "The process that works trials",
      Math.round(megabytes),
      maxTrialProcessMegabytes,
      "MB resident",
    ),
    upperLimitVerdict(
      `Stored answers beside a trial, of ${rounds} pairs (${median(alike).toFixed(2)} without one)`,
      median(ratios),
      maxTimesQuietLatency,
      "times as long",
    ),
  ];
}

type App = { request(path: string, init: object): Response | Promise<Response> };

function askingOf(app: App) {
  const send = async (method: string, path: string, token = "", body?: object) =>
    app.request(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const json = async <T>(...asked: Parameters<typeof send>): Promise<T> => {
    const answer = await send(...asked);
    if (!answer.ok) throw new Error(`${asked[0]} ${asked[1]}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    send,
    json,
    signIn: async (account: object) =>
      (await json<{ access_token: string }>("POST", "/auth/login", "", account)).access_token,
  };
}

type Asking = ReturnType<typeof askingOf>;

/** Follows all paths from the greeting, breadth first, until the tree is large enough. */
async function growTree(ask: Asking, token: string, places: number): Promise<void> {
  let ways: string[][] = [[]];
  let grown = 0;
  while (grown < places) {
    const next: string[][] = [];
    for (const way of ways.slice(0, places - grown)) {
      const question = findLastQuestion(await walk(ask, token, way));
      grown += 1;
      for (const { id } of question?.options ?? [])
        next.push([...way, JSON.stringify({ questionId: question?.questionId, answer: id })]);
    }
    ways = next;
    if (ways.length === 0) throw new Error(`the tree ends after ${grown} places`);
  }
}

async function walk(ask: Asking, token: string, way: readonly string[]): Promise<string> {
  const { id } = await ask.json<{ id: number }>("POST", "/chat/sessions", token, { content_item_id: 1 });
  let told = "";
  for (const content of ["Start.", ...way]) {
    const stream = await (await ask.send("POST", `/chat/sessions/${id}/messages`, token, { content })).text();
    told = [...stream.matchAll(/^data: (.*)$/gm)]
      .map(([, data = "{}"]) => (JSON.parse(data) as { content?: string }).content ?? "")
      .join("");
  }
  return told;
}

/** Starts a trial of the current version against itself. */
async function startTrial(ask: Asking, author: string, places: number): Promise<void> {
  const { version } = await ask.json<{ version: number }>("GET", "/prompts/tutor", author);
  const all = `/prompts/tutor/versions/${version}/trials`;
  const { id } = await ask.json<{ id: number }>("POST", all, author, {
    ...{ against: version, content_item_ids: [1], most_nodes: places, limit_micros: 100_000_000 },
  });
  await ask.json("POST", `${all}/${id}/start`, author);
}

const Counted = z.object({ calls: z.int() });

async function callsOf(db: Db): Promise<number> {
  const [row] = await rowsOf(
    db,
    Counted,
    sql`select count(*)::int as calls from llm_calls where purpose = 'trial' and outcome = 'complete'`,
  );
  return row?.calls ?? 0;
}

/** Milliseconds of that many stored greetings, one after the other. */
async function storedAnswers(url: string, token: string, ask: Asking): Promise<number> {
  let milliseconds = 0;
  for (let answer = 0; answer < answersOfRound; answer += 1) {
    const { id } = await ask.json<{ id: number }>("POST", "/chat/sessions", token, { content_item_id: 1 });
    const started = performance.now();
    const response = await fetch(`${url}/api/v1/chat/sessions/${id}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"content":"Start."}',
    });
    await response.text();
    milliseconds += performance.now() - started;
  }
  return milliseconds;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
