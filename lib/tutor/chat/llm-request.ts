import { memoizeLru } from "../../platform/caching/lru.ts";
import type { LlmRequest } from "../../platform/llm/provider.ts";
import { passagesForPrompt } from "../passages/passages-for-prompt.ts";
import { escapePromptClosingTags } from "../prompts/closing-tags.ts";
import { type ConfigBounds, dropConfigOutsideBounds } from "../prompts/config.ts";
import { hasToolRules, selectQuestionRules } from "../prompts/question-sections.ts";
import { renderPrompt } from "../prompts/render.ts";
import { asidePromptNote } from "./aside-note.ts";
import { askQuestionTool, askQuestionToolInstructions } from "./ask-tool.ts";
import { type ContentContext, promptVariableValues } from "./content-context.ts";
import {
  answerWithKeyBlock,
  conversationMessages,
  type Exchange,
  type HistoryFormatOptions,
  learnerMessageText,
} from "./history.ts";
import { resultsForPrompt } from "./learner-results.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { PassagesAndLearnerResults } from "./private-context.ts";
import { teacherPromptAdditions } from "./tutor-context.ts";
import type { TutorPrompt } from "./tutor-prompt.ts";

/** In characters, about 50,000 tokens; the oldest exchanges are dropped. */
const maxHistoryCharacters = 200_000;

/** The turn to answer; pre-generated answers have no person. */
export type TurnToAnswer = Pick<
  OpenTurn,
  "shared" | "message" | "content" | "move" | "model" | "university_id"
> & {
  session_id: number | null;
  user_id: number | null;
};

/** Passages, results and asides are for private answers only. */
export type PromptContext = {
  context: ContentContext;
  exchanges: readonly Exchange[];
  is_aside?: boolean;
} & Partial<PassagesAndLearnerResults>;

/**
 * A shared answer depends only on its path: normal forms and stored answers from the root. Others use the
 * session's history.
 */
export function llmRequest(
  turn: TurnToAnswer,
  prompt: TutorPrompt,
  { context, exchanges, is_aside = false, passages = [], results }: PromptContext,
  { maxMaterial, hasTool, bounds }: { maxMaterial: number; hasTool: boolean; bounds: ConfigBounds },
): LlmRequest {
  const wording = { hasTool, language: context.language };
  const message = messageOf(turn, wording);
  const kept = turn.shared
    ? exchanges
    : newestWithin(maxHistoryCharacters - message.length, exchanges, wording);
  const behind = turn.shared
    ? ""
    : (is_aside ? asidePromptNote(exchanges) : "") + resultsForPrompt(results) + passagesForPrompt(passages);
  const { session_id, user_id, model, university_id } = turn;
  return {
    model,
    university_id,
    system: asOne(systemOf(prompt.template, context, { maxMaterial, hasTool })),
    ...dropConfigOutsideBounds(prompt.config, bounds),
    ...(hasTool && { tool: askQuestionTool }),
    messages: conversationMessages(kept, { message, context: behind }, wording),
    trace: { session_id, user_id, prompt_name: prompt.name, prompt_version: prompt.version },
  };
}

export const requestHasQuestionInstructions = ({ system, tool }: LlmRequest): boolean =>
  tool !== undefined || /(?:```|~~~)mcq\b/.test(system);

function systemOf(
  template: string,
  context: ContentContext,
  { maxMaterial, hasTool }: { maxMaterial: number; hasTool: boolean },
): string {
  const values = escapePromptClosingTags(template, promptVariableValues(context, maxMaterial));
  const text = renderPrompt(selectQuestionRules(template, hasTool), values, "empty");
  return (
    text +
    teacherPromptAdditions(context.tutor) +
    (hasTool && !hasToolRules(template) ? askQuestionToolInstructions : "")
  );
}

/** All sessions about a topic share one copy. */
const asOne = memoizeLru(20, (text: string): string => text);

/** Other keys of the message cannot influence a shared answer. */
const messageOf = ({ shared, message, content, move }: TurnToAnswer, wording: HistoryFormatOptions): string =>
  learnerMessageText({ question: (shared && message) || content, ...(move !== null && { move }) }, wording);

/** Oldest first. */
function newestWithin(
  characters: number,
  exchanges: readonly Exchange[],
  wording: HistoryFormatOptions,
): Exchange[] {
  let left = characters;
  const kept: Exchange[] = [];
  for (const exchange of exchanges.toReversed()) {
    left -= learnerMessageText(exchange, wording).length + answerWithKeyBlock(exchange).length;
    if (left < 0) break;
    kept.push(exchange);
  }
  return kept.reverse();
}
