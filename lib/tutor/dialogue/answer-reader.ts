import type { Question } from "../../../schema/question.ts";
import { type AnswerSegment, FencedBlockSplitter } from "./fenced-blocks.ts";
import { cutBlockAtPossibleKey, findKeyInQuestionFields, isKeyBlock } from "./read-key.ts";
import { type BlockReading, formatQuestionBlock, readQuestionBlock } from "./read-question.ts";
import { StreamedKeyAndQuestionFinder } from "./secret-objects.ts";

/** The model's text, the lines before it, and the waiting text after it. */
export type BrokenQuestion = { gap: string; raw: string; after: string };

export type RepairedQuestion = { question: Question; keys: readonly string[] };

/** By default, the service's own block. */
type Writes = (question: Question, written: { raw: string; content: string }) => string;

/**
 * Returns what can be sent of a streamed answer: text unchanged, each question as the service's own block.
 * Once a fence may hold a question, nothing is sent until it was read. Raw keys (`key` blocks, a question's
 * field `key`) are collected and never sent.
 */
export class AnswerReader {
  readonly #blocks = new FencedBlockSplitter(isQuestion);
  readonly #objects = new StreamedKeyAndQuestionFinder();
  readonly #writes: Writes;
  readonly keys: string[] = [];
  #question: Question | undefined;
  #broken: BrokenQuestion | undefined;
  #lineEnds = "\n\n";

  constructor(writes: Writes = formatQuestionBlock) {
    this.#writes = writes;
  }

  take(text: string): string[] {
    return this.#piecesOf(this.#blocks.take(text));
  }

  ask(input: string): string[] {
    const pieces = this.end();
    const reading = readQuestionBlock("mcq", input);
    if (typeof reading === "object" && isSameQuestion(reading.question, this.#question)) {
      this.#keepKeyWithin(input);
      return pieces;
    }
    const gap = this.#gap();
    return [...pieces, ...this.#blockPieces("mcq", input, `\`\`\`mcq\n${input}\n\`\`\``, false, gap)];
  }

  end(): string[] {
    return [...this.#piecesOf(this.#blocks.end()), ...this.#piecesIn(this.#objects.end())];
  }

  /** Undefined if the last question could not be read. */
  get question(): Question | undefined {
    return this.#broken ? undefined : this.#question;
  }

  get broken(): BrokenQuestion | undefined {
    return this.#broken;
  }

  #piecesOf(parts: readonly AnswerSegment[]): string[] {
    return parts.flatMap((part) =>
      part.type === "text"
        ? this.#piecesIn(this.#objects.take(part.text))
        : [...this.#piecesIn(this.#objects.end()), ...this.#piecesIn([part])],
    );
  }

  #piecesIn(parts: readonly AnswerSegment[]): string[] {
    return parts.flatMap((part) => {
      if (part.type === "text") return this.#say(part.text);
      const { info, content, raw, isOpen } = part;
      const isQuestion = typeof readQuestionBlock(info, content) === "object";
      const within = isQuestion || info === "key" || info === "mcq" ? [] : keysWithin(content);
      if (within.length > 0) {
        this.keys.push(...within);
        return [];
      }
      if (isQuestion || !isKeyBlock(info, content))
        return this.#blockPieces(info, content, raw, isOpen, part.isInner ? this.#gap() : "");
      this.keys.push(withoutFenceLine(content));
      return [];
    });
  }

  #blockPieces(info: string, content: string, raw: string, isOpen: boolean, gap: string): string[] {
    const reading = readQuestionBlock(info, content);
    if (reading === "none") return this.#say(raw);
    this.#dropKeysOfEarlierQuestion(reading);
    const before = this.#broken?.after ?? "";
    if (reading === "malformed") {
      // The model repeated its question, still unreadable.
      this.#broken = { gap, raw: cutBlockAtPossibleKey(raw), after: "" };
      return this.#sent(before);
    }
    this.#broken = undefined;
    this.#question = reading.question;
    this.#keepKeyWithin(content);
    const rest = this.#withoutKeys(isOpen ? content.slice(reading.end) : "");
    return [
      ...this.#sent(before),
      ...this.#sent(`${gap}${this.#writes(reading.question, { raw, content })}`),
      ...this.#sent(startingAnew(rest)),
    ];
  }

  /** A key belongs to the question before it; before the first question, to that one. */
  #dropKeysOfEarlierQuestion(reading: Exclude<BlockReading, "none">): void {
    const isFirst = !this.#question && !this.#broken;
    const isRepeated = reading !== "malformed" && isSameQuestion(reading.question, this.question);
    if (!isFirst && !isRepeated) this.keys.length = 0;
  }

  #keepKeyWithin(content: string): void {
    const key = findKeyInQuestionFields(content);
    if (key !== undefined) this.keys.push(key);
  }

  /** After an unclosed block, drops text from the start of a key on. */
  #withoutKeys(rest: string): string {
    if (!isKeyBlock("", rest)) return rest;
    this.keys.push(rest);
    return "";
  }

  #say(text: string): string[] {
    if (!this.#broken) return this.#sent(text);
    this.#broken.after += text;
    return [];
  }

  #sent(text: string): string[] {
    if (text === "") return [];
    this.#lineEnds = `${this.#lineEnds}${text.slice(-2)}`.slice(-2);
    return [text];
  }

  #gap(): string {
    return this.#lineEnds === "\n\n" ? "" : this.#lineEnds.endsWith("\n") ? "\n" : "\n\n";
  }
}

const isSameQuestion = (one: Question, other: Question | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Of a block without a name of its own. */
function keysWithin(content: string): string[] {
  const finder = new StreamedKeyAndQuestionFinder();
  const parts = [...finder.take(content), ...finder.end()];
  return parts.flatMap((part) => (part.type === "block" && part.info === "key" ? [part.content] : []));
}

const isQuestion = (info: string, content: string): boolean =>
  typeof readQuestionBlock(info, content) === "object";

/** Removes the rest of the fence's line if JSON starts on the next line. */
const withoutFenceLine = (content: string): string => content.replace(/^[^\n]*\n(?=\s*[{[])/, "");

const startingAnew = (rest: string): string =>
  rest.trim() === "" ? rest.replaceAll(/[^\n]/g, "") : rest.startsWith("\n") ? rest : `\n${rest}`;

/** The question of a text with nothing else but its key. */
export function parseQuestionOnly(text: string): RepairedQuestion | undefined {
  const reader = new AnswerReader();
  reader.take(text);
  reader.end();
  const { question, keys } = reader;
  if (question) return { question, keys };
  const reading = reader.broken ? "malformed" : readQuestionBlock("mcq", text);
  if (typeof reading !== "object") return undefined;
  const key = findKeyInQuestionFields(text);
  return { question: reading.question, keys: key === undefined ? [] : [key] };
}

/** A stored answer's last question; undefined if it could not be read. */
export function findLastQuestion(answer: string): Question | undefined {
  if (!answer.includes("```") && !answer.includes("~~~")) return undefined;
  const reader = new AnswerReader();
  reader.take(answer);
  reader.end();
  return reader.question;
}

/** Words and question; all words if the question is unreadable. */
export function splitWordsAndQuestion(answer: string): { words: string; question: Question | undefined } {
  const question = findLastQuestion(answer);
  return { words: question ? wordsOf(answer) : answer, question };
}

export type NormalizedAnswer = { text: string; question: Question | undefined; words: string };

/**
 * Keeps a hand-written text if its questions have the service's format apart from line breaks in JSON, else
 * rewrites them. Undefined if a question is unreadable.
 */
export function normalizeHandWrittenAnswer(answer: string): NormalizedAnswer | undefined {
  const reader = new AnswerReader((question, written) =>
    isOwnBlock(question, written) ? written.raw : formatQuestionBlock(question),
  );
  const text = [...reader.take(answer), ...reader.end()].join("");
  return reader.broken ? undefined : { text, question: reader.question, words: wordsOf(answer) };
}

function wordsOf(answer: string): string {
  const reader = new AnswerReader(() => "");
  return [...reader.take(answer), ...reader.end()].join("").trimEnd();
}

function isOwnBlock(question: Question, { raw, content }: { raw: string; content: string }): boolean {
  if (!/^```mcq\r?\n[\s\S]*\n```$/.test(raw)) return false;
  try {
    return `\`\`\`mcq\n${JSON.stringify(JSON.parse(content))}\n\`\`\`` === formatQuestionBlock(question);
  } catch {
    return false;
  }
}
