import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { eraseConversationsOfErasedAccounts } from "../../../../lib/operations/personal-data/erase-leftovers.ts";
import { liveALife } from "../../../support/life.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { reportSums } from "../../../support/report-sums.ts";
import { tablesWith } from "../../../support/tables-with.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({ LOGIN_MAX_FAILURES: "10" });
const make = makersOf(world);
const mailbox = mailboxOf(world);

/** The university's records remain with their text: graded answers, reasons for grade changes, its own id. */
const record = ["erased_identifiers", "grade_changes", "quiz_attempts"];

/** Tables whose rows reference the number of an erased account. */
const numbered = [
  ...["activity_days", "activity_events", "course_grades", "course_reviews", "course_trees", "enrollments"],
  "enrollment_progress",
  ...[
    "erased_identifiers",
    "grade_changes",
    "item_grades",
    "lab_submissions",
    "quiz_attempts",
    "stale_trees",
  ],
  ...["user_content_progress", "user_module_progress"],
];

/** The scheduled part of an erasure. */
const sweep = () => eraseConversationsOfErasedAccounts(world.deps, new AbortController().signal);

const erase = (life: Awaited<ReturnType<typeof liveALife>>, more: object = {}) =>
  life.as("DELETE", "/users/me", { password: life.password, ...more });

describe("DELETE /users/me", () => {
  it("leaves no word, name or address of the person anywhere in the database but in the record of examinations", async () => {
    const words = "of a zebra in pyjamas";
    const life = await liveALife(world, words);
    expect((await tablesWith(world, words)).length).toBeGreaterThan(14);
    expect(await tablesWith(world, life.email)).not.toEqual([]);
    expect((await erase(life)).status).toBe(204);
    await mailbox.send();
    const spoken = ["cache_nodes", "chat_messages", "generations"];
    const left = (await tablesWith(world, words)).map(({ where }) => where);
    expect(left.filter((where) => !spoken.includes(where))).toEqual(record);
    await sweep();
    expect((await tablesWith(world, words)).map(({ where }) => where)).toEqual(record);
    expect(await tablesWith(world, life.email)).toEqual([]);
  });

  it("leaves the person's number only in rows of the record and of report counts", async () => {
    const life = await liveALife(world, "of number");
    expect((await erase(life)).status).toBe(204);
    await sweep();
    await world.deps.db.execute(sql`delete from erasures where user_id = ${life.id}`);
    const { rows: columns } = await world.deps.db.execute(sql`
      select table_name as "table", column_name as "column" from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'integer'
        and (column_name like '%user_id' or column_name in ('actor_id', 'subject_id') and table_name = 'audit_events'
             or column_name ~ '(created|changed|updated|edited)_by$')`);
    expect(columns.length).toBeGreaterThan(20);
    for (const { table, column } of columns as { table: string; column: string }[]) {
      if (column === "user_id" && numbered.includes(table)) continue;
      const { rows } = await world.deps.db.execute(
        sql`select from ${sql.identifier(table)} where ${sql.identifier(column)} = ${life.id}`,
      );
      expect(rows, `${table}.${column}`).toEqual([]);
    }
  });

  it("leaves the sums of every report as they were", async () => {
    const life = await liveALife(world, "of sums");
    const before = await reportSums(world);
    expect(before.community).not.toEqual({});
    expect((await erase(life)).status).toBe(204);
    expect(await reportSums(world)).toEqual(before);
    await sweep();
    expect(await reportSums(world)).toEqual(before);
  });

  it("ends the tokens, frees the address, and gives the place to the next in line", async () => {
    const life = await liveALife(world, "of places");
    await world.deps.db.execute(sql`update course_offerings set capacity = 1 where id = ${life.offering.id}`);
    const next = world.as(await make.person());
    const waiting = await next.post("/enrollments/", { course_offering_id: life.offering.id });
    expect(waiting.body.status).toBe("WAITLISTED");
    expect((await erase(life)).status).toBe(204);
    expect((await next.get(`/enrollments/${waiting.body.id}`)).body.status).toBe("ACTIVE");
    expect((await life.as("GET", "/users/me")).status).toBe(401);
    const free = await world.as().post("/auth/check-email", { email: life.email });
    expect(free.body).toEqual({ available: true });
  });

  it("keeps other people's posts, and the position of a post in its thread", async () => {
    const words = "of everyone";
    const life = await liveALife(world, words);
    const other = world.as(await make.person());
    const session = (await other.post("/chat/sessions", { content_item_id: life.item.id })).body.id;
    await other.post(`/chat/sessions/${session}/greeting`);
    const same = JSON.stringify({ questionId: "q1", answer: `Node ${words}` });
    await other.post(`/chat/sessions/${session}/messages`, { content: same });
    expect((await erase(life)).status).toBe(204);
    await sweep();
    const left = (await tablesWith(world, words)).map(({ where }) => where);
    // Answers for the class also remain in `generations`, for ten minutes.
    const ofOthers = left.filter((where) => where !== "generations" && !record.includes(where));
    expect(ofOthers).toEqual(["cache_nodes", "chat_messages"]);
    const { rows } = await world.deps.db.execute(sql`
      select body, is_deleted, user_id from discussion_posts
      join discussion_threads as thread on thread.id = thread_id where course_offering_id = ${life.offering.id}`);
    // One of the two began with the handed-off messages, which are gone.
    const gone = { body: "", is_deleted: true, user_id: null };
    expect(rows).toEqual([gone, gone]);
  });

  it("keeps certificates if the person chooses so, and deletes them otherwise", async () => {
    const codeOf = async (life: Awaited<ReturnType<typeof liveALife>>) =>
      (await life.as("GET", "/assessments/certificates/mine")).body[0].certificate_code;
    const verify = (code: string) => world.as().get(`/assessments/certificates/verify/${code}`);
    const [goes, stays] = [await liveALife(world, "that goes"), await liveALife(world, "that stays")];
    const [codeThatGoes, codeThatStays] = [await codeOf(goes), await codeOf(stays)];
    await erase(goes);
    await erase(stays, { keep_certificates: true });
    expect((await verify(codeThatGoes)).status).toBe(404);
    expect((await verify(codeThatStays)).body).toMatchObject({
      state: "VALID",
      printed_name: "Name that stays",
    });
    const { rows } = await world.deps.db.execute(
      sql`select user_id, metadata_json from certificates where course_offering_id = ${stays.offering.id}`,
    );
    expect(rows).toEqual([{ user_id: null, metadata_json: null }]);
  });

  it("takes the password, and of a person without one a fresh sign-in", async () => {
    const life = await liveALife(world, "of care");
    expect((await life.as("DELETE", "/users/me", {})).status).toBe(422);
    expect(await erase(life, { password: "guess" })).toMatchObject({ status: 400 });
    expect((await life.as("GET", "/users/me")).status).toBe(200);

    const person = await make.person();
    const now = Math.floor(world.deps.now().getTime() / 1000);
    const signedIn = async (signed_in_at?: number) => {
      const { access_token } = await world.deps.tokens.issue({ id: person.id, signed_in_at });
      const headers = { authorization: `Bearer ${access_token}` };
      return (await world.as().request("DELETE", "/users/me", {}, { headers })).status;
    };
    expect(await signedIn()).toBe(403);
    expect(await signedIn(now - 601)).toBe(403);
    expect(await signedIn(now - 600)).toBe(204);
  });

  it("happens once for two concurrent requests", async () => {
    const life = await liveALife(world, "of two");
    const replies = await Promise.all([erase(life), erase(life), erase(life)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 401, 401]);
  });
});
