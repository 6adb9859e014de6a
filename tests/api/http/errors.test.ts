import type { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../functions/groups.ts";
import { createApp } from "../../../lib/http/create-app.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

describe("the shape of an error", () => {
  it("an unknown path is 404 Not Found", async () => {
    expect(await world.as().get("/nowhere")).toMatchObject({ status: 404, body: { detail: "Not Found" } });
  });

  it("a known path with another method is 405 with an Allow header", async () => {
    const reply = await world.as().patch("/users/me", {});
    expect(reply).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
    expect(reply.headers.get("allow")).toBe("DELETE, GET, HEAD, PUT");
  });

  it.each(["0", "-1", "abc", "1.5", "2147483648", "99999999999999999999"])(
    "the id %s in a path is a 422",
    async (id) => {
      const reply = await world.as().get(`/courses/${id}`);
      expect(reply.status).toBe(422);
      expect(reply.body.detail).toHaveLength(1);
      expect(reply.body.detail[0].loc).toEqual(["path", "course_id"]);
    },
  );

  it.each([
    ["skip=-1", "skip", "greater_than_equal"],
    ["skip=abc", "skip", "int_parsing"],
    ["limit=0", "limit", "greater_than_equal"],
    ["limit=1001", "limit", "less_than_equal"],
    ["university_id=", "university_id", "int_parsing"],
  ])("the query %s is a 422", async (query, field, type) => {
    const reply = await world.as().get(`/courses/?${query}`);
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toMatchObject([{ loc: ["query", field], type }]);
  });

  it("a body that is not JSON is json_invalid, an absent one and null are missing", async () => {
    const post = (body?: string) => world.as().request("POST", "/auth/login", body);
    for (const broken of ["{", "undefined", "\u0000", '{"a":1,}'])
      expect((await post(broken)).body.detail).toMatchObject([{ loc: ["body"], type: "json_invalid" }]);
    for (const absent of [undefined, "null"])
      expect((await post(absent)).body.detail).toMatchObject([{ loc: ["body"], type: "missing" }]);
  });

  it("a fault in the path and faults in the body are reported together", async () => {
    const someone = await make.person();
    const reply = await world.as(someone).put("/courses/abc", { title: 5, credit_hours: "x" });
    expect(reply.body.detail).toMatchObject([
      { loc: ["path", "course_id"], type: "int_parsing" },
      { loc: ["body", "title"], type: "string_type" },
      { loc: ["body", "credit_hours"], type: "float_type" },
    ]);
  });

  it("JSON that is nested beyond reason is a 422", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const reply = await world.as().request("POST", "/auth/login", `{"email":${deep}}`);
    expect(reply.status).toBe(422);
  });

  it("invalid UTF-8 in a path or a query is a 422", async () => {
    const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
    for (const [path, loc] of [
      ["/prompts/half%ED%A0%80/versions", ["path", "prompt_name"]],
      ["/prompts/?name=a%ED%B0%80&page=1", ["query", "name"]],
      ["/prompts/?name=a%FF", ["query", "name"]],
    ] as const)
      expect((await admin.get(path)).body.detail, path).toMatchObject([{ loc, type: "value_error" }]);
    expect((await admin.get("/prompts/?name=100%&tag=a%25")).status).toBe(200);
  });

  it("a fault is listed with its key cut, and at most a hundred are", async () => {
    const body = { ["k".repeat(5000)]: Array(1000).fill("\0") };
    const { detail } = (await world.as().post("/auth/check-email", body)).body;
    expect(detail).toHaveLength(100);
    expect(detail[99]).toMatchObject({ loc: ["body", "k".repeat(128), 99] });
  });

  it("a body over 1 MiB is a 413", async () => {
    const reply = await world.as().post("/auth/login", { email: "a".repeat(1024 * 1024), password: "x" });
    expect(reply.status).toBe(413);
  });

  it("half of a surrogate pair, which no database stores, is a 422", async () => {
    const reply = await world.as().request("POST", "/auth/login", '{"email":"\\ud800","password":"x"}');
    expect(reply.body.detail).toMatchObject([{ loc: ["body", "email"], type: "value_error" }]);
  });
});

describe("an error of the database", () => {
  /** Makes this statement run for every new domain of a code. */
  async function breakDomains(code: string, statement: string) {
    const { db } = world.deps;
    await db.execute(`
      create function ${code}() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$`);
    await db.execute(`
      create trigger ${code} before insert on domains for each row when (new.code = '${code}')
        execute function ${code}()`);
    const admin = await make.holder("platform_admin", (await make.university()).id);
    return world.as(admin).post("/domains/", { name: code, code });
  }

  it.each([
    ["22012", "divided", "perform 1 / (select 0)"],
    ["22P02", "miscast", "perform (select 'seven')::int"],
    ["22003", "overflowing", "perform (select 2147483648)::int"],
    ["22001", "too_long", "new.code := repeat('x', 10000)"],
    ["23502", "forgotten", "new.name := null"],
    ["22023", "misparameterised", "perform set_config('TimeZone', 'Atlantis', true)"],
    ["42703", "misnamed", "perform new.nothing_of_the_sort"],
    ["42P01", "missing", "perform 1 from nowhere"],
    ["P0001", "raised", "raise exception 'no name for this'"],
  ])("that only our own SQL can cause is a logged 500: %s", async (state, code, statement) => {
    const reply = await breakDomains(code, statement);
    expect(reply).toMatchObject({ status: 500, body: { detail: "Internal Server Error" } });
    expect(JSON.stringify(world.log.filter(({ message }) => message === "request failed").at(-1))).toContain(
      state,
    );
  });

  it("that a rule with a name has raised is a 400 that names it", async () => {
    const rule =
      "raise exception 'refused' using errcode = 'check_violation', constraint = 'domains_of_ours'";
    const reply = await breakDomains("refused", rule);
    expect(reply).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("domains_of_ours") },
    });
  });
});

describe("every answer", () => {
  it("carries the caller's request id when it is well-formed, and else a new one", async () => {
    const ask = (id: string) => world.as().get("/courses/", { headers: { "x-request-id": id } });
    expect((await ask("abc.DEF_123-x")).headers.get("x-request-id")).toBe("abc.DEF_123-x");
    for (const bad of ["short", "has space in it", "a".repeat(129)])
      expect((await ask(bad)).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is the same with and without a trailing slash", async () => {
    const someone = await make.person();
    for (const path of ["/courses", "/courses/", "/users/me", "/users/me/"])
      expect((await world.as(someone).get(path)).status, path).toBe(200);
  });

  it("leaves one log line with the contract's fields and nothing else", async () => {
    world.log.length = 0;
    const someone = await make.person();
    world.log.length = 0;
    await world.as(someone).get("/users/me", { headers: { "x-request-id": "log-line-test" } });
    expect(world.log).toEqual([
      {
        level: "INFO",
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        request_id: "log-line-test",
        method: "GET",
        path: "/api/v1/users/me",
        status_code: 200,
        duration_ms: expect.any(Number),
        db_query_count: 1,
        db_query_time_ms: expect.any(Number),
      },
    ]);
  });

  it("names the allowed origin, and only that", async () => {
    const ask = (origin: string) => world.as().get("/courses/", { headers: { origin } });
    expect((await ask("https://learn.example.edu")).headers.get("access-control-allow-origin")).toBe(
      "https://learn.example.edu",
    );
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
  });

  it("lets only a listed origin's page send credentials, and lists only methods of operations", async () => {
    const preflight = (origin: string) =>
      world.app.request("/api/v1/courses/", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "PATCH" },
      });
    const get = (origin: string) => world.app.request("/api/v1/courses/", { headers: { origin } });
    for (const ask of [preflight, get]) {
      const credentials = async (origin: string) =>
        (await ask(origin)).headers.get("access-control-allow-credentials");
      expect(await credentials("https://learn.example.edu")).toBe("true");
      expect(await credentials("https://evil.example")).toBeNull();
    }
    const allowed = (await preflight("https://learn.example.edu")).headers.get(
      "access-control-allow-methods",
    );
    const methods = allEndpointGroups.flatMap(({ endpoints }) =>
      endpoints.map(({ contract }) => contract.method.toUpperCase()),
    );
    expect(new Set(allowed?.split(","))).toEqual(new Set(methods));
  });

  it("allows pages of this machine in development alone", async () => {
    const allowedOn = async (app: Hono, origin: string) =>
      (await app.request("/api/v1/courses/", { headers: { origin } })).headers.get(
        "access-control-allow-origin",
      );
    const inProduction = createApp(
      { ...world.deps, config: { ...world.deps.config, ENVIRONMENT: "production" } },
      allEndpointGroups,
    ) as unknown as Hono;
    const ofThisMachine = [
      ...["http://localhost:5173", "https://localhost:5173", "http://northgate.localhost:3000"],
      ...["http://127.0.0.1", "http://[::1]:3001"],
    ];
    for (const origin of ofThisMachine) {
      expect(await allowedOn(world.app, origin)).toBe(origin);
      expect(await allowedOn(inProduction, origin)).toBeNull();
    }
    for (const origin of [
      "http://localhost.evil.example",
      "http://evillocalhost",
      "http://localhost:1.evil.example",
    ])
      expect(await allowedOn(world.app, origin)).toBeNull();
  });
});
