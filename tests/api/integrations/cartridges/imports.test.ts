import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hashAndScanPendingFiles } from "../../../../lib/files/check-files.ts";
import { processCartridgeImports } from "../../../../lib/integrations/cartridges/work.ts";
import {
  canvasCartridge,
  canvasSettings,
  choices,
  entry,
  equal,
  item,
  manifestOf,
  qtiItem,
  quizOf,
  resource,
  zipOf,
} from "../../../support/cartridges.ts";
import {
  linkResource,
  manifest14,
  newKinds,
  openVideo,
  questionPackage3,
  toolLink14,
  webLink14,
} from "../../../support/cartridges-1-4.ts";
import { registerTool } from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { manifest12 } from "../../../support/scorm.ts";
import { png, sendFile } from "../../../support/send-file.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;

async function author() {
  const university = await make.university();
  const course = await make.course(university.id);
  const client = world.as(await make.holder("instructor", university.id));
  const send = async (bytes: Uint8Array) => {
    const { body } = await sendFile(
      world.deps,
      client,
      { purpose: "IMPORT", course_id: course.id, name: "course.imscc", media_type: "application/zip" },
      bytes,
    );
    if (body.state === "CHECKING") await hashAndScanPendingFiles(world.deps, never);
    return body.id as number;
  };
  const start = (file_id: number, dry_run = false) =>
    client.post("/cartridges/imports", { course_id: course.id, file_id, dry_run });
  const ended = async (id: number) => {
    await processCartridgeImports(world.deps, never);
    const [job, parts] = await Promise.all([
      client.get(`/cartridges/imports/${id}`),
      client.get(`/cartridges/imports/${id}/parts?limit=500`),
    ]);
    return { job: job.body, parts: parts.body as Part[] };
  };
  const run = async (files: Record<string, string | Uint8Array> | Uint8Array, dry_run = false) => {
    const { body } = await start(await send(files instanceof Uint8Array ? files : zipOf(files)), dry_run);
    return ended(body.id);
  };
  return { university, course, client, send, start, ended, run };
}

type Part = {
  number: number;
  kind: string;
  title: string;
  outcome: string;
  code: string | null;
  reason: string | null;
  became: string[];
  left_out: string[];
  left_out_codes: (string | null)[];
  path: string | null;
  content_item_ids: number[];
};

/** A course's tree in authoring order. */
async function treeOf(course: number) {
  const { rows: modules } = await world.deps.db.execute(sql`
    select id, parent_module_id as parent, title, is_published from modules where course_id = ${course} order by depth, sequence_index`);
  const { rows: items } = await world.deps.db.execute(sql`
    select module_id, content_items.id, title, content_types.name as type, data_json from content_items
    join content_types on content_types.id = content_type_id where course_id = ${course} order by sequence_index`);
  type Node = { title: string; is_published: boolean; items: [string, string][]; modules: Node[] };
  const below = (parent: unknown): Node[] =>
    modules
      .filter((one) => one["parent"] === parent)
      .map((one) => ({
        title: String(one["title"]),
        is_published: one["is_published"] as boolean,
        items: items
          .filter((each) => each["module_id"] === one["id"])
          .map((each): [string, string] => [String(each["type"]), String(each["title"])]),
        modules: below(one["id"]),
      }));
  return { tree: below(null), items };
}

const counts = async (course: number) => {
  const { rows } = await world.deps.db.execute(sql`
    select (select count(*)::int from modules where course_id = ${course}) as modules,
      (select count(*)::int from content_items where course_id = ${course}) as items,
      (select count(*)::int from question_pools where course_id = ${course}) as pools,
      (select count(*)::int from files where course_id = ${course} and purpose = 'asset') as files`);
  return rows[0];
};

describe("an import of a Common Cartridge", () => {
  it("creates items of SCORM packages, and reports faulty ones and SCOs outside of a package", async () => {
    const { course, run } = await author();
    const page = "<title>Start</title>";
    const cartridge = {
      "imsmanifest.xml": manifestOf(
        [
          item("i1", "Package", "p"),
          item("i2", "Faulty", "f"),
          item("i3", "Archive", "a"),
          item("i4", "SCO", "s"),
        ].join(""),
        [
          ...[resource("p", "webcontent", ["package.zip"]), resource("f", "webcontent", ["faulty.zip"])],
          ...[resource("a", "webcontent", ["archive.zip"])],
          resource("s", "webcontent", ["sco.html"]).replace("<resource ", '<resource adlcp:scormtype="sco" '),
        ].join(""),
      ).replace("<manifest ", '<manifest xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2" '),
      "package.zip": zipOf({ "imsmanifest.xml": manifest12([{ href: "index.html" }]), "index.html": page }),
      "faulty.zip": zipOf({ "imsmanifest.xml": manifest12([{ href: "gone.html" }]) }),
      "archive.zip": zipOf({ "notes.txt": "notes" }),
      "sco.html": page,
    };
    const dry = await run(cartridge, true);
    const { parts } = await run(cartridge);
    const told = (list: Part[]) =>
      list
        .filter(({ kind }) => kind !== "MODULE")
        .map(({ title, outcome, code, became }) => [title, outcome, code, became.join()]);
    expect(told(parts)).toEqual([
      ["Package", "CREATED", null, "scorm"],
      ["Faulty", "PARTLY", null, "resource"],
      ["Archive", "CREATED", null, "resource"],
      ["SCO", "REFUSED", "cartridge_scorm_resource", ""],
    ]);
    expect(told(dry.parts)).toEqual(told(parts));
    expect(parts.find(({ title }) => title === "Faulty")?.left_out).toEqual([
      "faulty.zip: 'Part 1' launches gone.html, which is not in the package",
    ]);
    const { rows } = await world.deps.db.execute(sql`
      select scorm_packages.version from content_items
      join scorm_packages on scorm_packages.file_id = (data_json ->> 'file_id')::bigint where course_id = ${course.id}`);
    expect(rows).toEqual([{ version: "1.2" }]);
  });

  it("creates modules, texts, links, films, quizzes and work from Canvas's export, in its order and unpublished, and reports the rest", async () => {
    const { course, run } = await author();
    const dry = await run(canvasCartridge(png), true);
    expect(await counts(course.id)).toEqual({ modules: 0, items: 0, pools: 0, files: 0 });
    const { job, parts } = await run(canvasCartridge(png));
    expect(job).toMatchObject({
      title: "Waves",
      cartridge_version: "1.1.0",
      failure: null,
      total: parts.length,
      done: parts.length,
    });
    const told = (list: Part[]) =>
      list.map(({ kind, title, outcome, code, became }) => [kind, title, outcome, code, became.join()]);
    expect(told(parts)).toEqual([
      ["MODULE", "First week", "CREATED", null, "module"],
      ["PAGE", "Waves", "PARTLY", null, "text"],
      ["LINK", "Wikipedia", "CREATED", null, "resource"],
      ["TOPIC", "Talk", "CREATED", null, "text"],
      ["MODULE", "Header", "CREATED", null, "module"],
      ["LTI_LINK", "Tool", "REFUSED", "cartridge_lti_link", ""],
      ["OTHER", "Missing", "REFUSED", "cartridge_resource_missing", ""],
      ["MODULE", "Second week", "CREATED", null, "module"],
      ["MODULE", "Deeper", "CREATED", null, "module"],
      ["QUIZ", "Quiz", "PARTLY", null, "question_pool,quiz,assignment"],
      ["ASSIGNMENT", "Report", "CREATED", null, "assignment"],
      ["LINK", "Film", "CREATED", null, "video"],
      ["MODULE", "Further material", "CREATED", null, "module"],
      ["OTHER", "canvas_export", "IGNORED", "cartridge_settings_of_program", ""],
      ["FILE", "wave", "IGNORED", "cartridge_shown_elsewhere", ""],
      ["FILE", "sheet.txt", "CREATED", null, "resource"],
      ["OTHER", "x", "REFUSED", "cartridge_kind_unknown", ""],
    ]);
    expect(told(dry.parts)).toEqual(told(parts));
    expect(parts[1]?.left_out.toSorted()).toEqual([
      "link: javascript:steal()",
      "onerror",
      "onload",
      "script",
    ]);
    expect(new Set(parts[1]?.left_out_codes)).toEqual(
      new Set(["left_out_link", "left_out_handler", "left_out_element"]),
    );
    expect(parts[9]).toMatchObject({
      left_out: ["7: matching_question"],
      left_out_codes: ["left_out_question_kind"],
    });
    const { tree, items } = await treeOf(course.id);
    expect(tree).toMatchObject([
      {
        title: "First week",
        is_published: false,
        items: [
          ["text", "Waves"],
          ["resource", "Wikipedia"],
          ["text", "Talk"],
        ],
        modules: [{ title: "Header" }],
      },
      {
        title: "Second week",
        items: [["video", "Film"]],
        modules: [
          {
            title: "Deeper",
            items: [
              ["quiz", "Quiz"],
              ["assignment", "Quiz"],
              ["assignment", "Report"],
            ],
          },
        ],
      },
      { title: "Further material", items: [["resource", "sheet.txt"]] },
    ]);
    const dataOf = (title: string, type: string) =>
      items.find((one) => one["title"] === title && one["type"] === type)?.["data_json"] as Record<
        string,
        unknown
      >;
    expect(dataOf("Waves", "text")["blocks"]).toEqual([
      { type: "paragraph", text: "## Interference\n\nThey **add** up. here [there](https://example.org/w)" },
      { type: "image", file_id: expect.any(Number), caption: "A wave" },
    ]);
    expect(JSON.stringify(items)).not.toContain("steal");
    expect(dataOf("Quiz", "quiz")).toMatchObject({
      time_limit_seconds: 600,
      mastery: { points: 10, max_attempts: 3 },
    });
    expect(dataOf("Report", "assignment")).toEqual({ instructions: "Write a report.", max_points: 12.5 });
    const { rows } = await world.deps.db.execute(sql`
      select kind, answer_json from questions where question_pool_id = ${dataOf("Quiz", "quiz")["question_pool_id"]} order by id`);
    expect(rows.map(({ kind, answer_json }) => [kind, answer_json])).toEqual([
      ["single_choice", { option_id: "b" }],
      ["multiple_choice", { option_ids: ["a", "c"] }],
      ["true_false", { value: false }],
      ["short_answer", { texts: ["wave", "waves"] }],
      ["numeric", { value: 33.33, tolerance: 0.01 }],
    ]);
  });

  it("takes over the settings that exist here, and reports each of the others", async () => {
    const { course, run } = await author();
    const { parts } = await run(canvasSettings);
    const told = Object.fromEntries(parts.map((part) => [part.title, part]));
    expect(parts.map(({ title, outcome, became }) => [title, outcome, became.join()])).toEqual([
      ["Week 1", "CREATED", "module"],
      ["Answers hidden", "PARTLY", "question_pool,quiz"],
      ["Not written yet", "CREATED", "quiz"],
      ["Drawn from a bank", "CREATED", "question_pool,quiz"],
      ["Drawn from it again", "PARTLY", "question_pool,quiz"],
      ["Pick one of two", "CREATED", "question_pool,quiz"],
      ["Group essay", "PARTLY", "assignment"],
      ["Talk", "PARTLY", "text"],
      ["Further material", "CREATED", "module"],
      ["The bank", "CREATED", "question_pool"],
      ["Syllabus", "CREATED", "text"],
      ["canvas_export", "IGNORED", ""],
    ]);
    expect(told["Answers hidden"]?.left_out.toSorted()).toEqual([
      "setting cant_go_back: true",
      "setting ip_filter: 10.0.0.0/8",
      "setting novel.switch: on",
      "setting one_question_at_a_time: true",
      "setting scoring_policy: keep_latest",
      "the access code",
      "the closing date 2027-02-02T12:00:00.000Z",
    ]);
    expect(new Set(told["Answers hidden"]?.left_out_codes)).toEqual(
      new Set(["left_out_until", "left_out_setting", "left_out_access_code"]),
    );
    expect(told["Group essay"]?.left_out).toEqual(["setting submission_types: online_upload"]);
    expect(told["Talk"]?.left_out).toEqual(["setting pinned: true", "setting assignment.points_possible: 5"]);
    expect(told["canvas_export"]?.left_out).toEqual(["settings in course_settings/rubrics.xml"]);
    const { rows } = await world.deps.db.execute(sql`
      select content_items.title, description, available_from, due_at, data_json - 'question_pool_id' as data,
        (select title from question_pools where id = (data_json ->> 'question_pool_id')::int) as pool
      from content_items where course_id = ${course.id}`);
    const item = (title: string) => rows.find((one) => one["title"] === title);
    expect(item("Answers hidden")).toMatchObject({
      description: "Closed book. Show your work.",
      ...{ available_from: expect.anything(), due_at: expect.anything() },
      data: {
        ...{ quiz_mode: "practice", time_limit_seconds: 1200, randomize_order: true, show_answers: "never" },
        mastery: { points: 50, max_attempts: 1 },
      },
    });
    expect(new Date(String(item("Answers hidden")?.["due_at"])).toISOString()).toBe(
      "2027-02-01T12:00:00.000Z",
    );
    expect(item("Not written yet")).toMatchObject({ pool: null });
    expect(item("Drawn from a bank")).toMatchObject({
      pool: "The bank",
      data: { num_questions_per_attempt: 1, mastery: { points: 10 } },
    });
    expect(item("Drawn from it again")?.["pool"]).toBe("The bank");
    expect(item("Pick one of two")).toMatchObject({
      pool: "Pick one of two",
      data: { num_questions_per_attempt: 1, mastery: { points: 5 } },
    });
    expect(item("Group essay")?.["data"]).toMatchObject({
      ...{ max_points: 25, max_attempts: 2, group_submission: true, anonymous: true },
      rubric: { criteria: [{ title: "Style", levels: [{ points: 10 }, { points: 2 }] }] },
    });
    // The bank is one pool, although three parts name it.
    expect(await counts(course.id)).toMatchObject({ pools: 3 });
  });

  it("creates what is unpublished in its program as inactive items", async () => {
    const { course, run } = await author();
    const associated = "associatedcontent/imscc_xmlv1p1/learning-application-resource";
    const quizType = "imsqti_xmlv1p2/imscc_xmlv1p1/assessment";
    const essay = qtiItem("essay_question", "Explain.", entry());
    const truth = qtiItem(
      "true_false_question",
      "Wet?",
      choices("Single", { t: "True", f: "False" }),
      equal("t"),
    );
    const files: Record<string, string> = {
      "link.xml": '<webLink><url href="https://example.org/"/></webLink>',
    };
    let items = "";
    let resources = "";
    for (const [state, quiz, topic] of [
      ["active", "true", "active"],
      ["unpublished", "false", "post_delayed"],
    ] as const) {
      const one = (name: string) => `${name} ${state}`;
      items += ["page", "work", "quiz", "topic", "link", "item"]
        .map((name) => item(`i_${name}_${state}`, one(name), `${name === "item" ? "link" : name}_${state}`))
        .join("")
        .replace(`"i_link_${state}"`, `"i_link_${state}" isvisible="${state === "active"}"`);
      resources +=
        resource(`page_${state}`, "webcontent", [`wiki_content/${state}.html`]) +
        resource(`work_${state}`, associated, [
          `work_${state}/w.html`,
          `work_${state}/assignment_settings.xml`,
        ]) +
        resource(
          `quiz_${state}`,
          quizType,
          [`${state}.qti`],
          `<dependency identifierref="quizmeta_${state}"/>`,
        ) +
        resource(`quizmeta_${state}`, associated, [`${state}/assessment_meta.xml`]) +
        resource(
          `topic_${state}`,
          "imsdt_xmlv1p1",
          [`${state}.topic`],
          `<dependency identifierref="meta_${state}"/>`,
        ) +
        resource(`meta_${state}`, associated, [`${state}.meta.xml`]) +
        resource(`link_${state}`, "imswl_xmlv1p1", ["link.xml"]) +
        resource(`file_${state}`, "webcontent", [`web_resources/file ${state}.txt`]) +
        resource(`folder_${state}`, "webcontent", [`web_resources/${state}/folder ${state}.txt`]);
      files[`wiki_content/${state}.html`] =
        `<html><head><meta name="workflow_state" content="${state}"/></head><body>The key</body></html>`;
      files[`work_${state}/w.html`] = "<p>Write.</p>";
      files[`work_${state}/assignment_settings.xml`] =
        `<assignment><workflow_state>${state.replace("active", "published")}</workflow_state></assignment>`;
      files[`${state}.qti`] = quizOf(truth, essay.replace('title="Question"', `title="essay ${state}"`));
      files[`${state}/assessment_meta.xml`] = `<quiz><available>${quiz}</available></quiz>`;
      files[`${state}.topic`] = "<topic><text>Why?</text></topic>";
      files[`${state}.meta.xml`] = `<topicMeta><workflow_state>${topic}</workflow_state></topicMeta>`;
      files[`web_resources/file ${state}.txt`] = "x";
      files[`web_resources/${state}/folder ${state}.txt`] = "x";
    }
    files["course_settings/module_meta.xml"] =
      `<modules><module identifier="m"><workflow_state>unpublished</workflow_state><items>
      <item identifier="i_item_active"><workflow_state>active</workflow_state></item>
      <item identifier="i_item_unpublished"><workflow_state>unpublished</workflow_state></item></items></module></modules>`;
    files["course_settings/files_meta.xml"] =
      `<fileMeta><folders><folder path="unpublished"><hidden>true</hidden></folder></folders>
      <files><file identifier="file_unpublished"><locked>true</locked></file></files></fileMeta>`;
    const { job } = await run({
      ...files,
      "imsmanifest.xml": manifestOf(item("m", "Week", undefined, items), resources),
    });
    expect(job).toMatchObject({ failure: null, created: 18, partly: 0 });
    const { rows } = await world.deps.db.execute(
      sql`select title, is_active from content_items where course_id = ${course.id} order by title`,
    );
    const kinds = ["essay", "file", "folder", "item", "link", "page", "quiz", "topic", "work"];
    const names = rows.map(({ title, is_active }) => [String(title).replace(".txt", ""), is_active]);
    expect(names).toEqual(
      kinds.flatMap((kind) => [
        [`${kind} active`, true],
        [`${kind} unpublished`, false],
      ]),
    );
  });

  it("refuses a quiz without a supported question, and says why of each", async () => {
    const { run } = await author();
    const { parts } = await run({
      "imsmanifest.xml": manifestOf(
        item("i", "Quiz", "q"),
        resource("q", "imsqti_xmlv1p2/imscc_xmlv1p1/assessment", ["q.xml"]),
      ),
      "q.xml": quizOf(qtiItem("matching_question", "Match.", choices("Single", { a: "1" }))),
    });
    expect(parts[1]).toMatchObject({
      ...{ outcome: "REFUSED", code: "cartridge_quiz_without_questions" },
      left_out: ["1: matching_question"],
    });
  });

  it("resolves links between its parts to the created items, also to later ones", async () => {
    const { course, run } = await author();
    const link = (address: string, label: string) => `<p><a href="${address}">${label}</a></p>`;
    const { parts } = await run({
      "imsmanifest.xml": manifestOf(
        [item("i1", "First", "r1"), item("i2", "Second", "r2"), item("i3", "Sheet", "r3")].join(""),
        [
          resource("r1", "webcontent", ["wiki_content/first.html"]),
          resource("r2", "webcontent", ["wiki_content/second.html"]),
          resource("r3", "webcontent", ["web_resources/a sheet (1).txt"]),
        ].join(""),
      ),
      "wiki_content/first.html": [
        link("second.html#part", "beside"),
        link("$WIKI_REFERENCE$/pages/second", "**Canvas**"),
        link("$CANVAS_OBJECT_REFERENCE$/assignments/r2?module_item_id=1", "thing"),
        link("$IMS-CC-FILEBASE$/a%20sheet%20(1).txt", "file"),
        link("$CANVAS_OBJECT_REFERENCE$/quizzes/gone", "lost"),
        link("https://example.org/", "web"),
      ].join(""),
      "wiki_content/second.html": link("first.html", "back"),
      "web_resources/a sheet (1).txt": "A sheet",
    });
    const { items } = await treeOf(course.id);
    const [first, second, sheet] = ["First", "Second", "Sheet"].map((title) =>
      items.find((one) => one["title"] === title),
    );
    const textsOf = (one = first) => {
      const { blocks } = (one?.["data_json"] ?? { blocks: [] }) as { blocks: { text: string }[] };
      return blocks.map(({ text }) => text).join("\n\n");
    };
    expect(textsOf().split("\n\n")).toEqual([
      `[beside](#/items/${second?.["id"]})`,
      `[\\*\\*Canvas\\*\\*](#/items/${second?.["id"]})`,
      `[thing](#/items/${second?.["id"]})`,
      `[file](#/items/${sheet?.["id"]})`,
      "lost",
      "[web](https://example.org/)",
    ]);
    expect(textsOf(second)).toBe(`[back](#/items/${first?.["id"]})`);
    expect(parts.map(({ title, outcome, left_out }) => [title, outcome, left_out])).toContainEqual([
      "First",
      "PARTLY",
      ["link: gone"],
    ]);
  });

  it("ignores a text that only looks like a pending link, and completes", async () => {
    const { course, run } = await author();
    const { job } = await run({
      "imsmanifest.xml": manifestOf(item("a", "Page", "p"), resource("p", "webcontent", ["p.html"])),
      "p.html": "<p>Before</p><pre>](cartridge:nothing) ](cartridge:no thing)</pre>",
    });
    expect(job).toMatchObject({ failure: null, done: job.total });
    const { items } = await treeOf(course.id);
    expect(JSON.stringify(items[0]?.["data_json"])).toContain("](cartridge:nothing) ](cartridge:no thing)");
  });

  it("writes nothing twice if it is killed after any part, and continues there", async () => {
    const { course, start, send, client, ended } = await author();
    const { body } = await start(await send(zipOf(canvasCartridge(png))));
    for (let step = 0; step < 40; step++) {
      // A worker that dies at each part: its lease expires, and unwritten work is repeated.
      let calls = 0;
      const db = new Proxy(world.deps.db, {
        get(target, name) {
          const value = Reflect.get(target, name, target);
          if (name !== "execute") return typeof value === "function" ? value.bind(target) : value;
          return (...given: unknown[]) => {
            calls += 1;
            if (calls > 3 + (step % 6)) throw new Error("killed");
            return value.apply(target, given);
          };
        },
      });
      await processCartridgeImports({ ...world.deps, db }, noDeadline()).catch(() => {});
      await world.deps.db.execute(
        sql`update cartridge_imports set leased_until = null, tries = 0 where id = ${body.id}`,
      );
      const { body: job } = await client.get(`/cartridges/imports/${body.id}`);
      if (job.ended_at) break;
    }
    const { job } = await ended(body.id);
    expect(job).toMatchObject({ failure: null, done: 17 });
    expect(await counts(course.id)).toEqual({ modules: 5, items: 8, pools: 1, files: 2 });
    await processCartridgeImports(world.deps, never);
    expect(await counts(course.id)).toEqual({ modules: 5, items: 8, pools: 1, files: 2 });
  });

  it("says why a file is no cartridge, and starts one that writes into a course at a time", async () => {
    const { run, send, start, ended } = await author();
    const failure = async (files: Parameters<typeof run>[0]) => (await run(files, true)).job.code;
    expect(await failure(new TextEncoder().encode("nothing"))).toBe("cartridge_not_archive");
    expect(await failure({ "a.txt": "x" })).toBe("cartridge_manifest_missing");
    expect(await failure({ "imsmanifest.xml": "<a><b></a>" })).toBe("cartridge_manifest_unreadable");
    expect(await failure({ "imsmanifest.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' })).toBe(
      "cartridge_manifest_unreadable",
    );
    expect(await failure({ "imsmanifest.xml": manifestOf("", "", { schema: "ADL SCORM" }) })).toBe(
      "cartridge_of_another_kind",
    );
    expect(await failure({ "imsmanifest.xml": manifestOf("", "", { version: "2.0.0" }) })).toBe(
      "cartridge_version_unknown",
    );
    const file = await send(zipOf({ "imsmanifest.xml": manifestOf("", "") }));
    const both = await Promise.all([start(file), start(file)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(both.find(({ status }) => status === 400)?.body.detail).toBe(
      "A cartridge is already being imported into this course",
    );
    expect((await ended(both.find(({ status }) => status === 201)?.body.id)).job).toMatchObject({
      total: 0,
      failure: null,
    });
  });

  it("reports broken pages and quizzes as rejected parts, and continues with the others", async () => {
    const { run } = await author();
    const { parts } = await run(
      {
        "imsmanifest.xml": manifestOf(
          item("a", "Broken quiz", "q") +
            item("b", "Entities", "e") +
            item("c", "Bad link", "l") +
            item("d", "Good", "g"),
          resource("q", "imsqti_xmlv1p2/imscc_xmlv1p3/assessment", ["q.xml"]) +
            resource("e", "imsqti_xmlv1p2/imscc_xmlv1p2/assessment", ["e.xml"]) +
            resource("l", "imswl_xmlv1p3", ["l.xml"]) +
            resource("g", "webcontent", ["g.html"]),
        ),
        "q.xml": "<questestinterop><assessment>",
        "e.xml": '<!DOCTYPE q [<!ENTITY a "aaaa">]><questestinterop>&a;</questestinterop>',
        "l.xml": '<webLink><title>x</title><url href="javascript:alert(1)"/></webLink>',
        "g.html": "<p>Good",
        "../evil.html": "<p>Out of it",
      },
      false,
    );
    expect(parts.map(({ title, outcome, code }) => [title, outcome, code])).toEqual([
      ["Waves", "CREATED", null],
      ["Broken quiz", "REFUSED", "cartridge_xml_unreadable"],
      ["Entities", "REFUSED", "cartridge_xml_unreadable"],
      ["Bad link", "REFUSED", "cartridge_link_not_of_web"],
      ["Good", "CREATED", null],
      ["../evil.html", "REFUSED", "archive_path_leaves"],
    ]);
  });

  it("omits a film of more than 2 GB by its directory entry, unread, and imports the files next to it", async () => {
    const { course, run } = await author();
    const archive = Buffer.from(
      zipOf({
        "imsmanifest.xml": manifestOf(
          item("a", "Long film", "f") + item("b", "Good", "g"),
          resource("f", "webcontent", ["film.mp4"]) + resource("g", "webcontent", ["g.html"]),
        ),
        "film.mp4": "ftyp",
        "g.html": "<p>Good",
      }),
    );
    // In the directory entry, the uncompressed size is 22 bytes before the file name.
    const unpackedAt = archive.lastIndexOf("film.mp4") - 22;
    expect(archive.readUInt32LE(unpackedAt)).toBe(4);
    archive.writeUInt32LE(2_000_000_001, unpackedAt);
    const { parts } = await run(new Uint8Array(archive));
    expect(parts.map(({ title, outcome, code, reason }) => [title, outcome, code, reason])).toEqual([
      ["Waves", "CREATED", null, null],
      ["Long film", "REFUSED", "cartridge_file_beyond_bounds", expect.stringContaining("2000 MB")],
      ["Good", "CREATED", null, null],
    ]);
    expect(await counts(course.id)).toMatchObject({ items: 1, files: 0 });
  });

  it("needs write access there, and accepts no file of another user", async () => {
    const { course, university, send, client } = await author();
    const file = await send(zipOf({ "imsmanifest.xml": manifestOf("", "") }));
    const other = world.as(await make.holder("instructor", university.id));
    const elsewhere = world.as(await make.holder("instructor", (await make.university()).id));
    const ask = { course_id: course.id, file_id: file };
    expect((await other.post("/cartridges/imports", ask)).body.detail).toBe(`File ${file} does not exist`);
    expect((await elsewhere.post("/cartridges/imports", ask)).status).toBe(403);
    const { body } = await client.post("/cartridges/imports", ask);
    expect((await elsewhere.get(`/cartridges/imports/${body.id}`)).status).toBe(403);
    expect((await client.get(`/cartridges/courses/${course.id}/imports`)).body).toHaveLength(1);
  });
});

describe("an LTI link", () => {
  const link = (url: string) => `<?xml version="1.0"?>
    <cartridge_basiclti_link xmlns="http://www.imsglobal.org/xsd/imslticc_v1p0"
      xmlns:blti="http://www.imsglobal.org/xsd/imsbasiclti_v1p0" xmlns:lticm="http://www.imsglobal.org/xsd/imslticm_v1p0">
      <blti:title>Waves quiz</blti:title><blti:description>At the tool</blti:description>
      <blti:custom><lticm:property name="quiz">7</lticm:property></blti:custom>
      <blti:launch_url>${url}</blti:launch_url>
    </cartridge_basiclti_link>`;
  const files = (url: string) => ({
    "imsmanifest.xml": manifestOf(
      item("m", "Week", undefined, item("i", "Quiz", "lti")),
      resource("lti", "imsbasiclti_xmlv1p3", ["lti.xml"]),
    ),
    "lti.xml": link(url),
  });

  it("becomes an item of the tool that is registered for its host", async () => {
    const { university, course, run } = await author();
    const admin = world.as(await make.holder("university_admin", university.id));
    const tool = await registerTool(world, admin, university.id);
    const { parts } = await run(files("https://tool.example.com/quiz?id=7"));
    expect(parts.at(-1)).toMatchObject({ kind: "LTI_LINK", outcome: "CREATED", became: ["external_tool"] });
    const { items } = await treeOf(course.id);
    expect(items).toMatchObject([
      {
        ...{ title: "Quiz", type: "external_tool" },
        data_json: { lti_tool_id: tool.id, url: "https://tool.example.com/quiz?id=7", custom: { quiz: "7" } },
      },
    ]);
  });

  it("without a registered tool keeps its address, and says so", async () => {
    const { course, run } = await author();
    const other = await make.university();
    const admin = world.as(await make.holder("university_admin", other.id));
    await registerTool(world, admin, other.id);
    const { parts } = await run(files("https://tool.example.com/quiz"));
    expect(parts.at(-1)).toMatchObject({
      ...{ outcome: "PARTLY", left_out_codes: ["left_out_tool"] },
      left_out: ["the tool: none is registered for tool.example.com"],
    });
    const [made] = (await treeOf(course.id)).items;
    expect(made?.["data_json"]).toEqual({ url: "https://tool.example.com/quiz", custom: { quiz: "7" } });
  });

  it.each(["javascript:alert(1)", "", "ftp://tool.example.com/"])("to %j is rejected", async (url) => {
    const { run } = await author();
    const { parts } = await run(files(url));
    expect(parts.at(-1)).toMatchObject({ outcome: "REFUSED", code: "cartridge_lti_link" });
  });
});

describe("a Common Cartridge 1.4", () => {
  const mp4 = Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isommp41", "latin1");

  it("becomes links, tools, films, questions and files, and reports what has no place", async () => {
    const { university, course, run } = await author();
    const admin = world.as(await make.holder("university_admin", university.id));
    const tool = await registerTool(world, admin, university.id);
    const items = ["ov", "web", "qti", "book", "zip", "apip"].map((id) => item(`i_${id}`, id, id));
    const links =
      linkResource("w", "imswl_xmlv1p4", webLink14("https://example.org/waves")) +
      linkResource("t", "imsbasiclti_xmlv1p4", toolLink14());
    const cartridge = {
      "imsmanifest.xml": manifest14(
        item("m", "Week", undefined, [item("i1", "Waves", "w"), item("i2", "Quiz", "t"), ...items].join("")),
        links + newKinds(),
      ),
      ...{ "video/session.xml": openVideo("lecture.mp4"), "video/lecture.mp4": mp4 },
      "video/web.xml": openVideo("https://youtu.be/dQw4w9WgXcQ"),
      ...{ "questions.zip": questionPackage3(), "book.epub": zipOf({ mimetype: "application/epub+zip" }) },
      ...{ "video.zip": zipOf({}), "apip.zip": zipOf({}) },
    };
    const dry = await run(cartridge, true);
    const { job, parts } = await run(cartridge);
    expect(job).toMatchObject({ cartridge_version: "1.4.0", failure: null });
    const told = (list: Part[]) =>
      list.map(({ title, outcome, code, became }) => [title, outcome, code, became.join()]);
    expect(told(parts)).toEqual([
      ["Week", "CREATED", null, "module"],
      ["Waves", "CREATED", null, "resource"],
      ["Quiz", "PARTLY", null, "external_tool"],
      ["ov", "PARTLY", null, "video"],
      ["web", "PARTLY", null, "video"],
      ["qti", "PARTLY", null, "question_pool"],
      ["book", "CREATED", null, "resource"],
      ["zip", "REFUSED", "cartridge_kind_unknown", ""],
      ["apip", "REFUSED", "cartridge_kind_unknown", ""],
    ]);
    expect(told(dry.parts)).toEqual(told(parts));
    const { items: made } = await treeOf(course.id);
    const data = new Map(made.map((one) => [one["title"], one["data_json"]]));
    expect(data.get("Quiz")).toEqual({
      ...{ lti_tool_id: tool.id, url: "https://tool.example.com/7", custom: { quiz: "7" } },
      ...{ max_points: 12.5, resource_id: "7", tag: "quiz" },
    });
    expect(data.get("ov")).toMatchObject({ provider: "internal" });
    expect(data.get("web")).toMatchObject({ provider: "youtube", video_id: "dQw4w9WgXcQ" });
    expect(await counts(course.id)).toEqual({ modules: 1, items: 5, pools: 1, files: 2 });
  });

  it("whose recording names no film of the cartridge or the web is rejected with that part", async () => {
    const { run } = await author();
    const { parts } = await run({
      "imsmanifest.xml": manifest14(
        item("i1", "Away", "away") + item("i2", "Script", "script") + item("i3", "Web", "web"),
        resource("away", "imsov_xmlv1p0", ["away.xml"]) +
          resource("script", "imsov_xmlv1p0", ["script.xml"]) +
          resource("web", "imsov_xmlv1p0", ["web.xml"]),
      ),
      "away.xml": openVideo("../../etc/passwd"),
      "script.xml": openVideo("javascript:alert(1)"),
      "web.xml": openVideo("https://example.org/a.mp4"),
    });
    expect(parts.map(({ title, outcome, code }) => [title, outcome, code])).toEqual([
      ["Waves", "CREATED", null],
      ["Away", "REFUSED", "cartridge_link_not_of_web"],
      ["Script", "REFUSED", "cartridge_link_not_of_web"],
      ["Web", "PARTLY", null],
    ]);
  });
});
