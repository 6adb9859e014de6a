import { describe, expect, it } from "vitest";
import { createStatementNames } from "../../../../lib/platform/db/driver/prepared.ts";

const refusal = (code: string, message = "") => Object.assign(new Error(message), { code });

const outdated = refusal("0A000", "cached plan must not change result type");

/** The statement name of a repeated text. */
function nameOf(text: string, names = createStatementNames()): string | undefined {
  names.of(text);
  return names.of(text);
}

describe("the name of a statement", () => {
  it("is the same in every process, and another for another text", () => {
    const text = "select id from users where id = $1";
    expect(nameOf(text)).toBe(nameOf(text));
    expect(nameOf(text)).not.toBe(nameOf(`${text} `));
    // PostgreSQL truncates longer names, which could then collide.
    expect(nameOf(text)?.length).toBeLessThan(64);
  });

  it("starts at the second use of a text", () => {
    expect(createStatementNames().of("select $1")).toBeUndefined();
  });

  it("is denied to new statements above the limit, and existing ones keep theirs", () => {
    const names = createStatementNames();
    const texts = Array.from({ length: 1000 }, (_, index) => `select $1 + ${index}`);
    const named = texts.filter((text) => nameOf(text, names));
    expect(named.length).toBeLessThan(500);
    expect(names.of(String(texts[0]))).toBeDefined();
  });
});

describe("a name that fails its statement", () => {
  const lines: object[] = [];
  const log = { warn: (fields: object) => lines.push(fields) };

  it("is given up if the plan is outdated, and others keep theirs", () => {
    const names = createStatementNames(log);
    const [one, other] = ["select $1 as one", "select $1 as other"];
    for (const text of [one, other]) nameOf(text, names);
    expect(names.lostBy(outdated, one)).toBe(true);
    expect(names.of(one)).toBeUndefined();
    expect(names.of(other)).toBeDefined();
    expect(lines).toEqual([]);
  });

  it.each(["26000", "42P05"])("is given up with all others after %s, which is logged once", (code) => {
    lines.length = 0;
    const names = createStatementNames(log);
    nameOf("select $1", names);
    for (let time = 0; time < 2; time += 1) expect(names.lostBy(refusal(code), "select $1")).toBe(true);
    expect(names.of("select $1")).toBeUndefined();
    expect(nameOf("select $1 + 1", names)).toBeUndefined();
    expect(lines).toHaveLength(1);
  });

  it.each([refusal("23505"), refusal("0A000", "cannot use a set-returning function here"), new Error("x")])(
    "is not to blame for %s",
    (error) => {
      expect(createStatementNames().lostBy(error, "select $1")).toBe(false);
    },
  );
});
