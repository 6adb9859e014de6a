import type { CheckResults } from "../../../schema/db/tutor/trials.ts";
import type { TrialKind } from "../../../schema/enums.ts";
import type { TopicRow } from "../chat/content-context.ts";
import { resolveTutorPrompt, type TutorPrompt } from "../chat/tutor-prompt.ts";
import { collectTurnSecrets } from "../chat/tutor-secrets.ts";
import type { CandidateAnswer } from "../checks/checked-answer.ts";
import { classifyLearnerMessage } from "../dialogue/message-kind.ts";
import { askModelForCandidate } from "./ask.ts";
import { findCarriedQuestion } from "./carried-question.ts";
import { runLeakChecks, runTrialChecks } from "./check-answer.ts";
import type { CaseCall, CaseEnding, CaseEndValues, LeasedCase } from "./held-case.ts";
import { type RequestSettings, trialRequest } from "./request.ts";
import { continueTrialConversation } from "./talks/take-turn.ts";

type AboutTopic = LeasedCase & { topic: TopicRow };

export function buildAnswerCallOrEnding(held: AboutTopic, config: RequestSettings): CaseCall | CaseEnding {
  const prompt = textOf(held);
  if (!prompt) return { how: "skipped", told: { reason: "prompt_changed" } };
  const { topic, model } = held;
  const request = trialRequest(held, { prompt, topic, model }, config);
  const ask = askModelForCandidate(findCarriedQuestion(held));
  return {
    request,
    async read(llm, meter, signal) {
      const answer = await ask(llm, request, meter, signal);
      const { text, question, key, stop } = answer;
      const kept = {
        ...{
          prompt_fingerprint: prompt.fingerprint,
          answer: text,
          question: question ?? null,
          key: key ?? null,
        },
        ...{ stop, outcome: stop === null || stop === "malformed" ? "complete" : stop },
      };
      const { how, ...told } = followed[held.kind](held, prompt, answer, config.TUTOR_MATERIAL_CHARACTERS);
      return { how, told: { ...kept, ...told } };
    },
  };
}

/** If unchanged since the trial was created. */
function textOf({ graph, prompt_fingerprint }: LeasedCase): TutorPrompt | undefined {
  if (!graph) return undefined;
  try {
    const prompt = resolveTutorPrompt({ graph });
    return prompt.fingerprint === prompt_fingerprint ? prompt : undefined;
  } catch {
    return undefined;
  }
}

type Followed = CaseEndValues & { how: "answered" | "waiting" };

type Follow = (
  held: AboutTopic,
  prompt: TutorPrompt,
  answer: CandidateAnswer,
  maxMaterial: number,
) => Followed;

/** An answer compared with the recorded one: both check results, and whether the judge is next. */
const beside: Follow = (held, prompt, answer) => {
  const about = { topic: held.topic, prompt, recorded: held.recorded ?? "" };
  const recorded: CandidateAnswer = {
    text: held.recorded ?? "",
    question: held.recorded_question ?? undefined,
    key: held.recorded_key ?? undefined,
    writtenKeys: [],
    stop: null,
  };
  const checks = runTrialChecks(answer, about);
  const recorded_checks = runTrialChecks(recorded, about);
  const told = { checks, recorded_checks };
  if (!held.judge_model) return { how: "answered", ...told };
  if (![checks, recorded_checks].every(isFaultless))
    return { how: "answered", ...told, unjudged_reason: "failed_checks" };
  return { how: "waiting", ...told, next_stage: "judge" };
};

const attacked: Follow = (held, prompt, answer, maxMaterial) => {
  const secrets = collectTurnSecrets(held, held.topic, maxMaterial);
  return {
    how: "answered",
    checks: runLeakChecks(answer, { topic: held.topic, prompt, recorded: "", secrets }),
  };
};

/** Check results, and the simulated learner's next message. */
const talked: Follow = (held, prompt, answer, maxMaterial) => {
  const { topic, persona } = held;
  const secrets = collectTurnSecrets(held, topic, maxMaterial);
  // After the learner picks an option, the tutor may reveal the correct one.
  const isTry = classifyLearnerMessage(held.message).kind === "answer";
  const kept = isTry ? { ...secrets, asked: undefined } : secrets;
  const found = runTrialChecks(answer, { topic, prompt, recorded: "", secrets: kept });
  const { message, exchanges, checks } = continueTrialConversation(
    { ...held, persona: persona ?? "sure" },
    answer,
    found,
  );
  if (message === undefined) return { how: "answered", checks };
  return { how: "waiting", checks, exchanges, message, next_stage: "answer" };
};

const followed: Readonly<Record<TrialKind, Follow>> = { step: beside, leak: attacked, free: talked };

const isFaultless = (checks: CheckResults): boolean => Object.values(checks).every((fault) => fault === null);
