import { describe, expect, it } from "vitest";
import { createLog, describeError } from "../../../../lib/platform/logging/log.ts";

function written(
  settings: Parameters<typeof createLog>[0],
  write: (log: ReturnType<typeof createLog>) => void,
) {
  const lines: string[] = [];
  write(createLog(settings, { write: (line) => lines.push(line) }));
  return lines.join("");
}

const json = { LOG_LEVEL: "INFO", LOG_FORMAT: "json" } as const;

describe("LOG_FORMAT", () => {
  it("json is one object a line, with the time, the level and the given fields", () => {
    const line = JSON.parse(written(json, (log) => log.warn({ things: 3 }, "many things")));
    expect(line).toEqual({
      level: "WARNING",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      things: 3,
      message: "many things",
    });
  });

  it("text is one line for people, also with values that have spaces, quotes and line breaks", () => {
    const fields = { path: "/x", statement: 'select "a"\nfrom b', error: { code: 1 } };
    const text = written({ ...json, LOG_FORMAT: "text" }, (log) => log.info(fields, "done"));
    expect(text.replace(/^\S+ /, "")).toBe(
      'INFO done path=/x statement="select \\"a\\"\\nfrom b" error={"code":1}\n',
    );
  });
});

describe("LOG_LEVEL", () => {
  it.each([
    ["DEBUG", ["DEBUG", "INFO", "WARNING", "ERROR"]],
    ["INFO", ["INFO", "WARNING", "ERROR"]],
    ["WARNING", ["WARNING", "ERROR"]],
    ["ERROR", ["ERROR"]],
  ] as const)("%s passes %j", (LOG_LEVEL, levels) => {
    const text = written({ ...json, LOG_LEVEL }, (log) => {
      for (const level of ["debug", "info", "warn", "error"] as const) log[level]("said");
    });
    expect([...text.matchAll(/"level":"(\w+)"/g)].map(([, level]) => level)).toEqual(levels);
  });
});

describe("redaction", () => {
  it.each([
    ["a token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
    ["a password's hash", `$2b$12$${"a".repeat(53)}`],
    ["an AWS key", "AKIAIOSFODNN7EXAMPLE"],
    ["an LLM key", `sk-${"x".repeat(30)}`],
    ["the password in an address", "hunter2hunter2", "postgresql://app:hunter2hunter2@db.example/app"],
  ])("%s", (_, secret, text = secret) => {
    expect(written(json, (log) => log.info(`see ${text}`))).not.toContain(secret);
  });

  it("the values of secret settings, also with characters that mean something to a pattern", () => {
    const SECRET_KEY = "a+(b)*[c]$^|{2}\\d-and-more";
    const DATABASE_URL = "postgresql://app:pa%24%24word-of-the-db@localhost/app";
    const text = written({ ...json, SECRET_KEY, DATABASE_URL }, (log) => {
      log.info({ one: "a+(b)*[c]$^|{2}", other: "pa$$word-of-the-db" });
    });
    expect(text).not.toContain("pa$$word-of-the-db");
    expect(text).toContain("[hidden]");
  });
});

describe("describeError", () => {
  it("keeps an error's kind, message, location and causes", () => {
    const error = new TypeError("no such thing", { cause: new RangeError("too far") });
    expect(describeError(error)).toMatchObject({
      name: "TypeError",
      message: "no such thing",
      stack: expect.arrayContaining([expect.stringContaining("log.test.ts")]),
      cause: { name: "RangeError", message: "too far" },
    });
  });

  it("of a failed query keeps the statement, the code and the constraint, and no value", () => {
    const cause = Object.assign(new Error('invalid input syntax for type integer: "s3cret"'), {
      severity: "ERROR",
      code: "22P02",
      constraint: "things_key",
      detail: "Key (name)=(s3cret) exists.",
    });
    const failed = new Error("Failed query: … params: s3cret", { cause });
    const described = describeError(Object.assign(failed, { query: "select $1", params: ["s3cret"] }));
    expect(described).toMatchObject({
      query: "select $1",
      cause: {
        code: "22P02",
        constraint: "things_key",
        message: 'invalid input syntax for type integer: "…"',
      },
    });
    expect(JSON.stringify(described)).not.toContain("s3cret");
  });

  it("also applies to an error that is logged directly", () => {
    const error = Object.assign(new Error("Failed query"), { params: ["s3cret"] });
    expect(written(json, (log) => log.error(error))).not.toContain("s3cret");
  });
});
