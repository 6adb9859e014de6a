import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerMeta } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import { type TutorBudgetLimit, tutorBudgetLimits } from "../../schema/enums.ts";
import type { Question } from "../../schema/question.ts";
import { limitsOf } from "../budgets/limits.ts";
import { rowsOf, StoredInstant } from "../db/query/rows.ts";
import { retrying } from "../db/retry-window.ts";
import type { ErrorCode } from "../error-codes.ts";
import { tooManyRequests } from "../errors.ts";
import { actingConfig, configBounds } from "../prompts/config.ts";
import type { ContentContext } from "./content-context.ts";
import type { Exchange } from "./llm-request.ts";
import type { OpenTurn, StoredAnswer } from "./open-turn.ts";
import { mostOfResults } from "./own-results.ts";
import type { ToldPrivately } from "./told-privately.ts";
import type { TurnDeps } from "./turn.ts";
import type { TutorPrompt } from "./tutor-prompt.ts";

/** What became of the wish for an answer: it is there, or has no path any more, or is in the making. */
export type Claim = { stored: StoredAnswer } | { pathGone: true } | { generation: number; producer?: Making };

/** The turn was closed or left meanwhile, by someone else who listens, or its session was deleted. */
export type TurnLost = { turnLost: true };

/** The lease of whoever is to make an answer, and what it is made from. */
export type Making = {
  token: string;
  attempt: number;
  call: number;
  context: ContentContext;
  exchanges: Exchange[];
} & Partial<ToldPrivately>;

const Row = z.object({
  generation: z.int().nullable(),
  is_maker: z.boolean(),
  attempt: z.int().nullable(),
  call: z.int().nullable(),
  path_gone: z.boolean(),
  context: z.custom<ContentContext>().nullable(),
  exchanges: z.custom<Exchange[]>().nullable(),
  refused_by: z.enum(tutorBudgetLimits).nullable(),
  retry_after: z.int().nullable(),
  answer_id: z.int().nullable(),
  answered_at: StoredInstant.nullable(),
  meta: z.custom<AnswerMeta>().nullable(),
  chunks: z.array(z.string()).nullable(),
  has_key: z.boolean().nullable(),
  carried: z.custom<Question>().nullable(),
});

/**
 * Asks for the answer to an open turn, in one round trip. Many may want the same answer, in any process: one of them at
 * a time is told to make it. 429 where making it would exceed a budget.
 */
export async function claimAnswer(
  deps: TurnDeps,
  turn: OpenTurn,
  prompt: TutorPrompt,
): Promise<Claim | TurnLost> {
  const token = crypto.randomUUID();
  const secondsLeft = Math.max(deps.deadline - performance.now(), 0) / 1000;
  const [row] = await retrying(() =>
    rowsOf(
      deps.db,
      Row,
      sql`select * from claim_answer(${turn.session_id}, ${turn.token}::uuid, ${turn.shared}, ${turn.parent_id}::bigint,
        ${turn.shared ? turn.message : null}::text, ${prompt.name}, ${prompt.version}, ${turn.model},
        ${prompt.fingerprint}, ${token}::uuid, ${secondsLeft}, ${budgetOf(deps, turn, prompt)}::jsonb,
        ${prompt.uses_surroundings}, ${turn.move}::text)`,
    ),
  );
  if (!row) return { turnLost: true };
  if (row.path_gone) return { pathGone: true };
  if (row.refused_by) throw tooManyRequests(overBudget[row.refused_by], row.retry_after ?? 5);
  const { answer_id: id, answered_at, chunks, generation, attempt, call, context, carried } = row;
  if (id !== null && answered_at && chunks) {
    const has_key = row.has_key ?? false;
    return {
      stored: { id, created_at: toInstant(answered_at), meta: row.meta ?? {}, chunks, has_key, carried },
    };
  }
  if (generation === null) return { turnLost: true };
  if (!row.is_maker || attempt === null || call === null || !context) return { generation };
  return { generation, producer: { token, attempt, call, context, exchanges: row.exchanges ?? [] } };
}

/** At most, of the five passages that an answer for one person is offered, and of what they did. */
const tokensOfWhatIsPrivate = 1500 + Math.ceil(mostOfResults / 3);

/** At most, of what the model is told for a move, which has no passages. */
const tokensOfMove = 150;

/** The limits of a university that has set none, and how many tokens the call may use beside its material. */
const budgetOf = ({ config }: TurnDeps, { shared, move }: OpenTurn, prompt: TutorPrompt): string =>
  JSON.stringify({
    ...limitsOf(config),
    material: config.TUTOR_MATERIAL_CHARACTERS,
    reserve:
      (actingConfig(prompt.config, configBounds(config)).max_tokens ?? config.LLM_MAX_TOKENS) +
      Math.ceil(Buffer.byteLength(prompt.template) / 3) +
      (move ? tokensOfMove : shared ? 0 : tokensOfWhatIsPrivate),
  });

const overBudget = {
  turns_per_day: "person_budget_used_up",
  turns_at_once: "person_budget_at_once",
  tokens_per_month: "university_budget_used_up",
} as const satisfies Record<TutorBudgetLimit, ErrorCode>;
