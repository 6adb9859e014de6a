import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { captionSamples } from "../../../app/src/samples/captions.ts";
import { cartridgeSamples } from "../../../app/src/samples/cartridge.ts";
import { buildGradesCsvSample } from "../../../app/src/samples/grades.ts";
import { peopleImportSamples } from "../../../app/src/samples/people.ts";
import { qtiPackageSample, questionFileSamples } from "../../../app/src/samples/questions.ts";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { processCartridgeImports } from "../../../lib/integrations/cartridges/work.ts";
import { archiveOf, packedText } from "../../support/archives.ts";
import { choices, equal, manifestOf, qtiItem, quizOf, zipOf } from "../../support/cartridges.ts";
import type { Client } from "../../support/client.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { png, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;

/** The status and the words of an import that added nothing. */
type Outcome = { status: number; words: string };
type Importer = (name: string, bytes: string | Uint8Array) => Promise<Outcome>;

let importers: Record<string, Importer>;
let rows: () => Promise<unknown>;
let grades: string;

const words = ({ status, body }: { status: number; body: { detail?: unknown } }): Outcome => ({
  status,
  words: JSON.stringify(body.detail ?? body),
});

beforeAll(async () => {
  const { university, course, teacher: person, here, gradebook } = await openLab(world);
  const teacher = world.as(person);
  const admin = world.as(await make.holder("university_admin", university.id));
  const { body: pool } = await teacher.post("/assessments/question-pools", {
    ...{ university_id: university.id, course_id: course.id, title: "Waves" },
  });
  const upload = async (client: Client, name: string, bytes: string | Uint8Array, scope: object) => {
    const about = { purpose: "IMPORT", media_type: "text/plain", name, ...scope };
    const { body } = await sendFile(world.deps, client, about, Buffer.from(bytes));
    await hashAndScanPendingFiles(world.deps, never);
    return body.id as number;
  };
  const inCourse = (name: string, bytes: string | Uint8Array) =>
    upload(teacher, name, bytes, { course_id: course.id });
  const ofUniversity =
    (format: string): Importer =>
    async (name, bytes) => {
      const file_id = await upload(admin, name, bytes, { university_id: university.id });
      return words(await admin.post(`/universities/${university.id}/imports`, { format, file_id }));
    };
  importers = {
    async questions(name, bytes) {
      const file_id = await inCourse(name, bytes);
      const reply = await teacher.post(`/assessments/question-pools/${pool.id}/import/qti`, { file_id });
      if (reply.status !== 200) return words(reply);
      const failed = reply.body.results.filter(({ outcome }: { outcome: string }) => outcome !== "ignored");
      expect(failed).toMatchObject([{ outcome: "failed", code: expect.any(String) }]);
      const [{ name: file, line, fault }] = failed;
      return { status: 400, words: `${file}: line ${line}: ${fault}` };
    },
    "questions of the API": async (name, bytes) => {
      const file_id = await inCourse(name, bytes);
      return words(await teacher.post(`/assessments/question-pools/${pool.id}/import`, { file_id }));
    },
    grades: async (name, bytes) => {
      const file_id = await inCourse(name, bytes);
      return words(await teacher.post(`${here}/gradebook/import`, { file_id, reason: "Exam" }));
    },
    people: ofUniversity("CSV"),
    OneRoster: ofUniversity("ONE_ROSTER"),
    captions: async (name, bytes) => {
      const file_id = await inCourse(name, bytes);
      return words(await teacher.post("/content/captions", { course_id: course.id, name, file_id }));
    },
    async cartridge(name, bytes) {
      const file_id = await inCourse(name, bytes);
      const { body } = await teacher.post("/cartridges/imports", { course_id: course.id, file_id });
      await processCartridgeImports(world.deps, never);
      const job = (await teacher.get(`/cartridges/imports/${body.id}`)).body;
      const { body: parts } = await teacher.get(`/cartridges/imports/${body.id}/parts`);
      return { status: job.failure && parts.length === 0 ? 400 : 200, words: String(job.failure) };
    },
  };
  rows = async () =>
    (
      await world.deps.db.execute(sql`
        select (select count(*) from questions) as questions, (select count(*) from modules) as modules,
          (select count(*) from content_items) as items, (select count(*) from enrollments) as enrollments,
          (select count(*) from users) as people, (select count(*) from item_grades) as grades,
          (select count(*) from files where purpose = 'asset') as files`)
    ).rows;
  grades = String(buildGradesCsvSample((await gradebook()).body)?.content);
});

const packed = packedText("x".repeat(100_000_000));

/** 100 MB in 100 KB, of which the archive states one byte. */
const bombOf = (name: string): Buffer => archiveOf([{ name, packed, size: 1 }]);

const nested = (open: string, close: string): string => `${open.repeat(10_000)}${close.repeat(10_000)}`;

const [waves = ""] = cartridgeSamples.map(({ content }) => content);
const [roster = ""] = peopleImportSamples.map(({ content }) => content);
const [vtt = "", srt = ""] = captionSamples.map(({ content }) => content);
const json = String(questionFileSamples.find(({ format }) => format === "JSON")?.content);
const gift = String(questionFileSamples.find(({ format }) => format === "GIFT")?.content);
const quiz = quizOf(
  qtiItem("true_false_question", "True?", choices("Single", { t: "True", f: "False" }), equal("t")),
);
const item = `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
  <correctResponse><value>a</value></correctResponse></responseDeclaration>
  <itemBody><p><img src="a.png"/></p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;

const half = (bytes: string | Uint8Array): Buffer => {
  const whole = Buffer.from(bytes);
  return whole.subarray(0, whole.length / 2);
};

const people = 'email,full_name\nada@campus.example,Ada\nbea@campus.example,"Bea';

type Case = [importer: string, what: string, name: string, bytes: () => string | Uint8Array, words: RegExp];

const cases: Case[] = [
  ["questions", "a ZIP bomb", "b.zip", () => bombOf("item.xml"), /at most 200 items.*8 MiB/],
  ["questions", "a cut archive", "c.zip", () => half(qtiPackageSample.content), /not a ZIP file/],
  ["questions", "a cut QTI file", "q.xml", () => quiz.slice(0, -40), /^q\.xml: .*line \d+/],
  ["questions", "a cut JSON file", "q.json", () => json.slice(0, -5), /^q\.json: .*line \d+/],
  ["questions", "a cut GIFT file", "q.gift", () => gift.trimEnd().slice(0, -3), /^q\.gift: line 6: /],
  [
    "questions",
    "100 MB of GIFT",
    "g.gift",
    () => Buffer.alloc(101_000_000, gift),
    /^"g\.gift, line \d{5,}: .*8192 KiB/,
  ],
  [
    "questions",
    "1,001 questions",
    "m.gift",
    () => "Q {T}\n\n".repeat(1001),
    /^"m\.gift, line 2001: .*1000 q/,
  ],
  [
    "questions",
    "10,000 nested elements",
    "n.xml",
    () => `<questestinterop>\n${nested("<section>\n", "</section>")}</questestinterop>`,
    /^n\.xml: .*60 deep in line 61/,
  ],
  ["questions", "10,000 nested lists", "n.json", () => nested("[", "]"), /^n\.json: /],
  [
    "questions",
    "a picture of another kind",
    "p.zip",
    () => zipOf({ "i.xml": item, "a.png": "<html><script>steal()</script></html>" }),
    /^i\.xml: .*a\.png is not a picture/,
  ],
  [
    "questions",
    "a picture that is cut",
    "p.zip",
    () => zipOf({ "i.xml": item, "a.png": png.subarray(0, 4) }),
    /^i\.xml: .*a\.png is not a picture/,
  ],
  [
    "questions",
    "a picture that is a bomb",
    "p.zip",
    () =>
      archiveOf([
        { name: "i.xml", packed: packedText(item) },
        { name: "a.png", packed, size: 1 },
      ]),
    /pictures of a package can have at most 32 MB/,
  ],
  ["questions of the API", "a cut JSON file", "q.json", () => json.slice(0, -5), /line \d+ is not/],
  ["questions of the API", "a ZIP bomb", "b.zip", () => bombOf("q.json"), /file_id/],
  ["questions of the API", "10,000 nested lists", "n.json", () => nested("[", "]"), /file_id/],
  ["grades", "a cut field", "g.csv", () => `${grades.trimEnd()},"x`, /line \d+/],
  ["grades", "a ZIP bomb", "b.zip", () => bombOf("g.csv"), /csv|file_id/],
  ["people", "a ZIP bomb", "b.zip", () => bombOf("people.csv"), /16384 KiB/],
  ["people", "a cut archive", "c.zip", () => half(zipOf({ "people.csv": people })), /ZIP archive/],
  ["people", "a cut field", "people.csv", () => people, /people\.csv.*line \d+/],
  ["OneRoster", "a ZIP bomb", "b.zip", () => bombOf("users.csv"), /16384 KiB/],
  ["OneRoster", "a cut archive", "c.zip", () => half(roster), /ZIP archive/],
  [
    "captions",
    "100 MB",
    "long.vtt",
    () => Buffer.alloc(100_000_000, `${vtt}\n`),
    /^"long\.vtt, line \d+: captions can have at most 2000 KiB/,
  ],
  ["captions", "a cut WebVTT file", "c.vtt", () => String(vtt).slice(0, -40), /c\.vtt.*line \d+/],
  ["captions", "a cut SRT file", "c.srt", () => String(srt).slice(0, -40), /c\.srt.*line \d+/],
  ["captions", "a ZIP bomb", "b.zip", () => bombOf("c.vtt"), /b\.zip/],
  ["cartridge", "a ZIP bomb", "b.imscc", () => bombOf("imsmanifest.xml"), /imsmanifest|manifest/],
  ["cartridge", "a cut archive", "c.imscc", () => half(waves), /archive/i],
  [
    "cartridge",
    "a cut manifest",
    "m.imscc",
    () => zipOf({ "imsmanifest.xml": manifestOf("", "").slice(0, -30) }),
    /manifest.*line \d+/,
  ],
  [
    "cartridge",
    "10,000 nested elements",
    "n.imscc",
    () => zipOf({ "imsmanifest.xml": manifestOf(nested("<item>\n", "</item>"), "") }),
    /manifest.*line \d+/,
  ],
];

describe("an import of a hostile file", () => {
  it.each(cases)(
    "of %s refuses %s with its place, and adds nothing",
    async (importer, _, name, bytes, told) => {
      const before = await rows();
      const outcome = await importers[importer]?.(name, bytes());
      expect(outcome?.status).toBeGreaterThanOrEqual(400);
      expect(outcome?.status).toBeLessThan(500);
      expect(outcome?.words).toMatch(told);
      expect(await rows()).toEqual(before);
    },
  );

  it("is tried with each importer", () => {
    expect(new Set(cases.map(([importer]) => importer))).toEqual(new Set(Object.keys(importers)));
  });
});
