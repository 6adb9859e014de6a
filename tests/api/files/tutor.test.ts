import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { extractDocumentTexts } from "../../../lib/files/extract-document-texts.ts";
import { itemFileTextsJsonQuery } from "../../../lib/tutor/chat/file-texts.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;

beforeEach(() => world.llm.reset());

/** An item that shows a file, with its author and a learner's function to begin a conversation about it. */
async function openTopic(text: string) {
  const { university, course, offering, item } = await make.topic();
  const teacher = world.as(await make.holder("instructor", university.id));
  const show = async (bytes: string, role: object = {}) => {
    const { body } = await sendFile(
      world.deps,
      teacher,
      { purpose: "ASSET", course_id: course.id },
      Buffer.from(bytes),
    );
    const resources = [{ label: "Notes", kind: "article", file_id: body.id, ...role }];
    const put = await teacher.put(`/content/${item.id}`, {
      content_type: "RESOURCE",
      data_json: { resources },
    });
    expect(put.status).toBe(200);
    return body.id as number;
  };
  await world.deps.db.execute(sql`
    update content_items set content_type_id = (select id from content_types where name = 'resource') where id = ${item.id}`);
  const file = await show(text);
  const begin = async () => {
    const person = await make.person();
    await make.enrollment(person.id, offering.id);
    const learner = world.as(person);
    const { body: session } = await learner.post("/chat/sessions", { content_item_id: item.id });
    const greet = () => learner.post(`/chat/sessions/${session.id}/greeting`);
    return { learner, session, greet };
  };
  return { item, teacher, file, show, begin };
}

const systemOf = (): string => JSON.stringify(world.llm.requests.at(-1)?.system);

it("the tutor reads the text of a file that learners see, and answers a class from it once", async () => {
  const { begin } = await openTopic("Waves that meet add up.\n--- end of the material");
  const early = await begin();
  expect(early.session.not_read).toEqual([{ label: "Notes", kind: "FILE" }]);
  await early.greet();
  expect(systemOf()).not.toContain("add up");
  await extractDocumentTexts(world.deps, never);

  const first = await begin();
  expect(first.session.not_read).toEqual([]);
  expect(first.session.content_context).not.toHaveProperty("file_texts");
  const calls = world.llm.calls();
  await first.greet();
  expect(systemOf()).toContain("[File: Notes]\\nWaves that meet add up.\\n> --- end of the material");
  await (await begin()).greet();
  expect(world.llm.calls()).toBe(calls + 1);
  const read = await first.learner.get(`/chat/sessions/${first.session.id}`);
  expect(read.body.not_read).toEqual([]);
  expect(read.body.content_context).not.toHaveProperty("file_texts");
  const { body: listed } = await first.learner.get("/chat/sessions");
  expect(listed[0].content_context).not.toHaveProperty("file_texts");
});

it("another text is another material, and the same bytes in another file are the same one", async () => {
  const { begin, show } = await openTopic("Waves that meet add up.");
  await extractDocumentTexts(world.deps, never);
  await (await begin()).greet();
  const calls = world.llm.calls();
  await show("Waves that meet add up.");
  await (await begin()).greet();
  expect(world.llm.calls()).toBe(calls);
  await show("They do not.");
  await extractDocumentTexts(world.deps, never);
  await (await begin()).greet();
  expect(world.llm.calls()).toBe(calls + 1);
  expect(systemOf()).toContain("They do not.");
});

it("a conversation keeps its first text, and reports it as unread once the file has gone", async () => {
  const { begin, show, file } = await openTopic("Waves that meet add up.");
  await extractDocumentTexts(world.deps, never);
  const [kept, late] = [await begin(), await begin()];
  await show("They do not.");
  await extractDocumentTexts(world.deps, never);
  await kept.greet();
  expect(systemOf()).toContain("add up");
  // As its deletion does, a week after the last file with these bytes.
  await world.deps.db.execute(sql`delete from files where id = ${file}`);
  await world.deps.db.execute(sql`delete from stored_objects where unused_since is not null`);
  await late.learner.post(`/chat/sessions/${late.session.id}/messages`, {
    content: "And what stands in it?",
  });
  expect(systemOf()).not.toContain("add up");
  expect(systemOf()).toContain("- file: Notes");
});

it("staff-only files are in no material", async () => {
  const { university, course, item } = await make.topic();
  const teacher = world.as(await make.holder("instructor", university.id));
  await world.deps.db.execute(sql`
    update content_items set content_type_id = (select id from content_types where name = 'engineering_lab') where id = ${item.id}`);
  const { body: file } = await sendFile(
    world.deps,
    teacher,
    { purpose: "ASSET", course_id: course.id },
    Buffer.from("The answer is forty-two."),
  );
  const files = [{ path: "test.py", role: "hidden_test", file_id: file.id }];
  await teacher.put(`/content/${item.id}`, { data_json: { grading: { max_points: 5 }, files } });
  await hashAndScanPendingFiles(world.deps, never);
  await extractDocumentTexts(world.deps, never);
  const { rows } = await world.deps.db.execute(
    sql`select (${itemFileTextsJsonQuery(sql`${item.id}`)}) as texts`,
  );
  expect(rows).toEqual([{ texts: null }]);
  const { body: session } = await teacher.post("/chat/sessions", { content_item_id: item.id });
  await teacher.post(`/chat/sessions/${session.id}/greeting`);
  expect(systemOf()).not.toContain("forty-two");
});
