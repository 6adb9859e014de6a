import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { choices, equal, qtiItem, quizOf, zipOf } from "../../support/cartridges.ts";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { png, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld({ FILE_ASSET_MAX_MB: "1", FILE_QUOTA_GB: "1" });
const make = makersOf(world);

/** Another picture for each number. */
const picture = (number: number): Buffer => Buffer.concat([png, Buffer.from([number])]);

const item = (text: string) =>
  `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
  <correctResponse><value>wave</value></correctResponse></responseDeclaration>
  <itemBody><p>${text}</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;

async function author() {
  const university = await make.university();
  const course = await make.course(university.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const { body: pool } = await teacher.post("/assessments/question-pools", {
    ...{ university_id: university.id, course_id: course.id, title: "Waves" },
  });
  const path = `/assessments/question-pools/${pool.id}`;
  const importZip = async (files: Record<string, string | Uint8Array>, more = {}) =>
    teacher.post(`${path}/import/qti`, {
      package: Buffer.from(zipOf({ "imsmanifest.xml": "<manifest/>", ...files })).toString("base64"),
      ...more,
    });
  const questions = async () => (await teacher.get(`${path}/export`)).body.questions;
  return { university, course, teacher, path, importZip, questions };
}

const fileIdsIn = (questions: unknown): number[] =>
  Array.from(JSON.stringify(questions).matchAll(/\]\(file:(\d+)\)/g), ([, id]) => Number(id));

const withoutIds = (questions: unknown): unknown =>
  JSON.parse(JSON.stringify(questions).replaceAll(/\(file:\d+\)/g, "(file)"));

const filesOf = async (university: { id: number }) => {
  const { rows } = await world.deps.db.execute(sql`
    select id::float8 as id, purpose, state, name, media_type, size::float8 as size, course_id, loose_since from files
    where university_id = ${university.id} and purpose = 'asset' order by id`);
  return rows;
};

const bytesOf = async (client: Client, id: number): Promise<Buffer> => {
  const { body } = await client.post("/files/addresses", { ids: [id] });
  expect(body).toHaveLength(1);
  const { rows } = await world.deps.db.execute(sql`
    select key from files join stored_objects on stored_objects.id = object_id where files.id = ${id}`);
  const stream = await world.deps.fileStore.read(String(rows[0]?.["key"]));
  return Buffer.concat((await stream?.toArray()) ?? []);
};

describe("a picture in a QTI package", () => {
  it("becomes a file of its question, once for each content", async () => {
    const { university, course, teacher, importZip, questions } = await author();
    const files = {
      "items/one.xml": item('Look: <img src="../media/a%20b.png" alt="A [wave]"/> and <img src="c.png"/>'),
      "items/two.xml": item('<img src="../media/same.png" alt="Again"/>'),
      "media/a b.png": picture(1),
      "media/same.png": picture(1),
      "items/c.png": picture(2),
      "media/unused.png": picture(3),
    };
    const dry = await importZip(files, { dry_run: true });
    expect(dry.body).toMatchObject({ created: 2, failed: 0 });
    expect(await filesOf(university)).toEqual([]);

    const { body } = await importZip(files);
    expect(body).toMatchObject({ created: 2, skipped: 0, failed: 0 });
    const added = await questions();
    const [one = 0, other = 0, again] = fileIdsIn(added);
    expect(again).toBe(one);
    expect(added.map(({ question_text }: { question_text: string }) => question_text)).toEqual([
      `Look: ![A \\[wave\\]](file:${one}) and ![](file:${other})`,
      `![Again](file:${one})`,
    ]);
    expect(await filesOf(university)).toMatchObject(
      [one, other]
        .toSorted((low, high) => low - high)
        .map((id) => ({
          ...{ id, state: "ready", media_type: "image/png", size: png.length + 1 },
          ...{ course_id: course.id, loose_since: null },
        })),
    );
    expect(await bytesOf(teacher, one)).toEqual(picture(1));

    expect((await importZip(files)).body).toMatchObject({ created: 0, skipped: 2 });
    expect(await filesOf(university)).toHaveLength(2);
  });

  it("is one file if its package is imported twice at once", async () => {
    const { university, importZip, questions } = await author();
    const files = { "one.xml": item('<img src="a.png"/>'), "a.png": picture(1) };
    const replies = await Promise.all([importZip(files), importZip(files)]);
    expect(replies.map(({ body }) => body.created).toSorted()).toEqual([0, 1]);
    expect(await questions()).toHaveLength(1);
    expect(await filesOf(university)).toHaveLength(1);
    const { rows } = await world.deps.db.execute(sql`
      select count(*)::int as count from stored_objects where university_id = ${university.id} and going_at is null`);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it("is found as Canvas names it in QTI 1.2", async () => {
    const { importZip, questions } = await author();
    const html = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const asked = (address: string) =>
      qtiItem(
        "multiple_choice_question",
        html(`<p>What is this? <img src="${address}" alt="A wave"></p>`),
        choices("Single", { a: "A wave", b: "A ray" }),
        equal("a"),
      );
    const { body } = await importZip({
      "quiz/quiz.xml": quizOf(
        asked("$IMS-CC-FILEBASE$/Uploaded%20Media/wave.png?canvas_download=1"),
        asked("%24IMS-CC-FILEBASE%24/images/ray.png"),
        asked("$IMS-CC-FILEBASE$/gone.png"),
      ),
      "Uploaded Media/wave.png": picture(1),
      "images/ray.png": picture(2),
    });
    expect(body).toMatchObject({ created: 2, failed: 1 });
    expect(body.results.at(-1)).toMatchObject({ outcome: "failed", code: "left_out_question_part_lost" });
    expect(fileIdsIn(await questions())).toHaveLength(2);
  });

  it("that is missing, no picture, or too large leaves out its question alone, with the reason", async () => {
    const { university, importZip, questions } = await author();
    const { body } = await importZip({
      "gone.xml": item('<img src="gone.png"/>'),
      "web.xml": item('<img src="https://example.org/a.png"/>'),
      "outside.xml": item('<img src="../../a.png"/>'),
      "notes.xml": item('<img src="notes.png"/>'),
      "drawing.xml": item('<img src="drawing.svg"/>'),
      "large.xml": item('<img src="large.png"/>'),
      "id.xml": item("![A wave](file:1)"),
      "good.xml": item("What is this?"),
      "notes.png": "These are only notes.",
      "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script>steal()</script></svg>',
      "large.png": Buffer.concat([png, Buffer.alloc(1_000_000)]),
    });
    expect(body).toMatchObject({ created: 1, failed: 7 });
    const codes = body.results.map(({ name, code }: { name: string; code: string }) => [name, code]);
    expect(Object.fromEntries(codes)).toEqual({
      "imsmanifest.xml": null,
      ...{ "gone.xml": "qti_part_lost", "web.xml": "qti_part_lost", "outside.xml": "qti_part_lost" },
      "notes.xml": "question_picture_unknown",
      "drawing.xml": "question_picture_unknown",
      "large.xml": "question_picture_too_large",
      "id.xml": "question_picture_unknown",
      "good.xml": null,
    });
    expect(await questions()).toMatchObject([{ question_text: "What is this?" }]);
    expect(await filesOf(university)).toEqual([]);
  });

  it("beyond the university's quota adds nothing", async () => {
    const { university, importZip, questions } = await author();
    await world.deps.db.execute(
      sql`insert into file_usage (university_id, bytes) values (${university.id}, 999999999)`,
    );
    const files = { "one.xml": item('<img src="a.png"/>'), "two.xml": item("Name?"), "a.png": picture(1) };
    const { status, headers } = await importZip(files);
    expect([status, headers.get("x-error-code")]).toEqual([400, "quota_used_up"]);
    expect(await questions()).toEqual([]);
    expect(await filesOf(university)).toEqual([]);
  });

  it("leaves no bytes behind if the questions cannot be added", async () => {
    const { university, importZip, questions } = await author();
    await world.deps.db.execute(sql`
      create function refuse_questions() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse_questions before insert on questions for each row execute function refuse_questions()`);
    const { status } = await importZip({ "one.xml": item('<img src="a.png"/>'), "a.png": picture(1) });
    await world.deps.db.execute(
      sql`drop trigger refuse_questions on questions; drop function refuse_questions`,
    );
    expect(status).toBe(500);
    expect(await questions()).toEqual([]);
    expect(await filesOf(university)).toEqual([]);
    const { rows } = await world.deps.db.execute(
      sql`select going_at is not null as is_going from stored_objects where university_id = ${university.id}`,
    );
    expect(rows).toEqual([{ is_going: true }]);
  });
});

describe("questions with pictures", () => {
  it.each(["2.1", "3.0"])("survive a round trip through QTI %s into another university", async (version) => {
    const [first, second] = [await author(), await author()];
    const upload = async (number: number, name: string) =>
      (
        await sendFile(
          world.deps,
          first.teacher,
          { purpose: "ASSET", course_id: first.course.id, name, media_type: "image/png" },
          picture(number),
        )
      ).body.id as number;
    const [wave, ray] = [await upload(1, "Wave (1) ä.png"), await upload(2, "ray.png")];
    const asked = [
      {
        kind: "SINGLE_CHOICE",
        question_text: `Which?\n\n![A \\[big\\] wave & "more"](file:${wave})\nand ![](file:${ray}) here`,
        options: [
          { id: "a", text: `![One](file:${wave})` },
          { id: "b", text: `Two ![*x*](file:${ray})` },
        ],
        answer: { option_id: "a" },
        explanation: `See ![this](file:${ray})`,
      },
      {
        kind: "SHORT_ANSWER",
        question_text: `  Name?\n\n\n![A wave](file:${wave})`,
        answer: { texts: ["wave"] },
      },
      { kind: "TRUE_FALSE", question_text: `True? ![](file:${ray})`, answer: { value: true } },
      { kind: "NUMERIC", question_text: `How many? ![](file:${ray})`, answer: { value: 2, tolerance: 0 } },
    ];
    for (const question of asked)
      expect((await first.teacher.post(`${first.path}/questions`, question)).status).toBe(201);
    const { body: exported } = await first.teacher.get(`${first.path}/export/qti?version=${version}`);
    const { body } = await second.teacher.post(`${second.path}/import/qti`, { package: exported.package });
    expect(body).toMatchObject({ created: 4, failed: 0 });
    const copies = await second.questions();
    expect(withoutIds(copies)).toEqual(withoutIds(await first.questions()));

    const own = (await filesOf(second.university)).map(({ id }) => id);
    expect(new Set(fileIdsIn(copies))).toEqual(new Set(own));
    expect(own).toHaveLength(2);
    const bytes = await Promise.all(own.map((id) => bytesOf(second.teacher, Number(id))));
    expect(new Set(bytes.map(String))).toEqual(new Set([picture(1), picture(2)].map(String)));
    const text = Buffer.from(exported.package, "base64").toString("latin1");
    for (const id of [wave, ray]) expect(text).not.toContain(`file:${id}`);

    const back = await first.teacher.post(`${first.path}/import/qti`, { package: exported.package });
    expect(back.body).toMatchObject({ created: 0, skipped: 4 });
  });

  it("state a picture whose bytes are gone, and an import reports it", async () => {
    const [first, second] = [await author(), await author()];
    await first.importZip({ "one.xml": item('<img src="a.png" alt="A"/>'), "a.png": picture(1) });
    const [id] = fileIdsIn(await first.questions());
    await world.deps.db.execute(sql`update files set state = 'refused', object_id = null where id = ${id}`);
    const { body: exported } = await first.teacher.get(`${first.path}/export/qti`);
    const { body } = await second.teacher.post(`${second.path}/import/qti`, { package: exported.package });
    expect(body).toMatchObject({ created: 0, failed: 1 });
    expect(body.results.at(-1)).toMatchObject({ code: "qti_part_lost" });
  });

  it("are exported in pages if their pictures are too large together", async () => {
    const { teacher, path, importZip } = await author();
    const pictures = Object.fromEntries(
      Array.from({ length: 5 }, (_, at) => [
        `${at}.png`,
        Buffer.concat([picture(at), Buffer.alloc(900_000)]),
      ]),
    );
    const items = Object.keys(pictures).map((name) => [`${name}.xml`, item(`<img src="${name}"/>`)]);
    const { body } = await importZip({ ...pictures, ...Object.fromEntries(items) });
    expect(body).toMatchObject({ created: 5 });
    const whole = await teacher.get(`${path}/export/qti`);
    expect([whole.status, whole.headers.get("x-error-code")]).toEqual([400, "export_pictures_too_large"]);
    expect((await teacher.get(`${path}/export/qti?limit=4`)).status).toBe(200);
  });

  it("in JSON name files that the caller may use; the others are reported", async () => {
    const [first, second] = [await author(), await author()];
    await first.importZip({ "one.xml": item('<img src="a.png" alt="A"/>'), "a.png": picture(1) });
    const listed = [
      ...(await first.questions()),
      { ...(await first.questions())[0], question_text: "Name?" },
    ];
    const sent = { package: Buffer.from(JSON.stringify({ questions: listed })).toString("base64") };
    const { body } = await second.teacher.post(`${second.path}/import/qti`, sent);
    expect(body.results).toMatchObject([
      { outcome: "failed", code: "does_not_exist" },
      { outcome: "created", code: null },
    ]);
    const own = await first.teacher.post(`${first.path}/import/qti`, sent);
    expect(own.body).toMatchObject({ created: 1, skipped: 1, failed: 0 });
  });
});
