import { expect, it } from "vitest";
import type * as z from "zod";
import { maxReportedIssues } from "../../lib/errors.ts";
import { openDryRun } from "../support/dry-run.ts";
import { bodyOf, type Operation, operations, pathOf, type Schema } from "../support/operations.ts";
import { allOr, oneOfEach } from "../support/representatives.ts";
import { type Heavy, heavyParts, heavyWholes, type Variety, worst } from "./heavy-bodies.ts";

const dryRun = openDryRun();

/** Limit of a response, in bytes. */
const usualAnswer = 128 * 1024;
/** Limit of a request's CPU work, in milliseconds. */
const usualWork = 300;
/** Limit of a request's work, as a multiple of parsing its body twice. */
const mostReadings = 40;

/** CPU milliseconds of this thread, independent of the machine's load. */
async function workOf<T>(task: () => T | Promise<T>): Promise<{ result: T; work: number }> {
  const before = process.threadCpuUsage();
  const result = await task();
  const { user, system } = process.threadCpuUsage(before);
  return { result, work: (user + system) / 1000 };
}

/** The minimum of several runs, which excludes noise such as garbage collection. */
async function leastWork(task: () => unknown, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > enough; run++) least = Math.min(least, (await workOf(task)).work);
  return least;
}

type Person = { id: number } | undefined;

/** Describes a wrong response to a heavy body. Undefined if it is correct. */
async function complaint(operation: Operation, person: Person, heavy: Heavy): Promise<string | undefined> {
  const ask = () =>
    dryRun.ask(person, {
      method: operation.method,
      path: pathOf(operation, dryRun.university.paths),
      body: heavy.text,
    });
  const { result, work } = await workOf(ask);
  const { status, text, body } = result;
  const found = `${heavy.what}: ${status}`;
  if (status >= 500 || !operation.statuses.includes(status)) return `${found} ${text.slice(0, 200)}`;
  if (heavy.isRefused && status < 400) return `${found}, though it must be refused`;
  if (status === 422 && body.detail.length > maxReportedIssues)
    return `${found} with ${body.detail.length} faults`;
  if (text.length > usualAnswer + 2 * heavy.text.length) return `${found} with ${text.length} characters`;
  if (work < usualWork) return undefined;
  const reading = await leastWork(() => [JSON.parse(heavy.text), JSON.parse(heavy.text)], 0);
  const allowed = usualWork + mostReadings * reading;
  const least = work < allowed ? work : await leastWork(ask, allowed);
  return least < allowed ? undefined : `${found} after ${least} ms of work, where reading takes ${reading}`;
}

async function complaints(operation: Operation, person: Person, bodies: readonly Heavy[]) {
  const found: string[] = [];
  for (const heavy of bodies) found.push((await complaint(operation, person, heavy)) ?? "");
  return found.filter(Boolean);
}

/** A permitted caller, whose body is read. */
function admitted({ contract: { access } }: Operation): Person {
  if (access.kind === "anyone") return undefined;
  const { people, learner } = dryRun.university;
  return access.open === "own data"
    ? learner
    : people.find(({ name }) => name === "platform_admin of the university");
}

/** The kind of validation before fields: the access rule, and the body's schema. */
const shapeOf = ({ contract: { access, body } }: Operation): string =>
  `${access.kind === "anyone"} ${typesIn(body)}`;

/** The schema types that wrap an object or list. */
function typesIn(schema: z.core.$ZodType | undefined): string {
  const def = schema?._zod.def as z.core.$ZodTypeDef & { in?: z.core.$ZodType; out?: z.core.$ZodType };
  return def?.in ? `${typesIn(def.in)} ${typesIn(def.out)}` : String(def?.type);
}

/** All heavy values for new fields, and the worst for known ones. */
function varietyByNovelty(): (field: string) => Variety {
  const met = new Set<string>();
  return (field) => {
    if (met.has(field)) return "the worst";
    met.add(field);
    return "all";
  };
}

const withBody = operations.filter(({ body }) => body);
const varietyOfShape = varietyByNovelty();
const varietyOf = varietyByNovelty();

it.each(withBody)(
  "$name answers the heaviest bodies of anyone in few bytes and little time",
  async (operation) => {
    const student = dryRun.university.people.find(({ name }) => name === "student of the university");
    const variety = varietyOfShape(shapeOf(operation));
    const all = heavyWholes(variety);
    // In `npm test` one of the worst per operation, in turn, if its shape is known.
    const kindOf = ({ what }: Heavy) => (variety === "all" ? what : "the worst");
    const bodies = allOr(all, () => oneOfEach(all, kindOf, operations.indexOf(operation)));
    // In `npm test` only a caller whose body is read.
    const callers = allOr([undefined, student], () => [
      operation.contract.access.kind === "signed in" ? student : undefined,
    ]);
    for (const caller of callers) expect(await complaints(operation, caller, bodies)).toEqual([]);
  },
);

it.each(withBody)("$name answers the heaviest body in few bytes and little time", async (operation) => {
  const usual = bodyOf(operation, dryRun.university.fields) ?? {};
  const all = heavyParts(operation.body as Schema, usual, varietyOf);
  // In `npm test` one long text and one of the worst per place, in turn by operation.
  const kindOf = ({ what }: Heavy) => {
    if (what.startsWith("texts of")) return "texts";
    return worst.test(what) ? `the worst ${what.slice(what.indexOf(" as "))}` : what;
  };
  const bodies = allOr(all, () => oneOfEach(all, kindOf, operations.indexOf(operation)));
  expect(await complaints(operation, admitted(operation), bodies)).toEqual([]);
});
