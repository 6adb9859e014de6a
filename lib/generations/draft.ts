import type { Question } from "../../schema/question.ts";
import { AnswerReader } from "../dialogue/answer-reader.ts";
import type { Broadcast } from "./broadcast.ts";
import type { ChunkWriter } from "./chunk-writer.ts";

/** An answer as one attempt makes it: what was sent of it, and its question. */
export class Draft {
  readonly chunks: string[] = [];
  readonly #reader = new AnswerReader();
  readonly #broadcast: Broadcast;
  readonly #writer: ChunkWriter;

  constructor(broadcast: Broadcast, writer: ChunkWriter) {
    this.#broadcast = broadcast;
    this.#writer = writer;
  }

  /** The model said this: what can be sent of it is sent, to those who listen here at once and to all others a moment later. */
  add(text: string): void {
    this.#send(this.#reader.take(text));
  }

  /** The model has said all. A question that could not be read is sent as it is. */
  end(): void {
    this.#send(this.#reader.end());
    const { broken } = this.#reader;
    if (broken) this.#send([broken.raw, broken.after].filter((text) => text !== ""));
  }

  get question(): Question | undefined {
    return this.#reader.question;
  }

  #send(pieces: readonly string[]): void {
    if (pieces.length === 0) return;
    this.chunks.push(...pieces);
    this.#broadcast.send(pieces);
    this.#writer.add(pieces);
  }
}
