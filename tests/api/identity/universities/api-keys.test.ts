import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { apiKeys } from "../../../../schema/db/identity/api-keys.ts";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import { makersOf } from "../../../support/makers.ts";
import { tablesWith } from "../../../support/tables-with.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university: number;
let all: string;
let holder: { id: number };
let admin: ReturnType<typeof world.as>;

beforeAll(async () => {
  university = (await make.university()).id;
  all = `/universities/${university}/api-keys`;
  holder = await make.holder("university_admin", university);
  admin = world.as(holder);
});

const inDays = (days: number) => new Date(world.deps.now().getTime() + days * 86_400_000).toISOString();

const wanted = (more: object = {}) => ({
  name: "Registrar",
  scopes: ["people:read", "people:write", "enrollments:write"],
  expires_at: inDays(365),
  ...more,
});

const machine = (key: string) => {
  const headers = { authorization: `Bearer ${key}` };
  return {
    get: (path: string) => world.as().get(path, { headers }),
    post: (path: string, body?: unknown) => world.as().post(path, body, { headers }),
    delete: (path: string) => world.as().delete(path, { headers }),
  };
};

const newKey = async (more: object = {}) => (await admin.post(all, wanted(more))).body;

describe("a key for machines", () => {
  it("is shown once, stored as a hash, and acts as its creator in its university", async () => {
    const { status, body: made } = await admin.post(all, wanted());
    expect(status).toBe(201);
    expect(made).toMatchObject({
      name: "Registrar",
      is_valid: true,
      last_used_on: null,
      maker: { id: holder.id },
    });
    expect(made.key).toMatch(/^lk_\d+_[\w-]{43}$/);
    expect(await tablesWith(world, made.key.split("_").slice(2).join("_"))).toEqual([]);
    const { body: listed } = await admin.get(all);
    expect(JSON.stringify(listed)).not.toContain(made.key);
    expect(listed[0]).toMatchObject({ id: made.id, scopes: wanted().scopes });

    const people = await machine(made.key).get(`/universities/${university}/roles`);
    expect(people).toMatchObject({ status: 200 });
    expect(people.body.map(({ user_id }: { user_id: number }) => user_id)).toContain(holder.id);
    const [after] = (await admin.get(all)).body;
    expect(after.last_used_on).toBe(world.deps.now().toISOString().slice(0, 10));
  });

  it("writes in its creator's name, and the audit log also names the key", async () => {
    const { key, id } = await newKey();
    const someone = await make.holder("student", university);
    const granted = await machine(key).post(`/universities/${university}/roles`, {
      user_id: someone.id,
      role: "INSTRUCTOR",
    });
    expect(granted.status).toBe(201);
    const { body } = await admin.get(`/admin/audit?action=role.granted&user_id=${someone.id}`);
    expect(body[0]).toMatchObject({ actor_id: holder.id, api_key_id: id });
    expect((await machine(key).delete(`/universities/${university}/roles/${granted.body.id}`)).status).toBe(
      204,
    );
  });

  it("grants and revokes no role above instructor, and enrolls only named people", async () => {
    const { key } = await newKey();
    const someone = await make.holder("student", university);
    const other = await make.holder("department_admin", university, (await make.department(university)).id);
    const roles = `/universities/${university}/roles`;
    for (const role of ["UNIVERSITY_ADMIN", "DEPARTMENT_ADMIN"])
      expect(await machine(key).post(roles, { user_id: someone.id, role })).toMatchObject({
        status: 403,
        body: { detail: "An API key cannot give a role above instructor" },
      });
    expect(
      await machine(key).post(`/universities/${university}/invitations`, {
        email: "new@example.edu",
        role: "UNIVERSITY_ADMIN",
      }),
    ).toMatchObject({ status: 403 });
    const [held] = await world.deps.db
      .select()
      .from(userUniversityRoles)
      .where(eq(userUniversityRoles.user_id, other.id));
    expect((await machine(key).delete(`${roles}/${held?.id}`)).status).toBe(403);
    const offering = await make.offering(await make.course(university));
    expect(await machine(key).post("/enrollments/", { course_offering_id: offering.id })).toMatchObject({
      status: 400,
      body: { detail: "An API key must name the person to enroll: give user_id, email or external_id" },
    });
    expect(
      await machine(key).post("/enrollments/", { course_offering_id: offering.id, user_id: someone.id }),
    ).toMatchObject({ status: 201, body: { user_id: someone.id } });
  });

  it("is worth nothing from the request on that revokes it, and is revoked once", async () => {
    const { key, id } = await newKey();
    const list = `/universities/${university}/roles`;
    expect((await machine(key).get(list)).status).toBe(200);
    expect((await admin.delete(`${all}/${id}`)).status).toBe(204);
    // A cached key's maker must not authorize it.
    expect((await machine(key).get(list)).status).toBe(401);
    const [{ revoked_at }] = (await admin.get(all)).body;
    expect((await admin.delete(`${all}/${id}`)).status).toBe(204);
    expect((await admin.get(all)).body[0]).toMatchObject({ id, revoked_at, is_valid: false });
    expect(await admin.post(`${all}/${id}/adopt`)).toMatchObject({
      status: 400,
      body: { detail: "This API key is revoked" },
    });
  });

  it("loses validity with its creator's right, and continues for an adopter", async () => {
    const leaving = await make.holder("university_admin", university);
    const { body: made } = await world.as(leaving).post(all, wanted());
    const list = `/universities/${university}/roles`;
    expect((await machine(made.key).get(list)).status).toBe(200);
    await world.deps.db.delete(userUniversityRoles).where(eq(userUniversityRoles.user_id, leaving.id));
    expect((await machine(made.key).get(list)).status).toBe(401);
    expect((await admin.get(all)).body[0]).toMatchObject({ id: made.id, is_valid: false });
    expect(await admin.post(`${all}/${made.id}/adopt`)).toMatchObject({
      status: 200,
      body: { is_valid: true, maker: { id: holder.id } },
    });
    expect((await machine(made.key).get(list)).status).toBe(200);
  });

  it("costs no round trip: a read is one, once it was used that day", async () => {
    const { key } = await newKey();
    const list = `/universities/${university}/roles`;
    await machine(key).get(list);
    await machine(key).get(list);
    const { headers } = await machine(key).get(list);
    expect(headers.get("server-timing")).toMatch(/db;.*desc="1 /);
  });
});

describe("keys for machines", () => {
  it("are for administrators of the whole university, who see only its keys", async () => {
    const { id } = await newKey();
    const department = await make.department(university);
    const elsewhere = (await make.university()).id;
    for (const other of [
      await make.holder("university_admin", university, department.id),
      await make.holder("instructor", university),
      await make.holder("university_admin", elsewhere),
      await make.person(),
    ]) {
      const client = world.as(other);
      expect((await client.get(all)).status).toBe(403);
      expect((await client.post(all, wanted())).status).toBe(403);
      expect((await client.post(`${all}/${id}/adopt`)).status).toBe(403);
      expect((await client.delete(`${all}/${id}`)).status).toBe(403);
    }
    const other = world.as(await make.holder("university_admin", elsewhere));
    expect((await other.delete(`/universities/${elsewhere}/api-keys/${id}`)).status).toBe(404);
    expect((await other.post(`/universities/${elsewhere}/api-keys/${id}/adopt`)).status).toBe(404);
    const platform = world.as(await make.holder("platform_admin", elsewhere));
    expect((await platform.get(`/universities/2000000/api-keys`)).status).toBe(404);
    expect((await platform.post(`/universities/2000000/api-keys`, wanted())).status).toBe(404);
  });

  it.each([
    [{ expires_at: "2020-01-01T00:00:00Z" }, 400],
    [{ expires_at: "2090-01-01T00:00:00Z" }, 400],
    [{ expires_at: null }, 422],
    [{ scopes: [] }, 422],
    [{ scopes: ["chats:read"] }, 422],
    [{ name: " " }, 422],
  ])("are not made with %j", async (more, status) => {
    expect((await admin.post(all, wanted(more))).status).toBe(status);
  });

  it("store each scope once, and allow concurrent use", async () => {
    const { key, id, scopes } = await newKey({ scopes: ["people:read", "people:read"] });
    expect(scopes).toEqual(["people:read"]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => machine(key).get(`/universities/${university}/roles`)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const revoking = await Promise.all([
      admin.delete(`${all}/${id}`),
      admin.delete(`${all}/${id}`),
      ...Array.from({ length: 5 }, () => machine(key).get(`/universities/${university}/roles`)),
    ]);
    for (const { status } of revoking) expect([200, 204, 401]).toContain(status);
    const { rows } = await world.deps.db.execute(sql`
      select count(*)::int as lines from audit_events where action = 'api_key.revoked' and details ->> 'id' = ${String(id)}`);
    expect(rows).toEqual([{ lines: 1 }]);
    expect(await world.deps.db.select().from(apiKeys).where(eq(apiKeys.id, id))).toMatchObject([
      { revoked_at: expect.any(String) },
    ]);
  });
});
