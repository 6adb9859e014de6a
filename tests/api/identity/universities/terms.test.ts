import { describe, expect, test } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const autumn = { name: "Autumn 2026", starts_on: "2026-09-01", ends_on: "2026-12-18" };

describe("terms", () => {
  async function withAutumn() {
    const { university, course } = await make.topic();
    const admin = world.as(await make.holder("university_admin", university.id));
    const path = `/universities/${university.id}/terms`;
    return { university, course, admin, path, made: await admin.post(path, autumn) };
  }

  test("are the registrar's to make, and listed by their days for everyone", async () => {
    const { university, admin, path, made } = await withAutumn();
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ ...autumn, university_id: university.id });
    const summer = await admin.post(path, {
      name: "Summer 2026",
      starts_on: "2026-06-01",
      ends_on: "2026-06-01",
    });
    const listed = await world.as().get(path);
    expect(listed.body.map(({ id }: { id: number }) => id)).toEqual([summer.body.id, made.body.id]);
    expect((await world.as().get(`${path}?q=autumn`)).body).toEqual([made.body]);
    expect((await admin.post(path, autumn)).body.detail).toBe("Term name 'Autumn 2026' is already taken");
  });

  test("are changed, and end no earlier than they start", async () => {
    const { admin, path, made } = await withAutumn();
    const early = { status: 422, body: { detail: [{ loc: ["body", "ends_on"] }] } };
    expect(await admin.put(`${path}/${made.body.id}`, { ends_on: "2026-08-31" })).toMatchObject(early);
    expect(await admin.put(`${path}/${made.body.id}`, { ...autumn, ends_on: "2026-08-31" })).toMatchObject(
      early,
    );
    expect((await admin.put(`${path}/${made.body.id}`, { name: "Fall 2026" })).body.name).toBe("Fall 2026");
  });

  test("are deleted while no offering names them", async () => {
    const { course, admin, path, made } = await withAutumn();
    const { body: unused } = await admin.post(path, { ...autumn, name: "Unused" });
    await admin.put(`${path}/${made.body.id}`, { name: "Fall 2026" });
    const offering = await admin.post(`/courses/${course.id}/offerings`, { term_id: made.body.id });
    expect(offering.body).toMatchObject({ term_id: made.body.id, term_name: "Fall 2026" });
    expect((await admin.delete(`${path}/${made.body.id}`)).body.detail).toBe("Term is still in use");
    expect((await admin.delete(`${path}/${unused.id}`)).status).toBe(204);
    expect((await world.as().get(`${path}/${unused.id}`)).body.detail).toBe("Term not found");
  });

  test("filter lists of offerings, and appear in a learner's home", async () => {
    const { university, course, offering } = await make.topic();
    const admin = world.as(await make.holder("university_admin", university.id));
    const [term, other] = [await make.term(university.id), await make.term((await make.university()).id)];
    const path = `/courses/${course.id}/offerings/${offering.id}`;
    const elsewhere = await admin.put(path, { term_id: other.id });
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([
      400,
      `Offering term_id '${other.id}' does not exist`,
    ]);
    expect((await admin.put(path, { term_id: term.id })).body.term_id).toBe(term.id);
    await make.offering(course);
    for (const list of [`/offerings/?university_id=${university.id}&`, `/courses/${course.id}/offerings?`]) {
      const found = await world.as().get(`${list}term_id=${term.id}`);
      expect(
        found.body.map(({ id }: { id: number }) => id),
        list,
      ).toEqual([offering.id]);
    }
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const home = await world.as(learner).get("/users/me/home");
    expect(home.body.courses[0].course_offering).toMatchObject({ id: offering.id, term_id: term.id });
  });
});
