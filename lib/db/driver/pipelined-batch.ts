import { AsyncLocalStorage } from "node:async_hooks";
import { isUnavailable, mayRepeat } from "../unavailable.ts";
import type { Connection, Layer, Statement } from "./layers.ts";
import { queryStats } from "./observe.ts";

type Sending = Pick<Connection, "send">;

/** Statements that are sent without waiting in between: the answers of all come back after one round trip. */
export type PipelinedBatch = Sending & {
  /** Sends what was collected: no further statement is coming. */
  flush(): void;
  /** Gives the connection back: all answers are there. */
  release(): void;
};

/** A check that waits for a statement to be sent with; undefined as soon as it is under way. */
type WaitingCheck = { send: (() => Promise<unknown>) | undefined };

const waitingChecks = new AsyncLocalStorage<WaitingCheck>();
const batches = new AsyncLocalStorage<Sending>();

/**
 * Runs `work`, and `check` in the round trip of its first statement, behind it: what `check` reads is as new as what
 * that statement read, or newer. Alone afterwards where `work` sends nothing, or where the batch went wrong.
 * Throws when `work` found no database.
 */
export async function runWithCheck<Work, Check>(
  work: () => Promise<Work>,
  check: () => Promise<Check>,
): Promise<[PromiseSettledResult<Work>, Check]> {
  let sent: Promise<Check> | undefined;
  const waiting: WaitingCheck = {
    send() {
      sent = check();
      return sent;
    },
  };
  const [outcome] = await Promise.allSettled([waitingChecks.run(waiting, work)]);
  waiting.send = undefined;
  if (outcome.status === "rejected" && isUnavailable(outcome.reason)) throw outcome.reason;
  return [outcome, await (sent?.catch(check) ?? check())];
}

/** Sends the check that waits in one batch with the statement that comes first. */
export const pipelineChecks = (openBatch: () => Promise<PipelinedBatch>): Layer => ({
  async alone(statement, next) {
    const batch = batches.getStore();
    if (batch) return batch.send(statement);
    const waiting = waitingChecks.getStore();
    const sendCheck = waiting?.send;
    if (!sendCheck) return next(statement);
    waiting.send = undefined;
    return sendTogether(openBatch, statement, sendCheck).catch((error) =>
      mayRepeat(error, statement) ? next(statement) : Promise.reject(error),
    );
  },
});

async function sendTogether(
  openBatch: () => Promise<PipelinedBatch>,
  statement: Statement,
  sendCheck: () => Promise<unknown>,
): Promise<unknown> {
  const batch = await openBatch();
  const first = batch.send(statement);
  // One round trip, which is counted with the first statement.
  const second = queryStats.exit(() => batches.run(lastOf(batch), sendCheck));
  void Promise.allSettled([second]).then(() => batch.flush());
  void Promise.allSettled([first, second]).then(() => batch.release());
  return first;
}

/** Takes the last statement of a batch, which is sent with it. */
const lastOf = (batch: PipelinedBatch): Sending => ({
  send(statement) {
    const answer = batch.send(statement);
    batch.flush();
    return answer;
  },
});
