import { type ContentContext, promptVariables } from "../../chat/content-context.ts";
import type { Exchange } from "../../chat/llm-request.ts";
import { studentView } from "../../content/student-view.ts";
import type { LlmRequest } from "../../llm/provider.ts";
import { judgePrompt } from "./rubric.ts";

/** As much of the material as tells what is taught; what the answers say of the rest the judge has to know. */
const mostMaterial = 8000;
/** So many of the last exchanges of the path. */
const mostExchanges = 6;
/** A judge that thinks needs more than its verdict takes. */
const longestJudgement = 2048;

/** A pair of answers at a place. */
export type Pair = {
  message: string;
  exchanges: readonly Exchange[];
  candidate: string;
  recorded: string;
};

/**
 * What the judge is asked of a pair, in one order. It sees what learners see, and not which answer is whose; neither notes
 * nor keys nor the prompt.
 */
export function judgeRequest(
  { message, exchanges, candidate, recorded }: Pair,
  topic: ContentContext,
  model: string,
  candidateFirst: boolean,
  mostTokens: number,
): LlmRequest {
  const { tutor: _, ...untold } = topic;
  const context = { ...untold, data_json: studentView(topic.content_type, topic.data_json) };
  const { title, description, content_type, content, language, level } = promptVariables(
    context,
    mostMaterial,
  );
  const [A, B] = candidateFirst ? [candidate, recorded] : [recorded, candidate];
  return {
    model,
    university_id: topic.university_id,
    system: judgePrompt,
    max_tokens: Math.min(longestJudgement, mostTokens),
    messages: [
      {
        role: "user",
        content: JSON.stringify({
          topic: { title, description, content_type, language, level, material: content },
          conversation: exchanges
            .slice(-mostExchanges)
            .map(({ question, answer }) => ({ learner: question, tutor: answer })),
          learner: message,
          A,
          B,
        }),
      },
    ],
  };
}
