import { describe, expect, it } from "vitest";
import { readStatements, splitStatements } from "../../../lib/db/migrations/function-texts.ts";

describe("a file of functions", () => {
  it("is cut at the end of each statement, not inside of a body", () => {
    const one = "create or replace function one() returns int language sql as $$\n  select 1;\n$$;";
    const two = "create or replace trigger two after insert on t\n  for each row execute function one();";
    expect(splitStatements(`${one}\n\n${two}\n`)).toEqual([one, two]);
  });

  it("leaves out its head, and keeps the comment right above a statement", () => {
    const text = "-- Why it is so;\n-- and not otherwise.\ncreate or replace view v as select 1;";
    expect(splitStatements(`-- The subject.\n--\n-- Locks: none.\n\n${text}\n`)).toEqual([text]);
  });

  it("keeps empty lines and comments inside of a body", () => {
    const text =
      "create or replace function f() returns void language plpgsql as $$\nbegin\n\n  -- Why;\n\nend $$;";
    expect(splitStatements(`${text}\n`)).toEqual([text]);
  });

  it("is refused when its last statement does not end", () => {
    expect(() => splitStatements("create or replace view v as select 1\n")).toThrow('does not end with ";"');
  });
});

describe("the room of the functions", () => {
  it("names what each statement makes", async () => {
    const made = (await readStatements()).map(({ makes, name }) => `${makes} ${name}`);
    expect(made).toEqual(
      expect.arrayContaining([
        "constraint modules_sibling_order_unique on modules",
        "function open_turn",
        "view prompt_versions",
        "trigger note_stale_outlines on modules",
        "trigger refuse_cycle_of_prerequisites on course_prerequisites",
      ]),
    );
  });
});
