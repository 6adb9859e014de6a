import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const offering = await make.offering(await make.course(university.id));
  const ada = await make.holder("student", university.id);
  const grace = await make.holder("student", university.id);
  for (const person of [ada, grace]) await make.enrollment(person.id, offering.id);
  const at = (person: { id: number }) => `/universities/${university.id}/members/${person.id}`;
  const importing = (people: string) =>
    admin.post(`/universities/${university.id}/imports`, { format: "CSV", files: { "people.csv": people } });
  const roster = `/courses/${offering.course_id}/offerings/${offering.id}/enrollments`;
  return { university, admin, offering, ada, grace, at, importing, roster };
}

describe("a person's name at a university", () => {
  it("is in rosters, gradebooks and memberships, can be searched and sorted by, and is private to the university", async () => {
    const { university, admin, offering, ada, grace, at, roster } = await college();
    const elsewhere = await make.university();
    await make.holder("student", elsewhere.id);
    const corrected = await admin.patch(at(ada), {
      external_id: "m-2",
      given_name: "Augusta",
      family_name: "Zylonna",
    });
    expect(corrected).toMatchObject({
      status: 200,
      body: { full_name: "Augusta Zylonna", external_id: "m-2", source: "STAFF", is_active: true },
    });
    await admin.patch(at(grace), { external_id: "m-1", family_name: "Abelard" });
    const named = {
      user_id: ada.id,
      full_name: "Augusta Zylonna",
      external_id: "m-2",
      family_name: "Zylonna",
    };
    for (const list of [roster, `/assessments/offerings/${offering.id}/gradebook`]) {
      const lines = async (query: string) => {
        const { body } = await admin.get(`${list}?${query}`);
        return (body.rows ?? body) as { user_id: number }[];
      };
      const ids = async (query: string) => (await lines(query)).map(({ user_id }) => user_id);
      expect(await lines("q=zylon")).toMatchObject([named]);
      expect(await lines("q=m-2")).toMatchObject([named]);
      expect(await ids("external_id=m-1")).toEqual([grace.id]);
      expect(await ids("external_id=m-3")).toEqual([]);
      expect(await ids("sort=external_id")).toEqual([grace.id, ada.id]);
      expect(await ids("sort=-family_name")).toEqual([ada.id, grace.id]);
    }
    const csv = (await admin.get(`/assessments/offerings/${offering.id}/gradebook?format=csv`)).text;
    expect(csv).toContain(",letter_grade,external_id,given_name,family_name,is_erased,version");
    expect(csv).toContain(`${ada.id},Augusta Zylonna,${ada.email},`);
    expect(csv).toContain(",m-2,Augusta,Zylonna,");
    const file = await admin.get(`${roster}?format=csv&sort=external_id&limit=1`);
    expect([file.headers.get("content-type"), file.headers.get("content-disposition")]).toEqual([
      "text/csv; charset=utf-8",
      'attachment; filename="enrollments.csv"',
    ]);
    const heading =
      "user_id,external_id,full_name,given_name,family_name,email,status,enrolled_at,completed_at,progress_percent,completed_items,last_activity_at\r\n";
    expect(file.text).toMatch(`${heading}${grace.id},m-1,Abelard,,Abelard,${grace.email},ACTIVE,2`);
    const rest = await admin.get(/api\/v1([^>]*)>/.exec(file.headers.get("link") ?? "")?.[1] ?? "");
    expect(rest.text).toMatch(
      `${heading}${ada.id},m-2,Augusta Zylonna,Augusta,Zylonna,${ada.email},ACTIVE,2`,
    );
    expect(rest.headers.get("link")).toBeNull();
    const learner = await world.as(ada).get(`${roster}?format=csv`);
    expect([learner.status, (await admin.get(`${roster}?format=xml`)).status]).toEqual([403, 422]);
    const found = (query: string) => admin.get(`/users?${query}`);
    expect((await found(`university_id=${university.id}&external_id=m-2`)).body).toMatchObject([
      { id: ada.id, full_name: ada.full_name, memberships: [{ external_id: "m-2", source: "STAFF" }] },
    ]);
    // By the university's own id, in its list and in all readable people; not by another university's.
    const idsFor = async (caller: typeof admin, query: string) =>
      (await caller.get(`/users?${query}`)).body.map((one: { id: number }) => one.id);
    const foreign = world.as(await make.holder("ta", elsewhere.id));
    const platform = world.as(await make.holder("platform_admin", elsewhere.id));
    await make.enrollment(ada.id, (await make.offering(await make.course(elsewhere.id))).id);
    for (const query of [
      "q=zylon",
      "q=augusta zyl",
      `q=zylon&university_id=${university.id}&is_active=true`,
    ]) {
      expect(await idsFor(admin, query), query).toEqual([ada.id]);
      expect(await idsFor(platform, query), query).toEqual([ada.id]);
      expect(await idsFor(foreign, query), query).toEqual([]);
    }
    expect(await idsFor(foreign, `q=${encodeURIComponent(ada.email)}`)).toEqual([ada.id]);
    expect(await idsFor(platform, `q=zylon&university_id=${elsewhere.id}`)).toEqual([]);
    expect(await idsFor(admin, `q=zylon&university_id=${university.id}&is_active=false`)).toEqual([]);
    const order = async (sort: string, more = "") =>
      (await found(`university_id=${university.id}&role=STUDENT&sort=${sort}${more}`)).body.map(
        (one: { id: number }) => one.id,
      );
    expect(await order("external_id")).toEqual([grace.id, ada.id]);
    expect(await order("-external_id")).toEqual([ada.id, grace.id]);
    expect(await order("family_name", "&limit=1&skip=1")).toEqual([ada.id]);
    expect(await order("-family_name")).toEqual([ada.id, grace.id]);
    const overseer = world.as(await make.holder("platform_admin", elsewhere.id));
    for (const sort of ["external_id", "family_name"]) {
      const { headers } = await overseer.get(
        `/users?university_id=${university.id}&role=STUDENT&sort=${sort}&limit=1`,
      );
      const next = /api\/v1([^>]*)>/.exec(headers.get("link") ?? "")?.[1] ?? "";
      expect((await overseer.get(next)).body.map((one: { id: number }) => one.id)).toEqual([ada.id]);
      for (const refused of [sort, `-${sort}`])
        expect(await found(`sort=${refused}`)).toMatchObject({
          status: 422,
          body: { detail: [{ loc: ["query", "university_id"] }] },
        });
    }
    expect((await found(`university_id=${university.id}&q=m-2`)).body).toMatchObject([{ id: ada.id }]);
    for (const query of [
      `university_id=${university.id}&q=m-`,
      "q=m-2",
      `university_id=${elsewhere.id}&q=m-2`,
    ])
      expect((await found(query)).body, query).toEqual([]);
    expect((await found("external_id=m-2")).status).toBe(422);
    expect((await found(`university_id=${elsewhere.id}&external_id=m-2`)).body).toEqual([]);
  });

  it("comes with all external ids that the person had, none of which identifies two people", async () => {
    const { university, admin, ada, grace, at } = await college();
    await admin.patch(at(ada), { external_id: "old" });
    await admin.patch(at(ada), { external_id: "new" });
    const finds = async (id: string) =>
      (await admin.get(`/users?university_id=${university.id}&external_id=${id}`)).body.map(
        (one: { id: number }) => one.id,
      );
    expect([await finds("old"), await finds("new")]).toEqual([[ada.id], [ada.id]]);
    expect(await admin.patch(at(grace), { external_id: "old", given_name: "G" })).toMatchObject({
      status: 400,
      body: { detail: "external_id 'old' belongs to another person" },
    });
    expect((await admin.patch(at(ada), { external_id: "old" })).body.external_id).toBe("old");
    expect((await admin.patch(at(ada), { external_id: null })).body.external_id).toBeNull();
    expect((await admin.patch(at(grace), { external_id: "old" })).body).toMatchObject({
      external_id: "old",
      given_name: null,
      source: null,
    });
    const both = await Promise.all(
      [ada, grace].map((person) => admin.patch(at(person), { external_id: "raced" })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    for (const bad of ["", "ä", "x".repeat(256), 7])
      expect((await admin.patch(at(ada), { external_id: bad })).status).toBe(422);
    expect((await admin.patch(at(ada), { source: null, given_name: "A" })).status).toBe(422);
  });

  it("takes names from imports until staff correct them, and again once they release them", async () => {
    const { university, admin, ada, at, importing } = await college();
    const file = (given: string) =>
      `email,external_id,given_name,family_name\r\n${ada.email},m-7,${given},King\r\n`;
    expect((await importing(file("Ada"))).body).toMatchObject({ updated: 1 });
    expect((await importing(file("Ada"))).body).toMatchObject({ unchanged: 1 });
    expect((await importing(file("Augusta"))).body).toMatchObject({ updated: 1 });
    await admin.patch(at(ada), { given_name: "Ada Augusta" });
    const refused = await importing(file("Augusta"));
    expect(refused.body).toMatchObject({ refused: 1, updated: 0 });
    expect((await importing(file("Ada Augusta"))).body).toMatchObject({ refused: 0 });
    expect((await admin.patch(at(ada), { source: null })).body).toMatchObject({ source: null });
    const sourceIs = (source: string) =>
      world.deps.db.execute(sql`update university_members set source = ${source} where user_id = ${ada.id}`);
    await sourceIs("directory");
    const of = await importing(file("Augusta"));
    expect(of.body).toMatchObject({ refused: 1, updated: 0 });
    const { body: results } = await admin.get(
      `/universities/${university.id}/imports/${of.body.id}/results?outcome=refused`,
    );
    expect(results).toMatchObject([
      { reason: expect.stringContaining("The directory sets the name of this person") },
    ]);
    await admin.patch(at(ada), { source: null });
    expect((await importing(file("Augusta"))).body).toMatchObject({ updated: 1 });
    expect((await admin.patch(at(ada), {})).body).toMatchObject({
      given_name: "Augusta",
      external_id: "m-7",
      source: "IMPORT",
      full_name: "Augusta King",
    });
  });
});

describe("people named by an external id", () => {
  it("are enrolled, teach, hold roles and are excused, in that university alone; exactly one way names them", async () => {
    const { university, admin, ada, at } = await college();
    const other = await make.university();
    const offering = await make.offering(await make.course(university.id));
    const foreign = await make.offering(await make.course(other.id));
    await admin.patch(at(ada), { external_id: "m-9" });
    const platform = world.as(await make.holder("platform_admin", other.id));
    const enroll = (who: object, course_offering_id = offering.id) =>
      platform.post("/enrollments/", { course_offering_id, ...who });
    expect(await enroll({ external_id: "m-9" })).toMatchObject({ status: 201, body: { user_id: ada.id } });
    expect(await enroll({ external_id: "m-9" }, foreign.id)).toMatchObject({
      status: 404,
      body: { detail: "No member of this university has this external_id" },
    });
    expect((await enroll({ external_id: "m-9", user_id: ada.id })).status).toBe(422);
    const roles = `/universities/${university.id}/roles`;
    expect(await admin.post(roles, { role: "TA", external_id: "m-9" })).toMatchObject({
      status: 201,
      body: { user_id: ada.id },
    });
    expect(await admin.post(roles, { role: "TA", external_id: "m-9" })).toMatchObject({
      status: 400,
      body: { detail: "Role 'TA' is already held by external_id 'm-9'" },
    });
    expect((await admin.post(roles, { role: "TA" })).status).toBe(422);
    const teaching = `/courses/${offering.course_id}/offerings/${offering.id}/instructors`;
    expect((await admin.post(teaching, { external_id: "m-0" })).status).toBe(404);
    expect((await admin.post(teaching, { external_id: "m-9" })).status).toBe(201);
    const required = await make.course(university.id);
    await admin.post(`/courses/${offering.course_id}/prerequisites`, {
      prerequisite_course_id: required.id,
      prerequisite_type: "STRICT",
    });
    const excuse = (who: object) =>
      admin.post(`/courses/${offering.course_id}/exemptions`, {
        prerequisite_course_id: required.id,
        ...who,
      });
    expect((await excuse({ external_id: "m-0" })).status).toBe(404);
    expect((await excuse({ external_id: "m-9", email: ada.email })).status).toBe(422);
    expect(await excuse({ external_id: "m-9" })).toMatchObject({ status: 201, body: { user_id: ada.id } });
    const officer = await make.holder("student", university.id);
    await world.deps.db.execute(sql`
      insert into university_offices (university_id, user_id, office_right)
      values (${university.id}, ${officer.id}, 'retention:write')`);
    const hold = (who: object) =>
      world.as(officer).post(`/universities/${university.id}/retention/holds`, { reason: "Appeal", ...who });
    expect((await hold({ external_id: "m-0" })).status).toBe(404);
    expect((await hold({ external_id: "m-9", user_id: ada.id })).status).toBe(422);
    expect(await hold({ external_id: "m-9" })).toMatchObject({ status: 201, body: { user_id: ada.id } });
    const { rows } = await world.deps.db.execute(
      sql`select from sourced_people where university_id = ${other.id}`,
    );
    expect(rows).toEqual([]);
  });
});
