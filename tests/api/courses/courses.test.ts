import { describe, expect, test } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld({ LLM_MODELS: "model-of-the-tests,large" });
const make = makersOf(world);

const draft = (university_id: number) => ({ university_id, title: "Signals", code: make.unique("EE") });

describe("the model of a course's tutor", () => {
  test("is an allowed one, or a 400; a former one may stay", async () => {
    const { id: university_id } = await make.university();
    const client = world.as(await make.holder("instructor", university_id));
    const write = { ...draft(university_id), llm_model: "another" };
    const refused = await client.post("/courses/", write);
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: "llm_model should be one of: model-of-the-tests, large" },
    });
    const { body: course } = await client.post("/courses/", { ...write, llm_model: "large" });
    const change = (llm_model: string | null) => client.put(`/courses/${course.id}`, { llm_model });
    expect((await change("another")).status).toBe(400);
    expect((await change("model-of-the-tests")).status).toBe(200);
    expect((await change(null)).status).toBe(200);
    const old = await make.course(university_id, { llm_model: "retired" });
    const kept = await client.put(`/courses/${old.id}`, { llm_model: "retired", title: "Waves" });
    expect(kept).toMatchObject({ status: 200, body: { title: "Waves", llm_model: "retired" } });
  });
});

describe("reading", () => {
  test("an unpublished course is visible to the staff of its university only", async () => {
    const { id: university_id } = await make.university();
    const course = await make.course(university_id, { is_published: false });
    const ta = await make.holder("ta", university_id);
    const student = await make.holder("student", university_id);
    const elsewhere = await make.holder("university_admin", (await make.university()).id);

    for (const caller of [undefined, student, elsewhere]) {
      expect((await world.as(caller).get(`/courses/${course.id}`)).body).toEqual({
        detail: "Course not found",
      });
      expect((await world.as(caller).get(`/courses/?university_id=${university_id}`)).body).toEqual([]);
    }
    expect((await world.as(ta).get(`/courses/${course.id}`)).body).toMatchObject({ id: course.id });
    const listed = await world.as(ta).get(`/courses/?university_id=${university_id}`);
    expect(listed.body).toMatchObject([{ id: course.id, is_published: false }]);
  });

  test("a list is cut by skip and limit, in the order of the ids", async () => {
    const { id: university_id } = await make.university();
    const made = [
      await make.course(university_id),
      await make.course(university_id),
      await make.course(university_id),
    ];
    const reply = await world.as().get(`/courses/?university_id=${university_id}&skip=1&limit=1`);
    expect(reply.body.map((course: { id: number }) => course.id)).toEqual([made[1]?.id]);
  });

  test("an unpublished prerequisite is shown to staff only", async () => {
    const { id: university_id } = await make.university();
    const instructor = await make.holder("instructor", university_id);
    const course = await make.course(university_id);
    const hidden = await make.course(university_id, { is_published: false });
    const path = `/courses/${course.id}/prerequisites`;
    await world.as(instructor).post(path, { prerequisite_course_id: hidden.id });

    expect((await world.as().get(`/courses/${course.id}`)).body.prerequisites).toEqual([]);
    expect((await world.as().get(path)).body).toEqual([]);
    expect((await world.as(instructor).get(`/courses/${course.id}`)).body.prerequisites).toHaveLength(1);
    expect((await world.as(instructor).get(path)).body).toHaveLength(1);
  });
});

describe("creating", () => {
  test("an instructor creates a course, unpublished and with every default", async () => {
    const { id: university_id } = await make.university();
    const instructor = await make.holder("instructor", university_id);
    const input = draft(university_id);
    const reply = await world.as(instructor).post("/courses/", input);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      ...input,
      level: "UNDERGRADUATE",
      language_code: "en",
      is_published: false,
      cache_enabled: true,
      credit_hours: null,
      llm_model: null,
      subjects: [],
      prerequisites: [],
    });
    expect((await world.as(instructor).get(`/courses/${reply.body.id}`)).body).toEqual(reply.body);
  });

  test("a role too low, or of another university, is a 403", async () => {
    const { id: university_id } = await make.university();
    const other = await make.university();
    const callers = [await make.holder("ta", university_id), await make.holder("instructor", other.id)];
    for (const caller of callers) {
      const reply = await world.as(caller).post("/courses/", draft(university_id));
      expect([reply.status, reply.body.detail]).toEqual([403, "Not enough permissions"]);
    }
    expect((await world.as().post("/courses/", draft(university_id))).status).toBe(401);
  });

  test("an instructor of a department creates courses of that department only", async () => {
    const { id: university_id } = await make.university();
    const department = await make.department(university_id);
    const instructor = world.as(await make.holder("instructor", university_id, department.id));
    const input = draft(university_id);
    expect((await instructor.post("/courses/", input)).status).toBe(403);
    expect((await instructor.post("/courses/", { ...input, department_id: department.id })).status).toBe(201);
  });

  test("a taken code, a department of another university and an unknown subject are 400s that name them", async () => {
    const { id: university_id } = await make.university();
    const instructor = world.as(await make.holder("instructor", university_id));
    const foreign = await make.department((await make.university()).id);
    const input = draft(university_id);
    await instructor.post("/courses/", input);

    const taken = await instructor.post("/courses/", input);
    expect([taken.status, taken.body.detail]).toEqual([400, `Course code '${input.code}' is already taken`]);
    const department = await instructor.post("/courses/", {
      ...draft(university_id),
      department_id: foreign.id,
    });
    expect(department.body.detail).toBe(`Course department_id '${foreign.id}' does not exist`);
    const subject = await instructor.post("/courses/", {
      ...draft(university_id),
      primary_subject_id: 2_000_000,
    });
    expect(subject.body.detail).toBe("Course primary_subject_id '2000000' does not exist");
  });

  test("a body that is not as declared is a 422 that lists each field", async () => {
    const instructor = world.as(await make.holder("instructor", (await make.university()).id));
    const reply = await instructor.post("/courses/", { title: " ", level: "expert", credit_hours: 1.234 });
    expect(reply.status).toBe(422);
    const fields = reply.body.detail.map((fault: { loc: string[] }) => fault.loc.join("."));
    expect(fields.sort()).toEqual([
      "body.code",
      "body.credit_hours",
      "body.level",
      "body.title",
      "body.university_id",
    ]);
  });
});

describe("changing", () => {
  test("absent fields keep their values, null clears, an empty change changes nothing", async () => {
    const { id: university_id } = await make.university();
    const instructor = world.as(await make.holder("instructor", university_id));
    const course = await make.course(university_id, { description: "Waves", llm_model: "large" });
    const path = `/courses/${course.id}`;

    const changed = await instructor.put(path, { description: null, level: "advanced" });
    expect(changed.body).toMatchObject({ description: null, level: "ADVANCED", llm_model: "large" });
    const unchanged = await instructor.put(path, {});
    expect([unchanged.status, unchanged.body]).toEqual([200, changed.body]);
    expect((await instructor.put(path, { title: null })).status).toBe(422);
  });

  test("a course never moves to another university", async () => {
    const { id: university_id } = await make.university();
    const other = await make.university();
    const admin = world.as(await make.holder("platform_admin", university_id));
    const course = await make.course(university_id);
    expect((await admin.put(`/courses/${course.id}`, { university_id, title: "Waves" })).status).toBe(200);
    const moved = await admin.put(`/courses/${course.id}`, { university_id: other.id });
    expect([moved.status, moved.body.detail]).toEqual([400, "A course never moves to another university"]);
  });

  test("a role too low is a 403 for a visible course and a 404 for a hidden one", async () => {
    const { id: university_id } = await make.university();
    const student = world.as(await make.holder("student", university_id));
    const open = await make.course(university_id);
    const hidden = await make.course(university_id, { is_published: false });
    for (const change of [{ title: "Mine" }, {}]) {
      expect((await student.put(`/courses/${open.id}`, change)).status).toBe(403);
      expect((await student.put(`/courses/${hidden.id}`, change)).status).toBe(404);
    }
  });

  test("an instructor of a department cannot move a course out of it", async () => {
    const { id: university_id } = await make.university();
    const [own, other] = [await make.department(university_id), await make.department(university_id)];
    const instructor = world.as(await make.holder("instructor", university_id, own.id));
    const course = await make.course(university_id, { department_id: own.id });
    expect((await instructor.put(`/courses/${course.id}`, { title: "Ours" })).status).toBe(200);
    for (const department_id of [other.id, null])
      expect((await instructor.put(`/courses/${course.id}`, { department_id })).status).toBe(403);
  });
});

describe("deleting", () => {
  test("a department admin deletes a course with its offerings and content, an instructor cannot", async () => {
    const { course, university } = await make.topic();
    const instructor = await make.holder("instructor", university.id);
    const admin = await make.holder("department_admin", university.id);
    expect((await world.as(instructor).delete(`/courses/${course.id}`)).status).toBe(403);
    expect((await world.as(admin).delete(`/courses/${course.id}`)).status).toBe(204);
    expect((await world.as(admin).get(`/courses/${course.id}`)).status).toBe(404);
    expect((await world.as(admin).delete(`/courses/${course.id}`)).status).toBe(404);
  });

  test("a course with enrollments cannot be deleted", async () => {
    const { course, university, offering } = await make.topic();
    const admin = world.as(await make.holder("department_admin", university.id));
    await make.enrollment((await make.person()).id, offering.id, "DROPPED");
    const reply = await admin.delete(`/courses/${course.id}`);
    expect([reply.status, reply.body.detail]).toEqual([400, "Course has enrollments"]);
    expect((await admin.get(`/courses/${course.id}/offerings`)).body).toHaveLength(1);
  });

  test("a course cannot be deleted if people have chatted about its topics", async () => {
    const { course, university, item } = await make.topic();
    const admin = world.as(await make.holder("department_admin", university.id));
    await world.as(await make.person()).post("/chat/sessions", { content_item_id: item.id });
    const reply = await admin.delete(`/courses/${course.id}`);
    expect([reply.status, reply.body.detail]).toEqual([400, "Course is still in use"]);
  });

  test("a deletion during enrollments loses nothing: the course is deleted or people are in it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { course, university, offering } = await make.topic();
      const admin = world.as(await make.holder("department_admin", university.id));
      const people = await Promise.all(Array.from({ length: 4 }, () => make.person()));
      const enrolling = people.map((one) =>
        world.as(one).post("/enrollments/", { course_offering_id: offering.id }),
      );
      const [deleted, ...enrolled] = await Promise.all([admin.delete(`/courses/${course.id}`), ...enrolling]);
      const statuses = enrolled.map((reply) => reply.status);
      if (deleted?.status === 204) expect(statuses).toEqual([404, 404, 404, 404]);
      else expect([deleted?.status, statuses]).toEqual([400, [201, 201, 201, 201]]);
    }
  });
});
