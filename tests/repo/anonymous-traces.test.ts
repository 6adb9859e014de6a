import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  type Author,
  actedAt,
  actsOnNamedPerson,
  addAuthor,
  readAt,
  stepsOfAnonymousWork,
} from "../support/anonymous-work.ts";
import type { Reply } from "../support/client.ts";
import { differencesOf } from "../support/differences.ts";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { fullAddressOf, type Operation, operations, queriesOf, type Values } from "../support/operations.ts";
import { allOr, isExhaustive } from "../support/representatives.ts";
import {
  type Address,
  type Caller,
  headersOf,
  isSameReply,
  readAgain,
  readAll,
  type Snapshot,
} from "../support/snapshots.ts";
import type { World } from "../support/world.ts";

/*
 * Until grades are released, no act on anonymous work may change a response that names its author. The test
 * compares every response of every read, for every caller but the author, before and after all acts, and as
 * representatives after each step. Only rows with a code and the totals listed here may differ.
 */

/** Totals of classes and of the platform, questions of a quiz, and grades in the log, whose subject is hidden. */
const totals = new RegExp(
  [
    "^(getAdminAnalytics\\w+|getUniversityAnalytics|getCourseStats|getCourseOfferingWeek) ",
    "^getMyTeaching body\\.offerings\\*\\.to_grade\\.",
    // A link to the next page comes with further rows, which are compared themselves.
    "^\\w+ headers\\.link$",
    "^getAudit body\\*$|^listQuizQuestions body\\*(\\.(reason|thrown_out|thrown_out_at))?$|^previewQuizRegrade body\\.attempts$",
  ].join("|"),
);

let made: Author;
let namesOfPeople: RegExp;
const dryRun = openDryRun(async (world, university) => {
  made = await addAuthor(world, university);
  const people = [made.author, made.mate];
  const ids = [...people, ...made.seats].map(({ id }) => `\\b${id}\\b`);
  const words = people.flatMap(({ full_name, email }) => [full_name, email]);
  namesOfPeople = new RegExp([...ids, ...words, "ext-zq-7731", "ext-om-7732"].join("|"));
});

function callers(): { all: Caller[]; few: Caller[] } {
  const staff = dryRun.university.people
    .filter(({ name }) => / of the (university|department)$/.test(name))
    .map(({ id, name }) => ({ name, person: { id } }));
  const all: Caller[] = [
    ...staff,
    { name: "a classmate", person: made.classmate },
    { name: "an API key", person: undefined, headers: { authorization: `Bearer ${made.key}` } },
    { name: "nobody", person: undefined },
  ];
  const represents = /^(ta|university_admin|platform_admin) of the university$|API key/;
  const few = all.filter(({ name }) => represents.test(name));
  return { all: [...allOr(all, () => few)], few };
}

const reads = operations.filter(({ method }) => method === "GET");

/** Reads about each item, of the author and of the class, plain ones first. */
function addressesOf(operation: Operation): Address[] {
  const { paths } = dryRun.university;
  const ofAuthor = { user_id: made.author.id, enrollment_id: made.seats[0]?.id, group_id: made.group.id };
  const ofClass = { user_id: undefined, group_id: undefined };
  const found = [made.lab, made.team, made.paper, made.quiz].flatMap(({ id }) =>
    [ofAuthor, ofClass].flatMap((people) =>
      addressesWith(operation, {
        ...{ ...paths, ...people },
        ...{ content_item_id: id, assignment_id: id, content_id: id },
      }),
    ),
  );
  return [...new Map(found.map((address) => [address.path, address])).values()];
}

function addressesWith(operation: Operation, values: Values): Address[] {
  if (/\{(user|group)_id\}/.test(operation.path) && values["user_id"] === undefined) return [];
  const { id } = operation.contract;
  const plain = fullAddressOf(operation, values);
  const queries = queriesOf(operation, values)
    // Rows leave a short page of the log when others come.
    .filter((path) => id !== "getAudit" || !/[?&]limit=/.test(path))
    // The document's cursor is of another database.
    .map((path) => path.replace(/([?&](?:after|since)=)\d+-\d+$/, `$1${made.cursor}`));
  const chosen = allOr(queries, () => queries.filter((one) => /[?&](format|sort)=/.test(one)));
  return [plain, ...chosen].map((path) => ({ id, path, plain }));
}

/** The event feed waits for transactions that run, also those of other tests' databases. */
async function untilFeedIsCurrent(): Promise<void> {
  const { db } = dryRun.world.deps;
  const { rows } = await db.execute<{ last: string }>(
    sql`select pg_snapshot_xmax(pg_current_snapshot())::text as last`,
  );
  const isPast = sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${rows[0]?.last}::xid8 as past`;
  await expect.poll(async () => (await db.execute<{ past: boolean }>(isPast)).rows[0]?.past).toBe(true);
}

/** All responses. `npm test` has few callers and few optional parameters. */
async function readEverything(): Promise<Snapshot> {
  await untilFeedIsCurrent();
  dryRun.world.setNow(readAt);
  return readAll(dryRun, reads.flatMap(addressesOf), callers());
}

/** The turns of partial readings. */
let turn = 0;

async function readFurther(former: Snapshot, parts = 1): Promise<Snapshot> {
  await untilFeedIsCurrent();
  dryRun.world.setNow(readAt);
  return readAgain(dryRun, former, { turn: turn++, parts });
}

type Changes = { id: string; request: string; path: string; rows: string[] };

/** Differences between two snapshots, one for each operation and path in its response. */
async function differencesBetween(
  before: Snapshot,
  after: Snapshot,
  isForbidden: (change: Changes, isAnonymous: boolean) => boolean,
): Promise<string[]> {
  const codes = await dryRun.world.deps.db.execute<{ code: string }>(sql`select code from anonymous_codes`);
  const ofCode = new RegExp(codes.rows.map(({ code }) => code).join("|") || "no code");
  const found = new Map<string, string>();
  for (const [request, { id, reply }] of after) {
    const former = before.get(request)?.reply;
    if (!former || isSameReply(former, reply)) continue;
    for (const { path, rows } of differencesOf(linesOf(former), linesOf(reply))) {
      const isAnonymous = rows.some((row) => ofCode.test(row));
      if (found.has(`${id} ${path}`) || !isForbidden({ id, request, path, rows }, isAnonymous)) continue;
      found.set(`${id} ${path}`, `${request} ${rows.at(-2)} -> ${rows.at(-1)}`);
    }
  }
  return [...found].map(([place, example]) => `${place} (${example.slice(0, 900)})`).sort();
}

/** Changes of named rows, and of rows that have no code and are no total. */
const changesBetween = (before: Snapshot, after: Snapshot) =>
  differencesBetween(before, after, ({ id, request, path, rows }, isAnonymous) => {
    const isNamed = [request, ...rows].some((text) => namesOfPeople.test(text));
    return isNamed || !(isAnonymous || totals.test(`${id} ${path}`));
  });

/** Changes of rows with a code. */
const changesOfCodes = (before: Snapshot, after: Snapshot) =>
  differencesBetween(before, after, (_, isAnonymous) => isAnonymous);

const requestIds = /request [0-9a-f-]{36}/g;

/** An ETag is the digest of a body, which is compared itself. */
const linesOf = (reply: Reply) => linesOfParts(reply, headersOf(reply));

const linesOfParts = ({ status, body, text }: Reply, { etag, ...headers }: Record<string, string>) => ({
  status,
  headers: { ...headers, ...(etag !== undefined && text === "" && { etag }) },
  body: comparableBody({ body, text }),
});

/** Each launch of a tool is sealed again. */
const sealedLaunch = /(?<=\?launch=)[\w.-]+/;

function comparableBody({ body, text }: Pick<Reply, "body" | "text">): Reply["body"] {
  if (typeof body === "string") return text.replaceAll(requestIds, "request …").split("\n");
  return sealedLaunch.test(text) ? JSON.parse(text.replace(sealedLaunch, "…")) : body;
}

async function perform(acts: Record<string, () => Promise<Reply>>): Promise<void> {
  for (const [name, act] of Object.entries(acts)) {
    dryRun.world.setNow(actedAt);
    const { status, text } = await act();
    expect(status, `${name}: ${text}`).toBeLessThan(300);
  }
}

describe("acts on anonymous work", () => {
  /** The latest responses. */
  let latest: Snapshot;

  it("change no response that names a person before the release", async () => {
    const before = await readEverything();
    const changes: Record<string, string[]> = {};
    latest = before;
    for (const acts of stepsOfAnonymousWork(dryRun.world, made)) {
      await perform(acts);
      if (!isExhaustive()) continue;
      const former = latest;
      latest = await readFurther(former, 5);
      const found = await changesBetween(former, latest);
      if (found.length > 0) changes[Object.keys(acts).join(", ")] = found;
    }
    latest = await readEverything();
    const found = await changesBetween(before, latest);
    expect({ ...changes, ...(found.length > 0 && { all: found }) }).toEqual({});
  });

  it("are not linked to their person by acts on the person, such as extensions", async () => {
    const former = latest;
    await perform(actsOnNamedPerson(dryRun.world, made));
    latest = await readFurther(former);
    expect(await changesOfCodes(former, latest)).toEqual([]);
    expect((await changesBetween(former, latest)).join("\n")).toMatch(/^listSubmissionOverrides .*due_at/m);
  });

  const isAuthor = () => sql`user_id = ${made.author.id} and course_offering_id = ${made.offering_id}`;
  type Statement = Parameters<World["deps"]["db"]["execute"]>[0];
  /** A count, an event of another kind, a moment and the order of people. */
  const leaks: [() => Statement, RegExp][] = [
    [
      () => sql`update enrollment_progress set completed_items = completed_items + 1 where ${isAuthor()}`,
      /^listCourseOfferingEnrollments .*completed_items/m,
    ],
    [
      () => sql`
        insert into activity_events (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id)
        select ${made.author.id}, 'asked', 'content_item', ${made.lab.id}, university_id, ${made.lab.id}, id
        from course_offerings where id = ${made.offering_id}`,
      /^listUniversityEvents /m,
    ],
    [
      () => sql`update users set updated_at = updated_at + interval '1 second' where id = ${made.author.id}`,
      /^getUser .*updated_at/m,
    ],
    [
      () => sql`update enrollments set enrolled_at = enrolled_at - interval '1 minute' where ${isAuthor()}`,
      /^listCourseOfferingEnrollments .*user_id/m,
    ],
  ];
  const released = [
    /^listCourseOfferingEnrollments .*completed_items/m,
    /^listUserEnrollments .*progress_percent/m,
    /^listUniversityEvents /m,
    /^listSubmissions .*user_id/m,
    /^(readGradebook|listSubmissions) .*late_days/m,
  ];

  /** The changes of all responses by an act. */
  async function changesBy(act: () => Promise<unknown>): Promise<string> {
    const former = latest;
    await act();
    latest = await readFurther(former);
    return (await changesBetween(former, latest)).join("\n");
  }

  it("would be noticed if they changed something else", async () => {
    const found = await changesBy(async () => {
      for (const [leak] of leaks) await dryRun.world.deps.db.execute(leak());
    });
    for (const [, place] of leaks) expect(found).toMatch(place);
  });

  it("appear with their person once grades are released", async () => {
    const { university_id } = dryRun.university.scope;
    const admin = await makersOf(dryRun.world).holder("university_admin", university_id);
    const found = await changesBy(async () => {
      const { status } = await dryRun.world.as(admin).post(`${made.here}/grades/release`, {});
      expect(status).toBe(200);
    });
    for (const place of released) expect(found).toMatch(place);
  });
});
