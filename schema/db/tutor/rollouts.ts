import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import {
  type RolloutLimit,
  type RolloutState,
  type RolloutStop,
  type RolloutUnit,
  rolloutStates,
  rolloutStops,
  rolloutUnits,
} from "../../enums.ts";
import { users } from "../identity/users.ts";
import { id, instant, json, now, oneOf, reference, upperEnum } from "../platform/columns.ts";
import { prompts } from "./prompts.ts";

/**
 * A version of a tutor's prompt for a share of learners. It outlives its versions, which cannot be deleted
 * while it runs: schema/functions/tutor/rollouts.sql.
 */
export const promptRollouts = pgTable(
  "prompt_rollouts",
  {
    id: id(),
    prompt_name: varchar({ length: 255 }).notNull(),
    candidate_id: reference(() => prompts.id, "set null"),
    candidate_version: integer().notNull(),
    /** The production version when it began. */
    base_id: reference(() => prompts.id, "set null"),
    base_version: integer().notNull(),
    /** Percentage of units that get the candidate. */
    share: integer().notNull(),
    unit: upperEnum<RolloutUnit>().notNull(),
    /** Null for all. No foreign keys: deleting a university must not widen the rollout. */
    universities: integer().array(),
    /** By limit: how much the candidate may exceed the base; null for no limit. */
    stop: json<Record<RolloutLimit, number | null>>().notNull(),
    state: upperEnum<RolloutState>().notNull().default(sql`'running'`),
    stop_reason: upperEnum<RolloutStop>(),
    /** The author and approver of the candidate. */
    author_id: reference(() => users.id, "set null"),
    approved_by: reference(() => users.id, "set null"),
    ended_by: reference(() => users.id, "set null"),
    created_at: instant().notNull().default(now),
    ended_at: instant(),
    /** For promoted rollouts: the last content item whose topics were warmed; null when done or disabled. */
    warmed_to: integer(),
    warmings: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("prompt_rollouts_running_key").on(table.prompt_name).where(sql`state = 'running'`),
    index("prompt_rollouts_to_warm_index").on(table.id).where(sql`warmed_to is not null`),
    index().on(table.prompt_name, table.id),
    index().on(table.candidate_id),
    index().on(table.base_id),
    index().on(table.author_id),
    index().on(table.approved_by),
    index().on(table.ended_by),
    check("prompt_rollouts_share_check", sql`${table.share} between 1 and 50`),
    oneOf(table.unit, rolloutUnits),
    oneOf(table.state, rolloutStates),
    oneOf(table.stop_reason, rolloutStops),
  ],
);
