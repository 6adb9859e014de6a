import { describe, expect, it } from "vitest";
import { AnswerDiffers, Listener } from "../../../lib/chat/listener.ts";
import type { Piece } from "../../../lib/chat/turn.ts";

async function* telling(...pieces: Piece[]): AsyncGenerator<Piece, "told", undefined> {
  yield* pieces;
  return "told";
}

async function heardBy(listener: Listener, ...pieces: Piece[]): Promise<Piece[]> {
  const heard: Piece[] = [];
  for await (const piece of listener.hear(telling(...pieces))) heard.push(piece);
  return heard;
}

describe("someone who hears an answer", () => {
  it("is given the first teller's pieces as they are", async () => {
    const piece = ["Good ", "morning"];
    const [heard] = await heardBy(new Listener(), piece);
    expect(heard).toBe(piece);
  });

  it("is told only what is new by a second teller, however it cuts the same words", async () => {
    const listener = new Listener();
    await heardBy(listener, ["Good "], ["mor"]);
    expect(await heardBy(listener, ["Go", "od"], [" morning", ", class"], ["."])).toEqual([
      ["ning", ", class"],
      ["."],
    ]);
    expect(await heardBy(listener, ["Good morning, class.", " Sit."])).toEqual([[" Sit."]]);
  });

  it("is told nothing by a teller who stops before the news", async () => {
    const listener = new Listener();
    await heardBy(listener, ["Good morning"]);
    expect(await heardBy(listener, ["Good "], ["mor"])).toEqual([]);
    expect(await heardBy(listener, ["Good morning", "!"])).toEqual([["!"]]);
  });

  it("does not accept a teller who contradicts what was heard", async () => {
    const listener = new Listener();
    await heardBy(listener, ["Good morning"]);
    await expect(heardBy(listener, ["Good ", "evening"])).rejects.toThrow(AnswerDiffers);
  });
});
