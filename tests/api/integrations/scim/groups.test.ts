import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { directoryWith, scimGroup, scimUser } from "../../../support/scim.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university: number;
let admin: ReturnType<typeof world.as>;
let directory: ReturnType<typeof directoryWith>;
let members: string[];
let strangers: string;

beforeAll(async () => {
  const open = async () => {
    const { id } = await make.university();
    const holder = world.as(await make.holder("university_admin", id));
    const wanted = { name: "Directory", scopes: ["scim"], expires_at: "2027-01-01T00:00:00Z" };
    const { key } = (await holder.post(`/universities/${id}/api-keys`, wanted)).body;
    return { id, holder, directory: directoryWith(world, key) };
  };
  const own = await open();
  const other = await open();
  university = own.id;
  admin = own.holder;
  directory = own.directory;
  members = [];
  for (const at of [1, 2, 3])
    members.push((await directory.post("/Users", scimUser(`member-${at}@example.edu`))).body.id);
  strangers = (await other.directory.post("/Users", scimUser("stranger@example.edu"))).body.id;
});

const rolesOf = async (member: string | undefined) =>
  (
    await world.deps.db.execute(sql`
      select held.role from scim_users as record join user_university_roles as held on held.user_id = record.user_id
      where record.id = ${Number(member)} and held.university_id = ${university} order by held.role`)
  ).rows.map(({ role }) => role);

const map = (group: string, role: string | null) =>
  admin.patch(`/universities/${university}/directory-groups/${group}`, { role });

describe("a Group of a directory", () => {
  it("grants nothing until it is mapped, and revokes what it granted", async () => {
    const { status, body: group } = await directory.post("/Groups", scimGroup("Tutors", members.slice(0, 2)));
    expect(status, JSON.stringify(world.log.filter((l) => "error" in l))).toBe(201);
    expect(group.members.map(({ value }: { value: string }) => value)).toEqual(members.slice(0, 2));
    expect(await rolesOf(members[0])).toEqual(["student"]);
    expect((await map(group.id, "TA")).body).toMatchObject({
      display_name: "Tutors",
      role: "TA",
      member_count: 2,
    });
    expect(await rolesOf(members[0])).toEqual(["ta"]);
    // Entra ID's form of a removal.
    const removed = await directory.patch(`/Groups/${group.id}`, [
      { op: "Remove", path: "members", value: [{ value: members[0] }] },
    ]);
    expect(removed.status).toBe(204);
    expect(await rolesOf(members[0])).toEqual(["student"]);
    const changed = [
      { op: "remove", path: `members[value eq "${members[1]}"]` },
      { op: "add", path: "members", value: [{ value: members[2] }] },
      { op: "replace", value: { id: group.id, displayName: "Teaching assistants" } },
    ];
    await directory.patch(`/Groups/${group.id}`, changed);
    expect([await rolesOf(members[1]), await rolesOf(members[2])]).toEqual([["student"], ["ta"]]);
    const { body: read } = await directory.get(`/Groups/${group.id}`);
    expect(read).toMatchObject({ displayName: "Teaching assistants", members: [{ value: members[2] }] });
    expect((await directory.get(`/Users/${members[2]}`)).body.groups).toMatchObject([{ value: group.id }]);
    const without = await directory.get(
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "teaching assistants"')}`,
    );
    expect(without.body.Resources).toMatchObject([{ id: group.id }]);
    expect(without.body.Resources[0].members).toBeUndefined();
    expect((await directory.delete(`/Groups/${group.id}`)).status).toBe(204);
    expect(await rolesOf(members[2])).toEqual(["student"]);
  });

  it("is mapped to an instructor at most, by administrators of the university", async () => {
    const { body: group } = await directory.post("/Groups", scimGroup("Chairs"));
    expect((await map(group.id, "UNIVERSITY_ADMIN")).status).toBe(422);
    expect((await map("2147483647", "TA")).status).toBe(404);
    const staff = world.as(await make.holder("instructor", university));
    const path = `/universities/${university}/directory-groups`;
    expect((await staff.patch(`${path}/${group.id}`, { role: "TA" })).status).toBe(403);
    expect((await staff.get(path)).status).toBe(403);
    expect((await admin.get(path)).body).toContainEqual(
      expect.objectContaining({ id: Number(group.id), display_name: "Chairs", role: null, member_count: 0 }),
    );
  });

  it("grants each member the mapped role during concurrent mappings and changes", async () => {
    const { body: group } = await directory.post("/Groups", scimGroup("Raced"));
    for (const round of [1, 2, 3]) {
      const [mapped, changed] = await Promise.all([
        map(group.id, round % 2 ? "INSTRUCTOR" : null),
        directory.patch(`/Groups/${group.id}`, [
          { op: "replace", path: "members", value: round % 2 ? [{ value: members[0] }] : [] },
        ]),
      ]);
      expect([mapped.status, changed.status]).toEqual([200, 204]);
      expect(await rolesOf(members[0])).toEqual(round % 2 ? ["instructor"] : ["student"]);
    }
  });

  it("may have 10 000 members, and is changed without any of them being read", async () => {
    await world.deps.db.execute(sql`
      insert into scim_users (university_id, user_name, full_name, is_active, attributes)
      select ${university}, 'bulk-' || n, 'Bulk', true, '{}' from generate_series(1, 10000) as n`);
    const { rows } = await world.deps.db.execute(
      sql`select id::text from scim_users where user_name like 'bulk-%' order by id`,
    );
    const all = rows.map(({ id }) => String(id));
    const { status, body: group } = await directory.post("/Groups", scimGroup("Everyone", all));
    expect(status).toBe(201);
    expect(group.members).toHaveLength(10_000);
    const gone = await directory.patch(`/Groups/${group.id}`, [
      { op: "remove", path: `members[value eq "${all[0]}"]` },
    ]);
    expect(gone.status).toBe(204);
    expect((await directory.get(`/Groups/${group.id}`)).body.members).toHaveLength(9999);
    await directory.delete(`/Groups/${group.id}`);
  });

  it.each([
    [
      "a member of another university",
      () => [{ op: "add", path: "members", value: [{ value: strangers }] }],
      "invalidValue",
    ],
    [
      "a member that is none",
      () => [{ op: "add", path: "members", value: [{ value: "abc" }] }],
      "invalidValue",
    ],
    [
      "a group within",
      () => [{ op: "add", path: "members", value: [{ value: "1", type: "Group" }] }],
      "invalidValue",
    ],
    ["no name", () => [{ op: "replace", path: "displayName", value: "" }], "invalidValue"],
    ["a path that it does not have", () => [{ op: "replace", path: "owner", value: "x" }], "invalidPath"],
    ["an operation that is none", () => [{ op: "move", path: "members" }], "invalidSyntax"],
    ["a removal of nothing", () => [{ op: "remove" }], "noTarget"],
  ])("refuses %s", async (_, operations, scimType) => {
    const { body: group } = await directory.post("/Groups", scimGroup("Refusing"));
    const refused = await directory.patch(`/Groups/${group.id}`, operations());
    expect(refused).toMatchObject({ status: 400, body: { status: "400", scimType } });
    expect((await directory.get(`/Groups/${group.id}`)).headers.get("etag")).toBe('W/"1"');
  });
});
