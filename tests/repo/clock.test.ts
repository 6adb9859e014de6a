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

/** What is between machines, and no rule for people looks at: who makes an answer, who listens, which process does what. */
const leases =
  /^lib\/schedule\/tasks\.ts|lease|maker_until|answering_(since|until)|limited_until|answer_limit\(\)|milliseconds_since|clock_timestamp\(\) - moment|seen_at/;

describe("the clock", () => {
  it("of the database is service_now() or service_clock(), but for leases and signs of life", () => {
    const found = [
      ...readings("schema/functions/*.sql", sqlClock, /--.*$/),
      ...readings("schema/db/*.ts", sqlClock, /\/\/.*$|^\s*\/?\*.*$/),
      ...readings(
        "lib/**/*.ts",
        /(?<![\w.]|performance\.)(now\(\) [-+<>]|[-+<>=(] now\(\)[ ,)`]|_timestamp\(\)|current_date)/,
        /\/\/.*$|^\s*\/?\*.*$/,
      ),
    ].filter((line) => !leases.test(line));

    expect(found).toEqual([
      // What the two are made of.
      "schema/functions/clock.sql: select now() + clock_offset()",
      "schema/functions/clock.sql: select clock_timestamp() + clock_offset()",
      // Answers that nobody makes any more.
      "schema/functions/generations.sql: where created_at < now() - interval '10 minutes'",
      // What is told late, for which each insert would else prepare the service's clock anew.
      "schema/functions/report-days.sql: for each row when (new.occurred_at < now() - interval '1 hour') execute function count_late('occurred_at');",
      "schema/functions/report-days.sql: for each row when (new.created_at < now() - interval '1 hour') execute function count_late('created_at');",
      "schema/db/columns.ts: export const machineNow = sql`now()`;",
    ]);
  });

  it("of the service is `deps.now`, but for what machines measure, and for what no request does", () => {
    const found = readings("{lib,functions}/**/*.ts", /new Date\(\)|Date\.now\(\)/, /\/\/.*$|^\s*\/?\*.*$/);
    const byFile = [...new Set(found.map((line) => line.split(":")[0]))].filter(
      (file) => !file?.startsWith("functions/docs/vendor/"),
    );
    expect(byFile.sort()).toEqual([
      // What scripts do outside of a request.
      "lib/async/request-context.ts",
      // How long the provider's keys and a lost connection are believed, and when a trace may be tried again.
      "lib/credentials/resolve.ts",
      "lib/db/driver/reconnect.ts",
      "lib/deps.ts",
      // How long a provider wants to be left alone, by its own clock.
      "lib/llm/answer.ts",
      "lib/llm/langfuse.ts",
      "lib/llm/traced.ts",
      // When a line was written, and a file of a mail.
      "lib/logging/log.ts",
      "lib/mail/transport.ts",
    ]);
  });
});
