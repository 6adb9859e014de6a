import type { Deps } from "../../lib/deps.ts";
import { RestartableDatabase } from "./database.ts";
import type { ChaosFlags } from "./flags.ts";
import { ChaosLedger } from "./ledger.ts";
import { LoadBalancedServers } from "./load-balanced-servers.ts";
import { OutageRecorder } from "./outages.ts";
import { createSeededRandom, type SeededRandom } from "./rng.ts";
import {
  type ChaosTopicsAndLearners,
  createChaosDeps,
  createChaosTopicsAndLearners,
} from "./topics-and-learners.ts";
import { UnreliableLlm } from "./unreliable-llm.ts";

export type ChaosEnvironment = {
  rng: SeededRandom;
  ledger: ChaosLedger;
  outages: OutageRecorder;
  database: RestartableDatabase;
  llm: UnreliableLlm;
  servers: LoadBalancedServers;
  deps: Deps;
  university: ChaosTopicsAndLearners;
};

/** Opens a stage, and closes it after the work. */
export async function withChaosEnvironment<T>(
  flags: ChaosFlags,
  work: (stage: ChaosEnvironment) => Promise<T>,
): Promise<T> {
  await using opened = new AsyncDisposableStack();
  const rng = createSeededRandom(flags.seed);
  const ledger = new ChaosLedger();
  const outages = new OutageRecorder();
  const database = opened.adopt(await RestartableDatabase.open(outages), (one) => one.close());
  const llm = opened.adopt(new UnreliableLlm(rng.for("llm"), outages), (one) => one.close());
  await llm.start();
  const deps = opened.adopt(await createChaosDeps(database.url), (one) => one.close());
  const university = await createChaosTopicsAndLearners(deps, flags.learners);
  const onLog = (line: string) => noteFault(ledger, line);
  const servers = opened.adopt(new LoadBalancedServers(database.url, llm.url, onLog), (one) => one.close());
  await servers.open(flags.processes);
  return await work({ rng, ledger, outages, database, llm, servers, deps, university });
}

type Logged = { name?: string; message?: string; code?: string; cause?: Logged };

/** Counts logged errors and LLM failures, by message and root cause. */
function noteFault(ledger: ChaosLedger, line: string): void {
  if (!line.includes('"level":"ERROR"') && !line.includes('"message":"the LLM failed')) return;
  const { message, error } = JSON.parse(line) as { message: string; error?: Logged };
  let cause = error;
  while (cause?.cause) cause = cause.cause;
  const { name = "", code = "" } = cause ?? {};
  ledger.count(`log: ${message}: ${[name, code, cause?.message].filter(Boolean).join(" ")}`);
}
