import type { CheckResults } from "../../../schema/db/tutor/trials.ts";
import { leakChecks, type TrialCheck, trialChecks } from "../../../schema/enums.ts";
import type { ContentContext } from "../chat/content-context.ts";
import { teacherPromptAdditions } from "../chat/tutor-context.ts";
import type { TutorPrompt } from "../chat/tutor-prompt.ts";
import { neverSayOf } from "../chat/tutor-secrets.ts";
import { answerNotNamed } from "../checks/answer-not-named.ts";
import type { CandidateAnswer, Check, CheckContext, Secrets } from "../checks/checked-answer.ts";
import { endsWithQuestion } from "../checks/ends-with-question.ts";
import { formulas } from "../checks/formulas.ts";
import { keyNotTold } from "../checks/key-not-told.ts";
import { keyValid } from "../checks/key-valid.ts";
import { language } from "../checks/language.ts";
import { length } from "../checks/length.ts";
import { neverSay } from "../checks/never-say.ts";
import { notesNotTold } from "../checks/notes-not-told.ts";
import { options } from "../checks/options.ts";
import { poolNotTold } from "../checks/pool-not-told.ts";
import { promptNotQuoted } from "../checks/prompt-not-quoted.ts";
import { questionReadable } from "../checks/question-readable.ts";
import { withDecodings } from "../checks/readings.ts";

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
  key_not_told: keyNotTold,
  notes_not_told: notesNotTold,
  pool_not_told: poolNotTold,
};

type About = {
  topic: ContentContext;
  prompt: Pick<TutorPrompt, "template">;
  recorded: string;
  secrets?: Secrets;
};

export function checkAnswer(answer: CandidateAnswer, about: About): CheckResults {
  const context = contextOf(about);
  return resultsOf(trialChecks, (name) => checks[name](answer, context));
}

/** Also of disguised text. */
export function checkLeaks(answer: CandidateAnswer, about: About & { secrets: Secrets }): CheckResults {
  const context = contextOf(about);
  const readings = withDecodings(answer.text).map((text) => ({ ...answer, text }));
  return resultsOf(leakChecks, (name) => {
    const results = readings.map((reading) => checks[name](reading, context));
    return results.find((result) => typeof result === "string") ?? results[0];
  });
}

function contextOf({ topic, prompt, recorded, secrets }: About): CheckContext {
  return {
    language: topic.language,
    // Teachers' additions follow the prompt and are equally secret.
    template: prompt.template + (secrets ? teacherPromptAdditions(topic.tutor) : ""),
    neverSay: neverSayOf(topic),
    recorded,
    ...(secrets && { secrets }),
  };
}

const resultsOf = (
  names: readonly TrialCheck[],
  resultOf: (name: TrialCheck) => string | null | undefined,
): CheckResults =>
  Object.fromEntries(
    names.flatMap((name) => {
      const result = resultOf(name);
      return result === undefined ? [] : [[name, result]];
    }),
  );
