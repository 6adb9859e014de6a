import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";
import {
  type AnswerStop,
  type AttackAim,
  type AttackCategory,
  type JudgeCriterion,
  type TrialCaseReason,
  type TrialCaseState,
  type TrialCheck,
  type TrialKind,
  type TrialPersona,
  type TrialStage,
  type TrialState,
  type TrialVerdict,
  trialCaseReasons,
  trialCaseStates,
  trialKinds,
  trialPersonas,
  trialStages,
  trialStates,
  trialVerdicts,
  type UnjudgedReason,
  unjudgedReasons,
} from "../../enums.ts";
import type { Question, QuestionKey } from "../../question.ts";
import { contentItems } from "../courses/content-items.ts";
import { courses } from "../courses/courses.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  bigReferenceId,
  instant,
  json,
  lowerEnum,
  now,
  oneOf,
  reference,
  upperEnum,
} from "../platform/columns.ts";

const micros = () => bigint({ mode: "number" });
const counted = () => micros().notNull().default(0);

/**
 * A trial of a prompt version on a class's questions, compared with another version. Texts are resolved when
 * it is created.
 */
export const trials = pgTable(
  "trials",
  {
    id: bigId(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    version: integer().notNull(),
    against: integer().notNull(),
    /** Of the resolved texts. */
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    against_fingerprint: varchar({ length: 64 }).notNull(),
    kind: upperEnum<TrialKind>().notNull(),
    state: upperEnum<TrialState>().notNull().default(sql`'ready'`),
    model: varchar({ length: 255 }).notNull(),
    /** The model that compares pairs; null for none. */
    judge_model: varchar({ length: 255 }),
    /** Whether it covers all places of its course, fewer than the maximum. */
    is_whole: boolean().notNull().default(false),
    /** Minimum number of first attempts for which calls are sent as a batch; null for immediate calls. */
    batch_least: integer(),
    /** Cost limit and estimate, in millionths of the prices' currency. */
    limit_micros: micros().notNull(),
    estimated_input_tokens: micros().notNull(),
    estimated_output_tokens: micros().notNull(),
    estimated_micros: micros().notNull(),
    /** Costs of completed calls, the maximum of running ones, and the possible costs of crashed ones. */
    spent_micros: counted(),
    reserved_micros: counted(),
    lost_micros: counted(),
    /** Completed calls whose usage was estimated. */
    calls_estimated: counted(),
    created_by: reference(() => users.id, "set null"),
    created_at: instant().notNull().default(now),
    started_at: instant(),
    ended_at: instant(),
  },
  (table) => [
    index().on(table.course_id),
    index().on(table.prompt_name, table.version, table.id),
    index().on(table.created_by),
    index("trials_running_index").on(table.id).where(sql`state = 'running'`),
    oneOf(table.kind, trialKinds),
    oneOf(table.state, trialStates),
  ],
);

/** Results of an answer's checks: null if passed, or the problem; absent if not applicable. */
export type CheckResults = Partial<Record<TrialCheck, string | null>>;

/** An attack without its text, which is the case's message. */
export type CaseAttack = { id: string; category: AttackCategory; aims: AttackAim[] };

/** The judge's result for a pair in one order; null for unreadable output. */
export type JudgedOrder = {
  candidate_first: boolean;
  verdict: TrialVerdict | null;
  criteria: Partial<Record<JudgeCriterion, TrialVerdict>>;
  why: string | null;
};

/**
 * A place in a class's tree at which a version is tried: shared answers only, no personal texts. The lease
 * holder processes it.
 */
export const trialCases = pgTable(
  "trial_cases",
  {
    id: bigId(),
    trial_id: bigReference(() => trials.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** The recorded answer's node, which may be deleted; null without one. */
    node_id: bigReferenceId(),
    visits: integer().notNull(),
    message: text().notNull(),
    attack: json<CaseAttack>(),
    /** For free trials: the simulated learner. */
    persona: upperEnum<TrialPersona>(),
    /** The path before it from the root: messages, answers and keys. */
    exchanges: json<{ question: string; move?: string; answer: string; key?: QuestionKey }[]>().notNull(),
    recorded: text(),
    recorded_question: json<Question>(),
    recorded_key: json<QuestionKey>(),
    recorded_checks: json<CheckResults>(),
    state: upperEnum<TrialCaseState>().notNull().default(sql`'waiting'`),
    reason: upperEnum<TrialCaseReason>(),
    stage: lowerEnum<TrialStage>().notNull().default("answer"),
    /** The worker's lease, by the machine's clock. */
    leased_until: instant(),
    token: uuid(),
    tries: integer().notNull().default(0),
    /** Its batch until the answer arrives: `llm_batches`, which references trials. */
    batch_id: bigReferenceId(),
    call_id: bigReferenceId(),
    reserved_micros: counted(),
    /** The prompt text of the request, and its result. */
    prompt_fingerprint: varchar({ length: 64 }),
    answer: text(),
    question: json<Question>(),
    key: json<QuestionKey>(),
    stop: lowerEnum<AnswerStop>(),
    checks: json<CheckResults>(),
    input_tokens: integer(),
    output_tokens: integer(),
    cost_micros: micros(),
    /** The judge's result in each order, and the verdict. */
    judged: json<JudgedOrder[]>(),
    verdict: upperEnum<TrialVerdict>(),
    unjudged_reason: upperEnum<UnjudgedReason>(),
    judge_micros: micros(),
  },
  (table) => [
    index().on(table.trial_id, table.id),
    index().on(table.content_item_id),
    index("trial_cases_open_index").on(table.trial_id, table.id).where(sql`state in ('waiting', 'running')`),
    index("trial_cases_running_index").on(table.leased_until).where(sql`state = 'running'`),
    index("trial_cases_batch_index").on(table.batch_id).where(sql`batch_id is not null`),
    oneOf(table.state, trialCaseStates),
    oneOf(table.reason, trialCaseReasons),
    oneOf(table.stage, trialStages),
    oneOf(table.persona, trialPersonas),
    oneOf(table.verdict, trialVerdicts),
    oneOf(table.unjudged_reason, unjudgedReasons),
  ],
);

/** A staff member's vote for one answer of a pair; one each. */
export const trialVotes = pgTable(
  "trial_votes",
  {
    case_id: bigReference(() => trialCases.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    vote: upperEnum<TrialVerdict>().notNull(),
    voted_at: instant().notNull().default(now),
  },
  (table) => [
    primaryKey({ columns: [table.case_id, table.user_id] }),
    index().on(table.user_id),
    oneOf(table.vote, trialVerdicts),
  ],
);
