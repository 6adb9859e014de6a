import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import * as z from "zod";
import { sentenceOf } from "../../../app/src/values-in.ts";
import { issuesOf } from "../../../lib/validation/issues.ts";
import { Email } from "../../../schema/api/email.ts";

const faults: Record<string, string> = JSON.parse(
  await readFile(new URL("../../../app/texts/faults/en.json", import.meta.url), "utf8"),
);

it.each<[string, z.ZodType, unknown, object]>([
  ["required", z.string(), undefined, {}],
  ["email", Email, "mina", {}],
  ["string", z.string(), 7, {}],
  ["string.short", z.string().min(3), "ab", { limit: "3" }],
  ["string.long", z.string().max(3), "abcd", { limit: "3" }],
  ["number", z.number(), "7", {}],
  ["integer", z.int(), 7.5, {}],
  ["number.least", z.number().min(30), 5, { limit: "30" }],
  ["number.most", z.number().max(100), 101, { limit: "100" }],
  ["number.above", z.number().gt(0), 0, { limit: "0" }],
  ["number.below", z.number().lt(1), 1, { limit: "1" }],
  ["multiple", z.number().multipleOf(0.01), 0.001, { of: "0.01" }],
  ["bool", z.boolean(), "yes", {}],
  ["list", z.array(z.int()), 7, {}],
  ["list.short", z.array(z.int()).min(1), [], { limit: "1" }],
  ["list.long", z.array(z.int()).max(1), [1, 2], { limit: "1" }],
  ["dictionary", z.object({}), 7, {}],
])("what the service says of a field is known: %s", (name, schema, value, values) => {
  const input = { field: value };
  const { error } = z.strictObject({ field: schema }).safeParse(input);
  const [issue] = issuesOf("body", input, error?.issues ?? []);
  expect([issue?.msg, ...(sentenceOf(faults, issue?.msg ?? "") ?? [])]).toEqual([
    issue?.msg,
    `fault.${name}`,
    values,
  ]);
});
