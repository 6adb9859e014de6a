import { unavailable } from "../errors.ts";
import type { LlmEnd } from "../llm/provider.ts";
import type { TutorPrompt } from "./cache-tree.ts";
import { llmInput } from "./llm-input.ts";
import type { OpenTurn } from "./open-turn.ts";
import { type Answer, metaOf, type Piece, type TurnWorld } from "./turn.ts";

/**
 * Asks the LLM for the answer to a turn: its chunks as they come, then how it ended. What fails before the first
 * chunk is a 503.
 */
export async function* askLlm(
  world: TurnWorld,
  turn: OpenTurn,
  prompt: TutorPrompt,
): AsyncGenerator<Piece, LlmEnd, undefined> {
  const input = await llmInput(world.db, turn, prompt.template);
  const { session_id, user_id, model } = turn;
  const trace = { session_id, user_id, prompt_name: prompt.name, prompt_version: prompt.version };
  let spoken = false;
  try {
    for await (const event of world.llm.stream({ model, ...input, signal: world.signal, trace })) {
      if (event.type === "end") return event;
      spoken = true;
      yield [event.text];
    }
  } catch (error) {
    throw spoken ? error : unavailable("The tutor cannot be reached just now", error);
  }
  throw new Error("the LLM's stream ended without its end");
}

/** An answer for this session alone: it stands nowhere on the tree. */
export async function* privateAnswer(world: TurnWorld, turn: OpenTurn, prompt: TutorPrompt): Answer {
  const { input_tokens, output_tokens } = yield* askLlm(world, turn, prompt);
  return { meta: { ...metaOf(turn, prompt, "llm"), input_tokens, output_tokens }, place: undefined };
}
