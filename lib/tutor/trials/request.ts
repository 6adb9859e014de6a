import type { Config } from "../../config.ts";
import { dataJsonForStudents } from "../../courses/content/student-view.ts";
import type { ModelSettings } from "../../platform/llm/models.ts";
import type { LlmRequest } from "../../platform/llm/provider.ts";
import type { ContentContext } from "../chat/content-context.ts";
import type { Exchange } from "../chat/history.ts";
import { llmRequest } from "../chat/llm-request.ts";
import type { TutorPrompt } from "../chat/tutor-prompt.ts";
import { isMove } from "../dialogue/moves.ts";
import { configBounds } from "../prompts/config.ts";

export type RequestSettings = ModelSettings &
  Pick<Config, "LLM_MAX_TOKENS" | "LLM_QUESTION_TOOL" | "TUTOR_MATERIAL_CHARACTERS">;

export type ConversationPoint = { message: string; exchanges: readonly Exchange[] };

/** Built by the same code as for a class. `topic` is the item's row. */
export function trialRequest(
  { message, exchanges }: ConversationPoint,
  { prompt, topic, model }: { prompt: TutorPrompt; topic: ContentContext; model: string },
  config: RequestSettings,
): LlmRequest {
  const context = { ...topic, data_json: dataJsonForStudents(topic.content_type, topic.data_json) };
  return llmRequest(
    {
      ...{ shared: true, message, content: message, move: isMove(message) ? message : null, model },
      ...{ university_id: topic.university_id, session_id: null, user_id: null },
    },
    prompt,
    {
      context,
      exchanges: exchanges.map((one) => ({ ...one, ...(isMove(one.question) && { move: one.question }) })),
    },
    {
      maxMaterial: config.TUTOR_MATERIAL_CHARACTERS,
      hasTool: config.LLM_QUESTION_TOOL,
      bounds: configBounds(config),
    },
  );
}
