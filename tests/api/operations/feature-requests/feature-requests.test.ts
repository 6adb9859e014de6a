import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { users } from "../../../../schema/db/identity/users.ts";
import { featureRequests } from "../../../../schema/db/operations/feature-requests.ts";
import { featureRequestStatuses } from "../../../../schema/enums.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const wish = { title: "Dark mode", description: "For those who study at night." };

async function instructor() {
  const { id } = await make.university();
  return world.as(await make.holder("instructor", id));
}

describe("asking for a feature", () => {
  it("answers the pending request", async () => {
    const answer = await world.as(await make.person()).post("/feature-requests/", wish);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ ...wish, status: "pending", admin_notes: null });
  });

  it("needs a token", async () => {
    expect((await world.as().post("/feature-requests/", wish)).status).toBe(401);
  });

  it.each([
    ["a blank title", { title: "  " }, ["body", "title"]],
    ["a title over 255 characters", { title: "t".repeat(256) }, ["body", "title"]],
    ["no description", { description: undefined }, ["body", "description"]],
    ["a description over 32 000 characters", { description: "d".repeat(32_001) }, ["body", "description"]],
  ])("refuses %s", async (_, change, loc) => {
    const answer = await world.as(await make.person()).post("/feature-requests/", { ...wish, ...change });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ loc }]);
  });

  it("counts a description's length in characters, not in UTF-16 units", async () => {
    const description = "🦉".repeat(32_000);
    const answer = await world.as(await make.person()).post("/feature-requests/", { ...wish, description });
    expect(answer.status).toBe(201);
  });
});

describe("the caller's requests", () => {
  it("are listed newest first, page by page, with their number", async () => {
    const me = world.as(await make.person());
    await world.as(await make.person()).post("/feature-requests/", wish);
    for (const title of ["first", "second", "third"]) await me.post("/feature-requests/", { ...wish, title });
    const titles = async (query: string) => {
      const { data, total } = (await me.get(`/feature-requests/${query}`)).body;
      return [total, ...data.map((request: { title: string }) => request.title)];
    };
    expect(await titles("")).toEqual([3, "third", "second", "first"]);
    expect(await titles("?skip=1&limit=1")).toEqual([3, "second"]);
    expect(await titles("?skip=9")).toEqual([3]);
  });

  it("are an empty page for a user without any", async () => {
    const answer = await world.as(await make.person()).get("/feature-requests/");
    expect(answer.body).toEqual({ data: [], total: 0 });
  });

  it.each(["limit=101", "limit=0", "skip=-1"])("reject ?%s", async (query) => {
    expect((await world.as(await make.person()).get(`/feature-requests/?${query}`)).status).toBe(422);
  });
});

describe("all requests", () => {
  it("show the author to callers who may see the person, and filter by status", async () => {
    const { id: university_id } = await make.university();
    const person = await make.holder("student", university_id);
    const { id } = (await world.as(person).post("/feature-requests/", wish)).body;
    const staff = world.as(await make.holder("instructor", university_id));
    await staff.patch(`/feature-requests/${id}`, { status: "planned" });
    const planned = async (caller: typeof staff) =>
      (await caller.get("/feature-requests/all?status=PLANNED")).body;
    const named = { user_email: person.email, user_name: person.full_name };
    const platform = world.as(await make.holder("platform_admin", (await make.university()).id));
    for (const caller of [staff, platform])
      expect(await planned(caller)).toMatchObject({ total: 1, data: [{ id, ...named }] });
    const nobody = { user_email: null, user_name: null };
    expect(await planned(await instructor())).toMatchObject({ total: 1, data: [{ id, ...nobody }] });
    expect((await staff.get("/feature-requests/all?status=declined")).body).toEqual({ data: [], total: 0 });
  });

  it("show people their own name among them, without any right to see others", async () => {
    const person = await make.holder("instructor", (await make.university()).id);
    await world.as(person).post("/feature-requests/", wish);
    const { data } = (await world.as(person).get("/feature-requests/all")).body;
    expect(data[0]).toMatchObject({ user_email: person.email, user_name: person.full_name });
  });

  it("keep their number by status while people ask and staff answer at the same moment, and people leave", async () => {
    const staff = await instructor();
    const people = await Promise.all(Array.from({ length: 8 }, () => make.person()));
    await Promise.all(
      people.map(async (person) => {
        const { id } = (await world.as(person).post("/feature-requests/", wish)).body;
        for (const status of ["planned", "pending", "completed"])
          await staff.patch(`/feature-requests/${id}`, { status });
      }),
    );
    await world.deps.db.delete(users).where(eq(users.id, people[0]?.id ?? 0));
    const { db } = world.deps;
    const totals = [];
    for (const status of featureRequestStatuses) {
      const counted = await db.$count(featureRequests, eq(featureRequests.status, status));
      totals.push(counted);
      expect((await staff.get(`/feature-requests/all?status=${status}`)).body.total, status).toBe(counted);
    }
    const everything = (await staff.get("/feature-requests/all")).body.total;
    expect(everything).toBe(totals.reduce((sum, one) => sum + one, 0));
  });

  it("are a 403 for teaching assistants, and a 401 without a token", async () => {
    const { id } = await make.university();
    const assistant = world.as(await make.holder("ta", id));
    const refused = await assistant.get("/feature-requests/all");
    expect([refused.status, refused.body.detail]).toEqual([403, "Not enough permissions"]);
    expect((await world.as().get("/feature-requests/all")).status).toBe(401);
  });

  it("reject an unknown status", async () => {
    expect((await (await instructor()).get("/feature-requests/all?status=lost")).status).toBe(422);
  });
});

describe("working on a request", () => {
  const asked = async () => (await world.as(await make.person()).post("/feature-requests/", wish)).body;

  it("changes between all statuses, ignoring case", async () => {
    const staff = await instructor();
    const { id } = await asked();
    const order = [...featureRequestStatuses, ...featureRequestStatuses.toReversed()];
    for (const status of order) {
      const answer = await staff.patch(`/feature-requests/${id}`, { status: status.toUpperCase() });
      expect([answer.status, answer.body.status]).toEqual([200, status]);
    }
  });

  it("sets and clears the notes, and keeps absent fields", async () => {
    const staff = await instructor();
    const { id } = await asked();
    const patch = async (change: object) => (await staff.patch(`/feature-requests/${id}`, change)).body;
    expect(await patch({ admin_notes: "soon" })).toMatchObject({ admin_notes: "soon", status: "pending" });
    const planned = await patch({ status: "planned" });
    expect(planned).toMatchObject({ admin_notes: "soon", status: "planned" });
    expect(await patch({})).toEqual(planned);
    expect(await patch({ admin_notes: null })).toMatchObject({ admin_notes: null, status: "planned" });
  });

  it("is for instructors and above, also for their own request", async () => {
    const me = world.as(await make.person());
    const { id } = (await me.post("/feature-requests/", wish)).body;
    expect((await me.patch(`/feature-requests/${id}`, { status: "planned" })).status).toBe(403);
  });

  it("rejects an unknown status, no status, and an unknown request", async () => {
    const staff = await instructor();
    const { id } = await asked();
    expect((await staff.patch(`/feature-requests/${id}`, { status: "lost" })).status).toBe(422);
    expect((await staff.patch(`/feature-requests/${id}`, { status: null })).status).toBe(422);
    const missing = await staff.patch("/feature-requests/2147483647", { status: "planned" });
    expect([missing.status, missing.body.detail]).toEqual([404, "Feature request not found"]);
  });
});
