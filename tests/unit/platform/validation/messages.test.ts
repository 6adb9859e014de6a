import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toFieldIssues } from "../../../../lib/platform/validation/issues.ts";
import { integer } from "../../../../schema/api/platform/fields.ts";

const said = (schema: z.ZodType, input: unknown) =>
  toFieldIssues("body", input, schema.safeParse(input).error?.issues ?? []).map(({ msg, type }) => [
    type,
    msg,
  ]);

describe("the message of a field's fault", () => {
  it.each([
    [integer(1, 9), "x", "int_type", "Input should be a valid integer"],
    [integer(1, 9), 1.5, "int_type", "Input should be a valid integer"],
    [integer(1, 9), 0, "greater_than_equal", "Input should be greater than or equal to 1"],
    [integer(1, 9), 10, "less_than_equal", "Input should be less than or equal to 9"],
    [z.number().max(100), 101, "less_than_equal", "Input should be less than or equal to 100"],
    [z.number().positive(), 0, "greater_than", "Input should be greater than 0"],
    [z.number().multipleOf(0.5), 0.2, "multiple_of", "Input should be a multiple of 0.5"],
    [z.string(), 1, "string_type", "Input should be a valid string"],
    [z.string().min(2), "a", "string_too_short", "String should have at least 2 characters"],
    [z.string().regex(/^a$/), "b", "value_error", "String should match pattern /^a$/"],
    [z.email(), "b", "value_error", "Input should be a valid email address"],
    [z.boolean(), 1, "bool_type", "Input should be a valid boolean"],
    [z.array(z.string()), "b", "list_type", "Input should be a valid list"],
    [z.array(z.string()).max(1), ["a", "b"], "too_long", "List should have at most 1 items"],
    [z.object({}), [], "dict_type", "Input should be a valid dictionary"],
    [z.enum(["A", "B", "C"]), "D", "enum", 'Input should be "A", "B", or "C"'],
  ])("is FastAPI's: %#", (schema, input, type, words) => {
    expect(said(schema, input)).toEqual([[type, words]]);
  });
});
