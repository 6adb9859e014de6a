import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import { forbidden, type HttpError, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  type PersonInTokenReach,
  personIdIfItemInTokenReachSql,
  personIdIfModuleInTokenReachSql,
} from "../../identity/auth/token-reach.ts";
import { typedSql } from "../../platform/db/query/rows.ts";

/** As the function `item_access_refusal` returns them. */
export const AccessRefusal = z.enum(["hidden", "enrollment required", "not available yet"]);
export type AccessRefusal = z.output<typeof AccessRefusal>;

/** Null if the caller can open the item now, as staff always can. */
export const itemAccessRefusalSql = (
  item: SQLWrapper | number,
  person: PersonInTokenReach | undefined,
  now: Date | Placeholder,
): SQL<AccessRefusal | null> =>
  typedSql(
    AccessRefusal.nullable(),
  )`item_access_refusal(${item}, ${person ? personIdIfItemInTokenReachSql(person, item) : null}::int, ${now instanceof Date ? now.toISOString() : now})`;

export const moduleAccessRefusalSql = (
  module: SQLWrapper,
  actor: Actor | undefined,
  now: Date,
): SQL<AccessRefusal | null> =>
  typedSql(
    AccessRefusal.nullable(),
  )`module_access_refusal(${module}, ${actor ? personIdIfModuleInTokenReachSql(actor, module) : null}::int, ${now.toISOString()})`;

const refusals: Record<AccessRefusal, () => HttpError> = {
  hidden: () => notFound("Content item"),
  "enrollment required": () => forbidden("enrollment_required"),
  "not available yet": () => forbidden("not_available_yet"),
};

/** A 404 or 403. */
export const accessRefusalError = (why: AccessRefusal): HttpError => refusals[why]();

export const openableItemCondition = (
  item: SQLWrapper,
  person: PersonInTokenReach | undefined,
  now: Date | Placeholder,
): SQL => sql`${itemAccessRefusalSql(item, person, now)} is null`;
