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
} from "../enums.ts";
import type { Question, QuestionKey } from "../question.ts";
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
} from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courses } from "./courses.ts";
import { users } from "./users.ts";

const micros = () => bigint({ mode: "number" });
const counted = () => micros().notNull().default(0);

/**
 * A version of a prompt that is tried on what a course's class was told: beside the answers of another version. The texts
 * are those that both had when it was made.
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
    /** Who says which answer of a pair is better; null where nobody is asked. */
    judge_model: varchar({ length: 255 }),
    /** Whether it has all places that its course had, of which there were fewer than it might have taken. */
    is_whole: boolean().notNull().default(false),
    /** From how many calls on that wait for their first try they are sent as a batch; null where each is made at once. */
    batch_least: integer(),
    /** In millionths of the prices' currency: what it may cost, and what it is expected to. */
    limit_micros: micros().notNull(),
    estimated_input_tokens: micros().notNull(),
    estimated_output_tokens: micros().notNull(),
    estimated_micros: micros().notNull(),
    /** What its calls have cost; what those under way may cost at most; and what those may have cost whose makers died. */
    spent_micros: counted(),
    reserved_micros: counted(),
    lost_micros: counted(),
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

/** What of the checks an answer passed: null, or what is wrong; absent where there was nothing to look at. */
export type CheckResults = Partial<Record<TrialCheck, string | null>>;

/** An attack without its words, which are the case's message. */
export type CaseAttack = { id: string; category: AttackCategory; aims: AttackAim[] };

/** What the judge said of a pair when it was shown both in one order; null what could not be read. */
export type JudgedOrder = {
  candidate_first: boolean;
  verdict: TrialVerdict | null;
  criteria: Partial<Record<JudgeCriterion, TrialVerdict>>;
  why: string | null;
};

/**
 * A place of a class's tree at which a version is tried, as the tree had it: shared answers alone, no person's words. It is
 * worked by whoever holds its lease.
 */
export const trialCases = pgTable(
  "trial_cases",
  {
    id: bigId(),
    trial_id: bigReference(() => trials.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** The recorded answer's, which may be gone since; null where there is none. */
    node_id: bigReferenceId(),
    visits: integer().notNull(),
    message: text().notNull(),
    /** Of a leak trial: which attack of those that are shipped its message is. */
    attack: json<CaseAttack>(),
    /** Of a free trial: who talks. */
    persona: upperEnum<TrialPersona>(),
    /** The path before it, from the root: messages, answers and keys. */
    exchanges: json<{ question: string; move?: string; answer: string; key?: QuestionKey }[]>().notNull(),
    recorded: text(),
    recorded_question: json<Question>(),
    recorded_key: json<QuestionKey>(),
    recorded_checks: json<CheckResults>(),
    state: upperEnum<TrialCaseState>().notNull().default(sql`'waiting'`),
    reason: upperEnum<TrialCaseReason>(),
    /** What it is asked for next. */
    stage: lowerEnum<TrialStage>().notNull().default("answer"),
    /** Of the machine's own clock: until then nobody else takes it up. */
    leased_until: instant(),
    token: uuid(),
    tries: integer().notNull().default(0),
    /** The batch that it is part of until that has an answer for it: `llm_batches`, which refers to trials. */
    batch_id: bigReferenceId(),
    call_id: bigReferenceId(),
    reserved_micros: counted(),
    /** The text from which the request was made, and what came of it. */
    prompt_fingerprint: varchar({ length: 64 }),
    answer: text(),
    question: json<Question>(),
    key: json<QuestionKey>(),
    stop: lowerEnum<AnswerStop>(),
    checks: json<CheckResults>(),
    input_tokens: integer(),
    output_tokens: integer(),
    cost_micros: micros(),
    /** What the judge said in each order, and what that comes to. */
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

/** Which answer of a pair someone of the staff finds better: one vote a person. */
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
