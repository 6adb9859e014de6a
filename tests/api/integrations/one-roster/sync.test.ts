import { serve } from "@hono/node-server";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { processImports } from "../../../../lib/integrations/imports/work.ts";
import { syncDueOneRosterSources } from "../../../../lib/integrations/one-roster/sync-sources.ts";
import { holdDeadlines } from "../../../support/held-deadlines.ts";
import { makersOf } from "../../../support/makers.ts";
import { apiKeyOf } from "../../../support/one-roster.ts";
import {
  asVersion1p1,
  type OneRosterProvider,
  type ProviderFault,
  schoolOf,
  startOneRosterProvider,
} from "../../../support/one-roster-stand-in.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";
const nextNight = "2026-03-11T06:00:00.000Z";

let provider: OneRosterProvider;
beforeAll(async () => {
  provider = await startOneRosterProvider();
});
afterAll(() => provider.close());
beforeEach(() => {
  world.setNow(moment);
  Object.assign(provider.state, { fault: undefined, asked: [], links: true });
});

const execute = async (statement: ReturnType<typeof sql>) => (await world.deps.db.execute(statement)).rows;

/** A university that imports from the stand-in, or another address. */
async function openSource(addresses: object = {}) {
  const university = await make.university();
  const holder = await make.holder("university_admin", university.id);
  const admin = world.as(holder);
  const path = `/universities/${university.id}/one-roster-sources`;
  const { service_url, token_url } = provider;
  const body = {
    name: "Records",
    client_id: "lms",
    client_secret: "a secret",
    service_url,
    token_url,
    ...addresses,
  };
  const added = await admin.post(path, body);
  expect(added.status, added.text).toBe(201);
  return {
    ...{ university, admin, path, body, added },
    /** With a new token: the clock moves. */
    read: async () => (await world.as(holder).get(path)).body[0],
    request: (mode: string) => world.as(holder).post(`${path}/${added.body.id}/sync`, { mode }),
    seats: () =>
      execute(sql`
        select status, count(*)::int as people from enrollments where university_id = ${university.id}
        group by status order by status`),
  };
}

const sync = () => syncDueOneRosterSources(world.deps);
/** All sources that are due, and then their imports. */
async function syncAndImport() {
  await sync();
  await processImports(world.deps, new AbortController().signal);
}

describe("a OneRoster source", () => {
  it("is read completely the first time, by pages, and imported by the rules of files", async () => {
    const source = await openSource();
    const tag = `first-${source.university.id}`;
    provider.state.collections = schoolOf(300, tag);
    await syncAndImport();
    expect(await source.read()).toMatchObject({
      state: "IMPORTED",
      mode: "CHANGES",
      failure: null,
      synced_at: moment,
    });
    const { import_id } = await source.read();
    const done = (await source.admin.get(`/universities/${source.university.id}/imports/${import_id}`)).body;
    // A class, and for each person an account, a role and an enrollment.
    expect(done).toMatchObject({
      format: "ONE_ROSTER",
      total: 1 + 3 * 301,
      refused: 0,
      ended_at: expect.any(String),
    });
    expect(await source.seats()).toEqual([{ status: "active", people: 300 }]);
    expect(provider.state.asked.filter((one) => one.startsWith("users"))).toHaveLength(2);
    const { authorization, form } = provider.state.token;
    expect(Buffer.from(authorization.split(" ")[1] ?? "", "base64").toString()).toBe("lms:a secret");
    expect(new URLSearchParams(form).get("scope")).toContain("/or/v1p2/scope/roster.readonly");
  });

  it("is read each night for changes, with people and enrollments that ended", async () => {
    const source = await openSource();
    const tag = `night-${source.university.id}`;
    provider.state.collections = schoolOf(6, tag);
    await syncAndImport();
    await sync();
    const { collections } = provider.state;
    const changed = { status: "tobedeleted", dateLastModified: "2026-03-10T18:00:00Z" };
    Object.assign(collections["enrollments"]?.find(({ sourcedId }) => sourcedId === "e-s3") ?? {}, changed);
    provider.state.asked = [];
    world.setNow(nextNight);
    await syncAndImport();
    const asked = provider.state.asked.map(decodeURIComponent);
    expect(asked.find((one) => one.startsWith("enrollments"))).toContain(
      "dateLastModified>='2026-03-10T11:00:00.000Z'",
    );
    expect(asked.find((one) => one.startsWith("courses"))).not.toContain("filter");
    expect(await source.seats()).toEqual([
      { status: "active", people: 5 },
      { status: "dropped", people: 1 },
    ]);
    expect(await source.read()).toMatchObject({ state: "IMPORTED", removals: 1 });
  });

  it("starts a dry run for a preview, and keeps the date of the next changes", async () => {
    const source = await openSource();
    provider.state.collections = schoolOf(2, `preview-${source.university.id}`);
    expect(await source.request("PREVIEW")).toMatchObject({ status: 202, body: { state: "REQUESTED" } });
    await syncAndImport();
    const { import_id, ...rest } = await source.read();
    expect(rest).toMatchObject({ state: "PREVIEWED", synced_at: null });
    const done = (await source.admin.get(`/universities/${source.university.id}/imports/${import_id}`)).body;
    expect(done).toMatchObject({ dry_run: true, total: 10, refused: 0 });
    expect(await source.seats()).toEqual([]);
  });

  it("awaits confirmation if it would remove more than a third", async () => {
    const source = await openSource();
    provider.state.collections = schoolOf(6, `drop-${source.university.id}`);
    await syncAndImport();
    expect(await source.request("CONFIRMED")).toMatchObject({ status: 400 });
    for (const seat of provider.state.collections["enrollments"]?.slice(1, 5) ?? [])
      seat["status"] = "tobedeleted";
    await source.request("FULL");
    await syncAndImport();
    expect(await source.read()).toMatchObject({ state: "UNCONFIRMED", removals: 4, import_id: null });
    expect(await source.seats()).toEqual([{ status: "active", people: 6 }]);
    await source.request("CONFIRMED");
    await syncAndImport();
    expect(await source.read()).toMatchObject({ state: "IMPORTED", removals: 4 });
    expect(await source.seats()).toEqual([
      { status: "active", people: 2 },
      { status: "dropped", people: 4 },
    ]);
  });

  it("is read by offsets without links, and again with a new token if one is rejected", async () => {
    const source = await openSource();
    provider.state.links = false;
    provider.state.collections = schoolOf(300, `offset-${source.university.id}`);
    await sync();
    expect(await source.read()).toMatchObject({ state: "IMPORTED", failure: null });
    expect(provider.state.asked.filter((one) => one.startsWith("users"))).toHaveLength(2);
  });

  it.each([
    ["cut page", "users ended after 250 of 301"],
    ["repeated page", "users repeats a page"],
    ["other origin", "the next page of users is at another address"],
    ["redirect", "it answered 302"],
    ["web page", "it returned a web page"],
    ["no list", "users is not a list of users"],
    ["denied", "it answered 403"],
    ["no token", "it gave no token, and answered 401"],
  ] satisfies [ProviderFault, string][])(
    "with a %s changes nothing, and says why",
    async (fault, failure) => {
      const source = await openSource();
      provider.state.collections = schoolOf(300, `fault-${source.university.id}`);
      provider.state.fault = fault;
      await syncAndImport();
      expect(await source.read()).toMatchObject({
        state: "FAILED",
        failure,
        import_id: null,
        synced_at: null,
      });
      expect(await execute(sql`select from imports where university_id = ${source.university.id}`)).toEqual(
        [],
      );
      expect(await source.seats()).toEqual([]);
    },
  );

  it("that is busy is read again at the time that it gives", async () => {
    const source = await openSource();
    provider.state.fault = "busy";
    await sync();
    expect(await source.read()).toMatchObject({ state: "FAILED", failure: "it answered 503" });
    provider.state.fault = undefined;
    provider.state.collections = schoolOf(1, `busy-${source.university.id}`);
    world.setNow("2026-03-10T12:10:00.000Z");
    await sync();
    expect(await source.read()).toMatchObject({ state: "FAILED", due_at: "2026-03-10T12:30:00.000Z" });
    world.setNow("2026-03-10T12:30:01.000Z");
    await sync();
    expect(await source.read()).toMatchObject({ state: "IMPORTED", failure: null });
  });

  /** Another provider, and a university that imports from it. */
  async function openOtherSource(version: "1.1" | "1.2") {
    const other = await startOneRosterProvider(version);
    onTestFinished(() => other.close());
    const { service_url, token_url } = other;
    return { other, source: await openSource({ service_url, token_url }) };
  }

  it("that stalls delays no other university, and is read completely", async () => {
    const slow = await openSource();
    provider.state.collections = schoolOf(300, `slow-${slow.university.id}`);
    provider.state.fault = "stalls";
    const { other, source } = await openOtherSource("1.2");
    other.state.collections = schoolOf(2, `quick-${source.university.id}`);
    const syncing = sync();
    await expect.poll(source.read).toMatchObject({ state: "IMPORTED" });
    await expect.poll(() => provider.state.resume.length).toBe(1);
    expect(await slow.read()).toMatchObject({ state: "REQUESTED", import_id: null });
    // Due while the other stalls: the next page starts it.
    await source.request("FULL");
    provider.state.fault = undefined;
    for (const resume of provider.state.resume.splice(0)) resume();
    expect(await syncing).toEqual({ sources: 3 });
    for (const one of [slow, source])
      expect(await one.read()).toMatchObject({ state: "IMPORTED", failure: null });
    await processImports(world.deps, new AbortController().signal);
    expect(await slow.seats()).toEqual([{ status: "active", people: 300 }]);
    expect(await source.seats()).toEqual([{ status: "active", people: 2 }]);
  });

  it.each(["stalls", "stalls in a page"] satisfies ProviderFault[])(
    "that %s past the deadline changes nothing, and is read completely at the next try",
    async (fault) => {
      const deadlines = holdDeadlines();
      const source = await openSource();
      provider.state.collections = schoolOf(300, `late-${source.university.id}`);
      provider.state.fault = fault;
      const syncing = sync();
      await expect.poll(() => provider.state.asked.some((one) => one.startsWith("users"))).toBe(true);
      deadlines.pass(30_000);
      await syncing;
      expect(await source.read()).toMatchObject({
        state: "FAILED",
        failure: expect.stringMatching(/^it did not answer in time$|^users ended in the middle of a page$/),
        import_id: null,
        due_at: "2026-03-10T12:05:00.000Z",
      });
      provider.state.fault = undefined;
      world.setNow("2026-03-10T12:05:01.000Z");
      await syncAndImport();
      expect(await source.read()).toMatchObject({ state: "IMPORTED", failure: null });
      expect(await source.seats()).toEqual([{ status: "active", people: 300 }]);
    },
  );

  it("that takes longer than an hour's lease allows is read again later", async () => {
    const deadlines = holdDeadlines();
    const source = await openSource();
    provider.state.fault = "stalls";
    const syncing = sync();
    await expect.poll(() => provider.state.asked.some((one) => one.startsWith("users"))).toBe(true);
    deadlines.pass(50 * 60_000);
    await syncing;
    expect(await source.read()).toMatchObject({
      state: "FAILED",
      failure: "reading it took more than 50 minutes",
      due_at: "2026-03-10T12:05:00.000Z",
    });
  });

  it("of version 1.1 is read with its scopes and fields, with the same result as version 1.2", async () => {
    const outcomes: unknown[] = [];
    for (const version of ["1.1", "1.2"] as const) {
      const { other, source } = await openOtherSource(version);
      const school = schoolOf(3, `same-${source.university.id}`);
      Object.assign(school["users"]?.at(-1) ?? {}, { enabledUser: false });
      other.state.collections = version === "1.1" ? asVersion1p1(school) : school;
      await syncAndImport();
      expect(await source.read()).toMatchObject({ state: "IMPORTED", failure: null });
      const scope = new URLSearchParams(other.state.token.form).get("scope");
      expect(scope).toContain(`/or/v${version.replace(".", "p")}/scope/roster.readonly`);
      const roles = await execute(sql`
        select role, count(*)::int as people from user_university_roles
        where university_id = ${source.university.id} group by role order by role`);
      outcomes.push({ seats: await source.seats(), roles });
    }
    const [former, latter] = outcomes;
    expect(former).toEqual(latter);
    // One of the three is disabled.
    expect(former).toMatchObject({ seats: [{ status: "active", people: 2 }] });
  });

  it("with 20 000 people loses none of them", async () => {
    const source = await openSource();
    provider.state.collections = schoolOf(20_000, `many-${source.university.id}`);
    await sync();
    const { import_id } = await source.read();
    const kinds = await execute(sql`
      select kind, count(*)::int as rows from import_rows where import_id = ${import_id} group by kind order by kind`);
    expect(kinds).toEqual([
      { kind: "enrollment", rows: 20_001 },
      { kind: "offering", rows: 1 },
      { kind: "person", rows: 20_001 },
      { kind: "role", rows: 20_001 },
    ]);
    await execute(sql`update imports set ended_at = created_at where id = ${import_id}`);
  });

  it("may be this service: one university's rosters are imported by another", async () => {
    const server = serve({ fetch: world.app.fetch, port: 0, hostname: "127.0.0.1" });
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const from = await make.university();
    const offering = await make.offering(await make.course(from.id), {
      term_id: (await make.term(from.id)).id,
    });
    const student = await make.holder("student", from.id);
    await make.enrollment(student.id, offering.id);
    const key = await apiKeyOf(world, await make.holder("university_admin", from.id), from.id, [
      "people:read",
    ]);
    const source = await openSource({
      ...{ client_id: key.slice(0, -44), client_secret: key },
      ...{
        service_url: `${origin}/ims/oneroster/rostering/v1p2`,
        token_url: `${origin}/ims/oneroster/token`,
      },
    });
    await syncAndImport();
    server.close();
    const { import_id, ...rest } = await source.read();
    expect(rest).toMatchObject({ state: "IMPORTED", failure: null });
    // The student has an account, and so receives an offer. No import appoints administrators.
    const { results } = await source.admin
      .get(`/universities/${source.university.id}/imports/${import_id}/results`)
      .then(({ body }) => ({ results: body as { file: string; outcome: string }[] }));
    expect(results.map(({ file, outcome }) => `${file} ${outcome}`)).toEqual([
      "classes.csv CREATED",
      "users.csv OFFERED",
      "users.csv OFFERED",
      "roles.csv OFFERED",
      "roles.csv REFUSED",
      "enrollments.csv OFFERED",
    ]);
  });

  it("is managed by administrators, keeps its secret, and is added once", async () => {
    const source = await openSource();
    expect(source.added.text).not.toContain("a secret");
    const [stored] = await execute(sql`
      select secret_ciphertext from one_roster_sources where university_id = ${source.university.id}`);
    expect(String(stored?.["secret_ciphertext"])).not.toContain("a secret");
    expect(await source.admin.post(source.path, source.body)).toMatchObject({
      status: 400,
      body: { detail: "The university already imports from this OneRoster service" },
    });
    const teacher = world.as(await make.holder("instructor", source.university.id));
    expect((await teacher.get(source.path)).status).toBe(403);
    const one = `${source.path}/${source.added.body.id}`;
    expect((await teacher.post(`${one}/sync`, {})).status).toBe(403);
    expect((await source.admin.delete(one)).status).toBe(204);
    expect((await source.admin.delete(one)).status).toBe(404);
    expect((await source.admin.post(`${one}/sync`, {})).status).toBe(404);
  });

  it("does not import for a person without an account", async () => {
    const source = await openSource();
    await execute(sql`
      update one_roster_sources set created_by_user_id = null where university_id = ${source.university.id}`);
    await sync();
    expect(await source.read()).toMatchObject({
      state: "FAILED",
      failure: "the person who added it has no account any more",
    });
  });
});
