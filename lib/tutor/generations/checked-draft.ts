import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import type { FailedCheck } from "../../../schema/db/tutor/cache.ts";
import type { AnswerStop } from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import type { LlmRequest } from "../../platform/llm/provider.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import { CallMeter } from "./call-meter.ts";
import { correctionRequest } from "./correction-request.ts";
import type { AnswerDraft } from "./draft.ts";
import { endCallAndStartAnother, endFailedCall } from "./further-call.ts";
import type { AnswerProducerState } from "./producer-deps.ts";
import { AttemptFailed, streamDraft } from "./stream-draft.ts";

export type CompleteAnswer = Pick<AnswerDraft, "question" | "key" | "writtenKeys"> & {
  chunks: readonly string[];
  stop: AnswerStop | undefined;
  /** If not empty, it is not shared. */
  failed: FailedCheck[];
};

/** Both answers are shown to staff. */
export type FailedAnswer = { failed: FailedCheck[]; text: string; second: Attempt | undefined };

type Attempt = { text: string; failed: FailedCheck[]; stop: AnswerStop | undefined };

export type CheckedAnswer = { answer: CompleteAnswer; failedAnswer?: FailedAnswer };

/**
 * Checks a complete draft. A shared answer that fails is requested once more, with the reason. If that fails
 * too, subscribers receive it, marked. Sentences that quote secrets are replaced.
 */
export async function checkAndRetryDraft(
  producer: AnswerProducerState,
  request: LlmRequest,
  draft: AnswerDraft,
  stop: AnswerStop | undefined,
): Promise<CheckedAnswer> {
  const first = answerOf(producer, draft, stop);
  if (first.failed.length === 0) return { answer: withoutQuotes(producer, first) };
  const second = stop === undefined ? await askAgain(producer, request, first) : undefined;
  const told = second && !second.stop && !isBlank(textOf(second)) ? second : first;
  const answer = told.failed.length === 0 ? told : withoutQuotes(producer, told);
  for (const { check } of first.failed)
    producer.metrics.checkFailed(check, answer.failed.length === 0 ? "corrected" : "not_shared");
  return {
    answer,
    failedAnswer: {
      failed: first.failed,
      text: textOf(first),
      second: second && { text: textOf(second), failed: second.failed, stop: second.stop },
    },
  };
}

const textOf = ({ chunks }: CompleteAnswer): string => chunks.join("");

function answerOf(
  producer: AnswerProducerState,
  draft: AnswerDraft,
  stop: AnswerStop | undefined,
): CompleteAnswer {
  const { chunks, question, key, writtenKeys } = draft;
  const answer = { chunks, question, key, writtenKeys, stop };
  return { ...answer, failed: producer.isShared ? failuresOf(producer, answer) : [] };
}

const unreadable: FailedCheck = { check: "question_readable", reason: "The question's block cannot be read" };

/** A partial or empty answer is never shared. */
function failuresOf({ checks }: AnswerProducerState, answer: Omit<CompleteAnswer, "failed">): FailedCheck[] {
  const { chunks, stop } = answer;
  if (stop === "malformed") return [unreadable];
  const text = chunks.join("");
  if (stop || isBlank(text)) return [];
  return checks.failuresOf({ ...answer, text, stop: null });
}

/** Also has the new question if one of its sentences was replaced. */
function withoutQuotes(
  { checks, metrics, isShared }: AnswerProducerState,
  answer: CompleteAnswer,
): CompleteAnswer {
  if (isShared && answer.failed.length === 0) return answer;
  const { text, failed } = checks.withoutQuotes(textOf(answer));
  if (failed.length === 0) return answer;
  if (!isShared) for (const { check } of failed) metrics.checkFailed(check, "replaced");
  const question = answer.question && findLastQuestion(text);
  const key = question && keptKey(answer, question);
  return { ...answer, chunks: [text], question, key, failed: isShared ? answer.failed : failed };
}

const keptKey = ({ key }: CompleteAnswer, { options }: Question): QuestionKey | undefined =>
  options.some(({ id }) => id === key?.answer) ? key : undefined;

/** Undefined if the budget is used up, or the provider failed. */
async function askAgain(
  producer: AnswerProducerState,
  request: LlmRequest,
  first: CompleteAnswer,
): Promise<CompleteAnswer | undefined> {
  const begun = await endCallAndStartAnother(producer, "restart");
  if (begun === "lost") throw new AttemptFailed("the lease was lost");
  if (begun === "over budget") return undefined;
  const asked = correctionRequest(request, textOf(first), first.failed);
  producer.meter = new CallMeter(asked, producer.config.LLM_PRICES, producer.meter);
  producer.broadcast.restart();
  try {
    const { draft, stop } = await streamDraft(producer, asked);
    if (stop || !draft.broken) return answerOf(producer, draft, stop);
    // An unreadable question is not requested a third time.
    draft.settle(undefined);
    return answerOf(producer, draft, "malformed");
  } catch (error) {
    if (!(error instanceof AttemptFailed) || producer.lost.signal.aborted) throw error;
    await endFailedCall(producer, error.cause, "the LLM failed to correct an answer that failed a check");
    return undefined;
  }
}
