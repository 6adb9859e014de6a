import { setTimeout as delay } from "node:timers/promises";
import { rollUpReportData } from "../../../lib/operations/analytics/roll-up.ts";
import { type BenchVerdict, upperLimitVerdict } from "../report.ts";
import { administratorId, type DecadeEnvironment } from "./environment.ts";

const days = 4;

/** A request's lock timeout. */
const maxRollUpLockWaitMs = 2000;

/**
 * Rolls up days with a tenth of all events each (four days of two million for the full decade) while a user
 * deletes conversations. Deletes must not block, and reports must stay complete.
 */
export async function benchDeletesDuringRollUp({
  client,
  db,
  size,
  request,
}: DecadeEnvironment): Promise<BenchVerdict[]> {
  const daily = Math.round(size.events / 10);
  await client.query(`
    begin; set local session_replication_role = replica;
    insert into activity_events
      (user_id, university_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at)
    select 1 + n % ${size.people}, 1, 'progressed', 'content_item', 1 + n % 10, 1 + n % 10, 20,
      utc_midnight(utc_day(now()) - ${days}) + interval '${days} days' * (n::float8 / ${daily * days}) - interval '1 second'
    from generate_series(1, ${daily * days}) as n;
    update scheduled_tasks set begun_at = utc_midnight(utc_day(now()) - ${days}), reached_at = null where name = 'count';
    commit`);
  // Happens automatically while events arrive one by one.
  await client.query("vacuum (analyze) activity_events");
  await client.query("select brin_summarize_new_values('activity_events_occurred_at_index')");
  const { rows } = await client.query<{ id: number; user_id: number }>(
    "select id::float8 as id, user_id from chat_sessions order by id desc limit 2000",
  );
  let counts = true;
  const waits: number[] = [];
  const deletions = (async () => {
    for (const { id, user_id } of rows) {
      if (!counts) break;
      waits.push((await request(user_id, "DELETE", `/chat/sessions/${id}`)).ms);
      await delay(20);
    }
  })();
  const began = performance.now();
  const steps = await rollUpReportData(db);
  const seconds = (performance.now() - began) / 1000;
  counts = false;
  await deletions;
  console.log(
    `    ${days} days of ${daily} events: ${steps} steps, ${seconds.toFixed(0)} s; ${waits.length} conversations deleted meanwhile`,
  );
  const report = await request(administratorId, "GET", "/admin/analytics/engagement");
  const asOf = Date.parse(JSON.parse(report.text).as_of ?? new Date().toISOString());
  return [
    upperLimitVerdict(
      "The longest wait to delete a conversation at the same time",
      Math.round(Math.max(...waits)),
      maxRollUpLockWaitMs,
      "ms",
    ),
    upperLimitVerdict(
      "Days that a report is behind",
      Math.floor((Date.now() - asOf) / 86_400_000),
      1,
      "days",
    ),
  ];
}
