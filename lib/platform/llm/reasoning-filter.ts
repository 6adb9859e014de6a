import type { ReasoningPair } from "../validation/reasoning-tags.ts";
import {
  channelEndMarks,
  channelMessageMark,
  maxReasoningMarkCharacters,
  reasoningMarkAt,
  unopenedReasoningEndMarks,
} from "./reasoning-marks.ts";

export type ReasoningMarkOptions = { isUnopened: boolean; pairs: readonly ReasoningPair[] };

type Reasoning = {
  ends: RegExp;
  /** Longest text that may become an end. */
  longest: number;
  /** Whether the end belongs to the reasoning. */
  takesEnd: boolean;
  /** A weak mark within a line: plain text if it is never closed. */
  unclosed?: { name: string; text: string } | undefined;
};

/** Longest header of a channel. */
const maxChannelHeaderCharacters = 1000;
const maxHeldBlankCharacters = 1000;
/** Blanks within a closing tag. */
const blanksOfTag = 8;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

function reasoningTo(ends: readonly string[], takesEnd: boolean): Reasoning {
  const patterns = ends.map((end) =>
    end.startsWith("</") ? `${escaped(end.slice(0, -1))}\\s{0,${blanksOfTag}}>` : escaped(end),
  );
  const longest = Math.max(...ends.map(({ length }) => length)) + blanksOfTag;
  return { ends: new RegExp(patterns.join("|"), "i"), longest, takesEnd };
}

/**
 * Removes a model's reasoning between known marks, and chat-template tokens, however the text is chunked.
 * Linear time. Holds a possible mark; after a word like `<think>` within a line, holds the text until the
 * mark is closed.
 */
export class ReasoningFilter {
  readonly #pairs: readonly ReasoningPair[];
  readonly #first: RegExp;
  #reasoning: Reasoning | "header" | undefined;
  #held = "";
  #isLineStart = true;
  #hasSpoken = false;
  #blanks = "";
  #hasRemoved = false;
  /** Weak marks that are never closed. */
  readonly #words = new Set<string>();

  constructor({ isUnopened, pairs }: ReasoningMarkOptions) {
    this.#pairs = pairs;
    this.#first = new RegExp(`[<[◁${escaped(pairs.map(([open]) => open.charAt(0)).join(""))}]`);
    this.#hasRemoved = isUnopened;
    if (isUnopened)
      this.#reasoning = reasoningTo([...unopenedReasoningEndMarks, ...pairs.map(([, close]) => close)], true);
  }

  take(text: string): string {
    this.#held += text;
    return this.#read(false);
  }

  rest(): string {
    let said = this.#read(true);
    while (typeof this.#reasoning === "object" && this.#reasoning.unclosed) {
      const { name, text } = this.#reasoning.unclosed;
      this.#words.add(name);
      this.#reasoning = undefined;
      this.#held = text;
      said += this.#read(true);
    }
    const blanks = this.#hasRemoved ? "" : this.#blanks;
    this.#blanks = "";
    return blanks + said;
  }

  #read(isEnd: boolean): string {
    const said: string[] = [];
    for (let isOn = true; isOn && this.#held !== ""; ) {
      if (this.#reasoning === "header") isOn = this.#readHeader(isEnd);
      else if (this.#reasoning) isOn = this.#reason(this.#reasoning, isEnd);
      else isOn = this.#speak(said, isEnd);
    }
    return said.join("");
  }

  /** Whether there is more to read. */
  #speak(said: string[], isEnd: boolean): boolean {
    const found = this.#held.search(this.#first);
    const at = found < 0 ? this.#held.length : found;
    said.push(this.#say(this.#held.slice(0, at)));
    this.#held = this.#held.slice(at);
    if (this.#held === "") return false;
    const mark = reasoningMarkAt(this.#held.slice(0, maxReasoningMarkCharacters), this.#pairs, isEnd);
    if (mark === "more") return false;
    const text = this.#held.slice(0, mark?.length ?? 1);
    const isWord = mark?.kind === "reasoning" && mark.isWeak && !this.#isLineStart;
    const name = isWord ? (mark.ends[0] ?? "") : "";
    this.#held = this.#held.slice(text.length);
    if (!mark || (isWord && this.#words.has(name))) {
      said.push(this.#say(text));
      return true;
    }
    this.#hasRemoved = true;
    if (mark.kind === "channel") this.#reasoning = "header";
    else if (mark.kind === "reasoning")
      this.#reasoning = {
        ...reasoningTo(mark.ends, true),
        unclosed: isWord ? { name, text } : undefined,
      };
    return true;
  }

  #reason(reasoning: Reasoning, isEnd: boolean): boolean {
    const end = reasoning.ends.exec(this.#held);
    const kept = isEnd ? 0 : reasoning.longest;
    const drop = end ? end.index + (reasoning.takesEnd ? end[0].length : 0) : this.#held.length - kept;
    if (reasoning.unclosed && !end && drop > 0) reasoning.unclosed.text += this.#held.slice(0, drop);
    if (end || drop > 0) this.#held = this.#held.slice(drop);
    if (end) this.#reasoning = undefined;
    return end !== null;
  }

  /** The header names the channel. Final ones and tool calls are no reasoning. */
  #readHeader(isEnd: boolean): boolean {
    const end = this.#held.indexOf(channelMessageMark);
    if (end < 0 && !isEnd && this.#held.length < maxChannelHeaderCharacters) return false;
    const header = this.#held.slice(0, Math.max(end, 0)).trim();
    this.#held = end < 0 ? "" : this.#held.slice(end + channelMessageMark.length);
    const isSpoken = /^final\b|\bto=functions\./i.test(header);
    this.#reasoning = isSpoken ? undefined : reasoningTo(channelEndMarks, false);
    return true;
  }

  #say(text: string): string {
    if (text === "") return "";
    const line = text.slice(text.lastIndexOf("\n") + 1);
    this.#isLineStart = (this.#isLineStart || line.length < text.length) && /^[\s>*#-]*$/.test(line);
    if (this.#hasSpoken) return text;
    if (text.trim() === "" && this.#blanks.length + text.length < maxHeldBlankCharacters) {
      this.#blanks += text;
      return "";
    }
    this.#hasSpoken = true;
    const said = this.#blanks + text;
    this.#blanks = "";
    return this.#hasRemoved ? said.trimStart() : said;
  }
}
