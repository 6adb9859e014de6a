import { sql } from "drizzle-orm";
import * as z from "zod";
import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import type { AnswerMeta } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { type TutorBudgetLimit, tutorBudgetLimits } from "../../../schema/enums.ts";
import type { Question } from "../../../schema/question.ts";
import type { ErrorCode } from "../../error-codes.ts";
import { tooManyRequests } from "../../errors.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import { platformTutorLimits } from "../budgets/limits.ts";
import { configBounds, dropConfigOutsideBounds } from "../prompts/config.ts";
import type { ContentContext } from "./content-context.ts";
import type { Exchange } from "./history.ts";
import { maxResultsCharacters } from "./learner-results.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { PassagesAndLearnerResults } from "./private-context.ts";
import type { StoredAnswer } from "./stored-answer.ts";
import type { TurnDeps } from "./turn.ts";
import type { TutorPrompt } from "./tutor-prompt.ts";

/** Stored, its path is gone, or pending. */
export type AnswerClaim =
  | { stored: StoredAnswer }
  | { pathGone: true }
  | { generation: number; producer?: ProducerInput };

/** Another listener ended the turn, or its session was deleted. */
export type TurnLost = { turnLost: true };

export type ProducerInput = {
  token: string;
  attempt: number;
  call: number;
  context: ContentContext;
  exchanges: Exchange[];
  is_aside: boolean;
} & Partial<PassagesAndLearnerResults>;

/** From `claim_answer_generation` (generations.sql). */
const Claimed = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("lost") }),
  z.object({ kind: z.literal("path gone") }),
  z.object({
    kind: z.literal("stored"),
    id: z.int(),
    created_at: StoredInstant,
    meta: z.custom<AnswerMeta>(),
    chunks: z.array(z.string()),
    has_key: z.boolean(),
    carried: z.custom<Question>().nullable(),
  }),
  z.object({ kind: z.literal("follow"), generation: z.int() }),
  z.object({
    kind: z.literal("make"),
    generation: z.int(),
    attempt: z.int(),
    call: z.int(),
    context: z.custom<ContentContext>(),
    exchanges: z.custom<Exchange[]>(),
    is_aside: z.boolean(),
  }),
  z.object({ kind: z.literal("refused"), by: z.enum(tutorBudgetLimits), retry_after: z.int() }),
]);

/** The part of `claim_answer_generation`'s input that says which answer is wanted. */
export const answerIdentityInput = (turn: OpenTurn, prompt: TutorPrompt) => ({
  session: turn.session_id,
  token: turn.token,
  shared: turn.shared,
  parent: turn.parent_id,
  message: turn.shared ? turn.message : null,
  move: turn.move,
  model: turn.model,
  prompt: prompt.name,
  prompt_version: prompt.version,
  prompt_fingerprint: prompt.fingerprint,
  uses_surroundings: prompt.uses_surroundings,
});

/**
 * Requests an open turn's answer in one round trip. One process at a time produces it. 429 above a budget.
 */
export async function claimAnswer(
  deps: TurnDeps,
  turn: OpenTurn,
  prompt: TutorPrompt,
): Promise<AnswerClaim | TurnLost> {
  const maker = crypto.randomUUID();
  const asked = {
    ...answerIdentityInput(turn, prompt),
    maker,
    seconds: Math.max(deps.deadline - performance.now(), 0) / 1000,
    budget: budgetOf(deps, turn, prompt),
  };
  const [row] = await retryWhileUnavailable(() =>
    rowsOf(
      deps.db,
      z.object({ claimed: Claimed }),
      sql`select claim_answer_generation(${JSON.stringify(asked)}::jsonb) as claimed`,
    ),
  );
  if (!row) throw new Error("claim_answer_generation returned nothing");
  const { claimed } = row;
  switch (claimed.kind) {
    case "lost":
      return { turnLost: true };
    case "path gone":
      return { pathGone: true };
    case "refused":
      throw tooManyRequests(overBudget[claimed.by], claimed.retry_after);
    case "stored": {
      const { kind: _, created_at, ...stored } = claimed;
      return { stored: { ...stored, created_at: toInstant(created_at) } };
    }
    case "follow":
      return { generation: claimed.generation };
    case "make": {
      const { kind: _, generation, ...making } = claimed;
      // Providers reject messages without visible text.
      const exchanges = making.exchanges.filter(({ answer }) => !isBlank(answer));
      return { generation, producer: { token: maker, ...making, exchanges } };
    }
  }
}

/** Upper bound: five passages, an aside's note and the learner's results. */
const tokensOfWhatIsPrivate = 1700 + Math.ceil(maxResultsCharacters / 3);

/** Upper bound of a move's instruction, which has no passages. */
const tokensOfMove = 150;

/** The tokens that the call may use without its material. */
const budgetOf = ({ config }: TurnDeps, { shared, move }: OpenTurn, prompt: TutorPrompt) => ({
  ...platformTutorLimits(config),
  material: config.TUTOR_MATERIAL_CHARACTERS,
  reserve:
    (dropConfigOutsideBounds(prompt.config, configBounds(config)).max_tokens ?? config.LLM_MAX_TOKENS) +
    Math.ceil(Buffer.byteLength(prompt.template) / 3) +
    (move ? tokensOfMove : shared ? 0 : tokensOfWhatIsPrivate),
});

const overBudget = {
  turns_per_day: "person_budget_used_up",
  turns_at_once: "person_budget_at_once",
  tokens_per_month: "university_budget_used_up",
} as const satisfies Record<TutorBudgetLimit, ErrorCode>;
