import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coursePrerequisites } from "../../../../schema/db/courses/courses.ts";
import { universities } from "../../../../schema/db/identity/universities.ts";
import type { Client, Reply } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** An inactive university with one of its people, an outsider, and an open offer from before. */
async function prepare() {
  const { university, course, offering } = await make.topic();
  const admin = await make.holder("university_admin", university.id);
  const required = await make.course(university.id);
  await world.deps.db
    .insert(coursePrerequisites)
    .values({ course_id: course.id, prerequisite_course_id: required.id });
  const member = await make.holder("student", university.id);
  const outsider = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
  const staff = world.as(admin);
  const offered = await staff.post(`/universities/${university.id}/invitations`, {
    email: outsider.email,
    role: "TA",
  });
  expect(offered.status).toBe(201);
  const key = await staff.post(`/universities/${university.id}/api-keys`, {
    name: "Directory",
    scopes: ["scim"],
    expires_at: "2027-01-01T00:00:00Z",
  });
  const teacher = await make.holder("instructor", university.id);
  const named = { user_id: teacher.id };
  const taught = await staff.post(`/courses/${course.id}/offerings/${offering.id}/instructors`, named);
  expect(taught.status).toBe(201);
  await world.deps.db
    .update(universities)
    .set({ is_active: false })
    .where(eq(universities.id, university.id));
  const here = `/universities/${university.id}`;
  return {
    university,
    course,
    offering,
    staff,
    member,
    outsider,
    exemption: (named: object) =>
      staff.post(`/courses/${course.id}/exemptions`, { ...named, prerequisite_course_id: required.id }),
    here,
    offer: offered.body.id,
    key: key.body.key,
  };
}

const scim = async ({ key }: Prepared): Promise<Reply> => {
  const reply = await world.app.request("/scim/v2/Users", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/scim+json" },
    body: JSON.stringify({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: make.unique("new"),
      emails: [{ value: `${make.unique("new")}@example.edu` }],
    }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, body: JSON.parse(text) };
};

const email = () => `${make.unique("someone")}@example.edu`;

/** Every way to a seat, a role, an exemption or an offer. */
const ways: Record<string, (prepared: Prepared) => Promise<Reply>> = {
  "an invitation": ({ staff, here }) => staff.post(`${here}/invitations`, { email: email(), role: "TA" }),
  "an invitation to an offering": ({ staff, here, offering }) =>
    staff.post(`${here}/invitations`, { email: email(), course_offering_id: offering.id }),
  "an invitation that is sent again": ({ staff, here, offer }) =>
    staff.post(`${here}/invitations/${offer}/send`),
  "a role for a member": ({ staff, here, member }) =>
    staff.post(`${here}/roles`, { user_id: member.id, role: "TA" }),
  "a role by address": ({ staff, here }) => staff.post(`${here}/roles`, { email: email(), role: "TA" }),
  "an office": ({ staff, here, member }) =>
    staff.post(`${here}/offices`, { user_id: member.id, right: "accommodation:write" }),
  "a seat of one's own": ({ outsider, offering }) =>
    world.as(outsider).post("/enrollments/", { course_offering_id: offering.id }),
  "a seat for a member": ({ staff, member, offering }) =>
    staff.post("/enrollments/", { course_offering_id: offering.id, user_id: member.id }),
  "a seat by address": ({ staff, offering }) =>
    staff.post("/enrollments/", { course_offering_id: offering.id, email: email() }),
  "an instructor": ({ staff, course, offering, member }) =>
    staff.post(`/courses/${course.id}/offerings/${offering.id}/instructors`, { user_id: member.id }),
  "an instructor by address": ({ staff, course, offering }) =>
    staff.post(`/courses/${course.id}/offerings/${offering.id}/instructors`, { email: email() }),
  "a copy of an offering with its instructor": ({ staff, course, offering }) =>
    staff.post(`/courses/${course.id}/offerings/${offering.id}/copy`, {
      same_course: true,
      shift_days: 364,
    }),
  "an exemption for a member": ({ exemption, member }) => exemption({ user_id: member.id }),
  "an exemption by address": ({ exemption }) => exemption({ email: email() }),
  "the acceptance of an earlier offer": ({ outsider, offer }) =>
    world.as(outsider).post(`/users/me/offers/${offer}/accept`),
};

describe("at an inactive university nothing new is given", () => {
  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await prepare();
  });

  it.each(Object.entries(ways))("%s is a 400", async (_name, way) => {
    const reply = await way(prepared);
    expect([reply.status, reply.body.detail], reply.text).toEqual([400, "University is inactive"]);
  });

  it("a directory's new User is a 400 in SCIM's own shape", async () => {
    const { status, body } = await scim(prepared);
    expect([status, body.detail]).toEqual([400, "University is inactive"]);
  });

  it("rows of an import are rejected, and no account is created", async () => {
    const { staff, here } = prepared;
    const [fresh, invited] = [email(), (await make.person()).email];
    const people = `sourced_id,email,full_name\np1,${fresh},Ada\np2,${invited},Ben\n`;
    const roles = `sourced_id,email,role\n,${fresh},ta\n`;
    const { body } = await importOf(staff, here, { "people.csv": people, "roles.csv": roles });
    const rows = (await staff.get(`${here}/imports/${body.id}/results`)).body;
    expect(rows.map(({ outcome }: { outcome: string }) => outcome)).toEqual(rows.map(() => "REFUSED"));
    expect((await world.as().post("/auth/check-email", { email: fresh })).body).toEqual({ available: true });
  });

  const importOf = async (staff: Client, here: string, files: Record<string, string>) => {
    const reply = await staff.post(`${here}/imports`, { format: "CSV", files });
    expect(reply.status, reply.text).toBe(201);
    return reply;
  };

  it("existing rights stay, and may be revoked", async () => {
    const { staff, here, member, university } = prepared;
    const { body } = await staff.get(`${here}/roles`);
    const held = body.find((one: { user_id: number }) => one.user_id === member.id);
    expect(held).toMatchObject({ university_id: university.id });
    expect((await staff.delete(`${here}/roles/${held.id}`)).status).toBe(204);
  });
});
