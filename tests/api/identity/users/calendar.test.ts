import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let me: Client;
let personId: number;
let quizId: number;
let offeringId: number;

beforeAll(async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const { module, university, offering, item } = await make.topic();
  const person = await make.person();
  [me, personId, offeringId] = [world.as(person), person.id, offering.id];
  await make.enrollment(person.id, offering.id);
  const quiz = await make.contentItem(module, university.id, {
    type: "quiz",
    title: "Midterm\r\nATTENDEE:mailto:eve@example.edu; <b>, \\",
    available_from: "2026-03-19T08:00:00.000Z",
    due_at: "2026-03-20T08:00:00.000Z",
  });
  quizId = quiz.id;
  await make.contentItem(module, university.id, { title: "Far off", due_at: "2030-01-01T00:00:00.000Z" });
  await world.deps.db.execute(sql`
    update course_offerings set starts_at = '2026-03-01T08:00:00Z', ends_at = '2026-06-01T08:00:00Z' where id = ${offering.id}`);
  await world.deps.db.execute(
    sql`update content_items set due_at = '2026-03-12T08:00:00Z' where id = ${item.id}`,
  );
});

/** A new calendar's path and content. */
async function newAddress() {
  const made = await me.post("/users/me/calendar");
  expect(made.status).toBe(201);
  return new URL(made.body.url).pathname.replace("/api/v1", "");
}
const readAs = (path: string) => world.as().get(path);
/** Unfolds long lines. */
const linesOf = (text: string) => text.replaceAll(/\r\n[ \t]/g, "").split("\r\n");

describe("a calendar's address", () => {
  it("shows due dates, quiz windows and the offering's dates, each as text, and nothing far off", async () => {
    const reply = await readAs(await newAddress());
    expect(reply.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    expect(reply.headers.get("cache-control")).toBe("private, max-age=900");
    const lines = linesOf(reply.text);
    expect(lines.filter((line) => line.startsWith("DTSTART"))).toEqual([
      "DTSTART:20260301T080000Z",
      "DTSTART:20260312T080000Z",
      "DTSTART:20260319T080000Z",
      "DTSTART:20260601T080000Z",
    ]);
    expect(lines).toContain(`UID:item-${offeringId}-${quizId}@learning-platform`);
    expect(lines).toContain("DTEND:20260320T080000Z");
    expect(lines.filter((line) => line.startsWith("ATTENDEE"))).toEqual([]);
    expect(lines.find((line) => line.includes("Midterm"))).toContain(
      "\\nATTENDEE:mailto:eve@example.edu\\; <b>\\, \\\\",
    );
  });

  it("shows the offering's dates instead of its course's", async () => {
    await world.deps.db.execute(sql`
      insert into offering_dates (course_id, course_offering_id, content_item_id, available_from, due_at)
      select course_id, id, ${quizId}, '2026-03-21T08:00:00Z', '2026-03-22T08:00:00Z'
      from course_offerings where id = ${offeringId}`);
    const { text } = await readAs(await newAddress());
    expect(text).toContain("DTSTART:20260321T080000Z\r\nDTEND:20260322T080000Z");
  });

  it("shows the date that the person was granted", async () => {
    await world.deps.db.execute(sql`
      insert into quiz_overrides (user_id, course_offering_id, content_item_id, due_at)
      values (${personId}, ${offeringId}, ${quizId}, '2026-03-25T08:00:00Z')`);
    expect((await readAs(await newAddress())).text).toContain("DTEND:20260325T080000Z");
  });

  it("is void after a new one, a revocation, or the person's deactivation", async () => {
    const [former, path] = [await newAddress(), await newAddress()];
    expect([(await readAs(former)).status, (await readAs(path)).status]).toEqual([404, 200]);
    expect((await me.get("/users/me/calendar")).body).toEqual({ created_at: "2026-03-10T12:00:00.000Z" });
    const activate = (on: boolean) =>
      world.deps.db.execute(sql`update users set is_active = ${on} where id = ${personId}`);
    await activate(false);
    expect((await readAs(path)).status).toBe(404);
    await activate(true);
    expect((await me.delete("/users/me/calendar")).status).toBe(204);
    expect((await readAs(path)).status).toBe(404);
    expect((await me.get("/users/me/calendar")).body).toEqual({ created_at: null });
  });

  it("is void once all tokens of the person are revoked: an intruder may know it", async () => {
    const person = await make.person();
    const address = new URL((await world.as(person).post("/users/me/calendar")).body.url);
    await world.as(person).post("/auth/logout-everywhere");
    expect((await readAs(address.pathname.replace("/api/v1", ""))).status).toBe(404);
  });

  it("is stored nowhere: not in the database, nor in the log", async () => {
    const path = await newAddress();
    await readAs(path);
    await readAs(`${path}/more`);
    const secret = path.split("/").at(-2) ?? "";
    expect(secret).toHaveLength(43);
    const { rows } = await world.deps.db.execute(sql`select one::text from calendar_addresses as one`);
    expect(JSON.stringify([rows, world.log])).not.toContain(secret);
    expect(world.log.map((line) => line["path"])).toContain("/api/v1/users/calendars/[hidden]/dates.ics");
  });
});
