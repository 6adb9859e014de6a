import { sql } from "drizzle-orm";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function college() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const path = `/universities/${university.id}/imports`;
  return {
    university,
    admin,
    start: (body: object) => admin.post(path, body),
    results: async (id: number) => (await admin.get(`${path}/${id}/results`)).body,
    names: async () => {
      const { rows } = await world.deps.db.execute(sql`
        select users.full_name from university_members as member join users on users.id = member.user_id
        where member.university_id = ${university.id} and users.email like '%@campus.example' order by 1`);
      return rows.map((row) => row["full_name"]);
    },
  };
}

const zipped = (files: Record<string, Uint8Array>) => Buffer.from(zipSync(files)).toString("base64");
const western = (text: string) => Buffer.from(text.replaceAll("€", "\x80").replaceAll("’", "\x92"), "latin1");
const base64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString("base64") });

/** The same text as each program would save it. */
const saved: Record<string, (text: string) => Uint8Array> = {
  "utf-8": (text) => Buffer.from(text),
  "windows-1252": western,
  "utf-16le": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "utf-16be": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
};

describe("a roster", () => {
  it.each(Object.keys(saved))(
    "in %s gives the same names as bytes, in an archive and as OneRoster",
    async (encoding) => {
      const { university, start, names } = await college();
      const written = saved[encoding] ?? Buffer.from;
      const tag = `${encoding}-${university.id}`;
      const people = written(`email,full_name\r\nzoe-${tag}@campus.example,Zoë d’Müller €\r\n`);
      const read_as = [{ file: "people.csv", encoding }];
      const first = await start({ format: "CSV", files: { "people.csv": base64(people) } });
      expect(first.body).toMatchObject({ created: 1, read_as, ignored: [] });
      expect((await start({ format: "CSV", zip: zipped({ "People.CSV": people }) })).body).toMatchObject({
        unchanged: 1,
        read_as,
      });
      const users = written(
        `sourcedId,givenName,familyName,email\r\nu1,Zoë,d’Müller €,zoe-${tag}@campus.example\r\n`,
      );
      await start({ format: "ONE_ROSTER", zip: zipped({ "users.csv": users }) });
      expect(await names()).toEqual(["Zoë d’Müller €"]);
    },
  );

  it("in the encoding that OneRoster's manifest states is read in it", async () => {
    const { start, names } = await college();
    const files = {
      "manifest.csv": Buffer.from(
        "propertyName,value\r\noneroster.version,1.2\r\nfile.encoding,ISO-8859-2\r\n",
      ),
      "users.csv": Buffer.from(
        "sourcedId,givenName,familyName,email\r\nu1,\xa3ukasz,Wi\xb6niewski,lukasz@campus.example\r\n",
        "latin1",
      ),
    };
    const { body } = await start({ format: "ONE_ROSTER", zip: zipped(files) });
    expect(body).toMatchObject({ created: 1, read_as: [{ file: "users.csv", encoding: "iso-8859-2" }] });
    expect(await names()).toEqual(["Łukasz Wiśniewski"]);
  });

  it("that is broken or cut names its file and line, and imports nothing", async () => {
    const { start, names } = await college();
    const broken = {
      "Line 2 is not valid utf-8": Buffer.from(
        "\xef\xbb\xbfemail,full_name\r\na@campus.example,Zo\xeb\r\n",
        "latin1",
      ),
      "ends within a character in line 3": Buffer.from(
        "email,full_name\na@campus.example,Zoë\nb@campus.example,Zoë",
      ).subarray(0, -1),
      "Quote Not Closed": Buffer.from('email,full_name\na@campus.example,"Zoë\n'),
      "line 2": Buffer.from('email,full_name\na@campus.example,"Zoë"x\n'),
    };
    for (const [fault, bytes] of Object.entries(broken)) {
      const { status, body } = await start({ format: "CSV", files: { "people.csv": base64(bytes) } });
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([
        { loc: ["body", "files", "people.csv"], msg: expect.stringContaining(fault) },
      ]);
    }
    const twice = zipped({ "a/people.csv": Buffer.from("email"), "b/people.csv": Buffer.from("email") });
    expect((await start({ format: "CSV", zip: twice })).body.detail[0].msg).toMatch(
      "two files named people.csv",
    );
    expect(await names()).toEqual([]);
  });

  it("rejects lines with a lost character, and imports the others", async () => {
    const { start, results, names } = await college();
    const people = "email,full_name\na@campus.example,Zo\ufffd\nb@campus.example,Zoë\n";
    const { body } = await start({ format: "CSV", files: { "people.csv": people } });
    expect(body).toMatchObject({ created: 1, refused: 1 });
    expect((await results(body.id))[0]).toMatchObject({
      file: "people.csv",
      line: 2,
      code: "row_character_lost",
    });
    expect(await names()).toEqual(["Zoë"]);
  });

  it("may have its columns in the languages of the application, and reports the others", async () => {
    const { start, names } = await college();
    const roster = (text: string) => start({ format: "CSV", files: { "people.csv": text } });
    const german = await roster(
      'sep=;\nE-Mail-Adresse; Vorname;NACHNAME;Telefon\ng@campus.example; "Grace";Hopper;12\n',
    );
    const spanish = await roster("Correo electrónico,Nombre,Apellidos\na@campus.example,Ada,Lovelace\n");
    expect(german.body).toMatchObject({
      created: 1,
      ignored: [{ file: "people.csv", column: "Telefon", rows: 1 }],
    });
    expect(spanish.body).toMatchObject({ created: 1, ignored: [] });
    expect(await names()).toEqual(["Ada Lovelace", "Grace Hopper"]);
  });
});

const csv = (...lines: string[]) => Buffer.from(lines.join("\r\n"));

const sessions = csv(
  "sourcedId,title,type,startDate,endDate",
  "fall,Fall 2026,term,2026-09-01,2026-12-20",
  "spring,Spring 2027,term,2027-01-10,2027-06-30",
);

describe("OneRoster", () => {
  it("a class over several terms lasts from the earliest start to the latest end, in any order", async () => {
    for (const terms of ['"fall,spring"', '"spring, fall"']) {
      const { university, admin, start } = await college();
      const files = {
        "academicSessions.csv": sessions,
        "courses.csv": csv("sourcedId,title,courseCode", "co1,Optics,OPT"),
        "classes.csv": csv("sourcedId,courseSourcedId,termSourcedIds", `cl1,co1,${terms}`),
      };
      expect((await start({ format: "ONE_ROSTER", zip: zipped(files) })).body).toMatchObject({ created: 1 });
      expect((await admin.get(`/offerings/?university_id=${university.id}`)).body).toMatchObject([
        {
          term_name: "Fall 2026 – Spring 2027",
          starts_at: expect.stringMatching("^2026-0(8-31|9-01)"),
          ends_at: expect.stringMatching("^2027-(06-30|07-01)"),
        },
      ]);
    }
  });

  it("a class with a term that the file lacks is rejected if others are there", async () => {
    const { start, results } = await college();
    const files = {
      "academicSessions.csv": sessions,
      "courses.csv": csv("sourcedId,title,courseCode", "co1,Optics,OPT"),
      "classes.csv": csv("sourcedId,courseSourcedId,termSourcedIds", 'cl1,co1,"fall,summer"'),
    };
    const { body } = await start({ format: "ONE_ROSTER", zip: zipped(files) });
    expect(await results(body.id)).toMatchObject([
      {
        file: "classes.csv",
        line: 2,
        code: "row_term_not_in_file",
        reason: expect.stringContaining("summer"),
      },
    ]);
  });

  it("a delta file finds the courses of its classes by earlier imports", async () => {
    const { university, admin, start, results } = await college();
    const whole = {
      "academicSessions.csv": sessions,
      "courses.csv": csv("sourcedId,title,courseCode", "co1,Optics,OPT"),
      "classes.csv": csv("sourcedId,courseSourcedId,termSourcedIds", "cl1,co1,fall"),
    };
    await start({ format: "ONE_ROSTER", zip: zipped(whole) });
    const delta = {
      "academicSessions.csv": sessions,
      "classes.csv": csv(
        "sourcedId,courseSourcedId,termSourcedIds",
        'cl1,co1,"fall,spring"',
        "cl2,co1,spring",
        "cl3,co9,spring",
      ),
      "orgs.csv": csv("sourcedId,name", "o1,Campus"),
      "enrollments.csv": csv("classSourcedId,userSourcedId,role,beginDate", "cl1,u1,student,2026-09-02"),
    };
    const { body } = await start({ format: "ONE_ROSTER", zip: zipped(delta) });
    expect(body).toMatchObject({
      created: 1,
      updated: 1,
      ignored: [
        { file: "academicSessions.csv", column: "type", rows: 2 },
        { file: "enrollments.csv", column: "beginDate", rows: 1 },
        { file: "orgs.csv", column: null, rows: null },
      ],
    });
    expect((await results(body.id))[2]).toMatchObject({ line: 4, code: "row_course_not_in_file" });
    const offerings = (await admin.get(`/offerings/?university_id=${university.id}`)).body;
    expect(new Set(offerings.map(({ course_id }: { course_id: number }) => course_id)).size).toBe(1);
    expect(offerings.map(({ term_name }: { term_name: string }) => term_name).sort()).toEqual([
      "Fall 2026 – Spring 2027",
      "Spring 2027",
    ]);
  });
});
