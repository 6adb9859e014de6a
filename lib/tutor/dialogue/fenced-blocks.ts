import {
  type CodeFence,
  classifyFenceOpening,
  closesFence,
  closingFenceMarker,
  findFenceWithinLine,
  type InlineRun,
  indexOfFenceAfterJson,
  indexOfKeyFenceAfterJson,
  ownBlockLanguages,
  possibleOwnBlockLanguages,
  withoutQuoteMarks,
} from "./fence-lines.ts";

export type FencedBlock = {
  type: "block";
  info: string;
  content: string;
  raw: string;
  /** It ended with the answer, without a closing fence. */
  isOpen: boolean;
  /** It started after other text in its line. */
  isInner: boolean;
};

export type AnswerSegment = { type: "text"; text: string } | FencedBlock;

/** A block is complete without its own fence: it ended with fewer backticks, or after its last bracket. */
type Reads = (info: string, content: string) => boolean;

/** Attempts to read a block before its fence, and to split an unclosed block. */
const maxBlockReadTries = 4;

type Held = CodeFence & {
  isInner: boolean;
  lines: string[];
  content: string[];
  tries: number;
  soft: number | undefined;
};

/**
 * Splits a streamed answer into text and held blocks, which may be the service's own data. Passes on a
 * complete block from its fence's first character, other text once its line cannot be a fence. Linear.
 */
export class FencedBlockSplitter {
  readonly #reads: Reads;
  /** Part of a line that may become a fence. */
  #pending = "";
  #inline: InlineRun | undefined;
  #isAtLineStart = true;
  /** Another language's fence: its first line, where a backtick makes it inline code, then its block. */
  #other: { marker: string; isOpening: boolean } | undefined;
  #held: Held | undefined;
  #line: string[] = [];
  #parts: AnswerSegment[] = [];
  #recuts = 0;

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  take(chunk: string): AnswerSegment[] {
    this.#feed(chunk);
    return this.#passOn();
  }

  end(): AnswerSegment[] {
    this.#finish();
    return this.#passOn();
  }

  #finish(): void {
    const line = this.#pending;
    this.#pending = "";
    if (!this.#held && line !== "" && this.#isAtLineStart) this.#beginLine(line, true);
    else if (!this.#held && line !== "") this.#goOn(line, true);
    // The last line may begin another held block.
    while (this.#held && this.#line.length > 0) this.#heldLine(this.#held);
    if (this.#held) this.#endOpen(this.#held);
  }

  #passOn(): AnswerSegment[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #text(text: string): void {
    const last = this.#parts.at(-1);
    if (text === "") return;
    if (last?.type === "text") last.text += text;
    else this.#parts.push({ type: "text", text });
  }

  #feed(chunk: string): void {
    for (let at = 0; at < chunk.length; ) {
      const lineEnd = chunk.indexOf("\n", at);
      const next = lineEnd < 0 ? chunk.length : lineEnd + 1;
      this.#feedLine(chunk.slice(at, next));
      at = next;
    }
  }

  #feedLine(part: string): void {
    const isEnded = part.endsWith("\n");
    if (this.#held) {
      this.#line.push(part);
      if (isEnded) this.#heldLine(this.#held);
    } else if (this.#isAtLineStart) {
      const line = this.#pending + part;
      this.#pending = "";
      this.#beginLine(line, isEnded);
    } else {
      const line = this.#pending + part;
      this.#pending = "";
      this.#goOn(line, isEnded);
    }
  }

  /** Passes on text that does not start a line, up to a possible fence. */
  #goOn(part: string, isWhole: boolean): void {
    const other = this.#other;
    if (other?.isOpening && other.marker[0] === "`" && part.includes("`")) this.#other = undefined;
    const { end, fence, inline } = findFenceWithinLine(
      part,
      this.#inline,
      isWhole,
      this.#other !== undefined,
    );
    this.#text(part.slice(0, end));
    if (fence) return void this.#holdWithin(fence, part.slice(end));
    const isEnded = part.endsWith("\n");
    this.#pending = part.slice(end);
    this.#inline = isEnded ? undefined : inline;
    this.#isAtLineStart = isEnded;
    if (isEnded && this.#other) this.#other.isOpening = false;
  }

  /** A key's fence ends a block of another language if its marks would. */
  #holdWithin(fence: CodeFence, line: string): void {
    const other = this.#other;
    if (other && closesFence(fence.marker, other.marker)) {
      this.#other = undefined;
      this.#text(`\n${other.marker}\n`);
    }
    this.#hold(fence, line, true);
  }

  #beginLine(line: string, isWhole: boolean): void {
    const fence = classifyFenceOpening(line, isWhole);
    if (fence === "more") {
      this.#pending = line;
      return;
    }
    if (fence === "text") return void this.#goOn(line, isWhole);
    if (this.#other) return void this.#insideOther(this.#other, fence, line, isWhole);
    if (possibleOwnBlockLanguages.includes(fence.info)) return void this.#hold(fence, line);
    this.#other = { marker: fence.marker, isOpening: true };
    this.#text(line.slice(0, fence.rest));
    this.#isAtLineStart = false;
    this.#inline = { mark: fence.marker[0] as string, length: fence.marker.length };
    if (line.length > fence.rest) this.#goOn(line.slice(fence.rest), isWhole);
  }

  /** A question or key ends an unclosed block; other fences belong to it. */
  #insideOther(other: { marker: string }, fence: CodeFence, line: string, isWhole: boolean): void {
    const isOfIt = closesFence(fence.marker, other.marker);
    // A key with shorter marks than the block is inside it; the block continues after it.
    if (!isOfIt && fence.info === "key") return void this.#hold(fence, line);
    if (isOfIt && ownBlockLanguages.includes(fence.info)) {
      this.#other = undefined;
      this.#text(`${other.marker}\n`);
      return void this.#hold(fence, line);
    }
    if (!isOfIt || fence.info !== "") return void this.#goOn(line, isWhole);
    this.#other = undefined;
    this.#text(line);
  }

  #hold(fence: CodeFence, line: string, isInner = false): void {
    this.#inline = undefined;
    this.#held = { ...fence, isInner, lines: [], content: [], tries: 0, soft: undefined };
    this.#line = [line];
    if (line.endsWith("\n")) this.#heldLine(this.#held);
  }

  #heldLine(held: Held): void {
    const line = this.#line.join("");
    const said = held.isInner && held.lines.length > 0 ? withoutQuoteMarks(line) : line;
    this.#line = [];
    if (held.lines.length > 0) {
      const marker = closingFenceMarker(said);
      if (marker && closesFence(marker, held.marker)) return void this.#close(held, line, "");
      if (marker && this.#isWhole(held, "")) return void this.#close(held, line, "");
      const fence = classifyFenceOpening(said, true);
      if (typeof fence === "object" && ownBlockLanguages.includes(fence.info)) {
        this.#emit(held, true);
        return void this.#hold(fence, said, held.isInner);
      }
    }
    const own = held.lines.length > 0 ? said : line.slice(held.rest);
    const glued = indexOfFenceAfterJson(own);
    if (glued >= 0 && this.#isWhole(held, own.slice(0, glued)))
      return void this.#close(held, line, own.slice(0, glued));
    const key = held.info === "key" ? -1 : indexOfKeyFenceAfterJson(own);
    if (key >= 0) return void this.#endAtKey(held, own, key);
    held.lines.push(line);
    held.content.push(own);
  }

  /** A key starts in the line in which the block's JSON ends. */
  #endAtKey(held: Held, own: string, at: number): void {
    const before = own.slice(0, at);
    const isFirst = held.lines.length === 0;
    held.lines.push(isFirst ? `${held.marker}${held.info}${before}` : before);
    held.content.push(before);
    this.#emit(held, true);
    const line = own.slice(at);
    this.#hold(classifyFenceOpening(line, true) as CodeFence, line, held.isInner);
  }

  #isWhole(held: Held, last: string): boolean {
    held.soft ??= held.lines.length;
    if (held.info === "key") return true;
    if (held.tries === maxBlockReadTries) return false;
    held.tries += 1;
    return this.#reads(held.info, held.content.join("") + last);
  }

  #close(held: Held, line: string, last: string): void {
    const bare = line.endsWith("\r\n") ? line.slice(0, -2) : line.endsWith("\n") ? line.slice(0, -1) : line;
    held.lines.push(bare);
    held.content.push(last);
    this.#emit(held, false);
    this.#isAtLineStart = true;
    this.#text(line.slice(bare.length));
  }

  #emit(held: Held, isOpen: boolean): void {
    const { info, isInner, lines, content } = held;
    this.#held = undefined;
    this.#parts.push({
      type: "block",
      info,
      content: content.join(""),
      raw: lines.join(""),
      isOpen,
      isInner,
    });
  }

  /** The answer ended within a block. Text after a possible closing fence is split again. */
  #endOpen(held: Held): void {
    const { soft, info, lines, content } = held;
    const isCut = soft !== undefined && info === "mcq" && this.#recuts < maxBlockReadTries;
    if (!isCut || this.#reads(info, content.join(""))) return void this.#emit(held, true);
    this.#recuts += 1;
    this.#emit({ ...held, lines: lines.slice(0, soft + 1), content: content.slice(0, soft) }, true);
    this.#isAtLineStart = true;
    this.#feed(lines.slice(soft + 1).join(""));
    this.#finish();
  }
}
