import { sql } from "drizzle-orm";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function openPool() {
  const university = await make.university();
  const course = await make.course(university.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const fields = { university_id: university.id, course_id: course.id, title: "Empty" };
  const { body: pool } = await teacher.post("/assessments/question-pools", fields);
  const path = `/assessments/question-pools/${pool.id}`;
  return {
    ...{ teacher, course, path },
    importQti: (body: object) => teacher.post(`${path}/import/qti`, body),
    keys: async () => {
      const { rows } = await world.deps.db.execute(sql`
        select question_text, answer_json as answer from questions where question_pool_id = ${pool.id} order by id`);
      return rows;
    },
  };
}

const item = (declaration: string, key: string) =>
  `${declaration}
<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
<correctResponse><value>${key}</value></correctResponse></responseDeclaration>
<itemBody><p>Größte Stadt am Rhein?</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;

const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** The same item in each encoding, and how it is read. */
const files: Record<string, { bytes: Buffer; read_as: string }> = {
  "declared.xml": {
    bytes: Buffer.from(item(declared("ISO-8859-1"), "Köln"), "latin1"),
    read_as: "windows-1252",
  },
  "western.xml": {
    bytes: Buffer.from(item(declared("windows-1252"), "Köln"), "latin1"),
    read_as: "windows-1252",
  },
  "undeclared.xml": { bytes: Buffer.from(item("", "Köln").trim(), "latin1"), read_as: "windows-1252" },
  "utf-8.xml": { bytes: Buffer.from(item(declared("UTF-8"), "Köln")), read_as: "utf-8" },
  "wide.xml": { bytes: Buffer.from(item(declared("UTF-16"), "Köln"), "utf16le"), read_as: "utf-16le" },
  "marked.xml": {
    bytes: Buffer.from(`\ufeff${item(declared("UTF-16"), "Köln")}`, "utf16le").swap16(),
    read_as: "utf-16be",
  },
};

describe("QTI", () => {
  it.each(["files", "package", "file_id"])(
    "in any encoding gives the same question, sent as %s",
    async (way) => {
      const { importQti, keys, teacher, course } = await openPool();
      const archive = zipSync(
        Object.fromEntries(Object.entries(files).map(([name, { bytes }]) => [name, bytes])),
      );
      const upload = async () =>
        (
          await sendFile(
            world.deps,
            teacher,
            { purpose: "IMPORT", course_id: course.id, name: "q.zip" },
            archive,
          )
        ).body.id;
      const sent: Record<string, () => Promise<object>> = {
        files: async () => ({
          files: Object.entries(files).map(([name, { bytes }]) => ({ name, xml: { base64: base64(bytes) } })),
        }),
        package: async () => ({ package: base64(archive) }),
        file_id: async () => ({ file_id: await upload() }),
      };
      const { body } = await importQti((await sent[way]?.()) ?? {});
      expect(
        body.results.map(({ name, read_as }: { name: string; read_as: string }) => [name, read_as]),
      ).toEqual(Object.entries(files).map(([name, { read_as }]) => [name, read_as]));
      expect(body).toMatchObject({ created: 1, skipped: 5, failed: 0 });
      expect(await keys()).toEqual([
        { question_text: "Größte Stadt am Rhein?", answer: { texts: ["Köln"] } },
      ]);
    },
  );

  it("that lies about its encoding, is cut, or has a lost character fails alone, with its file and line", async () => {
    const { importQti, keys } = await openPool();
    const whole = Buffer.from(item("", "Köln").trim());
    const broken = {
      "lies.xml": Buffer.from(item(declared("UTF-8"), "Köln"), "latin1"),
      "unknown.xml": Buffer.from(item(declared("x-klingon"), "Koeln")),
      "cut.xml": whole.subarray(0, whole.lastIndexOf("ö") + 1),
      "lost.xml": Buffer.from(item(declared("UTF-8"), "K\ufffdln")),
      "reference.xml": Buffer.from(item(declared("UTF-8"), "K&#65533;ln")),
      "deep.xml": Buffer.from(
        `<assessmentItem>\n${"<p>".repeat(10_000)}${"</p>".repeat(10_000)}</assessmentItem>`,
      ),
      "good.xml": Buffer.from(item(declared("UTF-8"), "Köln")),
    };
    const { body } = await importQti({
      files: Object.entries(broken).map(([name, bytes]) => ({ name, xml: { base64: base64(bytes) } })),
    });
    expect(body.results.map(({ name, code }: { name: string; code: string }) => [name, code])).toEqual([
      ["lies.xml", "text_not_as_declared"],
      ["unknown.xml", "text_encoding_unknown"],
      ["cut.xml", "text_is_cut"],
      ["lost.xml", "text_character_lost"],
      ["reference.xml", "text_character_lost"],
      ["deep.xml", "qti_xml_unreadable"],
      ["good.xml", null],
    ]);
    const faults = body.results.map(
      ({ fault }: { fault: string | null }) => /line (\d+)/i.exec(fault ?? "")?.[1],
    );
    expect(faults).toEqual(["3", undefined, "3", "3", "3", "2", undefined]);
    expect(await keys()).toHaveLength(1);
  });
});

describe("questions as JSON", () => {
  it("with a lost character are rejected by field", async () => {
    const { teacher, path, course } = await openPool();
    const questions = [{ kind: "SHORT_ANSWER", question_text: "K\ufffdln?", answer: { texts: ["so"] } }];
    const { status, body } = await teacher.post(`${path}/import`, { questions });
    expect([status, body.detail[0].loc]).toEqual([422, ["body", "questions", 0, "question_text"]]);
    const send = async (text: string) =>
      (
        await sendFile(
          world.deps,
          teacher,
          { purpose: "IMPORT", course_id: course.id, name: "q.json" },
          Buffer.from(text, "latin1"),
        )
      ).body.id;
    const western = JSON.stringify([{ ...questions[0], question_text: "Köln?" }]);
    expect((await teacher.post(`${path}/import`, { file_id: await send(western) })).body).toMatchObject({
      created: 1,
      read_as: "windows-1252",
    });
  });
});

describe("grades", () => {
  it("are read from bytes in any encoding", async () => {
    const { here, assistant, lab, learner } = await openLab(world);
    const text = `name;user_id;${lab.id} Übung\nZoë;${learner.id};7,5\n`;
    const saved = {
      "utf-8": Buffer.from(text),
      "windows-1252": Buffer.from(text, "latin1"),
      "utf-16le": Buffer.from(`\ufeff${text}`, "utf16le"),
    };
    for (const [encoding, bytes] of Object.entries(saved)) {
      const body = { csv: { base64: base64(bytes) }, reason: "On paper", dry_run: true };
      expect((await world.as(assistant).post(`${here}/gradebook/import`, body)).body).toMatchObject({
        read_as: { encoding, separator: ";", decimal: "," },
        refused: 0,
        results: [{ line: 2, score: 7.5 }],
      });
    }
    const cut = {
      csv: { base64: base64(saved["utf-8"].subarray(0, saved["utf-8"].indexOf("ë") + 1)) },
      reason: "x",
    };
    const { status, body } = await world.as(assistant).post(`${here}/gradebook/import`, cut);
    expect([status, body.detail[0].msg]).toEqual([422, expect.stringContaining("line 2")]);
  });
});
