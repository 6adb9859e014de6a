import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = ["lib/**/*.ts", "functions/**/*.ts", "server/**/*.ts"].flatMap((pattern) =>
  globSync(pattern),
);

/** Files that may format dates. The second counts days for streaks, by zone. */
const formatters = ["lib/platform/text/local-time.ts", "lib/identity/users/streak.ts"];

it("dates in mails, pages and certificates are formatted in one file, by a time zone that its callers name", () => {
  const found = sources.filter((file) =>
    /DateTimeFormat|toLocale(Date|Time)?String/.test(readFileSync(file, "utf8")),
  );
  expect(found.toSorted()).toEqual(formatters.toSorted());
});

it("no mail contains a fixed time zone", () => {
  for (const file of globSync("lib/platform/mail/words/*.json"))
    expect(readFileSync(file, "utf8"), file).not.toMatch(/\b(UTC|GMT)\b/);
});

it("files that compose mail cut no day or time from a moment in UTC", () => {
  const composing = sources.filter((file) => readFileSync(file, "utf8").includes("DueMail"));
  expect(composing.length).toBeGreaterThan(5);
  for (const file of composing)
    expect(readFileSync(file, "utf8"), file).not.toMatch(/\.slice\((0, 10|11, 16)\)/);
});
