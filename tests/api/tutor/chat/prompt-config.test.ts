import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { courses } from "../../../../schema/db/courses/courses.ts";
import { prompts } from "../../../../schema/db/tutor/prompts.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const world = openWorld({ LLM_MODELS: "model-of-the-tests,large", LLM_MAX_TOKENS: "900" });
const make = makersOf(world);

/** Creates the next version of a tutor prompt, as a person who may set labels. */
async function version(name: string, config: object, labels: string[] = ["production"]) {
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  return admin.post("/prompts/", { name, prompt: "Teach {{title}}.", config, labels });
}

const ask = async (itemId: number) => {
  const session = await openSession(world.as(await make.person()), itemId);
  await session.say("Start.");
  return { asked: world.llm.bodies.at(-1), meta: await session.lastMeta() };
};

it("a version's config decides model, temperature and length, and its model is that of the stored answer", async () => {
  const { item, course } = await make.topic();
  await version("tutor", { model: "large", temperature: 0.25, max_tokens: 700, note: "kept" });
  const { asked, meta } = await ask(item.id);
  expect(asked).toMatchObject({ model: "large", temperature: 0.25, max_tokens: 700 });
  expect(asked).not.toHaveProperty("note");
  expect(meta).toMatchObject({ model: "large", source: "llm" });
  expect((await ask(item.id)).meta).toMatchObject({ model: "large", source: "cache" });
  const staff = world.as(await make.holder("instructor", course.university_id));
  const { body: tree } = await staff.get(`/chat/topics/${item.id}/tree`);
  expect(tree).toMatchObject({ nodes: [{ model: "large", is_live: true }] });
});

it("a course's model overrides the version's", async () => {
  const { item, course } = await make.topic();
  await version("tutor", { model: "large" });
  await world.deps.db
    .update(courses)
    .set({ llm_model: "model-of-the-tests" })
    .where(eq(courses.id, course.id));
  expect((await ask(item.id)).asked).toMatchObject({ model: "model-of-the-tests", max_tokens: 900 });
});

it.each([
  [{ model: "huge" }, "config.model should be one of: model-of-the-tests, large"],
  [{ temperature: 1.5 }, "config.temperature should be a number from 0 to 1"],
  [{ max_tokens: 901 }, "config.max_tokens should be a whole number from 1 to 900"],
])("a new version with %j is rejected", async (config, detail) => {
  expect(await version("tutor", config)).toMatchObject({ status: 400, body: { detail } });
});

it("settings outside of the bounds have no effect in earlier versions", async () => {
  const { item } = await make.topic();
  const { body } = await version("tutor", {});
  await world.deps.db
    .update(prompts)
    .set({ config: { model: "huge", temperature: 9, max_tokens: 5000 } })
    .where(eq(prompts.id, body.id));
  const { asked } = await ask(item.id);
  expect(asked).toMatchObject({ model: "model-of-the-tests", max_tokens: 900 });
  expect(asked).not.toHaveProperty("temperature");
});

it("staff try a version before any label moves, outside the answers of the class", async () => {
  const { item, course } = await make.topic();
  const author = world.as(await make.holder("instructor", course.university_id));
  const { body: tried } = await author.post("/prompts/", { name: "tutor", prompt: "Be new with {{title}}." });
  const { status, body: session } = await author.post("/chat/sessions", {
    content_item_id: item.id,
    prompt_version: tried.version,
  });
  expect(status).toBe(201);
  expect(session).toMatchObject({
    cache_state: "DIVERGED",
    tried_prompt: { name: "tutor", version: tried.version },
  });
  expect((await author.get(`/chat/sessions?content_item_id=${item.id}`)).body).toMatchObject([
    { id: session.id, tried_prompt: { name: "tutor", version: tried.version } },
  ]);
  const { body: reply } = await author.post(`/chat/sessions/${session.id}/greeting`);
  expect(reply.meta).toMatchObject({ prompt_name: "tutor", prompt_version: tried.version });
  expect(world.llm.requests.at(-1)?.system).toContain(`Be new with "${item.title}".`);
  const { body: aside } = await author.post("/chat/sessions", {
    content_item_id: item.id,
    aside_of: session.id,
  });
  expect(aside.tried_prompt).toEqual({ name: "tutor", version: tried.version });
  const { rows } = await world.deps.db.execute(
    sql`select id from cache_nodes where content_item_id = ${item.id}`,
  );
  expect(rows).toEqual([]);
  // Deleted with the version.
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  expect((await admin.delete(`/prompts/tutor/versions/${tried.version}`)).status).toBe(204);
  expect((await author.get(`/chat/sessions/${session.id}`)).status).toBe(404);
});

it("a version that is missing, never teaches there, or is closed to the caller is rejected", async () => {
  const { item, course } = await make.topic();
  const staff = world.as(await make.holder("instructor", course.university_id));
  const begin = (client: typeof staff, more: object) =>
    client.post("/chat/sessions", { content_item_id: item.id, ...more });
  expect(await begin(staff, { prompt_version: 999 })).toMatchObject({ status: 404 });
  expect(await begin(staff, { prompt_version: 1, prompt_name: "other" })).toMatchObject({
    status: 400,
    body: { detail: "prompt_name should be one of: tutor, tutor-text" },
  });
  expect(await begin(staff, { prompt_name: "tutor" })).toMatchObject({ status: 422 });
  expect(await begin(staff, { prompt_version: 1, aside_of: 1 })).toMatchObject({ status: 422 });
  for (const other of [
    await make.person(),
    await make.holder("ta", course.university_id),
    await make.holder("instructor", (await make.university()).id),
  ])
    expect(await begin(world.as(other), { prompt_version: 1 })).toMatchObject({ status: 403 });
});
