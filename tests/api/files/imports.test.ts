import { sql } from "drizzle-orm";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { fileStoreUnreachableError } from "../../../lib/platform/file-store/file-store.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const faultsOf = ({ body }: { body: { detail: { loc: unknown[]; msg: string }[] } }) =>
  body.detail.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`);

async function office() {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  return {
    university,
    admin,
    send: async (name: string, bytes: string | Uint8Array, client = admin, scope = {}) => {
      const fields = { purpose: "IMPORT", university_id: university.id, name, ...scope };
      const { body } = await sendFile(world.deps, client, fields, Buffer.from(bytes));
      return body.id as number;
    },
    start: (file_id: number, more: object = {}) =>
      admin.post(`/universities/${university.id}/imports`, { format: "CSV", file_id, ...more }),
  };
}

type Office = Awaited<ReturnType<typeof office>>;

const people = (name: string) => `email,full_name\r\n${name}@campus.example.edu,Ada Lovelace\r\n`;
const archive = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

/** Files that this university's import may not read, each for one reason. */
async function misplaced({ university, send }: Office) {
  const [colleague, elsewhere, course] = [
    (await make.holder("university_admin", university.id)).id,
    (await make.university()).id,
    (await make.course(university.id)).id,
  ];
  const changes = {
    "of a colleague's": sql`uploaded_by_user_id = ${colleague}`,
    "of another university": sql`university_id = ${elsewhere}`,
    "of a course": sql`course_id = ${course}`,
    "of another purpose": sql`purpose = 'asset'`,
    "not looked at yet": sql`state = 'checking'`,
    refused: sql`state = 'refused', refusal = 'Found', object_id = null`,
    erased: sql`erased_at = now(), object_id = null`,
  };
  const ids: Record<string, number> = { "not there": 999_999_999 };
  for (const [what, change] of Object.entries(changes)) {
    const id = await send("people.csv", people("a"));
    ids[what] = id;
    await world.deps.db.execute(sql`update files set ${change} where id = ${id}`);
  }
  return ids;
}

describe("an import of people", () => {
  it("takes an archive that was sent before, or one file by its name, as it takes them in the request", async () => {
    const { send, start } = await office();
    const zip = await send("people.zip", archive({ "term/people.csv": people("zipped") }));
    expect((await start(zip, { dry_run: true })).body).toMatchObject({ total: 1, created: 1, dry_run: true });
    expect((await start(zip)).body).toMatchObject({ total: 1, created: 1 });
    const csv = await send("people.csv", `\ufeff${people("plain")}`);
    expect((await start(csv)).body).toMatchObject({ total: 1, created: 1 });
    const wide = await send("people.csv", Buffer.from(`\ufeff${people("wide")}`, "utf16le"));
    expect((await start(wide)).body).toMatchObject({ total: 1, created: 1 });
  });

  it("rejects files of another person, university, course, purpose or state, and missing ones", async () => {
    const at = await office();
    for (const [what, id] of Object.entries(await misplaced(at))) {
      const { status, body } = await at.start(id);
      expect([what, status, body.detail]).toEqual([what, 400, `File ${id} does not exist`]);
    }
  });

  it("rejects a file for the same reasons as inline data, and names the file", async () => {
    const { send, start, admin, university } = await office();
    const ofFile = async (name: string, bytes: string | Uint8Array) =>
      faultsOf(await start(await send(name, bytes)));
    const known = "people.csv, roles.csv, enrollments.csv";
    expect(await ofFile("list.csv", people("a"))).toEqual([
      `file_id: File should be a ZIP archive, or one of ${known}`,
    ]);
    expect(await ofFile("people.csv", "a,b\r\n1,2\r\n")).toEqual([
      "files.people.csv: Column email, full_name is missing",
    ]);
    expect(await ofFile("people.csv", "email,full_name\r\n")).toEqual([`file_id: No rows in ${known}`]);
    expect(await ofFile("a.zip", archive({ "people.csv": "email,full_name\r\na\0b,c\r\n" }))).toEqual([
      "files.people.csv: A NUL character is not allowed",
    ]);
    expect(await ofFile("a.zip", Buffer.from("PK\x03\x04 and nothing else"))).toEqual([
      "file_id: Not readable as a ZIP archive",
    ]);
    const id = await send("people.csv", people("a"));
    const more = { files: { "people.csv": people("a") } };
    expect(faultsOf(await start(id, more))).toEqual(["file_id: Input should not come with files"]);
    const none = await admin.post(`/universities/${university.id}/imports`, { format: "CSV" });
    expect(faultsOf(none)).toEqual(["files: Field required"]);
  });

  it("reads no further than its limit, and has no more of a file in memory", async () => {
    const { send, start } = await office();
    const many = `email,full_name${"\r\na@example.edu,Ada".repeat(20_001)}`;
    expect(faultsOf(await start(await send("people.csv", many)))).toEqual([
      "files.people.csv: File should have at most 20001 rows",
    ]);
    const large = await send("people.csv", Buffer.alloc(101_000_000, " "));
    await hashAndScanPendingFiles(world.deps, new AbortController().signal);
    expect(faultsOf(await start(large))).toEqual(["file_id: File should have at most 100 MB"]);
  });

  it("is a 503 while the store is unavailable, and starts nothing", async () => {
    const { send, start, admin, university } = await office();
    const id = await send("people.csv", people("away"));
    const { read } = world.deps.fileStore;
    world.deps.fileStore.read = () => Promise.reject(fileStoreUnreachableError());
    const { status, body } = await start(id);
    world.deps.fileStore.read = read;
    expect([status, body.detail]).toEqual([503, "The file store cannot be reached"]);
    expect((await admin.get(`/universities/${university.id}/imports`)).body).toEqual([]);
  });
});

describe("an import of grades", () => {
  it("accepts a file of the course or its university from a grader there, and sets its scores", async () => {
    const { university, course, lab, learner, assistant, here, gradebook } = await openLab(world);
    const grader = world.as(assistant);
    const send = async (text: string, scope: object = { course_id: course.id }) =>
      (await sendFile(world.deps, grader, { purpose: "IMPORT", ...scope }, Buffer.from(text))).body.id;
    const upload = (more: object) => grader.post(`${here}/gradebook/import`, { reason: "On paper", ...more });
    const csv = `user_id;${lab.id} Light\r\n${learner.id};7,5\r\n`;
    const id = await send(csv);
    expect((await upload({ file_id: id, dry_run: true })).body).toMatchObject({ changed: 1, dry_run: true });
    expect((await upload({ file_id: id })).body).toMatchObject({ changed: 1, read_as: { decimal: "," } });
    expect((await gradebook()).body.rows[0].cells[0].score).toBe(7.5);
    const other = await make.course(university.id);
    await world.deps.db.execute(sql`update files set course_id = ${other.id} where id = ${id}`);
    const elsewhere = await upload({ file_id: id });
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([400, `File ${id} does not exist`]);
    expect(faultsOf(await upload({ file_id: await send("a,b\r\n1,2") }))).toEqual([
      "file_id: Input should have a column user_id, external_id or code",
    ]);
    expect(faultsOf(await upload({ file_id: id, csv }))).toEqual(["file_id: Input should not come with csv"]);
    expect(faultsOf(await upload({}))).toEqual(["csv: Field required"]);
    // A caller who may not grade is rejected before the file is read.
    expect(
      (await world.as(learner).post(`${here}/gradebook/import`, { file_id: id, reason: "x" })).status,
    ).toBe(403);
  });
});

describe("an import of questions", () => {
  const asked = { kind: "TRUE_FALSE", question_text: "Do they interfere?", answer: { value: true } };
  const item = `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
    <correctResponse><value>Paris</value></correctResponse></responseDeclaration>
    <itemBody><p>Where?</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;

  async function openPool() {
    const university = await make.university();
    const course = await make.course(university.id);
    const teacher = world.as(await make.holder("instructor", university.id));
    const { body: pool } = await teacher.post("/assessments/question-pools", {
      ...{ university_id: university.id, course_id: course.id, title: "Waves" },
    });
    const path = `/assessments/question-pools/${pool.id}`;
    const send = async (name: string, bytes: string | Uint8Array) => {
      const fields = { purpose: "IMPORT", course_id: course.id, name };
      return (await sendFile(world.deps, teacher, fields, Buffer.from(bytes))).body.id as number;
    };
    return { teacher, path, send };
  }

  it("accepts a list as JSON, and a pool's export", async () => {
    const { teacher, path, send } = await openPool();
    const list = await send("questions.json", JSON.stringify([asked]));
    expect((await teacher.post(`${path}/import`, { file_id: list })).body).toMatchObject({ created: 1 });
    const { body: exported } = await teacher.get(`${path}/export`);
    const again = await send("export.json", JSON.stringify(exported));
    const { body } = await teacher.post(`${path}/import`, { file_id: again });
    expect(body).toMatchObject({ created: 0, skipped: 1 });
  });

  it("rejects invalid questions of a file for the same reasons as those of a request", async () => {
    const { teacher, path, send } = await openPool();
    const faults = async (text: string) =>
      faultsOf(await teacher.post(`${path}/import`, { file_id: await send("q.json", text) }));
    expect(await faults("{")).toEqual(["file_id: File should be JSON, but line 1 is not"]);
    expect(await faults("[]")).toEqual(["file_id: List should have at least 1 items"]);
    expect(await faults(JSON.stringify([asked, { ...asked, kind: "RIDDLE" }]))).toEqual([
      expect.stringMatching(/^file_id\.1\.kind: Input should be /),
    ]);
    expect(await faults(JSON.stringify([{ ...asked, question_text: "a\0b" }]))).toEqual([
      "file_id.0.question_text: Value error, a NUL character is not allowed",
    ]);
    const deep = `[${"[".repeat(5000)}${"]".repeat(5000)}]`;
    expect((await faults(deep))[0]).toMatch(/nested more than/);
  });

  it("accepts a package of QTI, and a single file of it", async () => {
    const { teacher, path, send } = await openPool();
    const upload = async (name: string, bytes: string | Uint8Array) =>
      teacher.post(`${path}/import/qti`, { file_id: await send(name, bytes) });
    expect((await upload("item.xml", item)).body).toMatchObject({
      created: 1,
      results: [{ name: "item.xml", outcome: "created" }],
    });
    const { body } = await upload("p.zip", archive({ "imsmanifest.xml": "<manifest/>", "q.xml": item }));
    expect(body).toMatchObject({ created: 0, skipped: 1, failed: 0 });
    const none = await upload("p.txt", "no package");
    expect([none.status, none.body.detail]).toEqual([
      400,
      "The file is neither a package nor QTI, Moodle XML, GIFT or JSON",
    ]);
    const bare = await teacher.post(`${path}/import/qti`, {});
    expect(faultsOf(bare)).toEqual(["files: Field required"]);
  });
});
