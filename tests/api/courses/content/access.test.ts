import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Person = { id: number };

const required = [403, "Enrollment required"];
const early = [403, "Not available yet"];

/** A course for enrolled learners only, one of them, and how others find an item in it. */
async function closed(overrides: Parameters<typeof make.topic>[0] = { access: "ENROLLED" }) {
  const made = await make.topic(overrides);
  const { university, course, offering, module } = made;
  const item = await make.contentItem(module, university.id, { data_json: { title: "hush" } });
  const learner = await make.person();
  const enrollment = await make.enrollment(learner.id, offering.id);
  const staff = await make.holder("ta", university.id);
  const read = async (person?: Person) => {
    const { status, body } = await world.as(person).get(`/content/${item.id}`);
    return [status, body.detail];
  };
  const list = async (person?: Person) => {
    const { body } = await world.as(person).get(`/content/modules/${module.id}/content`);
    return body.find(({ id }: Person) => id === item.id);
  };
  const begin = (person: Person) => world.as(person).post("/chat/sessions", { content_item_id: item.id });
  const say = (person: Person, session: number, content = "Start.") =>
    world.as(person).post(`/chat/sessions/${session}/messages`, { content });
  return { ...made, course, item, learner, enrollment, staff, read, list, begin, say };
}

describe("a course for the enrolled", () => {
  it("shows others its outline without content, and its items not at all", async () => {
    const { item, learner, staff, read, list, begin } = await closed();
    const stranger = await make.person();
    for (const person of [undefined, stranger]) {
      expect(await read(person)).toEqual(required);
      const listed = await list(person);
      expect(listed).toMatchObject({ id: item.id, title: item.title });
      expect(listed).not.toHaveProperty("data_json");
    }
    expect((await begin(stranger)).body.detail).toBe("Enrollment required");
    for (const person of [learner, staff]) {
      expect(await read(person)).toEqual([200, undefined]);
      expect(await list(person)).toMatchObject({ data_json: { title: "hush" } });
      expect((await begin(person)).status).toBe(201);
    }
  });

  it("is for active and completed learners, but not after a self-reported completion", async () => {
    const { learner, enrollment, read } = await closed();
    const put = (status: string) => world.as(learner).put(`/enrollments/${enrollment.id}`, { status });
    for (const [status, answer] of [
      ["COMPLETED", 200],
      ["PENDING", 403],
      ["COMPLETED", 403],
      ["DROPPED", 403],
      ["ACTIVE", 200],
    ] as const) {
      await put(status);
      expect((await read(learner))[0], status).toBe(answer);
    }
  });

  it("is checked again at each message: rejected ones are neither stored nor shared", async () => {
    const { university, course, learner, enrollment, item, begin, say } = await closed({ access: "OPEN" });
    const session = (await begin(learner)).body.id;
    expect((await say(learner, session)).status).toBe(200);
    const { body: shared } = await world.as(learner).post(`/chat/sessions/${session}/share`);
    const path = `/chat/share/${shared.share_token}`;
    expect((await world.as().get(path)).status).toBe(200);

    const instructor = world.as(await make.holder("instructor", university.id));
    const access = await instructor.put(`/courses/${course.id}`, { access: "enrolled" });
    expect(access.body.access).toBe("ENROLLED");
    expect((await world.as().get(path)).body.detail).toBe("Shared session not found");
    expect((await say(learner, session)).status).toBe(200);
    expect(Number(world.log.at(-1)?.["db_query_count"])).toBe(1);
    await world.as(learner).put(`/enrollments/${enrollment.id}`, { status: "DROPPED" });
    const messages = async () =>
      (await world.as(learner).get(`/chat/sessions/${session}`)).body.messages.length;
    const before = await messages();
    for (const content of ["Start.", "Why?"]) {
      const refused = await say(learner, session, content);
      expect([refused.status, refused.body.detail]).toEqual(required);
    }
    const greeted = await world.as(learner).post(`/chat/sessions/${session}/greeting`);
    expect([greeted.status, greeted.body.detail]).toEqual(required);
    await instructor.put(`/content/${item.id}`, { is_active: false });
    expect((await say(learner, session)).body.detail).toBe("Content item not found");
    expect(await messages()).toBe(before);
  });
});

it("talking to the tutor is an activity in the offering that the person enrolled in last and did not drop", async () => {
  const { course, learner, begin, say } = await closed();
  const later = await make.offering(course);
  await make.enrollment(learner.id, later.id, "ACTIVE", { enrolled_at: "2100-01-01T00:00:00Z" });
  await make.enrollment(learner.id, (await make.offering(course)).id, "DROPPED", {
    enrolled_at: "2101-01-01T00:00:00Z",
  });
  await say(learner, (await begin(learner)).body.id);
  const { body } = await world.as(learner).get("/users/me/overview");
  expect(body.recent_activity).toMatchObject([{ type: "ASKED", course_offering_id: later.id }]);
});

describe("locked content", () => {
  it("by its own date or that of a module above it, opens then", async () => {
    const { university, module, item, offering, learner, staff, read, list, begin, say } = await closed({});
    const instructor = await make.holder("instructor", university.id);
    const session = (await begin(learner)).body.id;
    const available_from = "2026-03-11T08:00:00.000Z";
    for (const path of [`/content/${item.id}`, `/modules/${module.id}`]) {
      world.setNow("2026-03-10T12:00:00Z");
      const changed = await world
        .as(instructor)
        .put(path, { available_from, due_at: "2026-03-12T08:00:00Z" });
      expect(changed.body).toMatchObject({ available_from, due_at: "2026-03-12T08:00:00.000Z" });
      expect([await read(learner), await read(), (await read(staff))[0]]).toEqual([early, early, 200]);
      expect(await list(learner)).not.toHaveProperty("data_json");
      expect((await say(learner, session)).body.detail).toBe("Not available yet");
      const progress = { content_item_id: item.id, course_offering_id: offering.id, progress_percent: 5 };
      const posted = await world.as(learner).post("/progress/content", progress);
      expect([posted.status, posted.body.detail]).toEqual(early);
      world.setNow(available_from);
      expect((await read(learner))[0]).toBe(200);
      await world.as(instructor).put(path, { available_from: null, due_at: null });
    }
    world.setNow("2026-03-10T12:00:00Z");
    for (const path of [`/content/${item.id}`, `/modules/${module.id}`]) {
      await world.as(instructor).put(path, { available_from });
      for (const body of [{ due_at: available_from }, { available_from, due_at: "2026-03-01T08:00:00Z" }]) {
        const reply = await world.as(instructor).put(path, body);
        expect([reply.status, reply.body.detail[0]?.loc]).toEqual([422, ["body", "due_at"]]);
      }
    }
  });

  it("by a module to complete first, opens once its items are complete", async () => {
    const { university, course, module, offering, learner, read } = await closed({});
    const instructor = world.as(await make.holder("instructor", university.id));
    const first = await make.module(course.id);
    const task = await make.contentItem(first, university.id);
    const asked = await instructor.put(`/modules/${module.id}`, { requires_module_ids: [first.id] });
    expect(asked.body.requires_module_ids).toEqual([first.id]);
    expect([await read(learner), await read()]).toEqual([early, early]);
    const progress = { content_item_id: task.id, course_offering_id: offering.id, progress_percent: 100 };
    await world.as(learner).post("/progress/content", progress);
    expect((await read(learner))[0]).toBe(200);

    for (const [id, requires_module_ids, detail] of [
      [first.id, [module.id], "The required modules would form a cycle"],
      [first.id, [first.id], "The required modules would form a cycle"],
      [first.id, [2_000_000], "requires_module_ids must be modules of the course"],
    ] as const) {
      const reply = await instructor.put(`/modules/${id}`, { requires_module_ids });
      expect([reply.status, reply.body.detail]).toEqual([400, detail]);
    }
  });

  it("never ends in a cycle, even after two concurrent changes", async () => {
    const { university, course } = await make.topic();
    const instructor = world.as(await make.holder("instructor", university.id));
    for (let round = 0; round < 4; round++) {
      const [one, other] = [await make.module(course.id), await make.module(course.id)];
      const replies = await Promise.all([
        instructor.put(`/modules/${one.id}`, { requires_module_ids: [other.id] }),
        instructor.put(`/modules/${other.id}`, { requires_module_ids: [one.id] }),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });
});
