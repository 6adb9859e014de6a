import { dataJsonForStudents } from "../../../courses/content/student-view.ts";
import type { LlmRequest } from "../../../platform/llm/provider.ts";
import { type ContentContext, promptVariableValues } from "../../chat/content-context.ts";
import type { Exchange } from "../../chat/history.ts";
import { judgePrompt } from "./rubric.ts";

/** Enough to show the subject. */
const maxJudgeMaterialCharacters = 8000;
const maxJudgedExchanges = 6;
/** A thinking model needs more tokens than its verdict. */
const maxJudgementTokens = 2048;

export type AnswerPair = {
  message: string;
  exchanges: readonly Exchange[];
  candidate: string;
  recorded: string;
};

/** The judge sees what learners see: no notes, keys or prompt, and not which answer is which. */
export function judgeRequest(
  { message, exchanges, candidate, recorded }: AnswerPair,
  topic: ContentContext,
  model: string,
  candidateFirst: boolean,
  maxTokens: number,
): LlmRequest {
  const { tutor: _, ...untold } = topic;
  const context = { ...untold, data_json: dataJsonForStudents(topic.content_type, topic.data_json) };
  const { title, description, content_type, content, language, level } = promptVariableValues(
    context,
    maxJudgeMaterialCharacters,
  );
  const [A, B] = candidateFirst ? [candidate, recorded] : [recorded, candidate];
  return {
    model,
    university_id: topic.university_id,
    system: judgePrompt,
    max_tokens: Math.min(maxJudgementTokens, maxTokens),
    messages: [
      {
        role: "user",
        content: JSON.stringify({
          topic: { title, description, content_type, language, level, material: content },
          conversation: exchanges
            .slice(-maxJudgedExchanges)
            .map(({ question, answer }) => ({ learner: question, tutor: answer })),
          learner: message,
          A,
          B,
        }),
      },
    ],
  };
}
