import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedAnswer } from "../../tests/support/llm-stand-in.ts";
import type { SeededRandom } from "./rng.ts";

/** The LLM's failures in percent of answers; other answers are correct. */
const failureModes = {
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
  "writing its block carelessly": 10,
  "breaking its block": 5,
  "failing a check": 20,
};

export type LlmAnswerMode = keyof typeof failureModes | "well";

export function pickLlmAnswerMode(rng: SeededRandom): LlmAnswerMode {
  let left = rng.between(0, 100);
  for (const [mode, share] of Object.entries(failureModes) as [keyof typeof failureModes, number][]) {
    left -= share;
    if (left < 0) return mode;
  }
  return "well";
}

/** An answer in that mode; each call's answer is different. `isMove`: the learner's question stays open. */
export function createScriptedLlmAnswer(
  mode: LlmAnswerMode,
  call: number,
  isMove: boolean,
  rng: SeededRandom,
): ScriptedAnswer {
  const pauseMs = Math.round(rng.between(10, 150));
  const chunks = wholeAnswer(call, rng);
  const begun = chunks.slice(0, Math.floor(rng.between(1, chunks.length)));
  switch (mode) {
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
      return { chunks: [sleep(rng.between(1500, 4000)), ...chunks], pauseMs };
    case "saying what cannot be stored":
      return {
        chunks: ["A nul \u0000, half a face \ud83d", "\ude42, a lone half \ud83d. ", ...chunks],
        pauseMs,
      };
    case "writing its block carelessly":
      return { chunks: [...begun, ...carelessBlock(`q${call}`)], pauseMs };
    case "breaking its block":
      return {
        chunks: [...begun, "\n\n```mcq\n{", `"questionId": "q${call}", "options": [\n\`\`\``, "\nWell?"],
        pauseMs,
      };
    case "failing a check":
      return { chunks: badAnswer(call, isMove, rng), pauseMs };
    case "well":
      return { chunks, pauseMs };
  }
}

/**
 * A call's weight as a failure; an answer fails at a weight of 2. The client retries an overloaded provider
 * twice. A rejected call is not repeated.
 */
export function failedAttemptsPerCall(mode: LlmAnswerMode): number {
  if (mode === "rejecting") return 2;
  if (mode === "overloaded") return 1 / 3;
  return /middle|without/.test(mode) ? 1 : 0;
}

/** True if nothing of a completed answer in that mode may be stored. */
export const isUnstorableAnswerMode = (mode: LlmAnswerMode): boolean =>
  ["cut off", "refusing", "silent", "breaking its block", "failing a check"].includes(mode);

function wholeAnswer(call: number, rng: SeededRandom): string[] {
  const sentences = Array.from(
    { length: Math.floor(rng.between(2, 12)) },
    (_, index) => `Thought ${index + 1} of answer ${call}. `,
  );
  return [...sentences, ...questionBlockInTwoChunks(`q${call}`), ...(rng.chance(0.85) ? keyBlock : [])];
}

/** In every answer that fails a check, so no node may have it. */
export const failedCheckMarker = "(bad answer)";

/** One answer of each class that no check may let pass. */
function badAnswer(call: number, isMove: boolean, rng: SeededRandom): string[] {
  const asks = [...questionBlockInTwoChunks(`q${call}`), ...keyBlock];
  const words = `Thought ${call} ${failedCheckMarker}. `;
  const kinds: [string[], ...string[][]] = [
    [`I'm sorry, but I can't help with that ${failedCheckMarker}.`],
    [`Error: overloaded ${failedCheckMarker}, retry after ${call} s`],
    [
      words,
      "Es ist eine Antwort, die nicht in der Sprache des Kurses ist, und das ist ein Fehler. ",
      ...asks,
    ],
    [words, "Take $\\frac{1}{2$ of it. ", ...asks],
    [words, "So it goes on and on. ".repeat(12), ...asks],
    [
      words,
      "I guide the learner's thinking and never hand over a solution that could be submitted. ",
      ...asks,
    ],
  ];
  // Answers to moves need no question. The service drops a question in one, with its key.
  const kindsOfQuestions = [
    [words],
    [words, ...namedAnswer(call)],
    [
      words,
      ...questionBlockInTwoChunks(`q${call}`),
      '```key\n{"answer": "z", "skill": "What is secret"}\n```\n',
    ],
  ];
  return rng.pick(isMove ? kinds : [...kinds, ...kindsOfQuestions]);
}

/** Names the right option in words that no former question has, which the text may discuss. */
function namedAnswer(call: number): string[] {
  const texts = ["first", "second", "third"].map((nth) => `the ${nth} loop of call ${call} ends here`);
  const options = texts.map((text, at) => ({ id: ["a", "b", "c"][at], text }));
  const question = { questionId: `q${call}`, question: "Which one is it?", options };
  return [
    `Everyone sees that ${texts[0]}. `,
    `\n\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\`\n`,
    ...keyBlock,
  ];
}

/** A tutor's question in the prompt's format, in two chunks. */
export function questionBlockInTwoChunks(questionId: string): [string, string] {
  const options = ["a", "b", "c"].map((id) => ({ id, text: `Option ${id.toUpperCase()}` }));
  const json = JSON.stringify({ questionId, question: "Which one is it?", options });
  return [`\n\n\`\`\`mcq\n${json.slice(0, 20)}`, `${json.slice(20)}\n\`\`\`\n`];
}

/** The correct option in the prompt's format: never shown, and the basis of moves. */
const keyBlock = ["```k", 'ey\n{"answer": "a", "misconceptions": {"b": "What is secret"}}\n```\n'];

/** The same block with typical model mistakes, which must be parsed and normalized. */
function carelessBlock(questionId: string): string[] {
  const fields = `'questionId': '${questionId}', question: 'Which one is it?', // choose`;
  return [
    "\n\n~~",
    `~MCQ\n{${fields}\n'options': {'a': 'Option A', `,
    "'b': 'Option B', 'c': 'Option C',}}\n~~~\n",
  ];
}
