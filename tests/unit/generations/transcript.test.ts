import { describe, expect, it } from "vitest";
import type { Heard, Piece } from "../../../lib/generations/piece.ts";
import { Transcript } from "../../../lib/generations/transcript.ts";

const heardOf = (transcript: Transcript, pieces: Piece[], whole = false): Heard[] => [
  ...transcript.news({ pieces }, whole),
];

describe("what one listener hears of an answer", () => {
  it("goes on where a new telling begins with the same words, however they are cut", () => {
    const transcript = new Transcript();
    heardOf(transcript, [["one ", "two "]]);
    expect(heardOf(transcript, [["one two three "], ["four"]], true)).toEqual([["three "], ["four"]]);
  });

  it("begins anew, and says so, where a new telling says something else", () => {
    const transcript = new Transcript();
    heardOf(transcript, [["one "], ["two "]]);
    expect(heardOf(transcript, [["one "], ["three"]])).toEqual(["restart", ["one "], ["three"]]);
  });

  it("begins anew where a whole answer is shorter than what was heard", () => {
    const transcript = new Transcript();
    heardOf(transcript, [["one "], ["two "]]);
    expect(heardOf(transcript, [["one "]], true)).toEqual(["restart", ["one "]]);
  });

  it("comes once, also what is said while earlier words are passed on", () => {
    const transcript = new Transcript();
    heardOf(transcript, [["former "]]);
    const telling = { pieces: [["one "]] };
    const heard: Heard[] = [];
    for (const news of transcript.news(telling, false)) {
      heard.push(news);
      if (heard.length === 2) telling.pieces.push(["two "]);
    }
    heard.push(...transcript.news(telling, false));
    expect(heard).toEqual(["restart", ["one "], ["two "]]);
  });
});
