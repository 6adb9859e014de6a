import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { syncDueRosters } from "../../../../lib/integrations/lti/sync-rosters.ts";
import type { Person } from "../../../support/client.ts";
import { bindCourse, startLms } from "../../../support/lti-course.ts";
import type { Fault, Member } from "../../../support/lti-services-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership#";

let lms: Awaited<ReturnType<typeof startLms>>;
beforeAll(async () => {
  lms = await startLms(world);
});
afterAll(() => lms.close());

let day = 0;
beforeEach(async () => {
  // The nightly run would also read other tests' rosters.
  await world.deps.db.execute(sql`delete from lti_contexts`);
  day += 40;
  forward(0);
  Object.assign(lms.services.state, {
    ...{ members: [], differences: [], pageSize: 100, rosterFault: () => undefined, rostersRead: [] },
    nextPage: (address: string) => address,
  });
});
const forward = (days: number) => {
  day += days;
  world.setNow(new Date(Date.parse("2026-03-10T12:00:00Z") + day * 86_400_000));
};

const read = (db = world.deps.db) => syncDueRosters({ ...world.deps, db });
const member = (user_id: string, changes: Partial<Member> = {}): Member => ({
  user_id,
  status: "Active",
  roles: [`${membership}Learner`],
  ...changes,
});
const class_ = (name: string, size: number) =>
  Array.from({ length: size }, (_, at) => member(`${name}-${at}`));

async function openCourse() {
  const { university, offering } = await make.topic();
  const bound = await bindCourse(world, lms, { university, offering });
  const assistant = await make.holder("ta", university.id);
  const path = `/offerings/${offering.id}/lti-rosters`;
  const ask = (mode: string, person: Person = assistant, context = bound.context) =>
    world.as(person).post(`${path}/${context}`, { mode });
  const standing = async () => (await world.as(assistant).get(path)).body[0];
  const readAs = async (mode: string, db?: typeof world.deps.db) => {
    expect((await ask(mode)).status).toBe(204);
    await read(db);
    return standing();
  };
  const seats = async (): Promise<string[]> => {
    const { rows } = await world.deps.db.execute<{ seat: string }>(sql`
      select one.subject || ' ' || mine.status as seat from enrollments as mine
      join lti_people as one on one.user_id = mine.user_id and one.platform_id = ${bound.platform}
      where mine.course_offering_id = ${offering.id} order by 1`);
    return rows.map(({ seat }) => seat);
  };
  const dropByStaff = async (subject: string) => {
    const { rows } = await world.deps.db.execute<{ id: number }>(sql`
      select mine.id from enrollments as mine join lti_people as one on one.user_id = mine.user_id
      where one.platform_id = ${bound.platform} and one.subject = ${subject}`);
    return world.as(assistant).put(`/enrollments/${rows[0]?.id}`, { status: "DROPPED" });
  };
  return { ...bound, university, offering, assistant, path, ask, standing, readAs, seats, dropByStaff };
}

describe("a roster", () => {
  it("enrolls its people, page by page, duplicates once, and makes its staff staff of the offering", async () => {
    const { readAs, seats, offering } = await openCourse();
    lms.services.state.pageSize = 2;
    lms.services.state.members = [
      member("a", { name: "Ann <i>", email: "ann@else.example" }),
      member("b", { given_name: "Ben", family_name: "Bo" }),
      member("a", { roles: [] }),
      member("t", { roles: [`${membership}Instructor`] }),
      member("gone", { status: "Inactive" }),
      member("admin", { roles: [`${membership}Administrator`] }),
    ];
    expect(await readAs("WHOLE")).toMatchObject({
      ...{ state: "TAKEN", mode: "NIGHTLY", failure: null, is_offered: true },
      counts: { members: 3, enrolled: 2, staff: 1, dropped: 0, unchanged: 0, refused: 0 },
    });
    expect(await seats()).toEqual(["a active", "b active"]);
    const { rows } = await world.deps.db.execute(
      sql`select role, source from offering_staff where course_offering_id = ${offering.id}`,
    );
    expect(rows).toEqual([{ role: "instructor", source: "roster" }]);
    expect(lms.services.state.rostersRead).toHaveLength(3);
    expect((await readAs("WHOLE")).counts).toMatchObject({ enrolled: 0, staff: 0, unchanged: 3, dropped: 0 });
  });

  it("drops people who are missing or Inactive, except those whom it did not enroll", async () => {
    const { readAs, seats, offering, know } = await openCourse();
    const own = await make.person();
    await make.enrollment(own.id, offering.id);
    await know("own", own.id);
    lms.services.state.members = class_("c", 8);
    await readAs("WHOLE");
    lms.services.state.members = [
      ...lms.services.state.members.slice(2),
      member("c-1", { status: "Inactive" }),
    ];
    expect((await readAs("WHOLE")).counts).toMatchObject({ dropped: 2, unchanged: 6 });
    expect((await seats()).filter((seat) => !seat.endsWith("active"))).toEqual([
      "c-0 dropped",
      "c-1 dropped",
    ]);
    expect(await seats()).toContain("own active");
    // The member returns.
    lms.services.state.members.push(member("c-0"));
    expect((await readAs("WHOLE")).counts).toMatchObject({ enrolled: 1 });
  });

  it("does not enroll people again whom staff have dropped", async () => {
    const { readAs, seats, dropByStaff } = await openCourse();
    lms.services.state.members = class_("d", 4);
    await readAs("WHOLE");
    expect((await dropByStaff("d-1")).status).toBe(200);
    expect((await readAs("WHOLE")).counts).toMatchObject({ kept_dropped: 1, unchanged: 3 });
    expect(await seats()).toContain("d-1 dropped");
  });

  it("of a dry run changes nothing, and returns the result", async () => {
    const { readAs, seats } = await openCourse();
    lms.services.state.members = class_("e", 3);
    expect(await readAs("DRY")).toMatchObject({ state: "DRY", counts: { enrolled: 3 }, taken_at: null });
    expect(await seats()).toEqual([]);
    const { rows } = await world.deps.db.execute(sql`select 1 from lti_people where subject like 'e-%'`);
    expect(rows).toEqual([]);
  });

  it("that would drop over a third waits, and drops them once staff confirm it", async () => {
    const { readAs, seats, ask } = await openCourse();
    lms.services.state.members = class_("f", 6);
    await readAs("WHOLE");
    expect(await ask("CONFIRMED")).toMatchObject({
      status: 400,
      body: { detail: "No roster is waiting for confirmation" },
    });
    lms.services.state.members = [...class_("f", 3), member("new")];
    expect(await readAs("WHOLE")).toMatchObject({ state: "WAITING", counts: { dropped: 3, enrolled: 1 } });
    expect((await seats()).filter((seat) => seat.endsWith("dropped"))).toEqual([]);
    expect(await readAs("CONFIRMED")).toMatchObject({ state: "TAKEN", counts: { dropped: 3 } });
    expect((await seats()).filter((seat) => seat.endsWith("dropped"))).toHaveLength(3);
    lms.services.state.members = [];
    expect(await readAs("WHOLE")).toMatchObject({ state: "WAITING", counts: { dropped: 4 } });
  });

  it("is read each night as differences, and as a whole once a week", async () => {
    const { readAs, seats } = await openCourse();
    lms.services.state.members = class_("g", 6);
    await readAs("WHOLE");
    lms.services.state.rostersRead = [];
    lms.services.state.differences = [member("g-0", { status: "Deleted" }), member("h")];
    await read();
    expect(lms.services.state.rostersRead).toEqual([]);
    forward(1);
    await read();
    expect(lms.services.state.rostersRead).toEqual(["/memberships?since=1&limit=500"]);
    expect(await seats()).toContain("g-0 dropped");
    expect(await seats()).toContain("h active");
    lms.services.state.rostersRead = [];
    forward(9);
    lms.services.state.members = [...class_("g", 6).slice(1), member("h")];
    await read();
    expect(lms.services.state.rostersRead).toEqual(["/memberships?limit=500"]);
  });

  it.each<[string, Partial<typeof lms.services.state>, string]>([
    ["its last page is a 500", { rosterFault: (page) => (page === 3 ? 500 : undefined) }, "it answered 500"],
    ["it is forbidden", { rosterFault: () => 403 }, "it answered 403"],
    ["it is a page of HTML", { rosterFault: () => "html" }, "it returned a web page"],
    ["it leads elsewhere by a redirect", { rosterFault: () => "redirect" }, "it answered 301"],
    [
      "it is cut off",
      { rosterFault: (page) => (page === 2 ? "reset" : undefined) },
      "it could not be reached",
    ],
    [
      "its next page is someone else's",
      { nextPage: () => "https://evil.example/memberships" },
      "its next page is at another address",
    ],
    [
      "its pages go in a circle",
      { nextPage: (next) => next.replace(/page=\d+/, "page=2") },
      "it has too many pages",
    ],
  ])("drops nobody where %s, and says why; it is tried again soon", async (_, state, failure) => {
    const { readAs, seats, standing } = await openCourse();
    lms.services.state.members = class_("k", 6);
    await readAs("WHOLE");
    lms.services.state.members = class_("k", 5);
    Object.assign(lms.services.state, { pageSize: 2, ...state });
    expect(await readAs("WHOLE")).toMatchObject({
      state: "FAILED",
      failure: expect.stringContaining(failure),
    });
    expect((await seats()).filter((seat) => seat.endsWith("dropped"))).toEqual([]);
    Object.assign(lms.services.state, {
      rosterFault: (): Fault => undefined,
      nextPage: (next: string) => next,
    });
    forward(6 / 1440);
    await read();
    expect(await standing()).toMatchObject({ state: "TAKEN", failure: null, counts: { dropped: 1 } });
  });

  it("that is interrupted between its steps is tried again, and then enrolls the rest", async () => {
    const { ask, seats, standing } = await openCourse();
    lms.services.state.members = class_("p", 51);
    await ask("WHOLE");
    const stop = new AbortController();
    const { db } = world.deps;
    const stopping = new Proxy(db, {
      get(of, name) {
        // During the first step, of fifty people.
        if (name === "transaction") stop.abort();
        const value = Reflect.get(of, name, of);
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
    await syncDueRosters({ ...world.deps, db: stopping }, stop.signal);
    expect((await seats()).length).toBeLessThan(51);
    expect(await standing()).toMatchObject({ state: "FAILED", failure: "it was interrupted" });
    forward(6 / 1440);
    await read();
    expect(await standing()).toMatchObject({ state: "TAKEN", failure: null });
    expect(await seats()).toHaveLength(51);
  });

  it("skips unreadable people, and takes the rest", async () => {
    const { readAs, seats } = await openCourse();
    lms.services.state.members = [
      member("l\u0000"),
      { roles: [] } as unknown as Member,
      member("m", { name: "A\u0000b", email: "not an address", roles: "x" as unknown as string[] }),
      member("n", { name: "N".repeat(300), lis_person_sourcedid: "7\u0007" }),
    ];
    expect((await readAs("WHOLE")).counts).toMatchObject({ members: 1, enrolled: 1, refused: 2 });
    expect(await seats()).toEqual(["n active"]);
  });
});

describe("a roster of 20 000", () => {
  it("with a duplicate is read page by page, with queries of a thousand people at a time", async () => {
    const { readAs, platform, context, offering } = await openCourse();
    const size = 20_000;
    const fresh = 60;
    // All but sixty members are known.
    await enrolledBefore({ platform, context, offering: offering.id, size: size - fresh });
    const all = class_("many", size);
    lms.services.state.members = [...all, member("many-7", { roles: [`${membership}Learner`] })];
    lms.services.state.pageSize = 500;
    const { db } = world.deps;
    let statements = 0;
    const counting = new Proxy(db, {
      get(of, name) {
        if (name === "execute" || name === "transaction") statements += 1;
        const value = Reflect.get(of, name, of);
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
    const { counts } = await readAs("WHOLE", counting);
    expect(counts).toMatchObject({ members: size, enrolled: fresh, unchanged: size - fresh, dropped: 0 });
    expect(lms.services.state.rostersRead).toHaveLength(41);
    // In addition to statements per thousand members: grants, due work and the result.
    expect(statements).toBeLessThanOrEqual(size / 1000 + 15);
    const { rows } = await db.execute(sql`
      select count(*)::int as seats, count(distinct user_id)::int as people from enrollments
      where course_offering_id = ${offering.id} and status = 'active'`);
    expect(rows).toEqual([{ seats: size, people: size }]);
  });

  /** Inserts members as an earlier roster would have, in one statement without triggers. */
  const enrolledBefore = (of: { platform: number; context: number; offering: number; size: number }) =>
    world.deps.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`
        with made as (
          insert into users (full_name) select 'Learner many-' || n from generate_series(0, ${of.size}::int - 1) as n
          returning id
        ), numbered as (
          select id, row_number() over (order by id) - 1 as n from made
        ), known as (
          insert into lti_people (platform_id, subject, user_id, linked_by)
          select ${of.platform}, 'many-' || n, id, 'made' from numbered
        ), seated as (
          insert into enrollments (user_id, course_offering_id, university_id, status, is_admitted)
          select numbered.id, run.id, run.university_id, 'active', true from numbered, course_offerings as run
          where run.id = ${of.offering} returning id
        )
        insert into lti_enrollments (enrollment_id, context_id, source)
        select id, ${of.context}, 'roster' from seated`);
    });
});

describe("reading a roster is rejected", () => {
  it("for learners, another's course, an LMS without one, and bad input", async () => {
    const { ask, offering, context, university, path } = await openCourse();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    expect((await ask("WHOLE", learner)).status).toBe(403);
    expect((await world.as(learner).get(path)).status).toBe(403);
    const other = await openCourse();
    expect(await ask("WHOLE", undefined, other.context)).toMatchObject({
      status: 404,
      body: { detail: "LTI context not found" },
    });
    expect((await ask("nightly")).status).toBe(422);
    await world.deps.db.execute(sql`update lti_contexts set memberships_url = null where id = ${context}`);
    expect(await ask("WHOLE")).toMatchObject({
      status: 400,
      body: { detail: "The LMS does not offer its roster" },
    });
    expect((await make.university()).id).not.toBe(university.id);
  });
});
