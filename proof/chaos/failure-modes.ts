import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedAnswer } from "../../tests/support/llm-stand-in.ts";
import type { Dice } from "./rng.ts";

/** How often the LLM does what, of a hundred answers; else it answers as it should. */
const moods = {
  overloaded: 4,
  rejecting: 3,
  "failing in the middle": 5,
  "hanging up in the middle": 3,
  "ending without an end": 2,
  "cut off": 3,
  refusing: 2,
  silent: 2,
  slow: 5,
  "saying what cannot be stored": 4,
};

export type Mood = keyof typeof moods | "well";

export function moodOf(dice: Dice): Mood {
  let left = dice.between(0, 100);
  for (const [mood, share] of Object.entries(moods) as [keyof typeof moods, number][]) {
    left -= share;
    if (left < 0) return mood;
  }
  return "well";
}

/** An answer in that mood; no two calls are answered the same. */
export function answerIn(mood: Mood, call: number, dice: Dice): ScriptedAnswer {
  const pauseMs = Math.round(dice.between(10, 150));
  const chunks = wholeAnswer(call, dice);
  const begun = chunks.slice(0, Math.floor(dice.between(1, chunks.length)));
  switch (mood) {
    case "overloaded":
      return { status: 529, error: { type: "overloaded_error" } };
    case "rejecting":
      return { status: 400, error: { type: "invalid_request_error" } };
    case "failing in the middle":
      return { chunks: begun, pauseMs, failure: "error event" };
    case "hanging up in the middle":
      return { chunks: begun, pauseMs, failure: "socket destroyed" };
    case "ending without an end":
      return { chunks: begun, pauseMs, failure: "end without stop" };
    case "cut off":
      return { chunks: begun, pauseMs, stop_reason: "max_tokens" };
    case "refusing":
      return { chunks: begun.slice(0, 2), pauseMs, stop_reason: "refusal" };
    case "silent":
      return { chunks: [] };
    case "slow":
      return { chunks: [sleep(dice.between(1500, 4000)), ...chunks], pauseMs };
    case "saying what cannot be stored":
      return {
        chunks: ["A nul \u0000, half a face \ud83d", "\ude42, a lone half \ud83d. ", ...chunks],
        pauseMs,
      };
    case "well":
      return { chunks, pauseMs };
  }
}

/** How much a call in that mood counts as a failure: the client repeats what a provider is too busy for twice. */
export const failureOf = (mood: Mood): number =>
  mood === "overloaded" ? 1 / 3 : /rejecting|middle|without/.test(mood) ? 1 : 0;

/** Whether nothing is kept of an answer in that mood, though it came to an end. */
export const leavesNothing = (mood: Mood): boolean => ["cut off", "refusing", "silent"].includes(mood);

function wholeAnswer(call: number, dice: Dice): string[] {
  const sentences = Array.from(
    { length: Math.floor(dice.between(2, 12)) },
    (_, index) => `Thought ${index + 1} of answer ${call}. `,
  );
  return dice.chance(0.9) ? [...sentences, ...questionBlock(`q${call}`)] : sentences;
}

/** A question of the tutor, as the prompt asks for it, in two chunks. */
export function questionBlock(questionId: string): [string, string] {
  const options = ["a", "b", "c"].map((id) => ({ id, text: `Option ${id.toUpperCase()}` }));
  const json = JSON.stringify({ questionId, question: "Which one is it?", options });
  return [`\n\n\`\`\`mcq\n${json.slice(0, 20)}`, `${json.slice(20)}\n\`\`\`\n`];
}
