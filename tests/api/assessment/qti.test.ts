import { expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const item = (text: string) =>
  `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
  <correctResponse><value>Paris</value></correctResponse></responseDeclaration>
  <itemBody><p>${text}</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;

async function openPool() {
  const university = await make.university();
  const course = await make.course(university.id);
  const { pool } = await make.questionPool(course);
  const teacher = world.as(await make.holder("instructor", university.id));
  const assistant = world.as(await make.holder("ta", university.id));
  const path = `/assessments/question-pools/${pool.id}`;
  const empty = await teacher.post("/assessments/question-pools", {
    ...{ university_id: university.id, course_id: course.id, title: "Empty" },
  });
  return { teacher, assistant, path, other: `/assessments/question-pools/${empty.body.id}` };
}

it.each(["2.1", "3.0"])(
  "a pool that is exported as QTI %s and imported is the same pool",
  async (version) => {
    const { teacher, path, other } = await openPool();
    const { body: exported } = await teacher.get(`${path}/export/qti?version=${version}`);
    expect(exported).toMatchObject({ version, total: 5 });
    const sent = { package: exported.package };
    const dry = await teacher.post(`${other}/import/qti`, { ...sent, dry_run: true });
    expect(dry.body).toMatchObject({ dry_run: true, created: 5, skipped: 0, failed: 0 });
    expect((await teacher.get(`${other}/questions`)).body).toEqual([]);
    const { body: imported } = await teacher.post(`${other}/import/qti`, sent);
    expect(imported.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "ignored",
      ...Array(5).fill("created"),
    ]);
    const questionsOf = async (pool: string) => (await teacher.get(`${pool}/export`)).body.questions;
    expect(await questionsOf(other)).toEqual(await questionsOf(path));
    expect((await teacher.post(`${other}/import/qti`, sent)).body).toMatchObject({ created: 0, skipped: 5 });
  },
);

it("an import adds supported questions, and reports the others", async () => {
  const { teacher, assistant, other } = await openPool();
  const files = [
    { name: "capital.xml", xml: item("Capital of France?") },
    { name: "same.xml", xml: item("Capital of France?") },
    { name: "order.xml", xml: item("Sort").replace("textEntryInteraction", "orderInteraction") },
  ];
  expect((await assistant.post(`${other}/import/qti`, { files })).status).toBe(403);
  const { body } = await teacher.post(`${other}/import/qti`, { files });
  expect(body).toMatchObject({ created: 1, skipped: 1, failed: 1 });
  expect(body.results).toMatchObject([
    { name: "capital.xml", outcome: "created", question_id: expect.any(Number), fault: null, code: null },
    { name: "same.xml", outcome: "skipped", question_id: body.results[0].question_id },
    {
      ...{ name: "order.xml", outcome: "failed", question_id: null },
      ...{ fault: "orderInteraction is not supported", code: "qti_interaction_unknown" },
    },
  ]);
  const nothing = await teacher.post(`${other}/import/qti`, { files: files.slice(2) });
  expect(nothing.body).toMatchObject({ created: 0, failed: 1 });
  const noZip = await teacher.post(`${other}/import/qti`, { package: "bm90IGEgemlw" });
  expect(noZip).toMatchObject({ status: 400, body: { detail: "The package is not a ZIP file" } });
  for (const body of [{}, { files, package: "bm90IGEgemlw" }])
    expect((await teacher.post(`${other}/import/qti`, body)).status).toBe(422);
});
