import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { chatSessions } from "../../../../schema/db/tutor/chat.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

const secret = "only_for_staff";

/** Keys added by teachers, in addition to the type's own. */
const data_json = {
  ...Object.fromEntries(
    ["model_solution", "rubric", "solution", "notes", "answer_key"].map((key) => [key, secret]),
  ),
  instructions: "Write a loop.",
  criteria: [{ title: "It ends", teacher_note: secret }],
};

let topic: Awaited<ReturnType<typeof make.topic>>;
let item: Awaited<ReturnType<typeof make.contentItem>>;
let person: Awaited<ReturnType<typeof make.person>>;

beforeAll(async () => {
  topic = await make.topic();
  item = await make.contentItem(topic.module, topic.university.id, { type: "assignment", data_json });
  person = await make.person();
});

it("unknown keys are stored and returned to staff, and reach neither learners in any way nor the LLM", async () => {
  const [learner, teacher] = [
    world.as(person),
    world.as(await make.holder("instructor", topic.university.id)),
  ];
  const session = await openSession(learner, item.id);
  // The context of a conversation that started when learners had every key.
  await world.deps.db
    .update(chatSessions)
    .set({ content_context: { ...(await session.read()).content_context, data_json } })
    .where(eq(chatSessions.id, session.id));
  await session.say("Start.");
  await session.say("What is asked?");
  const shared = (await learner.post(`/chat/sessions/${session.id}/share`)).body.share_token;
  const ways = [
    `/content/${item.id}`,
    `/content/modules/${topic.module.id}/content`,
    `/chat/sessions/${session.id}`,
    "/chat/sessions",
    `/chat/share/${shared}`,
    "/users/me/export",
    `/courses/${topic.course.id}/offerings/${topic.offering.id}/outline`,
  ];
  for (const way of ways) {
    const reply = await learner.get(way);
    expect(reply.status, way).toBe(200);
    expect(reply.text, way).not.toContain(secret);
  }
  expect((await learner.get(`/chat/sessions/${session.id}`)).text).toContain("Write a loop.");
  expect(world.llm.requests).toHaveLength(2);
  for (const { system } of world.llm.requests) {
    expect(system).toContain("Write a loop.\n\n- It ends\n----- end of material -----");
    expect(system).not.toContain(secret);
  }
  expect((await teacher.get(`/content/${item.id}`)).body.data_json).toEqual(data_json);
});

it("a session lists the unread parts of its item, and its list entry has no material", async () => {
  const blocks = [
    { type: "paragraph", text: "A signal." },
    { type: "image", caption: "Aliasing" },
  ];
  const text = await make.contentItem(topic.module, topic.university.id, {
    description: "In short",
    data_json: { blocks },
  });
  const learner = world.as(await make.person());
  const made = await learner.post("/chat/sessions", { content_item_id: text.id });
  const not_read = [{ label: "Aliasing", kind: "PICTURE" }];
  expect(made.body).toMatchObject({ not_read, content_context: { data_json: { blocks } } });
  expect((await learner.get(`/chat/sessions/${made.body.id}`)).body).toMatchObject({ not_read });
  const [line] = (await learner.get("/chat/sessions")).body;
  const { data_json: _, description: __, ...context } = made.body.content_context;
  expect(line.content_context).toEqual(context);
});
