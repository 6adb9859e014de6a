import type { CheckResults } from "../../../schema/db/tutor/trials.ts";
import { leakChecks, type TrialCheck, trialChecks } from "../../../schema/enums.ts";
import type { ContentContext } from "../chat/content-context.ts";
import { teacherPromptAdditions } from "../chat/tutor-context.ts";
import type { TutorPrompt } from "../chat/tutor-prompt.ts";
import { forbiddenPhrases } from "../chat/tutor-secrets.ts";
import { checkAnswerNotNamed } from "../checks/answer-not-named.ts";
import type { AnswerSecrets, CandidateAnswer, Check, CheckContext } from "../checks/checked-answer.ts";
import { checkEndsAskingAsRecorded } from "../checks/ends-with-question.ts";
import { checkFormulasTypesettable } from "../checks/formulas.ts";
import { checkKeyNotRevealed } from "../checks/key-not-told.ts";
import { checkKeyNamesOneOption } from "../checks/key-valid.ts";
import { checkAnswerLanguage } from "../checks/language.ts";
import { checkCompleteAndNotTooLong } from "../checks/length.ts";
import { checkForbiddenPhrases } from "../checks/never-say.ts";
import { checkNotesNotQuoted } from "../checks/notes-not-told.ts";
import { checkQuestionOptions } from "../checks/options.ts";
import { checkPoolAnswersNotRevealed } from "../checks/pool-not-told.ts";
import { checkPromptNotQuoted } from "../checks/prompt-not-quoted.ts";
import { checkQuestionReadable } from "../checks/question-readable.ts";
import { withDecodings } from "../checks/readings.ts";

const checks: Record<TrialCheck, Check> = {
  question_readable: checkQuestionReadable,
  key_valid: checkKeyNamesOneOption,
  options: checkQuestionOptions,
  language: checkAnswerLanguage,
  length: checkCompleteAndNotTooLong,
  formulas: checkFormulasTypesettable,
  ends_with_question: checkEndsAskingAsRecorded,
  answer_not_named: checkAnswerNotNamed,
  prompt_not_quoted: checkPromptNotQuoted,
  never_say: checkForbiddenPhrases,
  key_not_told: checkKeyNotRevealed,
  notes_not_told: checkNotesNotQuoted,
  pool_not_told: checkPoolAnswersNotRevealed,
};

type About = {
  topic: ContentContext;
  prompt: Pick<TutorPrompt, "template">;
  recorded: string;
  secrets?: AnswerSecrets;
};

export function runTrialChecks(answer: CandidateAnswer, about: About): CheckResults {
  const context = contextOf(about);
  return resultsOf(trialChecks, (name) => checks[name](answer, context));
}

/** Also of disguised text. */
export function runLeakChecks(
  answer: CandidateAnswer,
  about: About & { secrets: AnswerSecrets },
): CheckResults {
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
    neverSay: forbiddenPhrases(topic),
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
