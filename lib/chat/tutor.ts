import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import type { Caller } from "../auth/guards.ts";
import { unavailable } from "../errors.ts";
import { fingerprint } from "../fingerprint.ts";
import { describeError } from "../log.ts";
import { rootOf } from "../prompts/graph.ts";
import { BrokenReference, inlineReferences } from "../prompts/inline.ts";
import { noteOnRequest } from "../request-record.ts";
import { privateAnswer } from "./ask-llm.ts";
import type { TutorPrompt } from "./cache-tree.ts";
import { abandonTurn, closeTurn, keepLease } from "./close-turn.ts";
import { type OpenTurn, openTurn, type StoredAnswer } from "./open-turn.ts";
import { sharedAnswer } from "./shared-answer.ts";
import type { Piece, TurnWorld } from "./turn.ts";

/** An answer as it is made. At its end stands the stored message, or why nothing of it was kept. */
export type Turn = AsyncGenerator<Piece, { message: ChatMessage } | { error: string }, undefined>;

/** What a message is answered with: all at once, or as it is made. */
export type Taken = { stored: StoredAnswer } | Turn;

/**
 * One turn of the tutor: stores the learner's message and answers it, from the tree at once, else as the answer is
 * made. Throws 401, 403, 404 or 409 as `openTurn` says.
 */
export async function takeTurn(
  world: TurnWorld,
  caller: Caller,
  sessionId: number,
  content: string,
): Promise<Taken> {
  const started = performance.now();
  const turn = await openTurn(world.db, caller, {
    sessionId,
    content,
    defaultModel: world.llm.defaultModel,
    tutorPrompt: world.config.TUTOR_PROMPT_NAME,
    now: world.now(),
  });
  if (!("stored" in turn)) return answerTurn(world, turn, started);
  noteOnRequest({ cache: "hit" });
  return turn;
}

/**
 * Answers an open turn, stores the answer, and only then ends. Before its first piece it throws 503 when there is no
 * usable prompt or no LLM. After it a failure is an end with `error`, and nothing of the answer is kept. Whoever reads must read to the end, also for a learner who has gone away, so that the answer is not lost.
 */
async function* answerTurn(world: TurnWorld, turn: OpenTurn, started: number): Turn {
  using _lease = keepLease(world.db, turn);
  const said: Piece[] = [];
  try {
    const prompt = tutorPrompt(turn);
    const answer = (turn.shared ? sharedAnswer : privateAnswer)(world, turn, prompt);
    let step = await answer.next();
    for (; !step.done; step = await answer.next()) {
      said.push(step.value);
      yield step.value;
    }
    const { meta, place } = step.value;
    noteOnRequest({ cache: cacheUse(turn, meta) });
    const latency_ms = Math.round(performance.now() - started);
    const message = await closeTurn(world.db, turn, {
      content: said.flat().join(""),
      meta: { ...meta, latency_ms },
      place,
    });
    return { message };
  } catch (error) {
    await abandonTurn(world.db, turn).catch((failure) =>
      world.log.error({ error: describeError(failure) }, "a session's lease was not ended"),
    );
    if (said.length === 0) throw error;
    world.log.error({ error: describeError(error) }, "an answer broke off");
    return { error: "The answer broke off. Please send the message again." };
  }
}

const cacheUse = (turn: OpenTurn, { source }: AnswerMeta) => {
  if (!turn.shared) return "bypass";
  return source === "cache" ? "hit" : "miss";
};

/** The prompt with its references inlined; 503 when there is none, or when one of its references leads nowhere. */
function tutorPrompt({ graph }: OpenTurn): TutorPrompt {
  const root = graph && rootOf(graph);
  if (!graph || !root) throw unavailable("The tutor has no prompt that is labelled production");
  try {
    const template = inlineReferences(graph);
    return { name: root.name, version: root.version, template, fingerprint: fingerprint(template) };
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    throw unavailable("The tutor's prompt cannot be resolved", error);
  }
}
