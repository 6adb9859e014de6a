import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  OfferingDateLine,
  type OfferingDatesMove,
  type OfferingDatesUpdate,
} from "../../../schema/api/courses/offering-dates.ts";
import type { OptionalWindow } from "../../../schema/api/platform/fields.ts";
import { badRequest, fieldValueMessagePlaceholders } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { OfferingAction } from "../../identity/rbac/policy.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { ListPage } from "../../platform/results/list-page.ts";
import { rethrowCopyDateError } from "../copying.ts";
import { rethrowEarlyExamError } from "../groups/early-exam.ts";
import { explainGroupRefusal, type GroupPath } from "../groups/groups.ts";
import { UnknownOutlineIdIndex, unknownOutlineIdError } from "../modules/outline-changes.ts";
import { permittedOfferingQuery } from "../permitted-offering.ts";
import { explainOfferingRefusal, type OfferingPath } from "./offerings.ts";

const Calendar = z.object({ total: z.int(), lines: z.array(OfferingDateLine) });
const Read = z.object({ calendar: Calendar });
const Moved = z.object({ missing: UnknownOutlineIdIndex.nullable(), calendar: Calendar.nullable() });
const Outcome = z.object({ missing: z.int().nullable(), calendar: Calendar.nullable() });

const permitted = (actor: Actor, action: OfferingAction, { course_id, offering_id }: OfferingPath) =>
  sql`select offering_id, null::int as group_id from (${permittedOfferingQuery(actor, action, offering_id)}
    and course_offerings.course_id = ${course_id}) as permitted`;

const permittedGroup = (actor: Actor, action: OfferingAction, { offering_id, group_id }: GroupPath) =>
  sql`select offering_id, one.id as group_id from (${permittedOfferingQuery(actor, action, offering_id)}) as permitted
    join offering_groups as one on one.course_offering_id = offering_id where one.id = ${group_id}`;

/**
 * In tree order, with the offering's dates, the course's, and the effective ones. 404 if the offering is
 * hidden, 403 unless staff.
 */
export async function listOfferingDates(
  db: ReadDb,
  actor: Actor,
  path: OfferingPath,
  window: OptionalWindow,
): Promise<ListPage<OfferingDateLine>> {
  const listed = await readCalendar(db, permitted(actor, "enrollment:manage", path), window);
  return listed ?? explainOfferingRefusal(db, actor, path);
}

/** The group's dates, those without the group, and the effective ones. 404 also without the group. */
export async function listGroupDates(
  db: ReadDb,
  actor: Actor,
  path: GroupPath,
  window: OptionalWindow,
): Promise<ListPage<OfferingDateLine>> {
  const listed = await readCalendar(db, permittedGroup(actor, "enrollment:manage", path), window);
  return listed ?? explainGroupRefusal(db, actor, path);
}

async function readCalendar(
  db: ReadDb,
  at: SQL,
  { skip, limit }: OptionalWindow,
): Promise<ListPage<OfferingDateLine> | undefined> {
  const [listed] = await rowsOf(
    db,
    Read,
    sql`
      with permitted as materialized (${at})
      select offering_content_dates_json(permitted.offering_id, ${skip}, ${limit ?? null}, permitted.group_id) as calendar
      from permitted`,
  );
  if (!listed) return undefined;
  const { lines, total } = listed.calendar;
  return new ListPage(lines, { hasMore: skip + lines.length < total });
}

/**
 * Submissions and open attempts get the later dates. 400 for ids that the course does not have and for an
 * exam opened early, 403 without the right to change the offering, otherwise as `listOfferingDates`.
 */
export async function setOfferingDates(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  update: OfferingDatesUpdate,
  now: Date,
): Promise<OfferingDateLine[]> {
  const set = await setDates(db, permitted(actor, "offering:write", path), update, now);
  return set ?? explainOfferingRefusal(db, actor, path);
}

export async function setGroupDates(
  db: Db,
  actor: Actor,
  path: GroupPath,
  update: OfferingDatesUpdate,
  now: Date,
): Promise<OfferingDateLine[]> {
  const set = await setDates(db, permittedGroup(actor, "offering:write", path), update, now);
  return set ?? explainGroupRefusal(db, actor, path, "offering:write");
}

async function setDates(
  db: Db,
  at: SQL,
  { dates }: OfferingDatesUpdate,
  now: Date,
): Promise<OfferingDateLine[] | undefined> {
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`
      with permitted as materialized (${at})
      select done.* from permitted cross join lateral set_offering_or_group_content_dates(
        permitted.offering_id, ${JSON.stringify(dates)}::jsonb, ${now.toISOString()}, permitted.group_id) as done`,
  ).catch(rethrowEarlyExamError);
  if (!outcome) return undefined;
  if (outcome.calendar) return outcome.calendar.lines;
  const { content_item_id, module_id } = dates[outcome.missing ?? 0] ?? {};
  const missing =
    module_id === undefined
      ? fieldValueMessagePlaceholders("Date", "content_item_id", content_item_id)
      : fieldValueMessagePlaceholders("Date", "module_id", module_id);
  throw badRequest("does_not_exist_in_course", missing);
}

/**
 * Shifts effective dates, which become the offering's own. 400 for ids that the course does not have, dates
 * out of range, and `starts_on` without any date.
 */
export async function shiftOfferingDates(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  move: OfferingDatesMove,
  now: Date,
): Promise<OfferingDateLine[]> {
  const wanted = sql`${JSON.stringify(move)}::jsonb`;
  const [moved] = await rowsOf(
    db,
    Moved,
    sql`
      with permitted as materialized (${permitted(actor, "offering:write", path)})
      select named.missing, case when named.missing is null
        then shift_offering_content_dates(permitted.offering_id, ${wanted}, ${now.toISOString()}) end as calendar
      from permitted cross join lateral position_of_first_id_outside_course(${path.course_id}, ${wanted}) as named (missing)`,
  )
    .catch(rethrowEarlyExamError)
    .catch(rethrowCopyDateError);
  if (moved?.missing) throw unknownOutlineIdError("Date", move, moved.missing);
  return moved?.calendar?.lines ?? explainOfferingRefusal(db, actor, path);
}
