import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { apiKeyScopes } from "../../schema/enums.ts";
import type { Person, Reply } from "../support/client.ts";
import { differencesOf } from "../support/differences.ts";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { fullAddressOf, type Operation, operations, queriesOf, type Values } from "../support/operations.ts";
import { allOr, isExhaustive } from "../support/representatives.ts";
import { sendFile } from "../support/send-file.ts";
import type { UniversityFixture } from "../support/university.ts";
import type { World } from "../support/world.ts";

/*
 * Until grades are released, no act on anonymous work may change a response that names its author. The test
 * compares every response of every read, for every caller but the author, before and after each act. Only
 * rows with a code and the totals listed here may differ.
 */

/** The acts, and the reads after them. Reads have their own moment, because tokens and dates depend on it. */
const [actedAt, readAt] = ["2026-03-10T12:07:31.000Z", "2026-03-10T12:30:00.000Z"];

/** Totals of classes and of the platform, and changes of grades in the log, whose subject is hidden. */
const totals = new RegExp(
  [
    "^(getAdminAnalytics\\w+|getUniversityAnalytics|getCourseStats|getCourseOfferingWeek) ",
    "^getMyTeaching body\\.offerings\\*\\.to_grade\\.",
    "^(getAudit|listQuizQuestions) body\\*$|^previewQuizRegrade body\\.attempts$",
  ].join("|"),
);

type Author = Awaited<ReturnType<typeof addAuthor>>;

/** Another learner with activity of the day before, in a group, and three anonymous items. */
async function addAuthor(world: World, { paths, scope }: UniversityFixture) {
  const make = makersOf(world);
  const { university_id } = scope;
  // Wide ids occur in no response by chance.
  for (const [table, from] of Object.entries({ users: 7_310_000, enrollments: 4_420_000 }))
    await world.deps.db.execute(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${from}::int)`);
  const [author, mate] = [
    await make.person({ full_name: "Zephyrine Quillfeather", email: "zephyrine.q@people.example.edu" }),
    await make.person({ full_name: "Ottoline Marchbanks", email: "ottoline.m@people.example.edu" }),
  ];
  const offering_id = Number(paths["offering_id"]);
  const course_id = Number(paths["course_id"]);
  const seats = [await make.enrollment(author.id, offering_id), await make.enrollment(mate.id, offering_id)];
  const module = await make.module(course_id);
  const reading = await make.contentItem(module, university_id);
  const pool = await make.questionPool({ id: course_id, university_id });
  const item = (type: string, data_json: object) =>
    make.contentItem(module, university_id, { type, data_json: { ...data_json, anonymous: true } });
  const lab = await item("engineering_lab", { grading: { max_points: 20 } });
  const team = await item("assignment", { max_points: 80, group_submission: true });
  const quiz = await item("quiz", { question_pool_id: pool.pool.id, passing_percent: 0 });
  const admin = world.as(await make.holder("platform_admin", university_id));
  const { body: group } = await admin.post(`/offerings/${offering_id}/groups`, { name: "Quills" });
  for (const { id } of [author, mate])
    await admin.put(`/offerings/${offering_id}/groups/${group.id}/members/${id}`, {});
  await world.deps.db.execute(sql`insert into sourced_people (university_id, sourced_id, user_id)
    values (${university_id}, 'ext-zq-7731', ${author.id}), (${university_id}, 'ext-om-7732', ${mate.id})`);
  world.setNow("2026-03-09T08:00:00.000Z");
  for (const { id } of [author, mate])
    await world.as({ id }).post("/progress/content", {
      content_item_id: reading.id,
      course_offering_id: offering_id,
      progress_percent: 50,
    });
  world.setNow(readAt);
  const grader = await make.holder("ta", university_id);
  const { body: key } = await admin.post(`/universities/${university_id}/api-keys`, {
    ...{ name: "All scopes", scopes: apiKeyScopes, expires_at: "2027-03-01T00:00:00Z" },
  });
  return {
    ...{ author, mate, seats, lab, team, quiz, group, grader, offering_id, key: key.key as string },
    classmate: await make.person(),
    here: `/assessments/offerings/${offering_id}`,
  };
}

let made: Author;
let namesOfPeople: RegExp;
const dryRun = openDryRun(async (world, university) => {
  made = await addAuthor(world, university);
  await makersOf(world).enrollment(made.classmate.id, made.offering_id);
  const people = [made.author, made.mate];
  const ids = [...people, ...made.seats].map(({ id }) => `\\b${id}\\b`);
  const words = people.flatMap(({ full_name, email }) => [full_name, email]);
  namesOfPeople = new RegExp([...ids, ...words, "ext-zq-7731", "ext-om-7732"].join("|"));
});

type Caller = { name: string; person: Person | undefined; headers?: Record<string, string> };

/** Few callers with optional parameters, or all without. */
type Extent = "few" | "all";

function callers(extent: Extent): Caller[] {
  const { university } = dryRun;
  const staff = university.people
    .filter(({ name }) => / of the (university|department)$/.test(name))
    .map(({ id, name }) => ({ name, person: { id } }));
  const all: Caller[] = [
    ...staff,
    { name: "a classmate", person: made.classmate },
    { name: "an API key", person: undefined, headers: { authorization: `Bearer ${made.key}` } },
    { name: "nobody", person: undefined },
  ];
  const represents = /^(ta|university_admin|platform_admin) of the university$|API key/;
  return extent === "all" ? all : all.filter(({ name }) => represents.test(name));
}

const reads = operations.filter(({ method }) => method === "GET");

/** Reads about each item, of the author and of the class. */
function addressesOf(operation: Operation, extent: Extent): string[] {
  const { paths } = dryRun.university;
  const ofAuthor = { user_id: made.author.id, enrollment_id: made.seats[0]?.id, group_id: made.group.id };
  const ofClass = { user_id: undefined, group_id: undefined };
  const found = [made.lab, made.team, made.quiz].flatMap(({ id }) =>
    [ofAuthor, ofClass].flatMap((people) =>
      addressesWith(operation, extent, {
        ...paths,
        ...people,
        content_item_id: id,
        assignment_id: id,
        content_id: id,
      }),
    ),
  );
  return [...new Set(found)];
}

function addressesWith(operation: Operation, extent: Extent, values: Values): string[] {
  if (/\{(user|group)_id\}/.test(operation.path) && values["user_id"] === undefined) return [];
  const queries = extent === "few" ? queriesOf(operation, values) : [];
  return [
    fullAddressOf(operation, values),
    // Rows leave a short page of the log when others come.
    ...allOr(queries, () => queries.filter((one) => /[?&](format|sort)=/.test(one))).filter(
      (one) => operation.contract.id !== "getAudit" || !/[?&]limit=/.test(one),
    ),
  ];
}

type Snapshot = Map<string, { id: string; reply: Reply }>;

async function read(extent: Extent): Promise<Snapshot> {
  dryRun.world.setNow(readAt);
  const found: Snapshot = new Map();
  for (const operation of reads)
    for (const path of addressesOf(operation, extent))
      for (const { name, person, headers = {} } of callers(extent)) {
        const reply = await dryRun.ask(person, { method: "GET", path, headers });
        expect(reply.status, path).toBeLessThan(500);
        found.set(`${name}: ${path}`, { id: operation.contract.id, reply });
      }
  return found;
}

/** `npm run test:all` reads as all callers too. */
const readAll = async (): Promise<Snapshot> =>
  new Map([...(await read("few")), ...(isExhaustive() ? await read("all") : [])]);

/** Forbidden differences: operation, path in its response, and the first request that shows it. */
async function changesBetween(before: Snapshot, after: Snapshot): Promise<string[]> {
  const codes = await dryRun.world.deps.db.execute<{ code: string }>(sql`select code from anonymous_codes`);
  const ofCode = new RegExp(codes.rows.map(({ code }) => code).join("|") || "no code");
  const found = new Map<string, string>();
  for (const [request, { id, reply }] of after) {
    const former = before.get(request)?.reply;
    if (!former || (former.text === reply.text && former.status === reply.status)) continue;
    for (const { path, rows } of differencesOf(linesOf(former), linesOf(reply))) {
      const isNamed = rows.some((row) => namesOfPeople.test(row)) || namesOfPeople.test(request);
      const isAnonymous = rows.some((row) => ofCode.test(row));
      const isTotal = totals.test(`${id} ${path}`);
      if (!isNamed && (isAnonymous || isTotal)) continue;
      if (!found.has(`${id} ${path}`))
        found.set(`${id} ${path}`, `${request} ${rows.at(-2)} -> ${rows.at(-1)}`);
    }
  }
  return [...found].map(([place, example]) => `${place} (${example.slice(0, 900)})`).sort();
}

const requestIds = /request [0-9a-f-]{36}/g;

const linesOf = ({ status, body, text }: Reply) => ({
  status,
  body: typeof body === "string" ? text.replaceAll(requestIds, "request …").split("\n") : body,
});

/** Each act on anonymous work, in order, by its author, a grader or an administrator. */
function acts(): Record<string, () => Promise<Reply>> {
  const { world } = dryRun;
  const { here, lab, team, quiz, author, offering_id } = made;
  const ids: Record<string, number> = {};
  const keep = (name: string, reply: Reply) => {
    ids[name] = reply.body.id;
    return reply;
  };
  const mine = () => world.as(author);
  const grader = () => world.as(made.grader);
  const at = (name: string) => `/assessments/submissions/${ids[name]}`;
  const scope = { course_offering_id: offering_id, content_item_id: lab.id };
  return {
    upload: async () =>
      keep("file", await sendFile(world.deps, mine(), { purpose: "SUBMISSION", ...scope, name: "mine.txt" })),
    "hand in": async () =>
      keep(
        "work",
        await mine().post(`${here}/assignments/${lab.id}/submissions`, {
          body: "Mine",
          file_ids: [ids["file"]],
        }),
      ),
    "hand in for a group": async () =>
      keep("team", await mine().post(`${here}/assignments/${team.id}/submissions`, { body: "Ours" })),
    "start a quiz": async () => keep("attempt", await mine().post(`${here}/quizzes/${quiz.id}/attempts`)),
    "save an answer": () =>
      mine().put(`/assessments/attempts/${ids["attempt"]}/responses`, { responses: [] }),
    "submit a quiz": () => mine().post(`/assessments/attempts/${ids["attempt"]}/submit`, { responses: [] }),
    claim: () => grader().put(`${at("work")}/claim`),
    grade: () => grader().put(`${at("work")}/grade`, { score_obtained: 13, feedback: "Well argued" }),
    "grade again": () => grader().put(`${at("work")}/grade`, { score_obtained: 17, reason: "A mistake" }),
    return: () => grader().post(`${at("work")}/return`, { feedback: "Once more" }),
    "hand in again": async () =>
      keep("work", await mine().post(`${here}/assignments/${lab.id}/submissions`, { body: "Mine again" })),
    "grade the second": () => grader().put(`${at("work")}/grade`, { score_obtained: 20 }),
    "grade a group": () => grader().put(`${at("team")}/grade`, { score_obtained: 70 }),
  };
}

describe("acts on anonymous work", () => {
  /** The latest responses. */
  let latest: Snapshot;

  it("change no response that names a person before the release", async () => {
    const before = await readAll();
    let former = before;
    const changes: Record<string, string[]> = {};
    for (const [name, act] of Object.entries(acts())) {
      dryRun.world.setNow(actedAt);
      const { status, text } = await act();
      expect(status, `${name}: ${text}`).toBeLessThan(300);
      if (!isExhaustive()) continue;
      const latter = await read("few");
      const found = await changesBetween(former, latter);
      if (found.length > 0) changes[name] = found;
      former = latter;
    }
    latest = await readAll();
    const found = await changesBetween(before, latest);
    expect({ ...changes, ...(found.length > 0 && { all: found }) }).toEqual({});
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
  ];

  /** The changes of all responses by an act. */
  async function changesBy(act: () => Promise<unknown>): Promise<string> {
    const former = latest;
    await act();
    latest = await readAll();
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
