import { sql } from "drizzle-orm";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { processCartridgeImports } from "../../../../lib/integrations/cartridges/work.ts";
import { dataJsonShape } from "../../../../schema/api/platform/data-json.ts";
import { cartridgeVersions, contentTypeNames } from "../../../../schema/enums.ts";
import { registerTool } from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { manifest12, packageOf } from "../../../support/scorm.ts";
import { png, sendFile } from "../../../support/send-file.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;

const title = (text: string) => ({ title: text });

const handedIn = {
  ...{ grading: { type: "manual", max_points: 20, extra_points: 1 }, extra_points: 2, max_attempts: 3 },
  ...{ accepts_late: false, late_percent_per_day: 10, max_late_days: 3, group_submission: true },
  ...{ anonymous: true, second_mark: true },
  rubric: {
    criteria: [
      {
        ...{ id: "c", title: "C", description: "About C" },
        levels: [{ id: "l", title: "L", description: "About L", points: 20 }],
      },
    ],
  },
};

/** Data of each content type with every known key, except ids of assets and secrets. */
type Used = { picture: number; film: number; pool: number; scorm: number; tool: number };

const everySetting = ({ picture, film, pool, scorm, tool }: Used): Record<string, Json> => ({
  video: {
    ...{ provider: "internal", video_id: "v", file_id: film, thumbnail_url: "https://example.org/t.png" },
    ...{ url: "https://example.org/v.mp4", video_url: "https://example.org/w.mp4" },
    ...{ duration_seconds: 60, duration: 61 },
    transcript: { language: "en", segments: [{ start: 0, end: 1.5, text: "Hello" }] },
  },
  quiz: {
    ...{ question_pool_id: pool, quiz_mode: "practice", num_questions_per_attempt: 2, randomize_order: true },
    ...{ time_limit_seconds: 660, extra_points: 1, anonymous: true, passing_percent: 55 },
    ...{ show_answers: "never", tutor_scope: "university" },
    mastery: { points: 12.5, extra_points: 2, threshold_correct_in_row: 3, max_attempts: 4 },
  },
  engineering_lab: {
    ...{ lab_type: "python", runtime: "3.14", container_image: "python:3.14", cpu_limit: "500m" },
    ...{ memory_limit: 512, timeout_seconds: 30, entrypoint: "pytest" },
    files: [{ path: "a.png", role: "student_visible", file_id: picture }],
    ...handedIn,
  },
  assignment: {
    ...{ title: "T", instructions: "I", description: "D", max_points: 20 },
    criteria: [{ title: "C", label: "L", text: "T", description: "D", points: 1 }],
    resources: [{ label: "R", url: "https://example.org/", kind: "article" }],
    blocks: [{ type: "paragraph", text: "P" }],
    ...handedIn,
  },
  text: {
    ...{ layout: "wide", title: "T" },
    blocks: [
      { type: "paragraph", text: "P" },
      { type: "math", latex: "a^2" },
      { type: "image", file_id: picture, caption: "C" },
      { type: "link_list", items: [{ label: "L", url: "https://example.org/" }] },
    ],
  },
  resource: { resources: [{ label: "R", url: "https://example.org/", kind: "pdf" }] },
  scorm: {
    ...{ file_id: scorm, completion: "score", passing_percent: 70, grade: "completion" },
    ...{ counted_attempt: "last", max_attempts: 2, max_points: 10 },
  },
  external_tool: {
    ...{ lti_tool_id: tool, url: "https://tool.example.com/7", custom: { quiz: "7", where: "$Context.id" } },
    ...{ max_points: 12.5, extra_points: 1, late_percent_per_day: 5, resource_id: "7", tag: "quiz" },
    submission_review: {
      url: "https://tool.example.com/review",
      custom: { a: "b" },
      reviewable_status: ["Submitted"],
    },
  },
});

type Json = Record<string, unknown>;

/** A course with content of each kind. */
async function course() {
  const university = await make.university();
  const { id } = await make.course(university.id);
  const client = world.as(await make.holder("instructor", university.id));
  const file = async (name: string, bytes: Uint8Array) =>
    (
      await sendFile(
        world.deps,
        client,
        { purpose: "ASSET", course_id: id, name, media_type: "text/plain" },
        bytes,
      )
    ).body.id as number;
  const types = new Map<string, number>();
  for (const { name, id: type } of (await world.deps.db.execute(sql`select name, id from content_types`))
    .rows)
    types.set(String(name), Number(type));
  const module = async (fields: object) =>
    (await client.post("/modules", { course_id: id, module_type: "UNIT", ...fields })).body.id as number;
  const item = async (module_id: number, type: string, name: string, data_json: object, more = {}) => {
    const { status, body } = await client.post("/content", {
      course_id: id,
      module_id,
      content_type_id: types.get(type),
      title: name,
      data_json,
      ...more,
    });
    expect([name, status, body.detail]).toEqual([name, 201, undefined]);
    return body.id as number;
  };
  const [picture, film, sheet, hidden] = [
    await file("wave.png", png),
    await file("wave.mp4", Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isommp41", "latin1")),
    await file("Sheet.txt", Buffer.from("A sheet")),
    await file("test.py", Buffer.from("assert")),
  ];
  const first = await module({ ...title("First & foremost"), description: "What it is *about*.\n\n- One" });
  const inner = await module({
    ...{ ...title("Inner"), parent_module_id: first, module_type: "LESSON" },
    ...{ available_from: "2026-12-01T08:00:00.000Z", due_at: "2027-03-01T08:00:00.000Z" },
  });
  await module(title("Empty"));
  await item(
    first,
    "text",
    "Reading",
    {
      blocks: [
        { type: "paragraph", text: "**Bold** <script>x</script> $a_b$" },
        { type: "image", file_id: picture, caption: "A wave" },
        { type: "math", latex: "a^2" },
        { type: "link_list", items: [{ label: "L", url: "https://example.org/" }] },
      ],
    },
    { description: "About it", estimated_duration_seconds: 60 },
  );
  const wikipedia = await item(first, "resource", "Wikipedia", {
    resources: [{ label: "Wikipedia", url: "https://en.wikipedia.org/" }],
  });
  await item(inner, "resource", "Sheets", {
    resources: [
      { label: "Sheet", file_id: sheet },
      { label: "Other", url: "https://example.org/o" },
    ],
  });
  await item(inner, "video", "Film", {
    provider: "youtube",
    video_id: "dQw4w9WgXcQ",
    url: "https://youtu.be/dQw4w9WgXcQ",
  });
  await item(inner, "assignment", "Report", {
    instructions: "Write *it*.",
    max_points: 20,
    max_attempts: 2,
    rubric: { criteria: [{ id: "c", title: "C", levels: [{ id: "l", title: "L", points: 20 }] }] },
  });
  await item(inner, "engineering_lab", "Lab", {
    lab_type: "python",
    env: { SECRET: "hush" },
    files: [{ path: "test.py", role: "hidden_test", file_id: hidden }],
  });
  const pool = (
    await client.post("/assessments/question-pools", {
      university_id: university.id,
      course_id: id,
      title: "Pool",
    })
  ).body.id as number;
  const questions = [
    {
      kind: "SINGLE_CHOICE",
      question_text: "Which?",
      options: [
        { id: "A", text: "One" },
        { id: "B", text: "<Two> & more" },
      ],
      answer: { option_id: "B" },
      explanation: "So it is.",
      points: 2,
    },
    {
      kind: "MULTIPLE_CHOICE",
      question_text: "Which ones?",
      options: [
        { id: "A", text: "One" },
        { id: "B", text: "Two" },
        { id: "C", text: "Three" },
      ],
      answer: { option_ids: ["A", "C"] },
      points: 1.5,
      scoring: "partial",
    },
    { kind: "TRUE_FALSE", question_text: "True?", answer: { value: false }, points: 1 },
    { kind: "NUMERIC", question_text: "How many?", answer: { value: 3.14, tolerance: 0.01 }, points: 1 },
    { kind: "SHORT_ANSWER", question_text: "Name?", answer: { texts: ["wave", "waves"] }, points: 1 },
  ];
  for (const question of questions)
    expect((await client.post(`/assessments/question-pools/${pool}/questions`, question)).status).toBe(201);
  await item(inner, "quiz", "Quiz", {
    question_pool_id: pool,
    quiz_mode: "exam",
    num_questions_per_attempt: 3,
    time_limit_seconds: 600,
  });
  const admin = world.as(await make.holder("university_admin", university.id));
  const { id: tool } = await registerTool(world, admin, university.id);
  const dated = { available_from: "2027-01-01T08:00:00.000Z", due_at: "2027-02-01T08:00:00.000Z" };
  const archive = {
    "imsmanifest.xml": manifest12([{ href: "index.html" }]),
    "index.html": "<title>Start</title>",
  };
  const scorm = await file("package.zip", packageOf(archive));
  expect((await client.post("/scorm/packages", { file_id: scorm })).status).toBe(201);
  for (const [type, data] of Object.entries(everySetting({ picture, film, pool, scorm, tool })))
    await item(inner, type, `Every setting of ${type}`, data, { ...dated, description: `About ${type}` });
  await item(inner, "quiz", "Not written yet", { quiz_mode: "practice" });
  // Two items that link to each other, and to a bare web link.
  const ways = await item(first, "text", "Ways", { blocks: [] });
  const noted = await item(
    first,
    "text",
    "Noted",
    { blocks: [{ type: "paragraph", text: `[Ways](#/items/${ways}), [web](#/items/${wikipedia})` }] },
    { tutor_line: "Keep this from them" },
  );
  const back = { blocks: [{ type: "paragraph", text: `[*Noted*](#/items/${noted})` }] };
  expect((await client.put(`/content/${ways}`, { data_json: back })).status).toBe(200);
  return { university, id, client, noted };
}

/** The content that a course and its import share: everything except ids. */
async function contentsOf(id: number) {
  const { rows: modules } = await world.deps.db.execute(sql`
    select one.title, one.description, one.module_type, one.available_from, one.due_at, above.title as parent, one.sequence_index from modules as one left join modules as above on above.id = one.parent_module_id
    where one.course_id = ${id} order by one.depth, one.sequence_index`);
  const { rows: items } = await world.deps.db.execute(sql`
    select content_items.id, modules.title as module, content_items.title, content_items.description, estimated_duration_seconds, content_items.available_from, content_items.due_at, content_types.name as type, data_json - 'env' - 'question_pool_id' as data,
      (select json_agg(json_build_object('kind', kind, 'text', question_text, 'options', options_json, 'answer', answer_json, 'explanation', explanation, 'points', points, 'scoring', scoring) order by id)
       from questions where question_pool_id = (data_json ->> 'question_pool_id')::int) as questions,
      (select json_agg(json_build_array(files.name, files.sha256, is_for_staff) order by place) from file_uses join files on files.id = file_id where file_uses.content_item_id = content_items.id) as files
    from content_items join content_types on content_types.id = content_type_id join modules on modules.id = module_id
    where content_items.course_id = ${id} order by modules.depth, modules.sequence_index, content_items.sequence_index`);
  const titles = new Map(items.map((one) => [String(one["id"]), String(one["title"])]));
  for (const one of items) delete one["id"];
  return JSON.parse(
    JSON.stringify({ modules, items })
      .replaceAll(/"file_id":\d+/g, '"file_id":0')
      .replaceAll(/#\/items\/(\d+)/g, (_, item: string) => `#${titles.get(item)}`),
  );
}

describe("a course as a Common Cartridge", () => {
  it.each(cartridgeVersions)(
    "of version %s has all that its authors wrote but notes for the tutor and secrets, and makes the same course of another",
    async (version) => {
      const { university, id, client } = await course();
      const answer = await client.request("GET", `/cartridges/courses/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/zip");
      const headers = { authorization: `Bearer ${await client.token}`, accept: "application/octet-stream" };
      const again = await world.app.request(`/api/v1/cartridges/courses/${id}?version=${version}`, {
        headers,
      });
      expect(again.headers.get("content-type")).toBe("application/octet-stream");
      const bytes = new Uint8Array(await again.arrayBuffer());
      const files = Object.fromEntries(
        Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content, true)]),
      );
      const all = Object.values(files).join("\n");
      expect(files["imsmanifest.xml"]).toContain(`<schemaversion>${version}.0</schemaversion>`);
      const inXml = Object.entries(files).flatMap(([name, text]) => (name.endsWith(".xml") ? [text] : []));
      const named = new Set(inXml.join("\n").match(/(?<=ccv|_xmlv|imswl_v|imslticc_v)1p[34]/g));
      expect(named).toEqual(new Set([version.replace(".", "p")]));
      expect(all).not.toMatch(/Keep this from them|hush|<script/);
      const links = Object.values(files).flatMap((text) => text.match(/href="\.\.\/item-[^"]*/g) ?? []);
      expect(links.map((one) => files[one.slice('href="../'.length)] !== undefined)).toEqual([
        true,
        true,
        true,
      ]);
      expect(all).toContain('<varequal respident="response1">B</varequal>');
      const other = await make.course(university.id);
      const sent = await sendFile(
        world.deps,
        client,
        { purpose: "IMPORT", course_id: other.id, name: "c.imscc", media_type: "application/zip" },
        bytes,
      );
      const { body } = await client.post("/cartridges/imports", {
        course_id: other.id,
        file_id: sent.body.id,
      });
      await processCartridgeImports(world.deps, never);
      const { body: job } = await client.get(`/cartridges/imports/${body.id}`);
      const { body: parts } = await client.get(`/cartridges/imports/${body.id}/parts?limit=500`);
      expect(job).toMatchObject({
        ...{ cartridge_version: `${version}.0`, failure: null, refused: 0, partly: 0 },
      });
      expect(
        parts
          .filter((one: { outcome: string; code: string }) => one.outcome === "IGNORED")
          .every((one: { outcome: string; code: string }) => one.code === "cartridge_shown_elsewhere"),
      ).toBe(true);
      expect(await contentsOf(other.id)).toEqual(await contentsOf(id));
    },
  );

  it("has every known setting of each content type in its test", () => {
    const given = everySetting({ picture: 1, film: 1, pool: 1, scorm: 1, tool: 1 });
    for (const type of contentTypeNames) {
      const known = Object.keys(dataJsonShape(type)?.shape ?? {});
      // Line items of tools are columns of one offering, and no content.
      const unexported = ["asset_id", "env", "line_item"];
      const untold = known.filter((key) => !(key in (given[type] ?? {})) && !unexported.includes(key));
      expect([type, untold]).toEqual([type, []]);
    }
  });

  it("needs write access and the right to read keys", async () => {
    const { university, id } = await course();
    for (const [role, status] of [
      ["ta", 403],
      ["student", 403],
      ["university_admin", 200],
    ] as const)
      expect([
        role,
        (await world.as(await make.holder(role, university.id)).request("GET", `/cartridges/courses/${id}`))
          .status,
      ]).toEqual([role, status]);
  });
});
