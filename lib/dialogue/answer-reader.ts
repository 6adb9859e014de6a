import type { Question } from "../../schema/question.ts";
import { FencedBlocks, type Part } from "./fenced-blocks.ts";
import { isKey, keyWithin, withoutKey } from "./read-key.ts";
import { questionBlock, readQuestion } from "./read-question.ts";

/**
 * A question that could not be read: how the model wrote it, the lines before it, and the words behind it, which are
 * held back.
 */
export type BrokenQuestion = { gap: string; raw: string; after: string };

/** A question that was asked for once more, with the keys that came with it, as they were written. */
export type AskedAgain = { question: Question; keys: readonly string[] };

/** What is sent of a question that stood in an answer so: the service's own block, unless said otherwise. */
type Writes = (question: Question, written: { raw: string; content: string }) => string;

/**
 * Reads an answer of the tutor as it comes, and says what is sent of it: words as they are, and each question as the
 * service's own block. Where a fence may hold a question, nothing from its first character on is sent before it is
 * read. Keys are kept as they were written, and never sent: blocks of `key`, and what a question has as its `key`.
 */
export class AnswerReader {
  readonly #blocks = new FencedBlocks(isQuestion);
  readonly #writes: Writes;
  readonly keys: string[] = [];
  #question: Question | undefined;
  #broken: BrokenQuestion | undefined;
  #lineEnds = "\n\n";

  constructor(writes: Writes = questionBlock) {
    this.#writes = writes;
  }

  /** The pieces that can be sent now. */
  take(text: string): string[] {
    return this.#piecesOf(this.#blocks.take(text));
  }

  /** The model called for its question by the tool `ask`, with this JSON. */
  ask(input: string): string[] {
    const pieces = this.end();
    const reading = readQuestion("mcq", input);
    if (typeof reading === "object" && JSON.stringify(reading.question) === JSON.stringify(this.#question)) {
      this.#keepKeyWithin(input);
      return pieces;
    }
    const gap = this.#gap();
    return [...pieces, ...this.#blockPieces("mcq", input, `\`\`\`mcq\n${input}\n\`\`\``, false, gap)];
  }

  /** The pieces that are left when the model has said all. */
  end(): string[] {
    return this.#piecesOf(this.#blocks.end());
  }

  /** The answer's question: its last one. None where that could not be read. */
  get question(): Question | undefined {
    return this.#broken ? undefined : this.#question;
  }

  get broken(): BrokenQuestion | undefined {
    return this.#broken;
  }

  #piecesOf(parts: readonly Part[]): string[] {
    return parts.flatMap((part) => {
      if (part.type === "text") return this.#say(part.text);
      const { info, content, raw, isOpen } = part;
      const isQuestion = typeof readQuestion(info, content) === "object";
      if (isQuestion || !isKey(info, content))
        return this.#blockPieces(info, content, raw, isOpen, part.isInner ? this.#gap() : "");
      this.keys.push(withoutFenceLine(content));
      return [];
    });
  }

  #blockPieces(info: string, content: string, raw: string, isOpen: boolean, gap: string): string[] {
    const reading = readQuestion(info, content);
    if (reading === "none") return this.#say(raw);
    const before = this.#broken?.after ?? "";
    if (reading === "malformed") {
      // The model has written its question again, and no better.
      this.#broken = { gap, raw: withoutKey(raw), after: "" };
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

  #keepKeyWithin(content: string): void {
    const key = keyWithin(content);
    if (key !== undefined) this.keys.push(key);
  }

  /** What is said behind a block that nobody closed is not told where it holds a key. */
  #withoutKeys(rest: string): string {
    if (!isKey("", rest)) return rest;
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

/** Whether what is there of a fence's block is a question. */
const isQuestion = (info: string, content: string): boolean =>
  typeof readQuestion(info, content) === "object";

/** A block without what stands in the line of its fence, such as attributes, where JSON begins below it. */
const withoutFenceLine = (content: string): string => content.replace(/^[^\n]*\n(?=\s*[{[])/, "");

/** What a model said behind a block that it never closed. */
const startingAnew = (rest: string): string =>
  rest.trim() === "" ? rest.replaceAll(/[^\n]/g, "") : rest.startsWith("\n") ? rest : `\n${rest}`;

/** The question of a text that should hold nothing else but its key: in a block of any kind, or without one. */
export function questionAlone(text: string): AskedAgain | undefined {
  const reader = new AnswerReader();
  reader.take(text);
  reader.end();
  const { question, keys } = reader;
  if (question) return { question, keys };
  const reading = reader.broken ? "malformed" : readQuestion("mcq", text);
  if (typeof reading !== "object") return undefined;
  const key = keyWithin(text);
  return { question: reading.question, keys: key === undefined ? [] : [key] };
}

/** The question of a whole answer, as it was sent and is stored: its last one. None where that could not be read. */
export function questionIn(answer: string): Question | undefined {
  if (!answer.includes("```") && !answer.includes("~~~")) return undefined;
  const reader = new AnswerReader();
  reader.take(answer);
  reader.end();
  return reader.question;
}

/** An answer that someone wrote by hand, as it is stored, its question, and its words without any question. */
export type WrittenAnswer = { text: string; question: Question | undefined; words: string };

/**
 * Reads an answer that someone wrote by hand: as they wrote it where its questions stand as the service writes them, but for
 * the lines of their JSON, else with the service's own blocks. Undefined where the question cannot be read.
 */
export function writtenAnswer(answer: string): WrittenAnswer | undefined {
  const reader = new AnswerReader((question, written) =>
    isOwnBlock(question, written) ? written.raw : questionBlock(question),
  );
  const text = [...reader.take(answer), ...reader.end()].join("");
  return reader.broken ? undefined : { text, question: reader.question, words: wordsOf(answer) };
}

/** An answer without its questions and keys. */
function wordsOf(answer: string): string {
  const reader = new AnswerReader(() => "");
  return [...reader.take(answer), ...reader.end()].join("").trimEnd();
}

function isOwnBlock(question: Question, { raw, content }: { raw: string; content: string }): boolean {
  if (!/^```mcq\r?\n[\s\S]*\n```$/.test(raw)) return false;
  try {
    return `\`\`\`mcq\n${JSON.stringify(JSON.parse(content))}\n\`\`\`` === questionBlock(question);
  } catch {
    return false;
  }
}
