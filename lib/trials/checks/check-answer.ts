import type { CheckResults } from "../../../schema/db/trials.ts";
import { type TrialCheck, trialChecks } from "../../../schema/enums.ts";
import type { ContentContext } from "../../chat/content-context.ts";
import type { TutorPrompt } from "../../chat/tutor-prompt.ts";
import type { CandidateAnswer } from "../ask.ts";
import { answerNotNamed } from "./answer-not-named.ts";
import type { Check } from "./checked-answer.ts";
import { endsWithQuestion } from "./ends-with-question.ts";
import { formulas } from "./formulas.ts";
import { keyValid } from "./key-valid.ts";
import { language } from "./language.ts";
import { length } from "./length.ts";
import { neverSay } from "./never-say.ts";
import { options } from "./options.ts";
import { promptNotQuoted } from "./prompt-not-quoted.ts";
import { questionReadable } from "./question-readable.ts";

const checks: Record<TrialCheck, Check> = {
  question_readable: questionReadable,
  key_valid: keyValid,
  options,
  language,
  length,
  formulas,
  ends_with_question: endsWithQuestion,
  answer_not_named: answerNotNamed,
  prompt_not_quoted: promptNotQuoted,
  never_say: neverSay,
};

/** What the checks, which cost nothing, say of an answer to a class about an item. */
export function checkAnswer(
  answer: CandidateAnswer,
  {
    topic,
    prompt,
    recorded,
  }: { topic: ContentContext; prompt: Pick<TutorPrompt, "template">; recorded: string },
): CheckResults {
  const { item_notes, course_notes } = topic.tutor ?? {};
  const context = {
    language: topic.language,
    template: prompt.template,
    neverSay: [...(item_notes?.never_say ?? []), ...(course_notes?.never_say ?? [])],
    recorded,
  };
  return Object.fromEntries(
    trialChecks.flatMap((name) => {
      const result = checks[name](answer, context);
      return result === undefined ? [] : [[name, result]];
    }),
  );
}
