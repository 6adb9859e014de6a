import type { Question, QuestionKey } from "../../schema/question.ts";
import { AnswerReader, type AskedAgain, type BrokenQuestion } from "../dialogue/answer-reader.ts";
import { keyFor } from "../dialogue/read-key.ts";
import { questionBlock } from "../dialogue/read-question.ts";
import type { Broadcast } from "./broadcast.ts";
import type { ChunkWriter } from "./chunk-writer.ts";
import { CitationFilter } from "./citations.ts";

/**
 * An answer as one attempt makes it: what was sent of it, and its question. One that carries another's question is sent
 * without what the model asks in it.
 */
export class Draft {
  readonly chunks: string[] = [];
  readonly #reader: AnswerReader;
  readonly #broadcast: Broadcast;
  readonly #writer: ChunkWriter;
  readonly #carriesQuestion: boolean;
  readonly #citations: CitationFilter;
  #repaired: AskedAgain | undefined;

  /** `offered` are the numbers of the passages that the model may cite. */
  constructor(
    broadcast: Broadcast,
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

  /** The model said this: what can be sent of it is sent, to those who listen here at once and to all others a moment later. */
  add(text: string): void {
    this.#send(this.#reader.take(this.#citations.take(text)));
  }

  /** The model asks its question by the tool, with this JSON. */
  ask(input: string): void {
    if (this.#carriesQuestion) return;
    this.#send(this.#reader.ask(input));
  }

  /** The model has said all. */
  end(): void {
    this.#send(this.#reader.take(this.#citations.end()));
    this.#send(this.#reader.end());
    // A question that could not be read is dropped like any other, and what is said behind it is not.
    const { broken } = this.#reader;
    if (this.#carriesQuestion && broken?.after) this.#send([broken.after]);
  }

  /** The question that could not be read; neither it nor what is said behind it is sent. */
  get broken(): BrokenQuestion | undefined {
    return this.#repaired || this.#carriesQuestion ? undefined : this.#reader.broken;
  }

  get question(): Question | undefined {
    if (this.#carriesQuestion) return undefined;
    return this.#repaired ? this.#repaired.question : this.#reader.question;
  }

  /** What the model wrote of its question's key, which is sent to nobody. */
  get writtenKeys(): readonly string[] {
    return this.#carriesQuestion ? [] : [...this.#reader.keys, ...(this.#repaired?.keys ?? [])];
  }

  /** The key of its question; undefined where what was written names no option of it, or several. */
  get key(): QuestionKey | undefined {
    return this.question && keyFor(this.question, this.writtenKeys);
  }

  /** Sends what waits for a broken question: with the one in its place, or as the model wrote it. */
  settle(repaired: AskedAgain | undefined): void {
    const { broken } = this;
    if (!broken) return;
    this.#repaired = repaired;
    const block = repaired ? questionBlock(repaired.question) : broken.raw;
    this.#send([broken.gap + block, broken.after].filter((text) => text !== ""));
  }

  #send(pieces: readonly string[]): void {
    if (pieces.length === 0) return;
    this.chunks.push(...pieces);
    this.#broadcast.send(pieces);
    this.#writer.add(pieces);
  }
}
