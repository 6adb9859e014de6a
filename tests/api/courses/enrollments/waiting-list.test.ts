import { describe, expect, test } from "vitest";
import { eraseAccountOf } from "../../../support/erase.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Person = { id: number };

async function run(capacity: number) {
  const { course, university } = await make.topic();
  const offering = await make.offering(course, { capacity });
  const path = `/courses/${course.id}/offerings/${offering.id}`;
  const staff = world.as(await make.holder("department_admin", university.id));
  const enrollmentIds = new Map<number, number>();

  const enroll = async (person: Person) => {
    const reply = await world.as(person).post("/enrollments/", { course_offering_id: offering.id });
    if (reply.status === 201) enrollmentIds.set(person.id, reply.body.id);
    return reply;
  };
  const put = (person: Person, status: string, by = world.as(person)) =>
    by.put(`/enrollments/${enrollmentIds.get(person.id)}`, { status });
  const resize = (capacity: number | null) => staff.put(path, { capacity });
  const withStatus = async (status: string): Promise<number[]> => {
    const { body } = await staff.get(`${path}/enrollments?status=${status}&limit=1000`);
    return body.map((entry: { user_id: number }) => entry.user_id);
  };
  return { path, staff, enroll, put, resize, withStatus };
}

const someone = (): Promise<Person> => make.person();

const people = (count: number) => Promise.all(Array.from({ length: count }, someone));

const idsOf = (persons: readonly Person[]) => persons.map((person) => person.id);

describe("a full offering", () => {
  test("has a waiting list, and a freed seat goes to the person who waited longest", async () => {
    const { staff, enroll, put, withStatus } = await run(1);
    const [first, second, third] = [await someone(), await someone(), await someone()] as const;
    expect((await enroll(first)).body.status).toBe("ACTIVE");
    expect((await enroll(second)).body.status).toBe("WAITLISTED");
    expect((await enroll(third)).body.status).toBe("WAITLISTED");

    await put(first, "DROPPED");
    expect(await withStatus("ACTIVE")).toEqual([second.id]);
    await put(second, "COMPLETED", staff);
    expect(await withStatus("ACTIVE")).toEqual([third.id]);
  });

  test.each([
    ["ACTIVE", "owner", false],
    ["DROPPED", "owner", true],
    ["PENDING", "owner", true],
    ["WAITLISTED", "owner", true],
    ["COMPLETED", "staff", true],
    ["DROPPED", "staff", true],
    ["erased", "owner", true],
  ])(
    "keeps the seat of a person who reports completion; after %s by the %s, it is free: %s",
    async (status, by, isFree) => {
      const { staff, enroll, put, withStatus } = await run(1);
      const [first, ...others] = [await make.person(), await make.person(), await make.person()] as const;
      await enroll(first);
      expect((await put(first, "COMPLETED")).body.completion_source).toBe("SELF");
      for (const [at, person] of others.entries())
        expect((await enroll(person)).body).toMatchObject({ status: "WAITLISTED", position: at + 1 });
      await put(first, "COMPLETED");
      expect(await withStatus("WAITLISTED")).toEqual(idsOf(others));
      if (status === "erased") expect(await eraseAccountOf(world, first)).toBe(204);
      else expect((await put(first, status, by === "staff" ? staff : undefined)).status).toBe(200);
      expect(await withStatus("ACTIVE")).toEqual([isFree ? others[0].id : first.id]);
    },
  );

  test("puts a person who enrolls again at the end", async () => {
    const { enroll, put, withStatus } = await run(1);
    const [first, second, third] = [await someone(), await someone(), await someone()] as const;
    for (const person of [first, second, third]) await enroll(person);
    await put(first, "DROPPED");
    expect((await enroll(first)).body.status).toBe("WAITLISTED");
    expect(await withStatus("WAITLISTED")).toEqual(idsOf([third, first]));
  });

  test("gives no better position to a person who leaves and returns", async () => {
    const { enroll, put, withStatus } = await run(1);
    const [active, first, second] = [await someone(), await someone(), await someone()] as const;
    for (const person of [active, first, second]) await enroll(person);
    await put(first, "DROPPED");
    await put(first, "WAITLISTED");
    expect(await withStatus("WAITLISTED")).toEqual(idsOf([second, first]));
    await put(active, "WAITLISTED");
    expect(await withStatus("ACTIVE")).toEqual([second.id]);
    expect(await withStatus("WAITLISTED")).toEqual(idsOf([first, active]));
  });

  test("is a 400 for an owner's move to ACTIVE, while staff may overfill it", async () => {
    const { staff, enroll, put, withStatus } = await run(1);
    const [first, second] = [await someone(), await someone()] as const;
    for (const person of [first, second]) await enroll(person);
    await put(second, "DROPPED");
    const own = await put(second, "ACTIVE");
    expect([own.status, own.body.detail]).toEqual([400, "Offering is full"]);
    expect((await put(second, "ACTIVE", staff)).status).toBe(200);
    expect(await withStatus("ACTIVE")).toHaveLength(2);
  });

  test("gives no seat while it is overfilled", async () => {
    const { enroll, put, resize, withStatus } = await run(3);
    const [one, two, three, four] = [
      await someone(),
      await someone(),
      await someone(),
      await someone(),
    ] as const;
    for (const person of [one, two, three, four]) await enroll(person);
    await resize(1);
    expect(await withStatus("ACTIVE")).toHaveLength(3);
    await put(one, "DROPPED");
    await put(two, "DROPPED");
    expect(await withStatus("ACTIVE")).toEqual([three.id]);
    await put(three, "DROPPED");
    expect(await withStatus("ACTIVE")).toEqual([four.id]);
  });

  test("gives new seats to waiting people, as many as there are, and to all without a limit", async () => {
    const { enroll, resize, withStatus } = await run(1);
    const persons = await people(5);
    for (const person of persons) await enroll(person);
    await resize(3);
    expect((await withStatus("ACTIVE")).sort()).toEqual(idsOf(persons.slice(0, 3)).sort());
    await resize(null);
    expect(await withStatus("ACTIVE")).toHaveLength(5);
  });
});

describe("concurrent changes", () => {
  test("200 people enroll in 30 seats: 30 are active, the rest wait in line, and ten leaving admit ten", async () => {
    const { enroll, put, withStatus } = await run(30);
    const persons = await people(200);
    const replies = await Promise.all(persons.map(enroll));
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]));
    const [active, waiting] = [await withStatus("ACTIVE"), await withStatus("WAITLISTED")];
    expect([active.length, waiting.length]).toEqual([30, 170]);
    const arrival = replies.filter((reply) => reply.body.status === "WAITLISTED").map((reply) => reply.body);
    arrival.sort((one, other) => one.id - other.id);
    expect(waiting).toEqual(arrival.map((enrollment) => enrollment.user_id));

    await Promise.all(active.slice(0, 10).map((id) => put({ id }, "DROPPED")));
    expect(new Set(await withStatus("ACTIVE"))).toEqual(
      new Set([...active.slice(10), ...waiting.slice(0, 10)]),
    );
    expect(await withStatus("WAITLISTED")).toEqual(waiting.slice(10));
  });

  test("one person enrolls many times: one place, the other answers are `Already enrolled`", async () => {
    const { enroll } = await run(5);
    const person = await make.person();
    const replies = await Promise.all(Array.from({ length: 8 }, () => enroll(person)));
    const [won, ...lost] = replies.sort((one, other) => one.status - other.status);
    expect(won?.status).toBe(201);
    expect(new Set(lost.map((reply) => reply.body.detail))).toEqual(new Set(["Already enrolled"]));
  });

  test("two changes of one enrollment free its place once", async () => {
    const { enroll, put, withStatus } = await run(1);
    const persons = [await someone(), await someone(), await someone(), await someone()] as const;
    for (const person of persons) await enroll(person);
    await Promise.all(
      ["DROPPED", "COMPLETED", "DROPPED", "PENDING"].map((status) => put(persons[0], status)),
    );
    expect(await withStatus("ACTIVE")).toEqual([persons[1].id]);
  });

  test("owners who become active again do not overfill an offering", async () => {
    const { enroll, put, withStatus } = await run(3);
    const persons = await people(3);
    for (const person of persons) await enroll(person);
    await Promise.all(persons.map((person) => put(person, "DROPPED")));
    const newcomers = await people(3);
    await Promise.all([...newcomers.map(enroll), ...persons.map((person) => put(person, "ACTIVE"))]);
    expect(await withStatus("ACTIVE")).toHaveLength(3);
  });

  test("capacity grows during enrollments and departures: every seat is taken, and none twice", async () => {
    const { enroll, put, resize, withStatus } = await run(2);
    const persons = await people(20);
    for (const person of persons.slice(0, 10)) await enroll(person);
    await Promise.all([
      resize(5),
      ...persons.slice(10).map(enroll),
      ...persons.slice(0, 2).map((person) => put(person, "DROPPED")),
    ]);
    expect(await withStatus("ACTIVE")).toHaveLength(5);
    expect(await withStatus("WAITLISTED")).toHaveLength(13);
  });
});
