import { sql } from "drizzle-orm";
import { runOutsideRequestContext } from "../async/request-context.ts";
import type { Db } from "../db/client.ts";
import { describeError, type Logger } from "../logging/log.ts";
import { metricsReportSqlComment } from "./store.ts";

/** A staff member's read of a named person's data. */
export type PersonDataRead = {
  actor: number;
  person: number;
  operation: string;
  at: Date;
  request: string | null;
  from: string | null;
  key: number | null;
  university: number | null;
  offering: number | null;
  course: number | null;
  item: number | null;
};

/**
 * Writes audit lines concurrently with the response. Failed writes are retried with the next report. A killed
 * process loses only unsent lines.
 */
export type PersonDataReadBuffer = {
  note(read: PersonDataRead): void;
  /** Writes the rest; rejects if that fails. */
  store(): Promise<void>;
};

/** Lines that wait for an unreachable database. Further lines go to the log. */
const MOST = 20_000;
const AT_ONCE = 500;

export function createPersonDataReadBuffer(
  db: Db,
  log: Pick<Logger, "error" | "warn">,
): PersonDataReadBuffer {
  const waiting: PersonDataRead[] = [];
  let isAgain = false;
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting.slice(0, AT_ONCE);
      try {
        await runOutsideRequestContext(() => write(db, taken, isAgain));
      } catch (error) {
        isAgain = true;
        throw error;
      }
      isAgain = false;
      waiting.splice(0, taken.length);
    }
  }

  function store(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  return {
    note(read) {
      if (waiting.length >= MOST) return log.error({ read }, "a read of a person was not audited");
      waiting.push(read);
      store().catch((error) => log.warn({ error: describeError(error) }, "reads of people not audited yet"));
    },
    store,
  };
}

/** Skips lines of an earlier attempt and erased accounts, and waits for an erasure in progress. */
async function write(db: Db, reads: readonly PersonDataRead[], isAgain: boolean): Promise<void> {
  const isNew = isAgain
    ? sql`not exists (select from audit_events as known where known.subject_id = one.person
          and known.request_id = one.request and known.occurred_at = one.at and known.action = 'person.read')`
    : sql`true`;
  await db.execute(sql`${sql.raw(metricsReportSqlComment)}
    with one as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(reads)}::jsonb) as one (
        actor int, person int, operation text, at timestamptz, request text, "from" text, key int, university int,
        offering int, course int, item int)
    ), named as materialized (
      select id from users where erased_at is null and id in (select actor from one union select person from one)
      order by id for key share
    )
    insert into audit_events (action, actor_id, subject_id, university_id, details, occurred_at, api_key_id, request_id, from_address)
    select 'person.read', reader.id, read.id,
      coalesce(one.university,
        (select university_id from course_offerings where id = one.offering),
        (select university_id from courses where id = one.course),
        (select university_id from content_items where id = one.item)),
      jsonb_strip_nulls(jsonb_build_object('operation', one.operation, 'course_offering_id', one.offering,
        'course_id', one.course, 'content_item_id', one.item)),
      one.at, one.key, one.request, one."from"
    from one left join named as reader on reader.id = one.actor join named as read on read.id = one.person
    where ${isNew}`);
}
