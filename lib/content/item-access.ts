import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import type { Actor } from "../auth/actor.ts";
import { personAtItem, personInModule } from "../auth/token-reach.ts";
import { valueAs } from "../db/rows.ts";
import { forbidden, type HttpError, notFound } from "../errors.ts";

/** What may stand between a person and a content item, as `gate_of_item` of the database says. */
export const Gate = z.enum(["hidden", "enrollment required", "not available yet"]);
export type Gate = z.output<typeof Gate>;

/** What stands between the caller and an item now; null where nothing does, as for staff. */
export const gateOf = (item: SQLWrapper | number, actor: Actor | undefined, now: Date): SQL<Gate | null> =>
  valueAs(
    Gate.nullable(),
  )`gate_of_item(${item}, ${actor ? personAtItem(actor, item) : null}::int, ${now.toISOString()})`;

/** The same of what is in a module. */
export const gateOfModule = (module: SQLWrapper, actor: Actor | undefined, now: Date): SQL<Gate | null> =>
  valueAs(
    Gate.nullable(),
  )`gate_of_module(${module}, ${actor ? personInModule(actor, module) : null}::int, ${now.toISOString()})`;

const refusals: Record<Gate, () => HttpError> = {
  hidden: () => notFound("Content item"),
  "enrollment required": () => forbidden("Enrollment required"),
  "not available yet": () => forbidden("Not available yet"),
};

/** The 404 or 403 for whoever stands before that gate. */
export const refusalAt = (gate: Gate): HttpError => refusals[gate]();

/** Whether nothing stands between the caller and an item. */
export const isOpenTo = (item: SQLWrapper, actor: Actor | undefined, now: Date): SQL =>
  sql`${gateOf(item, actor, now)} is null`;
