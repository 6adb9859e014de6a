import { setTimeout as sleep } from "node:timers/promises";
import { treeAnswersByLearnerForm } from "../../lib/tutor/dialogue/choices.ts";
import { classifyLearnerMessage } from "../../lib/tutor/dialogue/message-kind.ts";
import { moveRequest } from "../../lib/tutor/dialogue/move-requests.ts";
import { moveIds } from "../../lib/tutor/dialogue/moves.ts";
import type { Question } from "../../schema/question.ts";
import type { ChaosLearner } from "./learner.ts";
import type { AnswerStreamOptions, StreamEnding } from "./stream.ts";

/** A learner's message until its answer arrives. */
export type PendingMessage = { content: string; name: string; since: number; asked: Question | undefined };

/** Faults of a learner while listening. */
export type StreamEventFaultHook = Pick<AnswerStreamOptions, "onEvent">;

type Outcome =
  | { question: Question | undefined; moves: readonly string[] }
  | "session gone"
  | "given up"
  | "no such move";

/**
 * Sends a message and listens until the answer is complete. Broken streams are resumed, or the message is
 * sent again under the same name. A `fickle` learner gives up at the first break and sends another message.
 */
export async function sendAndAwaitAnswer(
  learner: ChaosLearner,
  exchange: PendingMessage,
  { manners = {}, fickle = false }: { manners?: StreamEventFaultHook; fickle?: boolean } = {},
): Promise<Outcome> {
  const { ledger } = learner.stage;
  ledger.sent.add(exchange.name);
  ledger.count("sent");
  let resuming = false;
  for (let round = 1; ; round += 1) {
    if (round > 1) ledger.count(resuming ? "resumed" : "sent again");
    const ending = await say(learner, exchange, resuming, round === 1 ? manners : {});
    if (ending.kind === "told") {
      const { session, stage } = learner;
      learner.answeredAt = performance.now();
      stage.ledger.count("acknowledged");
      stage.ledger.tell({
        session,
        message: ending.message,
        text: ending.text,
        ...(!resuming && { name: exchange.name }),
      });
      // A resumed answer may belong to an abandoned message. Sending again gets the right one.
      if (!resuming) return ending;
      resuming = false;
      continue;
    }
    const next = await goOn(learner, exchange, ending, resuming);
    if (next === "session gone" || next === "no such move") return next;
    if (fickle && next === "resume") return "given up";
    resuming = next === "resume" && learner.rng.chance(0.5);
  }
}

function say(
  learner: ChaosLearner,
  exchange: PendingMessage,
  resuming: boolean,
  manners: StreamEventFaultHook,
): Promise<StreamEnding> {
  const { content, name } = exchange;
  return learner.listen(
    resuming
      ? { method: "GET", path: "stream" }
      : { method: "POST", path: "messages", body: { content, client_message_id: name } },
    {
      onEvent(number, event) {
        if (!event.done && event.restart) learner.stage.ledger.count("restarts told");
        return manners.onEvent?.(number, event);
      },
    },
  );
}

/** Continues after an ending without an answer. An ending without a fault as reason is a violation. */
async function goOn(
  learner: ChaosLearner,
  exchange: PendingMessage,
  ending: Exclude<StreamEnding, { kind: "told" }>,
  resuming: boolean,
): Promise<"again" | "resume" | "session gone" | "no such move"> {
  const { ledger } = learner.stage;
  const what = ending.kind === "refused" ? `${ending.status}` : ending.kind;
  ledger.count(`endings: ${what}`);
  if (ending.kind === "error" || (ending.kind === "refused" && ending.status === 503)) {
    if (!isExcused(learner, exchange, ending.kind))
      ledger.violated(
        `${learner.name} got ${what} for ${exchange.name} ${JSON.stringify(exchange.content)} after ${Math.round(performance.now() - exchange.since)} ms, without a cause: the LLM failed there ${learner.stage.llm.failuresAt(learner.topic.title, spellings(exchange))}`,
      );
    await sleep(250);
    return "again";
  }
  if (ending.kind !== "refused") {
    await sleep(50);
    return "resume";
  }
  if (ending.status === 404 && learner.hasLeft) return "session gone";
  // An abandoned request started another aside.
  if (ending.status === 409 && ending.detail.startsWith("This aside is closed")) return "session gone";
  if (isRefusedMoveEnding(ending)) {
    ledger.count("moves refused");
    return "no such move";
  }
  if (ending.status === 409) {
    if (!(ending.retryAfterMs > 0)) ledger.violated("A 409 has no Retry-After");
    await sleep(Math.min(ending.retryAfterMs, 1000));
  } else if (!(ending.status === 400 && resuming))
    ledger.violated(`${learner.name} got ${ending.status} ${ending.detail} for ${exchange.name}`);
  return "again";
}

/** True if the message is a move that the last answer does not offer. */
export const isRefusedMoveEnding = (ending: StreamEnding): boolean =>
  ending.kind === "refused" && ending.status === 400 && ending.detail === "No such move here";

/** How long a running answer tolerates an unavailable database, in milliseconds. */
const timeoutMs = 5000;

/**
 * True if the LLM failed twice at this answer or was down, or the database was down for longer than
 * tolerated.
 */
function isExcused(
  { stage, topic }: ChaosLearner,
  exchange: PendingMessage,
  kind: "error" | "refused",
): boolean {
  const { outages, llm } = stage;
  // Other learners may have started waiting for the same answer earlier.
  const since = exchange.since - 30_000;
  return (
    outages.since(exchange.since, "database", kind === "error" ? timeoutMs : 0) ||
    outages.since(since, "llm") ||
    llm.failedTwice(topic.title, spellings(exchange), since)
  );
}

/** The forms in which the LLM may receive a message. */
function spellings({ content, asked }: PendingMessage): string[] {
  const said = classifyLearnerMessage(content);
  if (said.kind === "free") return [content];
  // The model receives its interpretation in words.
  if (said.kind === "move") return [content, ...moveIds.map((move) => moveRequest(move, "en"))];
  const choices = asked ? treeAnswersByLearnerForm(asked) : {};
  const loose = said.kind === "answer" ? choices[said.looseForm ?? ""] : undefined;
  const kept = choices[said.normalForm] ?? loose;
  return [content, said.normalForm, ...(kept ? [kept] : [])];
}
