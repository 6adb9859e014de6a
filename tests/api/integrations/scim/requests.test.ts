import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { scim } from "../../../../functions/integrations/scim/app.ts";
import { pruneDirectoryRequests } from "../../../../lib/integrations/scim/requests.ts";
import { maxScimRequestsPerUniversity } from "../../../../lib/platform/metrics/directory-requests.ts";
import { apiKeyScopes } from "../../../../schema/enums.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { directoryWith, scimUser } from "../../../support/scim.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

let university: number;
let directory: ReturnType<typeof directoryWith>;
let others: Record<string, string | undefined>;

beforeAll(async () => {
  university = (await make.university()).id;
  const holder = await make.holder("university_admin", university);
  const newKey = async (scopes: readonly string[]) =>
    (
      await world.as(holder).post(`/universities/${university}/api-keys`, {
        name: "Directory",
        scopes,
        expires_at: "2027-01-01T00:00:00Z",
      })
    ).body;
  directory = directoryWith(world, (await newKey(["scim"])).key);
  const revoked = await newKey(["scim"]);
  await world.as(holder).delete(`/universities/${university}/api-keys/${revoked.id}`);
  const people = await Promise.all([
    make.holder("platform_admin", university),
    make.holder("instructor", university),
    make.holder("ta", university),
    make.person(),
  ]);
  const tokens = await Promise.all([holder, ...people].map((one) => world.as(one).token));
  others = {
    nobody: undefined,
    "a revoked key": revoked.key,
    "a key without the scope": (await newKey(apiKeyScopes.filter((one) => one !== "scim"))).key,
    ...Object.fromEntries(
      ["university_admin", "platform_admin", "instructor", "ta", "stranger"].map((name, at) => [
        name,
        tokens[at],
      ]),
    ),
  };
});

describe("/scim/v2", () => {
  it.each(scim.endpoints.map(({ contract }) => [contract.id, contract] as const))(
    "refuses everyone but a key with its scope, in the words of SCIM: %s",
    async (_, { method, path }) => {
      for (const [who, token] of Object.entries(others)) {
        const reply = await directoryWith(world, token).ask(
          method.toUpperCase(),
          path.replace("{id}", "1"),
          method === "get" || method === "delete" ? undefined : {},
        );
        const expected = who === "nobody" || who === "a revoked key" ? 401 : 403;
        expect(reply, who).toMatchObject({
          status: expected,
          body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: String(expected) },
        });
      }
    },
  );

  it("rejects missing resources and unsupported requests in SCIM's format", async () => {
    const asked = [
      [404, await directory.get("/Nothing")],
      [405, await directory.delete("/Users")],
      [404, await directory.post("/Bulk", {})],
      [404, await directory.get("/Users/2147483648")],
      [404, await directory.get("/Users/abc")],
      [404, await directory.get("/Schemas/urn:unknown")],
      [413, await directory.post("/Users", { text: "x".repeat(1024 * 1024) })],
      [400, await directory.post("/Users", "{")],
      [400, await directory.get("/Users?count=many")],
      [400, await directory.get("/Users?count=1.5")],
    ] as const;
    for (const [status, reply] of asked) {
      expect(reply).toMatchObject({ status, body: { status: String(status), detail: expect.any(String) } });
      expect(reply.headers.get("content-type")).toBe("application/scim+json");
    }
  });

  it("describes itself", async () => {
    expect((await directory.get("/ServiceProviderConfig")).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      changePassword: { supported: false },
    });
    expect((await directory.get("/ResourceTypes/User")).body).toMatchObject({
      endpoint: "/Users",
      schema: core,
    });
    const { body: schemas } = await directory.get("/Schemas");
    expect(schemas.totalResults).toBe(3);
    const names = schemas.Resources[0].attributes.map(({ name }: { name: string }) => name);
    expect(names).toContain("userName");
    expect(names).not.toContain("password");
    expect((await directory.get(`/Schemas/${enterprise}`)).body.id).toBe(enterprise);
  });
});

type Step = [operations: object[], expected: object];

// As documented by Microsoft and Okta.
const recorded: Record<string, { created: object; steps: Step[] }> = {
  "Entra ID": {
    created: {
      schemas: [core, enterprise],
      externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
      userName: "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1",
      active: true,
      emails: [{ primary: true, type: "work", value: "Test_User_fd0ea19b@testuser.com" }],
      meta: { resourceType: "User" },
      name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
      roles: [],
    },
    steps: [
      [
        [
          { op: "Replace", path: 'emails[type eq "work"].value', value: "updatedEmail@microsoft.com" },
          { op: "Replace", path: "name.familyName", value: "updatedFamilyName" },
        ],
        { emails: [{ value: "updatedEmail@microsoft.com" }], name: { familyName: "updatedFamilyName" } },
      ],
      [
        [{ op: "Replace", path: "userName", value: "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com" }],
        { userName: "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com" },
      ],
      [[{ op: "Replace", path: "active", value: "False" }], { active: false }],
      [[{ op: "Replace", path: "active", value: "True" }], { active: true }],
      [
        [{ op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+44 20 7946 0958" }],
        { phoneNumbers: [{ type: "mobile", value: "+44 20 7946 0958" }] },
      ],
      [
        [
          { op: "Add", path: `${enterprise}:department`, value: "Mathematics" },
          { op: "Add", path: `${enterprise}:manager`, value: "7" },
        ],
        { [enterprise]: { department: "Mathematics", manager: { value: "7" } } },
      ],
      [
        [
          {
            op: "Add",
            value: { "name.givenName": "Ada", 'emails[type eq "other"].value': "ada@testuser.com" },
          },
        ],
        {
          name: { givenName: "Ada" },
          emails: [{ type: "work" }, { type: "other", value: "ada@testuser.com" }],
        },
      ],
      [[{ op: "Remove", path: `${enterprise}:department` }], { [enterprise]: { manager: { value: "7" } } }],
    ],
  },
  Okta: {
    created: {
      schemas: [core],
      userName: "test.user@okta.local",
      name: { givenName: "Test", familyName: "User" },
      emails: [{ primary: true, value: "test.user@okta.local", type: "work" }],
      displayName: "Test User",
      locale: "en-US",
      externalId: "00ujl29u0le5T6Aj10h7",
      groups: [],
      password: "1mz050nq",
      active: true,
    },
    steps: [
      [[{ op: "replace", value: { active: false } }], { active: false }],
      [[{ op: "replace", value: { id: "1", active: true } }], { active: true }],
      [
        [{ op: "replace", value: { name: { familyName: "Another" } } }],
        { name: { givenName: "Test", familyName: "Another" } },
      ],
    ],
  },
};

describe.each(Object.entries(recorded))("what %s sends", (_, { created, steps }) => {
  it("is understood", async () => {
    const made = await directory.post("/Users", created);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    for (const [operations, expected] of steps) {
      const changed = await directory.patch(`/Users/${made.body.id}`, operations);
      expect(changed, JSON.stringify(operations)).toMatchObject({ status: 200, body: expected });
      expect((await directory.get(`/Users/${made.body.id}`)).body).toMatchObject(expected);
    }
    const put = await directory.put(`/Users/${made.body.id}`, { ...created, title: "Replaced" });
    expect(put).toMatchObject({ status: 200, body: { title: "Replaced", id: made.body.id } });
  });
});

describe("an invalid User", () => {
  const filters = [
    "",
    "userName",
    "userName eq",
    'userName eq "a',
    'nothing eq "a"',
    "active gt 1",
    `userName eq "${"a".repeat(1000)}"`,
    Array.from({ length: 33 }, () => "title pr").join(" or "),
    'meta.created gt "never"',
    'password eq "a"',
    'emails[nothing eq "a"]',
    "(".repeat(500),
  ];

  it.each(filters)("is not found by the filter %j", async (filter) => {
    const { status, body } = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { scimType: "invalidFilter" } });
  });

  const long = "a".repeat(256);
  it.each<[string, object, string]>([
    ["without schemas", { userName: "a" }, "invalidSyntax"],
    ["of an unknown schema", { schemas: ["urn:unknown"], userName: "a" }, "invalidSyntax"],
    ["without a userName", { schemas: [core] }, "invalidValue"],
    ["with an empty userName", scimUser(" "), "invalidValue"],
    ["with a long userName", scimUser(long), "invalidValue"],
    ["with a number for a name", scimUser("a", { displayName: 7 }), "invalidValue"],
    ["with a list for a name", scimUser("a", { name: ["a"] }), "invalidValue"],
    ["with a long name", scimUser("a", { name: { givenName: long } }), "invalidValue"],
    ["active perhaps", scimUser("a", { active: "perhaps" }), "invalidValue"],
    ["with one address for all", scimUser("a", { emails: "a@b.c" }), "invalidValue"],
    ["that is too large", scimUser("a", { displayName: "a".repeat(40_000) }), "invalidValue"],
    ["with a NUL", scimUser("a\0"), "invalidSyntax"],
  ])("is refused: %s", async (_, body, scimType) => {
    expect(await directory.post("/Users", body)).toMatchObject({ status: 400, body: { scimType } });
  });

  it("is not made by a PATCH", async () => {
    const { body: user } = await directory.post(
      "/Users",
      scimUser("patched@example.edu", { externalId: "patched" }),
    );
    const refused: [object[], string][] = [
      [[{ op: "replace", path: "id", value: "7" }], "mutability"],
      [[{ op: "replace", path: "nothing", value: "7" }], "invalidPath"],
      [[{ op: "remove", path: "userName" }], "invalidValue"],
      [[{ op: "replace", path: "userName", value: "" }], "invalidValue"],
      [[{ op: "move", path: "title" }], "invalidSyntax"],
      [[{ op: "replace", path: "active", value: "perhaps" }], "invalidValue"],
      [[{ op: "replace", value: "False" }], "invalidValue"],
      [[{ op: "remove" }], "noTarget"],
      [[], "invalidSyntax"],
      [
        [
          { op: "replace", path: "title", value: "Lost" },
          { op: "replace", path: "nothing", value: "7" },
        ],
        "invalidPath",
      ],
    ];
    for (const [operations, scimType] of refused)
      expect(
        await directory.patch(`/Users/${user.id}`, operations),
        JSON.stringify(operations),
      ).toMatchObject({
        status: 400,
        body: { scimType },
      });
    expect((await directory.get(`/Users/${user.id}`)).body).toEqual(user);
    const title = [{ op: "replace", path: "title", value: "New" }];
    expect((await directory.patch(`/Users/${user.id}`, title, { "if-match": 'W/"7"' })).status).toBe(412);
    expect((await directory.put(`/Users/${user.id}`, scimUser("x"), { "if-match": 'W/"7"' })).status).toBe(
      412,
    );
    expect((await directory.delete(`/Users/${user.id}`, { "if-match": 'W/"7"' })).status).toBe(412);
    expect((await directory.patch(`/Users/${user.id}`, title, { "if-match": 'W/"1"' })).status).toBe(200);
    const other = await directory.post("/Users", scimUser("other@example.edu"));
    const taken = [{ op: "replace", path: "externalId", value: "patched" }];
    expect(await directory.patch(`/Users/${other.body.id}`, taken)).toMatchObject({
      status: 409,
      body: { scimType: "uniqueness" },
    });
  });
});

describe("a directory's latest requests", () => {
  const atFirst = async () => {
    const own = (await make.university()).id;
    const admin = await make.holder("university_admin", own);
    const key = async (name: string) =>
      (
        await world.as(admin).post(`/universities/${own}/api-keys`, {
          name,
          scopes: ["scim"],
          expires_at: "2027-01-01T00:00:00Z",
        })
      ).body;
    const asked = async (query = "") => {
      await world.deps.metrics.report();
      return world.as(admin).get(`/universities/${own}/directory-requests${query}`);
    };
    return { own, admin, key, asked };
  };

  it("are listed for the university's administrators, with reasons of rejections, without sent values", async () => {
    const { own, admin, key, asked } = await atFirst();
    expect((await asked()).body).toEqual([]);
    const entra = await key("Entra ID");
    // Each one moment later.
    const began = world.deps.now().getTime();
    let moments = 0;
    const later = <Result>(ask: () => Result): Result => {
      moments += 1;
      world.setNow(new Date(began + moments));
      return ask();
    };
    const by = directoryWith(world, entra.key);
    const { body: ada } = await later(() => by.post("/Users", scimUser("ada@asked.example")));
    const email = 'emails[value eq "secret@asked.example"].value';
    await later(() => by.patch(`/Users/${ada.id}`, [{ op: "replace", path: email, value: 7 }]));
    await later(() => by.patch(`/Users/${ada.id}`, [{ op: "replace", path: "nothing", value: "x" }]));
    await later(() => by.get("/Users/Ada%20Secret"));
    await later(() => by.get(`/Users?filter=${encodeURIComponent('userName eq "secret@asked.example')}`));
    await later(() => by.post("/Users", scimUser("ada@asked.example")));
    await world.as(admin).delete(`/universities/${own}/api-keys/${entra.id}`);
    await later(() => by.get("/Groups"));
    // Unknown keys, and keys of other kinds, are invalid.
    await later(() => directoryWith(world, `lk_${entra.id}_${"A".repeat(43)}`).get("/Groups"));

    const { body: all } = await asked();
    expect(
      all.map(({ method, path, status, scim_type }: Record<string, unknown>) => [
        method,
        path,
        status,
        scim_type,
      ]),
    ).toEqual([
      ["GET", "/Groups", 401, null],
      ["POST", "/Users", 409, "uniqueness"],
      ["GET", "/Users", 400, "invalidFilter"],
      ["GET", "/Users/…", 404, null],
      ["PATCH", `/Users/${ada.id}`, 400, "invalidPath"],
      ["PATCH", `/Users/${ada.id}`, 400, expect.any(String)],
      ["POST", `/Users/${ada.id}`, 201, null],
    ]);
    expect(all.at(-1)).toMatchObject({
      api_key: { id: entra.id, name: "Entra ID" },
      user_name: "ada@asked.example",
      detail: null,
      asked_at: new Date(began + 1).toISOString(),
    });
    expect(all[1].detail).toBe("A User with this userName exists");
    expect(JSON.stringify(all)).not.toMatch(/secret/i);
    const { body: refused } = await asked("?is_refused=true");
    expect(refused).toEqual(all.slice(0, -1));
    expect((await asked("?is_refused=false")).body).toEqual(all.slice(-1));
  });

  it("include unknown paths, methods and oversized requests like other rejections, only by existing keys", async () => {
    const { key, asked } = await atFirst();
    const { id, key: text } = await key("Okta");
    const by = directoryWith(world, text);
    const large = { text: "x".repeat(1024 * 1024) };
    for (const ask of [
      by,
      directoryWith(world, `lk_${id}_${"B".repeat(43)}`),
      directoryWith(world, "lk_1_"),
    ]) {
      expect((await ask.get("")).status).toBe(404);
      await ask.get("/Persons/ada.secret");
      await ask.get("/Me?filter=secret");
      await ask.post("/Bulk", { Operations: [] });
      await ask.delete("/Users");
      await ask.post("/Users", large);
    }
    const { body } = await asked("?is_refused=true");
    const told = body.map(({ method, path, status }: Record<string, unknown>) => [method, path, status]);
    expect(told.toSorted()).toEqual([
      ["DELETE", "/Users", 405],
      ["GET", "/", 404],
      ["GET", "/Me", 404],
      ["GET", "/Persons/…", 404],
      ["POST", "/Bulk", 404],
      ["POST", "/Users", 413],
    ]);
    expect(body[0]).toMatchObject({ api_key: { id, name: "Okta" }, detail: expect.any(String) });
    expect(JSON.stringify(body)).not.toMatch(/secret/i);
  });

  it("are limited per university, for successful and rejected ones, and are deleted after 30 days", async () => {
    const { own, key, asked } = await atFirst();
    const { id } = await key("Okta");
    const { rows } = await world.deps.db.execute(sql`select key_hash from api_keys where id = ${id}`);
    const key_hash = String(rows[0]?.["key_hash"]);
    const note = (status: number, n: number) =>
      world.deps.directoryRequests.note({
        ...{ api_key: id, key_hash, key_holds: true, method: "GET", path: "/Users", status },
        ...{ at: new Date(world.deps.now().getTime() + n), request: `asked-${n}` },
        ...{ scim_type: undefined, detail: undefined },
      });
    for (const first of [0, 80]) {
      for (let n = first; n < first + 80; n += 1) note(200, n);
      note(400, 1000 + first);
      await world.deps.metrics.report();
    }
    const { body: done } = await asked("?is_refused=false&limit=200");
    expect(done).toHaveLength(maxScimRequestsPerUniversity);
    expect([done[0].request_id, done.at(-1).request_id]).toEqual(["asked-159", "asked-60"]);
    expect((await asked("?is_refused=true")).body).toHaveLength(2);
    await world.deps.db.execute(sql`
      update scim_requests set asked_at = asked_at - interval '31 days' where university_id = ${own} and status = 200`);
    expect(await pruneDirectoryRequests(world.deps, noDeadline())).toBe(maxScimRequestsPerUniversity);
    expect((await asked()).body).toHaveLength(2);
  });
});
