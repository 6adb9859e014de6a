import type { AnswerMeta, ChatMessage, StreamEvent } from "../../schema/api/chat.ts";
import type { Actor } from "../auth/actor.ts";
import type { Deps } from "../deps.ts";
import { unavailable } from "../errors.ts";
import type { LlmEvent } from "../llm/provider.ts";
import { describeError } from "../log.ts";
import { rootOf } from "../prompts/graph.ts";
import { BrokenReference, inlineReferences } from "../prompts/inline.ts";
import { findAnswer, type TutorPrompt } from "./cache-tree.ts";
import { abandonTurn, closeTurn, type Outcome } from "./close-turn.ts";
import { fingerprint } from "./fingerprint.ts";
import { llmInput } from "./llm-input.ts";
import { answerSeconds, type Candidate, type OpenTurn, openTurn } from "./open-turn.ts";

/** The events of one answer in their order; what it returns at its end is the stored message. */
export type Turn = AsyncGenerator<StreamEvent, ChatMessage | undefined, undefined>;

type World = Pick<Deps, "db" | "llm" | "log" | "now"> & { config: Pick<Deps["config"], "TUTOR_PROMPT_NAME"> };

/**
 * One turn of the tutor: stores the learner's message, answers it from the tree or from the LLM, stores the answer,
 * and only then says that it is done. Before its first event it throws: 403, 404, 409, or 503 when there is no
 * usable prompt or no LLM. After it a failure is a last event with `error`, and nothing of the answer is kept.
 * Whoever reads must read to the end, also for a learner who has gone away, so that the answer is not lost.
 */
export async function* takeTurn(world: World, actor: Actor, sessionId: number, content: string): Turn {
  const started = performance.now();
  const turn = await openTurn(world.db, actor, {
    sessionId,
    content,
    defaultModel: world.llm.defaultModel,
    tutorPrompt: world.config.TUTOR_PROMPT_NAME,
    now: world.now(),
  });
  let spoken = false;
  try {
    const prompt = tutorPrompt(turn);
    const node = turn.shared ? await findAnswer(world.db, turn, prompt) : undefined;
    const answer = node ? replay(turn, prompt, node) : askLlm(world, turn, prompt);

    let outcome: Outcome | undefined;
    for await (const part of answer) {
      if (typeof part !== "string") outcome = part;
      else {
        spoken = true;
        yield { content: part, done: false };
      }
    }
    if (!outcome) throw new Error("an answer ended without its outcome");
    const latency_ms = Math.round(performance.now() - started);
    const message = await closeTurn(world.db, turn, { ...outcome, meta: { ...outcome.meta, latency_ms } });
    yield { content: "", done: true, message_id: message.id };
    return message;
  } catch (error) {
    await abandonTurn(world.db, turn).catch((failure) =>
      world.log.error({ error: describeError(failure) }, "lease not ended"),
    );
    if (!spoken) throw error;
    world.log.error({ error: describeError(error) }, "answer broke off");
    yield { content: "", done: true, error: "The answer broke off. Please send the message again." };
    return undefined;
  }
}

/** The chunks of an answer as they come, and at its end what is to be stored. */
type Answer = AsyncGenerator<string | Outcome, void, undefined>;

async function* replay(turn: OpenTurn, prompt: TutorPrompt, node: Candidate): Answer {
  yield* node.chunks;
  yield {
    chunks: node.chunks,
    meta: { ...metaOf(turn, prompt, "cache"), cache_node_id: node.id },
    place: { hit: node.id },
  };
}

async function* askLlm(world: World, turn: OpenTurn, prompt: TutorPrompt): Answer {
  const input = await llmInput(world.db, turn, prompt.template);
  const signal = AbortSignal.timeout(answerSeconds * 1000);
  const chunks: string[] = [];
  let end: Extract<LlmEvent, { type: "end" }> | undefined;
  try {
    for await (const event of world.llm.stream({ model: turn.model, ...input, signal })) {
      if (event.type === "end") end = event;
      else {
        chunks.push(event.text);
        yield event.text;
      }
    }
  } catch (error) {
    if (chunks.length > 0) throw error;
    throw unavailable("The tutor cannot be reached just now", error);
  }
  if (!end) throw new Error("the LLM's stream ended without its end");

  const { input_tokens, output_tokens } = end;
  const whole = end.complete && chunks.length > 0;
  yield {
    chunks,
    meta: { ...metaOf(turn, prompt, "llm"), input_tokens, output_tokens },
    place: turn.shared && whole ? { fill: { ...nodeOf(prompt), input_tokens, output_tokens } } : undefined,
  };
}

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

const nodeOf = (prompt: TutorPrompt) => ({
  prompt_name: prompt.name,
  prompt_version: prompt.version,
  prompt_fingerprint: prompt.fingerprint,
});

const metaOf = (turn: OpenTurn, prompt: TutorPrompt, source: "llm" | "cache"): AnswerMeta => ({
  source,
  model: turn.model,
  prompt_name: prompt.name,
  prompt_version: prompt.version,
});
