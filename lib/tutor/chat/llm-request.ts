import type { QuestionKey } from "../../../schema/question.ts";
import { lru } from "../../platform/caching/lru.ts";
import type { LlmMessage, LlmRequest } from "../../platform/llm/provider.ts";
import { isMove, moveRequest } from "../dialogue/moves.ts";
import { keyBlock } from "../dialogue/read-key.ts";
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

/** In characters of a call, about 50,000 tokens; the oldest exchanges are dropped. */
const longestHistory = 200_000;

/** A question, its move if any, and the answer with the key of its question. */
export type Exchange = { question: string; move?: string; answer: string; key?: QuestionKey | null };

/** The turn to answer; pre-generated answers have no person. */
export type Asked = Pick<OpenTurn, "shared" | "message" | "content" | "move" | "model" | "university_id"> & {
  session_id: number | null;
  user_id: number | null;
};

/** The context next to the prompt. Passages and results are for private answers only. */
export type Told = { context: ContentContext; exchanges: readonly Exchange[] } & Partial<ToldPrivately>;

/**
 * A shared answer depends only on its path: the normal forms and stored answers from the root. Others use the
 * session's history.
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

/** Whether the model is told how to ask a question with options. */
export const asksForQuestions = ({ system, tool }: LlmRequest): boolean =>
  tool !== undefined || /(?:```|~~~)mcq\b/.test(system);

/** The model sees its own keys, which learners never do. */
const withKey = ({ answer, key }: Exchange): string => (key ? `${answer}\n\n${keyBlock(key)}` : answer);

/** A move is always phrased the same, also in the history. */
const asked = ({ question, move }: Pick<Exchange, "question" | "move">): string =>
  move !== undefined && isMove(move) ? moveRequest(move) : question;

/** All sessions about a topic share one copy of its texts. */
const asOne = lru(20, (text: string): string => text);

/** Other keys of the message cannot influence everyone's answer. */
const questionOf = ({ shared, message, content, move }: Asked): string =>
  asked({ question: (shared && message) || content, ...(move !== null && { move }) });

/** Oldest first. */
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
