import type { AnswerMeta } from "../../schema/api/chat.ts";
import type { Deps } from "../deps.ts";
import type { TutorPrompt } from "./cache-tree.ts";
import type { OpenTurn } from "./open-turn.ts";

/** What answering a turn needs of the world. `signal` ends the answer when its time is up. */
export type TurnWorld = Pick<Deps, "db" | "llm" | "log" | "now"> & {
  config: Pick<Deps["config"], "TUTOR_PROMPT_NAME">;
  signal: AbortSignal;
};

/** Chunks of an answer that come together. Everyone who hears the answer may be given the same ones. */
export type Piece = readonly string[];

/** An answer as it comes, and at its end what the turn leaves behind beside its text. */
export type Answer = AsyncGenerator<Piece, Outcome, undefined>;

/** What is known of an answer, and where on the tree it stands: nowhere means that the cursor stays. */
export type Outcome = { meta: AnswerMeta; place: Place | undefined };

export type Place =
  /** The answer was there. */
  | { hit: number }
  /** Another call made the answer while this one listened. */
  | { followed: number }
  /** This call made the answer, under this lease. */
  | { filled: number; token: string; chunks: readonly string[]; input_tokens: number; output_tokens: number };

/** What is said of every answer, wherever it came from. */
export const metaOf = (turn: OpenTurn, prompt: TutorPrompt, source: "llm" | "cache"): AnswerMeta => ({
  source,
  model: turn.model,
  prompt_name: prompt.name,
  prompt_version: prompt.version,
});
