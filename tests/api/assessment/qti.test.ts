import { expect, it } from "vitest";
import { questionFileSamples } from "../../../app/src/samples/questions.ts";
import { choices, entry, equal, qtiItem, quizOf, zipOf } from "../../support/cartridges.ts";
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
  expect([noZip.status, noZip.headers.get("x-error-code"), noZip.body.detail]).toEqual([
    ...[400, "question_file_unknown"],
    "The file is neither a package nor QTI, Moodle XML, GIFT or JSON",
  ]);
  for (const body of [{}, { files, package: "bm90IGEgemlw" }])
    expect((await teacher.post(`${other}/import/qti`, body)).status).toBe(422);
});

it("a QTI 1.2 package of Canvas is imported; its settings and manifest are no failures", async () => {
  const { teacher, other } = await openPool();
  const bytes = zipOf({
    "imsmanifest.xml": "<manifest/>",
    "q/assessment_meta.xml":
      "<quiz xmlns='http://canvas.instructure.com/xsd/cccv1p0'><title>Q</title></quiz>",
    "q/q.xml": quizOf(
      qtiItem("multiple_choice_question", "Which?", choices("Single", { a: "1", b: "2" }), equal("a")),
      qtiItem("essay_question", "Explain.", entry()),
    ),
    "readme.txt": "Made by a program.",
  });
  const { body } = await teacher.post(`${other}/import/qti`, {
    package: Buffer.from(bytes).toString("base64"),
  });
  expect(body).toMatchObject({ created: 1, skipped: 0, failed: 1 });
  const told = body.results.map(({ name, outcome, code }: Record<string, unknown>) => [name, outcome, code]);
  expect(told).toEqual([
    ["imsmanifest.xml", "ignored", null],
    ["q/assessment_meta.xml", "ignored", null],
    ["q/q.xml", "created", null],
    ["q/q.xml", "failed", "left_out_question_kind"],
    ["readme.txt", "ignored", null],
  ]);
  expect(body.results[3]).toMatchObject({ line: expect.any(Number), fault: "2: essay_question" });
});

it.each(questionFileSamples.map((one) => [one.format, one] as const))(
  "one door reads the sample file in %s by its content",
  async (_, { content }) => {
    const { teacher, other } = await openPool();
    const sent = { package: Buffer.from(content).toString("base64") };
    const dry = await teacher.post(`${other}/import/qti`, { ...sent, dry_run: true });
    const { body } = await teacher.post(`${other}/import/qti`, sent);
    expect(body).toMatchObject({ failed: 0, created: dry.body.created });
    expect(body.created).toBeGreaterThan(0);
    expect((await teacher.post(`${other}/import/qti`, sent)).body).toMatchObject({ created: 0 });
  },
);

it("a file that is cut adds nothing, and names its line", async () => {
  const { teacher, other } = await openPool();
  const cut = quizOf(
    qtiItem("true_false_question", "True?", choices("Single", { t: "True", f: "False" }), equal("t")),
  );
  const sent = { package: Buffer.from(cut.slice(0, -40)).toString("base64") };
  const { body } = await teacher.post(`${other}/import/qti`, sent);
  expect(body).toMatchObject({ created: 0, failed: 1 });
  expect(body.results).toMatchObject([
    { code: "qti_xml_unreadable", fault: expect.stringMatching(/line \d+/) },
  ]);
});
