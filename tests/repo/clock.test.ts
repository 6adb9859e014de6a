import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** The lines of these files that read a clock, as `file: line`, without their comments. */
function readings(pattern: string, clock: RegExp, comment: RegExp): string[] {
  return globSync(pattern, { cwd: root }).flatMap((file) =>
    readFileSync(path.join(root, file), "utf8")
      .split("\n")
      .map((line) => line.replace(comment, ""))
      .filter((line) => clock.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

const sqlClock =
  /(?<!\w)(now\(\)|(clock|statement|transaction)_timestamp\(\)|current_(date|time|timestamp)\b|localtime)/;

/** Rules between machines, not for people: leases, producers, subscribers and workers. */
const leases =
  /^lib\/platform\/schedule\/tasks\.ts|lease|maker_until|answering_(since|until)|limited_until|answer_time_limit\(\)|milliseconds_since|clock_timestamp\(\) - moment|seen_at/;

describe("the clock", () => {
  it("of the database is service_now() or service_clock(), except for leases and heartbeats", () => {
    const found = [
      ...readings("schema/functions/*/*.sql", sqlClock, /--.*$/),
      ...readings("schema/db/*/*.ts", sqlClock, /\/\/.*$|^\s*\/?\*.*$/),
      ...readings(
        "lib/**/*.ts",
        /(?<![\w.]|performance\.)(now\(\) [-+<>]|[-+<>=(] now\(\)[ ,)`]|_timestamp\(\)|current_date)/,
        /\/\/.*$|^\s*\/?\*.*$/,
      ),
    ].filter((line) => !leases.test(line));

    expect(found.sort()).toEqual(
      [
        // The definitions of both.
        "schema/functions/platform/clock.sql: select now() + clock_offset()",
        "schema/functions/platform/clock.sql: select clock_timestamp() + clock_offset()",
        // Late rows: otherwise each insert would prepare the service's clock again.
        "schema/functions/courses/course-progress.sql: when 'INSERT' then least(new.first_started_at, new.completed_at) < now() - interval '1 hour'",
        "schema/functions/courses/course-progress.sql: when 'DELETE' then least(old.first_started_at, old.completed_at) < now() - interval '1 hour'",
        "schema/functions/courses/course-progress.sql: and least(new.first_started_at, old.first_started_at) < now() - interval '1 hour'",
        "schema/functions/courses/course-progress.sql: and least(new.completed_at, old.completed_at) < now() - interval '1 hour' end, false)",
        "schema/functions/operations/monthly-aggregates.sql: for each row when (new.started_at < now() - interval '1 hour') execute function add_late_call_to_monthly_sums();",
        // Generations without a producer.
        "schema/functions/tutor/generations.sql: where created_at < now() - interval '10 minutes'",
        // The times at which a batch was sent and returned, by the provider's own clock.
        "schema/functions/platform/llm-batches.sql: values (trial, gen_random_uuid(), clock_timestamp() + held_for) returning * into taken;",
        "schema/functions/platform/llm-batches.sql: sent_at = case when sums.calls > 0 then clock_timestamp() end, ended_at = case sums.calls when 0 then clock_timestamp() end",
        "schema/functions/platform/llm-batches.sql: update llm_batches set state = case how when 'unsent' then 'refused' else how end, ended_at = clock_timestamp(),",
        // Late rows, as above.
        "schema/functions/operations/daily-report-aggregates.sql: for each row when (new.occurred_at < now() - interval '1 hour') execute function count_day_of_late_row_again('occurred_at');",
        "schema/functions/operations/daily-report-aggregates.sql: for each row when (new.created_at < now() - interval '1 hour') execute function count_day_of_late_row_again('created_at');",
        // Batches of warmings, as of trials.
        "schema/functions/tutor/warmings.sql: insert into llm_batches (warming_id, state, sent_at) values (job.id, 'sending', clock_timestamp()) returning id into batch;",
        "schema/functions/tutor/warmings.sql: ended_at = case begun when 0 then clock_timestamp() end",
        "schema/functions/tutor/warmings.sql: update llm_batches set state = case how when 'unsent' then 'refused' else how end, ended_at = clock_timestamp(),",
        "schema/db/platform/columns.ts: export const machineNow = sql`now()`;",
      ].sort(),
    );
  });

  it("of the service is `deps.now`, except for measurements of machines, and work outside of requests", () => {
    const found = readings("{lib,functions}/**/*.ts", /new Date\(\)|Date\.now\(\)/, /\/\/.*$|^\s*\/?\*.*$/);
    const byFile = [...new Set(found.map((line) => line.split(":")[0]))].filter(
      (file) => !file?.startsWith("functions/http/docs/vendor/"),
    );
    expect(byFile.sort()).toEqual(
      [
        // Work of scripts outside of a request.
        "lib/platform/async/request-context.ts",
        // The time since a batch was sent to its provider, by the machine's clock.
        "lib/platform/batches/next-step.ts",
        // Lifetimes of the provider's keys and of a lost connection, and the time of the next trace.
        "lib/identity/credentials/resolve.ts",
        "lib/platform/db/driver/reconnect.ts",
        "lib/deps.ts",
        // Providers' retry headers, by their own clock. Also the time of a read of another person's data, which
        // a request does not wait for.
        "lib/http/person-read.ts",
        "lib/platform/llm/langfuse.ts",
        "lib/platform/llm/retry-headers.ts",
        "lib/platform/llm/traced.ts",
        "lib/platform/text/retry-after.ts",
        // The times of a log line, and of a mail's file.
        "lib/platform/logging/log.ts",
        "lib/platform/mail/transport.ts",
        // node-saml compares it with the machine's clock, but it is never old: the cookie limits a request's
        // age.
        "lib/identity/saml/response.ts",
      ].sort(),
    );
  });
});
