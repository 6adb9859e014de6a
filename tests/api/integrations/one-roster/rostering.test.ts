import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { apiKeyOf, oneRosterClient, requestOneRosterToken } from "../../../support/one-roster.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";
const rostering = "/rostering/v1p2";

const execute = (statement: ReturnType<typeof sql>) => world.deps.db.execute(statement);

/** A university with two students, one of them in its class, and the class's teacher. */
async function makeSchool() {
  const university = await make.university();
  const admin = await make.holder("university_admin", university.id);
  const department = await make.department(university.id);
  const term = await make.term(university.id, { name: "Spring" });
  const course = await make.course(university.id, { title: "Optics", department_id: department.id });
  const offering = await make.offering(course, { term_id: term.id, term_name: term.name });
  const teacher = await make.holder("instructor", university.id);
  const student = await make.holder("student", university.id);
  const other = await make.holder("student", university.id);
  const seat = await make.enrollment(student.id, offering.id);
  await execute(sql`
    insert into course_offering_instructors (course_offering_id, user_id) values (${offering.id}, ${teacher.id})`);
  await execute(sql`
    insert into sourced_people (university_id, sourced_id, user_id) values (${university.id}, 's-1', ${student.id})`);
  const key = await apiKeyOf(world, admin, university.id, ["people:read"]);
  const client = oneRosterClient(world, key);
  return {
    university,
    admin,
    department,
    term,
    course,
    offering,
    teacher,
    student,
    other,
    seat,
    key,
    client,
  };
}

let school: Awaited<ReturnType<typeof makeSchool>>;
let elsewhere: Awaited<ReturnType<typeof makeSchool>>;
beforeAll(async () => {
  school = await makeSchool();
  elsewhere = await makeSchool();
});
beforeEach(() => world.setNow(moment));

const get = (path: string) => school.client.get(rostering + path);
const idsIn = (list: { sourcedId: string }[]) => list.map(({ sourcedId }) => sourcedId);

describe("an access token of OneRoster", () => {
  it("has the requested scopes that its API key permits, and reads only with them", async () => {
    const { status, body } = await requestOneRosterToken(
      world,
      school.key,
      "roster-core.readonly gradebook.readonly",
    );
    expect([status, body]).toMatchObject([
      200,
      {
        token_type: "Bearer",
        expires_in: 3600,
        scope: "https://purl.imsglobal.org/spec/or/v1p2/scope/roster-core.readonly",
      },
    ]);
    const client = oneRosterClient(world, String(body["access_token"]));
    expect((await client.get(`${rostering}/orgs`)).status).toBe(200);
    const refused = await client.get(`${rostering}/classes/class-${school.offering.id}/students`);
    expect(refused).toMatchObject({ status: 403, body: statusInfo("forbidden") });
  });

  it("expires after an hour, and ends when its API key is revoked", async () => {
    const { admin, university } = school;
    const key = await apiKeyOf(world, admin, university.id, ["people:read"]);
    const token = String((await requestOneRosterToken(world, key, "roster.readonly")).body["access_token"]);
    const client = oneRosterClient(world, token);
    expect((await client.get(`${rostering}/orgs`)).status).toBe(200);
    world.setNow("2026-03-10T13:00:01.000Z");
    expect((await client.get(`${rostering}/orgs`)).status).toBe(401);
    world.setNow(moment);
    await world.as(admin).delete(`/universities/${university.id}/api-keys/${key.split("_")[1]}`);
    expect((await client.get(`${rostering}/orgs`)).status).toBe(401);
    expect((await requestOneRosterToken(world, key, "roster.readonly")).status).toBe(401);
  });

  it("is not granted to another client id, an unknown secret, or for other scopes", async () => {
    const { key } = school;
    const ask = (asked: string, scopes: string, id?: string) =>
      requestOneRosterToken(world, asked, scopes, id);
    const unknown = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
    expect(await ask(unknown, "roster.readonly")).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
    expect(await ask(key, "roster.readonly", "lk_999")).toMatchObject({ status: 401 });
    expect(await ask(key, "gradebook.readonly")).toMatchObject({
      status: 400,
      body: { error: "invalid_scope" },
    });
    const person = await world.as(school.admin).token;
    const { status, body } = await oneRosterClient(world, String(person)).get(`${rostering}/orgs`);
    expect([status, body]).toMatchObject([401, statusInfo("unauthorisedrequest")]);
  });
});

const statusInfo = (value: string) => ({
  imsx_codeMajor: "failure",
  imsx_severity: "error",
  imsx_description: expect.any(String),
  imsx_CodeMinor: {
    imsx_codeMinorField: [{ imsx_codeMinorFieldName: "TargetEndSystem", imsx_codeMinorFieldValue: value }],
  },
});

describe("the rostering service", () => {
  it("returns each type of resource with references", async () => {
    const { university, department, term, course, offering, student, teacher, seat } = school;
    const base = "http://localhost/ims/oneroster/rostering/v1p2";
    const school_org = {
      href: `${base}/orgs/university-${university.id}`,
      sourcedId: `university-${university.id}`,
      type: "org",
    };
    const read = async (path: string) => (await get(path)).body;
    expect(await read(`/schools/university-${university.id}`)).toMatchObject({
      org: {
        type: "school",
        identifier: university.short_code,
        children: [{ sourcedId: `department-${department.id}` }],
      },
    });
    expect(await read(`/orgs/department-${department.id}`)).toMatchObject({
      org: { type: "department", name: department.name, parent: school_org },
    });
    expect(await read(`/terms/term-${term.id}`)).toMatchObject({
      academicSession: {
        status: "active",
        title: "Spring",
        type: "term",
        startDate: "2026-02-02",
        endDate: "2026-06-19",
        schoolYear: "2026",
      },
    });
    expect(await read(`/courses/course-${course.id}`)).toMatchObject({
      course: { title: "Optics", courseCode: course.code, org: { sourcedId: `department-${department.id}` } },
    });
    expect(await read(`/classes/class-${offering.id}`)).toMatchObject({
      class: {
        title: "Optics, Spring",
        classType: "scheduled",
        course: { href: `${base}/courses/course-${course.id}`, type: "course" },
        school: school_org,
        terms: [{ sourcedId: `term-${term.id}`, type: "academicSession" }],
      },
    });
    expect(await read(`/users/user-${student.id}`)).toMatchObject({
      user: {
        status: "active",
        enabledUser: true,
        username: student.email,
        email: student.email,
        identifier: "s-1",
        userIds: [{ type: "external", identifier: "s-1" }],
        roles: [{ roleType: "primary", role: "student", org: school_org }],
      },
    });
    expect(await read(`/enrollments/enrollment-${seat.id}`)).toMatchObject({
      enrollment: {
        role: "student",
        user: { sourcedId: `user-${student.id}`, type: "user" },
        class: { sourcedId: `class-${offering.id}`, type: "class" },
      },
    });
    const { enrollments } = await read("/enrollments?filter=role='teacher'");
    expect(enrollments).toMatchObject([{ user: { sourcedId: `user-${teacher.id}` } }]);
  });

  it("lists what belongs to a school, class, course, term or person", async () => {
    const { university, term, course, offering, student, other, teacher } = school;
    const [here, run] = [`/schools/university-${university.id}`, `class-${offering.id}`];
    const ids = async (path: string, key: string) => idsIn((await get(path)).body[key]);
    const learner = [`user-${student.id}`];
    expect(await ids(`/classes/${run}/students`, "users")).toEqual(learner);
    expect(await ids(`/classes/${run}/teachers`, "users")).toEqual([`user-${teacher.id}`]);
    expect(await ids(`${here}/classes/${run}/students`, "users")).toEqual(learner);
    expect(await ids(`${here}/classes/${run}/enrollments`, "enrollments")).toHaveLength(2);
    expect(await ids(`${here}/students`, "users")).toEqual([...learner, `user-${other.id}`]);
    expect(await ids("/teachers", "users")).toEqual([`user-${teacher.id}`]);
    for (const path of [
      ...[`/courses/course-${course.id}`, `/terms/term-${term.id}`, `/students/user-${student.id}`],
      ...[`/teachers/user-${teacher.id}`, `/users/user-${teacher.id}`, here],
    ])
      expect(await ids(`${path}/classes`, "classes"), path).toEqual([run]);
    expect(await ids(`/users/user-${other.id}/classes`, "classes")).toEqual([]);
    expect(await ids("/gradingPeriods", "academicSessions")).toEqual([]);
  });

  it("pages with a total and links", async () => {
    const { headers, body } = await get("/users?limit=2&offset=2&sort=sourcedId");
    expect(idsIn(body.users)).toHaveLength(2);
    expect(headers.get("x-total-count")).toBe("4");
    const linked = (rel: string) =>
      /<([^>]+)>/.exec(
        headers
          .get("link")
          ?.split(", ")
          .find((one) => one.endsWith(`rel="${rel}"`)) ?? "",
      )?.[1];
    expect(linked("prev")).toContain("offset=0");
    expect(linked("first")).toContain("offset=0");
    expect(linked("last")).toContain("offset=2");
    expect(linked("next")).toBeUndefined();
    const all = [
      ...(await get("/users?limit=3")).body.users,
      ...(await get("/users?limit=3&offset=3")).body.users,
    ];
    expect(new Set(idsIn(all)).size).toBe(4);
  });

  it("filters, sorts and selects fields", async () => {
    const { student, teacher } = school;
    const found = async (filter: string) =>
      idsIn((await get(`/users?filter=${encodeURIComponent(filter)}`)).body.users);
    expect(await found(`email='${student.email.toUpperCase()}'`)).toEqual([`user-${student.id}`]);
    expect(await found("identifier='s-1'")).toEqual([`user-${student.id}`]);
    expect(await found(`roles.role='teacher' AND email~'${teacher.email.slice(0, 8)}'`)).toEqual([
      `user-${teacher.id}`,
    ]);
    expect(await found(`email='${student.email}' OR email='${teacher.email}'`)).toHaveLength(2);
    const { users } = (await get("/users?fields=sourcedId,email&sort=email&orderBy=desc")).body;
    const emails = users.map(({ email }: { email: string }) => email);
    expect(emails).toEqual([...emails].sort().reverse());
    expect(users[0]).toEqual({ sourcedId: expect.any(String), email: expect.any(String) });
  });

  it.each([
    ["/users?filter=shoe='42'", 400, "invalid_filter_field"],
    ["/users?fields=shoe", 400, "invalid_selection_field"],
    ["/users?sort=shoe", 400, "invalid_sort_field"],
    ["/users?limit=5001", 400, "invaliddata"],
    ["/users?limit=1.5", 400, "invaliddata"],
    ["/users?offset=-1", 400, "invaliddata"],
    ["/users?offset=1.5", 400, "invaliddata"],
    ["/users?skip=1", 400, "invaliddata"],
    ["/shoes", 404, "unknownobject"],
    ["/constructor", 404, "unknownobject"],
    ["/users/user-999999", 404, "unknownobject"],
    ["/users/42", 404, "unknownobject"],
    ["/classes/class-999999/students", 404, "unknownobject"],
    ["/classes/class-1/shoes", 404, "unknownobject"],
    ["/users/user-1/enrollments/1/classes", 404, "unknownobject"],
  ])("answers %s with %i and the code %s", async (path, status, code) => {
    expect(await get(path)).toMatchObject({ status, body: statusInfo(code) });
  });

  it("answers a write with 405, since people change in the student records", async () => {
    const { status, body } = await school.client.get(`${rostering}/users/user-1`, "PUT");
    expect([status, body.imsx_codeMajor]).toEqual([405, "unsupported"]);
  });

  it("reads in one round trip", async () => {
    const path = `/classes/class-${school.offering.id}/students`;
    await get(path);
    await get(path);
    expect(world.log.at(-1)?.["db_query_count"]).toBe(1);
  });

  it("returns nothing of another university", async () => {
    const { university, department, term, course, offering, student, seat } = elsewhere;
    for (const path of [
      `/orgs/university-${university.id}`,
      `/orgs/department-${department.id}`,
      `/schools/university-${university.id}/students`,
      `/terms/term-${term.id}`,
      `/courses/course-${course.id}/classes`,
      `/classes/class-${offering.id}/students`,
      `/users/user-${student.id}`,
      `/users/user-${student.id}/classes`,
      `/enrollments/enrollment-${seat.id}`,
    ])
      expect((await get(path)).status, path).toBe(404);
    for (const collection of ["orgs", "terms", "courses", "classes", "users", "enrollments"]) {
      const own = JSON.stringify((await get(`/${collection}`)).body);
      const others = JSON.stringify((await elsewhere.client.get(`${rostering}/${collection}`)).body);
      expect(own).not.toBe(others);
      expect(own).not.toContain(university.short_code);
      expect(own).not.toContain(student.email);
    }
  });

  /** Moves everything into the past, without the triggers that would note the change. */
  const age = () =>
    world.deps.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      for (const [table, column] of [
        ...[
          ["enrollments", "updated_at"],
          ["university_members", "updated_at"],
          ["users", "updated_at"],
        ],
        ...[
          ["course_offerings", "updated_at"],
          ["course_offering_instructors", "created_at"],
        ],
        ...[["user_university_roles", "created_at"]],
      ] as const)
        await tx.execute(
          sql`update ${sql.identifier(table)} set ${sql.identifier(column)} = '2026-01-01T00:00:00Z'`,
        );
    });

  it("returns changes since a moment, with people and enrollments that ended", async () => {
    const { admin, university, offering, client } = await makeSchool();
    const changed = async (collection: string) => {
      const filter = encodeURIComponent("dateLastModified>='2026-02-01T00:00:00Z'");
      return (await client.get(`${rostering}/${collection}?filter=${filter}`)).body[collection].map(
        (one: { sourcedId: string; status: string }) => `${one.sourcedId} ${one.status}`,
      );
    };
    const student = await make.holder("student", university.id);
    const seat = await make.enrollment(student.id, offering.id);
    const other = await make.holder("student", university.id);
    const waiting = await make.enrollment(other.id, offering.id, "WAITLISTED");
    await age();
    expect(await changed("enrollments")).toEqual([]);
    expect(await changed("users")).toEqual([]);
    await execute(sql`update enrollments set status = 'active' where id = ${waiting.id}`);
    expect(await changed("enrollments")).toEqual([`enrollment-${waiting.id} active`]);
    const { rows } = await execute(sql`select id from user_university_roles where user_id = ${student.id}`);
    const dropped = await world.as(admin).put(`/enrollments/${seat.id}`, { status: "DROPPED" });
    expect(dropped.status, dropped.text).toBe(200);
    const revoked = await world.as(admin).delete(`/universities/${university.id}/roles/${rows[0]?.["id"]}`);
    expect(revoked.status, revoked.text).toBe(204);
    expect(await changed("enrollments")).toEqual([
      `enrollment-${seat.id} tobedeleted`,
      `enrollment-${waiting.id} active`,
    ]);
    expect(await changed("users")).toEqual([`user-${student.id} tobedeleted`]);
    const listed = (await client.get(`${rostering}/users`)).body.users;
    expect(idsIn(listed)).not.toContain(`user-${student.id}`);
  });
});
