import { AsyncLocalStorage } from "node:async_hooks";
import { canRepeatStatement, isDatabaseUnavailable } from "../unavailable.ts";
import type { Connection, Layer, Statement } from "./layers.ts";
import { queryStatsStorage } from "./observe.ts";

type Sending = Pick<Connection, "send">;

/** Statements sent without waiting for each other: one round trip. */
export type PipelinedBatch = Sending & {
  flush(): void;
  /** Returns the connection after all results arrived. */
  release(): void;
};

/** A statement that shares another one's batch; `send` is undefined after it was sent. */
type Companion = {
  place: "ahead" | "behind";
  send: (() => Promise<unknown>) | undefined;
  outer: Companion | undefined;
};

const companions = new AsyncLocalStorage<Companion>();
const batches = new AsyncLocalStorage<Sending>();

/** True while a batch takes the next statement. */
export const isInPipeline = (): boolean => batches.getStore() !== undefined;

/** For statements of several requests, which belong to none of their batches. */
export const runOutsidePipelines = <T>(work: () => T): T => companions.exit(() => batches.exit(work));

/** Runs `companion` in the round trip of `work`'s first statement, if any. */
export async function runInSameRoundTrip<Work, Found>(
  place: Companion["place"],
  work: () => Promise<Work>,
  companion: () => Promise<Found>,
): Promise<[PromiseSettledResult<Work>, Promise<Found> | undefined]> {
  let sent: Promise<Found> | undefined;
  const waiting: Companion = {
    place,
    outer: companions.getStore(),
    send() {
      sent = companion();
      return sent;
    },
  };
  const [outcome] = await Promise.allSettled([companions.run(waiting, work)]);
  waiting.send = undefined;
  if (outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason)) throw outcome.reason;
  return [outcome, sent];
}

/**
 * Runs `check` after `work`'s first statement, in its round trip: `check` never reads older data. Runs alone
 * if `work` sends nothing or the batch fails. Throws if `work` could not reach the database.
 */
export async function runWithFollowingCheck<Work, Check>(
  work: () => Promise<Work>,
  check: () => Promise<Check>,
): Promise<[PromiseSettledResult<Work>, Check]> {
  const [outcome, sent] = await runInSameRoundTrip("behind", work, check);
  return [outcome, await (sent?.catch(check) ?? check())];
}

/** Sends companions in one batch with the first statement. */
export const createPipelineLayer = (openBatch: () => Promise<PipelinedBatch>): Layer => ({
  async alone(statement, next) {
    const batch = batches.getStore();
    if (batch) return batch.send(statement);
    const waiting = takeWaiting(companions.getStore());
    if (waiting.length === 0) return next(statement);
    return sendTogether(openBatch, statement, waiting).catch((error) =>
      canRepeatStatement(error, statement) ? next(statement) : Promise.reject(error),
    );
  },
});

type Waiting = { place: Companion["place"]; send: () => Promise<unknown> };

function takeWaiting(innermost: Companion | undefined): Waiting[] {
  const taken: Waiting[] = [];
  for (let one = innermost; one; one = one.outer) {
    if (one.send) taken.push({ place: one.place, send: one.send });
    one.send = undefined;
  }
  return taken;
}

async function sendTogether(
  openBatch: () => Promise<PipelinedBatch>,
  statement: Statement,
  waiting: readonly Waiting[],
): Promise<unknown> {
  const batch = await openBatch();
  const answers: Promise<unknown>[] = [];
  const sendAll = async (place: Companion["place"]) => {
    for (const { send } of waiting.filter((one) => one.place === place))
      await new Promise<void>((sent) => answers.push(sendOne(batch, send, sent)));
  };
  await sendAll("ahead");
  const first = batch.send(statement);
  answers.push(first);
  void sendAll("behind").then(async () => {
    batch.flush();
    await Promise.allSettled(answers);
    batch.release();
  });
  return first;
}

/** Calls `sent` when the companion's first statement is queued, or when it ended without one. */
function sendOne(batch: PipelinedBatch, send: Waiting["send"], sent: () => void): Promise<unknown> {
  const noting: Sending = {
    send(statement) {
      const answer = batch.send(statement);
      sent();
      return answer;
    },
  };
  // One round trip, with the first statement.
  const answer = queryStatsStorage.exit(() => batches.run(noting, send));
  void Promise.allSettled([answer]).then(sent);
  return answer;
}
