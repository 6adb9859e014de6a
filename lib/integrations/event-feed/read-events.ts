import { sql } from "drizzle-orm";
import * as z from "zod";
import { EventFeed, type EventQuery } from "../../../schema/api/integrations/events.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { nonAnonymousActivityCondition } from "../../courses/activity/shown.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import { latestExternalIdSql } from "../../identity/users/member-names.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  cursorOfThisDatabaseCondition,
  parseEventCursor,
  prunedCursorCondition,
  settledAfterCursorCondition,
  staleCursorError,
} from "./cursor.ts";
import { toXapiStatement } from "./xapi.ts";

const Events = z.object({
  events: EventFeed.shape.events.unwrap(),
  is_known: z.boolean(),
  is_there: z.boolean(),
  oldest: z.string().nullable(),
});

/**
 * Events after a cursor, for a university's administrators and API keys. Each appears once, in transaction
 * order, after all older transactions have ended: readers miss none. Work in an anonymous item appears when
 * its grades are released. 404 without the university, 403 for others, 410 if the cursor's events were
 * deleted.
 */
export async function readEvents(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { after, format, limit }: EventQuery,
  homePage: string,
): Promise<EventFeed> {
  await ensureAllowedInUniversity(db, actor, "event:read", universityId);
  const cursor = parseEventCursor(after);
  const isKept = sql`(${cursorOfThisDatabaseCondition(cursor)} and not ${prunedCursorCondition(cursor, universityId)})`;
  const [row] = await rowsOf(
    db,
    Events,
    sql`
      with event as materialized (
        select * from activity_events
        where university_id = ${universityId} and ${settledAfterCursorCondition(cursor, sql`change_number`, sql`id`)}
          and object_type <> 'flashcard' and ${nonAnonymousActivityCondition(sql`activity_events`)}
        order by change_number, id limit ${limit}
      )
      select coalesce(json_agg(json_build_object(
        'id', event.id, 'cursor', event.change_number || '-' || event.id, 'user_id', event.user_id,
        'external_id', ${latestExternalIdSql(sql`event.university_id`, sql`event.user_id`)}, 'verb', upper(event.verb),
        'object_type', event.object_type, 'object_id', event.object_id, 'content_item_id', event.content_item_id,
        'course_offering_id', event.course_offering_id, 'occurred_at', ${momentForm(sql`event.occurred_at`)},
        'result', case when event.verb = 'completed' then json_build_object('completion', true) end
      ) order by event.change_number, event.id), '[]') as events, ${isKept} as is_known,
      exists (select from universities where id = ${universityId}) as is_there,
      case when not ${isKept} then (
        select change_number || '-' || id from activity_events
        where university_id = ${universityId} and object_type <> 'flashcard' and ${nonAnonymousActivityCondition(sql`activity_events`)}
        order by change_number, id limit 1
      ) end as oldest
      from event`,
  );
  if (!row?.is_there) throw notFound("University");
  if (!row.is_known) throw staleCursorError(row.oldest);
  const { events } = row;
  const next = events.at(-1)?.cursor ?? after ?? null;
  if (format === "json") return { events, next };
  const path = `/api/v1/universities/${universityId}/events?format=xapi&limit=${limit}&after=${next}`;
  return {
    statements: events.map((event) => toXapiStatement(event, homePage)),
    more: events.length < limit ? "" : path,
    next,
  };
}
