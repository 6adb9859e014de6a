/*
 * Sends grades to LMSs (AGS 2.0). Grade changes insert marks (schema/functions/integrations/lti-scores.sql).
 * The latest score is sent at least once, each time with a later `timestamp`, which orders them.
 */

import type { Deps } from "../../deps.ts";
import type { Db } from "../../platform/db/client.ts";
import type { PlatformServiceDeps } from "./access-tokens.ts";
import {
  endPlatformPause,
  enqueueAndAbandonScores,
  type LeasedScore,
  leaseScores,
  nextScoreDue,
  pausePlatform,
  type ScoreOutcome,
  storeScoreOutcomes,
} from "./score-rows.ts";
import { callPlatformService } from "./service-call.ts";
import { ServiceFailure } from "./service-failure.ts";
import { scoreScope } from "./service-scopes.ts";

const scoresLeasedPerBatch = 100;
/** Concurrent requests to one platform. */
const lanes = 4;
/** For one platform in a batch, as others wait for it. */
const maxPlatformBatchMs = 60_000;

type Parts = PlatformServiceDeps & Pick<Deps, "metrics" | "log"> & { db: Db };

export type ScoreCounts = { sent: number; refused: number; later: number };

export async function sendScores(
  parts: Parts,
  signal?: AbortSignal,
): Promise<ScoreCounts & { nextDue: Date | undefined }> {
  const counts = { sent: 0, refused: 0, later: 0 };
  counts.refused += await enqueueAndAbandonScores(parts.db, parts.now, signal);
  while (!signal?.aborted) {
    const leased = await leaseScores(parts.db, scoresLeasedPerBatch, parts.now());
    if (leased.length === 0) break;
    const platforms = Map.groupBy(leased, ({ platform_id }) => platform_id);
    const ended = await Promise.all([...platforms.values()].map((of) => sendToPlatform(parts, of, signal)));
    for (const { outcome } of ended.flat()) if (outcome in counts) counts[outcome as keyof ScoreCounts] += 1;
  }
  return { ...counts, nextDue: await nextScoreDue(parts.db) };
}

/** Sends to one platform until it is unavailable, then returns the remaining leases. */
async function sendToPlatform(parts: Parts, leased: readonly LeasedScore[], signal?: AbortSignal) {
  const until = performance.now() + maxPlatformBatchMs;
  const ended: ScoreOutcome[] = [];
  const waiting = [...leased];
  let away: ServiceFailure | undefined;
  const work = async () => {
    for (let score = waiting.shift(); score; score = waiting.shift()) {
      const isOver = away || signal?.aborted || performance.now() > until;
      const end = isOver ? { outcome: "kept" as const } : await sendScore(parts, score, signal);
      if ("away" in end) away = end.away;
      ended.push({ ...keyOf(score), ...endOf(end) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, leased.length) }, work));
  const [{ platform_id } = { platform_id: 0 }] = leased;
  const moment = parts.now();
  await storeScoreOutcomes(parts.db, ended, moment);
  if (away) {
    const { message: why, retryAfter: seconds = 0 } = away;
    parts.log.warn({ lti_platform: platform_id, why }, "an LMS does not accept scores");
    await pausePlatform(parts.db, platform_id, { seconds, why }, moment);
  } else if (ended.some(({ outcome }) => outcome === "sent")) await endPlatformPause(parts.db, platform_id);
  return ended;
}

const keyOf = ({ link_id, person_id, marks, told_at: leased_at }: LeasedScore) => ({
  ...{ link_id, person_id, marks, leased_at },
});

type End = Omit<ScoreOutcome, "link_id" | "person_id" | "marks" | "leased_at"> & {
  away?: ServiceFailure | undefined;
};

const endOf = ({ away: _, ...end }: End): Omit<End, "away"> => end;

async function sendScore(parts: Parts, score: LeasedScore, signal?: AbortSignal): Promise<End> {
  if (score.is_same) return { outcome: "same" };
  if (score.score === null && !score.was_told) return { outcome: "none" };
  try {
    const told_at = await post(parts, score, signal);
    parts.metrics.ltiServiceCalled("score", "done");
    return { outcome: "sent", score: score.score, maximum: score.maximum, told_at };
  } catch (error) {
    if (signal?.aborted) return { outcome: "kept" };
    if (!(error instanceof ServiceFailure)) throw error;
    parts.metrics.ltiServiceCalled("score", error.kind);
    const failure = error.message.slice(0, 255);
    if (error.kind === "refused") return { outcome: "refused", failure };
    const due_at = new Date(parts.now().getTime() + secondsUntil(score.tries, error) * 1000).toISOString();
    return { outcome: "later", failure, due_at, ...(error.isAway && { away: error }) };
  }
}

/** Retries after 1, 2, 4 … minutes, at most six hours, or as the platform requests. */
const secondsUntil = (tries: number, { retryAfter = 0 }: ServiceFailure): number =>
  Math.max(retryAfter, Math.min(6 * 3600, 60 * 2 ** Math.min(tries - 1, 10)));

/** Posts a score, again with a later time if the platform has a newer one. Returns the time used. */
async function post(parts: Parts, score: LeasedScore, signal?: AbortSignal): Promise<string> {
  try {
    await postAt(parts, score, score.told_at, signal);
    return score.told_at;
  } catch (error) {
    if (!(error instanceof ServiceFailure) || error.status !== 409) throw error;
    const later = new Date(Math.max(Date.parse(score.told_at), parts.now().getTime()) + 1000).toISOString();
    await postAt(parts, score, later, signal);
    return later;
  }
}

const postAt = (
  parts: Parts,
  score: LeasedScore,
  timestamp: string,
  signal?: AbortSignal,
): Promise<Response> =>
  callPlatformService(parts, score, {
    address: lineItemScoresUrl(score.line_item_url),
    scope: scoreScope,
    method: "POST",
    accept: "application/json",
    contentType: "application/vnd.ims.lis.v1.score+json",
    body: JSON.stringify(scoreBody(score, timestamp)),
    signal,
  });

/** Appends `/scores` to the line item's path, before its query. */
export function lineItemScoresUrl(lineItem: string): string {
  if (!URL.canParse(lineItem)) return lineItem;
  const address = new URL(lineItem);
  address.pathname = `${address.pathname.replace(/\/$/, "")}/scores`;
  return address.href;
}

/** Without a score the platform clears its own. */
function scoreBody({ subject, score, maximum }: LeasedScore, timestamp: string): object {
  const told = { userId: subject, timestamp };
  if (score === null) return { ...told, activityProgress: "Initialized", gradingProgress: "NotReady" };
  const given = { scoreGiven: score, scoreMaximum: maximum };
  return { ...told, ...given, activityProgress: "Completed", gradingProgress: "FullyGraded" };
}
