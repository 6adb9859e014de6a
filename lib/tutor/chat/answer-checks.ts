import type { FailedCheck } from "../../../schema/db/tutor/cache.ts";
import type { AnswerCheck } from "../../../schema/enums.ts";
import type { LlmRequest } from "../../platform/llm/provider.ts";
import { describeError, type Logger } from "../../platform/logging/log.ts";
import { checkSharedLengthAndRepetition } from "../checks/answer-length.ts";
import { checkAnswerNotNamed } from "../checks/answer-not-named.ts";
import type {
  AnswerChecker,
  CandidateAnswer,
  CheckContext,
  FormerQuestion,
} from "../checks/checked-answer.ts";
import { checkFormulasTypesettable } from "../checks/formulas.ts";
import { checkKeyNamesOneOption } from "../checks/key-valid.ts";
import { checkAnswerLanguage } from "../checks/language.ts";
import { checkAnswerNotRefusalOrError } from "../checks/not-refused.ts";
import { textBetweenPlaceholders } from "../checks/prompt-not-quoted.ts";
import { checkRequiredQuestionAsked, type RequiredQuestionKind } from "../checks/question-asked.ts";
import {
  type NamedSecretText,
  type QuotedPassage,
  quotedPassages,
  replaceQuotingSentences,
} from "../checks/quoted-passages.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import { isMove } from "../dialogue/moves.ts";
import type { ContentContext } from "./content-context.ts";
import type { Exchange } from "./history.ts";
import { requestHasQuestionInstructions } from "./llm-request.ts";
import { teacherPromptAdditions } from "./tutor-context.ts";
import type { TutorPrompt } from "./tutor-prompt.ts";
import { forbiddenPhrases, learnerVisibleText, tutorNoteTexts } from "./tutor-secrets.ts";

export type AnswerCheckSubject = {
  topic: ContentContext;
  prompt: Pick<TutorPrompt, "template">;
  exchanges: readonly Exchange[];
  move: string | null;
  request: LlmRequest;
  maxMaterial: number;
};

type Quoted = "prompt_not_quoted" | "never_say" | "notes_not_told";

/** Shorter notes are common phrases. */
const minWordsOfCheckedNote = 4;

export class AnswerChecks implements AnswerChecker {
  readonly #place: AnswerCheckSubject;
  readonly #log: Pick<Logger, "error">;
  readonly #secrets: NamedSecretText<Quoted>[];

  constructor(place: AnswerCheckSubject, log: Pick<Logger, "error">) {
    this.#place = place;
    this.#log = log;
    this.#secrets = secretsOf(place);
  }

  failuresOf(answer: CandidateAnswer): FailedCheck[] {
    const { topic, prompt, exchanges, move } = this.#place;
    const isGreeting = exchanges.length === 0;
    const carried = move === null ? undefined : lastQuestionOf(exchanges);
    const asking = carried ? { ...answer, question: carried.question, key: carried.key } : answer;
    const context: CheckContext = {
      // Sessions of older releases have no language.
      language: topic.language ?? "en",
      template: prompt.template,
      neverSay: [],
      recorded: "",
      former: move === null ? this.#formerQuestion() : undefined,
    };
    const former = () => exchanges.map((exchange) => exchange.answer);
    const checks: Partial<Record<AnswerCheck, () => string | null | undefined>> = {
      question_asked: () => checkRequiredQuestionAsked(answer, this.#required(isGreeting)),
      key_valid: () => checkKeyNamesOneOption(answer, context),
      not_refused: () => checkAnswerNotRefusalOrError(answer, isGreeting),
      language: () => checkAnswerLanguage(answer, context),
      length: () => checkSharedLengthAndRepetition(answer.text, former()),
      formulas: () => checkFormulasTypesettable(answer, context),
      answer_not_named: () => checkAnswerNotNamed(asking, context),
    };
    const failed = Object.entries(checks).flatMap(([name, check]) =>
      this.#failures(name as AnswerCheck, () => {
        const reason = check();
        return typeof reason === "string" ? [{ check: name as AnswerCheck, reason }] : [];
      }),
    );
    const quotes = () => failedByQuotes(this.#quotesIn(answer.text));
    return [...failed, ...this.#failures("prompt_not_quoted", quotes)];
  }

  withoutQuotes(text: string): { text: string; failed: FailedCheck[] } {
    let told = text;
    const failed = this.#failures("prompt_not_quoted", () => {
      const quotes = this.#quotesIn(text);
      if (quotes.length > 0) told = replaceQuotingSentences(text, quotes);
      return failedByQuotes(quotes);
    });
    return { text: told, failed };
  }

  /** A check that ends with an error counts as failed. */
  #failures(check: AnswerCheck, find: () => FailedCheck[]): FailedCheck[] {
    try {
      return find();
    } catch (error) {
      this.#log.error({ check, error: describeError(error) }, "an answer could not be checked");
      return [{ check, reason: "The check ended with an error" }];
    }
  }

  #quotesIn(text: string): QuotedPassage<Quoted>[] {
    const { topic, exchanges, maxMaterial } = this.#place;
    const message = messageIn(this.#place);
    return quotedPassages(withoutNamesOfFields(text), this.#secrets, () =>
      learnerVisibleText({ message, exchanges }, topic, maxMaterial),
    );
  }

  #required(isGreeting: boolean): RequiredQuestionKind {
    const { request, move } = this.#place;
    if (move !== null || !requestHasQuestionInstructions(request)) return "none";
    return isGreeting ? "block" : "any";
  }

  #formerQuestion(): FormerQuestion | undefined {
    const former = lastQuestionOf(this.#place.exchanges);
    return former && { ...former, chosen: chosenIn(messageIn(this.#place)) };
  }
}

/** With a private message's passages, which the learner can read too. */
const messageIn = ({ request }: AnswerCheckSubject): string => request.messages.at(-1)?.content ?? "";

/** The prompt shows a question's block. Places in the text stay the same. */
const withoutNamesOfFields = (text: string): string =>
  text.replaceAll(/"(?:questionId|question|options|id|text)":/g, (name) => " ".repeat(name.length));

function secretsOf({ topic, prompt }: AnswerCheckSubject): NamedSecretText<Quoted>[] {
  const secret = (name: Quoted, fewestWords: number) => (text: string) => ({ name, text, fewestWords });
  const template = [...textBetweenPlaceholders(prompt.template), teacherPromptAdditions(topic.tutor)];
  return [
    ...template.map(secret("prompt_not_quoted", Number.POSITIVE_INFINITY)),
    ...forbiddenPhrases(topic).map(secret("never_say", 1)),
    ...tutorNoteTexts(topic)
      .flatMap((note) => note.split("\n"))
      .map(secret("notes_not_told", minWordsOfCheckedNote))
      .map((note) => ({ ...note, findsEdited: true })),
  ];
}

const reasons: Readonly<Record<Quoted, string>> = {
  prompt_not_quoted: "The answer quotes its instructions",
  never_say: "The answer says what the teachers forbid",
  notes_not_told: "The answer quotes the teachers' notes",
};

function failedByQuotes(quotes: readonly QuotedPassage<Quoted>[]): FailedCheck[] {
  return [...Map.groupBy(quotes, ({ name }) => name)].map(([check, [first]]) => ({
    check,
    reason: `${reasons[check]}: “${first?.words ?? ""}”`,
  }));
}

/** Moves leave their question open. */
function lastQuestionOf(exchanges: readonly Exchange[]): Omit<FormerQuestion, "chosen"> | undefined {
  const last = exchanges.findLast(({ move }) => move === undefined || !isMove(move));
  const question = last && findLastQuestion(last.answer);
  return question && { question, key: last.key ?? undefined };
}

function chosenIn(message: string): string | undefined {
  try {
    const { answer } = JSON.parse(message) as { answer?: unknown };
    return answer === undefined ? undefined : String(answer);
  } catch {
    return undefined;
  }
}
