import { globSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parsePastedPeople } from "../../../app/src/authoring/pasted-people.ts";
import { captionSamples } from "../../../app/src/samples/captions.ts";
import { cartridgeSamples } from "../../../app/src/samples/cartridge.ts";
import { buildGradesCsvSample } from "../../../app/src/samples/grades.ts";
import { classListCsvSample, peopleImportSamples } from "../../../app/src/samples/people.ts";
import { qtiPackageSample, questionFileSamples } from "../../../app/src/samples/questions.ts";
import type { SampleFile } from "../../../app/src/samples/sample-file.ts";
import { processCartridgeImports } from "../../../lib/integrations/cartridges/work.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const base64 = ({ content }: SampleFile) => Buffer.from(content).toString("base64");
const named = <Sample extends SampleFile>(samples: readonly Sample[]) =>
  samples.map((one) => [one.name, one] as const);

async function author() {
  const university = await make.university();
  const course = await make.course(university.id);
  return { university, course, teacher: world.as(await make.holder("instructor", university.id)) };
}

describe("a sample file", () => {
  it.each(named([...questionFileSamples, qtiPackageSample]))(
    "%s adds all its questions",
    async (_, sample) => {
      const { university, course, teacher } = await author();
      const { body: pool } = await teacher.post("/assessments/question-pools", {
        ...{ university_id: university.id, course_id: course.id, title: "Waves" },
      });
      const { body } = await teacher.post(`/assessments/question-pools/${pool.id}/import/qti`, {
        package: base64(sample),
      });
      expect(body).toMatchObject({ skipped: 0, failed: 0 });
      expect(body.created).toBeGreaterThan(0);
      for (const { left_out } of body.results) expect(left_out).toEqual([]);
    },
  );

  it.each(named(captionSamples))("%s is read as captions", async (name, sample) => {
    const { course, teacher } = await author();
    const { status, body } = await teacher.post("/content/captions", {
      ...{ course_id: course.id, name, captions: base64(sample) },
    });
    expect([status, body.segments.length]).toEqual([200, 2]);
  });

  it.each(named(cartridgeSamples))("%s becomes a module with its items", async (name, sample) => {
    const { course, teacher } = await author();
    const about = { purpose: "IMPORT", course_id: course.id, name, media_type: sample.type };
    const { body: file } = await sendFile(world.deps, teacher, about, Buffer.from(sample.content));
    const started = await teacher.post("/cartridges/imports", { course_id: course.id, file_id: file.id });
    await processCartridgeImports(world.deps, new AbortController().signal);
    const { body: parts } = await teacher.get(`/cartridges/imports/${started.body.id}/parts`);
    const told = parts.map((one: Record<string, unknown>) => [one["kind"], one["outcome"], one["left_out"]]);
    expect(told).toEqual([
      ["MODULE", "CREATED", []],
      ["PAGE", "CREATED", []],
      ["LINK", "CREATED", []],
    ]);
  });

  it("of grades gives a point to the first learners", async () => {
    const { gradebook, assistant, here, learner } = await openLab(world);
    const sample = buildGradesCsvSample((await gradebook()).body);
    const body = { csv: sample?.content, reason: "A sample" };
    const { body: result } = await world.as(assistant).post(`${here}/gradebook/import`, body);
    expect(result).toMatchObject({ changed: 1, unchanged: 0, refused: 0 });
    expect(result.results).toMatchObject([{ user_id: learner.id, outcome: "CHANGED", score: 1 }]);
  });

  it("of grades needs an item and a learner", () => {
    expect(buildGradesCsvSample({ columns: [], rows: [] })).toBeUndefined();
  });

  it("is known to these tests, wherever it is", async () => {
    const folder = path.resolve(import.meta.dirname, "../../../app/src/samples");
    const modules = await Promise.all(
      globSync("*.ts", { cwd: folder }).map((file) => import(path.join(folder, file))),
    );
    const found = modules
      .flatMap((one) => Object.values(one))
      .flatMap((one) => (typeof one === "function" ? [] : [one].flat()) as SampleFile[]);
    const tested = [...questionFileSamples, qtiPackageSample, ...captionSamples, ...cartridgeSamples];
    expect(new Set(found)).toEqual(new Set([...tested, ...peopleImportSamples, classListCsvSample]));
  });
});

describe("the sample files of people", () => {
  let university: { id: number };
  let results: Map<string, object>;

  beforeAll(async () => {
    university = await make.university();
    const admin = world.as(await make.holder("university_admin", university.id));
    results = new Map();
    for (const sample of peopleImportSamples) {
      const { name } = sample;
      const given = name.endsWith(".zip")
        ? { format: "ONE_ROSTER", zip: base64(sample) }
        : { format: "CSV", files: { [name]: sample.content } };
      const { body } = await admin.post(`/universities/${university.id}/imports`, given);
      const { body: rows } = await admin.get(`/universities/${university.id}/imports/${body.id}/results`);
      results.set(name, { ...body, rows });
    }
  });

  it.each(named(peopleImportSamples))("create every row of %s", (name) => {
    const refused = { updated: 0, unchanged: 0, offered: 0, refused: 0, ignored: [] };
    expect(results.get(name)).toMatchObject(refused);
    const { created, total } = results.get(name) as { created: number; total: number };
    expect([created, created > 0]).toEqual([total, true]);
  });

  it("are followed by the list of a class, whose people are enrolled", async () => {
    const course = await make.course(university.id);
    const offering = await make.offering(course);
    const admin = world.as(await make.holder("university_admin", university.id));
    const people = parsePastedPeople(classListCsvSample.content, { offering: offering.id, names: new Set() });
    expect(people).toMatchObject([{ state: "ready" }]);
    for (const { person } of people) {
      const { status, body } = await admin.post("/enrollments/", {
        ...{ course_offering_id: offering.id, override: true },
        ...person,
      });
      expect([status, body.status]).toEqual([201, "ACTIVE"]);
    }
  });
});
