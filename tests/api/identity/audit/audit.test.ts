import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function prepareUniversity() {
  const university = await make.university();
  const admin = await make.holder("university_admin", university.id);
  const student = await make.holder("student", university.id);
  return { university, admin, student, as: world.as(admin) };
}

type Event = Record<string, unknown>;
const logOf = async (reader: ReturnType<typeof world.as>, query = ""): Promise<Event[]> => {
  const reply = await reader.get(`/admin/audit${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
};

describe("the audit log", () => {
  it("names granter, role, person, university, time and request of each grant and revocation", async () => {
    const { university, admin, student, as } = await prepareUniversity();
    const roles = `/universities/${university.id}/roles`;
    const headers = { "x-request-id": "request-of-the-grant" };
    const granted = await as.post(roles, { user_id: student.id, role: "TA" }, { headers });
    await as.delete(`${roles}/${granted.body.id}`);
    const told = {
      actor_id: admin.id,
      actor_name: admin.full_name,
      subject_id: student.id,
      subject_name: student.full_name,
      university_id: university.id,
      details: { role: "ta" },
    };
    expect(await logOf(as)).toMatchObject([
      { action: "role.revoked", ...told },
      {
        action: "role.granted",
        ...told,
        request_id: "request-of-the-grant",
        occurred_at: world.deps.now().toISOString(),
      },
    ]);
  });

  it("names no person whom its reader may not see", async () => {
    const { university, student, as } = await prepareUniversity();
    const elsewhere = world.as(await make.holder("platform_admin", (await make.university()).id));
    await elsewhere.post(`/universities/${university.id}/roles`, { user_id: student.id, role: "TA" });
    expect(await logOf(as)).toMatchObject([{ actor_name: null, subject_name: student.full_name }]);
    const [read] = await logOf(elsewhere, `?user_id=${student.id}`);
    expect(read).toMatchObject({ actor_name: expect.any(String), subject_name: student.full_name });
  });

  it("has nothing of an act that was refused or undone", async () => {
    const { university, admin, student, as } = await prepareUniversity();
    await as.post(`/universities/${university.id}/roles`, { user_id: student.id, role: "STUDENT" });
    await as.post(`/universities/${university.id}/roles`, { user_id: student.id, role: "PLATFORM_ADMIN" });
    await world.deps.metrics.report();
    expect(await logOf(as)).toMatchObject([{ action: "access.refused", actor_id: admin.id }]);
  });

  it("has deactivations, failed sign-ins and changed passwords of a university's people", async () => {
    const { university, as } = await prepareUniversity();
    const admin = await make.holder("platform_admin", (await make.university()).id);
    const platform = world.as(admin);
    const email = `${make.unique("watched")}@example.edu`;
    const made = await world
      .as()
      .post("/auth/register", { email, password: "right words", full_name: "Ada" });
    const bearer = { headers: { authorization: `Bearer ${made.body.access_token}` } };
    const { id } = (await world.as().get("/users/me", bearer)).body;
    await world.as().post("/auth/login", { email, password: "wrong" });
    expect(await logOf(as)).toEqual([]);
    await platform.post(`/universities/${university.id}/roles`, { user_id: id, role: "STUDENT" });
    await world
      .as()
      .post("/users/me/password", { current_password: "right words", new_password: "other words" }, bearer);
    await platform.patch(`/users/${id}`, { is_active: false });
    await platform.patch(`/users/${id}`, { is_active: true });
    expect(await logOf(as, `?user_id=${id}`)).toMatchObject([
      { action: "account.reactivated", actor_id: admin.id, subject_id: id },
      { action: "account.deactivated", actor_id: admin.id, subject_id: id },
      { action: "password.changed", actor_id: id, subject_id: id },
      { action: "role.granted", actor_id: admin.id, subject_id: id },
      { action: "sign_in.failed", actor_id: null, subject_id: id },
      { action: "sign_in", actor_id: id, subject_id: id },
    ]);
    expect(await logOf(as, "?action=sign_in.failed")).toHaveLength(1);
  });

  it("shows platform administrators changes of credentials and labels, without any secret", async () => {
    const { university, as } = await prepareUniversity();
    const admin = await make.holder("platform_admin", university.id);
    const platform = world.as(admin);
    const secret = "the-secret-key-of-the-cloud";
    const keys = { cloud_access_key_id: "AKIASECRETID", cloud_secret_access_key: secret };
    expect((await platform.post("/admin/cloud-credentials", keys)).status).toBe(200);
    await platform.delete("/admin/cloud-credentials");
    const name = make.unique("prompt");
    await platform.post("/prompts/", { name, prompt: "Say nothing of this.", labels: ["staging"] });
    await platform.post("/prompts/", { name, prompt: "Say more." });
    expect(
      (await platform.patch(`/prompts/${name}/versions/2/labels`, { labels: ["staging", "latest"] })).status,
    ).toBe(200);
    expect((await platform.delete(`/prompts/${name}`)).status).toBe(204);
    const log = (await logOf(platform, `?user_id=${admin.id}`)).toReversed();
    expect(log.map(({ action }) => action)).toEqual([
      "credentials.stored",
      "credentials.removed",
      "prompt.version_created",
      "prompt.version_created",
      "prompt.labels_set",
      "prompt.deleted",
    ]);
    expect(log[4]).toMatchObject({ actor_id: admin.id, details: { name, version: 2 } });
    const { rows } = await world.deps.db.execute(sql`select one::text as line from audit_events as one`);
    const text = JSON.stringify(rows);
    for (const word of [secret, "AKIASECRETID", "Say nothing", "right words", "other words", "wrong"])
      expect(text).not.toContain(word);
    expect((await logOf(as)).filter(({ actor_id }) => actor_id === admin.id)).toEqual([]);
  });

  it("shows a university's administrators changes of its credentials, named explicitly or not", async () => {
    const { university, admin, as } = await prepareUniversity();
    const keys = { cloud_access_key_id: "AKIAOFTHEIRS", cloud_secret_access_key: "the-secret-key" };
    expect((await as.post("/admin/cloud-credentials", keys)).status).toBe(200);
    expect((await as.delete(`/admin/cloud-credentials?university_id=${university.id}`)).status).toBe(204);
    const told = { actor_id: admin.id, university_id: university.id };
    expect(await logOf(as)).toMatchObject([
      { action: "credentials.removed", ...told },
      { action: "credentials.stored", ...told },
    ]);
  });

  it("is paged, and shows a university's administrators nothing of another's", async () => {
    const [one, other] = [await prepareUniversity(), await prepareUniversity()];
    for (const role of ["TA", "INSTRUCTOR"])
      await one.as.post(`/universities/${one.university.id}/roles`, { user_id: one.student.id, role });
    await other.as.post(`/universities/${other.university.id}/roles`, {
      user_id: other.student.id,
      role: "TA",
    });
    const [newest, older] = await logOf(one.as);
    expect(await logOf(one.as)).toHaveLength(2);
    expect(await logOf(one.as, "?limit=1")).toEqual([newest]);
    expect(await logOf(one.as, "?skip=1")).toEqual([older]);
    expect(await logOf(one.as, `?university_id=${other.university.id}`)).toEqual([]);
    const department = await make.department(one.university.id);
    const scoped = await make.holder("university_admin", one.university.id, department.id);
    expect(await logOf(world.as(scoped))).toEqual([]);
    expect((await world.as(one.student).get("/admin/audit")).status).toBe(403);
  });

  it("cannot be changed or deleted by any statement to the database", async () => {
    const { university, student, as } = await prepareUniversity();
    await as.post(`/universities/${university.id}/roles`, { user_id: student.id, role: "TA" });
    const { db } = world.deps;
    const refused = [
      sql`update audit_events set action = 'role.revoked'`,
      sql`update audit_events set actor_id = actor_id + 1 where actor_id is not null`,
      sql`update audit_events set details = '{}', actor_id = null`,
      sql`update audit_events set occurred_at = now()`,
      sql`delete from audit_events`,
      sql`truncate audit_events`,
    ];
    for (const statement of refused) await expect(db.execute(statement)).rejects.toThrow();
    const { rows } = await db.execute(
      sql`update audit_events set subject_id = null where subject_id = ${student.id} returning action`,
    );
    expect(rows).toEqual([{ action: "role.granted" }]);
  });
});
