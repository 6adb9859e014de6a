import { describe, expect, it } from "vitest";
import type { Reply } from "../support/client.ts";
import { openDryRun } from "../support/dry-run.ts";
import { bodyOf, type Operation, operations, pathOf, type Schema, typesOf } from "../support/operations.ts";
import { allOr, isExhaustive, oneOfEach, withNewKeys } from "../support/representatives.ts";
import { absent, type Faulty, faultyValues } from "./faulty.ts";

const dryRun = openDryRun();

type Input = { path?: string; body?: unknown };

/** Sends it as a permitted caller. */
function send(operation: Operation, { path, body }: Input) {
  const { university } = dryRun;
  const { kind, open } = operation.contract.access;
  const admin = university.people.find(({ name }) => name === "platform_admin of the university");
  const person = open === "own data" ? university.learner : admin;
  return dryRun.ask(kind === "anyone" ? undefined : person, {
    method: operation.method,
    path: path ?? pathOf(operation, university.paths),
    body: body === undefined ? bodyOf(operation, university.fields) : body,
  });
}

/** Describes a wrong response to bad input. Undefined if it is correct. */
function complaint(
  operation: Operation,
  fault: Faulty,
  reply: Reply & { wrote: boolean },
): string | undefined {
  const { status, body, text, wrote } = reply;
  const found = `${fault.loc.join(".")} ${fault.what}: ${status} ${text.slice(0, 200)}`;
  if (status >= 500 || !operation.statuses.includes(status)) return `${found} is not in the contract`;
  if (status >= 400 && wrote) return `${found} but something was written`;
  if (!fault.isRefused) return undefined;
  if (status !== 422) return `${found} instead of 422`;
  const locs: string[] = body.detail.map(({ loc }: { loc: unknown[] }) => JSON.stringify(loc));
  const wanted = JSON.stringify(fault.loc).slice(0, -1);
  return locs.some((loc) => loc.startsWith(wanted)) ? undefined : `${found} names other fields`;
}

async function complaints(
  operation: Operation,
  faults: readonly Faulty[],
  inputOf: (fault: Faulty) => Input,
): Promise<string[]> {
  const found: string[] = [];
  for (const fault of faults)
    found.push(complaint(operation, fault, await send(operation, inputOf(fault))) ?? "");
  return found.filter(Boolean);
}

/** The body with the faulty value at its place, merging objects on the way. */
function merged(body: unknown, faulty: unknown): unknown {
  const areObjects = [body, faulty].every(
    (one) => typeof one === "object" && one !== null && !Array.isArray(one),
  );
  if (!areObjects || Object.keys(Object(faulty)).length === 0) return faulty;
  const entries = Object.entries(Object(faulty)).map(([name, value]) => [
    name,
    merged(Object(body)[name], value),
  ]);
  const all = { ...Object(body), ...Object.fromEntries(entries) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== absent));
}

const placeOf = ({ loc }: Faulty): string => JSON.stringify(loc);

/** The rule that a fault breaks. Values of any other type except null break the same. */
const ruleOf = ({ what }: Faulty): string =>
  /^a (string|number|boolean|array|object)$/.test(what) ? "another type" : what;

/** In `npm test` one fault per rule and one per place of an operation. */
const faultsOf = (operation: Operation, faults: readonly Faulty[]) =>
  allOr(faults, () =>
    withNewKeys(faults, (fault) => [ruleOf(fault), placeOf(fault)], { turn: operations.indexOf(operation) }),
  );

const metInParameters = new Set<string>();

/** In `npm test` one per parameter, and one per rule and kind of parameter over all operations. */
function faultsOfParameters(operation: Operation, source: "path" | "query") {
  const faults = operation.parameters
    .filter((parameter) => parameter.in === source)
    .flatMap(({ name, schema }) =>
      faultyTextsFor(source, name, schema).map((fault) => ({
        fault,
        kind: JSON.stringify([source, schema]),
      })),
    );
  return allOr(faults, () =>
    withNewKeys(faults, ({ fault, kind }) => [operation.name + placeOf(fault), `${kind} ${ruleOf(fault)}`], {
      turn: operations.indexOf(operation),
      met: metInParameters,
    }),
  ).map(({ fault }) => fault);
}

const inBody = (fault: Faulty): Faulty => ({ ...fault, loc: ["body", ...fault.loc] });

describe("bad input", () => {
  const withBody = operations.filter(({ body }) => body);

  it.each(withBody)("$name refuses every faulty field of its body", async (operation) => {
    const faults = faultsOf(operation, faultyValues(operation.body as Schema).map(inBody));
    const usual = bodyOf(operation, dryRun.university.fields);
    const found = await complaints(operation, faults, ({ value }) => ({ body: merged(usual, value) }));
    expect(found).toEqual([]);
  });

  it.each(withBody)("$name refuses what is no such body at all", async (operation) => {
    const refused = ["", "{", "null", "7", '"text"', "[[]]", "\u0000"].map((text) => ({
      what: text,
      loc: ["body"],
      value: text,
      isRefused: true,
    }));
    const tried = allOr(refused, () => oneOfEach(refused, () => "body", operations.indexOf(operation)));
    expect(await complaints(operation, tried, ({ value }) => ({ body: value }))).toEqual([]);
    // One place checks body sizes for the whole app: `npm test` tries each eighth operation.
    if (!isExhaustive() && operations.indexOf(operation) % 8 > 0) return;
    const tooLarge = await send(operation, { body: `"${"x".repeat(1024 * 1024)}"` });
    expect(tooLarge.status).toBe(413);
  });

  const withPath = operations.filter(({ path }) => path.includes("{"));

  it.each(withPath)("$name refuses faulty parameters of its path", async (operation) => {
    const faults = faultsOfParameters(operation, "path");
    const found = await complaints(operation, faults, ({ loc: [, name], value }) => ({
      path: pathOf(operation, { ...dryRun.university.paths, [String(name)]: value }),
    }));
    expect(found).toEqual([]);
  });

  const withQuery = operations.filter(({ parameters }) => parameters.some((one) => one.in === "query"));

  it.each(withQuery)("$name refuses faulty parameters of its query", async (operation) => {
    const faults = faultsOfParameters(operation, "query");
    const path = pathOf(operation, dryRun.university.paths);
    const found = await complaints(operation, faults, ({ loc: [, name], value }) => ({
      path: `${path}?${new URLSearchParams([[String(name), String(value)]])}`,
    }));
    expect(found).toEqual([]);
  });
});

/** Paths and queries are text: faulty values that are strings, and numbers as text. */
function faultyTextsFor(source: "path" | "query", name: string, schema: Schema): Faulty[] {
  const isInteger = typesOf(schema).includes("integer");
  const beyond = schema.format === "int64" ? "9007199254740992" : "2147483648";
  const spelled = isInteger ? ["0x1", "1e3", "", "a\0b", beyond, "-1", "99999999999999999999"] : [];
  const known = faultyValues(schema).filter(({ value }) =>
    isInteger
      ? typeof value === "string" || (typeof value === "number" && value !== 7)
      : typeof value === "string" && value.isWellFormed(),
  );
  return [...known, ...spelled.map((value) => ({ what: value, value, isRefused: true }))]
    .filter(({ value }) => source === "query" || value !== "")
    .map(({ what, value, isRefused }) => ({ what, value, isRefused, loc: [source, name] }));
}
