import type { QuestionKey } from "../../schema/question.ts";
import { lru } from "../caching/lru.ts";
import { isMove, moveRequest } from "../dialogue/moves.ts";
import { keyBlock } from "../dialogue/read-key.ts";
import type { LlmMessage, LlmRequest } from "../llm/provider.ts";
import { toldPassages } from "../passages/told-passages.ts";
import { actingConfig, type ConfigBounds } from "../prompts/config.ts";
import { render } from "../prompts/render.ts";
import { askInstructions, askTool } from "./ask-tool.ts";
import { type ContentContext, promptVariables } from "./content-context.ts";
import type { OpenTurn } from "./open-turn.ts";
import { toldResults } from "./own-results.ts";
import type { ToldPrivately } from "./told-privately.ts";
import { linesBehindPrompt } from "./tutor-context.ts";
import type { TutorPrompt } from "./tutor-prompt.ts";

/** The history that a call may carry, in characters: about 50 000 tokens. Beyond it the oldest are dropped. */
const longestHistory = 200_000;

/** A question of the conversation, what it was taken as where it is a move, and its answer, with the key of what that asks. */
export type Exchange = { question: string; move?: string; answer: string; key?: QuestionKey | null };

/** What is asked, by whom: an answer that is made before a class comes is asked for by nobody. */
export type Asked = Pick<OpenTurn, "shared" | "message" | "content" | "move" | "model" | "university_id"> & {
  session_id: number | null;
  user_id: number | null;
};

/** What a call tells beside the prompt: passages, and what the person did, for a private answer alone. */
export type Told = { context: ContentContext; exchanges: readonly Exchange[] } & Partial<ToldPrivately>;

/**
 * What the LLM is asked. An answer for a class is made from the path alone: the normal forms and stored answers from
 * the root. Any other sees the session's answered history.
 */
export function llmRequest(
  turn: Asked,
  prompt: TutorPrompt,
  { context, exchanges, passages = [], results }: Told,
  { mostMaterial, hasTool, bounds }: { mostMaterial: number; hasTool: boolean; bounds: ConfigBounds },
): LlmRequest {
  const question = questionOf(turn);
  const kept = turn.shared ? exchanges : newestWithin(longestHistory - question.length, exchanges);
  const system = render(prompt.template, promptVariables(context, mostMaterial), "empty");
  const { session_id, user_id, model, university_id } = turn;
  return {
    model,
    university_id,
    system: asOne(system + linesBehindPrompt(context.tutor) + (hasTool ? askInstructions : "")),
    ...actingConfig(prompt.config, bounds),
    ...(hasTool && { tool: askTool }),
    messages: [
      ...kept.flatMap((exchange): LlmMessage[] => [
        { role: "user", content: asked(exchange) },
        { role: "assistant", content: withKey(exchange) },
      ]),
      {
        role: "user",
        content: turn.shared ? question : question + toldResults(results) + toldPassages(passages),
      },
    ],
    trace: { session_id, user_id, prompt_name: prompt.name, prompt_version: prompt.version },
  };
}

/** The model is told its own keys, which nobody else reads. */
const withKey = ({ answer, key }: Exchange): string => (key ? `${answer}\n\n${keyBlock(key)}` : answer);

/** A move is put in words, the same in the history as when it was made. */
const asked = ({ question, move }: Pick<Exchange, "question" | "move">): string =>
  move !== undefined && isMove(move) ? moveRequest(move) : question;

/** All who ask about a topic are answered from the same text, which stands in memory once. */
const asOne = lru(20, (text: string): string => text);

/** A shared question goes out in its normal form, so that no key beside it can colour an answer for all. */
const questionOf = ({ shared, message, content, move }: Asked): string =>
  asked({ question: (shared && message) || content, ...(move !== null && { move }) });

/** The newest exchanges that fit, oldest first. */
function newestWithin(characters: number, exchanges: readonly Exchange[]): Exchange[] {
  let left = characters;
  const kept: Exchange[] = [];
  for (const exchange of exchanges.toReversed()) {
    left -= asked(exchange).length + withKey(exchange).length;
    if (left < 0) break;
    kept.push(exchange);
  }
  return kept.reverse();
}
