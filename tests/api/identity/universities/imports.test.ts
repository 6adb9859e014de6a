import { sql } from "drizzle-orm";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  return { university, admin, path: `/universities/${university.id}/imports` };
}

const zipped = (files: Record<string, string>) =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))),
  ).toString("base64");

const oneRoster = (tag: string) => ({
  "manifest.csv": "propertyName,value\r\noneroster.version,1.2\r\n",
  "export/academicSessions.csv":
    "sourcedId,status,title,type,startDate,endDate\r\nt1,active,Spring 2026,term,2026-01-10,2026-06-30\r\n",
  "export/courses.csv": `sourcedId,status,title,courseCode\r\nco1,active,Optics,OPT-${tag}\r\n`,
  "export/classes.csv": `sourcedId,status,title,courseSourcedId,termSourcedIds\r\ncl1,active,Optics A,co1,t1\r\n`,
  "export/users.csv": [
    "sourcedId,status,enabledUser,givenName,familyName,email",
    `u1,active,true,Ada,Lovelace,ada-${tag}@example.edu`,
    `u2,active,true,Grace,Hopper,grace-${tag}@example.edu`,
    "u3,active,true,No,Address,",
  ].join("\r\n"),
  "export/roles.csv": "sourcedId,userSourcedId,role\r\nr1,u2,teacher\r\nr2,u1,systemAdministrator\r\n",
  "export/enrollments.csv": [
    "sourcedId,status,classSourcedId,userSourcedId,role",
    "e1,active,cl1,u1,student",
    "e2,active,cl1,u2,teacher",
    "e3,active,cl9,u1,student",
  ].join("\r\n"),
});

describe("POST /universities/{id}/imports", () => {
  it("accepts OneRoster files as an archive, reports each row, and changes nothing the second time", async () => {
    const { university, admin, path } = await college();
    const sent = { format: "ONE_ROSTER", zip: zipped(oneRoster(String(university.id))) };
    const tried = await admin.post(path, { ...sent, dry_run: true });
    const counts = { total: 9, done: 9, created: 6, refused: 3 };
    expect(tried).toMatchObject({ status: 201, body: { dry_run: true, ...counts } });
    const { rows: none } = await world.deps.db.execute(
      sql`select from sourced_people where university_id = ${university.id}`,
    );
    expect(none).toEqual([]);
    const done = await admin.post(path, sent);
    expect(done.body).toMatchObject({ dry_run: false, ...counts });
    const results = await admin.get(`${path}/${done.body.id}/results?outcome=refused`);
    expect(results.body).toMatchObject([
      { file: "users.csv", line: 4, reason: "email is missing", code: "row_value_missing" },
      { file: "roles.csv", line: 3, reason: "No role here corresponds to the role systemAdministrator" },
      {
        ...{ file: "enrollments.csv", line: 4, sourced_id: "u1" },
        ...{ reason: "The university has no such offering", code: "row_offering_unknown" },
      },
    ]);
    expect((await admin.post(path, sent)).body).toMatchObject({
      unchanged: 6,
      created: 0,
      updated: 0,
      refused: 3,
    });
    expect((await admin.get(path)).body).toHaveLength(3);
    expect((await admin.get(`/offerings/?university_id=${university.id}`)).body).toMatchObject([
      { term_name: "Spring 2026" },
    ]);
  });

  it("reads a term's dates as days of the university, also across a clock change", async () => {
    const { university, admin, path } = await college();
    await world.deps.db.execute(
      sql`update universities set time_zone = 'Europe/Berlin' where id = ${university.id}`,
    );
    const files = oneRoster(String(university.id));
    expect((await admin.post(path, { format: "ONE_ROSTER", zip: zipped(files) })).body.created).toBe(6);
    const { rows } = await world.deps.db.execute(sql`
      select starts_at = '2026-01-09T23:00:00Z' as starts, ends_at = '2026-06-30T21:59:59Z' as ends
      from course_offerings where university_id = ${university.id}`);
    expect(rows).toEqual([{ starts: true, ends: true }]);
    const again = await admin.post(path, { format: "ONE_ROSTER", zip: zipped(files) });
    expect(again.body).toMatchObject({ created: 0, updated: 0 });
  });

  it("rejects a class whose dates do not fit its offering, and roles that only objects have", async () => {
    const { university, path } = await college();
    const platform = world.as(await make.holder("platform_admin", university.id));
    const course = await make.course(university.id, { code: "OPT-1" });
    await make.offering(course, { term_name: "Spring 2026", starts_at: "2027-01-01T00:00:00Z" });
    const { "export/roles.csv": roles, "export/academicSessions.csv": sessions, ...others } = oneRoster("1");
    const files = {
      ...others,
      "export/academicSessions.csv": sessions.replace("2026-01-10", ""),
      "export/roles.csv": roles.replace("systemAdministrator", "constructor"),
    };
    const done = await platform.post(path, { format: "ONE_ROSTER", zip: zipped(files) });
    expect(done).toMatchObject({ status: 201, body: { total: 9, done: 9 } });
    const refused = (await platform.get(`${path}/${done.body.id}/results?outcome=refused`)).body;
    expect(refused).toMatchObject([
      { file: "classes.csv", reason: "The offering would end before it begins" },
      { file: "users.csv" },
      { file: "roles.csv", reason: "No role here corresponds to the role constructor" },
      ...[2, 3, 4].map((line) => ({ line, reason: "The university has no such offering" })),
    ]);
  });

  it("creates no person from a line with values behind the columns, and accepts semicolons", async () => {
    const { university, admin, path } = await college();
    const files = {
      "people.csv": [
        "email,full_name",
        `jane-${university.id}@example.edu,Doe, Jane`,
        `john-${university.id}@example.edu,"Doe, John"`,
      ].join("\r\n"),
    };
    const done = await admin.post(path, { format: "CSV", files });
    expect(done.body).toMatchObject({ created: 1, refused: 1 });
    expect((await admin.get(`${path}/${done.body.id}/results?outcome=refused`)).body).toMatchObject([
      {
        ...{ line: 2, email: null },
        reason: "Too many values in this line. Quote values that contain the separator",
      },
    ]);
    const people = { "people.csv": `email;full_name\r\njim-${university.id}@example.edu;Doe, Jim` };
    expect((await admin.post(path, { format: "CSV", files: people })).body).toMatchObject({
      ...{ created: 1, refused: 0 },
    });
    const { rows } = await world.deps.db.execute(
      sql`select full_name from users where email like ${`j%-${university.id}@example.edu`} order by 1`,
    );
    expect(rows).toEqual([{ full_name: "Doe, Jim" }, { full_name: "Doe, John" }]);
  });

  it("rejects a file at its first excess row, column or cell, and a stranger's before reading it", async () => {
    const { admin, path } = await college();
    const broken = { format: "CSV", files: { "people.csv": '"' } };
    expect((await world.as(await make.person()).post(path, broken)).status).toBe(403);
    expect((await admin.post(path, broken)).status).toBe(422);
    const wide = { "people.csv": `email,full_name${",x".repeat(200)}` };
    expect((await admin.post(path, { format: "CSV", files: wide })).body.detail).toMatchObject([
      { loc: ["body", "files", "people.csv"], msg: "File should have at most 200 columns" },
    ]);
    const long = { "people.csv": `email,full_name${"\na,b".repeat(20_001)}` };
    expect((await admin.post(path, { format: "CSV", files: long })).body.detail).toMatchObject([
      { msg: "File should have at most 20001 rows" },
    ]);
  });

  it("changes no name or address of a person of another university, and nothing of theirs there", async () => {
    const { university, admin, path } = await college();
    const elsewhere = await make.university();
    const person = await make.holder("platform_admin", elsewhere.id);
    const files = {
      "people.csv": `email,full_name,sourced_id\r\n${person.email},Mallory,s-1\r\n`,
      "roles.csv": "sourced_id,role\r\ns-1,platform_admin\r\n",
    };
    expect((await admin.post(path, { format: "CSV", files })).body).toMatchObject({ offered: 1, refused: 1 });
    const gone = { "people.csv": "sourced_id,email,full_name,status\r\ns-1,,,tobedeleted\r\n" };
    expect((await admin.post(path, { format: "CSV", files: gone })).body).toMatchObject({ updated: 1 });
    const { rows } = await world.deps.db.execute(sql`
      select full_name, email, is_active, token_version, (
        select json_agg(json_build_object('role', role, 'university_id', university_id))
        from user_university_roles where user_id = users.id) as roles
      from users where id = ${person.id}`);
    expect(rows).toEqual([
      {
        full_name: person.full_name,
        email: person.email,
        is_active: true,
        token_version: 0,
        roles: [{ role: "platform_admin", university_id: elsewhere.id }],
      },
    ]);
    const stranger = world.as(await make.holder("university_admin", elsewhere.id));
    expect((await stranger.get(path)).status).toBe(403);
    expect(
      (await stranger.post(`/universities/${university.id}/imports`, { format: "CSV", files })).status,
    ).toBe(403);
  });

  it("saves results as CSV in which nothing is a formula", async () => {
    const { admin, path } = await college();
    const files = { "people.csv": 'email,full_name,sourced_id\r\n,"Eve","=cmd()"\r\n' };
    const { body } = await admin.post(path, { format: "CSV", files });
    const file = await admin.get(`${path}/${body.id}/results?format=csv`);
    expect(file.headers.get("content-disposition")).toContain("results.csv");
    expect(file.text).toContain("people.csv,2,");
    const named = { "people.csv": `email,full_name,sourced_id\r\neve-${body.id}@example.edu,Eve,=cmd()\r\n` };
    const next = await admin.post(path, { format: "CSV", files: named });
    const saved = await admin.get(`${path}/${next.body.id}/results?format=csv`);
    expect(saved.text).toContain(`people.csv,2,'=cmd(),eve-${body.id}@example.edu,CREATED,`);
  });

  it("rejects invalid CSV, unknown files, missing columns, duplicate people, and archives that are too large", async () => {
    const { admin, path } = await college();
    const refused = async (body: object) =>
      (await admin.post(path, { format: "CSV", ...body })).body.detail?.[0]?.msg;
    expect(await refused({ files: { "people.csv": 'email,full_name\r\n"a' } })).toContain(
      "Not readable as CSV",
    );
    expect(await refused({ files: { "users.csv": "" } })).toContain("one of people.csv");
    expect(await refused({ files: { "people.csv": "email\r\na@example.edu" } })).toBe(
      "Column full_name is missing",
    );
    expect(await refused({ files: { "people.csv": "email,full_name\r\n" } })).toContain("No rows");
    expect(await refused({ zip: "bm8gemlw" })).toBe("Not readable as a ZIP archive");
    const bomb = zipped({ "people.csv": "a".repeat(17 * 1024 * 1024) });
    expect(await refused({ zip: bomb })).toBe("ZIP archive should have at most 16384 KiB when unpacked");
    const twice = "email,full_name\r\nsame@example.edu,A\r\nSAME@example.edu,B\r\n";
    expect(
      (await admin.post(path, { format: "CSV", dry_run: true, files: { "people.csv": twice } })).body,
    ).toMatchObject({
      created: 1,
      refused: 1,
    });
  });
});
