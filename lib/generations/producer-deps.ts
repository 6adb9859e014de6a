import type { LimitSettings } from "../budgets/limits.ts";
import type { Db } from "../db/client.ts";
import type { LlmPrices } from "../llm/prices.ts";
import type { LlmProvider } from "../llm/provider.ts";
import type { Logger } from "../logging/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Broadcast } from "./broadcast.ts";
import type { CallMeter } from "./call-meter.ts";
import type { ProducerLease } from "./leases.ts";

/** What making an answer needs of the deps. `signal` ends the producer's own time; others may then go on. */
export type ProducerDeps = {
  db: Db;
  signsOfLife: Db;
  llm: LlmProvider;
  log: Logger;
  config: LimitSettings & { LLM_PRICES: LlmPrices };
  metrics: Pick<Metrics, "questionEnded" | "keyRead">;
  signal: AbortSignal;
};

/** A lease as it was claimed, for this attempt at the answer, with the call of the LLM that began with it. */
export type Claimed = ProducerLease & {
  attempt: number;
  call: number;
  isShared: boolean;
  /** It carries the question of the answer that it follows, and its own is dropped. */
  carriesQuestion: boolean;
  /** The numbers of the passages that it may cite; default none. */
  offered?: ReadonlySet<number>;
  /** What the call costs; default what calls cost that are made at once. */
  prices?: LlmPrices;
};

export type Producer = ProducerDeps & {
  lease: ProducerLease;
  attempt: number;
  call: number;
  isShared: boolean;
  carriesQuestion: boolean;
  offered: ReadonlySet<number>;
  broadcast: Broadcast;
  lost: AbortController;
  stopped: AbortController;
  meter: CallMeter;
};
