import type { CheckResults } from "../../schema/db/trials.ts";
import type { TopicRow } from "../chat/content-context.ts";
import { type TutorPrompt, tutorPrompt } from "../chat/tutor-prompt.ts";
import { askCandidate, type CandidateAnswer } from "./ask.ts";
import { callFor } from "./case-call.ts";
import { checkAnswer } from "./checks/check-answer.ts";
import { endCase, type HeldCase, type Told, type WorkDeps } from "./held-case.ts";
import { trialRequest } from "./request.ts";

type AboutTopic = HeldCase & { topic: TopicRow };

/** Asks the version for its answer at a case's place, and checks it. */
export async function answerCase(deps: WorkDeps, held: AboutTopic): Promise<void> {
  const prompt = textOf(held);
  if (!prompt) return endCase(deps, held, "skipped", { reason: "prompt_changed" });
  const { topic, model } = held;
  const made = await callFor(
    deps,
    held,
    trialRequest(held, { prompt, topic, model }, deps.config),
    askCandidate,
  );
  if (!made) return;
  const { text, question, key, stop } = made.answer;
  const kept = {
    ...{
      prompt_fingerprint: prompt.fingerprint,
      answer: text,
      question: question ?? null,
      key: key ?? null,
      stop,
    },
    outcome: stop === null || stop === "malformed" ? "complete" : stop,
  };
  const { how, ...told } = beside(held, prompt, made.answer);
  await endCase(deps, held, how, { ...kept, ...told }, made);
}

/** The version's text, where it is still what it was when the trial was made: any other is not the one that is named. */
function textOf({ graph, prompt_fingerprint }: HeldCase): TutorPrompt | undefined {
  if (!graph) return undefined;
  try {
    const prompt = tutorPrompt({ graph });
    return prompt.fingerprint === prompt_fingerprint ? prompt : undefined;
  } catch {
    return undefined;
  }
}

type Beside = Told & { how: "answered" | "waiting" };

/** An answer beside the recorded one: what the checks say of both, and whether the judge is asked next. */
function beside(held: AboutTopic, prompt: TutorPrompt, answer: CandidateAnswer): Beside {
  const about = { topic: held.topic, prompt, recorded: held.recorded ?? "" };
  const recorded: CandidateAnswer = {
    text: held.recorded ?? "",
    question: held.recorded_question ?? undefined,
    key: held.recorded_key ?? undefined,
    writtenKeys: [],
    stop: null,
  };
  const checks = checkAnswer(answer, about);
  const recorded_checks = checkAnswer(recorded, about);
  const told = { checks, recorded_checks };
  if (!held.judge_model) return { how: "answered", ...told };
  if (![checks, recorded_checks].every(isFaultless))
    return { how: "answered", ...told, unjudged_reason: "failed_checks" };
  return { how: "waiting", ...told, next_stage: "judge" };
}

const isFaultless = (checks: CheckResults): boolean => Object.values(checks).every((fault) => fault === null);
