import { sql } from "drizzle-orm";
import * as z from "zod";
import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import type { AnswerStop, CallOutcome } from "../../../schema/enums.ts";
import type { Question } from "../../../schema/question.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import { isPermanentRefusal } from "../../platform/db/unavailable.ts";
import { LlmError, LlmReaderError, type LlmRequest, LlmTimeout } from "../../platform/llm/provider.ts";
import { describeError } from "../../platform/logging/log.ts";
import { treeAnswersByLearnerForm } from "../dialogue/choices.ts";
import { joinBroadcast } from "./broadcast.ts";
import { CallMeter } from "./call-meter.ts";
import { type CompleteAnswer, checkAndRetryDraft } from "./checked-draft.ts";
import type { AnswerDraft } from "./draft.ts";
import { storeFailedAnswer } from "./failed-answers.ts";
import { keepProducerLeaseRenewed } from "./leases.ts";
import type { AnswerProducerState, ClaimedGeneration, ProducerDeps } from "./producer-deps.ts";
import { releaseGenerationEndingCallQuery } from "./release-generation.ts";
import { repairQuestion } from "./repair.ts";
import { AttemptFailed, streamDraft } from "./stream-draft.ts";

/**
 * Produces an answer under its lease for all subscribers. Stores it before announcing its end, and writes
 * nothing after the lease is lost. Never rejects.
 */
export async function produceAnswer(
  deps: ProducerDeps,
  {
    attempt,
    call,
    isShared,
    carriesQuestion,
    offered = new Set(),
    language,
    checks,
    prices = deps.config.LLM_PRICES,
    ...lease
  }: ClaimedGeneration,
  request: LlmRequest,
): Promise<void> {
  using joined = joinBroadcast(deps.db, lease.generation);
  const { broadcast } = joined;
  using _produced = broadcast.produced();
  const lost = new AbortController();
  const stopped = new AbortController();
  using _kept = keepProducerLeaseRenewed(deps.signsOfLife, lease, (notice) =>
    (notice === "lost" ? lost : stopped).abort(),
  );
  const meter = new CallMeter(request, prices);
  const producer: AnswerProducerState = {
    ...deps,
    lease,
    attempt,
    call,
    isShared,
    carriesQuestion,
    offered,
    language,
    checks,
    broadcast,
    lost,
    stopped,
    meter,
  };
  try {
    while ((await writeDraft(producer, request)) === "again");
  } catch (error) {
    deps.log.error({ error: describeError(error) }, "a generation was abandoned");
    // If the database is unreachable, the lease expires and another process produces.
    if (isPermanentRefusal(error)) await endRefused(producer);
  }
}

async function writeDraft(producer: AnswerProducerState, request: LlmRequest): Promise<"again" | "done"> {
  producer.broadcast.restart();
  try {
    const { draft, stop: cut } = await streamDraft(producer, request);
    const stop = cut ?? (await settleQuestion(producer, request, draft));
    const { answer, failedAnswer } = await checkAndRetryDraft(producer, request, draft, stop);
    await store(producer, answer);
    if (failedAnswer) await storeFailedAnswer(producer, failedAnswer);
    return "done";
  } catch (error) {
    if (!(error instanceof AttemptFailed)) throw error;
    if (producer.lost.signal.aborted) return endLostCall(producer);
    if (producer.signal.aborted) return release(producer);
    noteFailure(producer.log, error.cause);
    return afterFailure(producer, error.cause);
  }
}

/** A provider's failure is a warning; this service's exception is an error. */
const noteFailure = (log: AnswerProducerState["log"], cause: unknown): void =>
  cause instanceof LlmError && !(cause instanceof LlmReaderError)
    ? log.warn({ error: describeError(cause) }, "the LLM failed at an answer")
    : log.error({ error: describeError(cause) }, "the service failed at an answer of the LLM");

async function settleQuestion(
  producer: AnswerProducerState,
  request: LlmRequest,
  draft: AnswerDraft,
): Promise<AnswerStop | undefined> {
  const { log, lost, stopped, metrics, lease } = producer;
  if (!draft.broken) {
    if (draft.question) metrics.questionEnded("read");
    return undefined;
  }
  const question = await repairQuestion(producer, request, draft);
  if (lost.signal.aborted) throw new AttemptFailed("the lease was lost");
  if (stopped.signal.aborted && !question) return "stopped";
  draft.settle(question);
  metrics.questionEnded(question ? "repaired" : "malformed");
  log.warn(
    { generation: lease.generation, model: request.model, repaired: question !== undefined },
    "a question of the tutor could not be read",
  );
  return question ? undefined : "malformed";
}

const Finished = z.object({
  chunks: z.array(z.string()),
  answer_id: z.int().nullable(),
  answered_at: StoredInstant.nullable(),
  meta: z.record(z.string(), z.unknown()).nullable(),
  has_key: z.boolean().nullable(),
  carried: z.custom<Question>().nullable(),
});

async function store(
  { db, broadcast, lease, call, meter, metrics }: AnswerProducerState,
  { chunks, question, key, writtenKeys, stop, failed }: CompleteAnswer,
): Promise<void> {
  if (writtenKeys.length > 0) metrics.keyRead(key ? "kept" : "dropped");
  const choices = question && treeAnswersByLearnerForm(question, { hasKey: key !== undefined });
  const isEmpty = isBlank(chunks.join(""));
  const answer = JSON.stringify({
    ...{ chunks: isEmpty ? [] : chunks, question, choices, key },
    stop: stop ?? (isEmpty ? "empty" : null),
    // An answer that ended early has its own mark.
    checks: stop || failed.length === 0 ? null : failed.map(({ check }) => check),
  });
  const [row] = await retryWhileUnavailable(() =>
    rowsOf(
      db,
      Finished,
      sql`select chunks, answer_id, answered_at, meta, has_key, carried from finish_generation_and_store_answer(
        ${lease.generation}, ${lease.token}::uuid, ${answer}::jsonb, ${call}::bigint, ${meter.used()}::jsonb)`,
    ),
  );
  if (!row) return;
  const { answer_id: id, answered_at, meta, carried } = row;
  const stored =
    id !== null && answered_at && meta
      ? { id, created_at: answered_at, meta, has_key: row.has_key ?? false, carried }
      : undefined;
  broadcast.finish({ state: "complete", stored }, row.chunks);
}

/** Seconds until a retry may succeed; 0 for never, undefined to call again immediately. */
function secondsToRetry(cause: unknown): number | undefined {
  if (!(cause instanceof LlmError)) return undefined;
  return cause.kind === "rejected" ? 0 : cause.retryAfter;
}

const Failed = z.object({ state: z.enum(["writing", "failed"]), call: z.int() });

async function afterFailure(producer: AnswerProducerState, cause: unknown): Promise<"again" | "done"> {
  const { db, broadcast, lease, attempt, call, meter } = producer;
  const retryAfter = secondsToRetry(cause);
  const how: CallOutcome = cause instanceof LlmTimeout ? "timeout" : "failed";
  const failed = sql`
    select state, call from retry_or_fail_generation(
      ${lease.generation}, ${lease.token}::uuid, ${attempt}, ${call}::bigint, ${meter.used()}::jsonb,
      ${retryAfter ?? null}::int, ${how})`;
  const [row] = await retryWhileUnavailable(() => rowsOf(db, Failed, failed));
  if (!row) return "done";
  producer.attempt += 1;
  producer.call = row.call;
  if (row.state === "writing") return "again";
  broadcast.finish({ state: "failed", retryAfter });
  return "done";
}

/** A new call may give another answer. */
const secondsAfterRefusal = 60;

/**
 * Another call would cost and fail again. If the database rejects the usage too, the call is stored without.
 */
async function endRefused({
  db,
  log,
  broadcast,
  lease,
  attempt,
  call,
  meter,
}: AnswerProducerState): Promise<void> {
  for (const used of [meter.used(), "{}"]) {
    const failed = sql`
      select state, call from retry_or_fail_generation(${lease.generation}, ${lease.token}::uuid, ${attempt}, ${call}::bigint,
        ${used}::jsonb, ${secondsAfterRefusal}, 'failed')`;
    try {
      await retryWhileUnavailable(() => rowsOf(db, Failed, failed));
      break;
    } catch (error) {
      log.error({ error: describeError(error) }, "a rejected generation could not be ended");
    }
  }
  broadcast.finish({ state: "failed", retryAfter: secondsAfterRefusal });
}

async function release({ db, lease, call, meter }: AnswerProducerState): Promise<"done"> {
  await db.execute(releaseGenerationEndingCallQuery(lease, call, meter.used()));
  return "done";
}

/** Another producer has taken over; this usage is billed too. */
async function endLostCall({ db, call, meter }: AnswerProducerState): Promise<"done"> {
  await retryWhileUnavailable(() =>
    db
      .execute(sql`select end_llm_call_and_count_usage(${call}::bigint, 'lost', ${meter.used()}::jsonb)`)
      .then(() => {}),
  );
  return "done";
}
