import type { ChatMessage } from "../../../schema/api/tutor/chat.ts";
import { unavailable } from "../../errors.ts";
import { describeError } from "../../platform/logging/log.ts";
import { joinBroadcast } from "../generations/broadcast.ts";
import type { AnswerStreamEvent } from "../generations/chunk-batch.ts";
import { produceAnswer } from "../generations/producer.ts";
import { ReplayBuffer } from "../generations/replay-buffer.ts";
import { subscribeToGeneration } from "../generations/subscribe.ts";
import { embedMessage } from "../passages/embed-message.ts";
import { configBounds } from "../prompts/config.ts";
import { AnswerChecks } from "./answer-checks.ts";
import { type AnswerClaim, claimAnswer, type ProducerInput } from "./claim-answer.ts";
import { storeAnswerAndCloseTurn } from "./close-turn.ts";
import { llmRequest } from "./llm-request.ts";
import { storedAnswerToMessage } from "./messages.ts";
import type { OpenTurn } from "./open-turn.ts";
import { offerPassagesAndLoadResults, privateMessageText } from "./private-context.ts";
import type { StoredAnswer } from "./stored-answer.ts";
import type { TurnDeps } from "./turn.ts";
import { resolveTutorPrompt } from "./tutor-prompt.ts";

export type AnswerStream = AsyncGenerator<AnswerStreamEvent[], ChatMessage, undefined>;

/** Opens the same turn again with a claim's input. */
export type ReopenTurn = () => Promise<OpenTurn | { stored: StoredAnswer }>;

/**
 * Follows an open turn's answer. This call becomes the producer if it is the first, or the producer's lease
 * expired. The session stores the end before it is sent. A production started here finishes even if the turn
 * is lost.
 */
export async function* followOrProduceAnswer(
  deps: TurnDeps,
  opened: OpenTurn,
  reopen: ReopenTurn,
): AnswerStream {
  const buffer = new ReplayBuffer();
  const making: Promise<void>[] = [];
  let turn = opened;
  // A subscriber has not loaded the prompts, so it reopens the turn when the producer's lease expires. It
  // also reopens a turn that another subscriber ended: the answer may exist by then.
  const claim = async (): Promise<AnswerClaim> => {
    const claimed = turn.generation === null && (await claimAnswer(deps, turn, resolveTutorPrompt(turn)));
    if (claimed && !("turnLost" in claimed)) return withWhatIsPrivate(deps, turn, claimed);
    const reopened = await reopen();
    if ("stored" in reopened) return reopened;
    turn = reopened;
    return turn.generation === null ? claim() : { generation: turn.generation };
  };
  const make = (generation: number, { token, attempt, call, ...told }: ProducerInput) => {
    const { shared, move } = turn;
    const prompt = resolveTutorPrompt(turn);
    const maxMaterial = deps.config.TUTOR_MATERIAL_CHARACTERS;
    const request = llmRequest(turn, prompt, told, {
      maxMaterial,
      hasTool: deps.config.LLM_QUESTION_TOOL,
      bounds: configBounds(deps.config),
    });
    const checks = new AnswerChecks(
      { topic: told.context, prompt, exchanges: told.exchanges, move, request, maxMaterial },
      deps.log,
    );
    return produceAnswer(
      deps,
      {
        ...{ generation, token, attempt, call, isShared: shared, carriesQuestion: move !== null, checks },
        offered: new Set(told.passages?.map(({ number }) => number)),
        language: told.context.language ?? "en",
      },
      request,
    );
  };
  try {
    for (let claimed = turn.generation === null ? await claim() : join(turn.generation); ; ) {
      if ("stored" in claimed) {
        yield buffer.deltas({ batches: [claimed.stored.chunks] }, true);
        return storedAnswerToMessage(claimed.stored);
      }
      if ("pathGone" in claimed) {
        turn = { ...turn, shared: false };
        claimed = await claim();
        continue;
      }
      using joined = joinBroadcast(deps.db, claimed.generation);
      if (claimed.producer) making.push(make(claimed.generation, claimed.producer));
      const end = yield* subscribeToGeneration(joined.broadcast, buffer, deps.signal);
      if (end.state === "complete") {
        const { stored } = end;
        if (stored)
          return storedAnswerToMessage({ ...stored, chunks: joined.broadcast.draft.batches.flat() });
        const message = await storeAnswerAndCloseTurn(deps.db, turn, claimed.generation);
        if (!message) {
          claimed = await claim();
          continue;
        }
        // Another subscriber may have closed the turn first, with another answer.
        yield buffer.deltas({ batches: message.content ? [[message.content]] : [] }, true);
        return message;
      }
      if (end.state === "failed")
        throw unavailable(
          end.retryAfter === 0 ? "tutor_out_of_service" : "tutor_unreachable",
          undefined,
          end.retryAfter,
        );
      const again = end.state === "lapsed" ? joined.broadcast.claimOnce(claim) : claim();
      claimed = (await again) ?? join(claimed.generation);
    }
  } finally {
    await Promise.all(making);
  }
}

/**
 * Adds passages and results to private turns. Runs before production, and outside of the claim, for which a
 * whole university queues.
 */
async function withWhatIsPrivate(deps: TurnDeps, turn: OpenTurn, claim: AnswerClaim): Promise<AnswerClaim> {
  const words = privateMessageText(turn);
  if (words === undefined || !("producer" in claim) || !claim.producer) return claim;
  try {
    const meaning = await embedMessage(deps, turn.university_id, words);
    const told = await offerPassagesAndLoadResults(
      deps.db,
      deps.config.LLM_PRICES,
      turn,
      words,
      deps.now(),
      meaning,
    );
    return { ...claim, producer: { ...claim.producer, ...told } };
  } catch (error) {
    deps.log.error({ error: describeError(error) }, "an answer is generated without its private context");
    return claim;
  }
}

const join = (generation: number): AnswerClaim => ({ generation });
