import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { directoryWith, scimUser } from "../../../support/scim.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university: number;
let admin: ReturnType<typeof world.as>;
let directory: ReturnType<typeof directoryWith>;
let elsewhere: ReturnType<typeof directoryWith>;

const keyOf = async (holder: { id: number }, id: number) => {
  const wanted = { name: "Directory", scopes: ["scim"], expires_at: "2027-01-01T00:00:00Z" };
  return (await world.as(holder).post(`/universities/${id}/api-keys`, wanted)).body.key as string;
};

beforeAll(async () => {
  university = (await make.university()).id;
  const other = (await make.university()).id;
  const holder = await make.holder("university_admin", university);
  admin = world.as(holder);
  directory = directoryWith(world, await keyOf(holder, university));
  elsewhere = directoryWith(world, await keyOf(await make.holder("university_admin", other), other));
});

let made = 0;
const address = () => `scim-${++made}@example.edu`;

const rows = async (query: ReturnType<typeof sql>) => (await world.deps.db.execute(query)).rows;
const personOf = async (id: string) =>
  (await rows(sql`select user_id from scim_users where id = ${Number(id)}`))[0]?.["user_id"] as number | null;
const rolesOf = (person: number | null) =>
  rows(sql`select role, by_directory from user_university_roles
           where user_id = ${person} and university_id = ${university} order by role`);

describe("a User of a directory", () => {
  it("keeps optional parts of RFC 7643, gains and loses a whole extension, and has no status once it is removed", async () => {
    const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
    const roles = [{ value: "1", type: "WindowsAzureActiveDirectoryRole" }];
    const body = { ...scimUser(address()), roles, active: false, groups: [{ value: "99" }] };
    const user = (await directory.post("/Users", body)).body;
    expect(user).toMatchObject({ roles, active: false });
    expect(user.groups).toBeUndefined();
    const patch = async (...operations: object[]) =>
      (await directory.patch(`/Users/${user.id}`, operations)).body;
    const value = { schemas: [enterprise], employeeNumber: "12" };
    const extended = await patch({ op: "add", path: enterprise, value });
    expect(extended).toMatchObject({ [enterprise]: { employeeNumber: "12" }, active: false });
    const less = await patch({ op: "remove", path: enterprise }, { op: "remove", path: "active" });
    expect(less[enterprise]).toBeUndefined();
    expect(less).not.toHaveProperty("active");
    expect((await directory.get(`/Users/${user.id}`)).body).toEqual(less);
    expect(await patch({ op: "replace", path: "active", value: false })).toMatchObject({ active: false });
  });

  it("is created with an account, and returns what the directory sent", async () => {
    const userName = address();
    const sent = scimUser(userName, { externalId: `ext-${made}`, title: "Countess", password: "never kept" });
    const { status, headers, body } = await directory.post("/Users", sent);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(headers.get("content-type")).toBe("application/scim+json");
    expect({ ...body, password: "never kept" }).toMatchObject({
      ...sent,
      meta: { resourceType: "User", version: 'W/"1"' },
    });
    expect(body.password).toBeUndefined();
    expect(headers.get("location")).toBe(body.meta.location);
    const read = await directory.get(`/Users/${body.id}`);
    expect(read.body).toEqual(body);
    expect(read.headers.get("etag")).toBe('W/"1"');
    expect((await directory.get(`/Users/${body.id}`, { "if-none-match": 'W/"1"' })).status).toBe(304);
    const person = await personOf(body.id);
    expect(await rolesOf(person)).toEqual([{ role: "student", by_directory: true }]);
    const listed = await admin.get(`/users?university_id=${university}&q=${userName}`);
    expect(listed.body[0].memberships[0]).toMatchObject({
      external_id: `ext-${made}`,
      given_name: "Ada",
      family_name: "Lovelace",
      source: "DIRECTORY",
    });
  });

  it("is suspended, restored, and loses the directory's grants", async () => {
    const { body: user } = await directory.post("/Users", scimUser(address()));
    const person = { id: (await personOf(user.id)) ?? 0 };
    const offering = await make.offering(await make.course(university));
    await make.enrollment(person.id, offering.id);
    const seat = () => rows(sql`select status from enrollments where user_id = ${person.id}`);
    const isActive = () => rows(sql`select is_active from university_members where user_id = ${person.id}`);
    // Entra ID's form.
    const off = await directory.patch(`/Users/${user.id}`, [
      { op: "Replace", path: "active", value: "False" },
    ]);
    expect(off.body).toMatchObject({ active: false, meta: { version: 'W/"2"' } });
    expect(await isActive()).toEqual([{ is_active: false }]);
    expect(await seat()).toEqual([{ status: "active" }]);
    // Okta's form.
    const on = await directory.patch(`/Users/${user.id}`, [{ op: "replace", value: { active: true } }]);
    expect(on.body.active).toBe(true);
    expect(await isActive()).toEqual([{ is_active: true }]);
    expect((await directory.delete(`/Users/${user.id}`)).status).toBe(204);
    expect(await rolesOf(person.id)).toEqual([]);
    expect((await directory.get(`/Users/${user.id}`)).status).toBe(404);
    expect(await seat()).toEqual([{ status: "active" }]);
  });

  it("has the name that staff set until they release it, and returns what the directory sent", async () => {
    const { body: user } = await directory.post("/Users", scimUser(address()));
    const member = `/universities/${university}/members/${await personOf(user.id)}`;
    const rename = (givenName: string) =>
      directory.patch(`/Users/${user.id}`, [{ op: "replace", path: "name.givenName", value: givenName }]);
    const called = async () => (await admin.patch(member, {})).body.given_name;
    await rename("Augusta");
    expect(await called()).toBe("Augusta");
    await admin.patch(member, { given_name: "Countess" });
    expect((await rename("Byron")).body.name.givenName).toBe("Byron");
    expect(await called()).toBe("Countess");
    await admin.patch(member, { source: null });
    await rename("King");
    expect(await called()).toBe("King");
  });

  it("is not restored by the directory if staff suspended them", async () => {
    const { body: user } = await directory.post("/Users", scimUser(address()));
    const person = await personOf(user.id);
    const member = `/universities/${university}/members/${person}`;
    await directory.patch(`/Users/${user.id}`, [{ op: "replace", path: "active", value: false }]);
    expect((await admin.patch(member, { is_active: false })).status).toBe(200);
    await directory.patch(`/Users/${user.id}`, [{ op: "replace", path: "active", value: true }]);
    expect(await rows(sql`select is_active from university_members where user_id = ${person}`)).toEqual([
      { is_active: false },
    ]);
  });

  it("of another university's person is an offer while the record exists", async () => {
    const stranger = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
    const { status, body: user } = await directory.post("/Users", scimUser(stranger.email));
    expect(status).toBe(201);
    expect(await personOf(user.id)).toBeNull();
    world.setNow("2026-09-10T12:00:00Z");
    const { body: offers } = await world.as(stranger).get("/users/me/offers");
    expect(offers).toHaveLength(1);
    await directory.patch(`/Users/${user.id}`, [{ op: "replace", path: "active", value: false }]);
    expect((await world.as(stranger).get("/users/me/offers")).body).toEqual([]);
    await directory.patch(`/Users/${user.id}`, [{ op: "replace", path: "active", value: true }]);
    const [offer] = (await world.as(stranger).get("/users/me/offers")).body;
    expect((await world.as(stranger).post(`/users/me/offers/${offer.id}/accept`)).status).toBe(200);
    expect(await personOf(user.id)).toBe(stranger.id);
    expect(await rolesOf(stranger.id)).toEqual([{ role: "student", by_directory: true }]);
    expect((await directory.get(`/Users/${user.id}`)).body.id).toBe(user.id);
    // A verified address remains, regardless of the directory.
    const other = address();
    const renamed = await directory.patch(`/Users/${user.id}`, [
      { op: "replace", value: { userName: other, emails: [{ value: other, primary: true }] } },
    ]);
    expect(renamed.body.userName).toBe(other);
    expect(await rows(sql`select email from users where id = ${stranger.id}`)).toEqual([
      { email: stranger.email },
    ]);
    world.setNow("2026-03-10T12:00:00Z");
    // Deleting the record deletes the offer.
    const unasked = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
    const { body: removed } = await directory.post("/Users", scimUser(unasked.email));
    expect((await world.as(unasked).get("/users/me/offers")).body).toHaveLength(1);
    expect((await directory.delete(`/Users/${removed.id}`)).status).toBe(204);
    expect((await world.as(unasked).get("/users/me/offers")).body).toEqual([]);
  });

  it("has no rights after the directory ended them, however late they accept or sign in", async () => {
    for (const round of [1, 2, 3, 4]) {
      const stranger = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
      const { body: user } = await directory.post("/Users", scimUser(stranger.email));
      const [offer] = (await world.as(stranger).get("/users/me/offers")).body;
      const accept = () => world.as(stranger).post(`/users/me/offers/${offer.id}/accept`);
      const end = () =>
        directory.patch(`/Users/${user.id}`, [{ op: "replace", path: "active", value: false }]);
      const [first, second] = round % 2 ? [accept, end] : [end, accept];
      const [one, other] = await Promise.all([first(), second()]);
      expect([one.status, other.status].every((status) => [200, 400, 404].includes(status))).toBe(true);
      const held = await rows(sql`
        select role from held_roles where user_id = ${stranger.id} and university_id = ${university}
          and not is_suspended(${university}, ${stranger.id})`);
      expect(held).toEqual([]);
      const isMember = (await personOf(user.id)) === stranger.id;
      const ofProvider = world.as({ ...stranger, reach: { university_id: university } });
      if (isMember) expect((await ofProvider.get("/users/me")).status).toBe(401);
    }
  });

  it("is one of its university alone, and a 409 says nothing of elsewhere", async () => {
    const userName = address();
    const [first, again] = await Promise.all([1, 2].map(() => directory.post("/Users", scimUser(userName))));
    expect([first?.status, again?.status].sort()).toEqual([201, 409]);
    expect((await directory.post("/Users", scimUser(userName.toUpperCase()))).body).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: "409",
      scimType: "uniqueness",
    });
    const numbered = (name: string) => scimUser(name, { externalId: "one-number" });
    const { body: number } = await directory.post("/Users", numbered(address()));
    expect(await directory.post("/Users", numbered(address()))).toMatchObject({
      status: 409,
      body: { scimType: "uniqueness" },
    });
    expect((await elsewhere.post("/Users", numbered(address()))).status).toBe(201);
    expect((await directory.put(`/Users/${number.id}`, numbered(number.userName))).status).toBe(200);
    expect((await elsewhere.post("/Users", scimUser(userName))).status).toBe(201);
    const own = first?.status === 201 ? first : again;
    for (const ask of [elsewhere.get, elsewhere.delete])
      expect((await ask(`/Users/${own?.body.id}`)).status).toBe(404);
  });
});

describe("Users", () => {
  it("are found by filters, and read in pages", async () => {
    const names = [address(), address(), address()];
    for (const [at, name] of names.entries())
      await directory.post("/Users", scimUser(name, { title: `Filtered ${at}`, externalId: `Filter-${at}` }));
    const found = async (filter: string) => {
      const { body } = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`);
      return body.Resources?.map(({ title }: { title: string }) => title.slice(-1)).join("") ?? body;
    };
    expect(await found(`userName eq "${names[0]?.toUpperCase()}"`)).toBe("0");
    expect(await found('externalId eq "Filter-1"')).toBe("1");
    expect(await found('externalId eq "filter-1"')).toBe("");
    expect(await found(`emails[type eq "work" and value eq "${names[2]}"]`)).toBe("2");
    expect(await found(`emails.value eq "${names[2]}" and active eq true`)).toBe("2");
    expect(await found('title sw "filtered" and not (externalId eq "Filter-1")')).toBe("02");
    expect(await found('externalId eq "Filter-0" or (title co "TERED 2" and name.familyName pr)')).toBe("02");
    expect(await found('title sw "Filtered" and meta.lastModified lt "2000-01-01T00:00:00Z"')).toBe("");
    expect(await found(`userName eq "x' or 1=1 --"`)).toBe("");
    const all = encodeURIComponent('title sw "Filtered"');
    const { body: page } = await directory.get(
      `/Users?filter=${all}&startIndex=2&count=1&attributes=userName`,
    );
    const asked = { filter: 'title sw "Filtered"', startIndex: 2, count: 1, attributes: ["userName"] };
    expect((await directory.post("/Users/.search", asked)).body).toEqual(page);
    expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(page.Resources).toEqual([
      { schemas: expect.any(Array), id: expect.any(String), userName: names[1] },
    ]);
    expect((await directory.get(`/Users?filter=${all}&count=0`)).body).toMatchObject({
      totalResults: 3,
      Resources: [],
    });
  });

  it.each([
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created gt "2026-02-30T99:00:00Z"',
    'meta.created gt "99999-01-01T00:00:00Z"',
    "meta.lastModified eq 20260101",
    "active gt true",
    'active eq "maybe"',
    "userName eq",
    'userName eq "a" and',
    'userName eq "a" OR ',
    "not",
    '(userName eq "a"',
    "((((((((((",
    'urn:ietf:params:scim:schemas:core:2.0:User:constructor eq "a"',
    'emails[type eq "work" and value eq',
    "\u0000",
  ])("refuse the filter %j", async (filter) => {
    const { status, body } = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`);
    expect([status, body.status], JSON.stringify(body)).toEqual([400, "400"]);
  });

  it.each([
    'userName eq "\\u0000"',
    'externalId sw "a\\u0000b"',
    'userName eq "\\ud800"',
    'userName eq "%\' or 1=1 --"',
    'userName co "_"',
    'userName eq "\u202e"',
    'id eq "99999999999999999999"',
    "externalId eq true",
    "title eq null and userName eq null",
    'meta.created lt "0001-01-01T00:00:00Z"',
    'meta.created gt "9999-12-31T23:59:59Z"',
  ])("find none with the filter %j", async (filter) => {
    const { status, body } = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`);
    expect([status, body.totalResults], JSON.stringify(body)).toEqual([200, 0]);
  });

  it("is searched together with Groups, which follow the Users", async () => {
    const displayName = "Searched together";
    const user = (await directory.post("/Users", { ...scimUser(address()), displayName })).body;
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
    const group = (await directory.post("/Groups", { schemas, displayName })).body;
    const search = async (more: object) => (await directory.post("/.search", more)).body;
    const filter = `displayName eq "${displayName}"`;
    const ids = async (more: object) => {
      const { totalResults, Resources } = await search({ filter, ...more });
      return [totalResults, ...Resources.map(({ meta, id }: typeof user) => `${meta.resourceType} ${id}`)];
    };
    const [first, second] = [`User ${user.id}`, `Group ${group.id}`];
    expect(await ids({})).toEqual([2, first, second]);
    expect(await ids({ count: 1 })).toEqual([2, first]);
    expect(await ids({ startIndex: 2 })).toEqual([2, second]);
    expect(await ids({ startIndex: 3 })).toEqual([2]);
    expect(await ids({ count: 0 })).toEqual([2]);
    expect(await ids({ filter: `${filter} and meta.resourceType eq "Group"` })).toEqual([1, second]);
    expect(await ids({ filter: `userName eq "${user.userName}"` })).toEqual([1, first]);
    expect(await search({ filter: "nothing eq 1" })).toMatchObject({
      status: "400",
      scimType: "invalidFilter",
    });
    expect((await elsewhere.post("/.search", { filter })).body.totalResults).toBe(0);
  });

  it("keep all of 200 concurrent changes", async () => {
    const { body: user } = await directory.post("/Users", scimUser(address()));
    const added = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        at % 2 === 0
          ? directory.patch(`/Users/${user.id}`, [
              { op: "add", path: "phoneNumbers", value: [{ type: "other", value: `+${at}` }] },
            ])
          : directory.post("/Users", scimUser(address())),
      ),
    );
    expect(new Set(added.map(({ status }) => status))).toEqual(new Set([200, 201]));
    const { body } = await directory.get(`/Users/${user.id}`);
    expect(body.phoneNumbers).toHaveLength(100);
    expect(body.meta.version).toBe('W/"101"');
  });
});
