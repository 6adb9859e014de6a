import type { Question, QuestionKey } from "../../../schema/question.ts";
import { AnswerReader, type BrokenQuestion, type RepairedQuestion } from "../dialogue/answer-reader.ts";
import { parseAnswerKey } from "../dialogue/read-key.ts";
import { formatQuestionBlock } from "../dialogue/read-question.ts";
import type { AnswerBroadcast } from "./broadcast.ts";
import type { ChunkWriter } from "./chunk-writer.ts";
import { CitationFilter } from "./citations.ts";

/** One attempt at an answer. One that carries another's question drops its own. */
export class AnswerDraft {
  readonly chunks: string[] = [];
  readonly #reader: AnswerReader;
  readonly #broadcast: AnswerBroadcast;
  readonly #writer: ChunkWriter;
  readonly #carriesQuestion: boolean;
  readonly #citations: CitationFilter;
  #repaired: RepairedQuestion | undefined;

  /** `offered`: passages that the model may cite. */
  constructor(
    broadcast: AnswerBroadcast,
    writer: ChunkWriter,
    carriesQuestion = false,
    offered: ReadonlySet<number> = new Set(),
  ) {
    this.#citations = new CitationFilter(offered);
    this.#reader = carriesQuestion ? new AnswerReader(() => "") : new AnswerReader();
    this.#carriesQuestion = carriesQuestion;
    this.#broadcast = broadcast;
    this.#writer = writer;
  }

  add(text: string): void {
    this.#send(this.#reader.take(this.#citations.take(text)));
  }

  ask(input: string): void {
    if (this.#carriesQuestion) return;
    this.#send(this.#reader.ask(input));
  }

  end(): void {
    this.#send(this.#reader.take(this.#citations.end()));
    this.#send(this.#reader.end());
    // An unreadable question is dropped too; the text after it is sent.
    const { broken } = this.#reader;
    if (this.#carriesQuestion && broken?.after) this.#send([broken.after]);
  }

  /** Neither the unreadable question nor the text after it has been sent. */
  get broken(): BrokenQuestion | undefined {
    return this.#repaired || this.#carriesQuestion ? undefined : this.#reader.broken;
  }

  get question(): Question | undefined {
    if (this.#carriesQuestion) return undefined;
    return this.#repaired ? this.#repaired.question : this.#reader.question;
  }

  get writtenKeys(): readonly string[] {
    return this.#carriesQuestion ? [] : [...this.#reader.keys, ...(this.#repaired?.keys ?? [])];
  }

  /** Undefined if the raw keys name no option or several. */
  get key(): QuestionKey | undefined {
    return this.question && parseAnswerKey(this.question, this.writtenKeys);
  }

  /** Sends the text that an unreadable question held back, with the repaired question or as it was. */
  settle(repaired: RepairedQuestion | undefined): void {
    const { broken } = this;
    if (!broken) return;
    this.#repaired = repaired;
    const block = repaired ? formatQuestionBlock(repaired.question) : broken.raw;
    this.#send([broken.gap + block, broken.after].filter((text) => text !== ""));
  }

  #send(pieces: readonly string[]): void {
    if (pieces.length === 0) return;
    this.chunks.push(...pieces);
    this.#broadcast.send(pieces);
    this.#writer.add(pieces);
  }
}
