import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const offering = await make.offering(await make.course(university.id));
  const person = await make.person({ password_hash: "theirs", email_verified_at: "2026-01-01T00:00:00Z" });
  const path = `/universities/${university.id}/imports`;
  const run = async (files: Record<string, string>, dry_run = false) => {
    const started = await admin.post(path, { format: "CSV", files, dry_run });
    const results = await admin.get(`${path}/${started.body.id}/results`);
    return {
      job: started.body,
      outcomes: results.body.map(({ outcome, reason }: { outcome: string; reason: string | null }) =>
        reason === null ? outcome : `${outcome}: ${reason}`,
      ),
    };
  };
  const files = {
    "people.csv": `sourced_id,email,full_name\r\ns-1,${person.email},Another Name\r\n`,
    "roles.csv": "sourced_id,role\r\ns-1,ta\r\n",
    "enrollments.csv": `sourced_id,course_offering_id\r\ns-1,${offering.id}\r\n`,
  };
  return { university, admin, offering, person, run, files };
}

const membershipsOf = async (person: number) =>
  (
    await world.deps.db.execute(sql`
      select role from user_university_roles where user_id = ${person}
      union all select status from enrollments where user_id = ${person} order by 1`)
  ).rows.map(({ role }) => role);

describe("an import", () => {
  it("offers people from elsewhere their role and seat, once, and they get both on acceptance", async () => {
    const { admin, university, person, run, files } = await college();
    const offered = ["OFFERED", "OFFERED", "OFFERED"];
    expect((await run(files, true)).outcomes).toEqual(offered);
    expect((await world.as(person).get("/users/me/offers")).body).toEqual([]);
    const { job, outcomes } = await run(files);
    expect(outcomes).toEqual(offered);
    expect(job).toMatchObject({ offered: 3, done: 3, created: 0, updated: 0 });
    expect(await membershipsOf(person.id)).toEqual([]);
    await mailbox.send();
    expect((await run(files)).outcomes).toEqual(offered);
    expect(await mailbox.send()).toMatchObject({ sent: 0 });
    const offers = (await world.as(person).get("/users/me/offers")).body;
    expect(offers).toHaveLength(3);
    for (const { id } of offers)
      expect((await world.as(person).post(`/users/me/offers/${id}/accept`)).status).toBe(200);
    expect(await membershipsOf(person.id)).toEqual(["active", "student", "ta"]);
    expect((await run(files)).outcomes).toEqual(["UNCHANGED", "UNCHANGED", "UNCHANGED"]);
    const { rows } = await world.deps.db.execute(
      sql`select sourced_id from sourced_people where user_id = ${person.id} and university_id = ${university.id}`,
    );
    expect(rows).toEqual([{ sourced_id: "s-1" }]);
    expect((await admin.get(`/users/${person.id}`)).body.full_name).toBe(person.full_name);
  });

  it("gives nothing to an account with an address that its user never verified", async () => {
    const { run } = await college();
    const typed = await make.person({ password_hash: "anyone's" });
    const { outcomes } = await run({
      "people.csv": `email,full_name\r\n${typed.email},Admin\r\n`,
      "roles.csv": `email,role\r\n${typed.email},university_admin\r\n`,
    });
    expect(outcomes).toEqual(["OFFERED", "OFFERED"]);
    expect(await membershipsOf(typed.id)).toEqual([]);
    expect((await world.as(typed).get("/users/me/offers")).body).toEqual([]);
  });

  it("directly changes accounts that it created while no user has signed in to them", async () => {
    const { run, university } = await college();
    const email = `${make.unique("made")}@example.org`;
    const people = { "people.csv": `email,full_name\r\n${email},Made\r\n` };
    expect((await run(people)).outcomes).toEqual(["CREATED"]);
    await world.deps.db.execute(
      sql`delete from user_university_roles where university_id = ${university.id} and role = 'student'`,
    );
    expect((await run(people)).outcomes).toEqual(["UPDATED"]);
    const other = await college();
    expect((await other.run(people)).outcomes).toEqual(["OFFERED"]);
  });

  it("does not repeat a declined offer, and withdraws its offers to deleted people", async () => {
    const { person, run, files } = await college();
    await run(files);
    const offers = (await world.as(person).get("/users/me/offers")).body;
    const role = offers.find((one: { role: string }) => one.role === "TA");
    await world.as(person).post(`/users/me/offers/${role.id}/decline`);
    expect((await run(files)).outcomes).toEqual([
      "OFFERED",
      "REFUSED: The person has declined it",
      "OFFERED",
    ]);
    const gone = {
      "people.csv": `sourced_id,email,full_name,status\r\ns-1,${person.email},X,tobedeleted\r\n`,
    };
    expect((await run(gone)).outcomes).toEqual(["UPDATED"]);
    expect((await world.as(person).get("/users/me/offers")).body).toEqual([]);
  });

  it("makes offers to an address whether or not it has an account", async () => {
    const { run, offering, person } = await college();
    const nobody = `${make.unique("nobody")}@example.org`;
    const lines = [nobody, person.email].map((email) => `${email},${offering.id},teacher`).join("\r\n");
    const { outcomes } = await run({ "enrollments.csv": `email,course_offering_id,as\r\n${lines}\r\n` });
    expect(outcomes).toEqual(["OFFERED", "OFFERED"]);
  });
});
