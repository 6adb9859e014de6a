import { describe, expect, it } from "vitest";
import {
  hashStatementText,
  parseStatements,
  readFunctionTexts,
  splitStatements,
} from "../../../lib/platform/db/migrations/function-texts.ts";
import { ownSchema } from "../../../lib/platform/db/migrations/schema.ts";

describe("a file of functions", () => {
  it("is cut at the end of each statement, not inside of a body", () => {
    const one = "create or replace function one() returns int language sql as $$\n  select 1;\n$$;";
    const two = "create or replace trigger two after insert on t\n  for each row execute function one();";
    expect(splitStatements(`${one}\n\n${two}\n`)).toEqual([
      { text: one, line: 1 },
      { text: two, line: 5 },
    ]);
  });

  it("omits its head, and keeps the comment right above a statement", () => {
    const text = "-- Why it is so;\n-- and not otherwise.\ncreate or replace view v as select 1;";
    expect(splitStatements(`-- The subject.\n--\n-- Locks: none.\n\n${text}\n`)).toEqual([{ text, line: 5 }]);
  });

  it("keeps empty lines and comments inside of a body", () => {
    const text =
      "create or replace function f() returns void language plpgsql as $$\nbegin\n\n  -- Why;\n\nend $$;";
    expect(splitStatements(`${text}\n`)).toEqual([{ text, line: 1 }]);
  });

  it("is rejected if its last statement is incomplete", () => {
    expect(() => splitStatements("create or replace view v as select 1\n")).toThrow('does not end with ";"');
  });
});

describe("the room of the functions", () => {
  it("names the object of each statement", () => {
    const made = readFunctionTexts(ownSchema).map(({ makes, name }) => `${makes} ${name}`);
    expect(made).toEqual(
      expect.arrayContaining([
        "function open_turn",
        "view prompt_versions",
        "trigger queue_updated_outlines on modules",
        "trigger refuse_cycle_of_prerequisites on course_prerequisites",
      ]),
    );
  });
});

describe("the hash of a text", () => {
  const [one, commented, other] = [
    "create or replace view v as select 1;",
    "-- One.\ncreate or replace view v as select 1;",
    "create or replace view v as select 2;",
  ].map((text) => parseStatements(text, "v.sql")[0]);

  it("covers the statement, and not the comment above it", () => {
    expect(one && hashStatementText(one)).toBe(commented && hashStatementText(commented));
    expect(one && hashStatementText(one)).not.toBe(other && hashStatementText(other));
  });
});

describe("a retired function with a text", () => {
  const text = "create or replace function former() returns int language sql as 'select 1';";
  const retired = [{ object: "function former()", retiredIn: "1.1.0", text }];

  it("is made while servers of the version before may run, and not in the next version", () => {
    expect(
      readFunctionTexts({ functions: ownSchema.functions as string, retired, version: "1.1.0" }),
    ).toContainEqual(expect.objectContaining({ text, file: "retired.ts", name: "former" }));
    const next = readFunctionTexts({ functions: ownSchema.functions as string, retired, version: "1.2.0" });
    expect(next.filter(({ name }) => name === "former")).toEqual([]);
  });
});
