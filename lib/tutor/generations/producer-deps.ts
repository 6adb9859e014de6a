import type { Db } from "../../platform/db/client.ts";
import type { LlmPrices } from "../../platform/llm/prices.ts";
import type { LlmProvider } from "../../platform/llm/provider.ts";
import type { Logger } from "../../platform/logging/log.ts";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { TutorLimitSettings } from "../budgets/limits.ts";
import type { AnswerChecker } from "../checks/checked-answer.ts";
import type { AnswerBroadcast } from "./broadcast.ts";
import type { CallMeter } from "./call-meter.ts";
import type { ProducerLease } from "./leases.ts";

/** `signal` ends this producer's time; others may continue. */
export type ProducerDeps = {
  db: Db;
  signsOfLife: Db;
  llm: LlmProvider;
  log: Logger;
  config: TutorLimitSettings & { LLM_PRICES: LlmPrices };
  metrics: Pick<Metrics, "questionEnded" | "keyRead" | "checkFailed">;
  signal: AbortSignal;
};

export type ClaimedGeneration = ProducerLease & {
  attempt: number;
  call: number;
  isShared: boolean;
  carriesQuestion: boolean;
  offered?: ReadonlySet<number>;
  language: string;
  checks: AnswerChecker;
  prices?: LlmPrices;
};

export type AnswerProducerState = ProducerDeps & {
  lease: ProducerLease;
  attempt: number;
  call: number;
  isShared: boolean;
  carriesQuestion: boolean;
  offered: ReadonlySet<number>;
  language: string;
  checks: AnswerChecker;
  broadcast: AnswerBroadcast;
  lost: AbortController;
  stopped: AbortController;
  meter: CallMeter;
};
